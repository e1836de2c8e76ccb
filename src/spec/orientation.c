// Orientations given by other means than a quaternion, and conversions of frames.
#include "spec/spec.h"

#include <math.h>
#include <string.h>

// shorter vectors have no direction
static const double eps = 1e-14;

// divide by the length unless it is 1 already, return the length, 0 if it is tiny
static double normalize(double* v, int n) {
  double square = 0;
  for (int i = 0; i < n; i++) {
    square += v[i] * v[i];
  }
  if (square < eps) {
    return 0;
  }
  double length = sqrt(square);
  for (int i = 0; i < n && fabs(length - 1) > eps; i++) {
    v[i] /= length;
  }
  return length;
}

static double radians(double angle, mjtByte degree) {
  return degree ? angle / 180.0 * mjPI : angle;
}

static const char* quatOfAxisAngle(double quat[4], mjtByte degree, const double given[4]) {
  double axis[3] = {given[0], given[1], given[2]};
  double angle = radians(given[3], degree);
  if (normalize(axis, 3) < eps) {
    return "axisangle too small";
  }
  quat[0] = cos(angle / 2);
  for (int i = 0; i < 3; i++) {
    quat[1 + i] = sin(angle / 2) * axis[i];
  }
  return NULL;
}

static const char* quatOfAxes(double quat[4], const double given[6]) {
  double x[3] = {given[0], given[1], given[2]}, y[3] = {given[3], given[4], given[5]}, z[3];
  if (normalize(x, 3) < eps) {
    return "xaxis too small";
  }
  double overlap = x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
  for (int i = 0; i < 3; i++) {
    y[i] -= x[i] * overlap;
  }
  if (normalize(y, 3) < eps) {
    return "yaxis too small";
  }
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    z[i] = x[j] * y[k] - x[k] * y[j];
  }
  if (normalize(z, 3) < eps) {
    return "cross(xaxis, yaxis) too small";
  }
  const double mat[9] = {x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2]};
  mju_mat2Quat(quat, mat);
  return NULL;
}

// smallest rotation that takes the z axis to the given one
static const char* fromZAxis(double quat[4], const double given[3]) {
  double axis[3] = {given[0], given[1], given[2]};
  if (normalize(axis, 3) < eps) {
    return "zaxis too small";
  }
  double turn[3] = {-axis[1], axis[0], 0};
  double sine = normalize(turn, 3);
  if (sine < 1e-10) {
    turn[0] = 1;
    turn[1] = turn[2] = 0;
  }
  double half = atan2(sine, axis[2]) / 2;
  quat[0] = cos(half);
  for (int i = 0; i < 3; i++) {
    quat[1 + i] = turn[i] * sin(half);
  }
  return NULL;
}

static const char* quatOfEuler(double quat[4], mjtByte degree, const char* sequence,
                               const double given[3]) {
  double total[4] = {1, 0, 0, 0};
  for (int i = 0; i < 3; i++) {
    const char* fixed = memchr("XYZ", sequence[i], 3);
    const char* moving = memchr("xyz", sequence[i], 3);
    if (!fixed && !moving) {
      return "euler sequence can only contain x, y, z, X, Y, Z";
    }
    double angle = radians(given[i], degree);
    double turn[4] = {cos(angle / 2), 0, 0, 0}, product[4];
    const char axis = (char)(moving ? sequence[i] : sequence[i] - 'X' + 'x');
    turn[1 + (axis - 'x')] = sin(angle / 2);

    // moving axes multiply from the right, fixed axes from the left
    mju_mulQuat(product, moving ? total : turn, moving ? turn : total);
    memcpy(total, product, sizeof(total));
  }
  memcpy(quat, total, sizeof(total));
  normalize(quat, 4);
  return NULL;
}

const char* mjs_resolveOrientation(double quat[4], mjtByte degree, const char* sequence,
                                   const mjsOrientation* orientation) {
  switch (orientation->type) {
    case mjORIENTATION_AXISANGLE:
      return quatOfAxisAngle(quat, degree, orientation->axisangle);
    case mjORIENTATION_XYAXES:
      return quatOfAxes(quat, orientation->xyaxes);
    case mjORIENTATION_ZAXIS:
      return fromZAxis(quat, orientation->zaxis);
    case mjORIENTATION_EULER:
      return quatOfEuler(quat, degree, sequence, orientation->euler);
    default:
      return NULL;
  }
}
