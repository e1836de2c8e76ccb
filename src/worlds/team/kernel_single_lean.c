// The fast tier on a GPU in single precision, without what few models have.
#define CF_TEAM_SINGLE
#define CF_TEAM_LEAN
#define CF_TEAM_PLAIN
#define CF_TEAM_KERNEL cf_teamSingleLean
#define CF_TEAM_PLAN cf_teamSingleLeanPlan
#include "team/kernel.h"
