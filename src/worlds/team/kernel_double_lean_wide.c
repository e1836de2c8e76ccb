// The fast tier on a GPU in double precision, without what few models have, with sensors and
// parameters of worlds.
#define CF_TEAM_LEAN
#define CF_TEAM_KERNEL cf_teamDoubleLeanWide
#define CF_TEAM_PLAN cf_teamDoubleLeanWidePlan
#include "team/kernel.h"
