// The fast tier on a GPU in single precision, without what few models have, with sensors and
// parameters of worlds.
#define CF_TEAM_SINGLE
#define CF_TEAM_LEAN
#define CF_TEAM_KERNEL cf_teamSingleLeanWide
#define CF_TEAM_PLAN cf_teamSingleLeanWidePlan
#include "team/kernel.h"
