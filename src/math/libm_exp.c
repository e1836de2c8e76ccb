// Exponential function, logarithm and powers.
#include "math/libm.h"

#ifndef CF_SYSTEM_LIBM

#include <math.h>
#include <stdbool.h>

#include "base/assert.h"
#include "math/wide.h"

#define CF_LIBM(name) single##name
#define CF_LIBM_REAL double
#define CF_LIBM_WORD uint64_t
#define CF_LIBM_BITS cfi_doubleBits
#define CF_LIBM_NUMBER cfi_bitsDouble
#include "math/libm_growth.h"
#undef CF_LIBM
#undef CF_LIBM_REAL
#undef CF_LIBM_WORD
#undef CF_LIBM_BITS
#undef CF_LIBM_NUMBER

// ln 2; multiples up to 2^13 of the first part are exact
static const double ln2_part[2] = {0x1.62e42fefa2p-1, 0x1.9ef35793c7673p-41};

// ---------------------------------------- exponential

// exp(x) = value * 2^power, for |x| < 800
static cfWide expParts(cfWide x, int* power) {
  CF_ASSERT(x.hi < 800 && x.hi > -800);
  const singleGrowth g = singleGrowthOf(x.hi, x.lo);
  *power = (int)(int32_t)(uint32_t)g.power;
  CF_ASSERT(*power < 1200 && *power > -1200 && fabs(g.r) < 0.35);
  return cfi_wideFast((1 + g.h) + g.square, g.l + g.rest);
}


// value * 2^power, rounded once: below the smallest normal number the places that fall off are
// pushed out by a larger number before
static double scaled(cfWide value, int power) {
  CF_ASSERT(value.hi > 0.5 && value.hi < 2);
  if (power < -1022 || (power == -1022 && value.hi < 1)) {
    const double unit = cfi_twoTo(-1022 - power);
    const cfWide sum = cfi_wideFast(unit, value.hi);
    const double kept = (sum.hi + (sum.lo + value.lo)) - unit;
    return kept * 0x1p-1021 * cfi_twoTo(power + 1021);
  }
  const int half = power / 2;
  return value.hi * cfi_twoTo(half) * cfi_twoTo(power - half);
}


static double expOf(cfWide x) {
  if (x.hi > 710) {
    return HUGE_VAL;
  }
  if (x.hi < -746) {
    return 0;
  }
  int power;
  const cfWide value = expParts(x, &power);
  return scaled(value, power);
}


double cfi_exp(double x) {
  if (fabs(x) < 708) {
    return singleExpOf(x);
  }
  return x != x ? x : expOf((cfWide){x, 0});
}


double cfi_expm1(double x) {
  if (x != x || x > 710) {
    return x != x ? x : HUGE_VAL;
  }
  if (x < -40) {
    return -1;
  }
  if (fabs(x) < 0x1p-60) {
    return x;
  }
  if (fabs(x) < 0.34) {
    const singleGrowth g = singleGrowthOf(x, 0);
    const cfWide sum = cfi_wideFast(x, g.square);
    return sum.hi + (sum.lo + g.rest);
  }
  int power;
  const cfWide value = expParts((cfWide){x, 0}, &power);
  if (power > 100) {
    return scaled(value, power);
  }
  const double scale = cfi_twoTo(power);
  const cfWide less = cfi_wideSum(scale * value.hi, -1);
  return less.hi + (less.lo + scale * value.lo);
}

// ---------------------------------------- logarithm

