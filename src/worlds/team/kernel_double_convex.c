// The fast tier on a GPU in double precision, with pairs of geoms by GJK, sensors and parameters of
// worlds.
#define CF_TEAM_CONVEX
#define CF_TEAM_KERNEL cf_teamDoubleConvex
#define CF_TEAM_PLAN cf_teamDoubleConvexPlan
#include "team/kernel.h"
