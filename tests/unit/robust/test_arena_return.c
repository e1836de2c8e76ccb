// An arena that is too small, and an error handler that comes back: the step goes on with memory
// from the heap, so that every reader of scratch is safe.  Where nothing was dropped (no warning),
// the results are those of an arena of plenty.
#include <math.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#include <mujoco/mujoco.h>

#include "cf_test.h"
#include "cf_threads.h"

enum { NSTEP = 3, NSIZE = 60, MAX_DIFFERENCED = 12, ARENA_PLENTY = 1 << 24 };

typedef struct {
  int solver, cone, jacobian, integrator, noslip;
  bool no_islands;
} Variant;

// what a run came to
typedef struct {
  mjtNum* state;  // qpos, qvel, qacc, sensordata
  int nstate, nwarning, nerror;
  mjtSize needed;
} Outcome;

static atomic_int errors;
static unsigned long long dice = 88172645463325252ull;


static unsigned roll(unsigned below) {
  dice ^= dice << 13;
  dice ^= dice >> 7;
  dice ^= dice << 17;
  return (unsigned)(dice >> 33) % below;
}


static void countError(const char* text) {
  CF_HAS_STR(text, "stack overflow");
  errors++;
}


static void ignoreWarning(const char* text) {
  (void)text;
}


// everything that takes scratch outside of a step
static void askQuestions(const mjModel* m, mjData* d) {
  const mjtNum from[3] = {0, 0, 3}, down[6] = {0, 0, -1, 0.1, 0, -1};
  mjtNum dist[2], fromto[6];
  int geom[2];
  mj_inverse(m, d);
  mj_multiRay(m, d, from, down, NULL, 1, -1, geom, dist, NULL, 2, mjMAXVAL);
  for (int g = 1; g < m->ngeom && g < 8; g++) {
    mj_geomDistance(m, d, 0, g, 1, fromto);
  }
  mj_rnePostConstraint(m, d);
  mj_subtreeVel(m, d);
  if (m->nv < MAX_DIFFERENCED && m->opt.integrator != mjINT_RK4) {
    const size_t nx = 2 * (size_t)m->nv + (size_t)m->na;
    mjtNum* A = (mjtNum*)malloc(sizeof(mjtNum) * nx * nx);
    mjd_transitionFD(m, d, 1e-6, 0, A, NULL, NULL, NULL);
    free(A);
  }
}


static void takeState(Outcome* out, const mjModel* m, const mjData* d) {
  out->nstate = (int)(m->nq + 2 * m->nv + m->nsensordata);
  out->state = (mjtNum*)malloc(sizeof(mjtNum) * (size_t)out->nstate);
  mjtNum* to = out->state;
  mju_copy(to, d->qpos, (int)m->nq);
  mju_copy(to += m->nq, d->qvel, (int)m->nv);
  mju_copy(to += m->nv, d->qacc, (int)m->nv);
  mju_copy(to += m->nv, d->sensordata, (int)m->nsensordata);
}


static Outcome runSteps(mjModel* m, mjtSize narena) {
  Outcome out = {NULL, 0, 0, 0, 0};
  errors = 0;
  m->narena = narena;
  mjData* d = mj_makeData(m);
  mj_resetDataKeyframe(m, d, m->nkey ? 0 : -1);
  for (int k = 0; k < NSTEP; k++) {
    mj_step(m, d);
    CF_EQ_INT(d->pstack, 0);
    CF_EQ_INT(d->pbase, 0);
    CF_TRUE(d->parena <= (size_t)d->narena);
  }
  takeState(&out, m, d);
  out.needed = d->maxuse_arena;
  out.nwarning = d->warning[mjWARN_CONTACTFULL].number + d->warning[mjWARN_CNSTRFULL].number;
  out.nerror = errors;
  askQuestions(m, d);
  CF_EQ_INT(d->pstack, 0);
  mj_deleteData(d);
  return out;
}


// equal but for rounding: with less memory the solver builds its Hessian anew instead of updating
// it
static bool isSameState(const Outcome* a, const Outcome* b) {
  bool is_same = a->nstate == b->nstate;
  for (int i = 0; is_same && i < a->nstate; i++) {
    const mjtNum size = 1 + fabs(a->state[i]);
    is_same = fabs(a->state[i] - b->state[i]) <= 1e-8 * size;
  }
  return is_same;
}


// more small sizes than large ones, to the byte
static mjtSize someSize(mjtSize needed) {
  const unsigned octave = roll(8);
  return 1 + (mjtSize)roll((unsigned)(needed >> octave) + 1);
}


