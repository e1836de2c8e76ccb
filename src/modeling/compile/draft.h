// Draft of a model: working copies of all elements between specification and mjModel.
//
// The phases of the compiler turn the attributes in the drafts into their final values (radians,
// frames accumulated, names resolved to ids); the specification itself is only read.  Everything
// lives in the draft's pool. Trouble leaves through cfi_fail, which never returns.
#ifndef CF_COMPILE_DRAFT_H
#define CF_COMPILE_DRAFT_H

#include <setjmp.h>
#include <stdbool.h>

#include <mujoco/mujoco.h>

#include "base/error.h"
#include "compile/bvh.h"
#include "compile/pool.h"
#include "spec/spec.h"

// head of every drafted element; as aligned as any attributes, which follow it in all of them
typedef struct {
  // NULL for keyframes that only the size section asks for
  _Alignas(double) const cfElement* origin;
  const char* name;  // "" when there is none
  mjtObj type;
  int id;           // place in mjModel
  int named_place;  // place its name stands for, where names have places (fuse.c)
} cfPart;

// drafted elements in id order
typedef struct {
  cfPart** item;
  int count, room;
} cfPartList;

// an instance of a plugin
typedef struct {
  cfPart part;
  mjsPlugin attr;
  const cfPart* user;  // first element that uses it; NULL: none so far
  int slot;            // of the registered plugin, once it is used or compiled
  const char* config;  // values in the order of the plugin's attributes, each with its final zero
  int nconfig;         // bytes of it
} cfPluginDraft;

typedef struct cfBodyDraft {
  cfPart part;
  mjsBody attr;
  const cfPluginDraft* plugin;
  struct cfBodyDraft* parent;  // NULL for the world
  cfPartList bodies, joints, geoms, sites, cameras, lights;
  double pos0[3], quat0[4];  // in the world, where there are flexes
  int weldid, rootid, mocapid, dofnum;
  int simple;                // inertia diagonal: 1, and translating only: 2
  int contype, conaffinity;  // union over geoms
  double margin;             // largest of the geoms
  cfBvh bvh;
  cfPart** node_geom;  // geom of each tree node; inner nodes may hold one from an earlier tree
  int node_room;
} cfBodyDraft;

typedef struct {
  cfPart part;
  mjsJoint attr;
  cfBodyDraft* body;
  int qposadr, dofadr;
  bool is_limited, is_frclimited;
} cfJointDraft;

typedef struct {
  cfPart part;
  mjsGeom attr;
  const cfPluginDraft* plugin;
  cfBodyDraft* body;
  struct cfMeshDraft* mesh;    // its shape; NULL after fitting a primitive
  struct cfMeshDraft* source;  // mesh it was given, fitted or not
  struct cfHFieldDraft* hfield;
  const char* material;  // own or of the mesh
  int matid;
  bool is_visual;  // neither collides nor is referenced
  bool infers_inertia;
  double mass, inertia[3], volume;
  double aabb[6], rbound;
  double fluid[mjNFLUID];
} cfGeomDraft;

typedef struct {
  cfPart part;
  mjsSite attr;
  cfBodyDraft* body;
  int matid;
} cfSiteDraft;

typedef struct {
  cfPart part;
  mjsCamera attr;
  cfBodyDraft* body;
  int targetid;
} cfCameraDraft;

typedef struct {
  cfPart part;
  mjsLight attr;
  cfBodyDraft* body;
  int targetid, texid;
} cfLightDraft;

typedef struct {
  cfPart part;
  mjsFrame attr;
} cfFrameDraft;

typedef struct {
  cfPart part;
  mjsFlex attr;
  int matid;
  struct cfFlexData* data;
} cfFlexDraft;

typedef struct cfMeshDraft {
  cfPart part;
  mjsMesh attr;
  const cfPluginDraft* plugin;  // that makes it; NULL: it is given
  const char* file;
  bool is_visual, needs_hull;
  struct cfMeshData* data;
} cfMeshDraft;

typedef struct cfHFieldDraft {
  cfPart part;
  mjsHField attr;
  const char* file;
  struct cfHFieldData* data;
} cfHFieldDraft;

typedef struct cfTextureDraft {
  cfPart part;
  mjsTexture attr;
  const char* file;
  struct cfTextureData* data;
} cfTextureDraft;

typedef struct cfSkinDraft {
  cfPart part;
  mjsSkin attr;
  const char* file;
  int matid;
  int* bodyid;
  struct cfSkinData* data;
} cfSkinDraft;

typedef struct {
  cfPart part;
  mjsMaterial attr;
  int texid[mjNTEXROLE];
} cfMaterialDraft;

typedef struct {
  cfPart part;
  mjsPair attr;
  cfGeomDraft* geom[2];
  int signature;
} cfPairDraft;

