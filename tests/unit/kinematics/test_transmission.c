// Transmissions of actuators in states where their moments are known.
#include <mujoco/mujoco.h>

#include "cf_test.h"
#include "cf_text.h"


// a ball above the floor that sticks to it: contacts that push and contacts inside of the gap,
// which have no row, count alike
CF_TEST(transmission__adhesion_at_contacts_with_and_without_row__minus_their_normal) {
  mjModel* m = cf_compileText(
      "<mujoco><worldbody><geom type='plane' size='1 1 1'/><body name='ball' pos='0 0 .1'>"
      "<joint type='slide' axis='0 0 1'/><geom size='.1' margin='.05' gap='.05'/></body></worldbody>"
      "<actuator><adhesion body='ball' ctrlrange='0 1'/></actuator></mujoco>");
  mjData* d = mj_makeData(m);
  const mjtNum height[] = {0.02, -0.01, 0.2};
  for (int k = 0; k < 3; k++) {
    d->qpos[0] = height[k];
    mj_forward(m, d);
    CF_EQ_INT(d->ncon, k < 2);
    CF_EQ_INT(d->ncon && d->contact[0].exclude, k == 0);
    mjtNum moment[1] = {0};
    mju_sparse2dense(moment, d->actuator_moment, 1, 1, d->moment_rownnz, d->moment_rowadr,
                     d->moment_colind);
    CF_NEAR(moment[0], k < 2 ? -1 : 0, 1e-15);
  }
  mj_deleteData(d);
  mj_deleteModel(m);
}


CF_TEST_MAIN("kinematics/transmission")
