// The fast tier in single precision.
#define CF_TEAM_SINGLE
#include "team/stages.h"

#include "team/plan.h"

const cfTeamTier cfi_teamSingle = CF_TEAM_TIER;
