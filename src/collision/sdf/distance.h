// Signed distance of points to geoms: closed forms of primitives, octrees of meshes, plugins.
#ifndef CF_COLLISION_SDF_DISTANCE_H
#define CF_COLLISION_SDF_DISTANCE_H

#include <stdbool.h>

#include <mujoco/mjdata.h>
#include <mujoco/mjmodel.h>

// can the distance to this geom be evaluated?  meshes need an octree, SDF geoms a plugin
bool cfi_hasSignedDistance(const mjModel* m, int geom);

// distance of a point in the geom's frame to its surface, negative inside
mjtNum cfi_geomSignedDistance(const mjModel* m, const mjData* d, int geom, const mjtNum local[3]);

// gradient of that distance in the geom's frame
void cfi_geomDistanceGradient(const mjModel* m, const mjData* d, int geom, const mjtNum local[3], mjtNum res[3]);

#endif  // CF_COLLISION_SDF_DISTANCE_H
