// Models of actuators that are stiff, in integrators that are explicit otherwise.
//
// With the rows j of their moments and the slopes -w of their forces, the matrix A of a step (M, or
// M + h*diag(damping)) becomes A + h*sum(w*j'*j).  Its inverse follows from that of A by the
// formula of Woodbury:  x = A^-1 r - X*(1/(h*w) + J*X)^-1 * J*A^-1 r,  X = A^-1 J'.
//
// Limits of forces hold at the end of the step: with e the forces in r, f = e + c those at the end
// and F the ones that the models ask for at its start,
//   (1/(h*w) + J*X) c = (F - e)/(h*w) - J*A^-1 r,  low - e <= c <= high - e,  x = A^-1 r + X c,
// a quadratic program with bounds.  The implicit integrators have the slopes of all others in their
// matrix; here they see those with limits.
#include <string.h>

#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "dynamics/factor.h"
#include "dynamics/gain.h"
#include "dynamics/gainlimits.h"
#include "math/inline.h"
#include "math/sparse.h"
#include "model/awake.h"
#include "pipeline/advance.h"

// actuators that take part, and h times their slopes
typedef struct {
  int count;
  int* actuator;
  mjtNum* weight;
  bool are_limited;  // some of them
  cfGainLimits* limits;
} stiffList;


static stiffList listStiff(const mjModel* m, mjData* d) {
  const size_t nu = (size_t)m->nu;
  stiffList list = {
      0, mj_stackAllocInt(d, nu + 1), mj_stackAllocNum(d, nu + 1), false,
      (cfGainLimits*)mj_stackAllocByte(d, (nu + 1) * sizeof(cfGainLimits), _Alignof(cfGainLimits))};
  const bool is_implicit =
      m->opt.integrator == mjINT_IMPLICIT || m->opt.integrator == mjINT_IMPLICITFAST;
  for (int u = 0; u < m->nu; u++) {
    const mjtNum weight = -m->opt.timestep * cfi_stiffSlope(m, d, u);
    if (weight > 0) {
      cfGainLimits* limits = list.limits + list.count;
      *limits = cfi_gainLimits(m, d, u);
      if (limits->is_beyond || (is_implicit && !limits->is_limited)) {
        continue;
      }
      list.are_limited = list.are_limited || limits->is_limited;
      list.actuator[list.count] = u;
      list.weight[list.count++] = weight;
    }
  }
  return list;
}


static mjtNum alongMoment(const mjData* d, int u, const mjtNum* vec) {
  const int adr = d->moment_rowadr[u], end = adr + d->moment_rownnz[u];
  mjtNum sum = 0;
  for (int k = adr; k < end; k++) {
    sum += d->actuator_moment[k] * vec[d->moment_colind[k]];
  }
  return sum;
}


static void addMomentRow(const mjData* d, int u, mjtNum scale, mjtNum* vec) {
  const int adr = d->moment_rowadr[u], end = adr + d->moment_rownnz[u];
  for (int k = adr; k < end; k++) {
    vec[d->moment_colind[k]] += scale * d->actuator_moment[k];
  }
}


// a column of X; dofs that sleep do not move.  Without inverses of a diagonal LD is qLU.
static void solveMoment(const mjModel* m, mjData* d, int u, const mjtNum* LD, const mjtNum* diaginv,
                        cfIndexSet dofs, mjtNum* column) {
  const int nv = (int)m->nv;
  mju_zero(column, nv);
  addMomentRow(d, u, 1, column);
  for (int i = 0; i < nv && dofs.index; i++) {
    column[i] = d->tree_awake[m->dof_treeid[i]] ? column[i] : 0;
  }
  if (diaginv) {
    cfi_solveLD(column, LD, diaginv, nv, 1, m->M_rownnz, m->M_rowadr, m->M_colind, dofs);
    return;
  }
  mj_markStack(d);
  mjtNum* moment = mj_stackAllocNum(d, (size_t)nv);
  const cfPattern D = {nv, nv, m->D_rownnz, m->D_rowadr, m->D_colind, NULL};
  mju_copy(moment, column, nv);
  cfi_solveLUSparse(column, LD, moment, D, m->D_diag, dofs.index, dofs.count);
  mj_freeStack(d);
}


// S = 1/(h*w) + J*X, row by row
static void fillSystem(const mjData* d, const stiffList* list, const mjtNum* X, int nv, mjtNum* S) {
  const int n = list->count;
  for (int k = 0; k < n; k++) {
    for (int l = 0; l < n; l++) {
      S[k * n + l] = alongMoment(d, list->actuator[k], X + (size_t)l * (size_t)nv) +
                     (k == l ? 1 / list->weight[k] : 0);
    }
  }
}


