// Linearization of a step with analytic columns where a closed form is exact.
//
// Without constraint rows the step is  v+ = v + h*W*f(q, v, act, u),  q+ = q (+) h*v+,  where W is
// the inverse of the matrix that the integrator solves with: M, M + h*diag(damping), or M - h*dF/dv
// where that is constant.  Then
//   dv+/dv = I + h*W*dF/dv,   dv+/du = h*W*moment'*gain,   dq+/dx = (dq+/dv+)*(dv+/dx) (+ its own
//   part for q).
#include <math.h>
#include <string.h>

#include <cortenforge/derivative.h>

#include "base/assert.h"
#include "derivative/velocity.h"
#include "dynamics/factor.h"
#include "finitediff/difference.h"
#include "math/inline.h"
#include "model/flags.h"
#include "pipeline/advance.h"

// the linearization in work: center of the step, matrix of the integrator
typedef struct {
  const mjModel* m;
  mjData* d;  // forward quantities and factors at the center
  int nv, na, nu, nx;
  mjtNum *A, *B;
} linearization;


// x <- W*x
static void solveStep(const linearization* s, mjtNum* x) {
  const mjModel* m = s->m;
  const cfIndexSet all = {NULL, s->nv, 0};
  bool is_damped = m->opt.integrator == mjINT_IMPLICITFAST;
  for (int k = 0; k < s->nv && !is_damped; k++) {
    is_damped = m->dof_damping[k] > 0 && !cfi_disabled(m, mjDSBL_EULERDAMP) &&
                !cfi_disabled(m, mjDSBL_DAMPER);
  }
  cfi_solveLD(x, is_damped ? s->d->qH : s->d->qLD, is_damped ? s->d->qHDiagInv : s->d->qLDiagInv,
              s->nv, 1, m->M_rownnz, m->M_rowadr, m->M_colind, all);
}


// dq+ = h * d(integration)/dv * dv+, joint by joint; quaternions turn by the right Jacobian
static void integrateColumn(const linearization* s, const mjtNum* velocity, const mjtNum* dv,
                            mjtNum* dq) {
  const mjModel* m = s->m;
  const mjtNum h = m->opt.timestep;
  for (int j = 0; j < m->njnt; j++) {
    const int type = m->jnt_type[j], adr = m->jnt_dofadr[j];
    const int straight = type == mjJNT_FREE ? 3 : (type == mjJNT_BALL ? 0 : 1);
    for (int k = 0; k < straight; k++) {
      dq[adr + k] = h * dv[adr + k];
    }
    if (type == mjJNT_FREE || type == mjJNT_BALL) {
      mjtNum right[9], turned[3];
      mjd_quatIntegrate(velocity + adr + straight, h, NULL, right, NULL);
      cfi_mulMatVec3(turned, right, dv + adr + straight);
      cfi_scl3(dq + adr + straight, turned, h);
    }
  }
}


// write a column of A or B from dv+ (and the matching dq+); activations are the caller's
static void putColumn(const linearization* s, mjtNum* matrix, int width, int column,
                      const mjtNum* velocity, const mjtNum* dv, mjtNum* dq) {
  CF_ASSERT_INDEX(column, width);
  integrateColumn(s, velocity, dv, dq);
  for (int k = 0; k < s->nv; k++) {
    matrix[(size_t)k * (size_t)width + (size_t)column] = dq[k];
    matrix[(size_t)(s->nv + k) * (size_t)width + (size_t)column] = dv[k];
  }
}


// ---------------------------------------- columns

// dv+/dv = I + h*W*dF/dv
static void velocityColumns(const linearization* s, const mjtNum* next_velocity) {
  const mjModel* m = s->m;
  mj_markStack(s->d);
  mjtNum* column = mj_stackAllocNum(s->d, (size_t)s->nv);
  mjtNum* scratch = mj_stackAllocNum(s->d, (size_t)s->nv);
  for (int j = 0; j < s->nv; j++) {
    mju_zero(column, s->nv);
    for (int i = 0; i < s->nv; i++) {
      for (int k = m->D_rowadr[i]; k < m->D_rowadr[i] + m->D_rownnz[i]; k++) {
        column[i] += m->D_colind[k] == j ? s->d->qDeriv[k] : 0;
      }
    }
    solveStep(s, column);
    mju_scl(column, column, m->opt.timestep, s->nv);
    column[j] += 1;
    putColumn(s, s->A, s->nx, s->nv + j, next_velocity, column, scratch);
  }
  mj_freeStack(s->d);
}


