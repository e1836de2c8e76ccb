// Rollouts against simulations one by one.
#include <glob.h>

#include <cortenforge/rollout.h>

#include "cf_guard.h"
#include "cf_models.h"
#include "cf_test.h"

enum { NROLL = 13, NSTEP = 20, NDATA = 4 };

typedef struct {
  mjModel* m;
  mjData* d[NDATA];
  int nstate, ncontrol;
  mjtNum *initial, *control, *state, *sensor;
} Fixture;


static mjtNum* numbers(size_t n) {
  mjtNum* block = calloc(n + 1, sizeof(mjtNum));
  CF_TRUE(block != NULL);
  return block;
}


// different heights and controls in every rollout
static Fixture open(mjModel* m) {
  Fixture f = {.m = m};
  for (int k = 0; k < NDATA; k++) {
    f.d[k] = mj_makeData(f.m);
  }
  f.nstate = mj_stateSize(f.m, mjSTATE_FULLPHYSICS);
  f.ncontrol = mj_stateSize(f.m, mjSTATE_CTRL);
  f.initial = numbers((size_t)NROLL * f.nstate);
  f.control = numbers((size_t)NROLL * NSTEP * f.ncontrol);
  f.state = numbers((size_t)NROLL * NSTEP * f.nstate);
  f.sensor = numbers((size_t)NROLL * NSTEP * f.m->nsensordata);
  for (int k = 0; k < NROLL; k++) {
    mj_resetData(f.m, f.d[0]);
    for (int i = 0; i < f.m->nv; i++) {
      f.d[0]->qvel[i] = 0.01 * (k - i);
    }
    mj_getState(f.m, f.d[0], f.initial + (size_t)k * f.nstate, mjSTATE_FULLPHYSICS);
  }
  for (int k = 0; k < NROLL * NSTEP * f.ncontrol; k++) {
    f.control[k] = 0.1 * sin(k);
  }
  return f;
}


static void shut(Fixture* f) {
  for (int k = 0; k < NDATA; k++) {
    mj_deleteData(f->d[k]);
  }
  mj_deleteModel(f->m);
  free(f->initial);
  free(f->control);
  free(f->state);
  free(f->sensor);
}


static cfRollout describe(Fixture* f) {
  return (cfRollout){.nroll = NROLL,
                     .nstep = NSTEP,
                     .initial_state = f->initial,
                     .control = f->control,
                     .state = f->state,
                     .sensordata = f->sensor};
}


// what a lone simulation gives
static void expectAlone(Fixture* f) {
  mjData* d = mj_makeData(f->m);
  mjtNum* state = numbers((size_t)f->nstate);
  for (int k = 0; k < NROLL; k++) {
    mj_resetData(f->m, d);
    mj_setState(f->m, d, f->initial + (size_t)k * f->nstate, mjSTATE_FULLPHYSICS);
    for (int t = 0; t < NSTEP; t++) {
      const size_t row = (size_t)k * NSTEP + t;
      mj_setState(f->m, d, f->control + row * f->ncontrol, mjSTATE_CTRL);
      mj_step(f->m, d);
      mj_getState(f->m, d, state, mjSTATE_FULLPHYSICS);
      CF_EQ_BYTES(f->state + row * f->nstate, state, sizeof(mjtNum) * f->nstate);
      CF_EQ_BYTES(f->sensor + row * f->m->nsensordata, d->sensordata,
                  sizeof(mjtNum) * f->m->nsensordata);
    }
  }
  free(state);
  mj_deleteData(d);
}


CF_TEST(rollout__any_number_of_threads__bits_of_lone_simulations) {
  Fixture f = open(cf_loadTestModel("rig"));
  const cfRollout r = describe(&f);
  CF_EQ_INT(cf_rollout(f.m, f.d, 1, NULL, &r), 0);
  expectAlone(&f);
  for (int n = 1; n <= 8; n++) {
    mjThreadPool* pool = mju_threadPoolCreate((size_t)n);
    memset(f.state, 0, sizeof(mjtNum) * NROLL * NSTEP * f.nstate);
    CF_EQ_INT(cf_rollout(f.m, f.d, NDATA, pool, &r), 0);
    expectAlone(&f);
    mju_threadPoolDestroy(pool);
  }
  shut(&f);
}