// S <- its symmetric part; skew receives the rest
static void splitSystem(mjtNum* S, mjtNum* skew, int n) {
  for (int k = 0; k < n; k++) {
    for (int l = 0; l <= k; l++) {
      const mjtNum one = S[k * n + l], other = S[l * n + k];
      skew[k * n + l] = 0.5 * (one - other);
      skew[l * n + k] = 0.5 * (other - one);
      S[k * n + l] = S[l * n + k] = 0.5 * (one + other);
    }
  }
}


// c of limited actuators, in place of y = J*A^-1 r.  What is not symmetric in S (velocity products
// in the matrix of the implicit integrator) is small and goes to the right-hand side.
static void solveLimited(mjData* d, const stiffList* list, mjtNum* S, mjtNum* y) {
  enum { ROUNDS_MAX = 20 };
  static const mjtNum precision = 1e-14;
  const int n = list->count;
  const size_t size = (size_t)n;
  CF_ASSERT(n > 0);
  mj_markStack(d);
  mjtNum *skew = mj_stackAllocNum(d, 2 * size * size + 13 * size), *R = skew + size * size;
  mjtNum *res = R + size * (size + 7), *low = res + n, *high = low + n, *gradient = high + n;
  mjtNum *shifted = gradient + n, *last = shifted + n;
  int* index = mj_stackAllocInt(d, size);
  splitSystem(S, skew, n);
  for (int k = 0; k < n; k++) {
    const cfGainLimits* limits = list->limits + k;
    low[k] = limits->low - limits->applied;
    high[k] = limits->high - limits->applied;
    gradient[k] = y[k] - (limits->wanted - limits->applied) / list->weight[k];
    res[k] = last[k] = 0;
  }
  for (int round = 0; round < ROUNDS_MAX; round++) {
    mju_mulMatVec(shifted, skew, res, n, n);
    mju_addTo(shifted, gradient, n);
    if (mju_boxQP(res, R, index, S, shifted, n, low, high) < 0) {
      mju_zero(res, n);
      break;
    }
    mju_subFrom(last, res, n);
    if (mju_norm(last, n) <= precision * mju_norm(res, n)) {
      break;
    }
    mju_copy(last, res, n);
  }
  mju_scl(y, res, -1, n);
  mj_freeStack(d);
}


bool cfi_mayHaveStiffGains(const mjModel* m) {
  return m->na > 0 && cfi_gainChoice(m) && !cfi_disabled(m, mjDSBL_ACTUATION);
}


void cfi_slowStiffGains(const mjModel* m, mjData* d, mjtNum* qacc, const mjtNum* LD,
                        const mjtNum* diaginv, cfIndexSet dofs) {
  CF_ASSERT(qacc && LD && (diaginv || m->opt.integrator == mjINT_IMPLICIT));
  mj_markStack(d);
  const stiffList list = listStiff(m, d);
  const int n = list.count, nv = (int)m->nv;
  mjtNum* X = mj_stackAllocNum(d, (size_t)n * (size_t)nv + 1);
  mjtNum* S = mj_stackAllocNum(d, (size_t)n * (size_t)n + 1);
  mjtNum* y = mj_stackAllocNum(d, (size_t)n + 1);
  for (int k = 0; k < n; k++) {
    solveMoment(m, d, list.actuator[k], LD, diaginv, dofs, X + (size_t)k * (size_t)nv);
    y[k] = alongMoment(d, list.actuator[k], qacc);
  }
  fillSystem(d, &list, X, nv, S);
  if (list.are_limited) {
    solveLimited(d, &list, S, y);
  } else if (n > 0) {
    mju_cholFactor(S, n, 0);
    mju_cholSolve(y, S, y, n);
  }
  for (int k = 0; k < n; k++) {
    mju_addToScl(qacc, X + (size_t)k * (size_t)nv, -y[k], nv);
  }
  mj_freeStack(d);
}


void cfi_addStiffGains(const mjModel* m, mjData* d, mjtNum* res, const mjtNum* qacc) {
  CF_ASSERT(res && res != qacc);
  mj_markStack(d);
  const stiffList list = listStiff(m, d);
  for (int k = 0; k < list.count; k++) {
    const int u = list.actuator[k];
    const cfGainLimits* limits = list.limits + k;
    const mjtNum slowed = list.weight[k] * alongMoment(d, u, qacc);
    const mjtNum less = limits->is_limited ? limits->applied - cfi_clip(limits->wanted - slowed,
                                                                        limits->low, limits->high)
                                           : slowed;
    addMomentRow(d, u, less, res);
  }
  mj_freeStack(d);
}
