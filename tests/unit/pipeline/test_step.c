// Steps, integrators, checks and flags.  ACn are the acceptance criteria of the flag specification.
#include "cf_test.h"
#include "cf_threads.h"

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>

#include "cf_smooth.h"
#include "cf_text.h"

enum { MAXQ = 100 };

static int warnings;


static void countWarning(const char* text) {
  (void)text;
  warnings++;
}


static cfCase openQuiet(const char* name) {
  mju_user_warning = countWarning;
  warnings = 0;
  return cf_openCase(name);
}


static void manySteps(cfCase c, int count) {
  for (int k = 0; k < count; k++) {
    mj_step(c.m, c.d);
  }
}


// a state near the reference
static void gentleState(cfCase c, unsigned seed) {
  mj_resetData(c.m, c.d);
  for (int i = 0; i < c.m->nv; i++) {
    c.d->qvel[i] = cf_random(&seed);
  }
  mj_integratePos(c.m, c.d->qpos, c.d->qvel, 0.1);
}


static mjtNum totalEnergy(cfCase c) {
  mj_forward(c.m, c.d);
  return c.d->energy[0] + c.d->energy[1];
}


CF_TEST(step__two_halves__equal_the_whole) {
  const int integrator[] = {mjINT_EULER, mjINT_IMPLICIT, mjINT_IMPLICITFAST};
  for (int i = 0; i < 3; i++) {
    cfCase a = cf_openCase("delay"), b = cf_openCase("delay");
    a.m->opt.integrator = b.m->opt.integrator = integrator[i];
    for (int k = 0; k < 20; k++) {
      a.d->ctrl[0] = a.d->ctrl[2] = 0.1 * k;
      mj_step(a.m, a.d);
      mj_step1(b.m, b.d);
      b.d->ctrl[0] = b.d->ctrl[2] = 0.1 * k;
      mj_step2(b.m, b.d);
      CF_EQ_BYTES(a.d->qpos, b.d->qpos, sizeof(mjtNum) * a.m->nq);
      CF_EQ_BYTES(a.d->qvel, b.d->qvel, sizeof(mjtNum) * a.m->nv);
      CF_EQ_BYTES(a.d->act, b.d->act, sizeof(mjtNum) * a.m->na);
    }
    CF_EQ_INT(b.d->timer[mjTIMER_STEP].number, 20);
    cf_closeCase(a);
    cf_closeCase(b);
  }
}


// two trees with joint damping, one of them with branches
static const char damped_xml[] =
    "<mujoco><worldbody><body><joint axis='0 1 0' damping='.1'/><geom size='.1' pos='.3 0 0'/>"
    "<body pos='.5 0 0'><joint axis='1 0 .2' damping='.2'/><joint axis='0 0 1'/>"
    "<geom size='.1' pos='.2 .1 0'/><body pos='.3 0 0'><joint axis='0 1 0'/>"
    "<geom size='.1' pos='.1 0 0'/></body></body><body pos='0 .5 0'><joint axis='1 0 0'/>"
    "<geom size='.1' pos='0 .2 0'/></body></body><body pos='0 0 2'><freejoint/><geom size='.1'/>"
    "<body pos='.3 0 0'><joint damping='.3'/><geom size='.1' pos='.1 0 0'/></body></body>"
    "</worldbody></mujoco>";


// a whole step factors M and M + h*diag(damping) at once, two halves one after the other
CF_TEST(step__damped_trees__bits_of_two_halves) {
  mjModel* m = cf_compileText(damped_xml);
  mjData *a = mj_makeData(m), *b = mj_makeData(m);
  for (int k = 0; k < 30; k++) {
    mj_step(m, a);
    mj_step1(m, b);
    mj_step2(m, b);
    CF_EQ_BYTES(a->qpos, b->qpos, sizeof(mjtNum) * m->nq);
    CF_EQ_BYTES(a->qvel, b->qvel, sizeof(mjtNum) * m->nv);
    CF_EQ_BYTES(a->qLD, b->qLD, sizeof(mjtNum) * m->nC);
    CF_EQ_BYTES(a->qH, b->qH, sizeof(mjtNum) * m->nC);
    CF_EQ_BYTES(a->qHDiagInv, b->qHDiagInv, sizeof(mjtNum) * m->nv);
  }
  mj_deleteData(b);
  mj_deleteData(a);
  mj_deleteModel(m);
}


