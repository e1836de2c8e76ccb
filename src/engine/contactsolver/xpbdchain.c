// Equalities of a group solved together: (J M^-1 J' + give) lambda = -r by an LDL' factor.
//
// Visited one after the other, the joints of a chain pass a load on link by link: with a heavy end
// and few passes they open, and closing them again lifts what has sunk, which is energy out of
// nothing.  Rows are in the order of the equalities, so a row of the factor begins with the first
// equality that shares a tree with it (an envelope): a chain costs a constant per link.  Groups
// whose envelope is wider than CHAIN_WIDTH numbers a row in the mean, and equalities of flexes, are
// left to single visits.
//
// Every diagonal is raised by a part of itself, which repeated visits take out again: equalities
// that say the same twice, or nearly so, keep bounded forces.
#include <math.h>

#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "contactsolver/xpbdlocal.h"
#include "math/inline.h"

enum { CHAIN_WIDTH = 64 };

static const mjtNum raised = 1e-5, dependent = 1e-11;

// ---------------------------------------- memory

static bool isLinear(const mjModel* m, const mjData* d, int row) {
  return d->efc_type[row] == mjCNSTR_EQUALITY && m->eq_type[d->efc_id[row]] < mjEQ_FLEX;
}


static size_t chainRows(const mjModel* m, const mjData* d) {
  size_t count = 0;
  for (int row = 0; row < d->ne; row++) {
    count += isLinear(m, d, row);
  }
  return count;
}


size_t cfi_xpbdChainBytes(const cfContactProblem* p) {
  const size_t nrow = chainRows(p->m, p->d);
  const size_t numbers = (CHAIN_WIDTH + 2) * nrow, wholes = 2 * nrow + (size_t)p->m->ntree;
  return sizeof(mjtNum) * numbers + sizeof(int) * (wholes + wholes % 2);
}


// ---------------------------------------- envelope

// first row that shares a tree with a block; rows of trees that are new begin with this block
static int firstRow(const mjModel* m, const cfContactBlock* block, int row, int* first_of_tree) {
  int first = row;
  for (int i = 0; i < block->ndof; i++) {
    int* known = first_of_tree + m->dof_treeid[block->dof[i]];
    *known = *known < 0 ? row : *known;
    first = *known < first ? *known : first;
  }
  return first;
}


// rows of a group; false if some of its equalities cannot be part, or the envelope is too wide
static bool planGroup(xpbdWork* work, int group, int* first_of_tree) {
  const cfContactProblem* p = work->p;
  const cfPartition* blocks = &work->parts.blocks;
  xpbdChain* chain = &work->group[group].chain;
  int size = 0;
  chain->nrow = chain->nblock = 0;
  for (int n = blocks->adr[group]; n < blocks->adr[group + 1]; n++) {
    const cfContactBlock* block = work->blocks.block + blocks->list[n];
    if (block->type != mjCNSTR_EQUALITY) {
      break;
    }
    if (!isLinear(p->m, p->d, block->row)) {
      return false;
    }
    const int first = firstRow(p->m, block, chain->nrow, first_of_tree);
    for (int k = 0; k < block->dim; k++) {
      chain->first[chain->nrow] = first;
      chain->adr[chain->nrow] = size - first;
      size += ++chain->nrow - first;
    }
    chain->nblock++;
  }
  chain->size = size;
  return chain->nblock > 1 && size <= CHAIN_WIDTH * chain->nrow;
}


void cfi_xpbdListChains(xpbdWork* work, void* memory) {
  const mjModel* m = work->p->m;
  const size_t nrow = chainRows(m, work->p->d);
  mjtNum* number = memory;
  int* whole = (int*)(number + (CHAIN_WIDTH + 2) * nrow);
  int* first_of_tree = whole + 2 * nrow;
  for (int t = 0; t < m->ntree; t++) {
    first_of_tree[t] = -1;
  }
  for (int group = 0; group < work->parts.count; group++) {
    xpbdChain* chain = &work->group[group].chain;
    *chain = (xpbdChain){.first = whole, .adr = whole};
    int rows = 0;
    for (int n = work->parts.blocks.adr[group]; n < work->parts.blocks.adr[group + 1]; n++) {
      const cfContactBlock* block = work->blocks.block + work->parts.blocks.list[n];
      rows += isLinear(m, work->p->d, block->row) ? block->dim : 0;
    }
    chain->adr = whole + rows;
    if (planGroup(work, group, first_of_tree)) {
      CF_ASSERT(chain->nrow == rows);
      chain->L = number;
      chain->inverse = number + chain->size;
      chain->r = chain->inverse + rows;
      number = chain->r + rows;
    } else {
      chain->nrow = chain->nblock = 0;
    }
    whole += 2 * rows;
  }
}


// ---------------------------------------- factor

