// Derivatives of a whole step by finite differences: x_next = f(x, u), sensors = g(x, u).
//
// Inputs are nudged one by one; the stages that an input does not touch are not repeated: controls
// and activations start after the velocity stage, velocities after the position stage.
#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "finitediff/difference.h"
#include "math/dense.h"
#include "model/flags.h"
#include "model/sleep.h"
#include "pipeline/advance.h"
#include "pipeline/inverse.h"

typedef enum {
  INPUT_POSITION,
  INPUT_VELOCITY,
  INPUT_ACTIVATION,
  INPUT_CONTROL,
  INPUT_COUNT
} fdInput;

// next state (qpos, qvel, act) and sensors
typedef struct {
  mjtNum *state, *sensor;
} fdOutput;

typedef struct {
  const mjModel* m;
  mjData* d;
  mjtNum eps;
  bool is_centered, has_sensors, is_exact;
  const mjtByte* known;  // of this kind of input; NULL: none
  int saved_bits;
  mjtNum* saved;  // the state to come back to
  int* asleep;    // and which trees sleep, NULL: not
  fdOutput center, plus, minus;
} fdStep;

// one row per nudged input; NULL: not wanted
typedef struct {
  mjtNum *state, *sensor;
} fdRows;


// stages of Runge-Kutta overwrite what the next step would take as computed
static int lastSkip(const mjModel* m, int skipstage) {
  return m->opt.integrator == mjINT_RK4 ? mjSTAGE_NONE : skipstage;
}


void cfi_integrateSkip(const mjModel* m, mjData* d, int skipstage) {
  if (m->opt.integrator == mjINT_EULER) {
    cfi_eulerSkip(m, d, skipstage >= mjSTAGE_POS);
  } else if (m->opt.integrator == mjINT_IMPLICIT || m->opt.integrator == mjINT_IMPLICITFAST) {
    cfi_implicitSkip(m, d, skipstage >= mjSTAGE_VEL);
  } else {
    cfi_integrate(m, d, m->opt.integrator);
  }
}


void cfi_stepSkip(const mjModel* m, mjData* d, int skipstage, bool with_sensors) {
  CF_ASSERT(lastSkip(m, skipstage) == skipstage);
  mj_checkPos(m, d);
  mj_checkVel(m, d);
  mj_forwardSkip(m, d, skipstage, !with_sensors);
  mj_checkAcc(m, d);
  cfi_checkInverse(m, d);
  cfi_integrateSkip(m, d, skipstage);
}


void cfi_nudgePosition(const mjModel* m, mjData* d, int dof, mjtNum eps) {
  mj_markStack(d);
  mjtNum* direction = mj_stackAllocNum(d, (size_t)m->nv);
  mju_zero(direction, (int)m->nv);
  direction[dof] = 1;
  mj_integratePos(m, d->qpos, direction, eps);
  mj_freeStack(d);
}


static fdOutput allocateOutput(const fdStep* s) {
  const mjModel* m = s->m;
  fdOutput out = {.state = mj_stackAllocNum(s->d, (size_t)(m->nq + m->nv + m->na) + 1)};
  if (s->has_sensors) {
    out.sensor = mj_stackAllocNum(s->d, (size_t)m->nsensordata + 1);
  }
  return out;
}


static void stepInto(const fdStep* s, const fdOutput* out, int skipstage) {
  // stages of a step that woke trees are not those of a step that finds them asleep
  cfi_stepSkip(s->m, s->d, s->asleep ? mjSTAGE_NONE : lastSkip(s->m, skipstage), s->has_sensors);
  mj_getState(s->m, s->d, out->state, mjSTATE_PHYSICS);
  if (out->sensor) {
    mju_copy(out->sensor, s->d->sensordata, (int)s->m->nsensordata);
  }
  mj_setState(s->m, s->d, s->saved, s->saved_bits);
  if (s->asleep) {
    cfi_copyInt(s->d->tree_asleep, s->asleep, (int)s->m->ntree);
    cfi_updateSleep(s->m, s->d);
  }
}


static int inputCount(const mjModel* m, fdInput input) {
  const int count[INPUT_COUNT] = {(int)m->nv, (int)m->nv, (int)m->na, (int)m->nu};
  return count[input];
}


static void nudge(const fdStep* s, fdInput input, int i, mjtNum eps) {
  mjtNum* const vector[INPUT_COUNT] = {NULL, s->d->qvel, s->d->act, s->d->ctrl};
  if (input == INPUT_POSITION) {
    cfi_nudgePosition(s->m, s->d, i, eps);
  } else {
    vector[input][i] += eps;
  }
}


