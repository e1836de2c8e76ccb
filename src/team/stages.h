// The stages of a step for one precision.  A file defines CF_TEAM_SINGLE or not and includes this.
#include "team/team.h"

#include "team/vector.h"

#include "team/kinematics.c"

#include "team/inertia.c"

#include "team/forces.c"

#include "team/collide.c"

#include "team/rows.c"

#include "team/cost.c"

#include "team/hessian.c"

#include "team/linesearch.c"

#include "team/solve.c"

#include "team/integrate.c"


// one step of a world
CF_TEAM_FN void cfi_teamStep(const cfTeam* t) {
  for (int k = 0; k < t->m->evaluations; k++) {
    cfi_teamKinematics(t);
    cfi_teamInertia(t);
    cfi_teamForces(t);
    cfi_teamCollide(t);
    cfi_teamRows(t);
    cfi_teamSolve(t);
    if (t->m->evaluations > 1) {
      cfi_teamEvaluated(t, k);
    }
  }
  cfi_teamIntegrate(t);
}

#include "team/run.c"