// is the force of this actuator linear in its input here?
static bool isLinear(const linearization* s, int u) {
  CF_ASSERT_INDEX(u, s->nu);
  const mjModel* m = s->m;
  const mjtNum *range = m->actuator_forcerange + 2 * u, force = s->d->actuator_force[u];
  const bool is_saturated = m->actuator_forcelimited[u] && (force <= range[0] || force >= range[1]);
  return !is_saturated && m->actuator_plugin[u] < 0 && m->actuator_gaintype[u] <= mjGAIN_AFFINE;
}


static mjtNum gainOf(const linearization* s, int u) {
  const mjtNum* prm = s->m->actuator_gainprm + mjNGAIN * u;
  if (s->m->actuator_gaintype[u] == mjGAIN_FIXED) {
    return prm[0];
  }
  return prm[0] + prm[1] * s->d->actuator_length[u] + prm[2] * s->d->actuator_velocity[u];
}


// dv+ for a change of the actuator's input by `scale`
static void inputColumn(const linearization* s, int u, mjtNum scale, mjtNum* column) {
  CF_ASSERT_INDEX(u, s->nu);
  const mjData* d = s->d;
  mju_zero(column, s->nv);
  for (int k = d->moment_rowadr[u]; k < d->moment_rowadr[u] + d->moment_rownnz[u]; k++) {
    column[d->moment_colind[k]] = scale * gainOf(s, u) * d->actuator_moment[k];
  }
  solveStep(s, column);
  mju_scl(column, column, s->m->opt.timestep, s->nv);
}


static void controlColumn(const linearization* s, int u, const mjtNum* next_velocity) {
  CF_ASSERT(s->B && u >= 0 && u < s->nu);
  mj_markStack(s->d);
  mjtNum* column = mj_stackAllocNum(s->d, (size_t)s->nv);
  mjtNum* scratch = mj_stackAllocNum(s->d, (size_t)s->nv);
  inputColumn(s, u, 1, column);
  putColumn(s, s->B, s->nu, u, next_velocity, column, scratch);
  for (int k = 0; k < s->na; k++) {
    s->B[(size_t)(2 * s->nv + k) * (size_t)s->nu + (size_t)u] = 0;
  }
  mj_freeStack(s->d);
}


// d act+/d act
static mjtNum activationDecay(const linearization* s, int u) {
  const mjtNum tau = cfi_max(mjMINVAL, s->m->actuator_dynprm[mjNDYN * u]), h = s->m->opt.timestep;
  switch (s->m->actuator_dyntype[u]) {
    case mjDYN_FILTER:
      return 1 - h / tau;
    case mjDYN_FILTEREXACT:
      return exp(-h / tau);
    default:
      return 1;
  }
}


static void activationColumn(const linearization* s, int u, const mjtNum* next_velocity) {
  CF_ASSERT(s->A && u >= 0 && u < s->nu);
  const int act = s->m->actuator_actadr[u], column_id = 2 * s->nv + act;
  const mjtNum decay = activationDecay(s, u);
  mj_markStack(s->d);
  mjtNum* column = mj_stackAllocNum(s->d, (size_t)s->nv);
  mjtNum* scratch = mj_stackAllocNum(s->d, (size_t)s->nv);
  inputColumn(s, u, s->m->actuator_actearly[u] ? decay : 1, column);
  putColumn(s, s->A, s->nx, column_id, next_velocity, column, scratch);
  for (int k = 0; k < s->na; k++) {
    s->A[(size_t)(2 * s->nv + k) * (size_t)s->nx + (size_t)column_id] = k == act ? decay : 0;
  }
  mj_freeStack(s->d);
}


// ---------------------------------------- where closed forms hold

static bool hasForceLimits(const mjModel* m) {
  for (int j = 0; j < m->njnt; j++) {
    if (m->jnt_actfrclimited[j]) {
      return true;
    }
  }
  for (int t = 0; t < m->ntendon; t++) {
    if (m->tendon_actfrclimited[t]) {
      return true;
    }
  }
  return false;
}


static bool hasClosedControl(const linearization* s, int u) {
  const mjModel* m = s->m;
  const mjtNum *range = m->actuator_ctrlrange + 2 * u, ctrl = s->d->ctrl[u];
  const bool is_inside = !m->actuator_ctrllimited[u] || (ctrl > range[0] && ctrl < range[1]);
  return m->actuator_dyntype[u] == mjDYN_NONE && is_inside && isLinear(s, u) &&
         !cfi_actuatorDisabled(m, u);
}


static bool hasClosedActivation(const linearization* s, int u) {
  const mjModel* m = s->m;
  const int type = m->actuator_dyntype[u];
  return m->actuator_actnum[u] == 1 && type >= mjDYN_INTEGRATOR && type <= mjDYN_FILTEREXACT &&
         !m->actuator_actlimited[u] && isLinear(s, u) && !cfi_actuatorDisabled(m, u);
}


