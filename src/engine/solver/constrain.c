// MuJoCo's solution of the constraint rows: warm start, solver by island or at once, noslip.
#include <math.h>
#include <string.h>

#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "base/likely.h"
#include "base/threads.h"
#include "constraint/island.h"
#include "constraint/product.h"
#include "constraint/rowupdate.h"
#include "math/dense.h"
#include "model/flags.h"
#include "solver/solver.h"

// the solver that the options ask for
static const cfSolverClass* chosenSolver(const mjModel* m) {
  static const cfSolverClass* const classes[] = {
      [mjSOL_PGS] = &cfi_solverPGS, [mjSOL_CG] = &cfi_solverCG, [mjSOL_NEWTON] = &cfi_solverNewton};
  if (m->opt.solver < 0 || m->opt.solver > mjSOL_NEWTON) {
    mju_error("mj_fwdConstraint: unknown solver type %d", m->opt.solver);
    return &cfi_solverNewton;
  }
  return classes[m->opt.solver];
}


// res = J*qacc - aref
static void residualAt(const mjModel* m, const mjData* d, mjtNum* res, const mjtNum* qacc) {
  CF_ASSERT(res && qacc);
  mj_mulJacVec(m, d, res, qacc);
  for (int r = 0; r < d->nefc; r++) {
    res[r] -= d->efc_aref[r];
  }
}


// PGS: forces at qacc_warmstart, or none where their dual cost is positive
static void warmForces(const mjModel* m, mjData* d, cfStart* start) {
  const cfRowSet rows = cfi_allRows(m, d);
  residualAt(m, d, start->jar, d->qacc_warmstart);
  cfi_updateRows(&rows, start->jar, d->efc_state, d->efc_force, 0);

  const cfJacobian AR = {d->efc_AR,
                         d->nefc,
                         d->nefc,
                         d->efc_AR_rownnz,
                         d->efc_AR_rowadr,
                         mj_isSparse(m) ? d->efc_AR_colind : NULL,
                         NULL};
  cfi_mulJacobian(start->jar, &AR, d->efc_force);
  mjtNum cost =
      cfi_dot(d->efc_force, d->efc_b, d->nefc) + 0.5 * cfi_dot(d->efc_force, start->jar, d->nefc);
  if (cost > 0) {
    cfi_zero(d->efc_force, d->nefc);
  }
}


// half the distance of qacc from qacc_smooth, measured by inertia
static mjtNum gaussCost(const mjData* d, const mjtNum* Ma, const mjtNum* qacc, int nv) {
  CF_ASSERT(nv >= 0);
  mjtNum cost = 0;
  for (int i = 0; i < nv; i++) {
    cost += 0.5 * (Ma[i] - d->qfrc_smooth[i]) * (qacc[i] - d->qacc_smooth[i]);
  }
  return cost;
}


static void startSmooth(const mjModel* m, mjData* d, cfStart* start) {
  cfi_copyFew(d->qacc, d->qacc_smooth, m->nv);
  cfi_copyFew(start->jar, d->efc_b, d->nefc);
  mj_mulM(m, d, start->Ma, d->qacc_smooth);
}


// are the rows asked for at qacc_warmstart?
static bool evaluatesWarm(const mjModel* m, const cfSolverClass* solver) {
  return solver->is_primal && !cfi_disabled(m, mjDSBL_WARMSTART);
}


