// What inverse dynamics leaves alone.
#include "cf_test.h"

#include <mujoco/mujoco.h>

#include "cf_text.h"

// Hessians of cones are the solver's business: no inverse needs them
CF_TEST(inverse__elliptic_cones__does_not_compute_their_Hessians) {
  mjModel* m = cf_compileText(
      "<mujoco><option cone='elliptic'/><worldbody><geom type='plane' size='1 1 1'/>"
      "<body pos='0 0 .099'><freejoint/><geom size='.1'/></body></worldbody></mujoco>");
  mjData* d = mj_makeData(m);
  d->qvel[0] = 1;
  mj_forward(m, d);
  CF_EQ_INT(d->ncon, 1);
  CF_TRUE(mju_norm(d->contact->H, 36) > 0);
  mj_inverse(m, d);
  CF_NEAR(mju_norm(d->contact->H, 36), 0, 0);
  mj_deleteData(d);
  mj_deleteModel(m);
}


static mjtNum tick(void) {
  static mjtNum ticks = 0;
  return ticks += 1;
}


// kinematics are measured in two parts and counted once
CF_TEST(inverse__with_a_clock__each_stage_counted_once) {
  mjModel* m = cf_compileText(
      "<mujoco><worldbody><body><joint/><geom size='.1'/></body></worldbody></mujoco>");
  mjData* d = mj_makeData(m);
  mjcb_time = tick;
  mj_inverse(m, d);
  mjcb_time = NULL;
  CF_EQ_INT(d->timer[mjTIMER_INVERSE].number, 1);
  CF_EQ_INT(d->timer[mjTIMER_POSITION].number, 1);
  CF_EQ_INT(d->timer[mjTIMER_POS_KINEMATICS].number, 1);
  CF_EQ_INT(d->timer[mjTIMER_POS_MAKE].number, 1);
  mj_deleteData(d);
  mj_deleteModel(m);
}


CF_TEST_MAIN("pipeline/inverse")
