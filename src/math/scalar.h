// Scalar helpers: minimum, maximum, clamp, sign, small powers.
#ifndef CF_MATH_SCALAR_H
#define CF_MATH_SCALAR_H

#include <math.h>

#include <mujoco/mjtnum.h>

#include "math/libm.h"

// smaller of two numbers; b when either is NaN
static inline mjtNum cfi_min(mjtNum a, mjtNum b) {
  return a <= b ? a : b;
}


// larger of two numbers; b when either is NaN
static inline mjtNum cfi_max(mjtNum a, mjtNum b) {
  return a >= b ? a : b;
}


static inline int cfi_minInt(int a, int b) {
  return a <= b ? a : b;
}


static inline int cfi_maxInt(int a, int b) {
  return a >= b ? a : b;
}


// x limited to [low, high]
static inline mjtNum cfi_clip(mjtNum x, mjtNum low, mjtNum high) {
  const mjtNum raised = x < low ? low : x;
  return raised > high ? high : raised;
}


static inline int cfi_clipInt(int x, int low, int high) {
  return cfi_minInt(cfi_maxInt(x, low), high);
}


// -1, 0 or 1
static inline mjtNum cfi_sign(mjtNum x) {
  return (mjtNum)((x > 0) - (x < 0));
}


static inline mjtNum cfi_square(mjtNum x) {
  return x * x;
}


// base^exponent; the exponents 1 and 2 need no library call
static inline mjtNum cfi_power(mjtNum base, mjtNum exponent) {
  if (exponent == 1) {
    return base;
  }
  return exponent == 2 ? base * base : cfi_pow(base, exponent);
}

#endif  // CF_MATH_SCALAR_H
