// L'DL factor of a dense symmetric matrix that is mostly zero in the way of kinematic trees.
//
// Eliminating the last dof first, as for the inertia matrix, a tree gives no fill: branches do not
// couple.  The matrix is stored dense, so contacts may couple anything, but zeros are skipped.
#ifndef CF_SOLVER_TREELDL_H
#define CF_SOLVER_TREELDL_H

#include <mujoco/mjtnum.h>

// distance between rows, so that each begins on a whole vector
static inline int cfi_treeStride(int n) {
  return (n + 3) & ~3;
}

// factor the lower triangle in place; numbers above the diagonal may be used as scratch, but must be
// finite.  Pivots below minimum are raised to it.  Returns the number of pivots that were not.
int cfi_factorTreeLDL(mjtNum* mat, mjtNum* diag_inv, int n, int stride, mjtNum minimum);

// solve in place
void cfi_solveTreeLDL(mjtNum* x, const mjtNum* L, const mjtNum* diag_inv, int n, int stride);

#endif  // CF_SOLVER_TREELDL_H
