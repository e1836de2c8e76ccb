// Checks of the state, sleeping, parent filter and midphase.  ACn are the acceptance criteria of
// the flag specification; where it differs from MuJoCo 3.5.0 the test holds what MuJoCo does.
#include <time.h>

#include <cortenforge/cortenforge.h>
#include <mujoco/mujoco.h>

#include "cf_guard.h"
#include "cf_test.h"
#include "cf_text.h"

typedef struct {
  mjModel* m;
  mjData* d;
} Scene;


static Scene openScene(const char* option, const char* rest) {
  static char xml[20000];
  snprintf(xml, sizeof(xml), "<mujoco>%s%s</mujoco>", option, rest);
  mjModel* m = cf_compileText(xml);
  return (Scene){m, mj_makeData(m)};
}


static void closeScene(Scene s) {
  mj_deleteData(s.d);
  mj_deleteModel(s.m);
}


static void stepScene(Scene s, int count) {
  for (int k = 0; k < count; k++) {
    mj_step(s.m, s.d);
  }
}

// one body that starts asleep, one awake
static const char sleeper[] =
    "<worldbody><geom type='plane' size='2 2 1'/>"
    "<body pos='0 0 0.1' sleep='init'><freejoint/><geom size='0.1'/></body>"
    "<body pos='1 0 1'><freejoint/><geom size='0.1'/></body></worldbody>";
static const char driven[] =
    "<worldbody><body><joint name='j' axis='0 1 0'/><geom size='0.1' pos='0.3 0 0'/></body>"
    "</worldbody><actuator><motor joint='j' gear='3'/><motor joint='j'/></actuator>";


CF_TEST(AC14_fluid__one_body_asleep__force_on_the_awake_body_only) {
  Scene s =
      openScene("<option density='1.2' wind='3 0 0'><flag sleep='enable'/></option>", sleeper);
  mj_step(s.m, s.d);
  CF_EQ_INT(s.d->ntree_awake, 1);
  for (int i = 0; i < 12; i++) {
    s.d->qfrc_fluid[i] = 77;
  }
  mj_step(s.m, s.d);

  // entries of sleeping dofs are not touched at all
  for (int i = 0; i < 6; i++) {
    CF_NEAR(s.d->qfrc_fluid[i], 77, 0);
  }
  CF_TRUE(s.d->qfrc_fluid[6] > 0.01 && s.d->qfrc_fluid[6] < 1);
  closeScene(s);
}


CF_TEST(AC15_filterparent__disabled__parent_and_child_collide) {
  const char rest[] =
      "<worldbody><body><joint/><geom size='0.1'/><body pos='0.05 0 0'><joint/>"
      "<geom size='0.1'/></body></body></worldbody>";
  Scene s = openScene("", rest);
  mj_forward(s.m, s.d);
  CF_EQ_INT(s.d->ncon, 0);
  closeScene(s);
  s = openScene("<option><flag filterparent='disable'/></option>", rest);
  mj_forward(s.m, s.d);
  CF_EQ_INT(s.d->ncon, 1);
  CF_NEAR(s.d->contact[0].dist, -0.15, 1e-12);
  closeScene(s);
}


CF_TEST(AC26_bad_state__one_step__counter_survives_and_time_restarts) {
  cf_guardClear();
  Scene s = openScene("", driven);
  stepScene(s, 10);
  s.d->qpos[0] = mju_sqrt(-1);
  mj_step(s.m, s.d);
  CF_EQ_INT(s.d->warning[mjWARN_BADQPOS].number, 1);
  CF_NEAR(s.d->time, s.m->opt.timestep, 0);
  CF_TRUE(fabs(s.d->qpos[0]) < 0.01);
  s.d->qvel[0] = -1.1e10;
  mj_step(s.m, s.d);
  CF_EQ_INT(s.d->warning[mjWARN_BADQVEL].number, 1);
  CF_EQ_INT(s.d->warning[mjWARN_BADQPOS].number, 0);

  // a force that no mass withstands; the reset state is evaluated before the step ends
  s.d->qfrc_applied[0] = 1e300;
  mj_step(s.m, s.d);
  CF_EQ_INT(s.d->warning[mjWARN_BADQACC].number, 1);
  CF_NEAR(s.d->time, s.m->opt.timestep, 0);
  CF_TRUE(fabs(s.d->qacc[0]) < 1e3);
  closeScene(s);
}


