// Sparse Hessian in blocks of four by four, for problems whose dofs form chains of some length.
//
// A bundle of rows is dense over its blocks of columns, padded with zeros, and adds one product to
// each pair of them.
#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "math/dense.h"
#include "math/simd/lane.h"
#include "solver/blockldl.h"
#include "solver/hessian.h"

// most rows of a bundle: an elliptic contact of condim 6
enum { CF_BUNDLE_MAX = 6 };


// place of each column of a bundle among the numbers of its first row
static void placeColumns(int* place, const cfBlockHessian* h, const cfRowBundle* b, const int* col,
                         int n) {
  const int *block = h->sets.colind + h->sets.rowadr[b->set], step = CF_BLOCK_SIDE * b->count;
  CF_ASSERT(n >= 0);
  for (int k = 0, begin = 0; k < n; k++) {
    const int slot = h->slot[col[k]];
    while (*block != cfi_blockOf(slot)) {
      block++, begin += step;
    }
    place[k] = begin + cfi_lineOf(slot);
  }
}


// numbers of J by bundles: for each block of columns its rows, padded with zeros
static void loadBundles(cfPrimal* p, cfBlockHessian* h) {
  mj_markStack(p->d);
  int* place = mj_stackAllocInt(p->d, p->nv);
  cfi_zero(h->J, h->nJ);
  for (const cfRowBundle* b = h->bundle; b < h->bundle + h->nbundle; b++) {
    const int n = p->J.rownnz[b->row];
    placeColumns(place, h, b, p->J.colind + p->J.rowadr[b->row], n);
    for (int r = 0; r < b->count; r++) {
      cfi_scatter(h->J + b->J + CF_BLOCK_SIDE * r, p->J.val + p->J.rowadr[b->row + r], place, n);
    }
  }
  mj_freeStack(p->d);
}


// block += sum of w_k' x_k, rows of four numbers; those of x are picked
static inline void addToBlock(mjtNum* block, const mjtNum* w, const mjtNum* x, const int* pick,
                              int n) {
  cfLane c0 = cfi_laneLoad(block), c1 = cfi_laneLoad(block + 4);
  cfLane c2 = cfi_laneLoad(block + 8), c3 = cfi_laneLoad(block + 12);
  for (int k = 0; k < n; k++, w += 4) {
    const cfLane row = cfi_laneLoad(x + 4 * pick[k]);
    c0 = cfi_laneAddMul(c0, cfi_laneSpread(w[0]), row);
    c1 = cfi_laneAddMul(c1, cfi_laneSpread(w[1]), row);
    c2 = cfi_laneAddMul(c2, cfi_laneSpread(w[2]), row);
    c3 = cfi_laneAddMul(c3, cfi_laneSpread(w[3]), row);
  }
  cfi_laneStore(block, c0), cfi_laneStore(block + 4, c1);
  cfi_laneStore(block + 8, c2), cfi_laneStore(block + 12, c3);
}


// H += sum of weight_r J_r' J_r over the rows of a bundle
static void addBundle(mjtNum* H, const cfBlockHessian* h, const cfRowBundle* b,
                      const mjtNum* weight) {
  CF_ASSERT(b->count > 0 && b->count <= CF_BUNDLE_MAX);
  int pick[CF_BUNDLE_MAX], n = 0;
  for (int r = 0; r < b->count; r++) {
    pick[n] = r;
    n += weight[r] != 0;
  }
  const int nblock = n ? h->sets.rownnz[b->set] : 0, step = CF_BLOCK_SIDE * b->count;
  const int* place = h->place + h->place_adr[b->set];
  const mjtNum *J = h->J + b->J, *own = J;
  for (int i = 0; i < nblock; i++, own += step) {
    mjtNum w[CF_BUNDLE_MAX * CF_BLOCK_SIDE];
    for (int k = 0; k < n; k++) {
      cfi_laneStore(w + 4 * k,
                    cfi_laneMul(cfi_laneSpread(weight[pick[k]]), cfi_laneLoad(own + 4 * pick[k])));
    }
    for (int j = 0; j <= i; j++) {
      addToBlock(H + (size_t)CF_BLOCK_SIZE * *place++, w, J + (size_t)step * j, pick, n);
    }
  }
}