typedef struct {
  cfPart part;
  mjsExclude attr;
  int signature;
} cfExcludeDraft;

typedef struct {
  cfPart part;
  mjsEquality attr;
  int obj1id, obj2id;
} cfEqualityDraft;

// one object on the path of a tendon
typedef struct {
  int type;           // mjtWrap
  const cfPart* obj;  // NULL for a pulley
  int sideid;
  double prm;
} cfWrapDraft;

typedef struct {
  cfPart part;
  mjsTendon attr;
  cfWrapDraft* wrap;
  int nwrap;
  int matid;
  bool is_limited, is_frclimited;
} cfTendonDraft;

typedef struct {
  cfPart part;
  mjsActuator attr;
  const cfPluginDraft* plugin;
  int trnid[2];
  int actadr, historyadr;
  bool is_ctrllimited, is_forcelimited, is_actlimited;
} cfActuatorDraft;

typedef struct {
  cfPart part;
  mjsSensor attr;
  const cfPluginDraft* plugin;
  const cfPart *obj, *ref;
  int adr, historyadr;
} cfSensorDraft;

typedef struct {
  cfPart part;
  mjsNumeric attr;
} cfNumericDraft;

typedef struct {
  cfPart part;
  mjsText attr;
} cfTextDraft;

typedef struct {
  cfPart part;
  mjsTuple attr;
  const cfPart** obj;
} cfTupleDraft;

// values of a keyframe; NULL where the user gave none
typedef struct {
  double* value;
  int count;
} cfKeyValues;

typedef struct {
  cfPart part;
  mjsKey attr;
  cfKeyValues qpos, qvel, act, ctrl, mpos, mquat;
} cfKeyDraft;

// one compilation
typedef struct cfDraft {
  cfSpec* spec;
  const mjVFS* vfs;
  const mjsCompiler* compiler;  // settings of the whole model
  cfPool pool;
  double made_bytes;  // of textures by formula, so far
  cfPartList list[mjNOBJECT];
  cfPartList frames;
  cfPart** index;         // hash table from type and name
  int nindex;             // its size, a power of two
  int nuser[8];           // user data per element, by cfi_userSlot
  int nbvhspare;          // tree nodes without use, left over from fusing
  bool has_named_places;  // names of joints, geoms and sites lead to places, not to elements
  mjModel sizes;          // only its size fields are used
  mjModel* model;
  mjData* data;
  jmp_buf* escape;  // where cfi_fail jumps to
  int nfailed;      // messages so far
  char message[2000];
  char warning[500];
} cfDraft;

// lists and typed access
static inline cfPartList* cfi_parts(cfDraft* draft, mjtObj type) {
  return &draft->list[type];
}
static inline cfBodyDraft* cfi_bodyAt(const cfDraft* draft, int i) {
  return (cfBodyDraft*)draft->list[mjOBJ_BODY].item[i];
}
void cfi_pushPart(cfDraft* draft, cfPartList* list, cfPart* part);
void cfi_renumber(cfPartList* list);

// settings that hold for an element
static inline const mjsCompiler* cfi_settings(const cfPart* part) {
  return cfi_compilerOf(part->origin);
}

// element by type and name, NULL when there is none
cfPart* cfi_findPart(const cfDraft* draft, mjtObj type, const char* name);

// copy the specification; checks names
void cfi_draftElements(cfDraft* draft);
void cfi_indexParts(cfDraft* draft);

// end the compilation with a message about an element, or about the model where part is NULL
_Noreturn void cfi_fail(cfDraft* draft, const cfPart* part, const char* format, ...)
    __attribute__((format(printf, 3, 4)));

// the same about a name that no element of that type has; a similar name is suggested
_Noreturn void cfi_failUnknown(cfDraft* draft, const cfPart* part, mjtObj type, const char* name,
                               const char* format, ...) __attribute__((format(printf, 5, 6)));

// errors and warnings of the engine on this thread belong to a draft from now on, then to what was
// before
typedef struct {
  cfHandler on_error, on_warning;
  cfDraft* outer;
} cfDraftScope;
cfDraftScope cfi_enterDraft(cfDraft* draft);
void cfi_leaveDraft(cfDraftScope scope);

// run a phase on one element; a failure is kept and the next element gets its turn
typedef void cfElementPhase(cfDraft* draft, cfPart* part);
void cfi_guard(cfDraft* draft, cfElementPhase* phase, cfPart* part);

// the same for all elements of a list, then end the compilation if anything has failed
void cfi_guardList(cfDraft* draft, cfElementPhase* phase, mjtObj type);
void cfi_stopIfFailed(cfDraft* draft);

// is a number given at all
static inline bool cfi_isGiven(double value) {
  return value == value;
}

#endif  // CF_COMPILE_DRAFT_H