bool cfi_mayNudgeControl(const mjModel* m, const mjData* d, int u, mjtNum eps, bool is_exact) {
  CF_ASSERT_INDEX(u, m->nu);
  if (!m->actuator_ctrllimited[u] || (is_exact && cfi_disabled(m, mjDSBL_CLAMPCTRL))) {
    return true;
  }
  const mjtNum *range = m->actuator_ctrlrange + 2 * u, now = d->ctrl[u], then = now + eps;
  return now >= range[0] && now <= range[1] && then >= range[0] && then <= range[1];
}


static bool mayNudge(const fdStep* s, fdInput input, int i, mjtNum eps) {
  return input != INPUT_CONTROL || cfi_mayNudgeControl(s->m, s->d, i, eps, s->is_exact);
}


// difference of two states in the tangent space
static void stateDifference(const mjModel* m, mjtNum* res, const mjtNum* a, const mjtNum* b,
                            mjtNum h) {
  mj_differentiatePos(m, res, h, a, b);
  cfi_difference(res + m->nv, a + m->nq, b + m->nq, h, (int)(m->nv + m->na));
}


// forward, backward or centered, whatever could be nudged; zero where nothing could
static void writeRows(const fdStep* s, fdInput input, int i, fdRows rows, bool has_plus,
                      bool has_minus) {
  const mjModel* m = s->m;
  const int width = (int)(2 * m->nv + m->na), sensors = (int)m->nsensordata;
  const fdOutput *from = has_minus ? &s->minus : &s->center, *to = has_plus ? &s->plus : &s->center;
  const mjtNum h = has_plus && has_minus ? 2 * s->eps : s->eps;
  if (rows.state && (has_plus || has_minus)) {
    stateDifference(m, rows.state + (size_t)i * (size_t)width, from->state, to->state, h);
  } else if (rows.state) {
    mju_zero(rows.state + (size_t)i * (size_t)width, width);
  }
  if (!rows.sensor) {
    return;
  }
  mjtNum* row = rows.sensor + (size_t)i * (size_t)sensors;
  if (!has_plus && !has_minus) {
    mju_zero(row, sensors);
    return;
  }
  cfi_difference(row, from->sensor, to->sensor, h, sensors);

  // MuJoCo 3.5.0 exchanges the two sides of centered sensor differences with respect to controls
  if (input == INPUT_CONTROL && has_plus && has_minus) {
    mju_scl(row, row, -1, sensors);
  }
}


static void differentiateInput(fdStep* s, fdInput input, fdRows rows) {
  static const int skip[INPUT_COUNT] = {mjSTAGE_NONE, mjSTAGE_POS, mjSTAGE_VEL, mjSTAGE_VEL};
  if (!rows.state && !rows.sensor) {
    return;
  }
  for (int i = 0; i < inputCount(s->m, input); i++) {
    if (s->known && s->known[i]) {
      continue;
    }
    const bool has_plus = mayNudge(s, input, i, s->eps);
    const bool has_minus = (s->is_centered || !has_plus) && mayNudge(s, input, i, -s->eps);
    if (has_plus) {
      nudge(s, input, i, s->eps);
      stepInto(s, &s->plus, skip[input]);
    }
    if (has_minus) {
      nudge(s, input, i, -s->eps);
      stepInto(s, &s->minus, skip[input]);
    }
    writeRows(s, input, i, rows, has_plus, has_minus);
  }
}


int cfi_linearizedState(const mjModel* m) {
  return mjSTATE_FULLPHYSICS | mjSTATE_CTRL |
         (cfi_disabled(m, mjDSBL_WARMSTART) ? 0 : mjSTATE_WARMSTART);
}


// is the step from the center asked for, or do inputs that are left skip stages of it?
static bool needsCenter(const mjModel* m, const cfDifferences* how,
                        const fdRows rows[INPUT_COUNT]) {
  const int nv = (int)m->nv, nx = 2 * nv + (int)m->na;
  bool needs = !how->known || !how->is_centered;
  for (int k = nv; k < nx + m->nu && !needs; k++) {
    needs = !how->known[k] && rows[k < nx ? INPUT_VELOCITY : INPUT_CONTROL].state;
  }
  return needs;
}


