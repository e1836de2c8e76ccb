// What support functions share.
#ifndef CF_COLLISION_CONVEX_SUPPORT_H
#define CF_COLLISION_CONVEX_SUPPORT_H

#include "collision/convex/shape.h"
#include "collision/convex/vec.h"
#include "math/inline.h"

// from the frame of the shape to the world
static inline void cfi_putPoint(const cfConvex* s, mjtNum x, mjtNum y, mjtNum z, mjtNum res[3]) {
  const mjtNum *R = s->mat, *p = s->pos;
  cfi_set3(res, R[0] * x + R[1] * y + R[2] * z + p[0], R[3] * x + R[4] * y + R[5] * z + p[1],
           R[6] * x + R[7] * y + R[8] * z + p[2]);
}


// direction in the frame of the shape
static inline cfVec3 cfi_turnBack(const cfConvex* s, const mjtNum dir[3]) {
  const mjtNum *R = s->mat, x = dir[0], y = dir[1], z = dir[2];
  return (cfVec3){R[0] * x + R[3] * y + R[6] * z, R[1] * x + R[4] * y + R[7] * z,
                  R[2] * x + R[5] * y + R[8] * z};
}


// hull.c: farthest vertex of a mesh, by looking at all of them or by a walk over its hull
void cfi_supportMesh(cfConvex* shape, const mjtNum dir[3], mjtNum res[3]);
void cfi_supportHull(cfConvex* shape, const mjtNum dir[3], mjtNum res[3]);

#endif  // CF_COLLISION_CONVEX_SUPPORT_H
