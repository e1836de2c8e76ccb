// Frames attached to bodies, in the hot loops of kinematics.
#ifndef CF_KINEMATICS_FRAME_H
#define CF_KINEMATICS_FRAME_H

#include <stdbool.h>

#include <mujoco/mjdata.h>
#include <mujoco/mjmodel.h>

#include "math/inline.h"
#include "math/simd/lane3.h"
#include "model/localaxes.h"

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
    mjtNum local[9];
    cfi_turnMat(local, quat);
    cfi_mulMatMat3(xmat, d->xmat + 9 * body, local);
    return;
  }
  const bool as_body = same == mjSAMEFRAME_BODY || same == mjSAMEFRAME_BODYROT;
  cfi_copy9(xmat, (as_body ? d->xmat : d->ximat) + 9 * body);
}


// both at once, with the bits of cfi_bodyPoint and cfi_placeAxes: the position is a fourth column
// beside the rotation matrix
static inline void cfi_placeRows(mjtNum xpos[3], mjtNum xmat[9], const mjData* d, int body,
                                 const mjtNum pos[3], const cfLocalAxes* axes) {
  const mjtNum *R = d->xmat + 9 * body, *origin = d->xpos + 3 * body;
  const cfLane x = cfi_laneBeside(cfi_laneLoad(axes->row[0]), pos[0]);
  const cfLane y = cfi_laneBeside(cfi_laneLoad(axes->row[1]), pos[1]);
  const cfLane z = cfi_laneBeside(cfi_laneLoad(axes->row[2]), pos[2]);
  cfLane turned[3];
  for (int k = 0; k < 3; k++) {
    turned[k] = cfi_laneMul(cfi_laneSpread(R[3 * k]), x);
    turned[k] = cfi_laneAddMul(turned[k], cfi_laneSpread(R[3 * k + 1]), y);
    turned[k] = cfi_laneAddMul(turned[k], cfi_laneSpread(R[3 * k + 2]), z);
  }

  // the last number of a row is overwritten by the next row
  cfi_laneStore(xmat, turned[0]);
  cfi_laneStore(xmat + 3, turned[1]);
  cfi_laneStore3(xmat + 6, turned[2]);
  const cfHalfLane first = cfi_laneLasts(turned[0], turned[1]);
  cfi_halfStore(xpos, cfi_halfAdd(first, cfi_halfLoad(origin)));
  xpos[2] = cfi_halfAt(cfi_laneLasts(turned[2], turned[2]), 0) + origin[2];
}


// a frame fixed to a body; its axes in the body are kept, or NULL
static inline void cfi_placeFrame(mjtNum xpos[3], mjtNum xmat[9], const mjData* d, int body,
                                  const mjtNum pos[3], const mjtNum quat[4], mjtSameFrame same,
                                  const cfLocalAxes* axes) {
  if (same == mjSAMEFRAME_NONE && axes) {
    cfi_placeRows(xpos, xmat, d, body, pos, axes);
  } else {
    cfi_placeOrigin(xpos, d, pos, body, same);
    cfi_placeAxes(xmat, d, quat, body, same);
  }
}

#endif  // CF_KINEMATICS_FRAME_H
