#include "contactsolver/blocks.h"

#include <string.h>

#include <mujoco/mujoco.h>

#include "base/arena.h"
#include "base/assert.h"
#include "dynamics/factor.h"
#include "flex/contactbodies.h"
#include "kinematics/chain.h"

// what blocks are made with
typedef struct {
  const mjModel* m;
  mjData* d;
  bool is_sparse, with_response;
  int stamp;    // of the present block
  int first;    // lowest dof of the present block
  int* mark;    // nv: stamp of the last block that a dof belonged to
  mjtNum* vec;  // nv: one row over all dofs
} blockMaker;


// scratch that a maker needs; marks take as much room as numbers
static size_t makerBytes(const mjModel* m) {
  return 2 * sizeof(mjtNum) * (size_t)m->nv;
}


// scratch is aligned for numbers
static blockMaker openMaker(const cfContactProblem* problem, bool with_response, void* scratch) {
  const mjModel* m = problem->m;
  blockMaker maker = {.m = m,
                      .d = problem->d,
                      .is_sparse = mj_isSparse(m),
                      .with_response = with_response,
                      .vec = scratch,
                      .mark = (int*)((mjtNum*)scratch + m->nv)};
  memset(maker.mark, 0, sizeof(int) * (size_t)m->nv);
  return maker;
}


// rows of the equality that a row begins, where they are to be one block
static int rowsOfAnchored(const mjModel* m, const mjData* d, int row) {
  const int eq = d->efc_id[row], type = m->eq_type[eq];
  return type == mjEQ_CONNECT ? 3 : type == mjEQ_WELD ? 6 : 1;
}


// the block that starts with a row
static cfContactBlock blockAt(const blockMaker* maker, int row) {
  const mjData* d = maker->d;
  CF_ASSERT_INDEX(row, d->nefc);
  const int type = d->efc_type[row];
  cfContactBlock block = {.type = type, .row = row, .nrow = 1, .contact = -1, .dim = 1};
  if (type == mjCNSTR_EQUALITY && maker->with_response) {
    block.nrow = block.dim = rowsOfAnchored(maker->m, d, row);
  }
  if (type >= mjCNSTR_CONTACT_FRICTIONLESS) {
    block.contact = d->efc_id[row];
    block.dim = d->contact[block.contact].dim;
    block.nrow = type == mjCNSTR_CONTACT_PYRAMIDAL ? 2 * (block.dim - 1) : block.dim;
  }
  return block;
}


// mark a dof, or with response its whole tree; returns how many were not marked
static int markDof(blockMaker* maker, int dof) {
  const mjModel* m = maker->m;
  int from = dof, end = dof + 1, count = 0;
  if (maker->mark[dof] == maker->stamp) {
    return 0;
  }
  if (maker->with_response) {
    const int tree = m->dof_treeid[dof];
    from = m->tree_dofadr[tree];
    end = from + m->tree_dofnum[tree];
  }
  maker->first = from < maker->first ? from : maker->first;
  for (int i = from; i < end; i++) {
    count += maker->mark[i] != maker->stamp;
    maker->mark[i] = maker->stamp;
  }
  return count;
}


// mark the trees of two bodies that touch; returns the number of their dofs
static int markTrees(blockMaker* maker, const int body[2]) {
  int count = 0;
  for (int k = 0; k < 2; k++) {
    const int dof = cfi_lastDof(maker->m, body[k]);
    count += dof >= 0 ? markDof(maker, dof) : 0;
  }
  return count;
}


// mark the dofs of a block; returns their number
static int markBlock(blockMaker* maker, const cfContactBlock* block) {
  const mjData* d = maker->d;
  const int nv = (int)maker->m->nv;
  int count = 0, body[2];
  maker->stamp++;
  maker->first = nv;
  if (maker->with_response && block->contact >= 0 &&
      cfi_contactBodies(maker->m, d->contact + block->contact, body)) {
    return markTrees(maker, body);
  }
  if (maker->is_sparse) {
    const int* col = d->efc_J_colind + d->efc_J_rowadr[block->row];
    for (int k = 0; k < d->efc_J_rownnz[block->row]; k++) {
      count += markDof(maker, col[k]);
    }
    return count;
  }
  for (int r = block->row; r < block->row + block->nrow; r++) {
    for (int i = 0; i < nv; i++) {
      if (d->efc_J[(size_t)r * (size_t)nv + (size_t)i] != 0) {
        count += markDof(maker, i);
      }
    }
  }
  return count;
}


// true if two blocks are contacts of the same two geoms and have the same dofs for that; a dense
// row without response has those where it is not zero
static bool isSamePair(const blockMaker* maker, const cfContactBlock* a, const cfContactBlock* b) {
  if (a->contact < 0 || b->contact < 0 || !(maker->is_sparse || maker->with_response)) {
    return false;
  }
  const mjContact* contact = maker->d->contact;
  const int *first = contact[a->contact].geom, *second = contact[b->contact].geom;
  return first[0] >= 0 && first[1] >= 0 && first[0] == second[0] && first[1] == second[1];
}


