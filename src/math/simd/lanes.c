// The dense kernels on vector lanes.
#define CF_KERNEL(name) cfi_##name
#include "math/simd/dense_kernels.h"
