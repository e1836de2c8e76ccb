// The legacy convex collider: MPR from libccd, used when nativeccd is disabled.
#ifndef CF_COLLISION_CONVEX_MPR_H
#define CF_COLLISION_CONVEX_MPR_H

#include "collision/convex/shape.h"

// support function with libccd's conventions: the sign of zero is zero, and a walk over a hull
// compares its start too
void cfi_mprSupport(cfConvex* s, const mjtNum dir[3], mjtNum res[3]);

// one contact of two geoms; returns how many were found
int cfi_mprContact(const mjModel* m, cfConvex* a, cfConvex* b, mjContact* con, mjtNum margin);

// depth, direction and point of a prism and a geom; false if they are apart
bool cfi_mprPrism(const mjModel* m, cfConvex* prism, cfConvex* b, mjtNum* depth, mjtNum dir[3],
                  mjtNum pos[3]);

// smooth shapes know their normal at a point better than MPR does
void cfi_fixNormal(mjContact* con, const cfConvex* a, const cfConvex* b);

#endif  // CF_COLLISION_CONVEX_MPR_H
