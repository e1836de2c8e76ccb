// Rows of a step as blocks: one for each equality, friction or limit row and one for each contact.
// With responses the rows of a connect or a weld are one block.
//
// A contact's block has its axes, whatever the cone: normal, two tangents, spin, two rolls (dim of
// them).  The rows of a pyramid are n +- mu_k t_k, so its axes are half sums and differences of
// them, and forces along the axes become forces of the rows the other way round.
#ifndef CF_CONTACTSOLVER_BLOCKS_H
#define CF_CONTACTSOLVER_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>

#include <cortenforge/contact.h>

typedef struct {
  int type;        // mjtConstraint
  int row, nrow;   // rows of efc_
  int contact;     // id, -1 for other constraints
  int dim;         // axes: 1, dim of the contact, or rows of a connect or weld
  int ndof;        // dofs that it acts on
  int stride;      // of J and B: ndof, with responses the next multiple of four
  const int* dof;  // their numbers, increasing
  mjtNum* J;       // dim x stride
  mjtNum* B;       // dim x stride: M^-1 J'; NULL if not asked for
} cfContactBlock;

typedef struct {
  int count, naxis;  // blocks; axes of all blocks
  cfContactBlock* block;
} cfContactBlocks;

// bytes that cfi_fillBlocks needs; with_response: for M^-1 J', over all dofs of the trees
size_t cfi_blocksBytes(const cfContactProblem* problem, bool with_response);

// Make the blocks in memory of that size; with_response: J and B are to be filled by the next two
// functions.
cfContactBlocks cfi_fillBlocks(const cfContactProblem* problem, bool with_response, void* memory);

// J of a block from efc_J; scratch: nv numbers
void cfi_readBlock(const cfContactProblem* problem, const cfContactBlock* block, mjtNum* scratch);

// B of a block by a factor of M or of M and slopes; scratch: nv numbers
void cfi_fillResponse(const mjModel* m, const cfContactBlock* block, const mjtNum* LD,
                      const mjtNum* diaginv, mjtNum* scratch);

// numbers of the rows of a block as numbers along its axes: velocities
void cfi_axesOfRows(mjtNum* axis, const mjData* d, const cfContactBlock* block, const mjtNum* row);

// forces along the axes as forces of the rows
void cfi_rowsOfAxes(mjtNum* row, const mjData* d, const cfContactBlock* block, const mjtNum* axis);

// axis k of a block times a vector of all dofs
static inline mjtNum cfi_blockDot(const cfContactBlock* b, int k, const mjtNum* vec) {
  const mjtNum* J = b->J + (size_t)k * (size_t)b->stride;
  mjtNum sum = 0;
  for (int i = 0; i < b->ndof; i++) {
    sum += J[i] * vec[b->dof[i]];
  }
  return sum;
}

// add what an impulse along axis k does to velocities
static inline void cfi_blockPush(const cfContactBlock* b, int k, mjtNum impulse, mjtNum* vec) {
  const mjtNum* B = b->B + (size_t)k * (size_t)b->stride;
  for (int i = 0; i < b->ndof; i++) {
    vec[b->dof[i]] += B[i] * impulse;
  }
}

#endif  // CF_CONTACTSOLVER_BLOCKS_H