// logarithm of a positive finite number: with s = (f-1)/(f+1) and x = f*2^k it is
// k*ln(2) + 2s*(1 + s^2/3 + s^4/5 + s^6*P(s^2))
static cfWide logOf(double x) {
  static const double coefficient[8] = {
      0x1.2492492492492p-3, 0x1.c71c71c71c824p-4, 0x1.745d1745a3aecp-4, 0x1.3b13b16b845ap-4,
      0x1.1110f7ed90f7bp-4, 0x1.e1f004ce6b5cap-5, 0x1.acf7370081675p-5, 0x1.b2ebd5566f66p-5,
  };
  static const cfWide one = {1, 0}, third = {0x1.5555555555555p-2, 0x1.5555555555555p-56},
                      fifth = {0x1.999999999999ap-3, -0x1.999999999999ap-57};
  CF_ASSERT(x > 0);
  const bool is_tiny = x < 0x1p-1022;
  const uint64_t bits = cfi_doubleBits(is_tiny ? x * 0x1p54 : x);
  int k = (int)(bits >> 52) - 1023 - (is_tiny ? 54 : 0);
  double f = cfi_bitsDouble((bits & 0xfffffffffffffu) | 0x3ff0000000000000u);
  if (f > 0x1.6a09e667f3bcdp+0) {
    f *= 0.5;
    k++;
  }

  const cfWide s = cfi_wideDivide((cfWide){f - 1, 0}, cfi_wideSum(f, 1));
  const cfWide square = cfi_wideMul(s, s);
  const double tail = square.hi * cfi_polynomial(coefficient, 8, square.hi);
  cfWide series = cfi_wideAdd(fifth, (cfWide){tail, 0});
  series = cfi_wideAdd(third, cfi_wideMul(square, series));
  series = cfi_wideAdd(one, cfi_wideMul(square, series));
  const cfWide small = cfi_wideMul((cfWide){2 * s.hi, 2 * s.lo}, series);

  // k*ln(2): the second part has 53 bits, so its product is kept whole
  const cfWide large = cfi_wideProduct(k, ln2_part[1]);
  const cfWide sum = cfi_wideAdd((cfWide){k * ln2_part[0], 0}, large);
  return cfi_wideAdd(sum, small);
}


double cfi_log(double x) {
  if (x == 0) {
    return -HUGE_VAL;
  }
  if (!(x > 0) || x == HUGE_VAL) {
    return x > 0 || x != x ? x : (x - x) / (x - x);
  }
  return logOf(x).hi;
}

// ---------------------------------------- powers

// 0: no whole number, 1: odd, 2: even
static int wholeness(double y) {
  const double size = fabs(y);
  if (size >= 0x1p53) {
    return 2;
  }
  const double whole = (size + 0x1p52) - 0x1p52;
  if (size < 0x1p52 && whole != size) {
    return 0;
  }
  return (uint64_t)size & 1 ? 1 : 2;
}


// x or y is zero, infinite or not a number, or x is one
static bool isSpecialPower(double x, double y, double* value) {
  if (y == 0 || x == 1) {
    *value = 1;
    return true;
  }
  if (x != x || y != y) {
    *value = x + y;
    return true;
  }
  if (fabs(y) == HUGE_VAL) {
    const double size = fabs(x);
    *value = size == 1 ? 1 : (size > 1) == (y > 0) ? HUGE_VAL : 0;
    return true;
  }
  if (x == 0 || fabs(x) == HUGE_VAL) {
    const double size = (x == 0) == (y > 0) ? 0 : HUGE_VAL;
    *value = wholeness(y) == 1 ? copysign(size, x) : size;
    return true;
  }
  return false;
}


double cfi_pow(double x, double y) {
  double value;
  if (isSpecialPower(x, y, &value)) {
    return value;
  }
  const int kind = x < 0 ? wholeness(y) : 2;
  if (!kind) {
    return (x - x) / (x - x);
  }
  const cfWide logarithm = logOf(fabs(x));
  const double product = y * logarithm.hi;
  if (fabs(product) > 790) {
    value = product > 0 ? HUGE_VAL : 0;
  } else if (fabs(product) < 0x1p-60) {
    value = 1 + product;
  } else {
    const cfWide exact = cfi_wideProduct(y, logarithm.hi);
    value = expOf(cfi_wideFast(exact.hi, exact.lo + y * logarithm.lo));
  }
  return kind == 1 ? -value : value;
}

#endif  // CF_SYSTEM_LIBM
