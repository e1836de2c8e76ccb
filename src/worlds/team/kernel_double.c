// The fast tier on a GPU in double precision.
#define CF_TEAM_PLAIN
#define CF_TEAM_KERNEL cf_teamDouble
#define CF_TEAM_PLAN cf_teamDoublePlan
#include "team/kernel.h"
