// The fast tier on a GPU in double precision, with sensors and parameters of worlds.
#define CF_TEAM_KERNEL cf_teamDoubleWide
#define CF_TEAM_PLAN cf_teamDoubleWidePlan
#include "team/kernel.h"
