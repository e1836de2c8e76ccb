// Derivatives of quaternion differences and of quaternion integration (Sola 2017, eq. 183 ff.).
#include <math.h>

#include <mujoco/mujoco.h>

#include "math/libm.h"
#include "math/quat.h"

// res = identity*one + cross(v)*two + [cross(v)]^2 or v*v' *three, given those nine numbers
static void combineBasis(mjtNum res[9], mjtNum one, const mjtNum v[3], mjtNum two,
                         const mjtNum quadratic[9], mjtNum three) {
  const mjtNum cross[9] = {0, -v[2], v[1], v[2], 0, -v[0], -v[1], v[0], 0};
  for (int k = 0; k < 9; k++) {
    res[k] = (k % 4 ? 0 : one) + two * cross[k] + three * quadratic[k];
  }
}


void mjd_subQuat(const mjtNum qa[4], const mjtNum qb[4], mjtNum Da[9], mjtNum Db[9]) {
  mjtNum axis[3], square[9], D[9];
  cfi_subQuat(axis, qa, qb);
  const mjtNum half = 0.5 * cfi_normalize3(axis);

  // cross(axis)^2 = axis*axis' - |axis|^2, |axis| = 1 up to rounding
  const mjtNum x = axis[0], y = axis[1], z = axis[2];
  cfi_set3(square, -z * z - y * y, x * y, x * z);
  cfi_set3(square + 3, x * y, -z * z - x * x, y * z);
  cfi_set3(square + 6, x * z, y * z, -y * y - x * x);

  const mjtNum shrink = half < 6e-8 ? 1.0 : half / cfi_tan(half);
  combineBasis(D, 1, axis, half, square, 1.0 - shrink);
  if (Da) {
    cfi_copy9(Da, D);
  }

  // the second argument enters with the opposite rotation
  for (int k = 0; Db && k < 9; k++) {
    Db[k] = -D[3 * (k % 3) + k / 3];
  }
}


// sin(x)/x, (1-cos(x))/x^2, (x-sin(x))/x^3, by their series for small x
static void sineRatios(mjtNum ratio[3], mjtNum x, mjtNum xx) {
  if (fabs(x) > 1.0 / 32) {
    ratio[0] = cfi_sin(x) / x;
    ratio[1] = (1.0 - cfi_cos(x)) / xx;
    ratio[2] = (1.0 - ratio[0]) / xx;
    return;
  }
  static const mjtNum divisor[3][4] = {{6, 20, 42, 1}, {12, 30, 56, 2}, {20, 42, 72, 6}};
  for (int k = 0; k < 3; k++) {
    const mjtNum* c = divisor[k];
    ratio[k] = (1 + xx / c[0] * (xx / c[1] * (1 - xx / c[2]) - 1)) / c[3];
  }
}


void mjd_quatIntegrate(const mjtNum vel[3], mjtNum scale, mjtNum Dquat[9], mjtNum Dvel[9],
                       mjtNum Dscale[3]) {
  mjtNum s[3], outer[9], ratio[3], D[9];
  cfi_scl3(s, vel, scale);
  for (int k = 0; k < 9; k++) {
    outer[k] = s[k / 3] * s[k % 3];
  }
  const mjtNum xx = cfi_dot3(s, s), x = sqrt(xx);
  sineRatios(ratio, x, xx);

  if (Dquat) {
    combineBasis(Dquat, cfi_cos(x), s, -ratio[0], outer, ratio[1]);
  }
  combineBasis(D, ratio[0], s, -ratio[1], outer, ratio[2]);
  if (Dvel) {
    cfi_copy9(Dvel, D);
  }
  if (Dscale) {
    cfi_mulMatVec3(Dscale, D, vel);
  }
}
