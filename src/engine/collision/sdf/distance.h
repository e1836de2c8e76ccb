// Signed distance of points to geoms: closed forms of primitives, octrees of meshes, plugins.
#ifndef CF_COLLISION_SDF_DISTANCE_H
#define CF_COLLISION_SDF_DISTANCE_H

#include <stdbool.h>

#include <mujoco/mjdata.h>
#include <mujoco/mjmodel.h>
#include <mujoco/mjplugin.h>

// can the distance to this geom be evaluated?  meshes need an octree
bool cfi_hasSignedDistance(const mjModel* m, int geom);

// distance of a point in the geom's frame to its surface, negative inside
mjtNum cfi_geomSignedDistance(const mjModel* m, const mjData* d, int geom, const mjtNum local[3]);

// gradient of that distance in the geom's frame
void cfi_geomDistanceGradient(const mjModel* m, const mjData* d, int geom, const mjtNum local[3],
                              mjtNum res[3]);

// a single field: a primitive (id: geom), a mesh (id: mesh, or geom in collisions), an SDF (id:
// mesh or plugin instance)
typedef struct {
  const mjModel* m;
  const mjData* d;
  const mjpPlugin* plugin;  // NULL where there is none
  int type, id;
} cfField;

mjtNum cfi_fieldDistance(const cfField* f, const mjtNum x[3]);
void cfi_fieldGradient(const cfField* f, const mjtNum x[3], mjtNum res[3]);

// two fields at a point, and their combination
typedef struct {
  mjtNum combined, a, b;
} cfPairValue;

// as mjc_distance and mjc_gradient, the gradient (of intersection or collision) at a point where
// the distance is known
cfPairValue cfi_pairDistance(const mjModel* m, const mjData* d, const mjSDF* s, const mjtNum x[3]);
void cfi_pairGradient(const mjModel* m, const mjData* d, const mjSDF* s, cfPairValue at,
                      mjtNum gradient[3], const mjtNum x[3]);

// shapes.c: primitives
mjtNum cfi_shapeDistance(int type, const mjtNum size[3], const mjtNum x[3]);
void cfi_shapeGradient(int type, const mjtNum size[3], const mjtNum x[3], mjtNum res[3]);

// octree.c: distances stored at the corners of the leaves, interpolated inside
mjtNum cfi_octreeDistance(const mjModel* m, int mesh, const mjtNum x[3]);
void cfi_octreeGradient(const mjModel* m, int mesh, const mjtNum x[3], mjtNum res[3]);

#endif  // CF_COLLISION_SDF_DISTANCE_H