// all Jacobians of a step, transposed: one row per input
static void differentiateStep(const mjModel* m, mjData* d, const cfDifferences* how,
                              const fdRows rows[INPUT_COUNT]) {
  fdStep s = {
      .m = m, .d = d, .eps = how->eps, .is_centered = how->is_centered, .is_exact = how->is_exact};
  for (int k = 0; k < INPUT_COUNT; k++) {
    s.has_sensors = s.has_sensors || rows[k].sensor;
  }
  s.saved_bits = cfi_linearizedState(m);
  mj_markStack(d);
  s.saved = mj_stackAllocNum(d, (size_t)mj_stateSize(m, s.saved_bits));
  s.center = allocateOutput(&s);
  s.plus = allocateOutput(&s);
  s.minus = allocateOutput(&s);
  mj_getState(m, d, s.saved, s.saved_bits);
  if (how->keeps_sleep && cfi_enabled(m, mjENBL_SLEEP)) {
    s.asleep = mj_stackAllocInt(d, (size_t)m->ntree + 1);
    cfi_copyInt(s.asleep, d->tree_asleep, (int)m->ntree);
  }
  if (needsCenter(m, how, rows)) {
    stepInto(&s, &s.center, mjSTAGE_NONE);
  }

  // inputs that skip the most come first: the stages they rely on are those of the center
  const int nv = (int)m->nv, first[INPUT_COUNT] = {0, nv, 2 * nv, 2 * nv + (int)m->na};
  for (int k = INPUT_COUNT - 1; k >= 0; k--) {
    s.known = how->known ? how->known + first[k] : NULL;
    differentiateInput(&s, (fdInput)k, rows[k]);
  }
  mj_freeStack(d);
}


// columns of res from rows, but for those that are known already
static void transposeRows(mjtNum* res, const mjtNum* rows, int height, int width,
                          const mjtByte* known) {
  CF_ASSERT(res && rows);
  if (!known) {
    mju_transpose(res, rows, height, width);
    return;
  }
  for (int i = 0; i < height; i++) {
    const mjtNum* row = rows + (size_t)i * (size_t)width;
    for (int k = 0; k < width && !known[i]; k++) {
      res[(size_t)k * (size_t)height + (size_t)i] = row[k];
    }
  }
}


void cfi_differenceTransition(const mjModel* m, mjData* d, const cfDifferences* how, mjtNum* A,
                              mjtNum* B, mjtNum* C, mjtNum* D) {
  const int nv = (int)m->nv, nu = (int)m->nu, ns = (int)m->nsensordata, nx = 2 * nv + (int)m->na;
  const size_t first_row[INPUT_COUNT] = {0, (size_t)nv, 2 * (size_t)nv, 0};
  mj_markStack(d);
  mjtNum* At = A ? mj_stackAllocNum(d, (size_t)nx * (size_t)nx + 1) : NULL;
  mjtNum* Bt = B ? mj_stackAllocNum(d, (size_t)nu * (size_t)nx + 1) : NULL;
  mjtNum* Ct = C ? mj_stackAllocNum(d, (size_t)nx * (size_t)ns + 1) : NULL;
  mjtNum* Dt = D ? mj_stackAllocNum(d, (size_t)nu * (size_t)ns + 1) : NULL;
  fdRows rows[INPUT_COUNT];
  for (int k = 0; k < INPUT_COUNT; k++) {
    mjtNum *state = k == INPUT_CONTROL ? Bt : At, *sensor = k == INPUT_CONTROL ? Dt : Ct;
    rows[k].state = state ? state + first_row[k] * (size_t)nx : NULL;
    rows[k].sensor = sensor ? sensor + first_row[k] * (size_t)ns : NULL;
  }
  differentiateStep(m, d, how, rows);
  mjtNum* const res[4] = {A, B, C, D};
  const mjtNum* const transposed[4] = {At, Bt, Ct, Dt};
  const int height[4] = {nx, nu, nx, nu}, width[4] = {nx, nx, ns, ns};
  for (int k = 0; k < 4; k++) {
    if (res[k]) {
      const mjtByte* known = how->known ? how->known + (k % 2 ? nx : 0) : NULL;
      transposeRows(res[k], transposed[k], height[k], width[k], known);
    }
  }
  mj_freeStack(d);
}


void mjd_transitionFD(const mjModel* m, mjData* d, mjtNum eps, mjtByte flg_centered, mjtNum* A,
                      mjtNum* B, mjtNum* C, mjtNum* D) {
  if (m->opt.integrator == mjINT_RK4) {
    mju_error("mjd_transitionFD: RK4 integrator is not supported");
    return;
  }
  if (m->nhistory) {
    mju_error("mjd_transitionFD: delays are not supported");
    return;
  }
  const cfDifferences how = {.eps = eps, .is_centered = flg_centered};
  cfi_differenceTransition(m, d, &how, A, B, C, D);
}
