// Geometry of primitive shapes.
#include "math/shape.h"

#include <math.h>

#include "math/scalar.h"
#include "math/vec3.h"

void cfi_geomSemiAxes(mjtNum semiaxes[3], const mjtNum size[3], int type) {
  const mjtNum r = size[0];
  if (type == mjGEOM_SPHERE || type == mjGEOM_CAPSULE || type == mjGEOM_CYLINDER) {
    const mjtNum height[] = {r, size[1] + r, size[1]};
    const int which = type == mjGEOM_SPHERE ? 0 : (type == mjGEOM_CAPSULE ? 1 : 2);
    cfi_set3(semiaxes, r, r, height[which]);
  } else {
    cfi_copy3(semiaxes, size);
  }
}


// |p| < size in every direction, times the factor
static int withinBox(const mjtNum p[3], const mjtNum size[3]) {
  return fabs(p[0]) < size[0] && fabs(p[1]) < size[1] && fabs(p[2]) < size[2];
}


int cfi_insideGeom(const mjtNum pos[3], const mjtNum mat[9], const mjtNum size[3], int type,
                   const mjtNum point[3]) {
  mjtNum offset[3], p[3];
  cfi_sub3(offset, point, pos);
  cfi_mulMatTVec3(p, mat, offset);
  const mjtNum around = p[0] * p[0] + p[1] * p[1], radius2 = size[0] * size[0];
  switch (type) {
    case mjGEOM_PLANE:
      return p[2] < 0;
    case mjGEOM_SPHERE:
      return cfi_dot3(offset, offset) < radius2;
    case mjGEOM_CYLINDER:
      return around < radius2 && fabs(p[2]) < size[1];
    case mjGEOM_CAPSULE:
      return around + cfi_square(p[2] - cfi_clip(p[2], -size[1], size[1])) < radius2;
    case mjGEOM_BOX:
      return withinBox(p, size);
    case mjGEOM_ELLIPSOID: {
      const mjtNum x = p[0] * p[0] / radius2, y = p[1] * p[1] / (size[1] * size[1]);
      return x + y + p[2] * p[2] / (size[2] * size[2]) < 1;
    }
    default:
      return 0;
  }
}
