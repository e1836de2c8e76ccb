// Private side of mjSpec: what an element holds besides its public mjs struct.
//
//   mjSpec <-> cfSpec      cfi_spec(s)            spec->pub
//   mjsGeom <-> cfElement  cfi_element(g->element)  (mjsGeom*)e->attr, or mjs_asGeom(&e->head)
//
// An element is one cfElement with its mjs struct and the strings and arrays of that struct in one
// block.  Elements of the kinematic tree are owned by their body, all others by the specification.
// Lists: cfi_list(spec, type) gives every element of a type in the order of mjModel ids, bodies
// depth first with the world at 0.  An element's id is its place in that list.
#ifndef CF_SPEC_SPEC_H
#define CF_SPEC_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <mujoco/mujoco.h>

#include "spec/vector.h"

typedef struct cfElement cfElement;
typedef struct cfSpec cfSpec;

// growing list of elements
typedef struct {
  cfElement** item;
  int count;
  int room;
} cfList;

// compiler settings, folder and files under which an element was written; attached elements keep
// their own
typedef struct {
  const mjsCompiler* compiler;
  const cfString* modelfiledir;
  const cfVec* files;  // names, strings
} cfScope;

// where an element stands in the text; line 0: made by a program
typedef struct {
  int file;  // index into the files of the element's scope
  int line;
  int column;
} cfSource;

// opaque value that a program hung on an element
typedef struct cfUserValue {
  struct cfUserValue* next;
  char* key;
  const void* data;
  void (*cleanup)(const void*);
} cfUserValue;

// what the last compilation made of an element: its struct with final values (radians, poses seen
// from the body, ranges that were inherited), whose handles are the element's own, and numbers that
// have no place in it: volume and mass of a geom, values of a keyframe, elements of a flex,
// weights of a skin, ids along a tendon
typedef struct {
  void* attr;  // NULL: not in the last model
  double* number;
  int count;
  int body;  // id of the body it hangs on, or of its parent
} cfKept;

enum { CF_TREE_KINDS = 7, CF_DEFAULT_KINDS = 12, CF_LISTS = mjNOBJECT + 1 };

struct cfElement {
  mjsElement head;  // public part: type and signature; must be first
  cfSpec* spec;     // owner
  int id;           // place in cfi_list of its type; -1 inside a default class
  cfString name;
  bool is_indexed;          // stands in the index of names
  bool is_unlisted;         // came or was renamed since its specification was compiled
  char* listed_name;        // its name in that compilation where it was renamed, else NULL
  cfString classname;       // name of the default class; bodies and frames: childclass
  cfString info;            // text appended to compiler errors
  cfElement* body;          // parent body, NULL for the world and outside the tree
  cfElement* frame;         // enclosing frame of the same body, or NULL
  const cfScope* scope;     // compiler settings it was written under
  cfSource source;          // where it stands in the text
  const cfSpec* moved_to;   // stands in for an element that was attached there, else NULL
  cfElement* original;      // that element, else NULL
  cfSpec* came_from;        // specification it was attached from by reference, else NULL
  bool is_parked;           // in no tree and no list: only programs know it, see cfi_freeElement
  bool is_renamed;          // has the prefix of an attach that it could not follow
  cfUserValue* user;        // values hung on it by programs
  struct cfKeyState* keys;  // its part of keyframes of an attached model, see keys.h
  void* attr;               // its mjs struct
  int model_id;             // id in the model last compiled, plus one; 0: not there
  bool was_compiled;        // stood in a model that was compiled, or is a copy of one that did
  double compiled_mass;     // of a body, in the model last compiled
  cfKept kept;              // its final attributes in that model
  bool is_dropped;          // that compilation left it out
  int place[3];             // where its state stands in that model, plus one; 0: nowhere

