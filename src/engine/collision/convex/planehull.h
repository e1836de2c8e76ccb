// Where a plane meets the hull of a mesh.
#ifndef CF_COLLISION_CONVEX_PLANEHULL_H
#define CF_COLLISION_CONVEX_PLANEHULL_H

#include "collision/convex/shape.h"

enum { CF_PLANE_TOUCHES = 3 };

// a vertex below the margin: its height above the plane, and the point midway between them
typedef struct {
  mjtNum pos[3], dist;
} cfPlaneTouch;

// choose the farthest vertex along a direction in the frame of the mesh, as libccd does: a walk
// over a hull compares its start too
void cfi_chooseVertex(cfConvex* s, const mjtNum dir[3]);

// the deepest vertex of a mesh, then up to two more: neighbors on the hull, or any where there is
// no hull.  Returns how many
int cfi_planeHull(cfPlaneTouch touch[CF_PLANE_TOUCHES], cfConvex* s, const mjtNum origin[3],
                  const mjtNum normal[3], mjtNum margin);

#endif  // CF_COLLISION_CONVEX_PLANEHULL_H
