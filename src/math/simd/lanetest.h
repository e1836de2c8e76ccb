// Quotients, roots and comparisons of four numbers at a time.
#ifndef CF_MATH_SIMD_LANETEST_H
#define CF_MATH_SIMD_LANETEST_H

#include <math.h>
#include <stdbool.h>

#include "math/simd/lane.h"

#ifdef CF_SCALAR_LANES

static inline cfLane cfi_laneDiv(cfLane a, cfLane b) {
  CF_LANE_EACH(a.at[k] / b.at[k]);
}


static inline cfLane cfi_laneSqrt(cfLane a) {
  CF_LANE_EACH(sqrt(a.at[k]));
}


// bit k: number k of a is less than that of b, at least that, equal to it
static inline int cfi_laneLessMask(cfLane a, cfLane b) {
  return (a.at[0] < b.at[0]) | (a.at[1] < b.at[1]) << 1 | (a.at[2] < b.at[2]) << 2 |
         (a.at[3] < b.at[3]) << 3;
}


static inline int cfi_laneAtLeastMask(cfLane a, cfLane b) {
  return (a.at[0] >= b.at[0]) | (a.at[1] >= b.at[1]) << 1 | (a.at[2] >= b.at[2]) << 2 |
         (a.at[3] >= b.at[3]) << 3;
}


static inline int cfi_laneEqualMask(cfLane a, cfLane b) {
  return (a.at[0] == b.at[0]) | (a.at[1] == b.at[1]) << 1 | (a.at[2] == b.at[2]) << 2 |
         (a.at[3] == b.at[3]) << 3;
}

#else  // vector extension

static inline cfLane cfi_laneDiv(cfLane a, cfLane b) {
  return a / b;
}


static inline cfLane cfi_laneSqrt(cfLane a) {
#ifdef __AVX__
  return (cfLane)_mm256_sqrt_pd((__m256d)a);
#else
  return (cfLane){sqrt(a[0]), sqrt(a[1]), sqrt(a[2]), sqrt(a[3])};
#endif
}


static inline int cfi_laneLessMask(cfLane a, cfLane b) {
#ifdef __AVX__
  return _mm256_movemask_pd(_mm256_cmp_pd((__m256d)a, (__m256d)b, _CMP_LT_OQ));
#else
  return (a[0] < b[0]) | (a[1] < b[1]) << 1 | (a[2] < b[2]) << 2 | (a[3] < b[3]) << 3;
#endif
}


static inline int cfi_laneAtLeastMask(cfLane a, cfLane b) {
#ifdef __AVX__
  return _mm256_movemask_pd(_mm256_cmp_pd((__m256d)a, (__m256d)b, _CMP_GE_OQ));
#else
  return (a[0] >= b[0]) | (a[1] >= b[1]) << 1 | (a[2] >= b[2]) << 2 | (a[3] >= b[3]) << 3;
#endif
}


static inline int cfi_laneEqualMask(cfLane a, cfLane b) {
#ifdef __AVX__
  return _mm256_movemask_pd(_mm256_cmp_pd((__m256d)a, (__m256d)b, _CMP_EQ_OQ));
#else
  return (a[0] == b[0]) | (a[1] == b[1]) << 1 | (a[2] == b[2]) << 2 | (a[3] == b[3]) << 3;
#endif
}

#endif  // CF_SCALAR_LANES

// a number in memory everywhere, by one instruction where there is one
static inline cfLane cfi_laneSpreadFrom(const mjtNum* p) {
#if defined(__AVX__) && !defined(CF_SCALAR_LANES)
  return (cfLane)_mm256_broadcast_sd(p);
#else
  return cfi_laneSpread(*p);
#endif
}


// one of the numbers everywhere
static inline cfLane cfi_laneSpreadAt(cfLane a, int k) {
  return cfi_laneSpread(cfi_laneAt(a, k));
}


// ---------------------------------------- vectors, one per lane