// numbers in a row of J
static int strideOf(int ndof, bool with_response) {
  return with_response ? (ndof + 3) / 4 * 4 : ndof;
}


// list the marked dofs; sparse rows have the columns of their block's first row
static void listBlockDofs(const blockMaker* maker, const cfContactBlock* block, int* dof) {
  int n = 0;
  for (int i = maker->first; n < block->ndof; i++) {
    CF_ASSERT_INDEX(i, maker->m->nv);
    if (maker->mark[i] == maker->stamp) {
      dof[n++] = i;
    }
  }
}


// one row of efc_J over the dofs of its block, times scale, added to res
static void addBlockRow(const blockMaker* maker, const cfContactBlock* block, int row, mjtNum scale,
                        mjtNum* res) {
  const mjData* d = maker->d;
  const mjtNum* vec = d->efc_J + (size_t)row * (size_t)maker->m->nv;
  if (maker->is_sparse) {
    for (int i = 0; i < block->ndof; i++) {
      maker->vec[block->dof[i]] = 0;
    }
    for (int k = d->efc_J_rowadr[row]; k < d->efc_J_rowadr[row] + d->efc_J_rownnz[row]; k++) {
      maker->vec[d->efc_J_colind[k]] = d->efc_J[k];
    }
    vec = maker->vec;
  }
  for (int i = 0; i < block->ndof; i++) {
    res[i] += scale * vec[block->dof[i]];
  }
}


// Jacobian of the axes
static void fillAxes(const blockMaker* maker, const cfContactBlock* block) {
  const size_t n = (size_t)block->stride;
  memset(block->J, 0, sizeof(mjtNum) * n * (size_t)block->dim);
  if (block->type != mjCNSTR_CONTACT_PYRAMIDAL) {
    for (int k = 0; k < block->dim; k++) {
      addBlockRow(maker, block, block->row + k, 1, block->J + (size_t)k * n);
    }
    return;
  }
  const mjtNum* mu = maker->d->contact[block->contact].friction;
  addBlockRow(maker, block, block->row, 0.5, block->J);
  addBlockRow(maker, block, block->row + 1, 0.5, block->J);
  for (int k = 1; k < block->dim; k++) {
    mjtNum* J = block->J + (size_t)k * n;
    addBlockRow(maker, block, block->row + 2 * k - 2, 0.5 / mu[k - 1], J);
    addBlockRow(maker, block, block->row + 2 * k - 1, -0.5 / mu[k - 1], J);
  }
}


void cfi_readBlock(const cfContactProblem* problem, const cfContactBlock* block, mjtNum* scratch) {
  const blockMaker maker = {
      .m = problem->m, .d = problem->d, .is_sparse = mj_isSparse(problem->m), .vec = scratch};
  fillAxes(&maker, block);
}


// true if the inertia of each dof of a block is a number of its own
static bool hasSimpleDofs(const mjModel* m, const cfContactBlock* block) {
  bool is_simple = true;
  for (int i = 0; i < block->ndof; i++) {
    is_simple = is_simple && m->dof_simplenum[block->dof[i]] > 0;
  }
  return is_simple;
}


// M^-1 J', axis by axis
void cfi_fillResponse(const mjModel* m, const cfContactBlock* block, const mjtNum* LD,
                      const mjtNum* diaginv, mjtNum* scratch) {
  const cfIndexSet dofs = {block->dof, block->ndof, 0};
  const size_t n = (size_t)block->stride;
  CF_ASSERT(block->B != NULL);
  if (hasSimpleDofs(m, block)) {
    for (int k = 0; k < block->dim; k++) {
      const mjtNum* J = block->J + (size_t)k * n;
      mjtNum* restrict B = block->B + (size_t)k * n;
      for (int i = 0; i < block->ndof; i++) {
        B[i] = J[i] * diaginv[block->dof[i]];
      }
    }
    return;
  }
  for (int k = 0; k < block->dim; k++) {
    const mjtNum* J = block->J + (size_t)k * n;
    mjtNum* B = block->B + (size_t)k * n;
    for (int i = 0; i < block->ndof; i++) {
      scratch[block->dof[i]] = J[i];
    }
    cfi_solveLD(scratch, LD, diaginv, (int)m->nv, 1, m->M_rownnz, m->M_rowadr, m->M_colind, dofs);
    for (int i = 0; i < block->ndof; i++) {
      B[i] = scratch[block->dof[i]];
    }
  }
}


