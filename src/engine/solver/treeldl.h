// L'DL factor of a dense symmetric matrix that is mostly zero in the way of kinematic trees.
//
// Eliminating the last dof first, as for the inertia matrix, a tree gives no fill: branches do not
// couple.  The matrix is stored dense, so contacts may couple anything, but zeros are skipped.
#ifndef CF_SOLVER_TREELDL_H
#define CF_SOLVER_TREELDL_H

#include <stdbool.h>

#include <mujoco/mjtnum.h>

#include "math/sparse.h"

// distance between rows, so that each begins on a whole vector
static inline int cfi_treeStride(int n) {
  return (n + 3) & ~3;
}

// factor the lower triangle in place; numbers above the diagonal may be used as scratch, but must
// be finite.  Pivots below minimum are raised to it.  Returns the number of pivots that were not.
int cfi_factorTreeLDL(mjtNum* mat, mjtNum* diag_inv, int n, int stride, mjtNum minimum);

// factor of mat + sign*v*v' from that of mat; v has stride numbers and is used up.  Returns false
// when a pivot loses too many digits: then the factor is spoiled
bool cfi_updateTreeLDL(mjtNum* L, mjtNum* diag_inv, mjtNum* v, mjtNum sign, int n, int stride);

// two such changes one after the other, with the same bits
bool cfi_updateTwiceTreeLDL(mjtNum* L, mjtNum* diag_inv, mjtNum* v[2], const mjtNum sign[2], int n,
                            int stride);

// solve in place; x has stride numbers, those behind n are zero
void cfi_solveTreeLDL(mjtNum* x, const mjtNum* L, const mjtNum* diag_inv, int n, int stride);

// res = mat*x for a symmetric matrix given by its diagonal and the rows left of it, which end in
// zeros up to a whole vector; res and x have stride numbers
void cfi_mulTree(mjtNum* res, const mjtNum* rows, const mjtNum* diagonal, const mjtNum* x, int n,
                 int stride);

// rows of a sparse lower triangle as cfi_mulTree and cfi_solveTreeLDL want them, padded with zeros,
// and its diagonal unless NULL
void cfi_expandTree(mjtNum* rows, mjtNum* diagonal, const mjtNum* mat, const cfPattern* p,
                    int stride);

#endif  // CF_SOLVER_TREELDL_H
