// Dense kernels over lanes of four.  Included twice, with vector lanes (lanes.c) and with scalar
// lanes (scalar.c); CF_KERNEL names the copy.
//
// Order of sums: element k of a dot product belongs to partial sum k%4, the partial sums are added
// as (0+2)+(1+3), then the last n%4 products are added up and the two are joined.  Every tile below
// keeps this order for every number it computes, so that tiles and single dot products agree.
#include <math.h>
#include <string.h>

#include <mujoco/mjmodel.h>

#include "base/assert.h"
#include "math/simd/kernels.h"
#include "math/simd/lane.h"

// sum of the last n%4 products; no loop, because compilers would vectorize it
static inline mjtNum tailDot(const mjtNum* a, const mjtNum* b, int count) {
  mjtNum sum = 0;
  if (count > 0) {
    sum = a[0] * b[0];
    sum = count > 1 ? sum + a[1] * b[1] : sum;
    sum = count > 2 ? sum + a[2] * b[2] : sum;
  }
  return sum;
}


mjtNum CF_KERNEL(dot)(const mjtNum* a, const mjtNum* b, int n) {
  cfLane sum = cfi_laneSpread(0);
  int k = 0;
  for (; k + 4 <= n; k += 4) {
    sum = cfi_laneAddMul(sum, cfi_laneLoad(a + k), cfi_laneLoad(b + k));
  }
  return cfi_laneSum(sum) + tailDot(a + k, b + k, n - k);
}


// dot products of four rows with one vector over the first n (a multiple of four) numbers
static inline cfLane dotFourRows(const mjtNum* const row[4], const mjtNum* vec, int n) {
  cfLane s0 = cfi_laneSpread(0), s1 = s0, s2 = s0, s3 = s0;
  for (int k = 0; k < n; k += 4) {
    const cfLane v = cfi_laneLoad(vec + k);
    s0 = cfi_laneAddMul(s0, cfi_laneLoad(row[0] + k), v);
    s1 = cfi_laneAddMul(s1, cfi_laneLoad(row[1] + k), v);
    s2 = cfi_laneAddMul(s2, cfi_laneLoad(row[2] + k), v);
    s3 = cfi_laneAddMul(s3, cfi_laneLoad(row[3] + k), v);
  }
  return cfi_laneSum4(s0, s1, s2, s3);
}


// the same for all fours of rows; n is a constant where this is inlined and the loop above is gone
static inline void dotFours(mjtNum* res, const mjtNum* mat, int stride, int nrow, const mjtNum* vec,
                            const int n) {
  for (int r = 0; r + 4 <= nrow; r += 4) {
    const mjtNum* first = mat + (size_t)r * stride;
    const mjtNum* row[4] = {first, first + stride, first + 2 * stride, first + 3 * stride};
    cfi_laneStore(res + r, dotFourRows(row, vec, n));
  }
}


// what the last n%4 numbers add to the products of nrow rows
static inline void addTails(mjtNum* res, const mjtNum* mat, int stride, int nrow, const mjtNum* vec,
                            int count) {
  if (count == 1) {
    for (int r = 0; r < nrow; r++, mat += stride) {
      res[r] += mat[0] * vec[0];
    }
  } else if (count == 2) {
    for (int r = 0; r < nrow; r++, mat += stride) {
      res[r] += mat[0] * vec[0] + mat[1] * vec[1];
    }
  } else if (count == 3) {
    for (int r = 0; r < nrow; r++, mat += stride) {
      res[r] += mat[0] * vec[0] + mat[1] * vec[1] + mat[2] * vec[2];
    }
  }
}


void CF_KERNEL(dotRows)(mjtNum* res, const mjtNum* mat, int stride, int nrow, const mjtNum* vec,
                        int n) {
  const int whole = n & ~3, fours = nrow & ~3;
  CF_ASSERT(n >= 0 && nrow >= 0);
  switch (fours ? whole : -1) {
    case -1:
      break;
    case 4:
      dotFours(res, mat, stride, nrow, vec, 4);
      break;
    case 8:
      dotFours(res, mat, stride, nrow, vec, 8);
      break;
    case 12:
      dotFours(res, mat, stride, nrow, vec, 12);
      break;
    case 16:
      dotFours(res, mat, stride, nrow, vec, 16);
      break;
    case 20:
      dotFours(res, mat, stride, nrow, vec, 20);
      break;
    case 24:
      dotFours(res, mat, stride, nrow, vec, 24);
      break;
    case 28:
      dotFours(res, mat, stride, nrow, vec, 28);
      break;
    default:
      dotFours(res, mat, stride, nrow, vec, whole);
  }
  addTails(res, mat + whole, stride, fours, vec + whole, n - whole);
  for (int r = fours; r < nrow; r++) {
    res[r] = CF_KERNEL(dot)(mat + (size_t)r * stride, vec, n);
  }
}


