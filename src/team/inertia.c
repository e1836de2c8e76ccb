// The inertia matrix and its factors.
#include "team/team.h"


// stage INERTIA
CF_TEAM_FN void cfi_teamInertia(const cfTeam* t) {
  (void)t;
}
