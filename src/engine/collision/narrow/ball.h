// Two balls: the last step of every collider that reduces a pair to its nearest points.
#ifndef CF_COLLISION_NARROW_BALL_H
#define CF_COLLISION_NARROW_BALL_H

#include "collision/collider.h"
#include "math/inline.h"

// one contact midway between the surfaces on the line of centers, or none; pos of the views are the
// centers, size[0] the radii.  Concentric balls are pushed apart orthogonally to both z axes
static inline int cfi_touchBalls(mjContact* con, cfGeomView a, cfGeomView b, mjtNum margin) {
  const mjtNum ra = a.size[0], rb = b.size[0], reach = margin + ra + rb;
  mjtNum normal[3];
  cfi_sub3(normal, b.pos, a.pos);
  if (cfi_dot3(normal, normal) > reach * reach) {
    return 0;
  }

  const mjtNum distance = cfi_normalize3(normal);
  if (distance < mjMINVAL) {
    mjtNum za[3], zb[3];
    cfi_column3(za, a.mat, 2);
    cfi_column3(zb, b.mat, 2);
    cfi_cross(normal, za, zb);
    cfi_normalize3(normal);
  }

  con->dist = distance - ra - rb;
  cfi_addScl3(con->pos, a.pos, normal, ra + con->dist / 2);
  cfi_copy3(con->frame, normal);
  cfi_zero3(con->frame + 3);
  return 1;
}

#endif  // CF_COLLISION_NARROW_BALL_H
