// Who wakes whom: tendons, contacts, equalities, forces; countdown and cycles.
#include "cf_test.h"
#include "cf_text.h"

#include "model/awake.h"
#include "model/sleep.h"

typedef struct {
  mjModel* m;
  mjData* d;
} cfBed;


static cfBed openBed(const char* xml) {
  mjModel* m = cf_compileText(xml);
  return (cfBed){m, mj_makeData(m)};
}


static void closeBed(cfBed b) {
  mj_deleteData(b.d);
  mj_deleteModel(b.m);
}


// three sliders; the tendon ties the first, which sleeps, to the second, which moves; the third
// sleeps alone
static const char tied[] =
    "<mujoco><option sleep_tolerance='1e-3'><flag sleep='enable'/></option><worldbody>"
    "<body name='a' sleep='init'><joint name='a' type='slide' axis='1 0 0'/><geom size='.1' mass='1'/></body>"
    "<body name='b' pos='0 1 0'><joint name='b' type='slide' axis='1 0 0'/><geom size='.1' mass='1'/></body>"
    "<body name='c' pos='0 2 0' sleep='init'><joint name='c' type='slide' axis='1 0 0'/><geom size='.1' mass='1'/></body>"
    "</worldbody><tendon><fixed name='t' range='-1 .5' limited='true' margin='.1'>"
    "<joint joint='a' coef='1'/><joint joint='b' coef='1'/></fixed></tendon></mujoco>";


// inside its range and margin the tendon lets sleep, at 0.4 and -0.9 it wakes
CF_TEST(wakeTendon__limit_reached__wakes_the_tied_tree_only) {
  static const mjtNum length[6] = {0, 0.39, 0.41, 0.6, -0.89, -0.91};
  static const int is_awake[6] = {0, 0, 1, 1, 0, 1};
  cfBed b = openBed(tied);
  for (int k = 0; k < 6; k++) {
    mj_resetData(b.m, b.d);
    b.d->qpos[1] = length[k];
    b.d->qvel[1] = 1;
    mj_forward(b.m, b.d);
    CF_EQ_INT(b.d->tree_asleep[0] < 0, is_awake[k]);
    CF_EQ_INT(b.d->tree_awake[0] != 0, is_awake[k]);
    CF_EQ_INT(b.d->ntree_awake, 1 + is_awake[k]);
    CF_EQ_INT(b.d->nefc, is_awake[k]);
    CF_EQ_INT(b.d->tree_asleep[2], 2);
  }
  closeBed(b);
}


// the woken tree takes the countdown of its partner, whichever side it is on
CF_TEST(wakeTendon__partner_half_way_down__same_countdown) {
  cfBed b = openBed(tied);
  b.d->qpos[1] = 0.6;
  mj_fwdPosition(b.m, b.d);
  for (int sleeper = 0; sleeper < 2; sleeper++) {
    b.d->tree_asleep[sleeper] = sleeper;
    b.d->tree_asleep[1 - sleeper] = -4;
    b.d->tree_awake[sleeper] = 0;
    b.d->tree_awake[1 - sleeper] = 1;
    CF_EQ_INT(cfi_wakeTendon(b.m, b.d), 1);
    CF_EQ_INT(b.d->tree_asleep[sleeper], -4);
    CF_EQ_INT(b.d->tree_asleep[1 - sleeper], -4);
  }

  // both awake or both asleep: nothing to do; nor without a limit, nor with sleep disabled
  b.d->tree_awake[0] = b.d->tree_awake[1] = 1;
  CF_EQ_INT(cfi_wakeTendon(b.m, b.d), 0);
  b.d->tree_awake[0] = 0;
  b.d->tree_asleep[0] = 0;
  b.m->tendon_limited[0] = 0;
  CF_EQ_INT(cfi_wakeTendon(b.m, b.d), 0);
  b.m->tendon_limited[0] = 1;
  b.m->opt.enableflags &= ~mjENBL_SLEEP;
  CF_EQ_INT(cfi_wakeTendon(b.m, b.d), 0);
  closeBed(b);
}


// a step that pulls: the woken slider moves in the same step
CF_TEST(wakeTendon__taut_in_a_step__both_move) {
  cfBed b = openBed(tied);
  b.d->qpos[1] = 0.7;
  b.d->qvel[1] = 1;
  mj_step(b.m, b.d);
  CF_TRUE(b.d->qvel[0] < 0);
  CF_TRUE(b.d->qvel[1] < 1);
  CF_NEAR(b.d->qvel[2], 0, 0);
  closeBed(b);
}


CF_TEST(wakeTree__cycle_of_three__wakes_all_of_it) {
  int asleep[5] = {2, -3, 4, 3, 0};
  CF_EQ_INT(cfi_sleepCycle(asleep, 5, 4), 0);
  CF_EQ_INT(cfi_sleepCycle(asleep, 5, 3), 3);
  CF_EQ_INT(cfi_wakeTree(asleep, 5, 2, -7), 3);
  const int expected[5] = {-7, -3, -7, 3, -7};
  CF_EQ_BYTES(asleep, expected, sizeof(expected));

  // awake already: a longer countdown counts, a shorter one does not
  CF_EQ_INT(cfi_wakeTree(asleep, 5, 1, -2), 0);
  CF_EQ_INT(asleep[1], -3);
  CF_EQ_INT(cfi_wakeTree(asleep, 5, 1, -5), 0);
  CF_EQ_INT(asleep[1], -5);
}


