// Conjugate gradient with the inertia matrix as preconditioner, Polak-Ribiere.
#include <mujoco/mujoco.h>

#include "dynamics/factor.h"
#include "math/dense.h"
#include "math/inline.h"
#include "solver/primal.h"

// preconditioned gradient here and at the last point
typedef struct {
  mjtNum *Mgrad, *old_Mgrad;
  mjtNum old_product;  // grad'*Mgrad at the last point
} cfConjugate;


// Mgrad = M^-1 grad
static void precondition(const cfPrimal* p, mjtNum* Mgrad) {
  const cfPattern* M = &p->M_pattern;
  cfi_copy(Mgrad, p->grad, p->nv);
  cfi_solveLD(Mgrad, p->LD, p->LDiagInv, p->nv, 1, M->rownnz, M->rowadr, M->colind,
              (cfIndexSet){NULL, p->nv});
}


static void beginCG(cfPrimal* p, void* state) {
  cfConjugate* cg = state;
  cg->Mgrad = mj_stackAllocNum(p->d, p->nv);
  cg->old_Mgrad = mj_stackAllocNum(p->d, p->nv);
  precondition(p, cg->Mgrad);
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
  precondition(p, cg->Mgrad);

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
  static const cfPrimalMethod method = {.begin = beginCG, .next = nextCG};
  cfConjugate cg;
  cfi_solvePrimal(m, d, start, island, &method, &cg);
}

const cfSolverClass cfi_solverCG = {"CG", /*by_island=*/true, /*is_primal=*/true, solveCG};