// what was factored before belongs to the state that was left
CF_TEST(step__damped_trees_and_bad_acceleration__goes_on_from_the_reset_state) {
  mju_user_warning = countWarning;
  mjModel* m = cf_compileText(damped_xml);
  mjData *fresh = mj_makeData(m), *reset = mj_makeData(m);
  mj_step(m, fresh);
  for (int k = 0; k < 2; k++) {
    for (int i = 0; i < 3; i++) {
      reset->qpos[i] = 1 + i;
    }
    reset->qfrc_applied[2] = 1e15;
    mj_step(m, reset);
    CF_EQ_INT(reset->warning[mjWARN_BADQACC].number, 1);
    CF_EQ_BYTES(fresh->qpos, reset->qpos, sizeof(mjtNum) * m->nq);
    CF_EQ_BYTES(fresh->qvel, reset->qvel, sizeof(mjtNum) * m->nv);
  }
  mj_deleteData(reset);
  mj_deleteData(fresh);
  mj_deleteModel(m);
}


CF_TEST(rungeKutta__conservative_model__energy_stays) {
  cfCase c = cf_openCase("pendulum");
  c.m->opt.integrator = mjINT_RK4;
  c.m->opt.enableflags |= mjENBL_ENERGY;
  gentleState(c, 1);
  const mjtNum before = totalEnergy(c);
  manySteps(c, 2000);
  CF_NEAR(totalEnergy(c), before, 1e-6 * fabs(before));
  cf_closeCase(c);
}


CF_TEST(euler__conservative_model__energy_drift_is_bounded) {
  cfCase c = cf_openCase("pendulum");
  c.m->opt.enableflags |= mjENBL_ENERGY;
  gentleState(c, 1);
  const mjtNum before = totalEnergy(c);
  manySteps(c, 2000);
  CF_NEAR(totalEnergy(c), before, 0.02 * fabs(before));
  cf_closeCase(c);
}


// end positions after 0.2 s with n steps
static void finalPosition(mjtNum* qpos, int integrator, int n) {
  cfCase c = cf_openCase("pendulum");
  c.m->opt.integrator = integrator;
  c.m->opt.timestep = 0.2 / n;
  gentleState(c, 2);
  manySteps(c, n);
  CF_NEAR(c.d->time, 0.2, 1e-12);
  memcpy(qpos, c.d->qpos, sizeof(mjtNum) * c.m->nq);
  cf_closeCase(c);
}


static mjtNum positionError(const mjtNum* a, const mjtNum* b, int n) {
  mjtNum worst = 0;
  for (int i = 0; i < n; i++) {
    worst = fmax(worst, fabs(a[i] - b[i]));
  }
  return worst;
}


// halving the step divides the error by 2 with Euler; RK4 has order 4 for scalar joints, but
// combines rotations by their velocities and is of order 2 where quaternions turn about changing
// axes
CF_TEST(integrators__halved_timestep__errors_shrink_with_their_order) {
  mjtNum exact[MAXQ], coarse[MAXQ], fine[MAXQ];
  const int nq = 4 + 1 + 1 + 7 + 1;
  finalPosition(exact, mjINT_RK4, 6400);
  finalPosition(coarse, mjINT_RK4, 50);
  finalPosition(fine, mjINT_RK4, 100);
  const mjtNum ratio = positionError(coarse, exact, nq) / positionError(fine, exact, nq);
  CF_TRUE(ratio > 3.5);

  finalPosition(coarse, mjINT_EULER, 400);
  finalPosition(fine, mjINT_EULER, 800);
  const mjtNum first = positionError(coarse, exact, nq) / positionError(fine, exact, nq);
  CF_TRUE(first > 1.7 && first < 2.3);
}


