// Lanes of 4 worlds that have model parameters of their own.
#ifdef __x86_64__
#define CF_LANES 4
#define CF_LANE_TABLE cfi_lanes4Own
#define CF_LANE_HAS_OWN
#include "lanes/kernels.h"
#else
typedef int cfOwn4Absent;
#endif
