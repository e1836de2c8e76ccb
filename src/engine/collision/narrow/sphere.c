// A sphere against sphere, capsule, cylinder and box.
#include "collision/collider.h"

#include <math.h>
#include <stdbool.h>

#include "collision/narrow/ball.h"
#include "math/inline.h"

int cfi_sphereSphere(mjContact con[1], cfGeomView a, cfGeomView b, mjtNum margin) {
  return cfi_touchBalls(con, a, b, margin);
}


// the nearest point of the capsule's segment carries a ball of the capsule's radius
int cfi_sphereCapsule(mjContact con[1], cfGeomView sphere, cfGeomView capsule, mjtNum margin) {
  const mjtNum half = capsule.size[1];
  mjtNum axis[3], offset[3], nearest[3];
  cfi_column3(axis, capsule.mat, 2);
  cfi_sub3(offset, sphere.pos, capsule.pos);
  cfi_addScl3(nearest, capsule.pos, axis, cfi_clip(cfi_dot3(axis, offset), -half, half));
  return cfi_touchBalls(con, sphere, (cfGeomView){nearest, capsule.mat, capsule.size}, margin);
}


// sphere against a disk seen as a plane through `cap` with outward normal `up`
static int sphereCap(mjContact* con, cfGeomView sphere, const mjtNum cap[3], const mjtNum up[3],
                     mjtNum margin) {
  const mjtNum radius = sphere.size[0];
  mjtNum offset[3];
  cfi_sub3(offset, sphere.pos, cap);
  const mjtNum height = cfi_dot3(offset, up);
  if (height > margin + radius) {
    return 0;
  }

  // the normal goes from the sphere into the cylinder
  con->dist = height - radius;
  cfi_addScl3(con->pos, sphere.pos, up, -con->dist / 2 - radius);
  cfi_scl3(con->frame, up, -1);
  cfi_zero3(con->frame + 3);
  return 1;
}


// the sphere's center is over a cap, beside the mantle, or beyond the rim; inside, the nearer
// surface wins
int cfi_sphereCylinder(mjContact con[1], cfGeomView sphere, cfGeomView cylinder, mjtNum margin) {
  const mjtNum radius = cylinder.size[0], half = cylinder.size[1];
  mjtNum axis[3], offset[3], radial[3];
  cfi_column3(axis, cylinder.mat, 2);
  cfi_sub3(offset, sphere.pos, cylinder.pos);

  // axial coordinate, radial vector from the axis
  const mjtNum along = cfi_dot3(axis, offset);
  cfi_addScl3(radial, offset, axis, -along);
  const mjtNum radial_sqr = cfi_dot3(radial, radial);
  bool beside = fabs(along) < half;
  bool over = radial_sqr < radius * radius;
  if (beside && over) {
    over = half - fabs(along) < radius - sqrt(radial_sqr);
    beside = !over;
  }

  mjtNum point[3];
  if (beside) {
    cfi_addScl3(point, cylinder.pos, axis, along);
    return cfi_touchBalls(con, sphere, (cfGeomView){point, cylinder.mat, cylinder.size}, margin);
  }

  const mjtNum end = along > 0 ? 1 : -1;
  if (over) {
    cfi_addScl3(point, cylinder.pos, axis, end * half);
    cfi_scl3(axis, axis, end);
    return sphereCap(con, sphere, point, axis, margin);
  }

  // nearest rim point as a ball without radius
  const mjtNum no_size[3] = {0, 0, 0};
  cfi_scl3(point, axis, end * half);
  if (radial_sqr > 0) {
    cfi_addToScl3(point, radial, radius / sqrt(radial_sqr));
  }
  cfi_addTo3(point, cylinder.pos);
  return cfi_touchBalls(con, sphere, (cfGeomView){point, cylinder.mat, no_size}, margin);
}


// center inside the box, in box coordinates: leave through the nearest face (-x, +x, -y, ... on
// ties). returns the depth below that face; normal and contact point are in box coordinates too
static mjtNum leaveBox(mjtNum normal[3], mjtNum point[3], const mjtNum center[3],
                       const mjtNum size[3], mjtNum radius) {
  mjtNum depth = 2 * (size[0] + size[1] + size[2]);
  int axis = 0, inward = 1;
  for (int face = 0; face < 6; face++) {
    const int side = face & 1 ? 1 : -1;
    const mjtNum gap = fabs(side * size[face >> 1] - center[face >> 1]);
    if (gap < depth) {
      depth = gap;
      axis = face >> 1;
      inward = -side;
    }
  }

  cfi_zero3(normal);
  normal[axis] = inward;
  cfi_addScl3(point, center, normal, (radius - depth) / 2);
  return depth;
}


int cfi_sphereBox(mjContact con[1], cfGeomView sphere, cfGeomView box, mjtNum margin) {
  const mjtNum radius = sphere.size[0];
  mjtNum center[3], nearest[3], normal[3], point[3], offset[3];
  cfi_sub3(offset, sphere.pos, box.pos);
  cfi_mulMatTVec3(center, box.mat, offset);

  // nearest point of the box; an axis without size is not limited
  for (int k = 0; k < 3; k++) {
    const mjtNum limit = box.size[k];
    nearest[k] = limit > 0 ? cfi_clip(center[k], -limit, limit) : center[k];
  }
  cfi_sub3(normal, nearest, center);
  mjtNum distance = cfi_normalize3(normal);
  if (distance - radius > margin) {
    return 0;
  }

  if (distance <= mjMINVAL) {
    distance = -leaveBox(normal, point, center, box.size, radius);
  } else {
    // midway between the box's nearest point and the sphere's deepest one
    for (int k = 0; k < 3; k++) {
      point[k] = 0.5 * nearest[k] + 0.5 * (center[k] + normal[k] * radius);
    }
  }

  con->dist = distance - radius;
  cfi_mulMatVec3(con->frame, box.mat, normal);
  cfi_zero3(con->frame + 3);
  cfi_mulMatVec3(offset, box.mat, point);
  cfi_add3(con->pos, offset, box.pos);
  return 1;
}


CF_TABLE_ENTRY(cfi_collideSphereSphere, cfi_sphereSphere)
CF_TABLE_ENTRY(cfi_collideSphereCapsule, cfi_sphereCapsule)
CF_TABLE_ENTRY(cfi_collideSphereCylinder, cfi_sphereCylinder)
CF_TABLE_ENTRY(cfi_collideSphereBox, cfi_sphereBox)
