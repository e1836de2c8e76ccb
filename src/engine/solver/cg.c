// Conjugate gradient with the inertia matrix as preconditioner, Polak-Ribiere.
#include <mujoco/mujoco.h>

#include "base/arena.h"
#include "dynamics/factor.h"
#include "math/dense.h"
#include "math/inline.h"
#include "solver/primal.h"

// preconditioned gradient here and at the last point
typedef struct {
  mjtNum *Mgrad, *old_Mgrad;  // nv, padded with zeros
  mjtNum old_product;         // grad'*Mgrad at the last point
  mjtNum* L;                  // dense rows of the factor of M, NULL where that does not pay
} cfConjugate;


// is M of a small problem full enough to be handled as a dense matrix?
static bool isNearlyDense(const cfPrimal* p) {
  const cfPattern* M = &p->M_pattern;
  const int nv = p->nv, count = M->rowadr[nv - 1] + M->rownnz[nv - 1] - M->rowadr[0];
  return !p->J.colind && nv <= CF_FILL_MAX && 6 * count >= nv * nv && count > 2 * nv;
}


// M and its factor as dense matrices
static void expandFactor(cfPrimal* p, cfConjugate* cg) {
  const int nv = p->nv, stride = cfi_treeStride(nv);
  const size_t size = (size_t)nv * stride;
  mjtNum* rows = cfi_stackVectors(p->d, 2 * size + nv);
  cfi_expandInertia(p, rows, rows + 2 * size);
  cg->L = rows + size;
  cfi_expandTree(cg->L, NULL, p->LD, &p->M_pattern, stride);
}


// Mgrad = M^-1 grad
static void precondition(const cfPrimal* p, const cfConjugate* cg, mjtNum* Mgrad) {
  const cfPattern* M = &p->M_pattern;
  if (p->M_is_diagonal) {
    for (int i = 0; i < p->nv; i++) {
      Mgrad[i] = p->grad[i] * p->LDiagInv[i];
    }
    return;
  }
  cfi_copy(Mgrad, p->grad, p->nv);
  if (cg->L) {
    cfi_solveTreeLDL(Mgrad, cg->L, p->LDiagInv, p->nv, p->M_stride);
    return;
  }
  cfi_solveLD(Mgrad, p->LD, p->LDiagInv, p->nv, 1, M->rownnz, M->rowadr, M->colind,
              (cfIndexSet){NULL, p->nv, 0});
}


static void beginCG(cfPrimal* p, void* state) {
  cfConjugate* cg = state;
  const int padded = cfi_treeStride(p->nv);
  cg->Mgrad = cfi_stackVectors(p->d, 2 * (size_t)padded);
  cg->old_Mgrad = cg->Mgrad + padded;
  cfi_zero(cg->Mgrad, 2 * padded);
  if (isNearlyDense(p)) {
    expandFactor(p, cg);
  }
  precondition(p, cg, cg->Mgrad);
  cg->old_product = cfi_dot(p->grad, cg->Mgrad, p->nv);
  for (int i = 0; i < p->nv; i++) {
    p->search[i] = -cg->Mgrad[i];
  }
}


static void nextCG(cfPrimal* p, void* state) {
  cfConjugate* cg = state;
  mjtNum* swap = cg->old_Mgrad;
  cg->old_Mgrad = cg->Mgrad;
  cg->Mgrad = swap;
  precondition(p, cg, cg->Mgrad);

  mjtNum change = 0;
  for (int i = 0; i < p->nv; i++) {
    change += p->grad[i] * (cg->Mgrad[i] - cg->old_Mgrad[i]);
  }
  mjtNum beta = change / cfi_max(mjMINVAL, cg->old_product);
  cg->old_product = cfi_dot(p->grad, cg->Mgrad, p->nv);
  beta = beta < 0 ? 0 : beta;
  for (int i = 0; i < p->nv; i++) {
    p->search[i] = -cg->Mgrad[i] + beta * p->search[i];
  }
}


static void solveCG(const mjModel* m, mjData* d, cfStart* start, int island) {
  static const cfPrimalMethod method = {.dense_from = 0.25, .begin = beginCG, .next = nextCG};
  cfConjugate cg = {0};
  cfi_solvePrimal(m, d, start, island, &method, &cg);
}

const cfSolverClass cfi_solverCG = {"CG", /*by_island=*/true, /*is_primal=*/true, solveCG};