// a box alone, whose inertia has no entries beside the diagonal, and an arm in honey
CF_TEST(implicit__entries_with_and_without_mass__acceleration_solves_the_system) {
  mjModel* m = cf_compileText(
      "<mujoco><option integrator='implicit' viscosity='2' density='100'/><worldbody>"
      "<body><freejoint/><geom type='box' size='.1 .2 .3'/></body><body pos='2 0 0'>"
      "<joint axis='0 1 0' damping='1'/><geom type='capsule' size='.1' fromto='0 0 0 1 0 0'/>"
      "<body pos='1 0 0'><joint axis='0 0 1'/><joint axis='0 1 0'/>"
      "<geom type='capsule' size='.1' fromto='0 0 0 1 .2 0'/></body></body></worldbody></mujoco>");
  mjData* d = mj_makeData(m);
  unsigned seed = 3;
  int massless = 0;
  mjtNum before[MAXQ], force[MAXQ], acc[MAXQ], product[MAXQ];
  const int nv = (int)m->nv;
  for (int i = 0; i < nv; i++) {
    before[i] = d->qvel[i] = 2 * cf_random(&seed);
  }
  for (int k = 0; k < m->nD; k++) {
    massless += m->mapM2D[k] < 0;
  }
  CF_TRUE(massless > 0 && massless < m->nD && m->nD % 4 != 0);
  mj_forward(m, d);
  mju_add(force, d->qfrc_smooth, d->qfrc_constraint, nv);
  mj_implicit(m, d);

  // (M - h*qDeriv)*acc = force
  for (int i = 0; i < nv; i++) {
    acc[i] = (d->qvel[i] - before[i]) / m->opt.timestep;
  }
  mj_mulM(m, d, product, acc);
  for (int i = 0; i < nv; i++) {
    for (int k = m->D_rowadr[i]; k < m->D_rowadr[i] + m->D_rownnz[i]; k++) {
      product[i] -= m->opt.timestep * d->qDeriv[k] * acc[m->D_colind[k]];
    }
    CF_NEAR(product[i], force[i], 1e-9 * mju_norm(force, nv));
  }
  mj_deleteData(d);
  mj_deleteModel(m);
}


CF_TEST(gravity__AC2_disabled__free_body_rests) {
  cfCase c = cf_openCase("pendulum");
  c.m->opt.disableflags |= mjDSBL_GRAVITY | mjDSBL_SPRING;
  c.m->opt.enableflags |= mjENBL_ENERGY;
  mj_forward(c.m, c.d);
  for (int i = 0; i < c.m->nv; i++) {
    CF_NEAR(c.d->qacc[i], 0, 1e-14);
  }
  CF_NEAR(c.d->energy[0], 0, 0);
  cf_closeCase(c);
}


CF_TEST(constraint__AC9_disabled__qacc_is_qacc_smooth) {
  cfCase c = cf_openCase("zoo");
  c.m->opt.disableflags |= mjDSBL_CONSTRAINT;
  cf_randomState(c, 1);
  mj_forward(c.m, c.d);
  CF_EQ_INT(c.d->ncon, 0);
  CF_EQ_INT(c.d->nefc, 0);
  CF_EQ_BYTES(c.d->qacc, c.d->qacc_smooth, sizeof(mjtNum) * c.m->nv);
  cf_closeCase(c);
}


CF_TEST(AC13_energy__flag_clear__explicit_zeros) {
  cfCase c = cf_openCase("pendulum");
  cf_randomState(c, 1);
  c.d->energy[0] = c.d->energy[1] = 5;
  mj_forward(c.m, c.d);
  CF_NEAR(c.d->energy[0], 0, 0);
  CF_NEAR(c.d->energy[1], 0, 0);
  c.m->opt.enableflags |= mjENBL_ENERGY;
  mj_forward(c.m, c.d);
  CF_TRUE(c.d->energy[0] != 0 && c.d->energy[1] > 0);
  cf_closeCase(c);
}


