// Inverse dynamics touches what it computes, and nothing else.
#include "cf_test.h"

#include <mujoco/mujoco.h>

#include "cf_text.h"

// the Hessian of a cone belongs to the solver: it is the solver's last one, or whatever stands
// there
CF_TEST(inverse__elliptic_cones__leaves_their_Hessians) {
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


CF_TEST_MAIN("pipeline/inverse")
