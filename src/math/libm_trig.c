// Sine, cosine and tangent.
//
// The argument is reduced to the distance from the nearest multiple of pi/2, which is at most pi/4;
// there a polynomial does.  Polynomials pass through the function at Chebyshev nodes (error below
// 2^-56 of the result); leading terms are kept as sums of two doubles.
#include <math.h>

#include "base/assert.h"
#include "math/libm.h"
#include "math/wide.h"

// ---------------------------------------- reduction

// pi/2 in pieces of 33 bits: multiples up to 2^20 of the first three are exact
static const double half_pi_part[4] = {0x1.921fb544p+0, 0x1.0b4611a6p-34, 0x1.3198a2ep-69,
                                       0x1.b839a252049c1p-104};
static const cfWide half_pi = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};

// 2/pi, a word of zeros and then the bits behind the point
static const uint64_t two_over_pi[21] = {
    0,
    0xa2f9836e4e441529,
    0xfc2757d1f534ddc0,
    0xdb6295993c439041,
    0xfe5163abdebbc561,
    0xb7246e3a424dd2e0,
    0x06492eea09d1921c,
    0xfe1deb1cb129a73e,
    0xe88235f52ebb4484,
    0xe99c7026b45f7e41,
    0x3991d639835339f4,
    0x9c845f8bbdf9283b,
    0x1ff897ffde05980f,
    0xef2f118b5a0a6d1f,
    0x6d367ecf27cb09b7,
    0x4f463f669e5fea2d,
    0x7527bac7ebe5f17b,
    0x3d0739f78a5292ea,
    0x6bfb5fb11f8d5d08,
    0x56033046fc7b6bab,
    0xf0cfbc209af4361d,
};


// for arguments below 2^20: x - k*pi/2 piece by piece (Cody and Waite)
static int reduceSmall(double x, cfWide* rest) {
  const double magic = 0x1.8p52;  // pushes the fraction out
  const double k = (x * 0x1.45f306dc9c883p-1 + magic) - magic;
  const double first = x - k * half_pi_part[0];
  const cfWide second = cfi_wideSum(first, -(k * half_pi_part[1]));
  const cfWide third = cfi_wideSum(second.hi, -(k * half_pi_part[2]));
  *rest = cfi_wideSum(third.hi, (third.lo + second.lo) - k * half_pi_part[3]);
  return (int)(int64_t)k;
}


// high word of the product of two words
static uint64_t highProduct(uint64_t a, uint64_t b) {
  const uint64_t al = a & 0xffffffff, ah = a >> 32, bl = b & 0xffffffff, bh = b >> 32;
  const uint64_t middle = ah * bl + (al * bl >> 32);
  const uint64_t carry = al * bh + (middle & 0xffffffff);
  return ah * bh + (middle >> 32) + (carry >> 32);
}


// x*2/pi modulo 4, in units of 2^-190: the bits of 2/pi in front give multiples of 4, those behind
// are too small to matter (Payne and Hanek 1983)
static void multipleOfTwoOverPi(double x, uint64_t word[3]) {
  const uint64_t bits = cfi_doubleBits(x);
  const uint64_t mantissa = (bits & 0xfffffffffffffu) | 0x10000000000000u;
  const int exponent = (int)(bits >> 52 & 0x7ff) - 1075;
  const int start = 64 + exponent - 2, at = start / 64, shift = start % 64;
  CF_ASSERT(start >= 0 && at + 3 <= 20);
  uint64_t window[3];
  for (int k = 0; k < 3; k++) {
    const uint64_t next = shift ? two_over_pi[at + k + 1] >> (64 - shift) : 0;
    window[k] = two_over_pi[at + k] << shift | next;
  }
  word[2] = mantissa * window[2];
  const uint64_t middle = mantissa * window[1];
  word[1] = middle + highProduct(mantissa, window[2]);
  word[0] = mantissa * window[0] + highProduct(mantissa, window[1]) + (word[1] < middle);
}


// a fraction of 192 bits, most significant word first
static cfWide fractionOf(const uint64_t word[3]) {
  const double piece[5] = {
      (double)(word[0] >> 32) * 0x1p-32, (double)(word[0] & 0xffffffff) * 0x1p-64,
      (double)(word[1] >> 32) * 0x1p-96, (double)(word[1] & 0xffffffff) * 0x1p-128,
      (double)(word[2] >> 32) * 0x1p-160};
  cfWide sum = {0, 0};
  for (int k = 4; k >= 0; k--) {
    const cfWide more = cfi_wideFast(piece[k], sum.hi);
    sum = cfi_wideFast(more.hi, more.lo + sum.lo);
  }
  return sum;
}


