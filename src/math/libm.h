// Our own elementary functions: the same bits on every processor.
//
// The C library's functions differ from system to system in their last bit; a GPU has others again.
// These use +, -, *, / and sqrt of doubles (each correctly rounded everywhere) and integers alone,
// no fused multiply-add and no table that is computed at run time, so CPU, GPU and browser agree.
// The library calls them where it is built with CF_OWN_LIBM (math/libm_names.h gives them the usual
// names), and always in code for devices.
//
// Largest error seen in units in the last place, against long double, 3 million arguments each:
//   sin, cos 0.79 | tan 0.95 | exp 0.53 (0.75 where the result is below 2^-1022) | expm1 0.62 |
//   log 0.501 | pow 0.54 (0.75 likewise) | atan, atan2, asin, acos 0.504 | hypot 0.501
// A test holds them to that.  Special values are those of C11, Annex F; errno is never set.
#ifndef CF_MATH_LIBM_H
#define CF_MATH_LIBM_H

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

// the other argument where one is not a number; of two zeros the first
static inline double cfi_fmin(double x, double y) {
  return y < x || x != x ? y : x;
}

static inline double cfi_fmax(double x, double y) {
  return y > x || x != x ? y : x;
}

#endif  // CF_MATH_LIBM_H
