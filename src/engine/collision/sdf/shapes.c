// Signed distance of primitive shapes and its gradient.  Inside a box the field is radial towards
// the center and turns to the face normals at the surface; ellipsoids have the usual first-order
// bound.
#include <math.h>

#include <mujoco/mujoco.h>

#include "collision/sdf/distance.h"
#include "math/inline.h"


// how far the point is beyond each face pair of a box; negative inside
static void beyondFaces(mjtNum res[3], const mjtNum x[3], const mjtNum size[3]) {
  for (int k = 0; k < 3; k++) {
    res[k] = fabs(x[k]) - size[k];
  }
}


static mjtNum largest(const mjtNum a[3]) {
  return cfi_max(a[0], cfi_max(a[1], a[2]));
}


// unit direction inside a box
static void radialDirection(mjtNum res[3], const mjtNum beyond[3], const mjtNum x[3],
                            const mjtNum size[3]) {
  cfi_set3(res, -size[0] / beyond[0], -size[1] / beyond[1], -size[2] / beyond[2]);
  cfi_normalize3(res);
  for (int k = 0; k < 3; k++) {
    res[k] = x[k] < 0 ? -res[k] : res[k];
  }
}


static mjtNum boxDistance(const mjtNum size[3], const mjtNum x[3]) {
  mjtNum beyond[3], dir[3], nearest = mjMAXVAL;
  beyondFaces(beyond, x, size);
  if (largest(beyond) >= 0) {
    cfi_set3(dir, cfi_max(beyond[0], 0), cfi_max(beyond[1], 0), cfi_max(beyond[2], 0));
    return cfi_norm3(dir);
  }
  radialDirection(dir, beyond, x, size);
  for (int k = 0; k < 3; k++) {
    const mjtNum t = -beyond[k] / fabs(dir[k]);
    nearest = k && nearest < t ? nearest : t;
  }
  return -nearest * cfi_norm3(dir);
}


static void boxGradient(const mjtNum size[3], const mjtNum x[3], mjtNum res[3]) {
  mjtNum beyond[3], outside[3];
  beyondFaces(beyond, x, size);
  if (largest(beyond) < 0) {
    radialDirection(res, beyond, x, size);
    return;
  }
  cfi_set3(outside, cfi_max(beyond[0], 0), cfi_max(beyond[1], 0), cfi_max(beyond[2], 0));
  const mjtNum length = cfi_norm3(outside);
  for (int k = 0; k < 3; k++) {
    res[k] = beyond[k] > 0 ? outside[k] / length * x[k] / fabs(x[k]) : 0;
  }
}


// offset from the capsule's axis segment
static void fromSegment(mjtNum res[3], const mjtNum x[3], mjtNum half) {
  cfi_set3(res, x[0], x[1], x[2] - cfi_clip(x[2], -half, half));
}


// x/size and x/size^2 with their lengths: distance is k0*(k0 - 1)/k1
typedef struct {
  mjtNum b[3], k0, k1;
} ellipsoidTerms;

static ellipsoidTerms ellipsoidAt(const mjtNum size[3], const mjtNum x[3]) {
  mjtNum a[3];
  ellipsoidTerms t;
  for (int k = 0; k < 3; k++) {
    a[k] = x[k] / size[k];
    t.b[k] = a[k] / size[k];
  }
  t.k0 = cfi_norm3(a);
  t.k1 = cfi_norm3(t.b);
  return t;
}


static void ellipsoidGradient(const mjtNum size[3], const mjtNum x[3], mjtNum res[3]) {
  const ellipsoidTerms t = ellipsoidAt(size, x);
  const mjtNum by_k0 = (2 * t.k0 - 1) * (1 / t.k1),
               by_k1 = t.k0 * (t.k0 - 1) * (1 / t.k1) * (1 / t.k1);
  for (int k = 0; k < 3; k++) {
    const mjtNum slope0 = t.b[k] * (1 / t.k0), slope1 = t.b[k] * (1 / t.k1) / (size[k] * size[k]);
    res[k] = slope0 * by_k0 - slope1 * by_k1;
  }
  cfi_normalize3(res);
}


static mjtNum cylinderDistance(const mjtNum size[3], const mjtNum x[3]) {
  const mjtNum side = sqrt(x[0] * x[0] + x[1] * x[1]) - size[0], end = fabs(x[2]) - size[1];
  const mjtNum a = cfi_max(side, 0), b = cfi_max(end, 0);
  return cfi_min(cfi_max(side, end), 0) + sqrt(a * a + b * b);
}


static void cylinderGradient(const mjtNum size[3], const mjtNum x[3], mjtNum res[3]) {
  const mjtNum tiny = 1. / mjMAXVAL, radius = sqrt(x[0] * x[0] + x[1] * x[1]), height = fabs(x[2]);
  const mjtNum side = radius - size[0], end = height - size[1];
  mjtNum by_side = side > end, by_end = !(side > end), length = 1;
  if (cfi_max(side, end) >= 0) {
    by_side = cfi_max(side, 0);
    by_end = cfi_max(end, 0);
    length = cfi_max(sqrt(by_side * by_side + by_end * by_end), tiny);
  }
  cfi_set3(res, x[0] / cfi_max(radius, tiny) * by_side / length,
           x[1] / cfi_max(radius, tiny) * by_side / length,
           x[2] / cfi_max(height, tiny) * by_end / length);
}


mjtNum cfi_shapeDistance(int type, const mjtNum size[3], const mjtNum x[3]) {
  mjtNum off[3];
  switch (type) {
    case mjGEOM_PLANE:
      return x[2];
    case mjGEOM_SPHERE:
      return cfi_norm3(x) - size[0];
    case mjGEOM_CAPSULE:
      fromSegment(off, x, size[1]);
      return cfi_norm3(off) - size[0];
    case mjGEOM_ELLIPSOID: {
      const ellipsoidTerms t = ellipsoidAt(size, x);
      return t.k0 * (t.k0 - 1) / t.k1;
    }
    case mjGEOM_CYLINDER:
      return cylinderDistance(size, x);
    case mjGEOM_BOX:
      return boxDistance(size, x);
    default:
      mju_error("signed distance: not available for geom type %d", type);
      return 0;
  }
}


void cfi_shapeGradient(int type, const mjtNum size[3], const mjtNum x[3], mjtNum res[3]) {
  switch (type) {
    case mjGEOM_PLANE:
      cfi_set3(res, 0, 0, 1);
      break;
    case mjGEOM_SPHERE:
      cfi_scl3(res, x, 1 / cfi_norm3(x));
      break;
    case mjGEOM_CAPSULE: {
      mjtNum off[3];
      fromSegment(off, x, size[1]);
      const mjtNum length = cfi_norm3(off);
      cfi_set3(res, off[0] / length, off[1] / length, off[2] / length);
      break;
    }
    case mjGEOM_ELLIPSOID:
      ellipsoidGradient(size, x, res);
      break;
    case mjGEOM_CYLINDER:
      cylinderGradient(size, x, res);
      break;
    case mjGEOM_BOX:
      boxGradient(size, x, res);
      break;
    default:
      mju_error("signed distance: no gradient for geom type %d", type);
      cfi_zero3(res);
  }
}
