// Simulations of mujoco/mjbatch.h beside lone mjDatas.
#include <math.h>
#include <stdbool.h>

#include <mujoco/mjbatch.h>
#include <mujoco/mujoco.h>

#include "cf_guard.h"
#include "cf_test.h"
#include "cf_text.h"

enum { MOST = 11 };

// ---------------------------------------- simulations and lone worlds

static const char* const outputs[] = {"xpos", "qacc", "sensordata",
                                      "ncon", "cvel", "actuator_force"};
enum { NOUTPUT = sizeof(outputs) / sizeof(outputs[0]) };

typedef struct {
  mjBatch* b;
  int n, nthread;
  mjModel* m[MOST];  // of each lone world
  mjData* d[MOST];
  void* output[NOUTPUT];
  int size[NOUTPUT], elemsize[NOUTPUT];
} Pair;


static unsigned dice;

static int below(int n) {
  dice = dice * 1664525u + 1013904223u;
  return (int)((dice >> 8) % (unsigned)n);
}


static mjtNum even(void) {
  return below(2001) / 1000.0 - 1;
}


static void dropText(const char* text) {
  (void)text;
}


static Pair openPair(const mjModel* m, int n, int nthread, int persistent) {
  Pair p = {.n = n, .nthread = nthread};
  char error[300] = "";
  const mjBatchConfig config = {.nthread = nthread, .persistent = (mjtByte)persistent};
  p.b = mjb_makeBatch(m, n, &config, error, sizeof(error));
  if (!p.b) {
    CF_FAIL("%s\n", error);
  }
  for (int i = 0; i < n; i++) {
    p.m[i] = mj_copyModel(NULL, m);
    p.d[i] = mj_makeData(m);
  }
  return p;
}


static void closePair(Pair* p) {
  for (int i = 0; i < p->n; i++) {
    mj_deleteData(p->d[i]);
    mj_deleteModel(p->m[i]);
  }
  mjb_deleteBatch(p->b);
}


// all outputs from here on
static void bind(Pair* p) {
  for (int k = 0; k < NOUTPUT; k++) {
    p->output[k] = mjb_output(p->b, outputs[k], p->size + k, p->elemsize + k);
    CF_TRUE(p->output[k] != NULL);
  }
}


static const void* ofData(const mjData* d, int k) {
  const void* const all[] = {d->xpos, d->qacc, d->sensordata, &d->ncon, d->cvel, d->actuator_force};
  return all[k];
}


// rows, warnings, and the outputs that are bound
static void expectSame(const Pair* p) {
  const int nstate = mjb_nstate(p->b);
  mjtNum* row = malloc(sizeof(mjtNum) * (size_t)nstate);
  for (int i = 0; i < p->n; i++) {
    mj_getState(p->m[i], p->d[i], row, mjSTATE_INTEGRATION);
    CF_EQ_BYTES(mjb_state(p->b) + (size_t)i * nstate, row, sizeof(mjtNum) * nstate);
    for (int k = 0; k < mjNWARNING; k++) {
      CF_EQ_INT(mjb_warning(p->b)[i * mjNWARNING + k].number, p->d[i]->warning[k].number);
    }
    for (int k = 0; k < NOUTPUT && p->output[k]; k++) {
      const size_t bytes = (size_t)(p->size[k] * p->elemsize[k]);
      if (bytes && memcmp((char*)p->output[k] + bytes * (size_t)i, ofData(p->d[i], k), bytes)) {
        CF_FAIL("%s of simulation %d differs\n", outputs[k], i);
      }
    }
  }
  free(row);
}


// the state of some, written in place
static void disturb(Pair* p) {
  const int nstate = mjb_nstate(p->b);
  for (int i = 0; i < p->n; i++) {
    const mjModel* m = p->m[i];
    mjData* d = p->d[i];
    for (int k = 0; k < m->nv && below(2); k++) {
      d->qvel[k] += 0.3 * even();
    }
    for (int k = 0; k < m->nu; k++) {
      d->ctrl[k] = 0.5 * even();
    }
    for (int k = 0; k < m->neq && !below(3); k++) {
      d->eq_active[k] = (mjtByte)below(2);
    }
    mj_getState(m, d, mjb_state(p->b) + (size_t)i * nstate, mjSTATE_INTEGRATION);
  }
}


