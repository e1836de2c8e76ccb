// Contacts of pairs of geoms.
#include "team/team.h"


// stage COLLIDE
CF_TEAM_FN void cfi_teamCollide(const cfTeam* t) {
  (void)t;
}
