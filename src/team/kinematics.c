// Poses of bodies and geoms, centers of mass, inertias and motion axes.
#include "team/team.h"


// stage KINEMATICS
CF_TEAM_FN void cfi_teamKinematics(const cfTeam* t) {
  (void)t;
}
