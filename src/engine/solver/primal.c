// Descent shared by the primal solvers.
#include "solver/primal.h"

#include <math.h>
#include <string.h>

#include <mujoco/mujoco.h>

#include "base/arena.h"
#include "base/assert.h"
#include "constraint/island.h"
#include "math/dense.h"
#include "solver/stats.h"

// sparse problems up to this size are made dense where the method wants it
enum { CF_DENSE_UP_TO = CF_FILL_MAX };


// everything, or the island that holds every dof: arrays of mjData
static void bindAll(cfPrimal* p, const mjModel* m, mjData* d) {
  p->nv = m->nv;
  p->rows = cfi_allRows(m, d);
  p->J = cfi_jacobian(m, d);
  p->M = d->M;
  p->LD = d->qLD;
  p->LDiagInv = d->qLDiagInv;
  p->M_pattern = (cfPattern){p->nv, p->nv, m->M_rownnz, m->M_rowadr, m->M_colind, NULL};
  p->frc_smooth = d->qfrc_smooth;
  p->acc_smooth = d->qacc_smooth;
  p->acc = d->qacc;
  p->frc_constraint = d->qfrc_constraint;
  p->force = d->efc_force;
  p->state = p->island >= 0 ? d->iefc_state : d->efc_state;
}


// one of several islands: its share of the island arrays
static void bindIsland(cfPrimal* p, const mjModel* m, mjData* d, int island) {
  CF_ASSERT(island >= 0 && island < d->nisland);
  const int dof = d->island_idofadr[island], row = d->island_iefcadr[island];
  const int nefc = d->island_nefc[island];
  p->nv = d->island_nv[island];
  p->rows = (cfRowSet){d->island_ne[island],
                       d->island_nf[island],
                       nefc,
                       d->iefc_D + row,
                       d->iefc_R + row,
                       d->iefc_frictionloss + row,
                       d->iefc_aref + row,
                       d->iefc_type + row,
                       d->iefc_id + row,
                       d->contact,
                       m->opt.cone == mjCONE_ELLIPTIC};
  if (mj_isSparse(m)) {
    p->J = (cfJacobian){d->iefc_J,
                        nefc,
                        p->nv,
                        d->iefc_J_rownnz + row,
                        d->iefc_J_rowadr + row,
                        d->iefc_J_colind,
                        d->iefc_J_rowsuper + row};
  } else {
    p->J = (cfJacobian){d->iefc_J + (size_t)d->nidof * row, nefc, p->nv, NULL, NULL, NULL, NULL};
  }
  p->M = d->iM;
  p->LD = d->iLD;
  p->LDiagInv = d->iLDiagInv + dof;
  p->M_pattern =
      (cfPattern){p->nv, p->nv, d->iM_rownnz + dof, d->iM_rowadr + dof, d->iM_colind, NULL};
  p->frc_smooth = d->ifrc_smooth + dof;
  p->acc_smooth = d->iacc_smooth + dof;
  p->acc = d->iacc + dof;
  p->frc_constraint = d->ifrc_constraint + dof;
  p->force = d->iefc_force + row;
  p->state = d->iefc_state + row;
}


// would dense rows do for the method?
static bool shouldBeDense(const cfPrimal* p, const cfPrimalMethod* method) {
  if (!p->J.colind || p->nv > CF_DENSE_UP_TO) {
    return false;
  }
  const int last = p->J.nrow - 1;
  const mjtNum stored = p->J.rowadr[last] + p->J.rownnz[last] - p->J.rowadr[0];
  return stored >= method->dense_from * p->J.nrow * p->nv;
}