// ascending ids, or all
static int drawIds(const Pair* p, int* ids) {
  int n = 0;
  for (int i = 0; i < p->n; i++) {
    if (below(2)) {
      ids[n++] = i;
    }
  }
  return n;
}


static void stageOf(const mjModel* m, mjData* d, int stage) {
  if (stage == mjSTAGE_ACC) {
    mj_forward(m, d);
  } else if (stage == mjSTAGE_VEL) {
    mj_step1(m, d);
  } else if (stage == mjSTAGE_POS) {
    mj_fwdPosition(m, d);
    mj_sensorPos(m, d);
    if (m->opt.enableflags & mjENBL_ENERGY) {
      mj_energyPos(m, d);
    }
  }
}


// one call of both
static void callBoth(Pair* p) {
  int ids[MOST], key[MOST];
  const int some = below(2), n = some ? drawIds(p, ids) : p->n, what = below(5), nstep = below(14);
  const int stage = below(4), nkey = (int)p->m[0]->nkey;
  for (int k = 0; k < n; k++) {
    ids[k] = some ? ids[k] : k;
    key[k] = below(nkey + 1) - 1;
  }
  const int* list = some ? ids : NULL;
  const int failed = what == 0   ? mjb_reset(p->b, list, n, key, stage)
                     : what == 1 ? mjb_forward(p->b, list, n, stage)
                                 : mjb_step(p->b, list, n, nstep, stage);
  CF_EQ_INT(failed, 0);
  for (int k = 0; k < n; k++) {
    const mjModel* m = p->m[ids[k]];
    mjData* d = p->d[ids[k]];
    if (what == 0 && key[k] >= 0) {
      mj_resetDataKeyframe(m, d, key[k]);
    } else if (what == 0) {
      mj_resetData(m, d);
    }
    for (int step = 0; step < nstep && what > 1; step++) {
      mj_step(m, d);
    }
    stageOf(m, d, stage);
  }
}


CF_TEST(simulations__any_calls__have_the_bits_of_lone_worlds) {
  static const char* const paths[] = {
      "models/humanoid.xml",           "models/car.xml",   "models/muscles.xml",
      "models/robots/arm_gripper.xml", "models/stack.xml", "models/loops.xml",
      "models/sleepers.xml",           "models/grasp.xml", "models/robots/cartpole.xml"};
  dice = 1;
  mju_user_warning = dropText;
  for (size_t k = 0; k < sizeof(paths) / sizeof(paths[0]); k++) {
    mjModel* m = mj_loadXML(paths[k], NULL, NULL, 0);
    CF_TRUE(m != NULL);
    m->opt.enableflags |= mjENBL_ENERGY;
    for (int persistent = 0; persistent < 2; persistent++) {
      Pair p = openPair(m, MOST, 1 + (int)k % 3, persistent);
      CF_EQ_INT(mjb_persistent(p.b), persistent);
      CF_EQ_INT(mjb_nthread(p.b), p.nthread);
      expectSame(&p);
      for (int call = 0; call < (CF_SANITIZED ? 4 : 12); call++) {
        if (call == 2) {
          bind(&p);  // zero until the next call of each
          CF_EQ_INT(mjb_forward(p.b, NULL, 0, mjSTAGE_ACC), 0);
          for (int i = 0; i < MOST; i++) {
            mj_forward(m, p.d[i]);
          }
        }
        disturb(&p);
        callBoth(&p);
        expectSame(&p);
      }
      closePair(&p);
    }
    mj_deleteModel(m);
  }
  mju_user_warning = NULL;
}


// ---------------------------------------- those that fail

static void failHere(const mjModel* m, mjData* d) {
  (void)m;
  if (d->qvel[0] > 100) {
    mju_error("too fast");
  }
}


