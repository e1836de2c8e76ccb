// L'DL factorization of matrices with the tree sparsity of the inertia matrix.
//
// The matrix is stored as its lower triangle in compressed rows: row i holds the ancestors of dof i
// in increasing order and ends with the diagonal.  The ancestors of an ancestor are a prefix of the
// row, so eliminating row k touches contiguous memory only and creates no fill.
#ifndef CF_DYNAMICS_FACTOR_H
#define CF_DYNAMICS_FACTOR_H

#include <stdbool.h>
#include <stddef.h>

#include <mujoco/mjtnum.h>

#include "base/assert.h"
#include "model/indexset.h"

// the general case of what follows
void cfi_factorTree(mjtNum* mat, mjtNum* diaginv, const int* rownnz, const int* rowadr,
                    const int* colind, cfIndexSet rows);

// a matrix that is factored in place, and its inverse diagonal
typedef struct {
  mjtNum *mat, *diaginv;
} cfFactor;

// two matrices with the same pattern at once: neither waits for the chains of the other
void cfi_factorTwoTrees(const cfFactor f[2], const int* rownnz, const int* rowadr,
                        const int* colind, cfIndexSet rows);

void cfi_solveTree(mjtNum* x, const mjtNum* LD, const mjtNum* diaginv, const int* rownnz,
                   const int* rowadr, const int* colind, cfIndexSet rows);

// all rows, and none of them with an ancestor: worth doing without a call
static inline bool cfi_isDiagonal(const int* rownnz, const int* rowadr, int nv, cfIndexSet rows) {
  return !rows.index && (nv == 0 || (rowadr[nv - 1] == nv - 1 && rownnz[nv - 1] == 1));
}


// factor in place: L (unit diagonal implied) below the diagonal, D on it, 1/D in diaginv;
// only the given rows are read and written
static inline void cfi_factorLD(mjtNum* mat, mjtNum* diaginv, int nv, const int* rownnz,
                                const int* rowadr, const int* colind, cfIndexSet rows) {
  CF_ASSERT(rows.count <= nv);
  if (cfi_isDiagonal(rownnz, rowadr, nv, rows)) {
    for (int k = 0; k < nv; k++) {
      diaginv[k] = 1 / mat[k];
    }
  } else {
    cfi_factorTree(mat, diaginv, rownnz, rowadr, colind, rows);
  }
}


// x <- inv(L'DL)*x for nvec vectors that lie nv numbers apart
static inline __attribute__((always_inline)) void cfi_solveLD(mjtNum* x, const mjtNum* LD,
                                                              const mjtNum* diaginv, int nv,
                                                              int nvec, const int* rownnz,
                                                              const int* rowadr, const int* colind,
                                                              cfIndexSet rows) {
  CF_ASSERT(nvec > 0 && rows.count <= nv);
  if (nvec == 1 && cfi_isDiagonal(rownnz, rowadr, nv, rows)) {
    mjtNum* restrict solution = x;
    for (int k = 0; k < nv; k++) {
      solution[k] *= diaginv[k];
    }
    return;
  }
  for (int v = 0; v < nvec; v++) {
    cfi_solveTree(x + (size_t)v * (size_t)nv, LD, diaginv, rownnz, rowadr, colind, rows);
  }
}


// the first half of that: x <- inv(L')*x, every dof passing its share on to its ancestors
void cfi_solveUpLD(mjtNum* x, const mjtNum* LD, const int* rownnz, const int* rowadr,
                   const int* colind, cfIndexSet rows);

#endif  // CF_DYNAMICS_FACTOR_H
