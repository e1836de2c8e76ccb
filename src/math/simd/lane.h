// Four numbers at a time.  The compiler's vector extension where there is one, plain arrays where
// CF_SCALAR_LANES is set: both do the same operations in the same order, so the bits agree.
#ifndef CF_MATH_SIMD_LANE_H
#define CF_MATH_SIMD_LANE_H

#include <mujoco/mjtnum.h>

#if !defined(CF_SCALAR_LANES) && !defined(__GNUC__)
#define CF_SCALAR_LANES
#endif

#ifdef CF_SCALAR_LANES

typedef struct {
  mjtNum at[4];
} cfLane;

#define CF_LANE_EACH(expression) \
  cfLane r;                      \
  for (int k = 0; k < 4; k++) {  \
    r.at[k] = (expression);      \
  }                              \
  return r

static inline cfLane cfi_laneLoad(const mjtNum* p) {
  CF_LANE_EACH(p[k]);
}


static inline cfLane cfi_laneSpread(mjtNum x) {
  CF_LANE_EACH(x);
}


static inline cfLane cfi_laneSet(mjtNum x0, mjtNum x1, mjtNum x2, mjtNum x3) {
  return (cfLane){{x0, x1, x2, x3}};
}


static inline mjtNum cfi_laneAt(cfLane a, int k) {
  return a.at[k];
}


static inline cfLane cfi_laneAdd(cfLane a, cfLane b) {
  CF_LANE_EACH(a.at[k] + b.at[k]);
}


static inline cfLane cfi_laneSub(cfLane a, cfLane b) {
  CF_LANE_EACH(a.at[k] - b.at[k]);
}


static inline cfLane cfi_laneMul(cfLane a, cfLane b) {
  CF_LANE_EACH(a.at[k] * b.at[k]);
}


// two numbers
typedef struct {
  mjtNum at[2];
} cfHalfLane;

static inline cfHalfLane cfi_halfSet(mjtNum x0, mjtNum x1) {
  return (cfHalfLane){{x0, x1}};
}


static inline cfHalfLane cfi_halfLoad(const mjtNum* p) {
  return cfi_halfSet(p[0], p[1]);
}


static inline void cfi_halfStore(mjtNum* p, cfHalfLane a) {
  p[0] = a.at[0], p[1] = a.at[1];
}


static inline mjtNum cfi_halfAt(cfHalfLane a, int k) {
  return a.at[k];
}


static inline cfHalfLane cfi_halfMul(cfHalfLane a, cfHalfLane b) {
  return cfi_halfSet(a.at[0] * b.at[0], a.at[1] * b.at[1]);
}


static inline cfHalfLane cfi_halfAdd(cfHalfLane a, cfHalfLane b) {
  return cfi_halfSet(a.at[0] + b.at[0], a.at[1] + b.at[1]);
}


static inline cfHalfLane cfi_halfSub(cfHalfLane a, cfHalfLane b) {
  return cfi_halfSet(a.at[0] - b.at[0], a.at[1] - b.at[1]);
}


// scaled by one number
static inline cfHalfLane cfi_halfScl(cfHalfLane a, mjtNum s) {
  return cfi_halfSet(s * a.at[0], s * a.at[1]);
}


static inline void cfi_laneStore(mjtNum* p, cfLane a) {
  for (int k = 0; k < 4; k++) {
    p[k] = a.at[k];
  }
}


// numbers 0, 1 from a and 2, 3 from b
static inline cfLane cfi_laneJoin(cfHalfLane a, cfHalfLane b) {
  return cfi_laneSet(a.at[0], a.at[1], b.at[0], b.at[1]);
}


static inline cfHalfLane cfi_laneLow(cfLane a) {
  return cfi_halfSet(a.at[0], a.at[1]);
}


static inline cfHalfLane cfi_laneHigh(cfLane a) {
  return cfi_halfSet(a.at[2], a.at[3]);
}


// any number not zero
static inline int cfi_laneAny(cfLane a) {
  return (a.at[0] != 0) | (a.at[1] != 0) | (a.at[2] != 0) | (a.at[3] != 0);
}