CF_TEST(simulations__that_raise_an_error__keep_their_state_and_are_listed) {
  mjModel* m = mj_loadXML("models/humanoid.xml", NULL, NULL, 0);
  for (int persistent = 0; persistent < 2; persistent++) {
    Pair p = openPair(m, 9, 2, persistent);
    disturb(&p);
    mjtNum* qvel = mjb_stateComponent(p.b, mjSTATE_QVEL, NULL);
    const int ids[] = {1, 3, 6, 8}, nstate = mjb_nstate(p.b);
    qvel[3 * nstate] = p.d[3]->qvel[0] = 200;
    qvel[6 * nstate] = p.d[6]->qvel[0] = 300;
    mjcb_passive = failHere;
    CF_EQ_INT(mjb_step(p.b, ids, 4, 3, mjSTAGE_NONE), 2);
    for (int i = 0; i < 9; i++) {
      CF_EQ_INT(mjb_status(p.b)[i], i == 3 || i == 6);
      CF_EQ_STR(mjb_error(p.b, i), i == 3 || i == 6 ? "too fast" : "");
    }
    for (int k = 0; k < 3; k++) {
      mj_step(m, p.d[1]);
      mj_step(m, p.d[8]);
    }
    expectSame(&p);
    qvel[3 * nstate] = p.d[3]->qvel[0] = 0;
    CF_EQ_INT(mjb_step(p.b, ids, 4, 1, mjSTAGE_NONE), 1);
    mjcb_passive = NULL;
    CF_EQ_INT(mjb_status(p.b)[3], 0);
    for (int k = 0; k < 4; k += 1 + (k == 1)) {
      mj_step(m, p.d[ids[k]]);
    }
    expectSame(&p);
    closePair(&p);
  }
  mj_deleteModel(m);
}


// mj_step resets them and goes on
CF_TEST(simulations__with_bad_numbers__go_on_as_mj_step_does) {
  mjModel* m = mj_loadXML("models/humanoid.xml", NULL, NULL, 0);
  mju_user_warning = dropText;
  Pair p = openPair(m, MOST, 2, 0);
  disturb(&p);
  bind(&p);
  mjtNum* qvel = mjb_stateComponent(p.b, mjSTATE_QVEL, NULL);
  qvel[4 * mjb_nstate(p.b)] = p.d[4]->qvel[0] = NAN;
  qvel[5 * mjb_nstate(p.b)] = p.d[5]->qvel[0] = 9.9e9;
  CF_EQ_INT(mjb_step(p.b, NULL, 0, 15, mjSTAGE_NONE), 0);
  for (int i = 0; i < MOST; i++) {
    for (int k = 0; k < 15; k++) {
      mj_step(m, p.d[i]);
    }
  }
  expectSame(&p);
  CF_TRUE(p.d[4]->warning[mjWARN_BADQVEL].number == 1 &&
          p.d[5]->warning[mjWARN_BADQPOS].number + p.d[5]->warning[mjWARN_BADQACC].number);
  mju_user_warning = NULL;
  closePair(&p);
  mj_deleteModel(m);
}


// ---------------------------------------- models

