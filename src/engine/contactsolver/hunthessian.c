// Hessian of a component: H = S + cliques + J'WJ, factored dense, sparse, or applied.
//
// Blocks couple all their dofs, so a pattern that holds the cliques of their dofs holds H.  What
// does not change in a step, S, cliques and equalities, is put together once.  A factor serves as
// long as the slopes of contacts differ little from those that it was made with: the direction is
// then one of a modified Newton method, and the line search sees the true cost.
#include <math.h>

#include <mujoco/mujoco.h>

#include "base/arena.h"
#include "base/assert.h"
#include "contactsolver/huntnewton.h"
#include "math/dense.h"
#include "math/inline.h"
#include "math/scalar.h"
#include "math/sparse.h"
#include "solver/treeldl.h"

enum { HUNT_DENSE_DOFS = 36 };

// slopes may differ by this part before H is factored anew
static const mjtNum huntStale = 0.1;

// conjugate gradients end at this part of the first residual, squared
static const mjtNum huntInner = 1e-12;


// ---------------------------------------- structure

// S or, where that is not positive definite, M
static mjtNum huntInertia(const cfHuntPart* part, int k) {
  return part->has_mass_only ? cfi_massInD(part->e->m, part->e->d, k) : part->e->S[k];
}


// Lower triangle of S within the component, as a pattern; its entries follow each other.
static cfPattern inertiaPattern(const cfHuntPart* part, mjData* d) {
  const mjModel* m = part->e->m;
  int *nnz = mj_stackAllocInt(d, 2 * (size_t)part->n + 1), *adr = nnz + part->n, room = 0;
  for (int i = 0; i < part->n; i++) {
    room += m->D_diag[part->global[i]] + 1;
  }
  int *column = mj_stackAllocInt(d, (size_t)room + 1), at = 0;
  for (int i = 0; i < part->n; i++) {
    const int g = part->global[i];
    adr[i] = at;
    nnz[i] = m->D_diag[g] + 1;
    for (int k = m->D_rowadr[g]; k < m->D_rowadr[g] + nnz[i]; k++) {
      column[at++] = part->local[m->D_colind[k]];
    }
  }
  return (cfPattern){part->n, part->n, nnz, adr, column, NULL};
}


// Dofs that blocks and cliques couple, one row for each.
static cfPattern couplings(const cfHuntPart* part, mjData* d) {
  const int nrow = part->nblock + part->nclique;
  int *nnz = mj_stackAllocInt(d, 2 * (size_t)nrow + 2), *adr = nnz + nrow, room = 0;
  for (int k = 0; k < nrow; k++) {
    nnz[k] = k < part->nblock ? part->block[k].block->ndof
                              : part->e->clique[part->clique[k - part->nblock]].n;
    adr[k] = room;
    room += nnz[k];
  }
  int* column = mj_stackAllocInt(d, (size_t)room + 1);
  for (int k = 0; k < nrow; k++) {
    if (k < part->nblock) {
      cfi_copyInt(column + adr[k], part->block[k].dof, nnz[k]);
    } else {
      const cfClique* clique = part->e->clique + part->clique[k - part->nblock];
      for (int i = 0; i < nnz[k]; i++) {
        column[adr[k] + i] = part->local[clique->dof[i]];
      }
    }
    CF_ASSERT(cfi_isAscending(column + adr[k], nnz[k]));
  }
  return (cfPattern){nrow, part->n, nnz, adr, column, NULL};
}


