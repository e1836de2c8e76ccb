// Contact solvers and models of actuators together with everything that keeps, copies, batches or
// differentiates a simulation: same bits, or what MuJoCo's functions promise.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cortenforge/actuator.h>
#include <cortenforge/batch.h>
#include <cortenforge/contact.h>
#include <cortenforge/cortenforge.h>
#include <mujoco/mujoco.h>

#include "cf_test.h"
#include "cf_text.h"

// a box and a ball on a plane, an arm with a limit, friction and three kinds of actuators
static const char* const together_xml =
    "<mujoco><option timestep='.004'/><worldbody><geom type='plane' size='5 5 1'/>"
    "<body name='box' pos='0 0 .12'><freejoint/><geom name='box' type='box' size='.1 .1 .1'/></body>"
    "<body name='ball' pos='.6 0 .3'><freejoint/><geom name='ball' size='.1' condim='6'/></body>"
    "<body pos='0 1 .4'><joint name='a' axis='0 1 0' range='-30 30' frictionloss='.05'/>"
    "<geom type='capsule' size='.04' fromto='0 0 0 .3 0 0'/>"
    "<body pos='.3 0 0'><joint name='b' axis='0 1 0' damping='.1'/>"
    "<geom type='capsule' size='.04' fromto='0 0 0 .2 0 0'/></body></body></worldbody>"
    "<actuator>"
    "<general joint='a' gaintype='custom' cortenforge:gain_model='series_elastic' "
    "cortenforge:gain_params='20 .5 1'/>"
    "<general joint='b' gaintype='custom' cortenforge:gain_model='dc_motor' "
    "cortenforge:gain_params='resistance=2 inductance=.01' dyntype='filter' dynprm='.02'/>"
    "<general joint='b' gaintype='custom' cortenforge:gain_model='pneumatic' "
    "cortenforge:gain_params='area=1e-5 volume=1e-2'/></actuator>"
    "<sensor><framepos objtype='body' objname='ball'/><jointactuatorfrc joint='b'/></sensor>"
    "<keyframe><key time='2' qpos='.1 0 .11 1 0 0 0 .5 0 .2 1 0 0 0 .2 -.3' "
    "qvel='1 0 0 0 0 0 0 .5 0 0 0 0 1 -1' act='.1 1 .02 .3 500' ctrl='.2 .4 .1'/></keyframe>"
    "</mujoco>";

static const char* const together_solver[] = {"lcp", "xpbd", "hunt_crossley"};
enum { NSOLVER = sizeof(together_solver) / sizeof(together_solver[0]) };


static mjModel* openTogether(int solver, int integrator) {
  char error[300] = "";
  mjModel* m = cf_compileText(together_xml);
  m->opt.integrator = integrator;
  CF_TRUE(cf_setContactSolver(m, together_solver[solver], NULL, 0, error, sizeof(error)));
  return m;
}


static mjtNum controlAt(int world, int step, int u) {
  return (u == 2 ? 0.2 : 0.8) * sin(0.03 * step + u + 2.0 * world);
}


static void drive(const mjModel* m, mjData* d, int world, int from, int to) {
  for (int step = from; step < to; step++) {
    for (int u = 0; u < m->nu; u++) {
      d->ctrl[u] = controlAt(world, step, u);
    }
    mj_step(m, d);
  }
}


// ---------------------------------------- states and copies

