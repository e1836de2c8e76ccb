// Actuators whose dynamics, gain and bias are the user's.
#include "cf_test.h"

#include <mujoco/mujoco.h>

#include "cf_text.h"

static const char* const rig =
    "<mujoco><worldbody><body><joint name='x' type='slide'/><joint name='y' type='slide' axis='0 1 0'/>"
    "<geom size='0.1'/></body></worldbody><actuator>"
    "<general joint='x' dyntype='integrator' gainprm='2'/>"
    "<general joint='x' dyntype='user' actdim='1' gainprm='3'/>"
    "<general joint='y' dyntype='user' actdim='2' gainprm='4'/>"
    "<general joint='y' gaintype='user' biastype='user'/></actuator></mujoco>";

static mjtNum rateOf(const mjModel* m, const mjData* d, int u) {
  const int first = m->actuator_actadr[u];
  if (m->actuator_actnum[u] > 1) {
    d->act_dot[first] = 10;
    d->act_dot[first + 1] = 11;
  }
  return 7 + u;
}


static mjtNum gainOf(const mjModel* m, const mjData* d, int u) {
  (void)m, (void)d;
  return 100 + u;
}


static mjtNum biasOf(const mjModel* m, const mjData* d, int u) {
  (void)m, (void)d;
  return 1000 + u;
}


// the rate of one activation is what the callback returns; more than one it writes itself
CF_TEST(actDyn__callback__rate_in_the_slot_of_its_actuator) {
  mjModel* m = cf_compileText(rig);
  mjData* d = mj_makeData(m);
  d->ctrl[0] = 0.5;
  mj_forward(m, d);
  const mjtNum without[4] = {0.5, 0, 0, 0}, with[4] = {0.5, 8, 10, 11};
  CF_NEAR_ARRAY(d->act_dot, without, 4, 0);
  mjcb_act_dyn = rateOf;
  mj_forward(m, d);
  mjcb_act_dyn = NULL;
  CF_NEAR_ARRAY(d->act_dot, with, 4, 0);
  mj_deleteData(d);
  mj_deleteModel(m);
}


CF_TEST(actGain__callbacks__force_is_gain_times_control_plus_bias) {
  mjModel* m = cf_compileText(rig);
  mjData* d = mj_makeData(m);
  d->ctrl[3] = 2;
  mj_forward(m, d);
  CF_NEAR(d->actuator_force[3], 2, 0);
  mjcb_act_gain = gainOf;
  mjcb_act_bias = biasOf;
  mj_forward(m, d);
  mjcb_act_gain = NULL;
  mjcb_act_bias = NULL;
  CF_NEAR(d->actuator_force[3], 103 * 2 + 1003, 0);
  CF_NEAR(d->actuator_force[0], 0, 0);
  mj_deleteData(d);
  mj_deleteModel(m);
}


CF_TEST_MAIN("dynamics/callbacks")