// start from qacc_warmstart or qacc_smooth, whichever costs less: start has residual and M*qacc of
// the former.  When all rows are solved at
// once, what was found out at qacc_warmstart is handed on; efc_state shows qacc_smooth when solving
// by island
static void warmAccelerations(const mjModel* m, mjData* d, bool by_island, cfStart* start) {
  const cfRowSet rows = cfi_allRows(m, d);
  const bool at_once = !by_island || cfi_isWholeIsland(m, d);
  int* warm_state = by_island && at_once ? d->iefc_state : d->efc_state;
  mjtNum cost_smooth = 0;

  if (at_once) {
    cost_smooth = cfi_updateRows(&rows, d->efc_b, d->efc_state, d->efc_force, 0);
  }
  start->row_cost = cfi_updateRows(&rows, start->jar, warm_state, d->efc_force, at_once);
  if (!at_once) {
    cost_smooth = cfi_updateRows(&rows, d->efc_b, d->efc_state, d->efc_force, 0);
  }

  const mjtNum cost_warm = start->row_cost + gaussCost(d, start->Ma, d->qacc_warmstart, m->nv);
  if (cost_warm > cost_smooth) {
    startSmooth(m, d, start);
  } else {
    cfi_copyFew(d->qacc, d->qacc_warmstart, m->nv);
    start->is_stale = isnan(cost_warm);
    start->is_evaluated = at_once && !start->is_stale;
  }
}


// starting point of the solver
static void warmStart(const mjModel* m, mjData* d, const cfSolverClass* solver, bool by_island,
                      cfStart* start) {
  if (cfi_disabled(m, mjDSBL_WARMSTART)) {
    startSmooth(m, d, start);
    cfi_zero(d->efc_force, d->nefc);
    cfi_zeroInt(d->efc_state, d->nefc);
    return;
  }

  if (solver->is_primal) {
    warmAccelerations(m, d, by_island, start);
  } else {
    cfi_copyFew(d->qacc, d->qacc_warmstart, m->nv);
    warmForces(m, d, start);
  }

  // dofs that no constraint touches
  const int first_free = d->nisland ? d->nidof : (int)m->nv;
  for (int i = first_free; i < m->nv; i++) {
    const int dof = d->map_idof2dof[i];
    d->qacc[dof] = d->qacc_smooth[dof];
  }
  if (first_free < m->nv && solver->is_primal && !by_island) {
    mj_mulM(m, d, start->Ma, d->qacc);
  }
}


// residuals at qacc_smooth, and at qacc_warmstart where they are asked for
typedef struct {
  const mjModel* m;
  mjData* d;
  cfStart* start;
  bool with_warm;
} cfResidualLoop;


static void residualOfIsland(void* context, int island) {
  const cfResidualLoop* loop = context;
  cfi_residualsOfIsland(loop->m, loop->d, island, loop->with_warm ? loop->start->jar : NULL);
}


static void residualsByIsland(const mjModel* m, mjData* d, cfStart* start,
                              const cfIslandDeal* deal) {
  cfResidualLoop loop = {m, d, start, !cfi_disabled(m, mjDSBL_WARMSTART)};
  cfi_poolDeal((mjThreadPool*)d->threadpool, deal->nthread, deal->first, residualOfIsland, &loop);
  if (loop.with_warm) {
    mj_mulM(m, d, start->Ma, d->qacc_warmstart);
  }
}


// what all islands need
typedef struct {
  const mjModel* m;
  mjData* d;
  cfStart* start;
  const cfSolverClass* solver;
} cfIslandLoop;


// forces and accelerations at which an island starts
static void gatherIsland(mjData* d, int island) {
  const int first = d->island_idofadr[island], row = d->island_iefcadr[island];
  for (int i = first; i < first + d->island_nv[island]; i++) {
    const int dof = d->map_idof2dof[i];
    d->ifrc_smooth[i] = d->qfrc_smooth[dof];
    d->iacc_smooth[i] = d->qacc_smooth[dof];
    d->iacc[i] = d->qacc[dof];
    d->ifrc_constraint[i] = 0;
  }
  cfi_gather(d->iefc_aref + row, d->efc_aref, d->map_iefc2efc + row, d->island_nefc[island]);
}


static void scatterIsland(mjData* d, int island) {
  const int first = d->island_idofadr[island], n = d->island_nv[island];
  const int row = d->island_iefcadr[island], *dof = d->map_idof2dof + first;
  cfi_scatter(d->qacc, d->iacc + first, dof, n);
  cfi_scatter(d->qfrc_constraint, d->ifrc_constraint + first, dof, n);
  cfi_scatter(d->efc_force, d->iefc_force + row, d->map_iefc2efc + row, d->island_nefc[island]);
}


