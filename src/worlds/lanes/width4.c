// Lanes of 4 worlds.
#ifdef __x86_64__
#define CF_LANES 4
#define CF_LANE_TABLE cfi_lanes4
#include "lanes/kernels.h"
#else
typedef int cfLanes4Absent;
#endif
