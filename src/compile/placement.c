// Poses of the compiler: accumulation, alternative orientations, comparison.
#include "compile/placement.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "base/assert.h"
#include "math/inline.h"

double cfi_unit(double* vec, int n) {
  CF_ASSERT(n > 0);
  double square = 0;
  for (int i = 0; i < n; i++) {
    square += vec[i] * vec[i];
  }
  if (square < CF_EPS) {
    return 0;
  }
  double length = sqrt(square);
  for (int i = 0; i < n && fabs(length - 1) > CF_EPS; i++) {
    vec[i] /= length;
  }
  return length;
}


void cfi_chainTurns(double res[4], const double a[4], const double b[4]) {
  cfi_mulQuat(res, a, b);
  cfi_unit(res, 4);
}


void cfi_appendPose(double pos[3], double quat[4], const double child_pos[3],
                    const double child_quat[4]) {
  double mat[9], moved[3];
  cfi_quat2Mat(mat, quat);
  cfi_mulMatVec3(moved, mat, child_pos);
  cfi_addTo3(pos, moved);
  cfi_chainTurns(quat, quat, child_quat);
}


void cfi_intoParent(double child_pos[3], double child_quat[4], const double pos[3],
                    const double quat[4]) {
  double p[3], q[4];
  memcpy(p, pos, sizeof(p));
  memcpy(q, quat, sizeof(q));
  cfi_appendPose(p, q, child_pos, child_quat);
  memcpy(child_pos, p, sizeof(p));
  memcpy(child_quat, q, sizeof(q));
}


void cfi_invertPose(double pos[3], double quat[4], const double of_pos[3],
                    const double of_quat[4]) {
  double mat[9], local[3];
  cfi_negQuat(quat, of_quat);
  cfi_quat2Mat(mat, quat);
  cfi_mulMatVec3(local, mat, of_pos);
  for (int k = 0; k < 3; k++) {
    pos[k] = -local[k];
  }
}


void cfi_quatFromZ(double quat[4], const double direction[3]) {
  // axis = z x direction, angle from its length and the z component
  double axis[3] = {-direction[1], direction[0], 0};
  double sine = cfi_unit(axis, 3);
  if (sine < 1e-10) {
    axis[0] = 1;
    axis[1] = 0;
  }
  double half = atan2(sine, direction[2]) / 2;
  quat[0] = cos(half);
  for (int k = 0; k < 3; k++) {
    quat[1 + k] = axis[k] * sin(half);
  }
}


void cfi_quatFromAxes(double quat[4], const double x[3], const double y[3], const double z[3]) {
  double mat[9];
  for (int row = 0; row < 3; row++) {
    cfi_set3(mat + 3 * row, x[row], y[row], z[row]);
  }
  cfi_mat2Quat(quat, mat);
  cfi_unit(quat, 4);
}


static double toRadians(double angle, const mjsCompiler* compiler) {
  return compiler->degree ? angle / 180.0 * mjPI : angle;
}


static const char* fromAxisAngle(double quat[4], const mjsOrientation* alt,
                                 const mjsCompiler* compiler) {
  double axis[3] = {alt->axisangle[0], alt->axisangle[1], alt->axisangle[2]};
  if (cfi_unit(axis, 3) < CF_EPS) {
    return "axisangle too small";
  }
  double half = toRadians(alt->axisangle[3], compiler) / 2;
  quat[0] = cos(half);
  for (int k = 0; k < 3; k++) {
    quat[1 + k] = sin(half) * axis[k];
  }
  return NULL;
}


