// One number of CF_LANES worlds, and small vectors of them.  Included once per width.
//
// The operations on each lane are those of math/vec3.h, quat.h and spatial.h in the same order;
// where these branch on data, a select picks the same value.
#include <math.h>
#include <stdint.h>
#include <string.h>

#include <mujoco/mujoco.h>

#if CF_LANES > 1
#include <immintrin.h>
#endif

// arrays of numbers are read as vectors: these alias their own numbers, and nothing else
typedef mjtNum cfVec __attribute__((vector_size(8 * CF_LANES)));
typedef int64_t cfMask __attribute__((vector_size(8 * CF_LANES), may_alias));

#define CF_LANE_INLINE static inline __attribute__((always_inline))


CF_LANE_INLINE cfVec laneOf(mjtNum x) {
  return x - (cfVec){0};
}


CF_LANE_INLINE cfVec laneSelect(cfMask mask, cfVec a, cfVec b) {
  return (cfVec)(((cfMask)a & mask) | ((cfMask)b & ~mask));
}


CF_LANE_INLINE cfVec laneSqrt(cfVec a) {
#if CF_LANES == 8
  return (cfVec)_mm512_sqrt_pd((__m512d)a);
#elif CF_LANES == 4
  return (cfVec)_mm256_sqrt_pd((__m256d)a);
#else
  a[0] = sqrt(a[0]);
  return a;
#endif
}


CF_LANE_INLINE cfVec laneAbs(cfVec a) {
  return (cfVec)((cfMask)a & ((cfMask){0} + INT64_MAX));
}


CF_LANE_INLINE cfVec laneClip(cfVec x, cfVec low, cfVec high) {
  const cfVec raised = laneSelect(x < low, low, x);
  return laneSelect(raised > high, high, raised);
}


// bit w: lane w is set
CF_LANE_INLINE unsigned laneBits(cfMask mask) {
#if CF_LANES == 8
  return _mm512_test_epi64_mask((__m512i)mask, (__m512i)mask);
#elif CF_LANES == 4
  return (unsigned)_mm256_movemask_pd((__m256d)mask);
#else
  return mask[0] != 0;
#endif
}


// lanes whose bit is set
CF_LANE_INLINE cfMask laneOfBits(unsigned bits) {
#if CF_LANES == 1
  const cfMask bit = {1};
#else
  cfMask bit;
  for (int w = 0; w < CF_LANES; w++) {
    bit[w] = 1 << w;
  }
#endif
  return (((cfMask){0} + (int64_t)bits) & bit) != 0;
}


CF_LANE_INLINE bool laneAny(cfMask mask) {
  return laneBits(mask) != 0;
}


CF_LANE_INLINE bool laneNone(cfMask mask) {
  return !laneAny(mask);
}


CF_LANE_INLINE cfVec laneMax(cfVec a, cfVec b) {
  return laneSelect(a >= b, a, b);
}


// ---------------------------------------- arrays of n numbers

// numbers of the model, the same in all worlds
CF_LANE_INLINE void laneSpread(cfVec* res, const mjtNum* a, int n) {
  for (int k = 0; k < n; k++) {
    res[k] = laneOf(a[k]);
  }
}


CF_LANE_INLINE void laneZero(cfVec* res, int n) {
  for (int k = 0; k < n; k++) {
    res[k] = (cfVec){0};
  }
}


CF_LANE_INLINE void laneScale(cfVec* res, const cfVec* a, cfVec s, int n) {
  for (int k = 0; k < n; k++) {
    res[k] = a[k] * s;
  }
}


CF_LANE_INLINE void laneAdd(cfVec* res, const cfVec* a, const cfVec* b, int n) {
  for (int k = 0; k < n; k++) {
    res[k] = a[k] + b[k];
  }
}


CF_LANE_INLINE void laneSub(cfVec* res, const cfVec* a, const cfVec* b, int n) {
  for (int k = 0; k < n; k++) {
    res[k] = a[k] - b[k];
  }
}


// res += s*a
CF_LANE_INLINE void laneAddScaled(cfVec* res, const cfVec* a, cfVec s, int n) {
  for (int k = 0; k < n; k++) {
    res[k] = res[k] + a[k] * s;
  }
}


// sum of n > 0 motion axes weighted by vec
CF_LANE_INLINE void laneMulDofs(cfVec res[6], const cfVec* dof, const cfVec* vec, int n) {
  laneScale(res, dof, vec[0], 6);
  for (int i = 1; i < n; i++) {
    laneAddScaled(res, dof + 6 * i, vec[i], 6);
  }
}