// one of several: copy in, solve, copy out
static void solveIsland(void* context, int island) {
  const cfIslandLoop* loop = context;
  gatherIsland(loop->d, island);
  loop->solver->solve(loop->m, loop->d, loop->start, island);
  scatterIsland(loop->d, island);
}


// islands are independent of each other: one after the other, or shared with the bound pool
static void solveSeparately(const mjModel* m, mjData* d, const cfSolverClass* solver,
                            cfStart* start, const cfIslandDeal* deal) {
  cfIslandLoop loop = {m, d, start, solver};
  if (deal->nthread) {
    cfi_poolDeal((mjThreadPool*)d->threadpool, deal->nthread, deal->first, solveIsland, &loop);
    return;
  }
  if (CF_SELDOM(d->threadpool) && cfi_islandsWorthThreads(d)) {
    cfi_poolLoop((mjThreadPool*)d->threadpool, mjMAXTHREAD, d->nisland, solveIsland, &loop);
    return;
  }
  for (int island = 0; island < d->nisland; island++) {
    solveIsland(&loop, island);
  }
}


// one island with every dof is solved in place; its copies are for the reader
static void solveWhole(const mjModel* m, mjData* d, const cfSolverClass* solver, cfStart* start) {
  solver->solve(m, d, start, 0);
  cfi_copyFew(d->ifrc_smooth, d->qfrc_smooth, m->nv);
  cfi_copyFew(d->iacc_smooth, d->qacc_smooth, m->nv);
  cfi_copyFew(d->iacc, d->qacc, m->nv);
  cfi_copyFew(d->ifrc_constraint, d->qfrc_constraint, m->nv);
}


// residuals at the two points where the solver may start
static void startResiduals(const mjModel* m, mjData* d, const cfSolverClass* solver, cfStart* start,
                           const cfIslandDeal* deal) {
  if (deal->nthread) {
    residualsByIsland(m, d, start, deal);
    return;
  }
  residualAt(m, d, d->efc_b, d->qacc_smooth);
  if (evaluatesWarm(m, solver)) {
    residualAt(m, d, start->jar, d->qacc_warmstart);
    mj_mulM(m, d, start->Ma, d->qacc_warmstart);
  }
}


bool cfi_startsWarm(const mjModel* m) {
  return evaluatesWarm(m, chosenSolver(m));
}


void cfi_solveRows(const mjModel* m, mjData* d, const cfStart* known) {
  const cfSolverClass* solver = chosenSolver(m);
  CF_ASSERT(d->efc_J && d->nefc > 0);
  mj_markStack(d);
  cfStart start =
      known ? *known
            : (cfStart){.jar = mj_stackAllocNum(d, d->nefc), .Ma = mj_stackAllocNum(d, m->nv)};
  bool by_island = solver->by_island && d->nisland > 0 && m->opt.noslip_iterations == 0 &&
                   !cfi_disabled(m, mjDSBL_ISLAND);
  cfIslandDeal deal;
  deal.nthread = 0;
  if (by_island) {
    cfi_dealIslands(&deal, m, d);
  }
  if (!known) {
    startResiduals(m, d, solver, &start, &deal);
  }
  warmStart(m, d, solver, by_island, &start);
  cfi_zeroInt(d->solver_niter, mjNISLAND);

  if (!by_island) {
    solver->solve(m, d, &start, -1);
  } else if (cfi_isWholeIsland(m, d)) {
    solveWhole(m, d, solver, &start);
  } else {
    solveSeparately(m, d, solver, &start, &deal);
  }
  mj_freeStack(d);

  if (m->opt.noslip_iterations > 0) {
    cfi_solveNoslip(m, d);
  }
}
