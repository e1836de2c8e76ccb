// Questions about whole vectors, without early exit so that they are asked of several numbers at
// once.
#ifndef CF_MATH_SCAN_H
#define CF_MATH_SCAN_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <mujoco/mjtnum.h>

#include "math/simd/lane.h"

// some number is not zero; NaN is not
static inline bool cfi_anyNonzero(const mjtNum* vec, int n) {
  int any = 0, k = 0;
  for (; k + 4 <= n; k += 4) {
    any |= cfi_laneAny(cfi_laneLoad(vec + k));
  }
  for (; k < n; k++) {
    any |= vec[k] != 0;
  }
  return any != 0;
}


// all bits are zero; negative zero has a bit set
static inline bool cfi_allZeroBits(const mjtNum* vec, int n) {
  uint64_t set = 0;
  for (int k = 0; k < n; k++) {
    uint64_t bits;
    memcpy(&bits, vec + k, sizeof(bits));
    set |= bits;
  }
  return set == 0;
}

#endif  // CF_MATH_SCAN_H
