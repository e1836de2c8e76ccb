// The fast tier on a GPU in single precision.
#define CF_TEAM_SINGLE
#define CF_TEAM_PLAIN
#define CF_TEAM_KERNEL cf_teamSingle
#define CF_TEAM_PLAN cf_teamSinglePlan
#include "team/kernel.h"
