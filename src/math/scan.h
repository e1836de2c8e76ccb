// Questions about whole vectors, without early exit so that they are asked of several numbers at
// once.
#ifndef CF_MATH_SCAN_H
#define CF_MATH_SCAN_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <mujoco/mjtnum.h>

#include "math/simd/lane.h"

// bits of some numbers, collected
static inline uint64_t cfi_collectBits(const mjtNum* vec, int n) {
  uint64_t set = 0;
  for (int k = 0; k < n; k++) {
    uint64_t bits;
    memcpy(&bits, vec + k, sizeof(bits));
    set |= bits;
  }
  return set;
}


// some number is not zero; NaN is not.  Zero has no bit but the sign.
static inline bool cfi_anyNonzero(const mjtNum* vec, int n) {
  uint64_t set = 0;
  int k = 0;
#ifndef CF_SCALAR_LANES
  typedef uint64_t fourBits __attribute__((vector_size(32), aligned(8), may_alias));
  if (n >= 8) {
    fourBits four = {0, 0, 0, 0};
    for (; k + 4 <= n; k += 4) {
      four |= *(const fourBits*)(vec + k);
    }
    set = (four[0] | four[1]) | (four[2] | four[3]);
  }
#endif
  return (set | cfi_collectBits(vec + k, n - k)) << 1 != 0;
}


// all bits are zero; negative zero has a bit set
static inline bool cfi_allZeroBits(const mjtNum* vec, int n) {
  return cfi_collectBits(vec, n) == 0;
}

#endif  // CF_MATH_SCAN_H
