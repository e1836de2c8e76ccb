// Inverse trigonometric functions and the length of a pair: all from the angle of a point (x, y),
// whose coordinates are known to twice the precision.
#include <math.h>
#include <stdbool.h>

#include "base/assert.h"
#include "math/libm.h"
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


// sqrt(1 - x^2) for |x| <= 1
static cfWide otherSide(double x) {
  const cfWide square = cfi_wideProduct(x, x), less = cfi_wideSum(1, -square.hi);
  const cfWide rest = cfi_wideFast(less.hi, less.lo - square.lo);
  if (rest.hi <= 0) {
    return (cfWide){0, 0};
  }
  const double root = sqrt(rest.hi);
  const cfWide back = cfi_wideProduct(root, root);
  return cfi_wideFast(root, ((rest.hi - back.hi) - back.lo + rest.lo) / (2 * root));
}


double cfi_asin(double x) {
  if (!(fabs(x) <= 1)) {
    return (x - x) / (x - x);
  }
  if (fabs(x) < 0x1p-60) {
    return x;
  }
  return copysign(angleOf((cfWide){fabs(x), 0}, otherSide(x)).hi, x);
}


double cfi_acos(double x) {
  if (!(fabs(x) <= 1)) {
    return (x - x) / (x - x);
  }
  if (fabs(x) < 0x1p-60) {
    return quarter_turn.hi;
  }
  const cfWide angle = angleOf(otherSide(x), (cfWide){fabs(x), 0});
  return x > 0 ? angle.hi : cfi_wideAdd(whole_pi, cfi_wideNegative(angle)).hi;
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