CF_TEST(together__state_keyframe_and_copies__same_bits_with_every_solver_and_integrator) {
  for (int solver = 0; solver < NSOLVER; solver++) {
    for (int integrator = mjINT_EULER; integrator <= mjINT_IMPLICITFAST; integrator++) {
      mjModel* m = openTogether(solver, integrator);
      mjData* d = mj_makeData(m);
      mjtNum state[200], warm[50];
      CF_TRUE(mj_stateSize(m, mjSTATE_INTEGRATION) <= 200);
      mj_resetDataKeyframe(m, d, 0);
      CF_NEAR(d->act[4], 500, 0);
      drive(m, d, 0, 0, 60);
      CF_TRUE(d->ncon > 0);
      mj_getState(m, d, state, mjSTATE_INTEGRATION);
      mj_getState(m, d, warm, mjSTATE_WARMSTART);
      mjData* copy = mj_copyData(NULL, m, d);
      mj_setKeyframe(m, d, 0);
      drive(m, d, 0, 60, 120);
      const uint64_t expected = cf_stateHash(m, d);

      // another data, the copy, and a copy of the model go the same way
      mjData* fresh = mj_makeData(m);
      mj_setState(m, fresh, state, mjSTATE_INTEGRATION);
      drive(m, fresh, 0, 60, 120);
      CF_TRUE(cf_stateHash(m, fresh) == expected);
      drive(m, copy, 0, 60, 120);
      CF_TRUE(cf_stateHash(m, copy) == expected);
      mjModel* twin = mj_copyModel(NULL, m);
      mj_deleteData(fresh);
      fresh = mj_makeData(twin);
      mj_setState(twin, fresh, state, mjSTATE_INTEGRATION);
      drive(twin, fresh, 0, 60, 120);
      CF_TRUE(cf_stateHash(twin, fresh) == expected);

      // so does the keyframe that was made of the state; it does not keep the warm start
      mj_resetDataKeyframe(m, d, 0);
      mj_setState(m, d, warm, mjSTATE_WARMSTART);
      drive(m, d, 0, 60, 120);
      CF_TRUE(cf_stateHash(m, d) == expected);
      mj_deleteData(fresh);
      mj_deleteData(copy);
      mj_deleteData(d);
      mj_deleteModel(twin);
      mj_deleteModel(m);
    }
  }
}


// the drift of a positional solver goes with a copy that is made between forward and integration
CF_TEST(together__data_copied_after_forward__integrates_to_the_same_bits) {
  for (int solver = 0; solver < NSOLVER; solver++) {
    mjModel* m = openTogether(solver, mjINT_EULER);
    mjData *d = mj_makeData(m), *copy = mj_makeData(m);
    d->qpos[2] = 0.06;
    mj_forward(m, d);
    mj_copyData(copy, m, d);
    mj_Euler(m, d);
    mj_Euler(m, copy);
    CF_EQ_BYTES(copy->qpos, d->qpos, sizeof(mjtNum) * (size_t)m->nq);

    // positions that moved on have no drift before the constraints are solved again
    mj_forward(m, d);
    mj_fwdPosition(m, d);
    mju_zero(d->qacc, (int)m->nv);
    mju_zero(d->qfrc_smooth, (int)m->nv);
    mju_zero(d->qfrc_constraint, (int)m->nv);
    mju_zero(d->qvel, (int)m->nv);
    mj_copyData(copy, m, d);
    mj_Euler(m, d);
    for (int i = 0; i < m->nq; i++) {
      CF_NEAR(d->qpos[i], copy->qpos[i], 1e-15);
    }
    mj_deleteData(copy);
    mj_deleteData(d);
    mj_deleteModel(m);
  }
}


// ---------------------------------------- batches

enum { NWORLD = 5, STEPS = 40 };

CF_TEST(together__batch__worlds_are_lone_simulations_bit_by_bit) {
  for (int solver = 0; solver < NSOLVER; solver++) {
    mjModel* m = openTogether(solver, mjINT_IMPLICITFAST);
    char error[500] = "";
    cfBatchOptions options;
    cf_defaultBatchOptions(&options);
    options.nthread = 3;
    cfBatch* batch = cf_makeBatch(m, NWORLD, &options, error, sizeof(error));
    CF_EQ_STR(error, "");

    // worlds with parameters of their actuators of their own
    const size_t nu = (size_t)m->nu;
    mjModel* own[NWORLD];
    mjData* d[NWORLD];
    mjtNum* ctrl = calloc(nu * NWORLD, sizeof(mjtNum));
    for (int w = 0; w < NWORLD; w++) {
      own[w] = mj_copyModel(NULL, m);
      own[w]->actuator_gainprm[0] = 20 + 3 * w;
      own[w]->actuator_gainprm[mjNGAIN] = 2 + 0.5 * w;
      d[w] = mj_makeData(own[w]);
      d[w]->qpos[2] -= 0.03 * w;
      CF_TRUE(
          cf_batchSet(batch, "actuator_gainprm", &w, 1, CF_ORDER_WORLD, own[w]->actuator_gainprm));
      CF_TRUE(cf_batchSet(batch, "qpos", &w, 1, CF_ORDER_WORLD, d[w]->qpos));
    }
    for (int step = 0; step < STEPS; step++) {
      for (size_t k = 0; k < nu * NWORLD; k++) {
        ctrl[k] = controlAt((int)(k / nu), step, (int)(k % nu));
      }
      CF_TRUE(cf_batchSet(batch, "ctrl", NULL, NWORLD, CF_ORDER_WORLD, ctrl));
      CF_TRUE(cf_batchStep(batch, 1));
      for (int w = 0; w < NWORLD; w++) {
        drive(own[w], d[w], w, step, step + 1);
        mjtNum mine[200], other[200];
        CF_TRUE(cf_batchGetState(batch, mjSTATE_INTEGRATION, &w, 1, mine));
        mj_getState(own[w], d[w], other, mjSTATE_INTEGRATION);
        CF_EQ_BYTES(mine, other, sizeof(mjtNum) * (size_t)mj_stateSize(m, mjSTATE_INTEGRATION));
      }
    }
    for (int w = 0; w < NWORLD; w++) {
      mj_deleteData(d[w]);
      mj_deleteModel(own[w]);
    }
    free(ctrl);
    cf_freeBatch(batch);
    mj_deleteModel(m);
  }
}