void CF_KERNEL(addToScl)(mjtNum* res, const mjtNum* vec, mjtNum scl, int n) {
  const cfLane s = cfi_laneSpread(scl);
  int k = 0;
  for (; k + 8 <= n; k += 8) {
    const cfLane low = cfi_laneAddMul(cfi_laneLoad(res + k), cfi_laneLoad(vec + k), s);
    const cfLane high = cfi_laneAddMul(cfi_laneLoad(res + k + 4), cfi_laneLoad(vec + k + 4), s);
    cfi_laneStore(res + k, low);
    cfi_laneStore(res + k + 4, high);
  }
  if (k + 4 <= n) {
    cfi_laneStore(res + k, cfi_laneAddMul(cfi_laneLoad(res + k), cfi_laneLoad(vec + k), s));
    k += 4;
  }
  // no loop, because compilers would vectorize it
  if (k < n) {
    res[k] += vec[k] * scl;
  }
  if (k + 1 < n) {
    res[k + 1] += vec[k + 1] * scl;
  }
  if (k + 2 < n) {
    res[k + 2] += vec[k + 2] * scl;
  }
}


// some columns of a weighted sum of rows: vectors at 0, 4, ..., the last of them at `last`, where
// it may overlap the one before
typedef struct {
  mjtNum* res;
  const mjtNum *weight, *mat;
  int step, stride, nrow, last;
} cfColumnTile;


// sums stay in registers: their count is a constant where this is inlined
static inline void combineTile(const cfColumnTile* t, const int count) {
  cfLane sum[8];
  const mjtNum *row = t->mat, *weight = t->weight;
  for (int k = 0; k < count; k++) {
    sum[k] = cfi_laneSpread(0);
  }
  for (int r = 0; r < t->nrow; r++, row += t->stride, weight += t->step) {
    if (*weight != 0) {
      const cfLane w = cfi_laneSpread(*weight);
      for (int k = 0; k < count - 1; k++) {
        sum[k] = cfi_laneAddMul(sum[k], cfi_laneLoad(row + 4 * k), w);
      }
      sum[count - 1] = cfi_laneAddMul(sum[count - 1], cfi_laneLoad(row + t->last), w);
    }
  }
  for (int k = 0; k < count - 1; k++) {
    cfi_laneStore(t->res + 4 * k, sum[k]);
  }
  cfi_laneStore(t->res + t->last, sum[count - 1]);
}


static void combineColumns(const cfColumnTile* t, int count) {
  CF_ASSERT(count >= 1 && count <= 8);
  switch (count) {
    case 1:
      combineTile(t, 1);
      break;
    case 2:
      combineTile(t, 2);
      break;
    case 3:
      combineTile(t, 3);
      break;
    case 4:
      combineTile(t, 4);
      break;
    case 5:
      combineTile(t, 5);
      break;
    case 6:
      combineTile(t, 6);
      break;
    case 7:
      combineTile(t, 7);
      break;
    default:
      combineTile(t, 8);
  }
}


// fewer columns than a vector has
static void combineFew(mjtNum* res, const mjtNum* weight, int step, const mjtNum* mat, int stride,
                       int nrow, int n) {
  mjtNum sum[3] = {0, 0, 0};
  CF_ASSERT(n >= 0 && n < 4);
  for (int r = 0; r < nrow; r++, weight += step, mat += stride) {
    for (int k = 0; *weight != 0 && k < n; k++) {
      sum[k] += mat[k] * *weight;
    }
  }
  for (int k = 0; k < n; k++) {
    res[k] = sum[k];
  }
}


// every number of the result is a sum over the rows in their order, rows of weight zero left out
void CF_KERNEL(combineRows)(mjtNum* res, const mjtNum* weight, int step, const mjtNum* mat,
                            int stride, int nrow, int n) {
  if (n < 4) {
    combineFew(res, weight, step, mat, stride, nrow, n);
    return;
  }
  for (int first = 0; first < n; first += 32) {
    const int from = first + 4 <= n ? first : n - 4, left = n - from, count = (left + 3) / 4;
    const cfColumnTile tile = {
        res + from, weight, mat + from, step, stride, nrow, left < 32 ? left - 4 : 28};
    combineColumns(&tile, count < 8 ? count : 8);
  }
}

// the larger ones have files of their own
#include "math/simd/cholesky_kernels.h"
#include "math/simd/update_kernels.h"
#include "math/simd/square_kernels.h"
