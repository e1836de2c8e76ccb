// Constraint rows: friction loss, limits, contacts.
#include "team/team.h"


// stage ROWS
CF_TEAM_FN void cfi_teamRows(const cfTeam* t) {
  (void)t;
}