// ---------------------------------------- islands and sleep

// the solvers of ours work on all rows at once: islands change nothing, not even bits
CF_TEST(together__islands_off__same_bits) {
  for (int solver = 1; solver < NSOLVER; solver++) {
    mjModel *with = openTogether(solver, mjINT_EULER), *without = openTogether(solver, mjINT_EULER);
    without->opt.disableflags |= mjDSBL_ISLAND;
    mjData *a = mj_makeData(with), *b = mj_makeData(without);
    for (int step = 0; step < 100; step++) {
      drive(with, a, 0, step, step + 1);
      drive(without, b, 0, step, step + 1);
      CF_TRUE(cf_stateHash(with, a) == cf_stateHash(without, b));
    }
    CF_TRUE(a->nisland > 1);
    mj_deleteData(a);
    mj_deleteData(b);
    mj_deleteModel(with);
    mj_deleteModel(without);
  }
}


static const char* const sleepy_xml =
    "<mujoco><option><flag sleep='enable'/></option><worldbody><geom type='plane' size='5 5 1'/>"
    "<body name='low' pos='0 0 .1'><freejoint/><geom type='box' size='.1 .1 .1'/></body>"
    "<body name='high' pos='.02 0 1.5'><freejoint/><geom type='box' size='.1 .1 .1'/></body>"
    "<body pos='1 0 .5' sleep='allowed'><joint name='a' axis='0 0 1' damping='1'/>"
    "<geom size='.1' pos='.2 0 0'/></body></worldbody><actuator>"
    "<general joint='a' gaintype='custom' cortenforge:gain_model='dc_motor' "
    "cortenforge:gain_params='inductance=.5'/></actuator></mujoco>";


// a box sleeps until another one falls on it; the actuator of a tree that sleeps rests with its
// states, and wakes with a control that is set while the tree is woken
CF_TEST(together__sleep__trees_and_actuators_rest_and_wake_with_every_solver) {
  for (int solver = 0; solver < NSOLVER; solver++) {
    mjModel* m = cf_compileText(sleepy_xml);
    mjData* d = mj_makeData(m);
    CF_TRUE(cf_setContactSolver(m, together_solver[solver], NULL, 0, NULL, 0));
    m->opt.gravity[2] = -9.81;

    // the high box hangs in the air until everything else sleeps
    mjtNum hold[7];
    mju_copy(hold, d->qpos + 7, 7);
    int step = 0;
    for (; step < 3000 && d->ntree_awake > 1; step++) {
      mju_copy(d->qpos + 7, hold, 7);
      mju_zero(d->qvel + 6, 6);
      d->qvel[8] = -0.5;
      mj_step(m, d);
    }
    CF_EQ_INT(d->ntree_awake, 1);
    const mjtNum current = d->act[0];
    const mjtNum before = d->qpos[2];
    d->ctrl[0] = 3;
    mj_step(m, d);
    CF_NEAR(d->act[0], current, 0);
    CF_NEAR(d->qpos[2], before, 0);

    // now it falls
    for (step = 0; step < 2000; step++) {
      mj_step(m, d);
    }
    CF_NEAR(d->qpos[9], 0.3, 0.01);
    CF_NEAR(d->qpos[2], 0.1, 0.01);
    CF_NEAR(d->act[0], current, 0);

    // a push wakes the arm: its current flows
    d->qfrc_applied[12] = 1;
    for (step = 0; step < 20; step++) {
      mj_step(m, d);
    }
    CF_TRUE(fabs(d->act[0] - current) > 0.01);
    for (int k = 0; k < mjNWARNING; k++) {
      CF_EQ_INT(d->warning[k].number, 0);
    }
    mj_deleteData(d);
    mj_deleteModel(m);
  }
}