  union {
    struct {
      cfList child[CF_TREE_KINDS];  // by cfi_treeSlot
    } body;
    struct {
      cfList path;  // wrap elements
    } tendon;
    struct {
      cfElement* tendon;
      double prm;         // divisor of a pulley or coefficient of a joint
      cfString sidesite;  // the target is the element's name
    } wrap;
    struct {
      cfVec key, value;       // configuration, arrays of strings
      struct cfMapView* map;  // the same as C++ sees it, made when it is asked for
    } plugin;
    struct {
      cfString model[2];  // names of the models of bending and elasticity, empty for MuJoCo's
      int is_implicit;    // stiffness is treated implicitly
      int moduli;         // what young and poisson mean, cftFlexModuli
      int needs_hinges;   // a model of bending will be chosen after compilation
    } flex;
    struct {
      cfString gain_model;  // name of its model, which counts where gaintype is that of users
    } actuator;
    struct {
      cfString values;  // geoms and pairs: parameters of contact solvers, see specsolver.h
    } contact;
    struct {
      cfElement* parent;  // NULL: root class
      cfList child;
      cfElement* proto[CF_DEFAULT_KINDS];  // default element per kind
    } def;
  } part;
};

// while a replicate makes its copies: the elements of a kind that may follow one, see repeat.c
typedef struct {
  bool is_listed;  // false: all
  cfList list;
} cfRepeated;
enum { CF_REPEATED_KINDS = 6 };

struct cfSpec {
  cfElement self;  // mjOBJ_MODEL; must be first
  mjSpec pub;
  cfString modelname, comment, modelfiledir, meshdir, texturedir;
  cfString contact_solver, contact_values;  // name and parameters, see specsolver.h

  cfElement* world;
  cfList list[CF_LISTS];  // by cfi_listIndex; those of tree elements are rebuilt when stale
  bool tree_stale;
  cfList defaults;  // every class, root first, in the order of creation
  cfList index[2];  // hash table from type and name to element; [1] is scratch
  cfVec files;      // names of source files, strings
  cfVec plugins;    // slots of activated plugins, ints
  cfVec pending;    // keyframes of attached models, see keys.h

  cfScope scope;                // settings of this specification
  struct cfSpecNode* children;  // specifications attached or kept as assets
  cfList parked;  // deleted elements, and those given away that are not needed there any more
  int refcount;   // its owner and the specifications that keep it
  struct cfSpec* reached;  // while one is deleted: next in the list of those that it leads to
  bool is_reached;         // stands in that list
  bool is_needed;          // and stays
  int nkept_inside;        // times that others of that list keep it
  bool deepcopy;           // mjs_attach copies instead of sharing
  bool is_compiled;
  bool has_unlisted;     // has elements that are unlisted
  bool asks_listed;      // references are looked up among the names of the last compilation
  int compiled_size[6];  // numbers of a keyframe in the last model: qpos, qvel, act, ctrl, mpos,
                         // mquat
  cfRepeated repeated[CF_REPEATED_KINDS];
  bool is_attached;    // elements of it were attached by reference: it cannot be compiled any more
  uint64_t nedit;      // elements that came or went
  bool is_fused;       // the last compilation removed static bodies
  mjSpec kept;         // settings of the last compilation, sizes of user data filled in
  cfVec kept_qpos;     // its reference configuration, doubles
  uint64_t kept_edit;  // nedit when it was made
  mjStatistic computed;  // statistics of the last compilation before the user's were put in

  char error[2000];  // last message, empty when there is none
  bool is_warning;   // the message is only a warning
  cfString notes;    // liberties of the XML text it was read from
};

// specification kept by another one: as an asset (model) or because elements of it were attached
typedef struct cfSpecNode {
  struct cfSpecNode* next;
  cfSpec* spec;
} cfSpecNode;

// from public to private
static inline cfSpec* cfi_spec(const mjSpec* s) {
  return (cfSpec*)(void*)s->element;
}
static inline cfElement* cfi_element(const mjsElement* e) {
  return (cfElement*)(void*)(size_t)e;
}

// place of a type among the children of a body, -1 for types outside the tree
int cfi_treeSlot(mjtObj type);
extern const mjtObj cfi_treeTypes[CF_TREE_KINDS];

// every element of a type in id order; refreshes the tree lists where needed
const cfList* cfi_list(cfSpec* spec, mjtObj type);
void cfi_refreshTree(cfSpec* spec);

