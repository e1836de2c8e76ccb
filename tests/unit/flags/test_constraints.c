// Flags that act on constraints.  Names give the criterion of the source document.
#include <math.h>
#include <string.h>

#include <mujoco/mujoco.h>

#include "cf_recorded.h"
#include "cf_test.h"
#include "cf_text.h"

typedef struct {
  mjModel* m;
  mjData* d;
} Case;


static Case openText(const char* flags, const char* rest) {
  char xml[2000];
  snprintf(xml, sizeof(xml), "<mujoco><option>%s</option>%s</mujoco>", flags, rest);
  mjModel* m = cf_compileText(xml);
  return (Case){m, mj_makeData(m)};
}


static void closeCase(Case c) {
  mj_deleteData(c.d);
  mj_deleteModel(c.m);
}


static void steps(Case c, int n) {
  for (int k = 0; k < n; k++) {
    mj_step(c.m, c.d);
  }
}

static const char ball_on_floor[] =
    "<worldbody><geom type='plane' size='1 1 1'/><body pos='0 0 0.09'><freejoint/>"
    "<geom size='0.1'/></body></worldbody>";
static const char hinge[] =
    "<worldbody><body><joint axis='0 1 0' range='0 90' damping='0.01'/><geom size='0.1' pos='0.3 0 "
    "0'/>"
    "</body></worldbody>";
static const char welded[] =
    "<worldbody><body name='a'><freejoint/><geom size='0.1'/></body><body name='b' pos='1 0 0' "
    "gravcomp='1'><freejoint/><geom size='0.1'/></body></worldbody>"
    "<equality><weld body1='a' body2='b'/></equality>";


CF_TEST(AC1_contact__disabled__body_falls_through_the_floor) {
  Case c = openText("<flag contact='disable'/>", ball_on_floor);
  steps(c, 250);
  CF_EQ_INT(c.d->ncon, 0);
  CF_TRUE(c.d->qpos[2] < -0.5);
  closeCase(c);

  c = openText("", ball_on_floor);
  steps(c, 250);
  CF_TRUE(c.d->qpos[2] > 0.09);
  closeCase(c);
}


CF_TEST(AC3_limit__disabled__hinge_passes_its_range) {
  Case c = openText("<flag limit='disable'/>", hinge);
  steps(c, 400);
  CF_TRUE(c.d->qpos[0] > mjPI / 2 + 0.1);
  CF_EQ_INT(c.d->nefc, 0);
  closeCase(c);
}


CF_TEST(AC4_equality__disabled__bodies_separate) {
  Case c = openText("<flag equality='disable'/>", welded);
  steps(c, 100);
  CF_EQ_INT(c.d->ne, 0);
  CF_NEAR(c.d->qpos[9], 0, 1e-12);
  CF_TRUE(c.d->qpos[2] < -0.1);
  closeCase(c);

  c = openText("", welded);
  steps(c, 100);
  CF_EQ_INT(c.d->ne, 6);
  CF_NEAR(mju_dist3(c.d->xpos + 3, c.d->xpos + 6), 1, 0.01);
  closeCase(c);
}


// every kind of equality in one model: a connect, a weld, two joints, two tendons, and the edges,
// the metric and the strain of flexes
static const char all_equalities[] =
    "<worldbody><body name='a'><freejoint/><geom size='.1'/><site name='sa'/></body>"
    "<body name='b' pos='1 0 0'><freejoint/><geom size='.1'/><site name='sb'/></body>"
    "<body name='c' pos='2 0 0'><joint name='j1'/><geom size='.1' pos='0 .2 0'/></body>"
    "<body name='d' pos='3 0 0'><joint name='j2'/><geom size='.1' pos='0 .2 0'/></body>"
    "<flexcomp name='f' type='grid' count='3 3 1' spacing='.1 .1 .1' pos='0 2 0' dim='2' mass='1'>"
    "<edge equality='true'/><contact selfcollide='none'/></flexcomp>"
    "<flexcomp name='g' type='grid' count='3 3 1' spacing='.1 .1 .1' pos='0 3 0' dim='2' mass='1'>"
    "<edge equality='vert'/><contact selfcollide='none'/></flexcomp></worldbody>"
    "<tendon><fixed name='t1'><joint joint='j1' coef='1'/></fixed><fixed name='t2'><joint joint='j2' coef='2'/>"
    "</fixed></tendon>"
    "<equality><connect body1='a' body2='b' anchor='.5 0 0'/><weld body1='a' body2='b'/>"
    "<joint joint1='j1' joint2='j2'/><tendon tendon1='t1' tendon2='t2'/></equality>";


