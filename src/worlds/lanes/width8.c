// Lanes of 8 worlds.
#ifdef __x86_64__
#define CF_LANES 8
#define CF_LANE_TABLE cfi_lanes8
#include "lanes/kernels.h"
#else
typedef int cfLanes8Absent;
#endif