// velocity change of one Euler step, with the given flags disabled
static void velocityChange(mjtNum* change, cfCase* c, int disabled) {
  *c = cf_openCase("delay");
  c->m->opt.disableflags |= disabled;
  cf_randomState(*c, 3);
  memcpy(change, c->d->qvel, sizeof(mjtNum) * c->m->nv);
  mj_step(c->m, c->d);
  for (int i = 0; i < c->m->nv; i++) {
    change[i] = (c->d->qvel[i] - change[i]) / c->m->opt.timestep;
  }
}


CF_TEST(AC20_eulerdamp__disabled_or_no_damper__explicit_velocity) {
  mjtNum change[MAXQ];
  cfCase c;
  const int explicit[] = {mjDSBL_EULERDAMP, mjDSBL_DAMPER};
  for (int k = 0; k < 2; k++) {
    velocityChange(change, &c, explicit[k]);
    CF_NEAR_ARRAY(change, c.d->qacc, c.m->nv, 1e-11);
    cf_closeCase(c);
  }

  // implicit: (M + h*B)*change = M*qacc
  velocityChange(change, &c, 0);
  mjtNum left[MAXQ], right[MAXQ];
  mj_mulM(c.m, c.d, left, change);
  mj_mulM(c.m, c.d, right, c.d->qacc);
  for (int i = 0; i < c.m->nv; i++) {
    left[i] += c.m->opt.timestep * c.m->dof_damping[i] * change[i];
  }
  CF_NEAR_ARRAY(left, right, c.m->nv, 1e-11);
  cf_closeCase(c);
}


CF_TEST(actuatorGroup__AC22_disabled__activation_is_frozen) {
  cfCase c = cf_openCase("delay");
  c.m->opt.disableactuator = 1 << 2;
  c.d->ctrl[3] = c.d->ctrl[4] = 1;
  c.d->act[2] = 0.125;
  manySteps(c, 3);
  CF_NEAR(c.d->act[2], 0.125, 0);
  CF_NEAR(c.d->actuator_force[4], 0, 0);
  CF_NEAR(c.d->act[1], 3 * c.m->opt.timestep, 1e-15);
  cf_closeCase(c);
}


CF_TEST(autoreset__AC26_bad_state__warned_and_reset) {
  cfCase c = openQuiet("pendulum");
  c.d->time = 1;
  c.d->qpos[4] = NAN;
  mj_step(c.m, c.d);
  CF_TRUE(c.d->warning[mjWARN_BADQPOS].number > 0);
  CF_EQ_INT(c.d->warning[mjWARN_BADQPOS].lastinfo, 4);
  CF_NEAR(c.d->time, c.m->opt.timestep, 0);
  CF_TRUE(!isnan(c.d->qpos[4]));

  c.d->time = 1;
  c.d->qvel[3] = NAN;
  mj_checkVel(c.m, c.d);
  CF_TRUE(c.d->warning[mjWARN_BADQVEL].number > 0);
  CF_NEAR(c.d->time, 0, 0);
  CF_NEAR(c.d->qvel[3], 0, 0);

  // after a bad acceleration the reset state is evaluated
  mj_forward(c.m, c.d);
  mjtNum rest[MAXQ];
  memcpy(rest, c.d->qacc, sizeof(mjtNum) * c.m->nv);
  c.d->qpos[4] = 1;
  c.d->qacc[0] = NAN;
  mj_checkAcc(c.m, c.d);
  CF_TRUE(c.d->warning[mjWARN_BADQACC].number > 0);
  CF_NEAR(c.d->qpos[4], 0, 0);
  CF_NEAR_ARRAY(c.d->qacc, rest, c.m->nv, 0);
  CF_TRUE(warnings >= 3);
  cf_closeCase(c);
}


