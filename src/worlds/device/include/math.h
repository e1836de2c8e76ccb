// Device code: what is correctly rounded everywhere; the rest is in src/math/libm.h.
#pragma once
#define sqrt(x) __builtin_sqrt(x)
#define fabs(x) __builtin_fabs(x)
#define floor(x) __builtin_floor(x)
#define ceil(x) __builtin_ceil(x)
#define trunc(x) __builtin_trunc(x)
#define copysign(x, y) __builtin_copysign(x, y)
#define fabsf(x) __builtin_fabsf(x)
#define sqrtf(x) __builtin_sqrtf(x)
#define isnan(x) __builtin_isnan(x)
#define isinf(x) __builtin_isinf(x)
#define isfinite(x) __builtin_isfinite(x)
#define signbit(x) __builtin_signbit(x)
#define INFINITY __builtin_inff()
#define HUGE_VAL __builtin_huge_val()
#define NAN __builtin_nanf("")
#define M_PI 3.14159265358979323846
