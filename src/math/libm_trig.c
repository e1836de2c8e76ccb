// Sine, cosine and tangent: angles of moderate size by libm_sincos.h, for one number and for four;
// others by a reduction with as many bits of 2/pi as they need.
#include "math/libm.h"

#ifndef CF_SYSTEM_LIBM

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/assert.h"
#include "math/simd/lane.h"
#include "math/wide.h"

#define CF_LIBM(name) one##name
#define CF_LIBM_REAL double
#define CF_LIBM_WORD uint64_t
#define CF_LIBM_TEST bool
#define CF_LIBM_BITS cfi_doubleBits
#define CF_LIBM_NUMBER cfi_bitsDouble
#define CF_LIBM_PICK(odd, a, b) ((odd) ? (a) : (b))
#include "math/libm_sincos.h"
#undef CF_LIBM
#undef CF_LIBM_REAL
#undef CF_LIBM_WORD
#undef CF_LIBM_TEST
#undef CF_LIBM_BITS
#undef CF_LIBM_NUMBER
#undef CF_LIBM_PICK

static const cfWide half_pi = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};

// ---------------------------------------- reduction of large angles

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


// for positive angles above pi/4
static int reduceLarge(double x, cfWide* rest) {
  CF_ASSERT(x > 0.78 && x < HUGE_VAL);
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
static int reduceHard(double x, cfWide* rest) {
  const int n = reduceLarge(fabs(x), rest);
  if (x < 0) {
    *rest = cfi_wideNegative(*rest);
    return -n & 3;
  }
  return n & 3;
}


// Reduce an angle that needs more bits of pi; not inlined, so that it does not cost the others
// registers.
static __attribute__((noinline)) oneAngle hardAngle(double x) {
  if (!(fabs(x) < HUGE_VAL)) {
    return (oneAngle){x - x, x - x, 0, 0};
  }
  cfWide rest;
  const int n = reduceHard(x, &rest);
  CF_ASSERT_INDEX(n, 4);
  CF_ASSERT(fabs(rest.hi) < 0.79);
  return (oneAngle){rest.hi, rest.lo, n, (uint64_t)n};
}


static inline oneAngle turnOf(double x) {
  const oneAngle a = oneReduceAngle(x);
  if (oneIsHard(x, a)) {
    return hardAngle(x);
  }
  CF_ASSERT(fabs(a.hi) < 0.79 && fabs(a.lo) <= fabs(a.hi) * 0x1p-52);
  return a;
}

// ---------------------------------------- functions

void cfi_sinCos(double* sine, double* cosine, double x) {
  oneSinCosOfAngle(sine, cosine, turnOf(x));
}


double cfi_sin(double x) {
  double sine, cosine;
  oneSinCosOfAngle(&sine, &cosine, turnOf(x));
  return sine;
}


double cfi_cos(double x) {
  double sine, cosine;
  oneSinCosOfAngle(&sine, &cosine, turnOf(x));
  return cosine;
}


double cfi_tan(double x) {
  const oneAngle a = turnOf(x);
  if (fabs(x) < 0x1p-300) {
    return x;  // the quotient below would lose what is near the smallest numbers
  }
  const oneSum s = oneSineNearZero(a.hi, a.lo), c = oneCosineNearZero(a.hi, a.lo);
  const cfWide sine = cfi_wideFast(s.hi, s.lo), cosine = cfi_wideFast(c.hi, c.lo);
  return a.quarter & 1 ? -cfi_wideDivide(cosine, sine).hi : cfi_wideDivide(sine, cosine).hi;
}

// ---------------------------------------- four at a time

#if !defined(CF_SCALAR_LANES) && !defined(CF_DEVICE)

typedef uint64_t fourWords __attribute__((vector_size(32)));
typedef int64_t fourTests __attribute__((vector_size(32)));

#define CF_LIBM(name) four##name
#define CF_LIBM_REAL cfLane
#define CF_LIBM_WORD fourWords
#define CF_LIBM_TEST fourTests
#define CF_LIBM_BITS(x) ((fourWords)(x))
#define CF_LIBM_NUMBER(w) ((cfLane)(w))
#define CF_LIBM_PICK(odd, a, b) ((cfLane)(((fourWords)(a) & -(odd)) | ((fourWords)(b) & ((odd)-1))))
#include "math/libm_sincos.h"
#undef CF_LIBM
#undef CF_LIBM_REAL
#undef CF_LIBM_WORD
#undef CF_LIBM_TEST
#undef CF_LIBM_BITS
#undef CF_LIBM_NUMBER
#undef CF_LIBM_PICK


// Sine and cosine of four angles.
static void sinCosOfFour(double (*res)[2], const double x[4]) {
  const cfLane four = cfi_laneLoad(x);
  const fourAngle a = fourReduceAngle(four);
  const fourTests hard = fourIsHard(four, a);
  if ((hard[0] | hard[1] | hard[2] | hard[3]) != 0) {
    for (int k = 0; k < 4; k++) {
      cfi_sinCos(res[k], res[k] + 1, x[k]);
    }
    return;
  }
  cfLane sine, cosine;
  fourSinCosOfAngle(&sine, &cosine, a);
  cfi_laneStore(res[0], CF_LANE_MIX(sine, cosine, 0, 4, 1, 5));
  cfi_laneStore(res[2], CF_LANE_MIX(sine, cosine, 2, 6, 3, 7));
}


void cfi_sinCosOf(double (*res)[2], const double* x, int n) {
  CF_ASSERT(n >= 0);
  int k = 0;
  for (; k + 4 <= n; k += 4) {
    sinCosOfFour(res + k, x + k);
  }
  if (n - k == 1) {
    cfi_sinCos(res[k], res[k] + 1, x[k]);
  } else if (k < n) {
    double rest[4] = {0}, pair[4][2];
    memcpy(rest, x + k, sizeof(*rest) * (size_t)(n - k));
    sinCosOfFour(pair, rest);
    memcpy(res + k, pair, sizeof(*pair) * (size_t)(n - k));
  }
}

#else

void cfi_sinCosOf(double (*res)[2], const double* x, int n) {
  for (int k = 0; k < n; k++) {
    cfi_sinCos(res[k], res[k] + 1, x[k]);
  }
}

#endif  // CF_SCALAR_LANES

#endif  // CF_SYSTEM_LIBM