CF_TEST(AC27_autoreset__beyond_1e10__as_bad_as_nan) {
  const mjtNum value[] = {1.1e10, -1.1e10, 0.9e10};
  for (int k = 0; k < 3; k++) {
    cfCase c = openQuiet("pendulum");
    c.d->qvel[3] = value[k];
    mj_checkVel(c.m, c.d);
    CF_EQ_INT(c.d->warning[mjWARN_BADQVEL].number > 0, k < 2);
    CF_NEAR(c.d->qvel[3], k < 2 ? 0 : value[k], 0);
    cf_closeCase(c);

    // positions: the number of the slide that leads the second tree
    c = openQuiet("pendulum");
    const mjtNum rest = c.m->qpos0[0];
    c.d->qpos[0] = value[k];
    c.d->time = 1;
    mj_checkPos(c.m, c.d);
    CF_EQ_INT(c.d->warning[mjWARN_BADQPOS].number > 0, k < 2);
    CF_NEAR(c.d->qpos[0], k < 2 ? rest : value[k], 0);
    CF_NEAR(c.d->time, k < 2 ? 0 : 1, 0);
    cf_closeCase(c);

    // accelerations
    c = openQuiet("pendulum");
    mj_forward(c.m, c.d);
    c.d->qacc[1] = value[k];
    c.d->time = 1;
    mj_checkAcc(c.m, c.d);
    CF_EQ_INT(c.d->warning[mjWARN_BADQACC].number > 0, k < 2);
    CF_NEAR(c.d->time, k < 2 ? 0 : 1, 0);
    cf_closeCase(c);
  }
}


CF_TEST(autoreset__AC28_disabled__warned_only) {
  cfCase c = openQuiet("pendulum");
  c.m->opt.disableflags |= mjDSBL_AUTORESET;
  c.d->qpos[4] = NAN;
  mj_checkPos(c.m, c.d);
  CF_TRUE(c.d->warning[mjWARN_BADQPOS].number > 0);
  CF_TRUE(isnan(c.d->qpos[4]));
  cf_closeCase(c);
}


CF_TEST(autoreset__AC30_sleeping_dof__is_not_checked) {
  cfCase c = openQuiet("pendulum");
  c.m->opt.enableflags |= mjENBL_SLEEP;
  mj_forward(c.m, c.d);

  // the first tree sleeps
  c.d->ntree_awake = (int)c.m->ntree - 1;
  c.d->nv_awake = (int)c.m->nv - c.m->tree_dofnum[0];
  for (int v = 0; v < c.d->nv_awake; v++) {
    c.d->dof_awake_ind[v] = c.m->tree_dofnum[0] + v;
  }
  c.d->qvel[0] = NAN;
  mj_checkVel(c.m, c.d);
  CF_EQ_INT(c.d->warning[mjWARN_BADQVEL].number, 0);
  c.d->qvel[c.m->nv - 1] = NAN;
  mj_checkVel(c.m, c.d);
  CF_TRUE(c.d->warning[mjWARN_BADQVEL].number > 0);
  cf_closeCase(c);
}


static mjtNum fakeClock(void) {
  static mjtNum ticks = 0;
  return ticks += 1;
}


static int control_calls;


static void countControl(const mjModel* m, mjData* d) {
  (void)m, (void)d;
  control_calls++;
}


CF_TEST(step__with_clock_and_controller__timers_and_one_call) {
  cfCase c = cf_openCase("pendulum");
  mjcb_time = fakeClock;
  mjcb_control = countControl;
  control_calls = 0;
  manySteps(c, 3);
  mjcb_time = NULL;
  mjcb_control = NULL;
  CF_EQ_INT(control_calls, 3);
  for (int t = 0; t < mjNTIMER; t++) {
    const bool runs = t != mjTIMER_INVERSE && t != mjTIMER_ACTUATION && t < mjTIMER_POS_COLLISION;
    CF_TRUE(!runs || c.d->timer[t].number == 3);
    CF_TRUE(!runs || c.d->timer[t].duration > 0);
  }
  CF_TRUE(c.d->timer[mjTIMER_STEP].duration > c.d->timer[mjTIMER_FORWARD].duration);
  cf_closeCase(c);
}


