// Integrators that are implicit in velocity:  (M - h*dF/dv)*qacc = qfrc_smooth + qfrc_constraint.
//
// implicit:     all derivatives, unsymmetric, factored as LU in the pattern D.
// implicitfast: without the derivative of the bias force, symmetric, factored as L'DL in the
// pattern M.
#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "base/likely.h"
#include "derivative/velocity.h"
#include "dynamics/factor.h"
#include "flex/grid.h"
#include "math/simd/lane.h"
#include "math/sparse.h"
#include "model/indexset.h"
#include "pipeline/advance.h"
#include "model/timer.h"


static cfPattern patternD(const mjModel* m) {
  return (cfPattern){(int)m->nv, (int)m->nv, m->D_rownnz, m->D_rowadr, m->D_colind, NULL};
}


// entries of D outside the pattern of M have no mass
static inline mjtNum massAt(const mjModel* m, const mjData* d, int k) {
  return m->mapM2D[k] >= 0 ? d->M[m->mapM2D[k]] : 0;
}


// qLU = M - h*qDeriv, unfactored; four entries at a time, most of which have mass
static void assembleFull(const mjModel* m, mjData* d) {
  const cfLane step = cfi_laneSpread(m->opt.timestep);
  const mjtNum* M = d->M;
  const int n = (int)m->nD;
  int k = 0;
  for (; k + 4 <= n; k += 4) {
    const int* at = m->mapM2D + k;
    const cfLane mass = (at[0] | at[1] | at[2] | at[3]) >= 0
                            ? cfi_laneSet(M[at[0]], M[at[1]], M[at[2]], M[at[3]])
                            : cfi_laneSet(massAt(m, d, k), massAt(m, d, k + 1), massAt(m, d, k + 2),
                                          massAt(m, d, k + 3));
    const cfLane change = cfi_laneMul(step, cfi_laneLoad(d->qDeriv + k));
    cfi_laneStore(d->qLU + k, cfi_laneSub(mass, change));
  }
  for (; k < n; k++) {
    d->qLU[k] = massAt(m, d, k) - m->opt.timestep * d->qDeriv[k];
  }
}


// qH = M - h*qDeriv, unfactored, lower triangle
static void assembleSymmetric(const mjModel* m, mjData* d) {
  for (int k = 0; k < m->nC; k++) {
    d->qH[k] = d->M[k] - m->opt.timestep * d->qDeriv[m->mapD2M[k]];
  }
}


// factor the system, and the part of it that belongs to interpolated flexes; these have no part in
// steps with sleeping trees
static cfGridSystem factorImplicit(const mjModel* m, mjData* d, cfIndexSet dofs) {
  CF_ASSERT(dofs.count >= 0 && dofs.count <= m->nv);
  const bool is_full = m->opt.integrator == mjINT_IMPLICIT;
  const bool has_grids = m->nflexnode > 0 && !dofs.index;
  cfGridSystem grid = {0};
  cfi_smoothVelocityDerivative(m, d, is_full);
  if (is_full) {
    assembleFull(m, d);
    if (has_grids) {
      grid = cfi_gridSystem(m, d, d->qLU, m->D_rownnz, m->D_rowadr, m->D_colind);
    }
    mj_markStack(d);
    int* scratch = mj_stackAllocInt(d, (size_t)m->nv + 1);
    cfi_factorLUSparse(d->qLU, patternD(m), dofs.index, dofs.count, scratch);
    mj_freeStack(d);
  } else {
    assembleSymmetric(m, d);
    if (has_grids) {
      grid = cfi_gridSystem(m, d, d->qH, m->M_rownnz, m->M_rowadr, m->M_colind);
    }
    cfi_factorLD(d->qH, d->qHDiagInv, (int)m->nv, m->M_rownnz, m->M_rowadr, m->M_colind, dofs);
  }
  return grid;
}


static void solveImplicit(const mjModel* m, mjData* d, mjtNum* qacc, mjtNum* qfrc,
                          cfIndexSet dofs) {
  CF_ASSERT(qacc && qfrc);
  for (int k = 0; k < dofs.count; k++) {
    const int i = cfi_at(dofs, k);
    qacc[i] = qfrc[i] = d->qfrc_smooth[i] + d->qfrc_constraint[i];
  }
  if (m->opt.integrator == mjINT_IMPLICIT) {
    cfi_solveLUSparse(qacc, d->qLU, qfrc, patternD(m), m->D_diag, dofs.index, dofs.count);
  } else {
    cfi_solveLD(qacc, d->qH, d->qHDiagInv, (int)m->nv, 1, m->M_rownnz, m->M_rowadr, m->M_colind,
                dofs);
  }
}


void cfi_implicitSkip(const mjModel* m, mjData* d, int skip_factor) {
  const mjtNum start = cfi_now();
  const cfIndexSet dofs = cfi_awakeDofs(m, d);
  mj_markStack(d);
  mjtNum* qacc = mj_stackAllocNum(d, 2 * (size_t)m->nv);
  mjtNum* qfrc = qacc + m->nv;
  cfGridSystem grid = {0};
  if (!skip_factor) {
    grid = factorImplicit(m, d, dofs);
  }
  solveImplicit(m, d, qacc, qfrc, dofs);
  if (grid.ndof) {
    cfi_solveGrid(m, d, &grid, qacc, qfrc);
  }
  if (CF_SELDOM(cfi_mayHaveStiffGains(m))) {
    const bool is_full = m->opt.integrator == mjINT_IMPLICIT;
    cfi_slowStiffGains(m, d, qacc, is_full ? d->qLU : d->qH, is_full ? NULL : d->qHDiagInv, dofs);
  }
  cfi_advance(m, d, d->act_dot, qacc, NULL);
  mj_freeStack(d);
  cfi_addTime(d, mjTIMER_ADVANCE, start, 1);
}


// what multiplies the discrete-time acceleration: res = (M - h*dF/dv)*qacc
void cfi_mulImplicit(const mjModel* m, mjData* d, mjtNum* res, const mjtNum* qacc) {
  CF_ASSERT(res && res != qacc);
  const bool is_full = m->opt.integrator == mjINT_IMPLICIT;
  cfi_smoothVelocityDerivative(m, d, is_full);
  if (is_full) {
    assembleFull(m, d);
    cfi_mulMatVecSparse(res, d->qLU, qacc, patternD(m));
  } else {
    const cfPattern p = {(int)m->nv, (int)m->nv, m->M_rownnz, m->M_rowadr, m->M_colind, NULL};
    assembleSymmetric(m, d);
    cfi_mulSymVecSparse(res, d->qH, qacc, p);
  }
}


void mj_implicit(const mjModel* m, mjData* d) {
  cfi_implicitSkip(m, d, 0);
}