CF_TEST(AC4_equality__disabled__no_kind_of_row_and_no_force) {
  const int kinds[] = {mjEQ_CONNECT, mjEQ_WELD, mjEQ_JOINT, mjEQ_TENDON, mjEQ_FLEX, mjEQ_FLEXVERT};
  const int count = sizeof(kinds) / sizeof(kinds[0]);
  Case on = openText("", all_equalities),
       off = openText("<flag equality='disable'/>", all_equalities);
  for (int i = 0; i < on.m->nv; i++) {
    on.d->qvel[i] = off.d->qvel[i] = 0.1 * (i % 7) - 0.3;
  }
  mj_forward(on.m, on.d);
  mj_forward(off.m, off.d);
  for (int k = 0; k < count; k++) {
    int rows = 0;
    for (int r = 0; r < on.d->nefc; r++) {
      rows += on.d->efc_type[r] == mjCNSTR_EQUALITY && on.m->eq_type[on.d->efc_id[r]] == kinds[k];
    }
    if (!rows) {
      CF_FAIL("no row of equality type %d to disable\n", kinds[k]);
    }
  }
  CF_EQ_INT(off.d->ne, 0);
  CF_EQ_INT(off.d->nefc, 0);
  CF_EQ_BYTES(off.d->qacc, off.d->qacc_smooth, sizeof(mjtNum) * off.m->nv);
  closeCase(on);
  closeCase(off);
}


CF_TEST(AC8_warmstart__disabled__result_does_not_depend_on_qacc_warmstart) {
  Case c = openText("<flag warmstart='disable'/>", ball_on_floor);
  mj_forward(c.m, c.d);
  mjtNum cold[6];
  mju_copy(cold, c.d->qacc, 6);
  CF_TRUE(c.d->nefc > 0);
  for (int i = 0; i < 6; i++) {
    c.d->qacc_warmstart[i] = 1e3 * (i - 2);
  }
  mj_forward(c.m, c.d);
  CF_EQ_BYTES(c.d->qacc, cold, sizeof(cold));
  closeCase(c);
}


CF_TEST(AC9_constraint__disabled__no_rows_no_contacts) {
  Case c = openText("<flag constraint='disable'/>", ball_on_floor);
  steps(c, 3);
  CF_EQ_INT(c.d->ncon, 0);
  CF_EQ_INT(c.d->nefc, 0);
  CF_EQ_BYTES(c.d->qacc, c.d->qacc_smooth, 6 * sizeof(mjtNum));
  closeCase(c);
}


CF_TEST(AC16_frictionloss__disabled__joint_turns_freely) {
  const char model[] =
      "<worldbody><body gravcomp='1'><joint frictionloss='10'/><geom size='0.1' pos='0.2 0 "
      "0'/></body>"
      "</worldbody>";
  Case c = openText("<flag frictionloss='disable'/>", model);
  c.d->qvel[0] = 1;
  mj_forward(c.m, c.d);
  CF_EQ_INT(c.d->nf, 0);
  CF_NEAR(c.d->qacc[0], 0, 1e-12);
  closeCase(c);

  c = openText("", model);
  c.d->qvel[0] = 1;
  mj_forward(c.m, c.d);
  CF_EQ_INT(c.d->nf, 1);
  CF_TRUE(c.d->qacc[0] < -1);
  closeCase(c);
}


CF_TEST(AC17_refsafe__disabled__time_constant_is_not_raised) {
  // K = 1 / (dmax^2 timeconst^2 dampratio^2); 2*timestep is 0.004
  const char model[] =
      "<worldbody><body><joint axis='0 1 0' range='10 20' solreflimit='0.001 1'/>"
      "<geom size='0.1' pos='0.3 0 0'/></body></worldbody>";
  Case c = openText("<flag refsafe='disable'/>", model);
  mj_forward(c.m, c.d);
  CF_NEAR(c.d->efc_KBIP[0], 1 / (0.95 * 0.95 * 0.001 * 0.001), 1e-4);
  closeCase(c);

  c = openText("", model);
  mj_forward(c.m, c.d);
  CF_NEAR(c.d->efc_KBIP[0], 1 / (0.95 * 0.95 * 0.004 * 0.004), 1e-6);
  closeCase(c);
}


// the stage alone, constraints disabled or not
CF_TEST(AC23_fwdConstraint__no_rows__qfrc_constraint_is_zeroed) {
  for (int k = 0; k < 2; k++) {
    Case c = openText("", hinge);
    c.d->qpos[0] = 0.5;
    mj_forward(c.m, c.d);
    CF_EQ_INT(c.d->nefc, 0);
    c.m->opt.disableflags = k ? mjDSBL_CONSTRAINT : 0;
    c.d->qfrc_constraint[0] = 7;
    mj_fwdConstraint(c.m, c.d);
    CF_NEAR(c.d->qfrc_constraint[0], 0, 0);
    CF_NEAR(c.d->qacc[0], c.d->qacc_smooth[0], 0);
    closeCase(c);
  }
}


CF_TEST(islands__disabled_or_enabled__same_accelerations) {
  mjtNum qacc[2][12];
  for (int k = 0; k < 2; k++) {
    Case c =
        openText(k ? "<flag island='disable'/>" : "",
                 "<worldbody><geom type='plane' size='1 1 1'/><body pos='0 0 0.09'><freejoint/>"
                 "<geom size='0.1'/></body><body pos='1 0 0.09'><freejoint/><geom size='0.1'/>"
                 "</body></worldbody>");
    c.d->qvel[0] = 0.3;
    mj_forward(c.m, c.d);
    CF_EQ_INT(c.d->nisland, k ? 0 : 2);
    mju_copy(qacc[k], c.d->qacc, 12);
    closeCase(c);
  }
  CF_NEAR_ARRAY(qacc[0], qacc[1], 12, 1e-10);
}

CF_TEST_MAIN("constraint/flags")