CF_TEST(forwardSkip__velocity_changed__positions_are_kept) {
  cfCase c = cf_openCase("zoo");
  cf_randomState(c, 1);
  mj_forward(c.m, c.d);
  mjtNum full[MAXQ];
  c.d->qvel[0] += 1;
  mj_forward(c.m, c.d);
  memcpy(full, c.d->qacc, sizeof(mjtNum) * c.m->nv);
  c.d->qvel[0] -= 1;
  mj_forward(c.m, c.d);
  c.d->qvel[0] += 1;
  mj_forwardSkip(c.m, c.d, mjSTAGE_POS, 1);
  CF_EQ_BYTES(c.d->qacc, full, sizeof(mjtNum) * c.m->nv);
  cf_closeCase(c);
}


// cameras that do not stand where the bodies of this moment would put them
static int nstale;

static void lookAtCameras(const mjModel* m, mjData* d) {
  mjtNum seen[12] = {0};
  const size_t bytes = sizeof(mjtNum) * 3 * (size_t)(m->ncam < 4 ? m->ncam : 4);
  memcpy(seen, d->cam_xpos, bytes);
  mj_camlight(m, d);
  nstale += memcmp(seen, d->cam_xpos, bytes) != 0;
}


// inner stages of RK4 leave cameras, lights and energy out unless a callback may look at them
CF_TEST(rungekutta__with_and_without_onlookers__same_outputs) {
  cfCase a = cf_openCase("zoo"), b = cf_openCase("zoo");
  CF_TRUE(a.m->ncam > 0 && a.m->nlight > 0);
  a.m->opt.integrator = b.m->opt.integrator = mjINT_RK4;
  a.m->opt.enableflags |= mjENBL_ENERGY;
  b.m->opt.enableflags |= mjENBL_ENERGY;
  cf_randomState(a, 1);
  cf_randomState(b, 1);
  nstale = 0;
  for (int k = 0; k < 5; k++) {
    mj_step(a.m, a.d);
    mjcb_control = lookAtCameras;
    mj_step(b.m, b.d);
    mjcb_control = NULL;
    CF_EQ_BYTES(a.d->qpos, b.d->qpos, sizeof(mjtNum) * a.m->nq);
    CF_EQ_BYTES(a.d->cam_xpos, b.d->cam_xpos, sizeof(mjtNum) * 3 * a.m->ncam);
    CF_EQ_BYTES(a.d->cam_xmat, b.d->cam_xmat, sizeof(mjtNum) * 9 * a.m->ncam);
    CF_EQ_BYTES(a.d->light_xpos, b.d->light_xpos, sizeof(mjtNum) * 3 * a.m->nlight);
    CF_EQ_BYTES(a.d->energy, b.d->energy, sizeof(a.d->energy));
  }
  CF_EQ_INT(nstale, 0);
  cf_closeCase(b);
  cf_closeCase(a);
}


CF_TEST(step__with_thread_pool__same_bits) {
  cfCase a = cf_openCase("zoo"), b = cf_openCase("zoo");
  mjThreadPool* pool = mju_threadPoolCreate(2);
  mju_bindThreadPool(b.d, pool);
  cf_keepThreads(b.d);
  cf_randomState(a, 1);
  cf_randomState(b, 1);
  for (int k = 0; k < 50; k++) {
    mj_step(a.m, a.d);
    mj_step(b.m, b.d);
    CF_EQ_BYTES(a.d->qpos, b.d->qpos, sizeof(mjtNum) * a.m->nq);
    CF_EQ_BYTES(a.d->qacc, b.d->qacc, sizeof(mjtNum) * a.m->nv);
  }
  cf_closeCase(b);
  mju_threadPoolDestroy(pool);
  cf_closeCase(a);
}


static uintptr_t pool_seen;

static void lookAtPool(const mjModel* m, mjData* d) {
  (void)m;
  pool_seen = d->threadpool;
}