CF_TEST(wake__push_velocity_or_position__wakes_that_tree) {
  for (int k = 0; k < 3; k++) {
    cfBed b = openBed(tied);
    mj_forward(b.m, b.d);
    CF_TRUE(b.d->tree_asleep[2] >= 0);
    if (k == 0) {
      b.d->xfrc_applied[6 * 3 + 1] = 1e-9;
    } else if (k == 1) {
      b.d->qfrc_applied[2] = -1;
    } else {
      b.d->qvel[2] = 1e-30;
    }
    mj_forward(b.m, b.d);
    CF_TRUE(b.d->tree_asleep[2] < 0);
    CF_TRUE(b.d->tree_asleep[0] >= 0);
    closeBed(b);
  }
}


// a moving ball touches a sleeping one, which an equality ties to another sleeping one
CF_TEST(wakeCollision_wakeEquality__touched_and_tied__wake) {
  cfBed b = openBed(
      "<mujoco><option gravity='0 0 0'><flag sleep='enable'/></option><worldbody>"
      "<body sleep='init'><joint name='a' type='slide' axis='1 0 0'/><geom size='.1'/></body>"
      "<body pos='.5 0 0'><joint name='b' type='slide' axis='1 0 0'/><geom size='.1'/></body>"
      "<body pos='0 3 0' sleep='init'><joint name='c' type='slide' axis='1 0 0'/><geom size='.1'/></body>"
      "<body pos='0 6 0' sleep='init'><joint name='d' type='slide' axis='1 0 0'/><geom size='.1'/></body>"
      "</worldbody><equality><joint joint1='a' joint2='c'/></equality></mujoco>");
  b.d->qpos[1] = -0.31;
  b.d->qvel[1] = -1;
  mj_forward(b.m, b.d);
  CF_EQ_INT(b.d->ncon, 1);
  CF_TRUE(b.d->tree_asleep[0] < 0);
  CF_TRUE(b.d->tree_asleep[2] < 0);
  CF_EQ_INT(b.d->tree_asleep[3], 3);
  closeBed(b);
}


// slow for ten steps: asleep, stopped, and bodies that touch sleep in one cycle
CF_TEST(sleep__ten_slow_steps__pile_sleeps_as_one) {
  cfBed b = openBed(
      "<mujoco><option sleep_tolerance='.05'><flag sleep='enable'/></option><worldbody><geom type='plane' size='2 2 .1'/>"
      "<body pos='0 0 .1'><freejoint/><geom type='box' size='.1 .1 .1'/></body>"
      "<body pos='0 0 .3'><freejoint/><geom type='box' size='.1 .1 .1'/></body></worldbody></mujoco>");
  int steps = 0;
  while (b.d->tree_asleep[0] < 0 && steps < 500) {
    mj_step(b.m, b.d);
    steps++;
  }
  CF_TRUE(steps >= 10 && steps < 500);
  CF_EQ_INT(b.d->tree_asleep[0], 1);
  CF_EQ_INT(b.d->tree_asleep[1], 0);
  for (int k = 0; k < b.m->nv; k++) {
    CF_NEAR(b.d->qvel[k], 0, 0);
  }
  closeBed(b);
}


// a tendon is awake with one of its trees, asleep with all of them, and static without any
CF_TEST(sleepState__tendons__that_of_their_trees) {
  cfBed b = openBed(
      "<mujoco><option><flag sleep='enable'/></option><worldbody><site name='s'/><site name='t' pos='1 0 0'/>"
      "<body sleep='init'><joint name='a' type='slide' axis='1 0 0'/><geom size='.1' mass='1'/></body>"
      "<body pos='0 1 0'><joint name='b' type='slide' axis='1 0 0'/><geom size='.1' mass='1'/></body></worldbody>"
      "<tendon><fixed><joint joint='a' coef='1'/></fixed>"
      "<fixed><joint joint='a' coef='1'/><joint joint='b' coef='1'/></fixed>"
      "<spatial><site site='s'/><site site='t'/></spatial></tendon></mujoco>");
  mj_fwdPosition(b.m, b.d);
  CF_EQ_INT(cfi_sleepState(b.m, b.d, mjOBJ_TENDON, 0), mjS_ASLEEP);
  CF_EQ_INT(cfi_sleepState(b.m, b.d, mjOBJ_TENDON, 1), mjS_AWAKE);
  CF_EQ_INT(cfi_sleepState(b.m, b.d, mjOBJ_TENDON, 2), mjS_STATIC);
  closeBed(b);
}


CF_TEST_MAIN("model/sleep")
