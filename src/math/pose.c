// Public functions on poses (position, quaternion) and 6D vectors.
#include <mujoco/mujoco.h>

#include "math/quat.h"
#include "math/spatial.h"

void mju_mulPose(mjtNum posres[3], mjtNum quatres[4], const mjtNum pos1[3], const mjtNum quat1[4],
                 const mjtNum pos2[3], const mjtNum quat2[4]) {
  cfi_mulPose(posres, quatres, pos1, quat1, pos2, quat2);
}


void mju_negPose(mjtNum posres[3], mjtNum quatres[4], const mjtNum pos[3], const mjtNum quat[4]) {
  cfi_negPose(posres, quatres, pos, quat);
}


void mju_trnVecPose(mjtNum res[3], const mjtNum pos[3], const mjtNum quat[4], const mjtNum vec[3]) {
  cfi_trnVecPose(res, pos, quat, vec);
}


void mju_transformSpatial(mjtNum res[6], const mjtNum vec[6], int flg_force, const mjtNum newpos[3],
                          const mjtNum oldpos[3], const mjtNum rotnew2old[9]) {
  cfi_transformSpatial(res, vec, flg_force, newpos, oldpos, rotnew2old);
}