static const char* fromAxes(double quat[4], const mjsOrientation* alt) {
  double x[3], y[3], z[3];
  memcpy(x, alt->xyaxes, sizeof(x));
  memcpy(y, alt->xyaxes + 3, sizeof(y));
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


static const char* fromEuler(double quat[4], const mjsOrientation* alt,
                             const mjsCompiler* compiler) {
  cfi_unitQuat(quat);
  for (int i = 0; i < 3; i++) {
    int letter = (unsigned char)compiler->eulerseq[i];
    int axis = tolower(letter) - 'x';
    if (axis < 0 || axis > 2) {
      return "euler sequence can only contain x, y, z, X, Y, Z";
    }
    double half = toRadians(alt->euler[i], compiler) / 2;
    double step[4] = {cos(half), 0, 0, 0};
    step[1 + axis] = sin(half);

    // lower case: axes move with the body; upper case: axes stay fixed
    if (islower(letter)) {
      cfi_chainTurns(quat, quat, step);
    } else {
      cfi_chainTurns(quat, step, quat);
    }
  }
  cfi_unit(quat, 4);
  return NULL;
}


const char* cfi_resolveOrientation(double quat[4], const mjsOrientation* alt,
                                   const mjsCompiler* compiler) {
  switch (alt->type) {
    case mjORIENTATION_AXISANGLE:
      return fromAxisAngle(quat, alt, compiler);
    case mjORIENTATION_XYAXES:
      return fromAxes(quat, alt);
    case mjORIENTATION_EULER:
      return fromEuler(quat, alt, compiler);
    case mjORIENTATION_ZAXIS: {
      double z[3];
      memcpy(z, alt->zaxis, sizeof(z));
      if (cfi_unit(z, 3) < CF_EPS) {
        return "zaxis too small";
      }
      cfi_quatFromZ(quat, z);
      return NULL;
    }
    default:
      return NULL;
  }
}


const char* cfi_resolveFromTo(double pos[3], double quat[4], double size[3], int type,
                              const double fromto[6]) {
  bool is_flat = type == mjGEOM_ELLIPSOID || type == mjGEOM_BOX;
  if (!is_flat && type != mjGEOM_CAPSULE && type != mjGEOM_CYLINDER) {
    return "fromto requires capsule, cylinder, box or ellipsoid in geom";
  }
  if (pos[0] != 0 || pos[1] != 0 || pos[2] != 0) {
    return "both pos and fromto defined in geom";
  }

  // z runs from the second point to the first
  double axis[3];
  cfi_sub3(axis, fromto, fromto + 3);
  double half_length = cfi_unit(axis, 3) / 2;
  if (half_length < CF_EPS) {
    return "fromto points too close in geom";
  }
  size[1] = is_flat ? size[0] : half_length;
  size[2] = is_flat ? half_length : size[2];
  for (int k = 0; k < 3; k++) {
    pos[k] = (fromto[k] + fromto[3 + k]) / 2;
  }
  cfi_quatFromZ(quat, axis);
  return NULL;
}


// are all components equal, second vector times sign; what is not a number equals nothing
static bool isClose(const double* a, const double* b, double sign, int n) {
  CF_ASSERT(n > 0);
  for (int i = 0; i < n; i++) {
    if (!(fabs(a[i] - sign * b[i]) < CF_SAME_FRAME)) {
      return false;
    }
  }
  return true;
}


bool cfi_samePose(const double* pos1, const double* pos2, const double* quat1,
                  const double* quat2) {
  bool same_place = !pos1 || !pos2 || isClose(pos1, pos2, 1, 3);
  bool same_turn = !quat1 || !quat2 || isClose(quat1, quat2, 1, 4) || isClose(quat1, quat2, -1, 4);
  return same_place && same_turn;
}


mjtSameFrame cfi_frameRelation(const double pos[3], const double quat[4], const double ipos[3],
                               const double iquat[4]) {
  static const double origin[3] = {0, 0, 0}, unit[4] = {1, 0, 0, 0};
  if (cfi_samePose(NULL, NULL, quat, unit)) {
    return cfi_samePose(pos, origin, NULL, NULL) ? mjSAMEFRAME_BODY : mjSAMEFRAME_BODYROT;
  }
  if (cfi_samePose(NULL, NULL, quat, iquat)) {
    return cfi_samePose(pos, ipos, NULL, NULL) ? mjSAMEFRAME_INERTIA : mjSAMEFRAME_INERTIAROT;
  }
  return mjSAMEFRAME_NONE;
}
