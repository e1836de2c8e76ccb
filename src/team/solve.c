// The constraint solver: Newton's method with an exact line search.
#include "team/team.h"


// stage SOLVE
CF_TEAM_FN void cfi_teamSolve(const cfTeam* t) {
  (void)t;
}
