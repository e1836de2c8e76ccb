// Elementary functions: the same bits on every processor, system and compiler.
//
// The C library's functions differ from system to system in their last bit; a GPU has others again.
// These use +, -, *, / and sqrt of doubles (each correctly rounded everywhere) and integers alone,
// no fused multiply-add and no table that is computed at run time, so CPU, lanes, GPU and browser
// agree.  The library calls no others (tools/check_layers.py); a build with -DCF_OWN_LIBM=OFF takes
// the system's instead.
//
// Bounds of the error in units in the last place (tests/unit/math/test_libm.c; in brackets the
// largest of 4 million arguments each):
//   sin, cos 0.515 (0.511) | tan 0.535 (0.527) | exp 0.53 (0.524) | expm1 0.59 (0.582) | log 0.505
//   | pow 0.535 (0.526) | asin 0.535 (0.529) | acos 0.525 (0.518) | atan, atan2, hypot 0.505
// Special values are those of C11, Annex F; errno is never set.
#ifndef CF_MATH_LIBM_H
#define CF_MATH_LIBM_H

#ifndef CF_SYSTEM_LIBM

double cfi_sin(double x);
double cfi_cos(double x);
double cfi_tan(double x);
double cfi_asin(double x);
double cfi_acos(double x);
double cfi_atan(double x);
double cfi_atan2(double y, double x);
double cfi_exp(double x);
double cfi_expm1(double x);
double cfi_log(double x);
double cfi_pow(double x, double y);
double cfi_hypot(double x, double y);

// sine and cosine of one angle
void cfi_sinCos(double* sine, double* cosine, double x);

// sine and cosine of n angles, side by side; faster than one angle after the other
void cfi_sinCosOf(double (*res)[2], const double* x, int n);

#else

#include <math.h>

#define cfi_sin sin
#define cfi_cos cos
#define cfi_tan tan
#define cfi_asin asin
#define cfi_acos acos
#define cfi_atan atan
#define cfi_atan2 atan2
#define cfi_exp exp
#define cfi_expm1 expm1
#define cfi_log log
#define cfi_pow pow
#define cfi_hypot hypot

static inline void cfi_sinCos(double* sine, double* cosine, double x) {
  *sine = sin(x);
  *cosine = cos(x);
}

static inline void cfi_sinCosOf(double (*res)[2], const double* x, int n) {
  for (int k = 0; k < n; k++) {
    cfi_sinCos(res[k], res[k] + 1, x[k]);
  }
}

#endif  // CF_SYSTEM_LIBM

// the other argument where one is not a number; of two zeros the first
static inline double cfi_fmin(double x, double y) {
  return y < x || x != x ? y : x;
}

static inline double cfi_fmax(double x, double y) {
  return y > x || x != x ? y : x;
}

#endif  // CF_MATH_LIBM_H
