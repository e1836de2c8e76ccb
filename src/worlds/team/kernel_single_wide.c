// The fast tier on a GPU in single precision, with sensors and parameters of worlds.
#define CF_TEAM_SINGLE
#define CF_TEAM_KERNEL cf_teamSingleWide
#define CF_TEAM_PLAN cf_teamSingleWidePlan
#include "team/kernel.h"
