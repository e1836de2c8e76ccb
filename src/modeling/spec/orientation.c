// Orientations given by other means than a quaternion.
#include "spec/orientation.h"

#include <math.h>
#include <string.h>

#include "base/assert.h"
#include "math/inline.h"
#include "math/libm.h"

double cfi_unit(double* vec, int n) {
  CF_ASSERT(n > 0);
  double square = 0;
  for (int i = 0; i < n; i++) {
    square += vec[i] * vec[i];
  }
  if (square < CF_EPS) {
    return 0;
  }
  const double length = sqrt(square);
  for (int i = 0; i < n && fabs(length - 1) > CF_EPS; i++) {
    vec[i] /= length;
  }
  return length;
}


void cfi_chainTurns(double res[4], const double a[4], const double b[4]) {
  cfi_mulQuat(res, a, b);
  cfi_unit(res, 4);
}


void cfi_quatFromZ(double quat[4], const double direction[3]) {
  // axis = z x direction, angle from its length and the z component; the product in full, for the
  // signs of zeros
  static const double up[3] = {0, 0, 1};
  double axis[3];
  cfi_cross(axis, up, direction);
  const double sine = cfi_unit(axis, 3);
  if (sine < 1e-10) {
    cfi_set3(axis, 1, 0, 0);
  }
  const double half = cfi_atan2(sine, direction[2]) / 2;
  quat[0] = cfi_cos(half);
  for (int k = 0; k < 3; k++) {
    quat[1 + k] = axis[k] * cfi_sin(half);
  }
}


void cfi_quatFromAxes(double quat[4], const double x[3], const double y[3], const double z[3]) {
  double mat[9];
  for (int row = 0; row < 3; row++) {
    cfi_set3(mat + 3 * row, x[row], y[row], z[row]);
  }
  cfi_quatOfMat(quat, mat);
  cfi_unit(quat, 4);
}


static double radians(double angle, mjtByte degree) {
  return degree ? angle / 180.0 * mjPI : angle;
}


static const char* resolveAxisAngle(double quat[4], const double given[4], mjtByte degree) {
  double axis[3] = {given[0], given[1], given[2]};
  if (cfi_unit(axis, 3) < CF_EPS) {
    return "axisangle too small";
  }
  const double half = radians(given[3], degree) / 2;
  quat[0] = cfi_cos(half);
  for (int k = 0; k < 3; k++) {
    quat[1 + k] = cfi_sin(half) * axis[k];
  }
  return NULL;
}


static const char* resolveAxes(double quat[4], const double given[6]) {
  double x[3], y[3], z[3];
  memcpy(x, given, sizeof(x));
  memcpy(y, given + 3, sizeof(y));
  if (cfi_unit(x, 3) < CF_EPS) {
    return "xaxis too small";
  }

  // only the part of y across x counts
  cfi_addToScl3(y, x, -cfi_dot3(x, y));
  if (cfi_unit(y, 3) < CF_EPS) {
    return "yaxis too small";
  }
  cfi_cross(z, x, y);
  if (cfi_unit(z, 3) < CF_EPS) {
    return "cross(xaxis, yaxis) too small";
  }
  cfi_quatFromAxes(quat, x, y, z);
  return NULL;
}


static const char* resolveZAxis(double quat[4], const double given[3]) {
  double z[3] = {given[0], given[1], given[2]};
  if (cfi_unit(z, 3) < CF_EPS) {
    return "zaxis too small";
  }
  cfi_quatFromZ(quat, z);
  return NULL;
}


// lower case: axes move with the body; upper case: axes stay fixed
static const char* resolveEuler(double quat[4], const double given[3], mjtByte degree,
                                const char* sequence) {
  static const char letters[] = "xyzXYZ";
  cfi_unitQuat(quat);
  for (int i = 0; i < 3; i++) {
    const char* letter = memchr(letters, sequence[i], 6);
    if (!letter) {
      return "euler sequence can only contain x, y, z, X, Y, Z";
    }
    int place = (int)(letter - letters);
    double half = radians(given[i], degree) / 2;
    double step[4] = {cfi_cos(half), 0, 0, 0};
    step[1 + place % 3] = cfi_sin(half);
    cfi_chainTurns(quat, place < 3 ? quat : step, place < 3 ? step : quat);
  }
  cfi_unit(quat, 4);
  return NULL;
}


const char* mjs_resolveOrientation(double quat[4], mjtByte degree, const char* sequence,
                                   const mjsOrientation* orientation) {
  switch (orientation->type) {
    case mjORIENTATION_AXISANGLE:
      return resolveAxisAngle(quat, orientation->axisangle, degree);
    case mjORIENTATION_XYAXES:
      return resolveAxes(quat, orientation->xyaxes);
    case mjORIENTATION_ZAXIS:
      return resolveZAxis(quat, orientation->zaxis);
    case mjORIENTATION_EULER:
      return resolveEuler(quat, orientation->euler, degree, sequence);
    default:
      return NULL;
  }
}
