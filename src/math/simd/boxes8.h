// Eight boxes or balls against one in single precision.
//
// Boxes come by axis (low[axis][i], high[axis][i]), balls as center[axis][i] and radius[i]; bit q
// of the result stands for number first + q.  Ends that are equal overlap, NaN never does.  The
// vector form and the scalar twin give the same bits.
#ifndef CF_MATH_SIMD_BOXES8_H
#define CF_MATH_SIMD_BOXES8_H

#if defined(__AVX__)
#include "math/simd/avx.h"
#endif

// the one that the others are compared with
typedef struct {
  float low[3], high[3];
  float center[3], radius;
} cfBoxBall;

// arrays of many
typedef struct {
  float *low[3], *high[3];
  float *center[3], *radius;
} cfBoxBallLanes;

// which boxes overlap
static inline unsigned int cfi_boxes8Scalar(const cfBoxBallLanes* s, int first,
                                            const cfBoxBall* one) {
  unsigned int bits = 0;
  for (int q = 0; q < 8; q++) {
    unsigned int meets = 1;
    for (int axis = 0; axis < 3; axis++) {
      meets &= s->low[axis][first + q] <= one->high[axis];
      meets &= one->low[axis] <= s->high[axis][first + q];
    }
    bits |= meets << q;
  }
  return bits;
}


// which balls overlap; an infinite radius meets everything
static inline unsigned int cfi_balls8Scalar(const cfBoxBallLanes* s, int first,
                                            const cfBoxBall* one) {
  unsigned int bits = 0;
  for (int q = 0; q < 8; q++) {
    const float x = s->center[0][first + q] - one->center[0];
    const float y = s->center[1][first + q] - one->center[1];
    const float z = s->center[2][first + q] - one->center[2];
    const float reach = s->radius[first + q] + one->radius;
    bits |= (unsigned int)(x * x + y * y + z * z <= reach * reach) << q;
  }
  return bits;
}


#if defined(__AVX__)
static inline unsigned int cfi_boxes8(const cfBoxBallLanes* s, int first, const cfBoxBall* one) {
  __m256 meets = _mm256_castsi256_ps(_mm256_set1_epi32(-1));
  for (int axis = 0; axis < 3; axis++) {
    const __m256 before = _mm256_cmp_ps(_mm256_loadu_ps(s->low[axis] + first),
                                        _mm256_set1_ps(one->high[axis]), _CMP_LE_OQ);
    const __m256 behind = _mm256_cmp_ps(_mm256_set1_ps(one->low[axis]),
                                        _mm256_loadu_ps(s->high[axis] + first), _CMP_LE_OQ);
    meets = _mm256_and_ps(meets, _mm256_and_ps(before, behind));
  }
  return (unsigned int)_mm256_movemask_ps(meets);
}


static inline unsigned int cfi_balls8(const cfBoxBallLanes* s, int first, const cfBoxBall* one) {
  __m256 delta[3];
  for (int axis = 0; axis < 3; axis++) {
    delta[axis] =
        _mm256_sub_ps(_mm256_loadu_ps(s->center[axis] + first), _mm256_set1_ps(one->center[axis]));
    delta[axis] = _mm256_mul_ps(delta[axis], delta[axis]);
  }
  const __m256 square = _mm256_add_ps(_mm256_add_ps(delta[0], delta[1]), delta[2]);
  const __m256 reach =
      _mm256_add_ps(_mm256_loadu_ps(s->radius + first), _mm256_set1_ps(one->radius));
  const __m256 meets = _mm256_cmp_ps(square, _mm256_mul_ps(reach, reach), _CMP_LE_OQ);
  return (unsigned int)_mm256_movemask_ps(meets);
}
#else
#define cfi_boxes8 cfi_boxes8Scalar
#define cfi_balls8 cfi_balls8Scalar
#endif

#endif  // CF_MATH_SIMD_BOXES8_H
