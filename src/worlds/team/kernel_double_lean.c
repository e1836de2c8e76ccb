// The fast tier on a GPU in double precision, without what few models have.
#define CF_TEAM_LEAN
#define CF_TEAM_PLAIN
#define CF_TEAM_KERNEL cf_teamDoubleLean
#define CF_TEAM_PLAN cf_teamDoubleLeanPlan
#include "team/kernel.h"
