// Frames attached to bodies, in the hot loops of kinematics.
#ifndef CF_KINEMATICS_FRAME_H
#define CF_KINEMATICS_FRAME_H

#include <stdbool.h>

#include <mujoco/mjdata.h>
#include <mujoco/mjmodel.h>

#include "math/inline.h"

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
