// Elementary functions of the single-precision tier on a device.
#define teamSqrt __builtin_sqrtf