size_t cfi_blocksBytes(const cfContactProblem* problem, bool with_response) {
  size_t nblock = 0, ndof = 0, number = 0;
  const size_t scratch = makerBytes(problem->m);
  if (!cfi_stackFits(problem->d, scratch, _Alignof(mjtNum))) {
    return (size_t)problem->d->narena;
  }
  mj_markStack(problem->d);
  blockMaker maker =
      openMaker(problem, with_response, mj_stackAllocByte(problem->d, scratch, _Alignof(mjtNum)));
  cfContactBlock before = {.contact = -1};
  for (int row = 0; row < problem->d->nefc;) {
    cfContactBlock block = blockAt(&maker, row);
    block.ndof = isSamePair(&maker, &before, &block) ? before.ndof : markBlock(&maker, &block);
    nblock++;
    ndof += (size_t)block.ndof;
    number += (size_t)strideOf(block.ndof, with_response) * (size_t)block.dim;
    row += block.nrow;
    before = block;
  }
  mj_freeStack(problem->d);
  number *= with_response ? 2 : 1;
  return sizeof(cfContactBlock) * nblock + sizeof(mjtNum) * number + scratch + sizeof(int) * ndof;
}


// number, dofs and layout of each block; returns how many numbers all Jacobians and responses have
static size_t planBlocks(cfContactBlocks* blocks, blockMaker* maker) {
  size_t total = 0;
  for (int k = 0; k < blocks->count; k++) {
    cfContactBlock* block = blocks->block + k;
    const bool is_same = k > 0 && isSamePair(maker, block - 1, block);
    block->ndof = is_same ? block[-1].ndof : markBlock(maker, block);
    block->stride = strideOf(block->ndof, maker->with_response);
    total += (size_t)block->stride * (size_t)block->dim;
    blocks->naxis += block->dim;
    CF_ASSERT(block->row + block->nrow <= maker->d->nefc);
  }
  return maker->with_response ? 2 * total : total;
}


cfContactBlocks cfi_fillBlocks(const cfContactProblem* problem, bool with_response, void* memory) {
  const mjData* d = problem->d;
  cfContactBlocks blocks = {.block = memory};
  const blockMaker plan = {.m = problem->m, .d = problem->d, .with_response = with_response};
  for (int row = 0; row < d->nefc; row += blocks.block[blocks.count++].nrow) {
    blocks.block[blocks.count] = blockAt(&plan, row);
  }

  // after the list: scratch, numbers, dofs
  void* scratch = blocks.block + blocks.count;
  blockMaker maker = openMaker(problem, with_response, scratch);
  mjtNum* number = (mjtNum*)((char*)scratch + makerBytes(problem->m));
  const size_t count = planBlocks(&blocks, &maker);
  int* dof = (int*)(number + count);
  for (int k = 0; k < blocks.count; k++) {
    cfContactBlock* block = blocks.block + k;
    const size_t n = (size_t)block->stride * (size_t)block->dim;
    const bool is_same = k > 0 && isSamePair(&maker, block - 1, block);
    block->dof = is_same ? block[-1].dof : dof;
    block->J = number;
    if (!is_same) {
      markBlock(&maker, block);
      listBlockDofs(&maker, block, dof);
      dof += block->ndof;
    }
    if (with_response) {
      // what lies between the dofs and the stride stays zero
      block->B = number + n;
      memset(number, 0, block->stride > block->ndof ? 2 * n * sizeof(mjtNum) : 0);
    } else {
      fillAxes(&maker, block);
    }
    number += with_response ? 2 * n : n;
  }
  return blocks;
}


void cfi_axesOfRows(mjtNum* axis, const mjData* d, const cfContactBlock* block, const mjtNum* row) {
  if (block->type != mjCNSTR_CONTACT_PYRAMIDAL) {
    memcpy(axis, row, sizeof(mjtNum) * (size_t)block->dim);
    return;
  }
  const mjtNum* mu = d->contact[block->contact].friction;
  axis[0] = 0.5 * (row[0] + row[1]);
  for (int k = 1; k < block->dim; k++) {
    axis[k] = 0.5 * (row[2 * k - 2] - row[2 * k - 1]) / mu[k - 1];
  }
}


void cfi_rowsOfAxes(mjtNum* row, const mjData* d, const cfContactBlock* block, const mjtNum* axis) {
  if (block->type != mjCNSTR_CONTACT_PYRAMIDAL) {
    memcpy(row, axis, sizeof(mjtNum) * (size_t)block->dim);
    return;
  }
  const mjtNum* mu = d->contact[block->contact].friction;
  const mjtNum normal = axis[0] / (block->dim - 1);
  for (int k = 1; k < block->dim; k++) {
    row[2 * k - 2] = 0.5 * (normal + axis[k] / mu[k - 1]);
    row[2 * k - 1] = 0.5 * (normal - axis[k] / mu[k - 1]);
  }
}