// the solver starts from accelerations near the solution and does not end its work, so they count
CF_TEST(rollout__accelerations_to_start_from__each_rollout_has_its_own) {
  Fixture f = open(mj_loadXML("models/stack.xml", NULL, NULL, 0));
  mjtNum* warm = numbers((size_t)NROLL * f.m->nv);
  mjtNum* state = numbers((size_t)f.nstate);
  for (int k = 0; k < NROLL; k++) {
    mj_setState(f.m, f.d[0], f.initial + (size_t)k * f.nstate, mjSTATE_FULLPHYSICS);
    mj_forward(f.m, f.d[0]);
    mju_scl(warm + (size_t)k * f.m->nv, f.d[0]->qacc, 1 - 0.001 * k, (int)f.m->nv);
  }
  cfRollout r = describe(&f);
  r.initial_warm = warm;
  f.m->opt.iterations = 1;
  f.m->opt.ls_iterations = 1;
  CF_EQ_INT(cf_rollout(f.m, f.d, 1, NULL, &r), 0);
  mjData* d = f.d[1];
  int differ = 0;
  for (int k = 0; k < NROLL; k++) {
    for (int is_warm = 1; is_warm >= 0; is_warm--) {
      mj_resetData(f.m, d);
      mj_setState(f.m, d, f.initial + (size_t)k * f.nstate, mjSTATE_FULLPHYSICS);
      mj_setState(f.m, d, f.control + (size_t)k * NSTEP * f.ncontrol, mjSTATE_CTRL);
      mju_copy(d->qacc_warmstart, warm + (is_warm ? (size_t)k * f.m->nv : 0), (int)f.m->nv);
      mj_step(f.m, d);
      mj_getState(f.m, d, state, mjSTATE_FULLPHYSICS);
      const mjtNum* got = f.state + (size_t)k * NSTEP * f.nstate;
      const int is_same = memcmp(got, state, sizeof(mjtNum) * f.nstate) == 0;
      CF_TRUE(is_same || !is_warm);
      differ += !is_same;
    }
  }
  CF_TRUE(differ > 0);
  free(warm);
  free(state);
  shut(&f);
}


CF_TEST(rollout__without_outputs_and_controls__leaves_data_at_the_end) {
  Fixture f = open(cf_loadTestModel("rig"));
  const cfRollout r = {.nroll = 1, .nstep = NSTEP, .initial_state = f.initial};
  CF_EQ_INT(cf_rollout(f.m, f.d, 1, NULL, &r), 0);
  CF_NEAR(f.d[0]->time, NSTEP * f.m->opt.timestep, 1e-12);
  shut(&f);
}


static void stayQuiet(const char* text) {
  (void)text;
}


static int isUnstable(const mjData* d) {
  return d->warning[mjWARN_BADQPOS].number + d->warning[mjWARN_BADQVEL].number +
         d->warning[mjWARN_BADQACC].number;
}


CF_TEST(rollout__one_is_unstable__counted_and_stands_still) {
  Fixture f = open(cf_loadTestModel("rig"));
  const cfRollout r = describe(&f);
  f.initial[(size_t)3 * f.nstate + 1] = NAN;
  mju_user_warning = stayQuiet;
  CF_EQ_INT(cf_rollout(f.m, f.d, NDATA, NULL, &r), 1);
  mju_user_warning = NULL;
  const mjtNum* first = f.state + (size_t)3 * NSTEP * f.nstate;
  CF_EQ_BYTES(first + (size_t)(NSTEP - 1) * f.nstate, first, sizeof(mjtNum) * f.nstate);
  shut(&f);
}


