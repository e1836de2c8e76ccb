// Poses of the compiler: accumulation, fromto, comparison.
#include "compile/placement.h"

#include <math.h>
#include <string.h>

#include "base/assert.h"
#include "math/inline.h"

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


const char* cfi_resolveFromTo(double pos[3], double quat[4], double size[3], int type,
                              const double fromto[6]) {
  const bool is_flat = type == mjGEOM_ELLIPSOID || type == mjGEOM_BOX;
  if (!is_flat && type != mjGEOM_CAPSULE && type != mjGEOM_CYLINDER) {
    return "fromto requires capsule, cylinder, box or ellipsoid in geom";
  }
  if (pos[0] != 0 || pos[1] != 0 || pos[2] != 0) {
    return "both pos and fromto defined in geom";
  }

  // z runs from the second point to the first
  double axis[3];
  cfi_sub3(axis, fromto, fromto + 3);
  const double half_length = cfi_unit(axis, 3) / 2;
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
  const bool same_place = !pos1 || !pos2 || isClose(pos1, pos2, 1, 3);
  const bool same_turn =
      !quat1 || !quat2 || isClose(quat1, quat2, 1, 4) || isClose(quat1, quat2, -1, 4);
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