// pattern of the factor; false where the stack has no room for it
static bool sparsePattern(cfHuntPart* part, mjData* d) {
  cfHuntHessian* h = &part->hessian;
  const size_t n = (size_t)part->n, bits = n * n / 16 + 16 * n;
  size_t entries = 0;
  for (int k = 0; k < part->nblock; k++) {
    entries += (size_t)part->block[k].block->ndof;
  }
  for (int k = 0; k < part->nclique; k++) {
    entries += (size_t)part->e->clique[part->clique[k]].n;
  }
  if (!cfi_stackFits(d, bits + 8 * entries + 40 * n + 16 * (size_t)part->e->m->nD, 64)) {
    return false;
  }
  int* list = mj_stackAllocInt(d, 5 * n + 1);
  h->chol = (cfSparseChol){.n = part->n,
                           .rownnz = list,
                           .rowadr = list + n,
                           .colnnz = list + 2 * n,
                           .coladr = list + 3 * n,
                           .nested = list + 4 * n};
  const cfPattern inertia = inertiaPattern(part, d), coupling = couplings(part, d);
  int square, factor;
  cfi_cholSparseCount(&square, &factor, coupling, inertia, d);
  const size_t numbers = 3 * (size_t)factor + n, places = 3 * (size_t)factor + n;
  if (!cfi_stackFits(d, bits + numbers * sizeof(mjtNum) + places * sizeof(int), 64)) {
    return false;
  }
  const int total = cfi_cholSparsePattern(&h->chol, coupling, inertia, d);
  CF_ASSERT(total <= factor);
  h->pattern = (cfPattern){part->n, part->n, h->chol.rownnz, h->chol.rowadr, h->chol.colind, NULL};
  h->base = mj_stackAllocNum(d, 3 * (size_t)total + 1);
  h->H = h->base + total;
  h->L = h->H + total;
  return true;
}


// ---------------------------------------- numbers

// Add a symmetric matrix (n x n) at increasing dofs to the lower triangle.
static void addClique(const cfHuntHessian* h, mjtNum* res, const int* dof, const mjtNum* value,
                      int n) {
  CF_ASSERT(h->stride >= 0 && cfi_isAscending(dof, n));
  for (int i = 0; i < n; i++) {
    const mjtNum* from = value + (size_t)i * (size_t)n;
    if (h->stride) {
      mjtNum* row = res + (size_t)dof[i] * (size_t)h->stride;
      for (int j = 0; j <= i; j++) {
        row[dof[j]] += from[j];
      }
      continue;
    }
    int at = h->pattern.rowadr[dof[i]];
    for (int j = 0; j <= i; j++) {
      while (h->pattern.colind[at] != dof[j]) {
        at++;
      }
      res[at] += from[j];
    }
  }
}


// res += J'WJ of one block
static void addHuntBlock(const cfHuntHessian* h, mjtNum* res, const cfHuntBlock* b,
                         const mjtNum* W) {
  const int n = b->block->ndof, dim = b->block->dim;
  const mjtNum* J = b->block->J;
  for (int i = 0; i < n; i++) {
    mjtNum left[6];
    for (int l = 0; l < dim; l++) {
      left[l] = 0;
      for (int k = 0; k < dim; k++) {
        left[l] += J[(size_t)k * (size_t)n + (size_t)i] * W[k * dim + l];
      }
    }
    int at = h->stride ? b->dof[i] * h->stride : h->pattern.rowadr[b->dof[i]];
    for (int j = 0; j <= i; j++) {
      mjtNum sum = 0;
      for (int l = 0; l < dim; l++) {
        sum += left[l] * J[(size_t)l * (size_t)n + (size_t)j];
      }
      if (h->stride) {
        res[at + b->dof[j]] += sum;
      } else {
        while (h->pattern.colind[at] != b->dof[j]) {
          at++;
        }
        res[at] += sum;
      }
    }
  }
}


// S, cliques and equalities
static void fillBase(cfHuntPart* part) {
  const mjModel* m = part->e->m;
  cfHuntHessian* h = &part->hessian;
  mju_zero(h->base, h->stride ? part->n * h->stride
                              : h->chol.rowadr[part->n - 1] + h->chol.rownnz[part->n - 1]);
  for (int i = 0; i < part->n; i++) {
    const int g = part->global[i];
    int at = h->stride ? i * h->stride : h->pattern.rowadr[i];
    for (int k = m->D_rowadr[g]; k <= m->D_rowadr[g] + m->D_diag[g]; k++) {
      const int column = part->local[m->D_colind[k]];
      while (!h->stride && h->pattern.colind[at] != column) {
        at++;
      }
      h->base[at + (h->stride ? column : 0)] += huntInertia(part, k);
    }
  }
  for (int k = 0; k < part->nclique; k++) {
    const cfClique* clique = part->e->clique + part->clique[k];
    mj_markStack(part->e->d);
    int* dof = mj_stackAllocInt(part->e->d, (size_t)clique->n + 1);
    for (int i = 0; i < clique->n; i++) {
      dof[i] = part->local[clique->dof[i]];
    }
    addClique(h, h->base, dof, clique->value, clique->n);
    mj_freeStack(part->e->d);
  }
  for (int k = 0; k < part->nlinear; k++) {
    addHuntBlock(h, h->base, part->block + k, part->e->d->efc_D + part->block[k].block->row);
  }
  h->has_factor = false;
}