static void sweepSizes(mjModel* m, const char* path, int* raised) {
  const Outcome plenty = runSteps(m, ARENA_PLENTY);
  CF_EQ_INT(plenty.nerror + plenty.nwarning, 0);
  for (int k = 0; k < NSIZE; k++) {
    const mjtSize narena = someSize(plenty.needed);
    const Outcome out = runSteps(m, narena);
    *raised += out.nerror > 0;
    if (!out.nwarning && !isSameState(&out, &plenty)) {
      CF_FAIL("%s: other results with an arena of %lld bytes\n", path, (long long)narena);
    }
    free(out.state);
  }
  free(plenty.state);
}


static mjModel* loadModel(const char* path) {
  char full[1000], error[1000] = "";
  snprintf(full, sizeof(full), "%s/%s", CF_SOURCE_DIR, path);
  mjModel* m = mj_loadXML(full, NULL, error, sizeof(error));
  if (!m) {
    CF_FAIL("cannot load %s: %s\n", full, error);
  }
  return m;
}


CF_TEST(arena__too_small_and_handler_returns__same_results_or_warning) {
  static const Variant variants[] = {
      {mjSOL_NEWTON, mjCONE_PYRAMIDAL, mjJAC_DENSE, mjINT_EULER, 0, false},
      {mjSOL_NEWTON, mjCONE_ELLIPTIC, mjJAC_SPARSE, mjINT_IMPLICITFAST, 0, false},
      {mjSOL_NEWTON, mjCONE_ELLIPTIC, mjJAC_DENSE, mjINT_IMPLICIT, 0, true},
      {mjSOL_CG, mjCONE_PYRAMIDAL, mjJAC_SPARSE, mjINT_RK4, 0, false},
      {mjSOL_CG, mjCONE_ELLIPTIC, mjJAC_DENSE, mjINT_EULER, 3, true},
      {mjSOL_PGS, mjCONE_PYRAMIDAL, mjJAC_SPARSE, mjINT_IMPLICIT, 3, false},
      {mjSOL_PGS, mjCONE_ELLIPTIC, mjJAC_DENSE, mjINT_RK4, 0, false},
  };
  static const char* const path[] = {"models/stack.xml",
                                     "models/terrain.xml",
                                     "models/grasp.xml",
                                     "models/humanoid.xml",
                                     "models/loops.xml",
                                     "models/sleepers.xml",
                                     "models/muscles.xml",
                                     "models/fluid.xml",
                                     "models/car.xml",
                                     "tests/data/flags/scene.xml",
                                     "tests/data/constraint/scene.xml",
                                     "tests/data/stages.xml"};
  mju_user_error = countError;
  mju_user_warning = ignoreWarning;
  for (size_t k = 0; k < sizeof(path) / sizeof(path[0]); k++) {
    mjModel* m = loadModel(path[k]);
    int raised = 0;
    for (size_t v = 0; v < sizeof(variants) / sizeof(variants[0]); v++) {
      m->opt.solver = variants[v].solver;
      m->opt.cone = variants[v].cone;
      m->opt.jacobian = variants[v].jacobian;
      m->opt.integrator = variants[v].integrator;
      m->opt.noslip_iterations = variants[v].noslip;
      m->opt.disableflags = variants[v].no_islands ? mjDSBL_ISLAND : 0;
      sweepSizes(m, path[k], &raised);
    }
    printf("%s: errors in %d runs\n", path[k], raised);
    CF_TRUE(raised > 0);
    mj_deleteModel(m);
  }
  mju_user_error = NULL;
  mju_user_warning = NULL;
}


// stacks of threads: as small as they may be, and a little more
CF_TEST(arena__too_small_for_threads_and_handler_returns__goes_on) {
  mjModel* m = loadModel("models/stack.xml");
  mju_user_error = countError;
  mju_user_warning = ignoreWarning;
  mjThreadPool* pool = mju_threadPoolCreate(2);
  int raised = 0;
  for (mjtSize narena = 4000; narena < 400000; narena += 1 + narena / 10) {
    errors = 0;
    m->narena = narena;
    mjData* d = mj_makeData(m);
    mju_bindThreadPool(d, pool);
    cf_keepThreads(d);
    for (int k = 0; k < NSTEP; k++) {
      mj_step(m, d);
    }
    for (int i = 0; i < m->nv; i++) {
      CF_TRUE(isfinite(d->qacc[i]));
    }
    raised += errors > 0;
    mj_deleteData(d);
  }
  CF_TRUE(raised > 0);
  mju_threadPoolDestroy(pool);
  mju_user_error = NULL;
  mju_user_warning = NULL;
  mj_deleteModel(m);
}

CF_TEST_MAIN("robust/arena_return")