// H += J' C J for a contact in the middle zone of its cone, C the Hessian there
static void addConeBundle(mjtNum* H, const cfBlockHessian* h, const cfRowBundle* b,
                          const mjContact* con) {
  static const int all[CF_BUNDLE_MAX] = {0, 1, 2, 3, 4, 5};
  const int step = CF_BLOCK_SIDE * b->count, dim = con->dim;
  CF_ASSERT(b->count == dim);
  const int* place = h->place + h->place_adr[b->set];
  const mjtNum *J = h->J + b->J, *own = J;
  for (int i = 0; i < h->sets.rownnz[b->set]; i++, own += step) {
    mjtNum w[CF_BUNDLE_MAX * CF_BLOCK_SIDE];
    for (int k = 0; k < dim; k++) {
      cfLane sum = cfi_laneSpread(0);
      for (int l = 0; l < dim; l++) {
        sum = cfi_laneAddMul(sum, cfi_laneSpread(con->H[k * dim + l]), cfi_laneLoad(own + 4 * l));
      }
      cfi_laneStore(w + 4 * k, sum);
    }
    for (int j = 0; j <= i; j++) {
      addToBlock(H + (size_t)CF_BLOCK_SIZE * *place++, w, J + (size_t)step * j, all, dim);
    }
  }
}


// M in the lower triangle of H, ones on the diagonal of padding
static void loadBlockInertia(const cfPrimal* p, cfBlockHessian* h) {
  const cfPattern* M = &p->M_pattern;
  const cfSparseChol* s = &h->pattern;
  cfi_zero(h->H, h->nH);
  for (int b = 0; b < s->n; b++) {
    mjtNum* diagonal = h->H + (size_t)CF_BLOCK_SIZE * (s->rowadr[b] + s->rownnz[b] - 1);
    diagonal[0] = diagonal[5] = diagonal[10] = diagonal[15] = 1;
  }
  for (int i = 0; i < p->nv; i++) {
    const int line = CF_BLOCK_SIDE * cfi_lineOf(h->slot[i]);
    int at = s->rowadr[cfi_blockOf(h->slot[i])];
    for (int k = M->rowadr[i]; k < M->rowadr[i] + M->rownnz[i]; k++) {
      const int slot = h->slot[M->colind[k]];
      while (s->colind[at] != cfi_blockOf(slot)) {
        at++;
      }
      h->H[(size_t)CF_BLOCK_SIZE * at + line + cfi_lineOf(slot)] = p->M[k];
    }
  }
}


// bring J'DJ in H from old_state to the present state; old_state NULL: H has none of it
static void addChanges(const cfPrimal* p, cfBlockHessian* h, const int* old_state) {
  for (const cfRowBundle* b = h->bundle; b < h->bundle + h->nbundle; b++) {
    mjtNum weight[CF_BUNDLE_MAX];
    for (int k = 0, r = b->row; k < b->count; k++, r++) {
      weight[k] = cfi_quadraticChange(p, old_state, r) * p->rows.D[r];
    }
    addBundle(h->H, h, b, weight);
  }
  cfi_copyInt(h->state, p->state, p->rows.nefc);
}


static void buildBlocks(const cfPrimal* p, cfBlockHessian* h) {
  loadBlockInertia(p, h);
  addChanges(p, h, NULL);
}


