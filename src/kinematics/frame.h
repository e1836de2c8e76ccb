// Rotations and attached frames in the hot loops of kinematics: no branch on data.
#ifndef CF_KINEMATICS_FRAME_H
#define CF_KINEMATICS_FRAME_H

#include <math.h>
#include <stdbool.h>

#include <mujoco/mjdata.h>
#include <mujoco/mjmodel.h>

#include "math/inline.h"

// cfi_rotVecQuat without the test for the unit quaternion, which gives the same result
static inline void cfi_turn(mjtNum res[3], const mjtNum v[3], const mjtNum q[4]) {
  const mjtNum w = q[0], x = q[1], y = q[2], z = q[3];
  const mjtNum side[3] = {w * v[0] + y * v[2] - z * v[1], w * v[1] + z * v[0] - x * v[2],
                          w * v[2] + x * v[1] - y * v[0]};
  mjtNum swing[3];
  cfi_cross(swing, q + 1, side);
  cfi_addScl3(res, v, swing, 2);
}


// unit length within mjMINVAL, found out without a root
static inline bool cfi_isUnitLength4(const mjtNum q[4]) {
  const mjtNum square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
  return fabs(square - 1) <= 2 * mjMINVAL;
}


// cfi_normalize4, with selects instead of branches
static inline void cfi_unitize4(mjtNum q[4]) {
  const mjtNum length = cfi_norm4(q);
  const bool is_zero = length < mjMINVAL, is_unit = !(fabs(length - 1) > mjMINVAL);
  const mjtNum scale = is_unit ? 1 : 1 / length;
  q[0] = is_zero ? 1 : q[0] * scale;
  for (int k = 1; k < 4; k++) {
    q[k] = is_zero ? 0 : q[k] * scale;
  }
}


// cfi_quat2Mat without the test for the unit quaternion
static inline void cfi_turnMat(mjtNum R[9], const mjtNum q[4]) {
  const mjtNum w = q[0], x = q[1], y = q[2], z = q[3];
  const mjtNum ww = w * w, xx = x * x, yy = y * y, zz = z * z;
  const mjtNum wx = w * x, wy = w * y, wz = w * z, xy = x * y, xz = x * z, yz = y * z;
  R[0] = ww + xx - yy - zz;
  R[4] = ww - xx + yy - zz;
  R[8] = ww - xx - yy + zz;
  R[1] = 2 * (xy - wz), R[3] = 2 * (xy + wz);
  R[2] = 2 * (xz + wy), R[6] = 2 * (xz - wy);
  R[5] = 2 * (yz - wx), R[7] = 2 * (yz + wx);
}


// point given in the frame of a body
static inline void cfi_bodyPoint(mjtNum res[3], const mjData* d, int body, const mjtNum pos[3]) {
  mjtNum turned[3];
  cfi_mulMatVec3(turned, d->xmat + 9 * body, pos);
  cfi_add3(res, turned, d->xpos + 3 * body);
}


// world position of a frame fixed to a body; same (mjtSameFrame) names the frame it coincides with
static inline void cfi_placeOrigin(mjtNum xpos[3], const mjData* d, const mjtNum pos[3], int body,
                                   mjtSameFrame same) {
  if (same == mjSAMEFRAME_BODY) {
    cfi_copy3(xpos, d->xpos + 3 * body);
  } else if (same == mjSAMEFRAME_INERTIA) {
    cfi_copy3(xpos, d->xipos + 3 * body);
  } else {
    cfi_bodyPoint(xpos, d, body, pos);
  }
}


// world orientation of a frame fixed to a body
static inline void cfi_placeAxes(mjtNum xmat[9], const mjData* d, const mjtNum quat[4], int body,
                                 mjtSameFrame same) {
  if (same == mjSAMEFRAME_NONE) {
    mjtNum xquat[4];
    cfi_mulQuat(xquat, d->xquat + 4 * body, quat);
    cfi_turnMat(xmat, xquat);
    return;
  }
  const bool as_body = same == mjSAMEFRAME_BODY || same == mjSAMEFRAME_BODYROT;
  cfi_copy9(xmat, (as_body ? d->xmat : d->ximat) + 9 * body);
}

#endif  // CF_KINEMATICS_FRAME_H
