// Elementary functions of plugins: those of the library, compiled again.
#include "libm.h"

#include "math/libm_angle.c"
#include "math/libm_exp.c"
#include "math/libm_trig.c"
