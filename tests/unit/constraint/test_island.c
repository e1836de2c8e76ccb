// Islands and sleep.
#include <mujoco/mujoco.h>

#include "cf_test.h"
#include "cf_text.h"
#include "model/sleep.h"

static const char two_piles[] =
    "<mujoco><option><flag sleep='enable'/></option><worldbody><geom type='plane' size='5 5 1'/>"
    "<body pos='0 0 0.0999'><freejoint/><geom size='0.1' condim='6' friction='1 0.1 0.1'/></body>"
    "<body pos='2 0 0.0999'><freejoint/><geom size='0.1'/></body>"
    "<body pos='0 0 0.2997'><freejoint/><geom size='0.1' condim='6' friction='1 0.1 0.1'/></body>"
    "<body pos='4 0 1'><freejoint/><geom size='0.1'/></body></worldbody></mujoco>";


CF_TEST(island__two_piles_and_a_flyer__numbered_by_first_tree) {
  mjModel* m = cf_compileText(two_piles);
  mjData* d = mj_makeData(m);
  mj_forward(m, d);
  const int tree_island[4] = {0, 1, 0, -1}, itree[4] = {0, 2, 1, 3};
  CF_EQ_INT(d->nisland, 2);
  CF_EQ_INT(d->nidof, 18);
  for (int k = 0; k < 4; k++) {
    CF_EQ_INT(d->tree_island[k], tree_island[k]);
    CF_EQ_INT(d->map_itree2tree[k], itree[k]);
  }
  for (int i = 0; i < m->nv; i++) {
    CF_EQ_INT(d->map_idof2dof[d->map_dof2idof[i]], i);
    CF_EQ_INT(d->dof_island[i], tree_island[i / 6]);
  }
  for (int r = 0; r < d->nefc; r++) {
    CF_EQ_INT(d->map_iefc2efc[d->map_efc2iefc[r]], r);
  }
  CF_EQ_INT(d->island_nefc[0] + d->island_nefc[1], d->nefc);
  mj_deleteData(d);
  mj_deleteModel(m);
}


CF_TEST(island__one_tree__rows_are_shared) {
  mjModel* m = cf_compileText(
      "<mujoco><worldbody><body><joint range='10 20'/><geom "
      "size='0.1'/></body></worldbody></mujoco>");
  mjData* d = mj_makeData(m);
  mj_forward(m, d);
  CF_EQ_INT(d->nisland, 1);
  CF_TRUE(d->iefc_J == d->efc_J);
  CF_NEAR(d->iacc[0], d->qacc[0], 0);
  CF_NEAR(d->iefc_force[0], d->efc_force[0], 0);

  // a copy keeps pointing into its own arena
  mjData* copy = mj_copyData(NULL, m, d);
  CF_TRUE(copy->iefc_J == NULL || copy->iefc_J == copy->efc_J);
  mj_deleteData(copy);
  mj_deleteData(d);
  mj_deleteModel(m);
}


CF_TEST(sleep__resting_piles__fall_asleep_and_wake_by_force) {
  mjModel* m = cf_compileText(two_piles);
  mjData* d = mj_makeData(m);
  for (int k = 0; k < 1500 && d->tree_asleep[0] < 0; k++) {
    mj_step(m, d);
  }
  CF_EQ_INT(d->tree_asleep[0], 2);
  CF_EQ_INT(d->tree_asleep[2], 0);
  CF_TRUE(d->ntree_awake < 4);
  CF_NEAR(mju_norm(d->qvel, 6), 0, 0);

  // the two balls of a pile wake together
  d->xfrc_applied[6 * 1] = 1;
  mj_step(m, d);
  CF_TRUE(d->tree_asleep[0] < 0);
  CF_TRUE(d->tree_asleep[2] < 0);
  CF_TRUE(d->qvel[0] > 0);
  mj_deleteData(d);
  mj_deleteModel(m);
}


CF_TEST(sleep__flag_cleared__everybody_wakes) {
  mjModel* m = cf_compileText(two_piles);
  mjData* d = mj_makeData(m);
  for (int k = 0; k < 1500 && d->tree_asleep[0] < 0; k++) {
    mj_step(m, d);
  }
  m->opt.enableflags = 0;
  mj_step(m, d);
  CF_EQ_INT(d->ntree_awake, 4);
  mj_deleteData(d);
  mj_deleteModel(m);
}


CF_TEST(sleepCycle__chain_of_trees__smallest_or_error) {
  const int good[4] = {2, -11, 3, 0}, broken[3] = {1, 2, 1};
  CF_EQ_INT(cfi_sleepCycle(good, 4, 3), 0);
  CF_EQ_INT(cfi_sleepCycle(good, 4, 1), -1);
  CF_EQ_INT(cfi_sleepCycle(good, 4, 7), -1);
  CF_EQ_INT(cfi_sleepCycle(broken, 3, 0), -1);
}


CF_TEST(wakeTree__cycle__all_wake_once) {
  int asleep[4] = {2, -11, 3, 0};
  CF_EQ_INT(cfi_wakeTree(asleep, 4, 3, -5), 3);
  CF_EQ_INT(asleep[0], -5);
  CF_EQ_INT(asleep[2], -5);
  CF_EQ_INT(asleep[3], -5);
  CF_EQ_INT(cfi_wakeTree(asleep, 4, 3, -3), 0);
  CF_EQ_INT(asleep[3], -5);
  CF_EQ_INT(cfi_wakeTree(asleep, 4, 3, -8), 0);
  CF_EQ_INT(asleep[3], -8);
}

CF_TEST_MAIN("constraint/island")
