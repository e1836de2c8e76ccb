// Dense L'DL with skipped zeros.
#include "solver/treeldl.h"

#include <stddef.h>

#include "base/assert.h"
#include "math/dense.h"
#include "math/simd/lane.h"

// h -= wa*a + wb*b over whole vectors of four
static inline void subtractTwo(mjtNum* h, const mjtNum* a, mjtNum wa, const mjtNum* b, mjtNum wb,
                               int n) {
  const cfLane la = cfi_laneSpread(wa), lb = cfi_laneSpread(wb);
  for (int k = 0; k < n; k += 4) {
    cfLane sum = cfi_laneSubMul(cfi_laneLoad(h + k), la, cfi_laneLoad(a + k));
    cfi_laneStore(h + k, cfi_laneSubMul(sum, lb, cfi_laneLoad(b + k)));
  }
}


// h -= w*a over whole vectors of four
static inline void subtractOne(mjtNum* h, const mjtNum* a, mjtNum w, int n) {
  const cfLane lane = cfi_laneSpread(w);
  for (int k = 0; k < n; k += 4) {
    cfi_laneStore(h + k, cfi_laneSubMul(cfi_laneLoad(h + k), lane, cfi_laneLoad(a + k)));
  }
}


// inverse of a pivot, raised to minimum
static mjtNum invertPivot(mjtNum pivot, mjtNum minimum, int* rank) {
  *rank -= pivot < minimum;
  return 1 / (pivot < minimum ? minimum : pivot);
}


// numbers of a row up to and including its diagonal, whole vectors
static inline int wholeRow(int row) {
  return (row + 4) & ~3;
}


// scale the numbers left of the diagonal, whole vectors
static inline void scaleRow(mjtNum* row, mjtNum scale, int n) {
  const cfLane lane = cfi_laneSpread(scale);
  for (int k = 0; k < n; k += 4) {
    cfi_laneStore(row + k, cfi_laneMul(cfi_laneLoad(row + k), lane));
  }
}


int cfi_factorTreeLDL(mjtNum* mat, mjtNum* diag_inv, int n, int stride, mjtNum minimum) {
  CF_ASSERT(stride % 4 == 0 && stride >= n);
  int rank = n, k = n - 1;

  // two pivots at a time share the traffic of the rows that they change
  for (; k >= 1; k -= 2) {
    mjtNum *a = mat + (size_t)k * stride, *b = a - stride;
    mjtNum a_inv = diag_inv[k] = invertPivot(a[k], minimum, &rank);
    if (a[k - 1] != 0) {
      subtractOne(b, a, a[k - 1] * a_inv, wholeRow(k - 1));
    }
    mjtNum b_inv = diag_inv[k - 1] = invertPivot(b[k - 1], minimum, &rank);
    for (int j = 0; j < k - 1; j++) {
      if (a[j] != 0 || b[j] != 0) {
        subtractTwo(mat + (size_t)j * stride, a, a[j] * a_inv, b, b[j] * b_inv, wholeRow(j));
      }
    }
    scaleRow(a, a_inv, k);
    scaleRow(b, b_inv, k - 1);
  }
  if (k == 0) {
    diag_inv[0] = invertPivot(mat[0], minimum, &rank);
  }
  return rank;
}


void cfi_solveTreeLDL(mjtNum* x, const mjtNum* L, const mjtNum* diag_inv, int n, int stride) {
  // L' from the last row up, D, L from the first row down
  for (int k = n - 1; k > 0; k--) {
    if (x[k] != 0) {
      cfi_addToScl(x, L + (size_t)k * stride, -x[k], k);
    }
  }
  for (int k = 0; k < n; k++) {
    x[k] = x[k] * diag_inv[k] - cfi_dot(L + (size_t)k * stride, x, k);
  }
}
