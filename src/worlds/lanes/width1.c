// Lanes of 1 world.
#define CF_LANES 1
#define CF_LANE_TABLE cfi_lanes1
#include "lanes/kernels.h"