CF_TEST(AC28_autoreset__disabled__state_is_kept) {
  cf_guardClear();
  Scene s = openScene("<option><flag autoreset='disable'/></option>", driven);
  stepScene(s, 10);
  s.d->qpos[0] = mju_sqrt(-1);
  mj_step(s.m, s.d);
  CF_TRUE(s.d->warning[mjWARN_BADQPOS].number >= 1);
  CF_TRUE(isnan(s.d->qpos[0]));
  CF_NEAR(s.d->time, 11 * s.m->opt.timestep, 1e-15);
  closeScene(s);
}


CF_TEST(AC29_control__bad_value__all_controls_count_as_zero_without_reset) {
  const mjtNum bad[] = {mju_sqrt(-1), 1.1e10, -1.1e10};
  for (int k = 0; k < 3; k++) {
    cf_guardClear();
    Scene s = openScene("", driven);
    stepScene(s, 5);
    const mjtNum qpos = s.d->qpos[0];
    s.d->ctrl[0] = 1;
    s.d->ctrl[1] = bad[k];
    mj_forward(s.m, s.d);
    CF_EQ_INT(s.d->warning[mjWARN_BADCTRL].number, 1);
    CF_EQ_INT(s.d->warning[mjWARN_BADCTRL].lastinfo, 1);
    CF_NEAR(s.d->actuator_force[0], 0, 0);
    CF_NEAR(s.d->actuator_force[1], 0, 0);
    CF_NEAR(s.d->qpos[0], qpos, 0);
    CF_NEAR(s.d->time, 5 * s.m->opt.timestep, 1e-15);

    // MuJoCo clears a copy: the array of the user keeps its values
    CF_NEAR(s.d->ctrl[0], 1, 0);
    closeScene(s);
  }
}


CF_TEST(AC30_sleeping_dof__bad_velocity__no_reset) {
  cf_guardClear();
  Scene s = openScene("<option><flag sleep='enable'/></option>", sleeper);
  stepScene(s, 3);
  CF_EQ_INT(s.d->ntree_awake, 1);
  s.d->qvel[0] = mju_sqrt(-1);
  mj_checkVel(s.m, s.d);
  CF_EQ_INT(s.d->warning[mjWARN_BADQVEL].number, 0);
  s.d->qacc[0] = mju_sqrt(-1);
  mj_checkAcc(s.m, s.d);
  CF_EQ_INT(s.d->warning[mjWARN_BADQACC].number, 0);
  s.d->qvel[6] = mju_sqrt(-1);
  mj_checkVel(s.m, s.d);
  CF_EQ_INT(s.d->warning[mjWARN_BADQVEL].number, 1);
  closeScene(s);
}


// two lattices of balls, each on one body, one of them sunk into the other
static Scene openLattices(const char* option) {
  char rest[1000];
  snprintf(rest, sizeof(rest),
           "<worldbody><body><replicate count='%d' offset='0.1 0 0'><replicate count='%d' "
           "offset='0 0.1 0'><geom size='0.049'/></replicate></replicate></body>"
           "<body pos='0.03 0.02 0.09'><freejoint/><replicate count='%d' offset='0.1 0 0'>"
           "<replicate count='%d' offset='0 0.1 0'><geom size='0.049'/></replicate></replicate>"
           "</body></worldbody>",
           16, 16, 16, 16);
  return openScene(option, rest);
}


static void expectSameContacts(Scene a, Scene b) {
  CF_EQ_INT(a.d->ncon, b.d->ncon);
  for (int k = 0; k < a.d->ncon; k++) {
    const mjContact *x = a.d->contact + k, *y = b.d->contact + k;
    CF_EQ_INT(x->geom[0], y->geom[0]);
    CF_EQ_INT(x->geom[1], y->geom[1]);
    CF_NEAR(x->dist, y->dist, 0);
    CF_NEAR_ARRAY(x->pos, y->pos, 3, 0);
    CF_NEAR_ARRAY(x->frame, y->frame, 9, 0);
  }
}