// factor H with cones; false when it is not safely positive definite
static bool factorWithCones(cfPrimal* p, cfBlockHessian* h) {
  const mjtNum* H = h->H;
  if (p->ncone) {
    cfi_copy(h->H_cones, h->H, h->nH);
    for (const cfRowBundle* b = h->bundle; b < h->bundle + h->nbundle; b++) {
      if (p->state[b->row] == mjCNSTRSTATE_CONE) {
        addConeBundle(h->H_cones, h, b, p->rows.contact + p->rows.id[b->row]);
      }
    }
    H = h->H_cones;
  }
  return cfi_factorBlocks(&h->factor, H, mjMINVAL, h->scratch) == CF_BLOCK_SIDE * h->pattern.n;
}


bool cfi_beginBlocks(cfPrimal* p, cfBlockHessian* h) {
  if (!cfi_structureBlocks(p, h)) {
    return false;
  }
  loadBundles(p, h);
  buildBlocks(p, h);
  if (!factorWithCones(p, h)) {
    mju_error("rank-deficient sparse Hessian");
  }
  return true;
}


// would rank-one changes of the factor cost less than factoring anew?
static bool areChangesCheap(const cfPrimal* p, const cfBlockHessian* h) {
  mjtNum work = 0;
  for (const cfRowBundle* b = h->bundle; b < h->bundle + h->nbundle; b++) {
    const int n = h->sets.rownnz[b->set];
    for (int r = b->row; n && r < b->row + b->count; r++) {
      const int last = h->sets.colind[h->sets.rowadr[b->set] + n - 1];
      work += cfi_quadraticChange(p, p->old_state, r) ? h->change_work[last] : 0;
    }
  }
  return work < h->factor_work;
}


// change the factor alone, row by row; false when it was spoiled
static bool changeBlocks(cfPrimal* p, cfBlockHessian* h) {
  cfi_zero(h->x, CF_BLOCK_SIDE * h->pattern.n);
  for (const cfRowBundle* b = h->bundle; b < h->bundle + h->nbundle; b++) {
    const int *block = h->sets.colind + h->sets.rowadr[b->set], n = h->sets.rownnz[b->set];
    for (int k = 0; k < b->count; k++) {
      const int change = cfi_quadraticChange(p, p->old_state, b->row + k);
      if (change == 0) {
        continue;
      }
      const cfLane scale = cfi_laneSpread(mju_sqrt(p->rows.D[b->row + k]));
      const mjtNum* J = h->J + b->J + CF_BLOCK_SIDE * k;
      for (int i = 0; i < n; i++, J += CF_BLOCK_SIDE * b->count) {
        cfi_laneStore(h->x + CF_BLOCK_SIDE * block[i], cfi_laneMul(scale, cfi_laneLoad(J)));
      }
      if (!cfi_updateBlocks(&h->factor, h->x, change)) {
        return false;
      }
    }
  }
  return true;
}


void cfi_changeBlocks(cfPrimal* p, cfBlockHessian* h) {
  const bool is_elliptic = p->m->opt.cone == mjCONE_ELLIPTIC;
  const cfRowChanges changes = cfi_quadraticChanges(p);
  if (!is_elliptic && areChangesCheap(p, h) && changeBlocks(p, h)) {
    return;
  }

  // taking rows out loses digits where their D is large: with cones H is built anew
  if (is_elliptic && changes.removed) {
    buildBlocks(p, h);
  } else {
    addChanges(p, h, h->state);
  }
  if (!factorWithCones(p, h)) {
    buildBlocks(p, h);
    if (!factorWithCones(p, h)) {
      mju_error("rank-deficient sparse Hessian");
    }
  }
}


void cfi_blockDirection(cfPrimal* p, cfBlockHessian* h) {
  cfi_zero(h->x, CF_BLOCK_SIDE * h->pattern.n);
  for (int i = 0; i < p->nv; i++) {
    h->x[h->slot[i]] = -p->grad[i];
  }
  cfi_solveBlocks(h->x, &h->factor);
  cfi_gather(p->search, h->x, h->slot, p->nv);
}