// False if a dense matrix does not fit, beside what conjugate gradients take.
static bool densePattern(cfHuntPart* part, mjData* d) {
  cfHuntHessian* h = &part->hessian;
  const size_t n = (size_t)part->n, stride = (size_t)cfi_treeStride(part->n), size = n * stride;
  CF_ASSERT(part->n <= HUNT_DENSE_DOFS);
  if (!cfi_stackFits(d, sizeof(mjtNum) * (2 * size + 8 * n + 100), 64)) {
    return false;
  }
  h->stride = (int)stride;
  h->base = mj_stackAllocNum(d, 2 * size + n + 1);
  h->H = h->base + size;
  h->diag_inv = h->H + size;
  return true;
}


void cfi_openHessian(cfHuntPart* part) {
  mjData* d = part->e->d;
  cfHuntHessian* h = &part->hessian;
  *h = (cfHuntHessian){0};
  if (!(part->n <= HUNT_DENSE_DOFS ? densePattern(part, d) : sparsePattern(part, d))) {
    h->stride = -1;
    return;
  }
  fillBase(part);
}


// ---------------------------------------- directions

// true if the slopes of contacts are no longer those that H was factored with
static bool isStale(const cfHuntPart* part) {
  for (int k = part->nlinear; k < part->nblock; k++) {
    const cfHuntBlock* b = part->block + k;
    const int n = b->block->dim;
    mjtNum change = 0, size = 0;
    for (int i = 0; i < n * n; i++) {
      change = cfi_max(change, fabs(b->W[i] - b->used[i]));
      size = cfi_max(size, fabs(b->used[i]));
    }
    if (change > huntStale * size) {
      return true;
    }
  }
  return !part->hessian.has_factor;
}


// factor H; false if a pivot is not positive
static bool factorHunt(cfHuntPart* part) {
  cfHuntHessian* h = &part->hessian;
  const int n = part->n;
  const size_t size = h->stride ? (size_t)n * (size_t)h->stride
                                : (size_t)(h->chol.rowadr[n - 1] + h->chol.rownnz[n - 1]);
  mju_copy(h->H, h->base, (int)size);
  for (int k = part->nlinear; k < part->nblock; k++) {
    const cfHuntBlock* b = part->block + k;
    const int dim = b->block->dim;
    mju_copy(b->used, b->W, dim * dim);
    if (cfi_dot(b->W, b->W, dim * dim) > 0) {
      addHuntBlock(h, h->H, b, b->W);
    }
  }
  h->has_factor = true;
  return (h->stride
              ? cfi_factorTreeLDL(h->H, h->diag_inv, n, h->stride, mjMINVAL)
              : cfi_cholSparseFactor(h->L, &h->chol, h->H, h->pattern, mjMINVAL, part->e->d)) == n;
}


// res = H*vec
static void mulHuntHessian(const cfHuntPart* part, mjtNum* res, const mjtNum* vec) {
  cfi_mulHunt(part, res, vec);
  for (int k = 0; k < part->nblock; k++) {
    const cfHuntBlock* b = part->block + k;
    const int n = b->block->ndof, dim = b->block->dim;
    const mjtNum* W = k < part->nlinear ? part->e->d->efc_D + b->block->row : b->W;
    mjtNum along[6] = {0};
    for (int j = 0; j < dim; j++) {
      for (int i = 0; i < n; i++) {
        along[j] += b->block->J[(size_t)j * (size_t)n + (size_t)i] * vec[b->dof[i]];
      }
    }
    for (int j = 0; j < dim; j++) {
      const mjtNum scale = cfi_dot(W + j * dim, along, dim);
      for (int i = 0; i < n; i++) {
        res[b->dof[i]] += scale * b->block->J[(size_t)j * (size_t)n + (size_t)i];
      }
    }
  }
}