typedef struct {
  cfLane x, y, z;
} cfLaneVec;

static inline cfLaneVec cfi_laneVecSub(cfLaneVec a, cfLaneVec b) {
  return (cfLaneVec){cfi_laneSub(a.x, b.x), cfi_laneSub(a.y, b.y), cfi_laneSub(a.z, b.z)};
}


static inline cfLaneVec cfi_laneVecScl(cfLaneVec a, cfLane s) {
  return (cfLaneVec){cfi_laneMul(a.x, s), cfi_laneMul(a.y, s), cfi_laneMul(a.z, s)};
}


static inline cfLane cfi_laneVecDot(cfLaneVec a, cfLaneVec b) {
  return cfi_laneAdd(cfi_laneAdd(cfi_laneMul(a.x, b.x), cfi_laneMul(a.y, b.y)),
                     cfi_laneMul(a.z, b.z));
}


static inline cfLaneVec cfi_laneVecCross(cfLaneVec a, cfLaneVec b) {
  return (cfLaneVec){cfi_laneSub(cfi_laneMul(a.y, b.z), cfi_laneMul(a.z, b.y)),
                     cfi_laneSub(cfi_laneMul(a.z, b.x), cfi_laneMul(a.x, b.z)),
                     cfi_laneSub(cfi_laneMul(a.x, b.y), cfi_laneMul(a.y, b.x))};
}


// the vectors at four places, each of which has a fourth number behind it
static inline cfLaneVec cfi_laneVecLoad(const mjtNum* p0, const mjtNum* p1, const mjtNum* p2,
                                        const mjtNum* p3) {
  cfLane row[4] = {cfi_laneLoad(p0), cfi_laneLoad(p1), cfi_laneLoad(p2), cfi_laneLoad(p3)};
  cfi_laneTranspose(row);
  return (cfLaneVec){row[0], row[1], row[2]};
}

// four vectors of floats, one behind the other
static inline cfLaneVec cfi_laneVecFloats(const float v[12]) {
#if defined(__AVX__) && !defined(CF_SCALAR_LANES)
  // x0 y0 z0 x1, y1 z1 x2 y2, z2 x3 y3 z3
  const __m128 a = _mm_loadu_ps(v), b = _mm_loadu_ps(v + 4), c = _mm_loadu_ps(v + 8);
  const __m128 xy23 = _mm_shuffle_ps(b, c, _MM_SHUFFLE(2, 1, 3, 2));
  const __m128 yz01 = _mm_shuffle_ps(a, b, _MM_SHUFFLE(1, 0, 2, 1));
  return (cfLaneVec){(cfLane)_mm256_cvtps_pd(_mm_shuffle_ps(a, xy23, _MM_SHUFFLE(2, 0, 3, 0))),
                     (cfLane)_mm256_cvtps_pd(_mm_shuffle_ps(yz01, xy23, _MM_SHUFFLE(3, 1, 2, 0))),
                     (cfLane)_mm256_cvtps_pd(_mm_shuffle_ps(yz01, c, _MM_SHUFFLE(3, 0, 3, 1)))};
#else
  return (cfLaneVec){cfi_laneSet(v[0], v[3], v[6], v[9]), cfi_laneSet(v[1], v[4], v[7], v[10]),
                     cfi_laneSet(v[2], v[5], v[8], v[11])};
#endif
}


static inline cfLaneVec cfi_laneVecSpread(mjtNum x, mjtNum y, mjtNum z) {
  return (cfLaneVec){cfi_laneSpread(x), cfi_laneSpread(y), cfi_laneSpread(z)};
}


// the largest of four numbers
static inline mjtNum cfi_laneLargest(cfLane a) {
  const cfLane two = cfi_laneMax(a, cfi_laneSwapPairs(a));
  return cfi_laneAt(cfi_laneMax(two, cfi_laneSwapInPairs(two)), 0);
}

#endif  // CF_MATH_SIMD_LANETEST_H
