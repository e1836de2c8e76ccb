// Inverse trigonometric functions and the length of a pair: all from the angle of a point (x, y),
// whose coordinates are known to twice the precision.
#include "math/libm.h"

#ifndef CF_SYSTEM_LIBM

#include <math.h>
#include <stdbool.h>

#include "base/assert.h"
#include "math/wide.h"

static const cfWide whole_pi = {0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53};
static const cfWide quarter_turn = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};

// arctangent of n/8
static const cfWide known_angle[9] = {
    {0, 0},
    {0x1.fd5ba9aac2f6ep-4, -0x1.cd37686760c17p-59},
    {0x1.f5b75f92c80ddp-3, 0x1.8ab6e3cf7afbdp-57},
    {0x1.6f61941e4def1p-2, -0x1.c63aae6f6e918p-56},
    {0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56},
    {0x1.1e00babdefeb4p-1, -0x1.928df287a668fp-58},
    {0x1.4978fa3269ee1p-1, 0x1.2419a87f2a458p-56},
    {0x1.700a7c5784634p-1, -0x1.8c34d25aadef6p-56},
    {0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55},
};


// angle of (x, y) with 0 <= y <= x: that of the nearest n/8, and the arctangent of
// (y - n/8*x) / (x + n/8*y), at most 1/16
static cfWide angleBelow(cfWide y, cfWide x) {
  static const double coefficient[6] = {
      -0x1.5555555555555p-2, 0x1.999999999994ap-3,  -0x1.2492492458997p-3,
      0x1.c71c6fdf79977p-4,  -0x1.74597338ba1c7p-4, 0x1.37ddac131412p-4,
  };
  const int n = (int)(8 * (y.hi / x.hi) + 0.5);
  CF_ASSERT_INDEX(n, 9);
  const cfWide slope = {0.125 * n, 0};
  const cfWide across = cfi_wideAdd(y, cfi_wideNegative(cfi_wideMul(slope, x)));
  const cfWide along = cfi_wideAdd(x, cfi_wideMul(slope, y));
  const cfWide t = cfi_wideDivide(across, along);
  const double square = t.hi * t.hi;
  const double tail = t.hi * square * cfi_polynomial(coefficient, 6, square);
  const cfWide sum = cfi_wideSum(known_angle[n].hi, t.hi);
  return cfi_wideFast(sum.hi, sum.lo + (tail + (t.lo + known_angle[n].lo)));
}


// angle of a point in the first quadrant, coordinates between 2^-500 and 2^500 or zero
static cfWide angleOf(cfWide y, cfWide x) {
  CF_ASSERT(x.hi >= 0 && y.hi >= 0);
  if (y.hi <= x.hi) {
    return angleBelow(y, x);
  }
  return cfi_wideAdd(quarter_turn, cfi_wideNegative(angleBelow(x, y)));
}


// coordinates that are zero, infinite or not a number, as C11 wants it
static bool isSpecialAngle(double y, double x, double* value) {
  if (x != x || y != y) {
    *value = x + y;
    return true;
  }
  if (y == 0) {
    *value = copysign(signbit(x) ? whole_pi.hi : 0, y);
    return true;
  }
  if (x == 0 || (fabs(y) == HUGE_VAL && fabs(x) != HUGE_VAL)) {
    *value = copysign(quarter_turn.hi, y);
    return true;
  }
  if (fabs(x) == HUGE_VAL) {
    const double inside = fabs(y) == HUGE_VAL ? 0x1.921fb54442d18p-1 : 0;
    const double behind = fabs(y) == HUGE_VAL ? 0x1.2d97c7f3321d2p+1 : whole_pi.hi;
    *value = copysign(x > 0 ? inside : behind, y);
    return true;
  }
  return false;
}


double cfi_atan2(double y, double x) {
  double value;
  if (isSpecialAngle(y, x, &value)) {
    return value;
  }
  double a = fabs(y), b = fabs(x);
  if (a < b * 0x1p-60 || (b > 0x1p1000 && a < b)) {
    // the angle is its own tangent
    const double small = a / b;
    if (small < 0x1p-60) {
      return copysign(x > 0 ? small : whole_pi.hi, y);
    }
  } else if (b < a * 0x1p-60) {
    return copysign(quarter_turn.hi, y);
  }

  // away from the ends of the range
  const double most = a > b ? a : b, scale = most > 0x1p400    ? 0x1p-600
                                             : most < 0x1p-400 ? 0x1p600
                                                               : 1;
  cfWide angle = angleOf((cfWide){a * scale, 0}, (cfWide){b * scale, 0});
  if (x < 0) {
    angle = cfi_wideAdd(whole_pi, cfi_wideNegative(angle));
  }
  return copysign(angle.hi, y);
}