CF_TEST(parameters__per_simulation__are_those_of_lone_worlds_with_their_constants) {
  mjModel* m = mj_loadXML("models/car.xml", NULL, NULL, 0);
  Pair p = openPair(m, 9, 2, 0);
  int size, elemsize;
  mjtNum* mass = mjb_expand(p.b, "body_mass", &size, &elemsize);
  CF_TRUE(mass && size == m->nbody && elemsize == (int)sizeof(mjtNum));
  mjtNum* gravity = mjb_expand(p.b, "opt.gravity", NULL, NULL);
  CF_TRUE(!mjb_expand(p.b, "geom_type", NULL, NULL) && !mjb_expand(p.b, "nonsense", NULL, NULL));
  CF_TRUE(mjb_expanded(p.b, "body_mass", NULL, NULL) == mass);
  CF_TRUE(!mjb_expanded(p.b, "geom_size", NULL, NULL));
  for (int i = 0; i < 9; i++) {
    mass[i * size + 1] = p.m[i]->body_mass[1] *= 1 + 0.2 * i;
    gravity[3 * i + 2] = p.m[i]->opt.gravity[2] = -i;
    mj_setConst(p.m[i], p.d[i]);
    mj_resetData(p.m[i], p.d[i]);
  }
  CF_EQ_INT(mjb_setConst(p.b, NULL, 0), 0);
  bind(&p);
  for (int call = 0; call < 3; call++) {
    disturb(&p);
    CF_EQ_INT(mjb_step(p.b, NULL, 0, 12, mjSTAGE_NONE), 0);
    for (int i = 0; i < 9 * 12; i++) {
      mj_step(p.m[i / 12], p.d[i / 12]);
    }
    expectSame(&p);
  }
  CF_TRUE(mjb_expand(p.b, "body_mass", NULL, NULL) == mass);
  mjModel* copy = mj_copyModel(NULL, mjb_model(p.b));
  mjb_getModel(p.b, 4, copy);
  CF_EQ_BYTES(copy->body_subtreemass, p.m[4]->body_subtreemass, sizeof(mjtNum) * m->nbody);
  CF_NEAR(copy->opt.gravity[2], -4, 0);
  mj_deleteModel(copy);

  // what no model can have makes its simulations fail, not the others
  mass[2 * size + 1] = -1;
  mass[7 * size + 1] = NAN;
  CF_EQ_INT(mjb_step(p.b, NULL, 0, 1, mjSTAGE_NONE), 2);
  CF_TRUE(mjb_status(p.b)[2] && mjb_status(p.b)[7] && !mjb_status(p.b)[3]);
  CF_HAS_STR(mjb_error(p.b, 2), "'body_mass': value 1 is negative");
  mass[2 * size + 1] = p.m[2]->body_mass[1];
  mass[7 * size + 1] = p.m[7]->body_mass[1];
  for (int i = 0; i < 9; i++) {
    if (i != 2 && i != 7) {
      mj_step(p.m[i], p.d[i]);
    }
  }
  expectSame(&p);
  CF_EQ_INT(mjb_step(p.b, NULL, 0, 1, mjSTAGE_NONE), 0);
  closePair(&p);
  mj_deleteModel(m);
}


CF_TEST(models__of_callers__are_those_that_simulations_run_on) {
  mjModel* m = mj_loadXML("models/car.xml", NULL, NULL, 0);
  mjModel* other = mj_loadXML("models/humanoid.xml", NULL, NULL, 0);
  Pair p = openPair(m, 6, 2, 0);
  for (int i = 0; i < 6; i++) {
    p.m[i]->body_mass[1] *= 1 + i;
    p.m[i]->geom_friction[0] *= 1 + 0.1 * i;
    mj_setConst(p.m[i], p.d[i]);
    mj_resetData(p.m[i], p.d[i]);
  }
  mjb_setModels(p.b, (const mjModel* const*)p.m);
  bind(&p);
  disturb(&p);
  CF_EQ_INT(mjb_step(p.b, NULL, 0, 20, mjSTAGE_POS), 0);
  for (int i = 0; i < 6; i++) {
    for (int k = 0; k < 20; k++) {
      mj_step(p.m[i], p.d[i]);
    }
    stageOf(p.m[i], p.d[i], mjSTAGE_POS);
  }
  expectSame(&p);
  CF_RAISES(mjb_expand(p.b, "body_mass", NULL, NULL), "caller");
  CF_RAISES(mjb_setConst(p.b, NULL, 0), "caller");
  mjb_setModels(p.b, NULL);
  CF_TRUE(mjb_expand(p.b, "body_mass", NULL, NULL) != NULL);
  CF_RAISES(mjb_setModels(p.b, (const mjModel* const*)p.m), "'body_mass' has values");
  closePair(&p);

  p = openPair(m, 2, 1, 0);
  const mjModel* const wrong[] = {m, other};
  CF_RAISES(mjb_setModels(p.b, wrong), "model 1");
  closePair(&p);
  mj_deleteModel(other);
  mj_deleteModel(m);
}


// ---------------------------------------- rollouts and functions

