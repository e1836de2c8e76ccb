// Models of actuators that are stiff, in integrators that are explicit otherwise.
//
// With the rows j of their moments and the slopes -w of their forces, the matrix A of a step (M, or
// M + h*diag(damping)) becomes A + h*sum(w*j'*j).  Its inverse follows from that of A by the
// formula of Woodbury:  x = A^-1 r - X*(1/(h*w) + J*X)^-1 * J*A^-1 r,  X = A^-1 J'.
#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "dynamics/factor.h"
#include "dynamics/gain.h"
#include "model/awake.h"
#include "pipeline/advance.h"

// actuators that take part, and h times their slopes
typedef struct {
  int count;
  int* actuator;
  mjtNum* weight;
} stiffList;


static stiffList listStiff(const mjModel* m, mjData* d) {
  stiffList list = {0, mj_stackAllocInt(d, (size_t)m->nu + 1),
                    mj_stackAllocNum(d, (size_t)m->nu + 1)};
  for (int u = 0; u < m->nu; u++) {
    const mjtNum weight = -m->opt.timestep * cfi_stiffSlope(m, d, u);
    if (weight > 0) {
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


// a column of X; dofs that sleep do not move
static void solveMoment(const mjModel* m, const mjData* d, int u, const mjtNum* LD,
                        const mjtNum* diaginv, cfIndexSet dofs, mjtNum* column) {
  mju_zero(column, (int)m->nv);
  addMomentRow(d, u, 1, column);
  for (int i = 0; i < m->nv && dofs.index; i++) {
    column[i] = d->tree_awake[m->dof_treeid[i]] ? column[i] : 0;
  }
  cfi_solveLD(column, LD, diaginv, (int)m->nv, 1, m->M_rownnz, m->M_rowadr, m->M_colind, dofs);
}


bool cfi_mayHaveStiffGains(const mjModel* m) {
  return m->na > 0 && cfi_gainChoice(m) && !cfi_disabled(m, mjDSBL_ACTUATION);
}


void cfi_slowStiffGains(const mjModel* m, mjData* d, mjtNum* qacc, const mjtNum* LD,
                        const mjtNum* diaginv, cfIndexSet dofs) {
  CF_ASSERT(qacc && LD && diaginv);
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
  for (int k = 0; k < n; k++) {
    for (int l = 0; l <= k; l++) {
      const mjtNum entry = alongMoment(d, list.actuator[k], X + (size_t)l * (size_t)nv);
      S[k * n + l] = S[l * n + k] = entry + (k == l ? 1 / list.weight[k] : 0);
    }
  }
  if (n > 0) {
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
    addMomentRow(d, u, list.weight[k] * alongMoment(d, u, qacc), res);
  }
  mj_freeStack(d);
}