// sparse rows as dense ones; rows that have all columns are dense already
static void makeDense(cfPrimal* p, bool with_count) {
  int nv = p->nv, nrow = p->J.nrow, start = p->J.rowadr[0];
  if (with_count && p->island < mjNISLAND) {
    p->fill = cfi_countFill(&p->J, &p->M_pattern);
  }
  const mjtNum* rows = p->J.val + start;
  if (p->J.rowadr[nrow - 1] + p->J.rownnz[nrow - 1] - start < nrow * nv) {
    mjtNum* dense = mj_stackAllocNum(p->d, (size_t)nrow * nv);
    cfi_zero(dense, nrow * nv);
    for (int r = 0; r < nrow; r++) {
      const int adr = p->J.rowadr[r];
      cfi_scatter(dense + (size_t)r * nv, p->J.val + adr, p->J.colind + adr, p->J.rownnz[r]);
    }
    rows = dense;
  }
  p->J = (cfJacobian){rows, nrow, nv, NULL, NULL, NULL, NULL};
}


// 1 / total inertia: of the island's own diagonal, or by the model's mean
static mjtNum problemScale(const cfPrimal* p) {
  CF_ASSERT(p->nv >= 0);
  if (p->island < 0) {
    return 1 / (p->m->stat.meaninertia * (p->nv > 1 ? p->nv : 1));
  }
  mjtNum total = 0;
  for (int i = 0; i < p->nv; i++) {
    total += p->M[p->M_pattern.rowadr[i] + p->M_pattern.rownnz[i] - 1];
  }
  return 1 / total;
}


// all numbers of the iterate, each array from a whole vector on, then its indices, in one piece
static void allocateIterate(cfPrimal* p) {
  const size_t nefc = (size_t)p->rows.nefc, rows = (nefc + 3) & ~(size_t)3;
  const size_t padded = (size_t)cfi_treeStride(p->nv);
  const size_t cones = p->m->opt.cone == mjCONE_ELLIPTIC ? cfi_lineConeBytes(p->rows.nefc) : 0;
  const size_t numbers = 5 * rows + 4 * padded + cones / sizeof(mjtNum);
  p->jar = cfi_stackVectors(p->d, numbers + (nefc + 1) / 2);
  p->Jv = p->jar + rows;
  p->line = p->Jv + rows;
  p->Ma = p->line + 3 * rows;
  p->grad = p->Ma + padded;

  // direction with zeros up to a whole vector, for the dense factor
  p->Mv = p->grad + padded;
  p->search = p->Mv + padded;
  cfi_zero(p->search + p->nv, (int)padded - p->nv);
  p->cones = p->search + padded;
  p->old_state = (int*)(p->jar + numbers);
}


// cost of moving away from the smooth acceleration
static void updateGauss(cfPrimal* p) {
  mjtNum sum = 0;
  for (int i = 0; i < p->nv; i++) {
    sum += 0.5 * (p->Ma[i] - p->frc_smooth[i]) * (p->acc[i] - p->acc_smooth[i]);
  }
  p->gauss_cost = sum;
}


// joint force of the rows, gradient, rows in cones; given force and state
static void updateGradient(cfPrimal* p) {
  cfi_mulJacobianT(p->frc_constraint, &p->J, p->force);
  for (int i = 0; i < p->nv; i++) {
    p->grad[i] = p->Ma[i] - p->frc_smooth[i] - p->frc_constraint[i];
  }
  p->ncone = 0;
  for (int r = 0; p->rows.may_have_cones && r < p->rows.nefc; r++) {
    p->ncone += p->state[r] == mjCNSTRSTATE_CONE;
  }
}


// residual and M*acc at the starting point
static void loadStart(cfPrimal* p, const cfStart* start, bool is_all) {
  const mjData* d = p->d;
  if (start->is_stale) {
    cfi_mulSymVecSparse(p->Ma, p->M, p->acc, p->M_pattern);
    cfi_mulJacobian(p->jar, &p->J, p->acc);
    cfi_addToScl(p->jar, p->rows.aref, -1, p->rows.nefc);
  } else if (is_all) {
    cfi_copyFew(p->jar, start->jar, d->nefc);
    cfi_copyFew(p->Ma, start->Ma, p->nv);
  } else {
    cfi_gather(p->jar, start->jar, d->map_iefc2efc + d->island_iefcadr[p->island], p->rows.nefc);
    cfi_gather(p->Ma, start->Ma, d->map_idof2dof + d->island_idofadr[p->island], p->nv);
  }
}


