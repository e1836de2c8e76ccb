// Our elementary functions under the names of <math.h>; a build with CF_OWN_LIBM includes this
// before every source file.  Functions that every system rounds correctly keep the system's.
#ifndef CF_MATH_LIBM_NAMES_H
#define CF_MATH_LIBM_NAMES_H

#include <math.h>

#include "math/libm.h"

#define sin(x) cfi_sin(x)
#define cos(x) cfi_cos(x)
#define tan(x) cfi_tan(x)
#define asin(x) cfi_asin(x)
#define acos(x) cfi_acos(x)
#define atan(x) cfi_atan(x)
#define atan2(y, x) cfi_atan2(y, x)
#define exp(x) cfi_exp(x)
#define expm1(x) cfi_expm1(x)
#define log(x) cfi_log(x)
#define pow(x, y) cfi_pow(x, y)
#define hypot(x, y) cfi_hypot(x, y)
#define fmin(x, y) cfi_fmin(x, y)
#define fmax(x, y) cfi_fmax(x, y)

#endif  // CF_MATH_LIBM_NAMES_H
