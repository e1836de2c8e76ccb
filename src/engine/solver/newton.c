// Newton's method: direction from the factored Hessian, updated as rows become active or not.
#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "math/dense.h"
#include "solver/hessian.h"
#include "solver/primal.h"
#include "solver/treeldl.h"

typedef struct {
  cfDenseHessian dense;
  cfSparseHessian sparse;
  cfBlockHessian blocks;
  bool is_block;  // sparse, in blocks
} cfNewton;


static bool isSparse(const cfPrimal* p) {
  return p->J.colind != NULL;
}


cfRowChanges cfi_quadraticChanges(const cfPrimal* p) {
  cfRowChanges changes = {0, 0};
  for (int r = 0; r < p->rows.nefc; r++) {
    bool was = p->old_state[r] == mjCNSTRSTATE_QUADRATIC,
         is = p->state[r] == mjCNSTRSTATE_QUADRATIC;
    changes.added += is && !was;
    changes.removed += was && !is;
  }
  return changes;
}


void cfi_mulCone(mjtNum* W, const mjContact* con, const mjtNum* rows, int stride, int n) {
  CF_ASSERT(con->dim >= 3 && stride >= n);
  for (int i = 0; i < con->dim; i++) {
    cfi_combineRows(W + (size_t)i * n, con->H + i * con->dim, 1, rows, stride, con->dim, n);
  }
}


// search = -H^-1 grad
static void solveDirection(cfPrimal* p, cfNewton* newton) {
  CF_ASSERT(p->nv >= 0);
  if (newton->is_block) {
    cfi_blockDirection(p, &newton->blocks);
    return;
  }
  for (int i = 0; i < p->nv; i++) {
    p->search[i] = -p->grad[i];
  }
  if (isSparse(p)) {
    const cfSparseHessian* h = &newton->sparse;
    cfi_cholSolveSparse(p->search, h->L, p->search, p->nv, h->chol.rownnz, h->chol.rowadr,
                        h->chol.colind);
  } else {
    const cfDenseHessian* h = &newton->dense;
    cfi_solveTreeLDL(p->search, h->L, h->diag_inv, p->nv, h->stride);
  }
}


static void beginNewton(cfPrimal* p, void* state) {
  cfNewton* newton = state;
  newton->is_block = isSparse(p) && cfi_beginBlocks(p, &newton->blocks);
  if (newton->is_block) {
    if (p->island < mjNISLAND) {
      p->fill = cfi_countFillSparse(&p->J, &p->M_pattern, p->d);
    }
  } else if (isSparse(p)) {
    cfi_beginSparse(p, &newton->sparse);
  } else {
    cfi_beginDense(p, &newton->dense);
  }
  solveDirection(p, newton);
}


static void nextNewton(cfPrimal* p, void* state) {
  cfNewton* newton = state;
  if (newton->is_block) {
    cfi_changeBlocks(p, &newton->blocks);
  } else if (isSparse(p)) {
    cfi_updateSparse(p, &newton->sparse);
  } else {
    cfi_updateDense(p, &newton->dense);
  }
  solveDirection(p, newton);
}


static int countUpdates(const cfPrimal* p) {
  const cfRowChanges changes = cfi_quadraticChanges(p);
  return changes.added + changes.removed + p->ncone;
}


// the Hessian and one or two factors, also where a sparse problem was made dense or blocks
static int countNonzeros(const cfPrimal* p, const void* state) {
  const cfNewton* newton = state;
  const cfSparseHessian* h = &newton->sparse;
  const bool is_single = isSparse(p) && !newton->is_block;
  const cfFillCount fill = is_single ? (cfFillCount){h->nH, h->nL} : p->fill;
  const int nfactor = p->m->opt.cone == mjCONE_ELLIPTIC ? 2 : 1;
  return mj_isSparse(p->m) ? nfactor * fill.factor + fill.hessian : p->nv * p->nv;
}


static void solveNewton(const mjModel* m, mjData* d, cfStart* start, int island) {
  static const cfPrimalMethod method = {.dense_from = 0,
                                        .wants_cones = true,
                                        .begin = beginNewton,
                                        .next = nextNewton,
                                        .countUpdates = countUpdates,
                                        .countNonzeros = countNonzeros};
  cfNewton newton = {0};
  cfi_solvePrimal(m, d, start, island, &method, &newton);
}

const cfSolverClass cfi_solverNewton = {"Newton", /*by_island=*/true, /*is_primal=*/true,
                                        solveNewton};