// bit k: number k is not zero in one of four lanes
static inline unsigned cfi_laneMarks(cfLane a, cfLane b, cfLane c, cfLane d) {
  unsigned marks = 0;
  for (int k = 0; k < 4; k++) {
    marks |= (unsigned)(a.at[k] != 0 || b.at[k] != 0 || c.at[k] != 0 || d.at[k] != 0) << k;
  }
  return marks;
}


static inline mjtNum cfi_laneSum(cfLane a) {
  return (a.at[0] + a.at[2]) + (a.at[1] + a.at[3]);
}


// value where x is negative, zero elsewhere
static inline cfLane cfi_laneWhereNegative(cfLane x, cfLane value) {
  CF_LANE_EACH(x.at[k] < 0 ? value.at[k] : 0);
}


// smaller and larger; b where either is NaN
static inline cfLane cfi_laneMin(cfLane a, cfLane b) {
  CF_LANE_EACH(a.at[k] < b.at[k] ? a.at[k] : b.at[k]);
}


static inline cfLane cfi_laneMax(cfLane a, cfLane b) {
  CF_LANE_EACH(a.at[k] > b.at[k] ? a.at[k] : b.at[k]);
}


static inline cfLane cfi_laneReverse(cfLane a) {
  CF_LANE_EACH(a.at[3 - k]);
}


// 1 0 3 2
static inline cfLane cfi_laneSwapInPairs(cfLane a) {
  CF_LANE_EACH(a.at[k ^ 1]);
}


// 2 3 0 1
static inline cfLane cfi_laneSwapPairs(cfLane a) {
  CF_LANE_EACH(a.at[k ^ 2]);
}


static inline cfLane cfi_laneSum4(cfLane a, cfLane b, cfLane c, cfLane d) {
  return (cfLane){{cfi_laneSum(a), cfi_laneSum(b), cfi_laneSum(c), cfi_laneSum(d)}};
}


static inline void cfi_laneTranspose(cfLane a[4]) {
  for (int r = 0; r < 4; r++) {
    for (int c = 0; c < r; c++) {
      const mjtNum kept = a[r].at[c];
      a[r].at[c] = a[c].at[r];
      a[c].at[r] = kept;
    }
  }
}

#else  // vector extension

#ifdef __AVX__
#include "math/simd/avx.h"
#endif

// a build without AVX passes these in memory; all functions here are inline, so nobody sees it
#ifdef __clang__
#pragma clang diagnostic ignored "-Wpsabi"
#else
#pragma GCC diagnostic ignored "-Wpsabi"
#endif

typedef mjtNum cfLane __attribute__((vector_size(32)));
typedef mjtNum cfHalfLane __attribute__((vector_size(16)));
typedef mjtNum cfLaneAnywhere __attribute__((vector_size(32), aligned(8)));
typedef mjtNum cfHalfLaneAnywhere __attribute__((vector_size(16), aligned(8)));

static inline cfHalfLane cfi_halfSet(mjtNum x0, mjtNum x1) {
  return (cfHalfLane){x0, x1};
}


static inline cfHalfLane cfi_halfLoad(const mjtNum* p) {
  return *(const cfHalfLaneAnywhere*)p;
}


static inline void cfi_halfStore(mjtNum* p, cfHalfLane a) {
  *(cfHalfLaneAnywhere*)p = a;
}


static inline mjtNum cfi_halfAt(cfHalfLane a, int k) {
  return a[k];
}


static inline cfHalfLane cfi_halfMul(cfHalfLane a, cfHalfLane b) {
  return a * b;
}


static inline cfHalfLane cfi_halfAdd(cfHalfLane a, cfHalfLane b) {
  return a + b;
}


static inline cfHalfLane cfi_halfSub(cfHalfLane a, cfHalfLane b) {
  return a - b;
}


static inline cfHalfLane cfi_halfScl(cfHalfLane a, mjtNum s) {
  return (cfHalfLane){s, s} * a;
}