double cfi_atan(double x) {
  return cfi_atan2(x, 1);
}


// ---------------------------------------- arcsine

// asin(x + lo) = x + x^3/6 + x^5*P(x^2) for 0 <= x <= 1/2, before the last rounding; the largest
// error of P is 2^-59 of the result.  x is h + l, h with 12 bits, so h^3 is exact.
static cfWide arcsineBelowHalf(double x, double lo) {
  CF_ASSERT(x >= 0 && x <= 0.5);
  const double magic = 0x1.8p40, h = (x + magic) - magic, l = x - h, hh = h * h, hhh = hh * h;
  const double z = x * x, zz = z * z;
  const double p01 = 0x1.3333333331873p-4 + z * 0x1.6db6db6ff0f83p-5;
  const double p23 = 0x1.f1c71b453e515p-6 + z * 0x1.6e8bcdb280d34p-6;
  const double p45 = 0x1.1c4b06abdd2e7p-6 + z * 0x1.ca07b83473f77p-7;
  const double p67 = 0x1.7639bfeefa9d9p-7 + z * 0x1.5d8f105bcb106p-7;
  const double p89 = 0x1.0d0efc441ad95p-8 + z * 0x1.54a20bad94114p-6;
  const double pab = -0x1.43e054c7f7013p-6 + z * 0x1.05485d3b36fedp-5;
  const double p = p01 + zz * (p23 + zz * (p45 + zz * (p67 + zz * (p89 + zz * pab))));

  // 1/6 in two parts, of which the first has 17 bits
  const double mixed = l * (3 * hh + l * (3 * h + l)) * 0x1.5555555555555p-3;
  const double small = (hhh * 0x1.5555555555555p-21 + mixed) + x * zz * p;
  const double slope = 1 + z * (0.5 + 0.375 * z);
  const cfWide sum = cfi_wideFast(x, hhh * 0x1.5555p-3);
  return (cfWide){sum.hi, sum.lo + (small + lo * slope)};
}


// asin(sqrt((1 - x)/2)), half the arccosine, for 1/2 <= x <= 1
static cfWide halfArccosine(double x) {
  CF_ASSERT(x >= 0.5 && x <= 1);
  const double square = 0.5 * (1 - x), root = sqrt(square);
  if (square == 0) {
    return (cfWide){0, 0};
  }

  // what the root lacks: its first 26 bits have an exact square
  const double h = cfi_bitsDouble(cfi_doubleBits(root) & ~(uint64_t)0x7ffffff), l = root - h;
  return arcsineBelowHalf(root, ((square - h * h) - l * (root + h)) / (2 * root));
}


// angle - scale * part, rounded once; scale is a power of two
static double lessThan(cfWide angle, double scale, cfWide part) {
  CF_ASSERT(fabs(part.hi) <= angle.hi);
  const cfWide sum = cfi_wideFast(angle.hi, -scale * part.hi);
  return sum.hi + (sum.lo + (angle.lo - scale * part.lo));
}


double cfi_asin(double x) {
  const double size = fabs(x);
  if (!(size <= 1)) {
    return (x - x) / (x - x);
  }
  if (size <= 0.5) {
    const cfWide angle = arcsineBelowHalf(size, 0);
    return copysign(angle.hi + angle.lo, x);
  }
  return copysign(lessThan(quarter_turn, 2, halfArccosine(size)), x);
}


double cfi_acos(double x) {
  const double size = fabs(x);
  if (!(size <= 1)) {
    return (x - x) / (x - x);
  }
  if (size <= 0.5) {
    return lessThan(quarter_turn, x < 0 ? -1 : 1, arcsineBelowHalf(size, 0));
  }
  const cfWide half = halfArccosine(size);
  return x > 0 ? 2 * (half.hi + half.lo) : lessThan(whole_pi, 2, half);
}


double cfi_hypot(double x, double y) {
  const double a = fabs(x), b = fabs(y);
  if (a == HUGE_VAL || b == HUGE_VAL) {
    return HUGE_VAL;
  }
  if (a != a || b != b || a + b == 0) {
    return a + b;
  }
  const double most = a > b ? a : b, scale = most > 0x1p400    ? 0x1p-600
                                             : most < 0x1p-400 ? 0x1p600
                                                               : 1;
  const cfWide aa = cfi_wideProduct(a * scale, a * scale),
               bb = cfi_wideProduct(b * scale, b * scale);
  const cfWide sum = cfi_wideAdd(aa, bb);
  const double root = sqrt(sum.hi);
  const cfWide back = cfi_wideProduct(root, root);
  const double more = ((sum.hi - back.hi) - back.lo + sum.lo) / (2 * root);
  return (root + more) / scale;
}

#endif  // CF_SYSTEM_LIBM