// rows of one block: J of it times B of all blocks within the envelope; wide: zeros, and again
static void fillChainRows(const xpbdWork* work, const int* list, int at, int row,
                          xpbdChain* chain) {
  const cfContactBlock* block = work->blocks.block + list[at];
  mjtNum* wide = work->wide;
  for (int k = 0; k < block->dim; k++, row++) {
    mjtNum* L = chain->L + chain->adr[row];
    const mjtNum* J = block->J + (size_t)k * (size_t)block->stride;
    for (int i = 0; i < block->ndof; i++) {
      wide[block->dof[i]] = J[i];
    }
    for (int other = at, end = row - k + block->dim; end > chain->first[row]; other--) {
      const cfContactBlock* b = work->blocks.block + list[other];
      const int begin = end - b->dim;
      for (int j = begin; j < end && j <= row; j++) {
        const mjtNum* B = b->B + (size_t)(j - begin) * (size_t)b->stride;
        mjtNum sum = 0;
        for (int i = 0; i < b->ndof; i++) {
          sum += B[i] * wide[b->dof[i]];
        }
        L[j] = sum;
      }
      end = begin;
    }
    const xpbdAxis* axis = work->law[list[at]].axis + k;
    L[row] += axis->soft + raised * L[row];
    for (int i = 0; i < block->ndof; i++) {
      wide[block->dof[i]] = 0;
    }
  }
}


// L and 1/D of LDL' in place; rows that others determine get zeros
static void factorChain(xpbdChain* chain) {
  for (int i = 0; i < chain->nrow; i++) {
    mjtNum* row = chain->L + chain->adr[i];
    const int first = chain->first[i];
    const mjtNum least = cfi_max(mjMINVAL, dependent * row[i]);
    for (int j = first; j < i; j++) {
      const mjtNum* other = chain->L + chain->adr[j];
      const int from = first > chain->first[j] ? first : chain->first[j];
      for (int k = from; k < j; k++) {
        row[j] -= row[k] * other[k];
      }
    }
    for (int j = first; j < i; j++) {
      const mjtNum scaled = row[j] * chain->inverse[j];
      row[i] -= scaled * row[j];
      row[j] = scaled;
    }
    chain->inverse[i] = row[i] > least ? 1 / row[i] : 0;
  }
}


void cfi_xpbdFactorChain(xpbdWork* work, int group) {
  xpbdChain* chain = &work->group[group].chain;
  const int* list = work->parts.blocks.list + work->parts.blocks.adr[group];
  const cfPartition* dofs = &work->parts.dofs;
  for (int n = dofs->adr[group]; n < dofs->adr[group + 1] && chain->nblock; n++) {
    work->wide[dofs->list[n]] = 0;
  }
  for (int n = 0, row = 0; n < chain->nblock; n++) {
    fillChainRows(work, list, n, row, chain);
    row += work->blocks.block[list[n]].dim;
  }
  factorChain(chain);
}


// ---------------------------------------- visit

static void solveChain(const xpbdChain* chain) {
  mjtNum* x = chain->r;
  for (int i = 0; i < chain->nrow; i++) {
    const mjtNum* row = chain->L + chain->adr[i];
    for (int j = chain->first[i]; j < i; j++) {
      x[i] -= row[j] * x[j];
    }
  }
  for (int i = 0; i < chain->nrow; i++) {
    x[i] *= chain->inverse[i];
  }
  for (int i = chain->nrow - 1; i >= 0; i--) {
    const mjtNum* row = chain->L + chain->adr[i];
    for (int j = chain->first[i]; j < i; j++) {
      x[j] -= row[j] * x[i];
    }
  }
}


mjtNum cfi_xpbdVisitChain(xpbdWork* work, int group, mjtNum* u) {
  const xpbdChain* chain = &work->group[group].chain;
  const int* list = work->parts.blocks.list + work->parts.blocks.adr[group];
  mjtNum most = 0, *r = chain->r;
  for (int n = 0; n < chain->nblock; n++) {
    const xpbdLaw* law = work->law + list[n];
    const cfContactBlock* block = work->blocks.block + list[n];
    mjtNum dots[XPBD_AXES_MAX + 2];
    cfi_xpbdAllDots(work, dots, block, law, u);
    for (int k = 0; k < block->dim; k++) {
      *r = -(dots[k] + law->axis[k].bias + law->axis[k].give * law->axis[k].lambda);
      most = cfi_max(most, fabs(*r++));
    }
  }
  solveChain(chain);
  r = chain->r;
  for (int n = 0; n < chain->nblock; n++) {
    const xpbdLaw* law = work->law + list[n];
    const cfContactBlock* block = work->blocks.block + list[n];
    for (int k = 0; k < block->dim; k++) {
      law->axis[k].lambda += r[k];
    }
    cfi_xpbdPushAll(work, u, block, law, r);
    r += block->dim;
  }
  return most;
}
