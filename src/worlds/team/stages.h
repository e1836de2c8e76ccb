// The stages of a step for one precision.  A file defines CF_TEAM_SINGLE or not and includes this.
#include "team/team.h"

#include "law/number_team.h"

#include "law/vec.h"

#include "law/joints.h"
#include "law/springs.h"

#include "team/kinematics.c"

#include "team/dense.c"

#include "team/inertia.c"

#include "team/tendons.c"

#include "team/forces.c"

#include "team/shapes.c"

#include "team/collide.c"

#include "team/blocks.c"

#include "team/equality.c"

#include "team/limits.c"

#include "team/rows.c"

#include "team/cost.c"

#include "team/hessian.c"

#include "team/linesearch.c"

#include "team/solve.c"

#include "team/integrate.c"

#ifndef CF_TEAM_PLAIN
#include "team/sense.c"
#endif


// a stage, begun by all teams of a block together; not active: only the others are waited for
#define CF_TEAM_STAGE(stage) \
  teamAlign(t);              \
  if (is_active) {           \
    stage;                   \
  }


// one step of a world; sensors are wanted of the last one of a launch, at its beginning
CF_TEAM_FN void cfi_teamStep(const cfTeam* t, bool is_active, bool is_last) {
  for (int k = 0; k < t->m->evaluations; k++) {
    CF_TEAM_STAGE(cfi_teamKinematics(t))
    CF_TEAM_STAGE(cfi_teamInertia(t))
    CF_TEAM_STAGE(cfi_teamForces(t))
    CF_TEAM_STAGE(cfi_teamCollide(t))
    CF_TEAM_STAGE(cfi_teamRows(t))
    teamAlign(t);
    cfi_teamSolve(t, is_active);
#ifndef CF_TEAM_PLAIN
    if (is_active && is_last && k == 0 && t->m->nsensor) {
      cfi_teamSense(t);
    }
#else
    (void)is_last;
#endif
    if (is_active && t->m->evaluations > 1) {
      cfi_teamEvaluated(t, k);
    }
  }
  CF_TEAM_STAGE(cfi_teamIntegrate(t))
}

#include "team/run.c"
