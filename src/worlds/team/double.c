// The fast tier in double precision.
#include "team/stages.h"

#include "team/plan.h"

const cfTeamTier cfi_teamDouble = CF_TEAM_TIER;