// diagonal of S and of J'WJ, inverted
static void huntDiagonal(const cfHuntPart* part, mjtNum* inverse) {
  const mjModel* m = part->e->m;
  for (int i = 0; i < part->n; i++) {
    const int g = part->global[i];
    inverse[i] = huntInertia(part, m->D_rowadr[g] + m->D_diag[g]);
  }
  for (int k = 0; k < part->nclique; k++) {
    const cfClique* clique = part->e->clique + part->clique[k];
    for (int i = 0; i < clique->n; i++) {
      inverse[part->local[clique->dof[i]]] += clique->value[i * (clique->n + 1)];
    }
  }
  for (int k = 0; k < part->nblock; k++) {
    const cfHuntBlock* b = part->block + k;
    const int n = b->block->ndof, dim = b->block->dim;
    const mjtNum* W = k < part->nlinear ? part->e->d->efc_D + b->block->row : b->W;
    for (int j = 0; j < dim; j++) {
      for (int i = 0; i < n; i++) {
        const mjtNum J = b->block->J[(size_t)j * (size_t)n + (size_t)i];
        inverse[b->dof[i]] += W[j * (dim + 1)] * J * J;
      }
    }
  }
  for (int i = 0; i < part->n; i++) {
    inverse[i] = 1 / cfi_max(mjMINVAL, inverse[i]);
  }
}


// search = -H^-1 grad by conjugate gradients with the diagonal as preconditioner
static void iterateHunt(cfHuntPart* part) {
  CF_ASSERT(part->hessian.stride < 0);
  mjData* d = part->e->d;
  const int n = part->n;
  mj_markStack(d);
  mjtNum* residual = mj_stackAllocNum(d, 5 * (size_t)n + 1);
  mjtNum *turned = residual + n, *step = turned + n, *image = step + n, *inverse = image + n;
  huntDiagonal(part, inverse);
  mju_zero(part->search, cfi_treeStride(n));
  mjtNum now = 0;
  for (int i = 0; i < n; i++) {
    residual[i] = -part->grad[i];
    step[i] = inverse[i] * residual[i];
    now += residual[i] * step[i];
  }
  const mjtNum enough = huntInner * now;
  for (int k = 0; k < 10 * n && now > enough && now > 0; k++) {
    mulHuntHessian(part, image, step);
    const mjtNum length = now / cfi_max(mjMINVAL, cfi_dot(step, image, n)), before = now;
    mju_addToScl(part->search, step, length, n);
    mju_addToScl(residual, image, -length, n);
    now = 0;
    for (int i = 0; i < n; i++) {
      turned[i] = inverse[i] * residual[i];
      now += residual[i] * turned[i];
    }
    mju_addScl(step, turned, step, now / before, n);
  }
  mj_freeStack(d);
}


void cfi_huntDirection(cfHuntPart* part) {
  cfHuntHessian* h = &part->hessian;
  const int n = part->n;
  if (h->stride < 0) {
    iterateHunt(part);
    return;
  }
  if (isStale(part) && !factorHunt(part) && !part->has_mass_only) {
    // forces that grow with velocity: the explicit treatment of them is what is left
    part->has_mass_only = true;
    cfi_mulHunt(part, part->Sa, part->a);
    cfi_evaluateHunt(part);
    fillBase(part);
    factorHunt(part);
  }
  mju_scl(part->search, part->grad, -1, n);
  if (h->stride) {
    mju_zero(part->search + n, cfi_treeStride(n) - n);
    cfi_solveTreeLDL(part->search, h->H, h->diag_inv, n, h->stride);
  } else {
    cfi_cholSolveSparse(part->search, h->L, part->search, n, h->chol.rownnz, h->chol.rowadr,
                        h->chol.colind);
  }
}
