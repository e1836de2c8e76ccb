// What the functions that fill a scene share.
#ifndef CF_VIS_PAINTER_H
#define CF_VIS_PAINTER_H

#include <stdbool.h>

#include <mujoco/mujoco.h>

// a scene being filled from a model and its state
typedef struct {
  const mjModel* m;
  mjData* d;
  const mjvOption* opt;
  const mjvPerturb* pert;
  mjvScene* scn;
  int mask;     // categories that are wanted (mjtCatBit)
  mjtNum unit;  // decoration is sized in multiples of this: the mean size of bodies
} cfPainter;

// what a scene geom stands for
typedef struct {
  int category, type, id;  // mjtCatBit, mjtObj, index
} cfPaintTag;

// decoration that belongs to an object, or to none
static inline cfPaintTag cfi_decor(int type, int id) {
  return (cfPaintTag){mjCAT_DECOR, type, id};
}

// Append a geom. NULL when the scene is full, otherwise the geom, which may still be changed; a
// NULL color leaves gray.
mjvGeom* cfi_paintShape(cfPainter* p, cfPaintTag tag, int shape, const mjtNum size[3],
                        const mjtNum pos[3], const mjtNum mat[9], const float rgba[4]);
mjvGeom* cfi_paintLink(cfPainter* p, cfPaintTag tag, int shape, mjtNum width, const mjtNum from[3],
                       const mjtNum to[3], const float rgba[4]);
void cfi_paintTriangle(cfPainter* p, cfPaintTag tag, const mjtNum corner[3][3],
                       const float rgba[4]);

// three cylinders along the axes of a frame; `scale` multiplies the usual size
void cfi_paintAxes(cfPainter* p, int id, const mjtNum pos[3], const mjtNum mat[9], mjtNum scale);

// take back the last geom
void cfi_discardGeom(cfPainter* p);

// color and surface of a material (-1: none), with the object's own color where it is not the
// default
void cfi_setMaterial(const cfPainter* p, mjvGeom* geom, int material, const float rgba[4]);

// pseudo-random color of an island, named by one of its dofs, -1 for gray; darker when asleep
void cfi_islandColor(float rgba[4], int dof, bool is_awake);

// mixture of a color with that of constraints, `share` from 0 to 1; opacity stays
void cfi_mixConstraint(const cfPainter* p, float rgba[4], const float color[4], mjtNum share);

// impedance of the active limit row of a joint or tendon, 0 if its limit is not active
mjtNum cfi_limitImpedance(const mjData* d, int row_type, int id);

// write the object's name, or its kind and number, if labels of `mode` are wanted
void cfi_labelGeom(const cfPainter* p, mjvGeom* geom, int mode, int type, int id);

// static or dynamic
int cfi_bodyCategory(const mjModel* m, int body);

static inline bool cfi_wantsBody(const cfPainter* p, int body) {
  return cfi_bodyCategory(p->m, body) & p->mask;
}

static inline bool cfi_wantsGroup(const mjtByte shown[mjNGROUP], int group) {
  return shown[group < 0 ? 0 : group >= mjNGROUP ? mjNGROUP - 1 : group];
}

static inline bool cfi_wants(const cfPainter* p, int flag) {
  return p->opt->flags[flag];
}

// parts of a scene, in the order in which they are painted
void cfi_paintFlexes(cfPainter* p);
void cfi_paintSkins(cfPainter* p);
void cfi_paintGeoms(cfPainter* p);
void cfi_paintSites(cfPainter* p);
void cfi_paintTendons(cfPainter* p);
void cfi_paintSliderCranks(cfPainter* p);
void cfi_paintGeomFrames(cfPainter* p);
void cfi_paintSiteFrames(cfPainter* p);
void cfi_paintBodyVolumes(cfPainter* p);
void cfi_paintFlexVolumes(cfPainter* p);
void cfi_paintMeshVolumes(cfPainter* p);
void cfi_paintOctrees(cfPainter* p);
void cfi_paintTactile(cfPainter* p);
void cfi_paintInertia(cfPainter* p);
void cfi_paintPerturb(cfPainter* p);
void cfi_paintBodyFrames(cfPainter* p);
void cfi_paintSelectedPoint(cfPainter* p);
void cfi_paintBodyLabels(cfPainter* p);
void cfi_paintJoints(cfPainter* p);
void cfi_paintActuators(cfPainter* p);
void cfi_paintIslandLabels(cfPainter* p);
void cfi_paintCameras(cfPainter* p);
void cfi_paintLights(cfPainter* p);
void cfi_paintCenters(cfPainter* p);
void cfi_paintSkeleton(cfPainter* p);
void cfi_paintRays(cfPainter* p);
void cfi_paintAppliedForces(cfPainter* p);
void cfi_paintEqualities(cfPainter* p);
void cfi_paintContacts(cfPainter* p);

// vertices, faces and normals of flexes
void cfi_updateFlexes(const mjModel* m, mjData* d, mjvScene* scn, const mjvOption* opt);

// points of a rope of given length that hangs between two points; at most `max`, returns how many
int cfi_hangingRope(mjtNum* point, int max, const mjtNum from[3], const mjtNum to[3],
                    const mjtNum gravity[3], mjtNum length);

#endif  // CF_VIS_PAINTER_H
