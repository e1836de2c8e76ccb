// Structure of a sparse Hessian in blocks of four by four.
//
// Dofs of a chain lie side by side; each chain begins a new block and its last block is padded, so
// that no block couples what has nothing to do with each other.  Rows of J that have the same
// columns make bundles, and the blocks that their columns lie in are a set.
#include <mujoco/mujoco.h>

#include "base/arena.h"
#include "base/assert.h"
#include "solver/blockldl.h"
#include "solver/hessian.h"

// rows of a bundle, at most, unless it is an elliptic contact
enum { CF_BUNDLE = 4 };

// dofs of a chain, in the mean, from which on blocks pay
enum { CF_CHAIN_MEAN = 5 };


// tree that a dof of the problem belongs to
static inline int chainTree(const cfPrimal* p, int i) {
  const mjData* d = p->d;
  const bool is_all = p->nv == p->m->nv;
  return p->m->dof_treeid[is_all ? i : d->map_idof2dof[d->island_idofadr[p->island] + i]];
}


// dof i goes on with the chain of the dof before: its child, or one of a body with diagonal inertia
static inline bool continuesChain(const cfPrimal* p, int i) {
  const int *nnz = p->M_pattern.rownnz, *adr = p->M_pattern.rowadr;
  if (i > 0 && nnz[i] == 1) {
    return nnz[i - 1] == 1 && chainTree(p, i) == chainTree(p, i - 1);
  }
  return i > 0 && p->M_pattern.colind[adr[i] + nnz[i] - 2] == i - 1;
}


static bool areChainsLong(const cfPrimal* p) {
  int nchain = 0;
  for (int i = 0; i < p->nv; i++) {
    nchain += !continuesChain(p, i);
  }
  return p->nv >= CF_CHAIN_MEAN * nchain;
}


// slot of each dof; returns the number of block rows
static int placeDofs(int* slot, const cfPrimal* p) {
  CF_ASSERT(p->nv > 0);
  int next = 0;
  for (int i = 0; i < p->nv; i++) {
    next = continuesChain(p, i) ? next : (next + CF_BLOCK_SIDE - 1) & ~(CF_BLOCK_SIDE - 1);
    slot[i] = next++;
  }
  return (next + CF_BLOCK_SIDE - 1) / CF_BLOCK_SIDE;
}


// blocks of ascending columns; returns their number
static int listBlocks(int* block, const int* slot, const int* col, int n) {
  int count = 0;
  CF_ASSERT(n >= 0);
  for (int k = 0; k < n; k++) {
    const int b = cfi_blockOf(slot[col[k]]);
    if (count == 0 || block[count - 1] != b) {
      block[count++] = b;
    }
  }
  return count;
}


// rows from r on that make a bundle: an elliptic contact, or up to four rows with the same columns
static int bundleSize(const cfPrimal* p, int r) {
  CF_ASSERT_INDEX(r, p->rows.nefc);
  const int *type = p->rows.type, nalike = p->J.rowsuper[r] + 1;
  if (type[r] == mjCNSTR_CONTACT_ELLIPTIC) {
    return p->rows.contact[p->rows.id[r]].dim;
  }
  int n = 1;
  while (n < CF_BUNDLE && n < nalike && type[r + n] != mjCNSTR_CONTACT_ELLIPTIC) {
    n++;
  }
  return n;
}


// bundles and the sets of blocks that their columns lie in
static void listBundles(cfPrimal* p, cfBlockHessian* h) {
  int nefc = p->rows.nefc, nstored = 0;
  for (int r = 0; r < nefc; r += p->J.rowsuper[r] + 1) {
    nstored += p->J.rownnz[r];
  }
  h->bundle = mj_stackAllocByte(p->d, sizeof(cfRowBundle) * nefc, _Alignof(cfRowBundle));
  int *nnz = mj_stackAllocInt(p->d, nefc), *adr = mj_stackAllocInt(p->d, nefc);
  int* block = mj_stackAllocInt(p->d, nstored);
  h->nbundle = h->nJ = h->nplace = 0;
  int nset = 0, nblock = 0;
  for (int r = 0, count; r < nefc; r += count) {
    if (r == 0 || p->J.rowsuper[r - 1] == 0) {
      adr[nset] = nblock;
      nnz[nset] = listBlocks(block + nblock, h->slot, p->J.colind + p->J.rowadr[r], p->J.rownnz[r]);
      nblock += nnz[nset++];
    }
    count = bundleSize(p, r);
    h->bundle[h->nbundle++] = (cfRowBundle){r, count, nset - 1, h->nJ};
    h->nJ += count * CF_BLOCK_SIDE * nnz[nset - 1];
  }
  h->sets = (cfPattern){nset, h->pattern.n, nnz, adr, block, NULL};
}


