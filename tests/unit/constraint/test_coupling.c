// Rows of joint and tendon couplings: y - y0 = a0 + a1 x + a2 x^2 + a3 x^3 + a4
// x^4.
#include "cf_test.h"

#include <mujoco/mujoco.h>

#include "cf_text.h"

static const char* const coupled =
    "<mujoco><option jacobian='%s'><flag "
    "contact='disable'/></option><worldbody>"
    "<body><joint name='x' type='slide' ref='.1'/><geom size='.1'/></body>"
    "<body><joint name='y' type='slide' axis='0 1 0'/><geom size='.1'/></body>"
    "<body><joint name='z' type='slide' axis='0 0 1'/><geom "
    "size='.1'/></body></worldbody>"
    "<tendon><fixed name='t'><joint joint='x' coef='2'/></fixed><fixed "
    "name='u'><joint joint='z' coef='3'/></fixed></tendon>"
    "<equality><joint joint1='z' polycoef='.7'/><joint joint1='y' joint2='x' "
    "polycoef='.1 .2 .3 .4 .5'/>"
    "<tendon tendon1='u' tendon2='t' polycoef='.5 .4 .3 .2 "
    ".1'/></equality></mujoco>";

static mjtNum polynomial(const mjtNum a[5], mjtNum x) {
  return a[0] + x * (a[1] + x * (a[2] + x * (a[3] + x * a[4])));
}

static mjtNum slopeOf(const mjtNum a[5], mjtNum x) {
  return a[1] + x * (2 * a[2] + x * (3 * a[3] + x * 4 * a[4]));
}

static void checkRow(const mjModel* m, const mjData* d, int row, mjtNum pos, mjtNum jx, mjtNum jy,
                     mjtNum jz) {
  CF_NEAR(d->efc_pos[row], pos, 1e-14);
  mjtNum unit[3], J[3][3];
  for (int k = 0; k < 3; k++) {
    mju_zero(unit, 3);
    unit[k] = 1;
    mj_mulJacVec(m, d, J[k], unit);
  }
  CF_NEAR(J[0][row], jx, 1e-14);
  CF_NEAR(J[1][row], jy, 1e-14);
  CF_NEAR(J[2][row], jz, 1e-14);
}

static void checkCouplings(const char* jacobian) {
  char xml[2000];
  snprintf(xml, sizeof(xml), coupled, jacobian);
  mjModel* m = cf_compileText(xml);
  mjData* d = mj_makeData(m);
  const mjtNum qpos[3] = {0.4, -0.3, 0.25};
  mju_copy(d->qpos, qpos, 3);
  mj_forward(m, d);
  CF_EQ_INT(d->nefc, 3);
  const mjtNum x = 0.4 - 0.1, a[5] = {.1, .2, .3, .4, .5}, b[5] = {.5, .4, .3, .2, .1};
  const mjtNum t = 2 * 0.4 - 2 * 0.1, u = 3 * 0.25;
  checkRow(m, d, 0, 0.25 - 0.7, 0, 0, 1);
  checkRow(m, d, 1, -0.3 - polynomial(a, x), -slopeOf(a, x), 1, 0);
  checkRow(m, d, 2, u - polynomial(b, t), -2 * slopeOf(b, t), 0, 3);
  mj_deleteData(d);
  mj_deleteModel(m);
}

CF_TEST(coupling__joints_and_tendons__violation_and_slope_of_the_polynomial) {
  checkCouplings("dense");
  checkCouplings("sparse");
}

CF_TEST_MAIN("constraint/coupling")