// starting point, and its evaluation unless it is known
static void beginIterate(cfPrimal* p, const cfStart* start, bool with_cones) {
  const bool is_all = p->rows.nefc == p->d->nefc && p->nv == p->m->nv;
  loadStart(p, start, is_all);
  p->row_cost = is_all && start->is_evaluated
                    ? start->row_cost
                    : cfi_updateRows(&p->rows, p->jar, p->state, p->force, with_cones);
  updateGauss(p);
  updateGradient(p);
}


// take a step and evaluate; returns the decrease of the cost
static mjtNum move(cfPrimal* p, mjtNum step, bool with_cones) {
  const mjtNum old_cost = p->row_cost + p->gauss_cost;
  cfi_addToScl(p->acc, p->search, step, p->nv);
  cfi_addToScl(p->Ma, p->Mv, step, p->nv);
  cfi_addToScl(p->jar, p->Jv, step, p->rows.nefc);
  cfi_copyInt(p->old_state, p->state, p->rows.nefc);
  p->row_cost = cfi_updateRows(&p->rows, p->jar, p->state, p->force, with_cones);
  updateGauss(p);
  updateGradient(p);
  return old_cost - (p->row_cost + p->gauss_cost);
}


static mjSolverStat describe(const cfPrimal* p, const cfPrimalMethod* method, mjtNum improvement,
                             mjtNum gradient) {
  mjSolverStat stat = {.improvement = improvement,
                       .gradient = gradient,
                       .lineslope = p->line_slope,
                       .neval = p->nline,
                       .nupdate = method->countUpdates ? method->countUpdates(p) : 0};
  for (int r = 0; r < p->rows.nefc; r++) {
    stat.nactive += p->state[r] != mjCNSTRSTATE_SATISFIED;
    stat.nchange += p->state[r] != p->old_state[r];
  }
  return stat;
}


// iterate until improvement or gradient is small; returns the number of iterations
static int iterate(cfPrimal* p, const cfPrimalMethod* method, void* state, bool with_cones) {
  const mjOption* opt = &p->m->opt;
  int iteration = 0;
  while (iteration < opt->iterations) {
    const mjtNum step = cfi_lineSearch(p);
    if (step == 0) {
      break;
    }
    const mjtNum improvement = p->scale * move(p, step, with_cones);
    const mjtNum gradient = p->scale * sqrt(cfi_dot(p->grad, p->grad, p->nv));
    mjSolverStat stat = describe(p, method, improvement, gradient);
    cfi_saveStat(p->d, p->island, iteration++, &stat);
    if (improvement < opt->tolerance || gradient < opt->tolerance) {
      break;
    }
    if (iteration < opt->iterations) {
      method->next(p, state);
    }
  }
  return iteration;
}


void cfi_solvePrimal(const mjModel* m, mjData* d, cfStart* start, int island,
                     const cfPrimalMethod* method, void* state) {
  mj_markStack(d);
  cfPrimal p = {.m = m, .d = d, .island = island};
  if (island < 0 || cfi_isWholeIsland(m, d)) {
    bindAll(&p, m, d);
  } else {
    bindIsland(&p, m, d, island);
  }
  if (shouldBeDense(&p, method)) {
    makeDense(&p, method->countNonzeros != NULL);
  }

  const cfPattern* M = &p.M_pattern;
  p.M_is_diagonal = M->rowadr[p.nv - 1] - M->rowadr[0] == p.nv - 1 && M->rownnz[p.nv - 1] == 1;
  CF_ASSERT(p.nv > 0 && p.rows.nefc > 0 && p.J.nrow == p.rows.nefc);
  bool with_cones = method->wants_cones && m->opt.cone == mjCONE_ELLIPTIC;
  allocateIterate(&p);
  p.scale = problemScale(&p);
  beginIterate(&p, start, with_cones);
  if (m->opt.iterations > 0) {
    method->begin(&p, state);
  }
  int iterations = iterate(&p, method, state, with_cones);
  cfi_saveTotals(d, island, iterations,
                 method->countNonzeros ? method->countNonzeros(&p, state) : 0);
  mj_freeStack(d);
}