// by type and name, NULL if there is none; constant time
cfElement* cfi_find(cfSpec* spec, mjtObj type, const char* name);

// default class of an element (never NULL), default class by name (or NULL)
cfElement* cfi_defaultOf(const cfElement* e);
cfElement* cfi_findDefault(cfSpec* spec, const char* classname);

// compiler settings and folder that hold for an element
static inline const mjsCompiler* cfi_compilerOf(const cfElement* e) {
  return e->scope->compiler;
}
static inline const char* cfi_modelDirOf(const cfElement* e) {
  return cfi_text(e->scope->modelfiledir);
}

// life of elements
cfElement* cfi_newElement(cfSpec* spec, mjtObj type);
cfElement* cfi_copyElement(cfSpec* spec, const cfElement* source);
void cfi_copyAttributes(cfElement* to, const cfElement* from);

// free an element; one that was attached by reference is parked in the specification it came from,
// whose owner may have pointers to it, and lives as long as that
void cfi_freeElement(cfElement* e);

// the same for one that a program deletes: it may have pointers to it, so it is parked in any case
void cfi_retireElement(cfElement* e);
void cfi_freeParked(cfSpec* spec);

// keep final attributes and numbers of an element, or forget them (NULL); the handles in `attr` are
// those of `source`, perhaps exchanged with each other
void cfi_keepAttributes(cfElement* e, const cfElement* source, const void* attr,
                        const double* number, int count);
void cfi_setElementName(cfElement* e, const char* name);
void cfi_renameReferences(cfElement* e, const char* prefix, const char* suffix, bool with_assets);

// link of an element to its plugin, NULL for kinds that have none; the instance it points to, or
// NULL; is that its own, which no name gives to others
mjsPlugin* cfi_pluginOf(const cfElement* e);
cfElement* cfi_instanceOf(const cfElement* e);
bool cfi_ownsInstance(const cfElement* e);

// no element of a specification points to an instance any more
void cfi_unlinkInstance(cfSpec* spec, const cfElement* instance);

// forget how C++ sees the configuration of an instance
void cfi_dropConfigView(cfElement* instance);

// is a named instance in use by an element of its specification
bool cfi_isInstanceUsed(cfSpec* spec, const char* name);

// activations of an actuator when it is compiled: those of its dynamics and of its model
int cfi_activationCount(const cfElement* e);

// put a new element at the end of its list or of a body
void cfi_addToSpec(cfSpec* spec, cfElement* e);
void cfi_addToBody(cfElement* body, cfElement* e);

// new element on a body, from the class given or that of the body
cfElement* cfi_addChild(mjsBody* parent, mjtObj type, const mjsDefault* def);

// default classes
cfElement* cfi_newDefault(cfSpec* spec, const char* name, cfElement* parent);
cfElement* cfi_defaultElement(const cfElement* def, mjtObj type);
void cfi_freeDefault(cfElement* def);
void cfi_retireDefault(cfElement* def);  // programs may have pointers to it and its parts

// lists
void cfi_pushElement(cfList* list, cfElement* e);
void cfi_removeElement(cfList* list, cfElement* e);
void cfi_freeList(cfList* list);

// a body and every element below it, each body before what hangs on it; to be freed
cfList cfi_listSubtree(cfElement* root);

// the signature changes with every element that comes or goes; compiling makes it that of the model
void cfi_changeSignature(cfSpec* spec);

// name index
void cfi_indexName(cfSpec* spec, cfElement* e);
void cfi_dropName(cfSpec* spec, cfElement* e);

// names as the last compilation listed them, which MuJoCo asks where a body is deleted: an element
// leaves that list before its name changes or when it is new; deleting and attaching list all again
void cfi_unlistName(cfElement* e);
void cfi_listNames(cfSpec* spec);
cfElement* cfi_findListed(cfSpec* spec, mjtObj type, const char* name);

// remember a message; mjs_getError returns it
void cfi_setError(cfSpec* spec, bool is_warning, const char* format, ...)
    __attribute__((format(printf, 3, 4)));

#endif  // CF_SPEC_SPEC_H
