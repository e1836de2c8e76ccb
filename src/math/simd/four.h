// Four rows of a sparse matrix with the same columns, times a vector.
#ifndef CF_MATH_SIMD_FOUR_H
#define CF_MATH_SIMD_FOUR_H

#include "math/simd/lane.h"

// numbers of a vector at four columns, which often follow one another
static inline cfLane cfi_laneGather(const mjtNum* vec, const int* col) {
  return col[3] - col[0] == 3 ? cfi_laneLoad(vec + col[0])
                              : cfi_laneSet(vec[col[0]], vec[col[1]], vec[col[2]], vec[col[3]]);
}

// products of four rows of nnz numbers, one behind the other, in the order of cfi_dotRows
static inline cfLane cfi_dotFourAt(const mjtNum* val, const int* col, int nnz, const mjtNum* vec) {
  const mjtNum *r0 = val, *r1 = r0 + nnz, *r2 = r1 + nnz, *r3 = r2 + nnz;
  cfLane s0 = cfi_laneSpread(0), s1 = s0, s2 = s0, s3 = s0, tail = s0;
  int k = 0;
  for (; k + 4 <= nnz; k += 4) {
    const cfLane v = cfi_laneGather(vec, col + k);
    s0 = cfi_laneAddMul(s0, cfi_laneLoad(r0 + k), v);
    s1 = cfi_laneAddMul(s1, cfi_laneLoad(r1 + k), v);
    s2 = cfi_laneAddMul(s2, cfi_laneLoad(r2 + k), v);
    s3 = cfi_laneAddMul(s3, cfi_laneLoad(r3 + k), v);
  }
  for (; k < nnz; k++) {
    const cfLane v = cfi_laneSpread(vec[col[k]]);
    tail = cfi_laneAddMul(tail, cfi_laneSet(r0[k], r1[k], r2[k], r3[k]), v);
  }
  return cfi_laneAdd(cfi_laneSum4(s0, s1, s2, s3), tail);
}

#endif  // CF_MATH_SIMD_FOUR_H