// does the integrator's matrix stay the same when velocities and controls change?
static bool hasConstantMatrix(const mjModel* m) {
  if (m->opt.integrator == mjINT_EULER) {
    return true;
  }
  if (m->opt.integrator == mjINT_IMPLICIT || m->opt.density > 0 || m->opt.viscosity > 0) {
    return false;
  }
  for (int u = 0; u < m->nu; u++) {
    if (m->actuator_gaintype[u] != mjGAIN_FIXED) {
      return false;
    }
  }
  return true;
}


// replace the columns that have a closed form
static void analyticColumns(linearization* s) {
  const mjModel* m = s->m;
  mj_markStack(s->d);
  const int bits = mjSTATE_FULLPHYSICS | mjSTATE_CTRL | mjSTATE_WARMSTART;
  mjtNum* saved = mj_stackAllocNum(s->d, (size_t)mj_stateSize(m, bits));
  mjtNum* next_velocity = mj_stackAllocNum(s->d, (size_t)s->nv);
  mj_getState(m, s->d, saved, bits);
  cfi_stepSkip(m, s->d, mjSTAGE_NONE, false);
  mju_copy(next_velocity, s->d->qvel, s->nv);
  mj_setState(m, s->d, saved, bits);

  cfi_smoothVelocityDerivative(m, s->d, true);
  if (s->A && !s->d->nefc) {
    velocityColumns(s, next_velocity);
  }
  const bool has_actuation =
      !s->d->nefc && !cfi_disabled(m, mjDSBL_ACTUATION) && !hasForceLimits(m);
  for (int u = 0; u < s->nu && has_actuation; u++) {
    if (s->B && hasClosedControl(s, u)) {
      controlColumn(s, u, next_velocity);
    }
    if (s->A && hasClosedActivation(s, u)) {
      activationColumn(s, u, next_velocity);
    }
  }
  mj_freeStack(s->d);
}


void cf_transition(const mjModel* m, mjData* d, const cfTransitionOptions* opt, mjtNum* A,
                   mjtNum* B) {
  const cfTransitionOptions defaults = {0};
  const cfTransitionOptions* o = opt ? opt : &defaults;
  mjd_transitionFD(m, d, o->eps > 0 ? o->eps : 1e-6, !o->one_sided, A, B, NULL, NULL);
  if (o->no_analytic || m->opt.integrator == mjINT_RK4 || m->nhistory || m->nflex ||
      cfi_mayHaveStiffGains(m) || !hasConstantMatrix(m)) {
    return;
  }
  linearization s = {m, d, (int)m->nv, (int)m->na, (int)m->nu, (int)(2 * m->nv + m->na), A, B};
  analyticColumns(&s);
}


// ---------------------------------------- validators

mjtNum cf_maxRelativeError(const mjtNum* a, const mjtNum* b, int n) {
  mjtNum worst = 0;
  for (int k = 0; k < n; k++) {
    const mjtNum error = fabs(a[k] - b[k]) / cfi_max(1, cfi_max(fabs(a[k]), fabs(b[k])));
    if (isnan(error)) {
      return INFINITY;
    }
    worst = cfi_max(worst, error);
  }
  return worst;
}


// largest difference of A and B between two ways to linearize
static mjtNum compareTransitions(const mjModel* m, mjData* d, const cfTransitionOptions* first,
                                 const cfTransitionOptions* second) {
  const size_t nx = (size_t)(2 * m->nv + m->na), size = nx * (nx + (size_t)m->nu);
  mj_markStack(d);
  mjtNum* one = mj_stackAllocNum(d, size + 1);
  mjtNum* two = mj_stackAllocNum(d, size + 1);
  cf_transition(m, d, first, one, one + nx * nx);
  cf_transition(m, d, second, two, two + nx * nx);
  const mjtNum error = cf_maxRelativeError(one, two, (int)size);
  mj_freeStack(d);
  return error;
}


mjtNum cf_validateTransition(const mjModel* m, mjData* d, mjtNum eps) {
  const cfTransitionOptions analytic = {.eps = eps}, differences = {.eps = eps, .no_analytic = 1};
  return compareTransitions(m, d, &analytic, &differences);
}


mjtNum cf_transitionConvergence(const mjModel* m, mjData* d, mjtNum eps) {
  const cfTransitionOptions coarse = {.eps = eps, .no_analytic = 1},
                            fine = {.eps = eps / 10, .no_analytic = 1};
  return compareTransitions(m, d, &coarse, &fine);
}