// for positive arguments from 2^20
static int reduceLarge(double x, cfWide* rest) {
  uint64_t word[3];
  multipleOfTwoOverPi(x, word);
  int quadrant = (int)(word[0] >> 62);
  word[0] = word[0] << 2 | word[1] >> 62;
  word[1] = word[1] << 2 | word[2] >> 62;
  word[2] <<= 2;

  // beyond the middle: the distance to the next multiple, which lies behind
  const int is_behind = (int)(word[0] >> 63);
  for (int k = 0; is_behind && k < 3; k++) {
    word[k] = ~word[k];
  }
  quadrant += is_behind;
  const cfWide distance = cfi_wideMul(fractionOf(word), half_pi);
  *rest = is_behind ? cfi_wideNegative(distance) : distance;
  return quadrant;
}


// x = n*pi/2 + rest; returns n modulo 4
static int reduceAngle(double x, cfWide* rest) {
  const double size = fabs(x);
  if (size <= 0x1.921fb54442d18p-1) {
    *rest = (cfWide){x, 0};
    return 0;
  }
  if (size < 0x1p20) {
    return reduceSmall(x, rest) & 3;
  }
  const int n = reduceLarge(size, rest);
  if (x < 0) {
    *rest = cfi_wideNegative(*rest);
    return -n & 3;
  }
  return n & 3;
}

// ---------------------------------------- up to pi/4

// x + x^3*P(x^2)
static cfWide sineNearZero(cfWide x) {
  static const double coefficient[7] = {
      -0x1.5555555555555p-3,  0x1.111111111111p-7,   -0x1.a01a01a01992fp-13, 0x1.71de3a545f836p-19,
      -0x1.ae645410e937bp-26, 0x1.61217d9252c03p-33, -0x1.ab16f5caa198ap-41,
  };
  const double square = x.hi * x.hi;
  const double cubic = x.hi * square * cfi_polynomial(coefficient, 7, square);
  return cfi_wideFast(x.hi, cubic + x.lo * (1 - 0.5 * square));
}


// 1 - x^2/2 + x^4*P(x^2)
static cfWide cosineNearZero(cfWide x) {
  static const double coefficient[7] = {
      0x1.5555555555555p-5,  -0x1.6c16c16c16c16p-10, 0x1.a01a01a019d06p-16, -0x1.27e4fb77125c5p-22,
      0x1.1eed8deac3dfep-29, -0x1.9394b8bd50ae1p-37, 0x1.ab779550c8d9bp-45,
  };
  const cfWide square = cfi_wideProduct(x.hi, x.hi);
  const cfWide first = cfi_wideFast(1, -0.5 * square.hi);
  const double quartic = square.hi * square.hi * cfi_polynomial(coefficient, 7, square.hi);
  return cfi_wideFast(first.hi, quartic + (first.lo - 0.5 * square.lo - x.hi * x.lo));
}


// sine of an angle that was reduced: n quarter turns and the rest
static cfWide sineAfter(int n, cfWide rest) {
  CF_ASSERT_INDEX(n, 4);
  const cfWide value = n & 1 ? cosineNearZero(rest) : sineNearZero(rest);
  return n & 2 ? cfi_wideNegative(value) : value;
}


// no angle: not a number
static int isEndless(double x) {
  return (cfi_doubleBits(x) >> 52 & 0x7ff) == 0x7ff;
}


double cfi_sin(double x) {
  if (isEndless(x)) {
    return x - x;
  }
  cfWide rest;
  const int n = reduceAngle(x, &rest);
  return sineAfter(n, rest).hi;
}


double cfi_cos(double x) {
  if (isEndless(x)) {
    return x - x;
  }
  cfWide rest;
  const int n = reduceAngle(x, &rest);
  return sineAfter((n + 1) & 3, rest).hi;
}


double cfi_tan(double x) {
  if (isEndless(x)) {
    return x - x;
  }
  cfWide rest;
  const int n = reduceAngle(x, &rest);
  if (n == 0 && fabs(x) < 0x1p-300) {
    return x;  // the quotient below would lose what is near the smallest numbers
  }
  return cfi_wideDivide(sineAfter(n, rest), sineAfter((n + 1) & 3, rest)).hi;
}
