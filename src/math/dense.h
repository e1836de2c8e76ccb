// Vectors and dense matrices of any size, for use inside the engine.
#ifndef CF_MATH_DENSE_H
#define CF_MATH_DENSE_H

#include <string.h>

#include <mujoco/mjtnum.h>

#include "math/simd/kernels.h"
#include "math/simd/lane.h"

static inline void cfi_zero(mjtNum* res, int n) {
  memset(res, 0, (size_t)n * sizeof(mjtNum));
}


static inline void cfi_copy(mjtNum* res, const mjtNum* vec, int n) {
  memcpy(res, vec, (size_t)n * sizeof(mjtNum));
}


// the same where there are often only a few: no call for up to eight
static inline void cfi_copyFew(mjtNum* res, const mjtNum* vec, int n) {
  if (n > 8) {
    cfi_copy(res, vec, n);
    return;
  }
  int k = 0;
  for (; k + 4 <= n; k += 4) {
    cfi_laneStore(res + k, cfi_laneLoad(vec + k));
  }
  if (n & 2) {
    cfi_halfStore(res + k, cfi_halfLoad(vec + k));
  }
  if (n & 1) {
    res[n - 1] = vec[n - 1];
  }
}


// whole vectors, mostly few of them: no call either; n is a multiple of four
static inline void cfi_zeroWhole(mjtNum* res, int n) {
  for (int k = 0; k < n; k += 4) {
    cfi_laneStore(res + k, cfi_laneSpread(0));
  }
}


static inline void cfi_copyWhole(mjtNum* res, const mjtNum* vec, int n) {
  for (int k = 0; k < n; k += 4) {
    cfi_laneStore(res + k, cfi_laneLoad(vec + k));
  }
}


static inline void cfi_fill(mjtNum* res, mjtNum x, int n) {
  for (int i = 0; i < n; i++) {
    res[i] = x;
  }
}


static inline void cfi_zeroInt(int* res, int n) {
  memset(res, 0, (size_t)n * sizeof(int));
}


static inline void cfi_copyInt(int* res, const int* vec, int n) {
  memcpy(res, vec, (size_t)n * sizeof(int));
}


static inline void cfi_fillInt(int* res, int x, int n) {
  for (int i = 0; i < n; i++) {
    res[i] = x;
  }
}


// res[i] = vec[ind[i]]
static inline void cfi_gather(mjtNum* res, const mjtNum* vec, const int* ind, int n) {
  for (int i = 0; i < n; i++) {
    res[i] = vec[ind[i]];
  }
}


// res[ind[i]] = vec[i]
static inline void cfi_scatter(mjtNum* res, const mjtNum* vec, const int* ind, int n) {
  for (int i = 0; i < n; i++) {
    res[ind[i]] = vec[i];
  }
}


// the lower triangle mirrored into the upper one
void cfi_mirrorLower(mjtNum* mat, int n);

// sum of vec[i]*mat[i][j]*vec[j] of a symmetric matrix whose lower triangle is given
mjtNum cfi_mulVecSymVec(const mjtNum* vec, const mjtNum* mat, int n);

#endif  // CF_MATH_DENSE_H
