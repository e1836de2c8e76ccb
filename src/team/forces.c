// Velocities of bodies, bias, passive and actuator forces; the acceleration without constraints.
#include "team/team.h"


// stage FORCES
CF_TEAM_FN void cfi_teamForces(const cfTeam* t) {
  (void)t;
}
