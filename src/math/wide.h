// Numbers as unevaluated sums of two doubles (Dekker 1971), about 106 bits, without fused
// multiply-add.
#ifndef CF_MATH_WIDE_H
#define CF_MATH_WIDE_H

#include <stdint.h>
#include <string.h>

// hi is the sum rounded to double
typedef struct {
  double hi, lo;
} cfWide;

static inline uint64_t cfi_doubleBits(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof(bits));
  return bits;
}

static inline double cfi_bitsDouble(uint64_t bits) {
  double x;
  memcpy(&x, &bits, sizeof(x));
  return x;
}

// 2^n for -1022 <= n <= 1023
static inline double cfi_twoTo(int n) {
  return cfi_bitsDouble((uint64_t)(n + 1023) << 52);
}

// sum of two numbers, the first the larger one
static inline cfWide cfi_wideFast(double a, double b) {
  const double sum = a + b;
  return (cfWide){sum, b - (sum - a)};
}

// sum of two numbers in any order (Knuth)
static inline cfWide cfi_wideSum(double a, double b) {
  const double sum = a + b, part = sum - a;
  return (cfWide){sum, (a - (sum - part)) + (b - part)};
}

// product of two numbers below 2^990; exact unless it is near the smallest numbers
static inline cfWide cfi_wideProduct(double a, double b) {
  const double split = 0x1p27 + 1;
  const double ca = split * a, cb = split * b;
  const double ah = ca - (ca - a), bh = cb - (cb - b);
  const double al = a - ah, bl = b - bh;
  const double product = a * b;
  return (cfWide){product, ((ah * bh - product) + ah * bl + al * bh) + al * bl};
}

static inline cfWide cfi_wideAdd(cfWide a, cfWide b) {
  const cfWide sum = cfi_wideSum(a.hi, b.hi);
  return cfi_wideFast(sum.hi, sum.lo + (a.lo + b.lo));
}

static inline cfWide cfi_wideMul(cfWide a, cfWide b) {
  const cfWide product = cfi_wideProduct(a.hi, b.hi);
  return cfi_wideFast(product.hi, product.lo + (a.hi * b.lo + a.lo * b.hi));
}

static inline cfWide cfi_wideDivide(cfWide a, cfWide b) {
  const double quotient = a.hi / b.hi;
  const cfWide back = cfi_wideProduct(quotient, b.hi);
  const double rest = ((a.hi - back.hi) - back.lo + a.lo) - quotient * b.lo;
  return cfi_wideFast(quotient, rest / b.hi);
}

static inline cfWide cfi_wideNegative(cfWide a) {
  return (cfWide){-a.hi, -a.lo};
}

// value of a polynomial, the constant first (Horner)
static inline double cfi_polynomial(const double* coefficient, int n, double x) {
  double value = coefficient[n - 1];
  for (int k = n - 2; k >= 0; k--) {
    value = value * x + coefficient[k];
  }
  return value;
}

#endif  // CF_MATH_WIDE_H
