// The fast tier on a GPU in single precision, with pairs of geoms by GJK, sensors and parameters of
// worlds.
#define CF_TEAM_SINGLE
#define CF_TEAM_CONVEX
#define CF_TEAM_KERNEL cf_teamSingleConvex
#define CF_TEAM_PLAN cf_teamSingleConvexPlan
#include "team/kernel.h"
