// A program outside the project that uses the installed headers and library.
#include <stdio.h>

#include <mujoco/mujoco.h>

int main(void) {
  mjtNum quat[4], mat[9];
  const mjtNum axis[3] = {0, 0, 1};
  mju_axisAngle2Quat(quat, axis, 1.5707963267948966);
  mju_quat2Mat(mat, quat);
  printf("%s %d\n", mj_versionString(), mj_version());
  return mj_version() == mjVERSION_HEADER && mat[3] > 0.999999 ? 0 : 1;
}