static inline cfLane cfi_laneLoad(const mjtNum* p) {
  return *(const cfLaneAnywhere*)p;
}


static inline void cfi_laneStore(mjtNum* p, cfLane a) {
  *(cfLaneAnywhere*)p = a;
}


static inline cfLane cfi_laneSpread(mjtNum x) {
  return (cfLane){x, x, x, x};
}


static inline cfLane cfi_laneSet(mjtNum x0, mjtNum x1, mjtNum x2, mjtNum x3) {
  return (cfLane){x0, x1, x2, x3};
}


static inline mjtNum cfi_laneAt(cfLane a, int k) {
  return a[k];
}


static inline cfLane cfi_laneAdd(cfLane a, cfLane b) {
  return a + b;
}


static inline cfLane cfi_laneSub(cfLane a, cfLane b) {
  return a - b;
}


static inline cfLane cfi_laneMul(cfLane a, cfLane b) {
  return a * b;
}


static inline cfLane cfi_laneJoin(cfHalfLane a, cfHalfLane b) {
#ifdef __AVX__
  return _mm256_insertf128_pd(_mm256_castpd128_pd256(a), b, 1);
#else
  return (cfLane){a[0], a[1], b[0], b[1]};
#endif
}


static inline cfHalfLane cfi_laneLow(cfLane a) {
#ifdef __AVX__
  return _mm256_castpd256_pd128(a);
#else
  return (cfHalfLane){a[0], a[1]};
#endif
}


static inline cfHalfLane cfi_laneHigh(cfLane a) {
#ifdef __AVX__
  return _mm256_extractf128_pd(a, 1);
#else
  return (cfHalfLane){a[2], a[3]};
#endif
}


static inline int cfi_laneAny(cfLane a) {
#ifdef __AVX__
  return _mm256_movemask_pd(_mm256_cmp_pd(a, _mm256_setzero_pd(), _CMP_NEQ_UQ)) != 0;
#else
  return (a[0] != 0) | (a[1] != 0) | (a[2] != 0) | (a[3] != 0);
#endif
}


static inline unsigned cfi_laneMarks(cfLane a, cfLane b, cfLane c, cfLane d) {
#ifdef __AVX__
  // a number is zero where no bit but the sign is set in any of the four
  const __m256d bits = _mm256_or_pd(_mm256_or_pd(a, b), _mm256_or_pd(c, d));
  return (unsigned)_mm256_movemask_pd(_mm256_cmp_pd(bits, _mm256_setzero_pd(), _CMP_NEQ_UQ));
#else
  unsigned marks = 0;
  for (int k = 0; k < 4; k++) {
    marks |= (unsigned)((a[k] != 0) | (b[k] != 0) | (c[k] != 0) | (d[k] != 0)) << k;
  }
  return marks;
#endif
}


// value where x is negative, zero elsewhere
static inline cfLane cfi_laneWhereNegative(cfLane x, cfLane value) {
#ifdef __AVX__
  return _mm256_and_pd(_mm256_cmp_pd(x, _mm256_setzero_pd(), _CMP_LT_OQ), value);
#else
  return (cfLane){x[0] < 0 ? value[0] : 0, x[1] < 0 ? value[1] : 0, x[2] < 0 ? value[2] : 0,
                  x[3] < 0 ? value[3] : 0};
#endif
}

#if defined(__has_builtin)
#if __has_builtin(__builtin_shufflevector)
#define CF_LANE_MIX(a, b, i, j, k, l) __builtin_shufflevector(a, b, i, j, k, l)
#define CF_LANE_HALF(a, i, j) __builtin_shufflevector(a, a, i, j)
#endif
#endif
#ifndef CF_LANE_MIX
#define CF_LANE_HALF(a, i, j) ((cfHalfLane){(a)[i], (a)[j]})
#define CF_LANE_MIX(a, b, i, j, k, l)                                             \
  ((cfLane){(i) < 4 ? (a)[(i)&3] : (b)[(i)&3], (j) < 4 ? (a)[(j)&3] : (b)[(j)&3], \
            (k) < 4 ? (a)[(k)&3] : (b)[(k)&3], (l) < 4 ? (a)[(l)&3] : (b)[(l)&3]})
