// Sparse LU factorization in reverse order for matrices with the symmetric pattern of a kinematic
// tree: mat = (U+I)*L, no fill-in.  Dynamics derivatives of the implicit integrators have it.
#include <math.h>

#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "math/sparse.h"

// row j -= factor * row i over the columns before column i; row j has every column that row i has.
// returns 0 where it lacks one
static int eliminateRow(mjtNum* row_j, const int* col_j, int count_j, const mjtNum* row_i,
                        const int* col_i, int count_i, mjtNum factor) {
  CF_ASSERT(count_i >= 0 && count_j >= 0);
  int j = 0;
  for (int i = 0; i < count_i; i++, j++) {
    while (j < count_j && col_j[j] < col_i[i]) {
      j++;
    }
    if (j == count_j || col_j[j] != col_i[i]) {
      return 0;
    }
    row_j[j] -= row_i[i] * factor;
  }
  return 1;
}


void cfi_factorLUSparse(mjtNum* LU, cfPattern p, const int* index, int count, int* scratch) {
  CF_ASSERT(count >= 0 && count <= p.nr);
  // entries of each row not yet eliminated
  int* left = scratch;
  for (int k = 0; k < count; k++) {
    const int r = index ? index[k] : k;
    left[r] = p.rownnz[r];
  }

  for (int k = count - 1; k >= 0; k--) {
    const int i = index ? index[k] : k, adr = p.rowadr[i], before = --left[i];
    if (before < 0 || p.colind[adr + before] != i) {
      mju_error("mju_factorLUSparse: row %d has no diagonal element where it is expected", i);
      return;
    }
    const mjtNum pivot = LU[adr + before];
    if (fabs(pivot) < mjMINVAL) {
      mju_error("mju_factorLUSparse: diagonal element too small in row %d", i);
      return;
    }

    // the pattern is symmetric: row j has column i where row i has column j
    for (int c = before - 1; c >= 0; c--) {
      const int j = p.colind[adr + c], last = left[j] - 1, *col_j = p.colind + p.rowadr[j];
      mjtNum* row_j = LU + p.rowadr[j];
      if (last < 0 || col_j[last] != i) {
        mju_error("mju_factorLUSparse: pattern of rows %d and %d is not symmetric", j, i);
        return;
      }
      left[j] = last;
      row_j[last] /= pivot;
      if (!eliminateRow(row_j, col_j, last, LU + adr, p.colind + adr, before, row_j[last])) {
        mju_error("mju_factorLUSparse: row %d requires fill-in", j);
        return;
      }
    }
  }
}


void cfi_solveLUSparse(mjtNum* res, const mjtNum* LU, const mjtNum* vec, cfPattern p,
                       const int* diag, const int* index, int count) {
  CF_ASSERT(res && LU && vec && count >= 0);
  // (U+I)*res = vec
  for (int k = count - 1; k >= 0; k--) {
    const int r = index ? index[k] : k, behind = p.rowadr[r] + diag[r] + 1;
    const int nnz = p.rownnz[r] - diag[r] - 1;
    res[r] = vec[r] - cfi_dotSparse(LU + behind, res, nnz, p.colind + behind);
  }

  // L*res = res
  for (int k = 0; k < count; k++) {
    const int r = index ? index[k] : k, adr = p.rowadr[r], at = diag[r];
    res[r] -= cfi_dotSparse(LU + adr, res, at, p.colind + adr);
    res[r] /= LU[adr + at];
  }
}