// one tree has nothing to share: the pool is out of the way inside of a step, and nobody can tell
CF_TEST(step__pool_and_a_single_tree__same_bits_and_pool_stays_bound) {
  mjModel* m = cf_compileText(
      "<mujoco><worldbody><geom type='plane' size='5 5 1'/><body pos='0 0 .2'><freejoint/>"
      "<geom type='box' size='.1 .1 .1'/><body pos='.2 0 0'><joint axis='0 1 0'/>"
      "<geom type='capsule' size='.05 .1'/></body></body></worldbody></mujoco>");
  mjData *alone = mj_makeData(m), *pooled = mj_makeData(m);
  mjThreadPool* pool = mju_threadPoolCreate(2);
  mju_bindThreadPool(pooled, pool);
  cf_keepThreads(pooled);
  for (int k = 0; k < 200; k++) {
    // a program that looks on sees the pool; bad numbers reset the data in the middle of a step
    mjcb_control = k % 50 == 20 ? lookAtPool : NULL;
    if (k == 120) {
      alone->qpos[0] = pooled->qpos[0] = NAN;
    }
    mj_step(m, alone);
    mj_step(m, pooled);
    CF_EQ_BYTES(alone->qpos, pooled->qpos, sizeof(mjtNum) * m->nq);
    CF_EQ_BYTES(alone->qacc, pooled->qacc, sizeof(mjtNum) * m->nv);
    CF_TRUE(pooled->threadpool == (uintptr_t)pool && pooled->pstack == 0);
    CF_TRUE(!mjcb_control || pool_seen == (uintptr_t)pool);
    CF_TRUE(pooled->maxuse_stack <= alone->maxuse_stack);
    CF_TRUE(pooled->maxuse_arena <= alone->maxuse_arena);
  }
  mjcb_control = NULL;
  CF_TRUE(alone->ncon > 0 && pooled->maxuse_stack > 0);
  CF_EQ_INT(pooled->warning[mjWARN_BADQPOS].number, 1);
  mj_deleteData(pooled);
  mju_threadPoolDestroy(pool);
  mj_deleteData(alone);
  mj_deleteModel(m);
}


static jmp_buf behind_step;

static void jumpBehindStep(const char* text) {
  (void)text;
  longjmp(behind_step, 1);
}


// false: an error jumped out of the step
static bool stepOrJump(const mjModel* m, mjData* d) {
  if (setjmp(behind_step)) {
    return false;
  }
  mj_step(m, d);
  return true;
}


CF_TEST(step__pool_and_a_single_tree__pool_is_back_after_an_error_that_jumps) {
  mjModel* m = cf_compileText(
      "<mujoco><worldbody><geom type='plane' size='5 5 1'/><body pos='0 0 .1'><freejoint/>"
      "<geom type='box' size='.1 .1 .1'/></body></worldbody></mujoco>");
  mjData *alone = mj_makeData(m), *pooled = mj_makeData(m);
  mjThreadPool* pool = mju_threadPoolCreate(2);
  mju_bindThreadPool(pooled, pool);
  cf_keepThreads(pooled);
  void (*former)(const char*) = mju_user_error;
  for (int k = 0; k < 30; k++) {
    // a solver that is not there, once there are rows
    m->opt.solver = k == 20 ? 99 : mjSOL_NEWTON;
    mju_user_error = jumpBehindStep;
    CF_TRUE(stepOrJump(m, alone) == (k != 20));
    CF_TRUE(stepOrJump(m, pooled) == (k != 20));
    mju_user_error = former;
    CF_EQ_BYTES(alone->qpos, pooled->qpos, sizeof(mjtNum) * m->nq);
    CF_EQ_BYTES(alone->qacc, pooled->qacc, sizeof(mjtNum) * m->nv);
    CF_TRUE(k == 20 || (pooled->threadpool == (uintptr_t)pool && pooled->pstack == 0));
  }
  CF_TRUE(alone->nefc > 0);
  mj_deleteData(pooled);
  mju_threadPoolDestroy(pool);
  mj_deleteData(alone);
  mj_deleteModel(m);
}


CF_TEST_MAIN("pipeline/step")
