// How many numbers a sparse Hessian and its factor would have, for problems that are solved dense.
#include "solver/fillcount.h"

#include <stdint.h>

#include "base/assert.h"

// columns of a row up to the diagonal, one bit each
typedef struct {
  uint64_t row[CF_FILL_MAX];
} cfBitRows;


static uint64_t columnBits(const int* col, int n) {
  CF_ASSERT(n >= 0 && cfi_isAscending(col, n));
  uint64_t bits = 0;
  for (int k = 0; k < n; k++) {
    bits |= (uint64_t)1 << col[k];
  }
  return bits;
}


// lower triangle of J'J: each row of J couples all its columns; rows alike are taken once
static void coupleColumns(cfBitRows* lower, const cfJacobian* J) {
  for (int r = 0; r < J->nrow; r += J->rowsuper[r] + 1) {
    const int *col = J->colind + J->rowadr[r], n = J->rownnz[r];
    const uint64_t bits = columnBits(col, n);
    for (int k = 0; k < n; k++) {
      lower->row[col[k]] |= bits & (((uint64_t)2 << col[k]) - 1);
    }
  }
}


static int countBits(const cfBitRows* lower, int n) {
  int count = 0;
  for (int i = 0; i < n; i++) {
    count += __builtin_popcountll(lower->row[i]);
  }
  return count;
}


// eliminate from the last row to the first: what is left of a row goes to the row of its last
// column
static int countFactor(cfBitRows* lower, int n) {
  CF_ASSERT(n > 0);
  int count = n;
  for (int i = n - 1; i >= 0; i--) {
    const uint64_t rest = lower->row[i] & (((uint64_t)1 << i) - 1);
    if (rest) {
      count += __builtin_popcountll(rest);
      lower->row[63 - __builtin_clzll(rest)] |= rest;
    }
  }
  return count;
}


cfFillCount cfi_countFill(const cfJacobian* J, const cfPattern* M) {
  const int n = J->ncol;
  CF_ASSERT(n > 0 && n <= CF_FILL_MAX && J->rowsuper);
  cfBitRows lower = {{0}};
  cfFillCount fill;
  coupleColumns(&lower, J);
  fill.hessian = countBits(&lower, n) + M->rowadr[n - 1] + M->rownnz[n - 1];
  for (int i = 0; i < n; i++) {
    lower.row[i] |= columnBits(M->colind + M->rowadr[i], M->rownnz[i]);
  }
  fill.factor = countFactor(&lower, n);
  return fill;
}


cfFillCount cfi_countFillSparse(const cfJacobian* J, const cfPattern* M, mjData* d) {
  const cfPattern rows = {J->nrow, J->ncol, J->rownnz, J->rowadr, J->colind, J->rowsuper};
  const int n = J->ncol;
  CF_ASSERT(n > 0 && M->nr == n);
  cfFillCount fill;
  cfi_cholSparseCount(&fill.hessian, &fill.factor, rows, *M, d);
  fill.hessian += M->rowadr[n - 1] + M->rownnz[n - 1];
  return fill;
}