// more rollouts than worlds are stepped at a time, some of them unstable, in lanes
CF_TEST(rollout__of_a_model_with_lanes__bits_of_lone_simulations) {
  enum { MANY = 1100, SHORT = 12 };
  mjModel* m = mj_loadXML("models/humanoid.xml", NULL, NULL, 0);
  mjData *d = mj_makeData(m), *alone = mj_makeData(m);
  const int nstate = mj_stateSize(m, mjSTATE_FULLPHYSICS), nsensor = (int)m->nsensordata;
  mjtNum *initial = numbers((size_t)MANY * nstate), *row = numbers((size_t)nstate),
         *control = numbers((size_t)MANY * SHORT * m->nu),
         *state = numbers((size_t)MANY * SHORT * nstate),
         *sensor = numbers((size_t)MANY * SHORT * nsensor);
  for (int k = 0; k < MANY; k++) {
    mj_resetData(m, d);
    for (int i = 0; i < m->nv; i++) {
      d->qvel[i] = 0.3 * sin(k + 2 * i);
    }
    d->qvel[0] = k % 97 == 5 ? 9.9e9 : k % 97 == 6 ? NAN : d->qvel[0];
    mj_getState(m, d, initial + (size_t)k * nstate, mjSTATE_FULLPHYSICS);
  }
  for (int k = 0; k < MANY * SHORT * (int)m->nu; k++) {
    control[k] = 0.4 * sin(0.1 * k);
  }
  const cfRollout r = {.nroll = MANY,
                       .nstep = SHORT,
                       .initial_state = initial,
                       .control = control,
                       .state = state,
                       .sensordata = sensor};
  int unstable = 0;
  mju_user_warning = stayQuiet;
  const int found = cf_rollout(m, &d, 1, NULL, &r);
  for (int k = 0; k < MANY; k += k % 97 == 5 ? 1 : k > 1000 || k < 20 ? 1 : 5) {
    mj_resetData(m, alone);
    mj_setState(m, alone, initial + (size_t)k * nstate, mjSTATE_FULLPHYSICS);
    for (int t = 0; t < SHORT; t++) {
      const size_t at = (size_t)k * SHORT + t;
      if (!isUnstable(alone)) {
        mj_setState(m, alone, control + at * m->nu, mjSTATE_CTRL);
        mj_step(m, alone);
      }
      mj_getState(m, alone, row, mjSTATE_FULLPHYSICS);
      CF_EQ_BYTES(state + at * nstate, row, sizeof(mjtNum) * nstate);
      CF_EQ_BYTES(sensor + at * nsensor, alone->sensordata, sizeof(mjtNum) * nsensor);
    }
    unstable += isUnstable(alone);
  }
  mju_user_warning = NULL;
  CF_TRUE(unstable > 1 && found >= unstable);
  free(initial);
  free(row);
  free(control);
  free(state);
  free(sensor);
  mj_deleteData(d);
  mj_deleteData(alone);
  mj_deleteModel(m);
}


