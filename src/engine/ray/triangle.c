// Rays against single triangles: project along the ray, test in two dimensions, then intersect the
// plane.
#include <math.h>

#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "ray/local.h"


cfRayPlane cfi_rayPlane(const mjtNum dir[3]) {
  // start from ones everywhere but along the largest component, make it normal to the ray
  const mjtNum x = fabs(dir[0]), y = fabs(dir[1]), z = fabs(dir[2]);
  const int largest = x >= y && x >= z ? 0 : (y >= z ? 1 : 2);
  mjtNum start[3] = {1, 1, 1};
  start[largest] = 0;
  cfRayPlane plane;
  cfi_addScl3(plane.v, start, dir, -cfi_dot3(dir, start) / cfi_dot3(dir, dir));
  cfi_normalize3(plane.v);
  cfi_cross(plane.u, plane.v, dir);
  cfi_normalize3(plane.u);
  return plane;
}


static bool onOneSide(mjtNum a, mjtNum b, mjtNum c) {
  return (a > 0 && b > 0 && c > 0) || (a < 0 && b < 0 && c < 0);
}


// is the ray's foot point inside the triangle's shadow on the plane?
static bool shadowHoldsOrigin(const mjtNum p[3][2]) {
  if (onOneSide(p[0][0], p[1][0], p[2][0]) || onOneSide(p[0][1], p[1][1], p[2][1])) {
    return false;
  }
  // barycentric coordinates s, t of the origin with respect to corner 2
  const mjtNum ax = p[0][0] - p[2][0], bx = p[1][0] - p[2][0];
  const mjtNum ay = p[0][1] - p[2][1], by = p[1][1] - p[2][1];
  const mjtNum det = ax * by - bx * ay;
  if (fabs(det) < mjMINVAL) {
    return false;
  }
  const mjtNum s = (bx * p[2][1] - by * p[2][0]) / det;
  const mjtNum t = (ay * p[2][0] - ax * p[2][1]) / det;
  return s >= 0 && t >= 0 && s + t <= 1;
}


mjtNum cfi_rayTriangle(const cfLocalRay* ray, const cfRayPlane* plane, const mjtNum v0[3],
                       const mjtNum v1[3], const mjtNum v2[3], mjtNum* normal) {
  CF_ASSERT(plane && v0 && v1 && v2);
  const mjtNum* corner[3] = {v0, v1, v2};
  mjtNum shadow[3][2];
  for (int k = 0; k < 3; k++) {
    cfi_castShadow(shadow[k], plane, ray, corner[k]);
  }
  if (!shadowHoldsOrigin((const mjtNum(*)[2])shadow)) {
    return -1;
  }

  mjtNum edge0[3], edge1[3], up[3], from[3];
  cfi_sub3(edge0, v0, v2);
  cfi_sub3(edge1, v1, v2);
  cfi_sub3(from, ray->origin, v2);
  cfi_cross(up, edge0, edge1);
  const mjtNum slope = cfi_dot3(ray->dir, up);
  if (fabs(slope) < mjMINVAL) {
    return -1;
  }
  const mjtNum x = -cfi_dot3(from, up) / slope;
  if (normal) {
    cfi_normalize3(up);
    cfi_copy3(normal, up);
  }
  return x;
}