// a simulation that cannot start is recorded as its row has it, and others can get parameters
CF_TEST(parameters__that_no_model_can_have__records_show_the_state_before_the_call) {
  enum { NSTEP = 3, BAD = 2 };
  mjModel* m = mj_loadXML("models/car.xml", NULL, NULL, 0);
  const int nstate = mj_stateSize(m, mjSTATE_INTEGRATION);
  mjtNum* state = calloc((size_t)(MOST * NSTEP * nstate), sizeof(mjtNum));
  for (int persistent = 0; persistent < 2; persistent++) {
    Pair p = openPair(m, MOST, 2, persistent);
    mjtNum* mass = mjb_expand(p.b, "body_mass", NULL, NULL);
    CF_EQ_INT(mjb_step(p.b, NULL, 0, 2, mjSTAGE_NONE), 0);
    disturb(&p);
    mass[BAD * m->nbody + 1] = NAN;
    const mjBatchRecord record = {NULL, mjSTATE_INTEGRATION, state};
    CF_EQ_INT(mjb_rollout(p.b, NULL, 0, NSTEP, NULL, 0, &record, 1), 1);
    CF_TRUE(mjb_status(p.b)[BAD]);
    const mjtNum* row = mjb_state(p.b) + BAD * nstate;
    for (int t = 0; t < NSTEP; t++) {
      CF_EQ_BYTES(state + (BAD * NSTEP + t) * nstate, row, sizeof(mjtNum) * nstate);
    }
    for (int i = 0; i < MOST; i++) {
      const mjtNum* last = state + (i * NSTEP + NSTEP - 1) * nstate;
      CF_EQ_BYTES(last, mjb_state(p.b) + i * nstate, sizeof(mjtNum) * nstate);
    }
    CF_TRUE(mjb_expand(p.b, "geom_friction", NULL, NULL));
    CF_TRUE(mjb_expand(p.b, "geom_size", NULL, NULL));
    CF_EQ_INT(mjb_step(p.b, NULL, 0, 1, mjSTAGE_NONE), 1);
    mass[BAD * m->nbody + 1] = m->body_mass[1];
    CF_EQ_INT(mjb_step(p.b, NULL, 0, 1, mjSTAGE_NONE), 0);
    closePair(&p);
  }
  free(state);
  mj_deleteModel(m);
}


CF_TEST(rollouts__of_some_simulations__have_the_rows_of_lone_worlds) {
  enum { NSTEP = 13 };
  static const char* const paths[] = {"models/humanoid.xml", "models/sleepers.xml"};
  mju_user_warning = dropText;
  for (int k = 0; k < 2; k++) {
    mjModel* m = mj_loadXML(paths[k], NULL, NULL, 0);
    const int ids[] = {0, 2, 3, 5, 8}, n = 5, nu = (int)m->nu;
    const int spec = mjSTATE_CTRL | mjSTATE_QFRC_APPLIED, ncontrol = nu + (int)m->nv;
    const int full = mjSTATE_FULLPHYSICS, nstate = mj_stateSize(m, full), nbody = (int)m->nbody;
    Pair p = openPair(m, 9, 2, k);
    disturb(&p);
    mjtNum* qvel = mjb_stateComponent(p.b, mjSTATE_QVEL, NULL);
    qvel[3 * mjb_nstate(p.b)] = p.d[3]->qvel[0] = 9.9e9;  // stops with a warning
    mjtNum* control = calloc((size_t)(n * NSTEP * ncontrol), sizeof(mjtNum));
    mjtNum *state = calloc((size_t)(n * NSTEP * nstate), sizeof(mjtNum)),
           *xpos = calloc((size_t)(n * NSTEP * 3 * nbody), sizeof(mjtNum)),
           *time = calloc((size_t)(n * NSTEP), sizeof(mjtNum)),
           *row = calloc(nstate, sizeof(mjtNum));
    for (int i = 0; i < n * NSTEP * ncontrol; i++) {
      control[i] = 0.4 * even();
    }
    const mjBatchRecord record[] = {
        {NULL, full, state}, {"xpos", 0, xpos}, {NULL, mjSTATE_TIME, time}};
    CF_EQ_INT(mjb_rollout(p.b, ids, n, NSTEP, control, spec, record, 3), 0);
    int stopped = 0;
    for (int i = 0; i < n; i++) {
      mjData* d = p.d[ids[i]];
      bool is_over = false;
      for (int t = 0; t < NSTEP; t++) {
        const int at = i * NSTEP + t;
        if (!is_over) {
          mj_setState(m, d, control + at * ncontrol, spec);
          mj_step(m, d);
        }
        for (int w = 0; w < mjNWARNING; w++) {
          is_over |= d->warning[w].number > 0;
        }
        mj_getState(m, d, row, full);
        CF_EQ_BYTES(state + at * nstate, row, sizeof(mjtNum) * nstate);
        CF_EQ_BYTES(xpos + at * 3 * nbody, d->xpos, sizeof(mjtNum) * 3 * nbody);
        CF_NEAR(time[at], d->time, 0);
      }
      stopped += is_over;
    }
    CF_EQ_INT(stopped, 1);
    expectSame(&p);
    free(control);
    free(state);
    free(xpos);
    free(time);
    free(row);
    closePair(&p);
    mj_deleteModel(m);
  }
  mju_user_warning = NULL;
}


