// Sparse Hessian: structure of its factor once per solve, numbers as rows change.
#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "math/dense.h"
#include "solver/hessian.h"

// transpose of J
static void transposeJ(cfPrimal* p, cfSparseHessian* h) {
  int nv = p->nv, offset = p->J.rowadr[0], last = p->J.nrow - 1;
  const int nJ = p->J.rowadr[last] + p->J.rownnz[last] - offset;
  int *rownnz = mj_stackAllocInt(p->d, nv), *rowadr = mj_stackAllocInt(p->d, nv);
  int *colind = mj_stackAllocInt(p->d, nJ), *rowsuper = mj_stackAllocInt(p->d, nv);
  h->JT_val = mj_stackAllocNum(p->d, nJ);
  h->J = (cfPattern){p->J.nrow, nv, p->J.rownnz, p->J.rowadr, p->J.colind, p->J.rowsuper};
  cfPattern shifted = h->J;
  shifted.colind += offset;
  cfi_transposeSparse(h->JT_val, rownnz, rowadr, colind, rowsuper, p->J.val + offset, shifted);
  h->JT = (cfPattern){nv, p->J.nrow, rownnz, rowadr, colind, rowsuper};
}


// structure of the factor, which H shares: zeros where elimination fills
static void makePattern(cfPrimal* p, cfSparseHessian* h) {
  const int nv = p->nv;
  h->chol = (cfSparseChol){.n = nv,
                           .rownnz = mj_stackAllocInt(p->d, nv),
                           .rowadr = mj_stackAllocInt(p->d, nv),
                           .colnnz = mj_stackAllocInt(p->d, nv),
                           .coladr = mj_stackAllocInt(p->d, nv),
                           .nested = mj_stackAllocInt(p->d, nv)};
  h->nL = cfi_cholSparsePattern(&h->chol, h->J, p->M_pattern, p->d);
  h->H_pattern = (cfPattern){nv, nv, h->chol.rownnz, h->chol.rowadr, h->chol.colind, NULL};
  h->L = mj_stackAllocNum(p->d, h->nL);
}


// numbers in J'J and M, for the statistics
static int countHessian(const cfPrimal* p, const cfSparseHessian* h) {
  if (p->island >= mjNISLAND) {
    return 0;
  }
  const cfPattern* M = &p->M_pattern;
  const int count = cfi_sqrMatTDSparseCount(h->J, h->JT, p->d);
  return count + M->rowadr[p->nv - 1] + M->rownnz[p->nv - 1];
}


// where the entries of M go
static void placeInertia(cfPrimal* p, cfSparseHessian* h) {
  const cfPattern* M = &p->M_pattern;
  const int first = M->rowadr[0];
  h->M_place = mj_stackAllocInt(p->d, M->rowadr[p->nv - 1] + M->rownnz[p->nv - 1] - first);
  for (int i = 0; i < p->nv; i++) {
    int at = h->H_pattern.rowadr[i];
    for (int k = M->rowadr[i]; k < M->rowadr[i] + M->rownnz[i]; k++) {
      while (h->H_pattern.colind[at] != M->colind[k]) {
        at++;
      }
      h->M_place[k - first] = at;
    }
  }
}


// H = M + J'DJ
static void computeHessian(cfPrimal* p, cfSparseHessian* h) {
  for (int r = 0; r < p->rows.nefc; r++) {
    h->D[r] = p->state[r] == mjCNSTRSTATE_QUADRATIC ? p->rows.D[r] : 0;
  }
  cfi_sqrMatTDSparseValues(h->H, h->H_pattern, h->D, p->J.val, h->J, h->JT_val, h->JT, p->d);
  const cfPattern* M = &p->M_pattern;
  const int first = M->rowadr[0], end = M->rowadr[p->nv - 1] + M->rownnz[p->nv - 1];
  for (int k = first; k < end; k++) {
    h->H[h->M_place[k - first]] += p->M[k];
  }
}


// add one contact in the middle zone of its cone: columns of its rows are among those of H
static void addCone(const cfPrimal* p, cfSparseHessian* h, int row) {
  const mjContact* con = p->rows.contact + p->rows.id[row];
  const int n = p->J.rownnz[row];
  CF_ASSERT(p->J.rownnz[row + con->dim - 1] == n);
  const int* col = p->J.colind + p->J.rowadr[row];
  const mjtNum* J = p->J.val + p->J.rowadr[row];
  cfi_mulCone(h->W, con, J, n, n);
  for (int i = 0; i < n; i++) {
    int at = h->H_pattern.rowadr[col[i]];
    for (int j = 0; j <= i; j++, at++) {
      while (h->H_pattern.colind[at] != col[j]) {
        at++;
      }
      mjtNum sum = 0;
      for (int k = 0; k < con->dim; k++) {
        sum += h->W[k * n + i] * J[k * n + j];
      }
      h->H_cones[at] += sum;
    }
  }
}


static void factorSparse(cfPrimal* p, cfSparseHessian* h) {
  const mjtNum* H = h->H;
  if (p->ncone) {
    cfi_copy(h->H_cones, h->H, h->nL);
    for (int r = p->rows.ne + p->rows.nf; r < p->rows.nefc; r++) {
      if (p->state[r] == mjCNSTRSTATE_CONE) {
        addCone(p, h, r);
        r += p->rows.contact[p->rows.id[r]].dim - 1;
      }
    }
    H = h->H_cones;
  }
  if (cfi_cholSparseFactor(h->L, &h->chol, H, h->H_pattern, mjMINVAL, p->d) < p->nv) {
    mju_error("rank-deficient sparse Hessian");
  }
}


void cfi_beginSparse(cfPrimal* p, cfSparseHessian* h) {
  const bool is_elliptic = p->m->opt.cone == mjCONE_ELLIPTIC;
  transposeJ(p, h);
  makePattern(p, h);
  placeInertia(p, h);
  h->nH = countHessian(p, h);
  h->H = mj_stackAllocNum(p->d, h->nL);
  h->H_cones = is_elliptic ? mj_stackAllocNum(p->d, h->nL) : NULL;
  h->W = mj_stackAllocNum(p->d, 6 * p->nv);
  h->D = mj_stackAllocNum(p->d, p->rows.nefc);
  computeHessian(p, h);
  factorSparse(p, h);
}


// few changes without cones: change the factor row by row; false when digits were lost
static bool changeFactor(cfPrimal* p, cfSparseHessian* h) {
  const cfSparseChol* chol = &h->chol;
  for (int r = 0; r < p->rows.nefc; r++) {
    bool was = p->old_state[r] == mjCNSTRSTATE_QUADRATIC,
         is = p->state[r] == mjCNSTRSTATE_QUADRATIC;
    if (was == is) {
      continue;
    }
    const int n = p->J.rownnz[r], adr = p->J.rowadr[r];
    for (int k = 0; k < n; k++) {
      h->W[k] = p->J.val[adr + k] * mju_sqrt(p->rows.D[r]);
    }
    if (cfi_cholUpdateSparse(h->L, p->nv, chol->rownnz, chol->rowadr, chol->colind, h->W,
                             p->J.colind + adr, n, is, p->d) < p->nv) {
      return false;
    }
  }
  return true;
}


void cfi_updateSparse(cfPrimal* p, cfSparseHessian* h) {
  const cfRowChanges changes = cfi_quadraticChanges(p);
  const int count = changes.added + changes.removed;
  if (p->m->opt.cone != mjCONE_ELLIPTIC && count <= p->nv / 8) {
    if (changeFactor(p, h)) {
      return;
    }
  }
  if (count) {
    computeHessian(p, h);
  }
  factorSparse(p, h);
}
