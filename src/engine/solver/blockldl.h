// L'DL factor of a sparse symmetric matrix in blocks of four by four.
//
// Rows of blocks are eliminated from the last to the first.  A block is sixteen numbers by rows, so
// that everything here is done in whole vectors; the structure is one of blocks, and small.
#ifndef CF_SOLVER_BLOCKLDL_H
#define CF_SOLVER_BLOCKLDL_H

#include <stdbool.h>

#include <mujoco/mjtnum.h>

#include "math/sparse.h"

enum { CF_BLOCK_SIDE = 4, CF_BLOCK_SIZE = CF_BLOCK_SIDE * CF_BLOCK_SIDE };

// the factor: blocks left of the diagonal, and diagonal blocks strictly below their diagonal, which
// is one; zeros elsewhere in them
typedef struct {
  const cfSparseChol* pattern;  // of blocks
  mjtNum* L;                    // CF_BLOCK_SIZE for each block of the pattern
  mjtNum *diag, *diag_inv;      // CF_BLOCK_SIDE for each row of blocks: D and its inverse
} cfBlockLDL;

// factor a matrix of the same pattern, of which the lower triangle is read; pivots below minimum
// are raised to it.  Returns the number of pivots that were not.  scratch: a block for each row
int cfi_factorBlocks(cfBlockLDL* f, const mjtNum* mat, mjtNum minimum, mjtNum* scratch);

// factor of mat + sign*v*v' from that of mat; v is used up: all its numbers become zero.  Returns
// false when a pivot loses too many digits: then the factor is spoiled
bool cfi_updateBlocks(cfBlockLDL* f, mjtNum* v, mjtNum sign);

// solve in place
void cfi_solveBlocks(mjtNum* x, const cfBlockLDL* f);

#endif  // CF_SOLVER_BLOCKLDL_H