// Jacobian of a body, and what a ray hits
typedef struct {
  mjtNum jacp[MOST][3 * 60], distance[MOST];
} Asked;

static void ask(const mjModel* m, mjData* d, int sim, void* arg) {
  Asked* asked = arg;
  const mjtNum from[3] = {0.3, 0.1, 5}, along[3] = {0, 0, -1};
  int geom;
  mj_kinematics(m, d);
  mj_comPos(m, d);
  mj_jacBody(m, d, asked->jacp[sim], NULL, (int)m->nbody - 1);
  asked->distance[sim] = mj_ray(m, d, from, along, NULL, 1, -1, &geom, NULL);
}


static void push(const mjModel* m, mjData* d, int sim, void* arg) {
  (void)m;
  (void)arg;
  d->qvel[0] += sim;
  if (sim == 2) {
    mju_error("not this one");
  }
}


CF_TEST(functions__run_on_simulations__see_their_states_and_keep_them_if_asked) {
  mjModel* m = mj_loadXML("models/humanoid.xml", NULL, NULL, 0);
  Pair p = openPair(m, MOST, 3, 0);
  static Asked mine, alone;
  disturb(&p);
  CF_EQ_INT(mjb_step(p.b, NULL, 0, 30, mjSTAGE_NONE), 0);
  CF_EQ_INT(mjb_apply(p.b, NULL, 0, ask, &mine, 0), 0);
  for (int i = 0; i < MOST; i++) {
    for (int k = 0; k < 30; k++) {
      mj_step(m, p.d[i]);
    }
  }
  expectSame(&p);
  mjData* d = mj_makeData(m);
  for (int i = 0; i < MOST; i++) {
    ask(m, p.d[i], i, &alone);
    mjb_getData(p.b, i, d);
    CF_EQ_BYTES(d->qpos, p.d[i]->qpos, sizeof(mjtNum) * m->nq);
  }
  mj_deleteData(d);
  CF_TRUE(mine.distance[0] > 0);
  CF_EQ_BYTES(&mine, &alone, sizeof(mine));
  CF_EQ_INT(mjb_apply(p.b, NULL, 0, push, NULL, 1), 1);
  CF_EQ_STR(mjb_error(p.b, 2), "not this one");
  for (int i = 0; i < MOST; i++) {
    p.d[i]->qvel[0] += i == 2 ? 0 : i;
  }
  expectSame(&p);
  closePair(&p);
  mj_deleteModel(m);
}


// every allocation in turn fails: simulations or a message, and nothing is left over
static long allocations, fails_at, alive;

static void* countingMalloc(size_t size) {
  if (__atomic_add_fetch(&allocations, 1, __ATOMIC_RELAXED) == fails_at) {
    return NULL;
  }
  __atomic_add_fetch(&alive, 1, __ATOMIC_RELAXED);
  return aligned_alloc(64, (size + 63) / 64 * 64);
}


static void countingFree(void* block) {
  __atomic_sub_fetch(&alive, block != NULL, __ATOMIC_RELAXED);
  free(block);
}