// blocks of M by rows of blocks: the last dof of a block has the columns of the others
static cfPattern inertiaBlocks(cfPrimal* p, const cfBlockHessian* h) {
  const cfPattern* M = &p->M_pattern;
  const int n = h->pattern.n, last = M->nr - 1;
  int *nnz = mj_stackAllocInt(p->d, n), *adr = mj_stackAllocInt(p->d, n);
  int* block = mj_stackAllocInt(p->d, M->rowadr[last] + M->rownnz[last] - M->rowadr[0]);
  for (int i = 0, b = 0, total = 0; i < M->nr; i++) {
    if (i == last || cfi_blockOf(h->slot[i + 1]) > b) {
      adr[b] = total;
      nnz[b] = listBlocks(block + total, h->slot, M->colind + M->rowadr[i], M->rownnz[i]);
      total += nnz[b++];
    }
  }
  return (cfPattern){n, n, nnz, adr, block, NULL};
}


// structure of H and its factor
static void makeBlockPattern(cfPrimal* p, cfBlockHessian* h) {
  const int n = h->pattern.n;
  h->pattern.rownnz = mj_stackAllocInt(p->d, 5 * (size_t)n);
  h->pattern.rowadr = h->pattern.rownnz + n;
  h->pattern.colnnz = h->pattern.rowadr + n;
  h->pattern.coladr = h->pattern.colnnz + n;
  h->pattern.nested = h->pattern.coladr + n;
  h->nH = CF_BLOCK_SIZE * cfi_cholSparsePattern(&h->pattern, h->sets, inertiaBlocks(p, h), p->d);
}


// instructions of a factorization, and of a rank-one change that begins in each row of blocks
static void estimateWork(cfPrimal* p, cfBlockHessian* h) {
  const cfSparseChol* s = &h->pattern;
  h->change_work = mj_stackAllocInt(p->d, s->n);
  h->factor_work = 0;
  for (int r = 0; r < s->n; r++) {
    const int nnz = s->rownnz[r], off = nnz - 1;
    const int parent = off ? s->colind[s->rowadr[r] + off - 1] : -1;
    h->change_work[r] = 36 * nnz + 100 + (parent < 0 ? 0 : h->change_work[parent]);
    h->factor_work += 24 * (mjtNum)off * nnz + 40 * off + 200;
  }
}


// where the products of a set of blocks go in H: for each block those up to it
static void placeSets(cfPrimal* p, cfBlockHessian* h) {
  const cfPattern* sets = &h->sets;
  h->place_adr = mj_stackAllocInt(p->d, sets->nr);
  for (int k = 0; k < sets->nr; k++) {
    h->place_adr[k] = h->nplace;
    h->nplace += sets->rownnz[k] * (sets->rownnz[k] + 1) / 2;
  }
  int* place = h->place = mj_stackAllocInt(p->d, h->nplace);
  for (int k = 0; k < sets->nr; k++) {
    const int* block = sets->colind + sets->rowadr[k];
    for (int i = 0; i < sets->rownnz[k]; i++) {
      int at = h->pattern.rowadr[block[i]];
      for (int j = 0; j <= i; j++) {
        while (h->pattern.colind[at] != block[j]) {
          at++;
        }
        *place++ = at;
      }
    }
  }
}


// memory for numbers; false when it is short.  Data whose arena is smaller than its model's decides
// as if it were not (see the dense Hessian)
static bool takeNumbers(cfPrimal* p, cfBlockHessian* h) {
  const bool is_elliptic = p->m->opt.cone == mjCONE_ELLIPTIC;
  const size_t n = (size_t)CF_BLOCK_SIDE * h->pattern.n, size = (size_t)h->nH;
  const size_t total = (is_elliptic ? 3 : 2) * size + (size_t)h->nJ + 7 * n;
  const size_t missing = (size_t)(p->m->narena - p->d->narena);
  if (cfi_stackAvailable(p->d) + missing < 2 * total * sizeof(mjtNum)) {
    return false;
  }
  h->H = cfi_stackVectors(p->d, total);
  h->factor = (cfBlockLDL){&h->pattern, h->H + size, h->H + 2 * size, h->H + 2 * size + n};
  h->x = h->factor.diag_inv + n;
  h->scratch = h->x + n;
  h->J = h->scratch + 4 * n;
  h->H_cones = is_elliptic ? h->J + h->nJ : NULL;
  h->state = mj_stackAllocInt(p->d, p->rows.nefc);
  return true;
}


bool cfi_structureBlocks(cfPrimal* p, cfBlockHessian* h) {
  if (!areChainsLong(p)) {
    return false;
  }
  h->slot = mj_stackAllocInt(p->d, p->nv);
  h->pattern.n = placeDofs(h->slot, p);
  listBundles(p, h);
  makeBlockPattern(p, h);
  if (!takeNumbers(p, h)) {
    return false;
  }
  placeSets(p, h);
  estimateWork(p, h);
  return true;
}
