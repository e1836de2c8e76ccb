// Islands and sleep.
#include <stdbool.h>
#include <stdio.h>

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


// three islands whose rows lie in runs between each other's: two hinges apart that are joined by an
// equality, boxes between them, friction loss in both
static const char scattered[] =
    "<mujoco><option jacobian='%s' cone='elliptic'/><worldbody><geom type='plane' size='9 9 1'/>"
    "<body pos='0 0 .0999'><freejoint/><geom type='box' size='.1 .1 .1' mass='1'/></body>"
    "<body pos='2 0 .5'><joint name='a' frictionloss='.1'/><geom size='.1'/></body>"
    "<body pos='4 0 .0999'><joint type='slide' axis='0 0 1' frictionloss='.1'/>"
    "<joint type='slide'/><geom size='.1' condim='4'/></body>"
    "<body pos='6 0 .5'><joint name='b' frictionloss='.1'/><geom size='.1'/></body>"
    "<body pos='8 0 5'><freejoint/><geom size='.1'/></body>"
    "<body pos='0 0 .2998'><freejoint/><geom type='box' size='.1 .1 .1' mass='1'/></body>"
    "</worldbody><equality><joint joint1='a' joint2='b' polycoef='.1'/></equality></mujoco>";


// column of a row of an island, in the numbering of the model
static int columnOf(const mjData* d, int island, int k) {
  return d->map_idof2dof[d->island_idofadr[island] + d->iefc_J_colind[k]];
}


static void checkSparseRow(const mjData* d, int island, int i) {
  const int r = d->map_iefc2efc[i], nnz = d->efc_J_rownnz[r];
  CF_EQ_INT(d->iefc_J_rownnz[i], nnz);
  for (int k = 0; k < nnz; k++) {
    CF_NEAR(d->iefc_J[d->iefc_J_rowadr[i] + k], d->efc_J[d->efc_J_rowadr[r] + k], 0);
    CF_EQ_INT(columnOf(d, island, d->iefc_J_rowadr[i] + k),
              d->efc_J_colind[d->efc_J_rowadr[r] + k]);
  }

  // as many as follow with the same columns
  const int end = d->island_iefcadr[island] + d->island_nefc[island];
  int next = i + 1;
  for (bool same = true; next < end && same; next += same) {
    same = d->iefc_J_rownnz[next] == nnz;
    for (int k = 0; same && k < nnz; k++) {
      same = columnOf(d, island, d->iefc_J_rowadr[next] + k) ==
             columnOf(d, island, d->iefc_J_rowadr[i] + k);
    }
  }
  CF_EQ_INT(d->iefc_J_rowsuper[i], next - i - 1);
}


static void checkIslandRow(const mjData* d, int island, int i) {
  const int r = d->map_iefc2efc[i];
  CF_EQ_INT(d->efc_island[r], island);
  CF_EQ_INT(d->iefc_type[i], d->efc_type[r]);
  CF_EQ_INT(d->iefc_id[i], d->efc_id[r]);
  CF_NEAR(d->iefc_frictionloss[i], d->efc_frictionloss[r], 0);
  CF_NEAR(d->iefc_D[i], d->efc_D[r], 0);
  CF_NEAR(d->iefc_R[i], d->efc_R[r], 0);
  CF_TRUE(i == d->island_iefcadr[island] || d->map_iefc2efc[i - 1] < r);
}


CF_TEST(island__rows_in_runs__copies_are_the_rows_and_counts_add_up) {
  const char* const jacobian[2] = {"dense", "sparse"};
  for (int is_sparse = 0; is_sparse < 2; is_sparse++) {
    char text[2000];
    snprintf(text, sizeof(text), scattered, jacobian[is_sparse]);
    mjModel* m = cf_compileText(text);
    mjData* d = mj_makeData(m);
    mj_forward(m, d);
    CF_EQ_INT(d->nisland, 3);
    int count[3][3] = {{0}};
    for (int r = 0; r < d->nefc; r++) {
      count[d->efc_island[r]][r < d->ne ? 0 : (r < d->ne + d->nf ? 1 : 2)]++;
    }
    for (int island = 0, row = 0; island < 3; island++) {
      const int* n = count[island];
      CF_EQ_INT(d->island_iefcadr[island], row);
      CF_EQ_INT(d->island_ne[island], n[0]);
      CF_EQ_INT(d->island_nf[island], n[1]);
      CF_EQ_INT(d->island_nefc[island], n[0] + n[1] + n[2]);
      for (; row < d->island_iefcadr[island] + d->island_nefc[island]; row++) {
        checkIslandRow(d, island, row);
        if (is_sparse) {
          checkSparseRow(d, island, row);
        }
      }
    }
    mj_deleteData(d);
    mj_deleteModel(m);
  }
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
