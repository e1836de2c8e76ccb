// The next state: Euler with implicit damping, implicitfast.
#include "team/team.h"


// stage INTEGRATE
CF_TEAM_FN void cfi_teamIntegrate(const cfTeam* t) {
  (void)t;
}
