// Included before every source file of the twin: device code as it is, except that its elementary
// functions can be exchanged for the system's, so that the twin can be held to the library's bits.
#ifndef CF_TWIN_H
#define CF_TWIN_H

#include "device/device.h"

extern int cf_twinUsesSystem;

#undef sin
#undef cos
#undef tan
#undef asin
#undef acos
#undef atan2
#undef exp
#undef expm1
#undef log
#undef pow
#define sin(x) (cf_twinUsesSystem ? (sin)(x) : cfi_sin(x))
#define cos(x) (cf_twinUsesSystem ? (cos)(x) : cfi_cos(x))
#define tan(x) (cf_twinUsesSystem ? (tan)(x) : cfi_tan(x))
#define asin(x) (cf_twinUsesSystem ? (asin)(x) : cfi_asin(x))
#define acos(x) (cf_twinUsesSystem ? (acos)(x) : cfi_acos(x))
#define atan2(y, x) (cf_twinUsesSystem ? (atan2)(y, x) : cfi_atan2(y, x))
#define exp(x) (cf_twinUsesSystem ? (exp)(x) : cfi_exp(x))
#define expm1(x) (cf_twinUsesSystem ? (expm1)(x) : cfi_expm1(x))
#define log(x) (cf_twinUsesSystem ? (log)(x) : cfi_log(x))
#define pow(x, y) (cf_twinUsesSystem ? (pow)(x, y) : cfi_pow(x, y))

#endif  // CF_TWIN_H
