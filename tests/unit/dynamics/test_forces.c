// Forces from outside and of actuators on the dofs, against what they are by hand.
#include <string.h>

#include <mujoco/mujoco.h>

#include "cf_test.h"
#include "cf_text.h"

static const char arm_xml[] =
    "<mujoco><worldbody>"
    "<body><joint name='a' axis='0 1 0' actuatorfrcrange='-1 2'/><geom size='.05' pos='0 0 .3'/>"
    "<body pos='0 0 .6'><joint name='b' axis='1 1 0' actuatorfrcrange='-3 1'/>"
    "<geom size='.05' pos='.1 0 .3'/></body></body></worldbody>"
    "<actuator><motor joint='a'/><motor joint='b'/></actuator></mujoco>";


CF_TEST(applied__force_and_torque_on_a_body__their_projection_is_added) {
  mjModel* m = cf_compileText(arm_xml);
  mjData *pushed = mj_makeData(m), *left = mj_makeData(m);
  pushed->qpos[0] = left->qpos[0] = 0.4;
  const mjtNum wrench[6] = {1, -2, 3, 0.4, 0.5, -0.6};
  memcpy(pushed->xfrc_applied + 6 * 2, wrench, sizeof(wrench));
  mj_forward(m, pushed);
  mj_forward(m, left);
  mjtNum jacp[6], jacr[6];
  mj_jac(m, left, jacp, jacr, left->xipos + 3 * 2, 2);
  for (int i = 0; i < 2; i++) {
    mjtNum expected = left->qfrc_smooth[i];
    for (int k = 0; k < 3; k++) {
      expected += jacp[2 * k + i] * wrench[k] + jacr[2 * k + i] * wrench[3 + k];
    }
    CF_NEAR(pushed->qfrc_smooth[i], expected, 1e-14);
  }
  mj_deleteData(left);
  mj_deleteData(pushed);
  mj_deleteModel(m);
}


CF_TEST(actuation__range_of_each_joint__force_of_its_actuators_is_clamped) {
  mjModel* m = cf_compileText(arm_xml);
  mjData* d = mj_makeData(m);
  for (int sign = -1; sign <= 1; sign += 2) {
    d->ctrl[0] = d->ctrl[1] = 10 * sign;
    mj_forward(m, d);
    CF_NEAR(d->qfrc_actuator[0], sign < 0 ? -1 : 2, 0);
    CF_NEAR(d->qfrc_actuator[1], sign < 0 ? -3 : 1, 0);
  }
  mj_deleteData(d);
  mj_deleteModel(m);
}


CF_TEST_MAIN("dynamics/forces")
