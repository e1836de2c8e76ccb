// Rollouts against simulations one by one.
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
