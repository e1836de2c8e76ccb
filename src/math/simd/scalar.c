// The dense kernels in plain C: the twin that the tests hold against the vector version.
#define CF_SCALAR_LANES
#define CF_KERNEL(name) cfi_scalar_##name
#include "math/simd/dense_kernels.h"
