// L'DL factorization of matrices with the tree sparsity of the inertia matrix.
//
// The matrix is stored as its lower triangle in compressed rows: row i holds the ancestors of dof i
// in increasing order and ends with the diagonal.  The ancestors of an ancestor are a prefix of the
// row, so eliminating row k touches contiguous memory only and creates no fill.
#ifndef CF_DYNAMICS_FACTOR_H
#define CF_DYNAMICS_FACTOR_H

#include <stddef.h>

#include <mujoco/mjtnum.h>

#include "model/indexset.h"

// factor in place: L (unit diagonal implied) below the diagonal, D on it, 1/D in diaginv;
// only the given rows are read and written
void cfi_factorLD(mjtNum* mat, mjtNum* diaginv, int nv, const int* rownnz, const int* rowadr,
                  const int* colind, cfIndexSet rows);

// x <- inv(L'DL)*x for nvec vectors that lie nv numbers apart
void cfi_solveLD(mjtNum* x, const mjtNum* LD, const mjtNum* diaginv, int nv, int nvec,
                 const int* rownnz, const int* rowadr, const int* colind, cfIndexSet rows);

// the first half of it: x <- inv(L')*x, every dof passing its share on to its ancestors
void cfi_solveUpLD(mjtNum* x, const mjtNum* LD, const int* rownnz, const int* rowadr,
                   const int* colind, cfIndexSet rows);

#endif  // CF_DYNAMICS_FACTOR_H