// ---------------------------------------- derivatives and inverse

// next state of mj_step from a changed input: central difference
static void stepDifference(const mjModel* m, mjData* d, const mjtNum* state, int column, mjtNum eps,
                           mjtNum* difference) {
  const int nv = (int)m->nv, na = (int)m->na;
  mjtNum *qpos[2], *rest[2];
  for (int side = 0; side < 2; side++) {
    mj_setState(m, d, state, mjSTATE_INTEGRATION);
    const mjtNum change = side ? eps : -eps;
    if (column < nv) {
      mjtNum* tangent = calloc((size_t)nv, sizeof(mjtNum));
      tangent[column] = 1;
      mj_integratePos(m, d->qpos, tangent, change);
      free(tangent);
    } else if (column < 2 * nv) {
      d->qvel[column - nv] += change;
    } else if (column < 2 * nv + na) {
      d->act[column - 2 * nv] += change;
    } else {
      d->ctrl[column - 2 * nv - na] += change;
    }
    mj_step(m, d);
    qpos[side] = malloc(sizeof(mjtNum) * (size_t)m->nq);
    rest[side] = malloc(sizeof(mjtNum) * (size_t)(nv + na));
    mju_copy(qpos[side], d->qpos, (int)m->nq);
    mju_copy(rest[side], d->qvel, nv);
    mju_copy(rest[side] + nv, d->act, na);
  }
  mj_differentiatePos(m, difference, 2 * eps, qpos[0], qpos[1]);
  for (int k = 0; k < nv + na; k++) {
    difference[nv + k] = (rest[1][k] - rest[0][k]) / (2 * eps);
  }
  for (int side = 0; side < 2; side++) {
    free(qpos[side]);
    free(rest[side]);
  }
}


CF_TEST(together__transitionFD__is_the_difference_of_steps) {
  for (int solver = 0; solver < NSOLVER; solver++) {
    for (int integrator = mjINT_EULER; integrator <= mjINT_IMPLICITFAST; integrator++) {
      // MuJoCo's function does not know RK4
      if (integrator == mjINT_RK4) {
        continue;
      }
      mjModel* m = openTogether(solver, integrator);
      mjData* d = mj_makeData(m);
      const int n = (int)(2 * m->nv + m->na), nu = (int)m->nu;
      mjtNum state[200], column[100], eps = 1e-6;
      mjtNum *A = malloc(sizeof(mjtNum) * (size_t)(n * n)),
             *B = malloc(sizeof(mjtNum) * (size_t)(n * nu));
      drive(m, d, 0, 0, 30);
      mj_getState(m, d, state, mjSTATE_INTEGRATION);
      mjd_transitionFD(m, d, eps, 1, A, B, NULL, NULL);
      for (int k = 0; k < n + nu; k++) {
        stepDifference(m, d, state, k, eps, column);
        for (int i = 0; i < n; i++) {
          const mjtNum found = k < n ? A[i * n + k] : B[i * nu + k - n];
          CF_NEAR(found, column[i], 1e-4 * (1 + fabs(column[i])));
        }
      }
      free(A);
      free(B);
      mj_deleteData(d);
      mj_deleteModel(m);
    }
  }
}


// inverse dynamics has MuJoCo's laws of constraints whatever the solver is: where no constraint
// acts it gives back what was applied, models of actuators included
CF_TEST(together__inverse__gives_back_applied_forces_in_the_air) {
  for (int solver = 0; solver < NSOLVER; solver++) {
    mjModel* m = openTogether(solver, mjINT_EULER);
    m->opt.disableflags |= mjDSBL_CONTACT | mjDSBL_LIMIT | mjDSBL_FRICTIONLOSS;
    mjData* d = mj_makeData(m);
    drive(m, d, 0, 0, 20);
    for (int i = 0; i < m->nv; i++) {
      d->qfrc_applied[i] = 0.1 * (i + 1);
    }
    mj_forward(m, d);
    mj_inverse(m, d);
    for (int i = 0; i < m->nv; i++) {
      CF_NEAR(d->qfrc_inverse[i], d->qfrc_applied[i] + d->qfrc_actuator[i], 1e-10);
    }
    mj_deleteData(d);
    mj_deleteModel(m);
  }
}


CF_TEST_MAIN("contactsolver/together")