// two hulls of meshes, several on each body
static const char hulls[] =
    "<asset><mesh name='gem' vertex='0 0 .2 .1 0 0 -.1 0 0 0 .1 0 0 -.1 0 0 0 -.1 .07 .07 "
    ".05'/></asset>"
    "<worldbody><body><geom type='mesh' mesh='gem'/><geom type='mesh' mesh='gem' pos='.25 0 0'/>"
    "<geom type='mesh' mesh='gem' pos='.5 0 0'/></body><body pos='.1 .02 .15' euler='20 30 40'>"
    "<freejoint/><geom type='mesh' mesh='gem'/><geom type='mesh' mesh='gem' pos='.2 0 0'/>"
    "<geom type='mesh' mesh='gem' pos='.4 0 0'/></body></worldbody>";


CF_TEST(AC31_AC33_midphase__meshes_and_many_geoms__contacts_of_brute_force) {
  const char off[] = "<option><flag midphase='disable'/></option>";
  for (int k = 0; k < 2; k++) {
    Scene on = k ? openScene("", hulls) : openLattices("");
    Scene brute = k ? openScene(off, hulls) : openLattices(off);
    mj_forward(on.m, on.d);
    mj_forward(brute.m, brute.d);
    CF_TRUE(on.d->ncon > 0);
    expectSameContacts(on, brute);
    closeScene(on);
    closeScene(brute);
  }
}


static int pairs_tested;

// called for every pair of geoms that reaches the narrow phase's first test; keeps all
static int countPair(const mjModel* m, mjData* d, int geom1, int geom2) {
  (void)m, (void)d, (void)geom1, (void)geom2;
  pairs_tested++;
  return 0;
}


static int pairsTested(Scene s) {
  pairs_tested = 0;
  mjcb_contactfilter = countPair;
  mj_collision(s.m, s.d);
  mjcb_contactfilter = NULL;
  return pairs_tested;
}


// MuJoCo's midphase prunes the geoms of two bodies (meshes collide by their hulls): 256 of them
// each.  The work is counted in pairs of geoms that are looked at, not in seconds
CF_TEST(AC32_midphase__256_geoms_per_body__less_than_half_the_pairs) {
  Scene on = openLattices(""), brute = openLattices("<option><flag midphase='disable'/></option>");
  mj_forward(on.m, on.d);
  mj_forward(brute.m, brute.d);
  const int few = pairsTested(on), all = pairsTested(brute);
  printf("midphase looks at %d pairs, brute force at %d\n", few, all);
  CF_EQ_INT(all, 256 * 256);
  CF_TRUE(few >= on.d->ncon && on.d->ncon > 0);
  CF_TRUE(2 * few < all);
  closeScene(on);
  closeScene(brute);
}

// ---------------------------------------- for programs

CF_TEST(flags__public_tests__say_what_the_options_say) {
  Scene s = openScene(
      "<option actuatorgroupdisable='3 30'><flag contact='disable' energy='enable'/></option>",
      "<worldbody><body><joint name='j'/><geom size='0.1'/></body></worldbody><actuator>"
      "<motor joint='j' group='3'/><motor joint='j' group='30'/><motor joint='j' group='2'/></actuator>");
  CF_EQ_INT(cf_flagDisabled(s.m, mjDSBL_CONTACT), 1);
  CF_EQ_INT(cf_flagDisabled(s.m, mjDSBL_GRAVITY), 0);
  CF_EQ_INT(cf_flagDisabled(s.m, mjDSBL_GRAVITY | mjDSBL_CONTACT), 1);
  CF_EQ_INT(cf_flagEnabled(s.m, mjENBL_ENERGY), 1);
  CF_EQ_INT(cf_flagEnabled(s.m, mjENBL_SLEEP), 0);
  CF_EQ_INT(cf_actuatorDisabled(s.m, 0), 1);
  CF_EQ_INT(cf_actuatorDisabled(s.m, 1), 1);
  CF_EQ_INT(cf_actuatorDisabled(s.m, 2), 0);

  // a group below 0 or above 30 always acts, and there is no fourth actuator
  s.m->actuator_group[0] = -1;
  s.m->actuator_group[1] = 31;
  s.m->opt.disableactuator = -1;
  CF_EQ_INT(cf_actuatorDisabled(s.m, 0), 0);
  CF_EQ_INT(cf_actuatorDisabled(s.m, 1), 0);
  CF_EQ_INT(cf_actuatorDisabled(s.m, 2), 1);
  CF_EQ_INT(cf_actuatorDisabled(s.m, 3) + cf_actuatorDisabled(s.m, -1), 0);
  closeScene(s);
}


CF_TEST_MAIN("flags/checks")
