// Three numbers in a lane: the fourth one may be anything and never counts.
#ifndef CF_MATH_SIMD_LANE3_H
#define CF_MATH_SIMD_LANE3_H

#include <math.h>
#include <stdbool.h>

#include "math/simd/lane.h"

#ifdef CF_SCALAR_LANES

static inline cfLane cfi_laneAbs(cfLane a) {
  CF_LANE_EACH(fabs(a.at[k]));
}


// three numbers with another one before them
static inline cfLane cfi_laneLoadLast3(const mjtNum* p) {
  return (cfLane){{p[0], p[1], p[2], p[2]}};
}


// is one of the first three numbers of a less than that of b
static inline bool cfi_laneLess3(cfLane a, cfLane b) {
  return (a.at[0] < b.at[0]) | (a.at[1] < b.at[1]) | (a.at[2] < b.at[2]);
}

#else  // vector extension

static inline cfLane cfi_laneAbs(cfLane a) {
#ifdef __AVX__
  return (cfLane)_mm256_andnot_pd(_mm256_set1_pd(-0.0), (__m256d)a);
#else
  return (cfLane){fabs(a[0]), fabs(a[1]), fabs(a[2]), fabs(a[3])};
#endif
}


static inline cfLane cfi_laneLoadLast3(const mjtNum* p) {
  const cfLane a = cfi_laneLoad(p - 1);
  return CF_LANE_MIX(a, a, 1, 2, 3, 3);
}


static inline bool cfi_laneLess3(cfLane a, cfLane b) {
#ifdef __AVX__
  return (_mm256_movemask_pd(_mm256_cmp_pd((__m256d)a, (__m256d)b, _CMP_LT_OQ)) & 7) != 0;
#else
  return (a[0] < b[0]) | (a[1] < b[1]) | (a[2] < b[2]);
#endif
}

#endif  // CF_SCALAR_LANES

#endif  // CF_MATH_SIMD_LANE3_H