#endif

static inline cfLane cfi_laneMin(cfLane a, cfLane b) {
#ifdef __AVX__
  return (cfLane)_mm256_min_pd((__m256d)a, (__m256d)b);
#else
  return (cfLane){a[0] < b[0] ? a[0] : b[0], a[1] < b[1] ? a[1] : b[1], a[2] < b[2] ? a[2] : b[2],
                  a[3] < b[3] ? a[3] : b[3]};
#endif
}


static inline cfLane cfi_laneMax(cfLane a, cfLane b) {
#ifdef __AVX__
  return (cfLane)_mm256_max_pd((__m256d)a, (__m256d)b);
#else
  return (cfLane){a[0] > b[0] ? a[0] : b[0], a[1] > b[1] ? a[1] : b[1], a[2] > b[2] ? a[2] : b[2],
                  a[3] > b[3] ? a[3] : b[3]};
#endif
}


static inline cfLane cfi_laneReverse(cfLane a) {
  return CF_LANE_MIX(a, a, 3, 2, 1, 0);
}


static inline cfLane cfi_laneSwapInPairs(cfLane a) {
  return CF_LANE_MIX(a, a, 1, 0, 3, 2);
}


static inline cfLane cfi_laneSwapPairs(cfLane a) {
  return CF_LANE_MIX(a, a, 2, 3, 0, 1);
}


// (a0 + a2) + (a1 + a3)
static inline mjtNum cfi_laneSum(cfLane a) {
  const cfHalfLane pair = CF_LANE_HALF(a, 0, 1) + CF_LANE_HALF(a, 2, 3);
  return pair[0] + pair[1];
}


// the sums of four lanes, each in the order of cfi_laneSum
static inline cfLane cfi_laneSum4(cfLane a, cfLane b, cfLane c, cfLane d) {
  const cfLane ac = CF_LANE_MIX(a, c, 0, 1, 4, 5) + CF_LANE_MIX(a, c, 2, 3, 6, 7);
  const cfLane bd = CF_LANE_MIX(b, d, 0, 1, 4, 5) + CF_LANE_MIX(b, d, 2, 3, 6, 7);
  return CF_LANE_MIX(ac, bd, 0, 4, 2, 6) + CF_LANE_MIX(ac, bd, 1, 5, 3, 7);
}


// rows to columns of a 4x4 block
static inline void cfi_laneTranspose(cfLane a[4]) {
  const cfLane even01 = CF_LANE_MIX(a[0], a[1], 0, 4, 2, 6);
  const cfLane odd01 = CF_LANE_MIX(a[0], a[1], 1, 5, 3, 7);
  const cfLane even23 = CF_LANE_MIX(a[2], a[3], 0, 4, 2, 6);
  const cfLane odd23 = CF_LANE_MIX(a[2], a[3], 1, 5, 3, 7);
  a[0] = CF_LANE_MIX(even01, even23, 0, 1, 4, 5);
  a[1] = CF_LANE_MIX(odd01, odd23, 0, 1, 4, 5);
  a[2] = CF_LANE_MIX(even01, even23, 2, 3, 6, 7);
  a[3] = CF_LANE_MIX(odd01, odd23, 2, 3, 6, 7);
}

#endif  // CF_SCALAR_LANES

// a += b*c, rounded twice
static inline cfLane cfi_laneAddMul(cfLane a, cfLane b, cfLane c) {
  return cfi_laneAdd(a, cfi_laneMul(b, c));
}


// a -= b*c, rounded twice
static inline cfLane cfi_laneSubMul(cfLane a, cfLane b, cfLane c) {
  return cfi_laneSub(a, cfi_laneMul(b, c));
}


static inline cfHalfLane cfi_halfAddMul(cfHalfLane a, cfHalfLane b, cfHalfLane c) {
  return cfi_halfAdd(a, cfi_halfMul(b, c));
}

#endif  // CF_MATH_SIMD_LANE_H