CF_TEST(simulations__no_memory__message_and_nothing_left_over) {
  mjModel* m = mj_loadXML("models/car.xml", NULL, NULL, 0);
  const mjBatchConfig config = {.nthread = 2};
  bool is_over = false;
  int refused = 0;
  for (fails_at = 1; !is_over && fails_at < 500; fails_at++) {
    char error[300] = "";
    const long before = alive;
    allocations = 0;
    mju_user_malloc = countingMalloc;
    mju_user_free = countingFree;
    mjBatch* b = mjb_makeBatch(m, 9, &config, error, sizeof(error));
    is_over = allocations < fails_at;
    CF_TRUE((b != NULL) == (error[0] == 0));
    refused += !b;
    mjb_deleteBatch(b);
    mju_user_malloc = NULL;
    mju_user_free = NULL;
    CF_EQ_INT(alive, before);
  }
  CF_TRUE(is_over && refused > 20);
  mj_deleteModel(m);
}


CF_TEST(arguments__that_cannot_be__raise_an_error) {
  mjModel* m = mj_loadXML("models/car.xml", NULL, NULL, 0);
  Pair p = openPair(m, 3, 1, 0);
  const int twice[] = {1, 1}, outside[] = {0, 3}, key[] = {0, 0, 99};
  const mjBatchRecord unknown = {"nonsense", 0, &p}, empty = {NULL, mjSTATE_QPOS, NULL};
  char error[100] = "";
  int size = 7;
  CF_RAISES(mjb_step(p.b, twice, 2, 1, 0), "given twice");
  CF_RAISES(mjb_step(p.b, outside, 2, 1, 0), "not one of the batch");
  CF_RAISES(mjb_step(p.b, outside, -1, 1, 0), "-1 simulations");
  CF_RAISES(mjb_step(p.b, NULL, 0, -1, 0), "nstep is -1");
  CF_RAISES(mjb_step(p.b, NULL, 0, 1, 9), "stage is 9");
  CF_RAISES(mjb_forward(p.b, NULL, 0, -1), "stage is -1");
  CF_RAISES(mjb_reset(p.b, NULL, 0, key, 0), "keyframe");
  CF_RAISES(mjb_rollout(p.b, NULL, 0, 1, NULL, 0, &unknown, 1), "nonsense");
  CF_RAISES(mjb_rollout(p.b, NULL, 0, 1, NULL, 0, &empty, 1), "no memory");
  CF_RAISES(mjb_apply(p.b, NULL, 0, NULL, NULL, 0), "NULL");
  CF_RAISES(mjb_error(p.b, 3), "simulation 3");
  CF_RAISES(mjb_getModel(p.b, -1, m), "simulation -1");
  CF_RAISES(mjb_getModel(p.b, 0, NULL), "the model is NULL");
  CF_RAISES(mjb_getData(p.b, 0, NULL), "the mjData is NULL");
  mjModel* other = mj_loadXML("models/humanoid.xml", NULL, NULL, 0);
  mjData* data = mj_makeData(other);
  CF_RAISES(mjb_getData(p.b, 0, data), "of another model");
  const mjModel* const models[] = {m, NULL, m};
  CF_RAISES(mjb_setModels(p.b, models), "model 1 is NULL");
  mj_deleteData(data);
  mj_deleteModel(other);
  CF_TRUE(!mjb_makeBatch(NULL, 3, NULL, error, sizeof(error)));
  CF_EQ_STR(error, "the model is NULL");
  CF_TRUE(!mjb_output(p.b, "efc_force", &size, NULL) && !mjb_output(p.b, NULL, NULL, NULL));
  CF_TRUE(!mjb_output(p.b, "contact", NULL, NULL));
  CF_TRUE(!mjb_stateComponent(p.b, mjSTATE_PHYSICS, &size));
  CF_EQ_INT(size, 7);
  CF_TRUE(!mjb_makeBatch(m, 0, NULL, error, sizeof(error)));
  CF_HAS_STR(error, "expected 1 or more");
  CF_EQ_INT(mjb_step(p.b, NULL, 0, 2, 0), 0);
  CF_NEAR(mjb_state(p.b)[0], 2 * m->opt.timestep, 1e-12);
  closePair(&p);
  mj_deleteModel(m);
}

CF_TEST_MAIN("batch/simulations")