// rows of one model, its inputs drawn from a sequence
static void compareRolls(const mjModel* m, const char* path, int seed) {
  enum { N = 9, STEPS = 30 };
  static const unsigned specs[] = {0, mjSTATE_USER, mjSTATE_CTRL | mjSTATE_XFRC_APPLIED};
  const unsigned spec = specs[seed % 3];
  const int ncontrol = mj_stateSize(m, (int)(spec ? spec : mjSTATE_CTRL));
  const int nstate = mj_stateSize(m, mjSTATE_FULLPHYSICS), nsensor = (int)m->nsensordata;
  mjData *d = mj_makeData(m), *alone = mj_makeData(m);
  mjtNum *initial = numbers((size_t)(N * nstate)),
         *control = numbers((size_t)(N * STEPS * ncontrol)),
         *state = numbers((size_t)(N * STEPS * nstate)), *row = numbers((size_t)nstate),
         *sensor = numbers((size_t)(N * STEPS * nsensor));
  for (int k = 0; k < N; k++) {
    mj_resetData(m, d);
    for (int i = 0; i < m->nv; i++) {
      d->qvel[i] = 0.2 * sin(seed + 3 * k + i);
    }
    mj_getState(m, d, initial + k * nstate, mjSTATE_FULLPHYSICS);
    for (int t = 0; t < STEPS; t++) {
      mj_resetData(m, d);
      for (int i = 0; i < m->nu; i++) {
        d->ctrl[i] = 0.4 * sin(seed + i + t + 5 * k);
      }
      for (int i = 0; i < 6 * m->nbody; i += 5) {
        d->xfrc_applied[i] = i < 6 ? 0 : 0.01 * cos(seed + i + t);
      }
      mj_getState(m, d, control + (k * STEPS + t) * ncontrol, (int)(spec ? spec : mjSTATE_CTRL));
    }
  }
  const cfRollout r = {.nroll = N,
                       .nstep = STEPS,
                       .initial_state = initial,
                       .control_spec = spec,
                       .control = control,
                       .state = state,
                       .sensordata = sensor};
  int unstable = 0;
  const int found = cf_rollout(m, &d, 1, NULL, &r);
  for (int k = 0; k < N; k++) {
    mj_resetData(m, alone);
    mj_setState(m, alone, initial + k * nstate, mjSTATE_FULLPHYSICS);
    for (int t = 0; t < STEPS; t++) {
      const int at = k * STEPS + t;
      if (!isUnstable(alone)) {
        mj_setState(m, alone, control + at * ncontrol, (int)(spec ? spec : mjSTATE_CTRL));
        mj_step(m, alone);
      }
      mj_getState(m, alone, row, mjSTATE_FULLPHYSICS);
      if (memcmp(state + at * nstate, row, sizeof(mjtNum) * (size_t)nstate) ||
          (nsensor &&
           memcmp(sensor + at * nsensor, alone->sensordata, sizeof(mjtNum) * (size_t)nsensor))) {
        CF_FAIL("%s: rollout %d differs in row %d\n", path, k, t);
      }
    }
    unstable += isUnstable(alone);
  }
  CF_EQ_INT(found, unstable);
  free(initial);
  free(control);
  free(state);
  free(row);
  free(sensor);
  mj_deleteData(d);
  mj_deleteData(alone);
}


CF_TEST(rollouts__of_every_model__bits_of_lone_simulations) {
  static const char* const patterns[] = {"models/*.xml", "models/*/*.xml"};
  int count = 0;
  mju_user_warning = stayQuiet;
  for (int i = 0; i < 2; i++) {
    glob_t found;
    CF_EQ_INT(glob(patterns[i], 0, NULL, &found), 0);
    for (size_t k = 0; k < found.gl_pathc; k++) {
      mjModel* m = mj_loadXML(found.gl_pathv[k], NULL, NULL, 0);
      if (m && m->nv && m->nv <= 60 && (!CF_SANITIZED || k % 6 == 0)) {
        compareRolls(m, found.gl_pathv[k], count++);
      }
      mj_deleteModel(m);
    }
    globfree(&found);
  }
  mju_user_warning = NULL;
  CF_TRUE(count > (CF_SANITIZED ? 15 : 100));
  print_message("%d models\n", count);
}


// an error of a step in lanes is raised once all rollouts have ended, and leaves nothing behind
static void failControl(const mjModel* m, mjData* d) {
  (void)m;
  if (d->time > 0.01) {
    mju_error("no controller");
  }
}


CF_TEST(rollout__that_raises_an_error__passes_it_on) {
  Fixture f = open(cf_loadTestModel("rig"));
  const cfRollout r = describe(&f);
  mjcb_control = failControl;
  CF_RAISES(cf_rollout(f.m, f.d, 1, NULL, &r), "no controller");
  mjcb_control = NULL;
  shut(&f);
}


CF_TEST(rollout__bad_arguments__error) {
  Fixture f = open(cf_loadTestModel("rig"));
  cfRollout r = describe(&f);
  mjData* twice[2] = {f.d[0], f.d[0]};
  CF_RAISES(cf_rollout(f.m, f.d, 0, NULL, &r), "at least one");
  CF_RAISES(cf_rollout(f.m, twice, 2, NULL, &r), "twice");
  CF_RAISES(cf_rollout(f.m, f.d, 1, NULL, NULL), "must be given");
  r.nstep = -1;
  CF_RAISES(cf_rollout(f.m, f.d, 1, NULL, &r), "negative");
  r.nstep = 1;
  r.initial_state = NULL;
  CF_RAISES(cf_rollout(f.m, f.d, 1, NULL, &r), "initial_state");
  shut(&f);
}

CF_TEST_MAIN("rollout")
