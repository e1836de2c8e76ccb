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


void CF_KERNEL(dotRows)(mjtNum* res, const mjtNum* mat, int stride, int nrow, const mjtNum* vec,
                        int n) {
  const int whole = n & ~3;
  int r = 0;
  for (; r + 4 <= nrow; r += 4) {
    const mjtNum* first = mat + (size_t)r * stride;
    const mjtNum* row[4] = {first, first + stride, first + 2 * stride, first + 3 * stride};
    mjtNum sum[4];
    cfi_laneStore(sum, dotFourRows(row, vec, whole));
    for (int k = 0; k < 4; k++) {
      res[r + k] = sum[k] + tailDot(row[k] + whole, vec + whole, n - whole);
    }
  }
  for (; r < nrow; r++) {
    res[r] = CF_KERNEL(dot)(mat + (size_t)r * stride, vec, n);
  }
}


// res += the weighted rows, in their order
static inline void addFourRows(mjtNum* res, const mjtNum* const row[4], const mjtNum weight[4],
                               int n) {
  const cfLane w0 = cfi_laneSpread(weight[0]), w1 = cfi_laneSpread(weight[1]);
  const cfLane w2 = cfi_laneSpread(weight[2]), w3 = cfi_laneSpread(weight[3]);
  int k = 0;
  for (; k + 4 <= n; k += 4) {
    cfLane sum = cfi_laneLoad(res + k);
    sum = cfi_laneAddMul(sum, cfi_laneLoad(row[0] + k), w0);
    sum = cfi_laneAddMul(sum, cfi_laneLoad(row[1] + k), w1);
    sum = cfi_laneAddMul(sum, cfi_laneLoad(row[2] + k), w2);
    sum = cfi_laneAddMul(sum, cfi_laneLoad(row[3] + k), w3);
    cfi_laneStore(res + k, sum);
  }
  for (; k < n; k++) {
    res[k] = (((res[k] + row[0][k] * weight[0]) + row[1][k] * weight[1]) + row[2][k] * weight[2]) +
             row[3][k] * weight[3];
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


void CF_KERNEL(combineRows)(mjtNum* res, const mjtNum* weight, int step, const mjtNum* mat,
                            int stride, int nrow, int n) {
  const mjtNum* row[4];
  mjtNum w[4];
  int waiting = 0;
  memset(res, 0, (size_t)n * sizeof(mjtNum));

  // rows of weight zero drop out, the others go four by four
  for (int r = 0; r < nrow; r++) {
    const mjtNum x = weight[(size_t)r * step];
    if (x != 0) {
      row[waiting] = mat + (size_t)r * stride;
      w[waiting++] = x;
      if (waiting == 4) {
        addFourRows(res, row, w, n);
        waiting = 0;
      }
    }
  }
  for (int k = 0; k < waiting; k++) {
    CF_KERNEL(addToScl)(res, row[k], w[k], n);
  }
}

// the larger ones have files of their own
#include "math/simd/cholesky_kernels.h"
#include "math/simd/update_kernels.h"
#include "math/simd/square_kernels.h"
