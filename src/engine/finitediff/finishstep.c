// The rest of a step whose frames and contacts are known.
#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "finitediff/difference.h"
#include "finitediff/response.h"
#include "math/dense.h"
#include "model/flags.h"

// the solver begins at the solution of the center, which is near
void cfi_finishStep(const cfStepResponse* r, cftNudged done) {
  CF_ASSERT(done != CF_NUDGED_SAME);
  const mjModel* m = r->m;
  mjData* d = r->d;
  if (done == CF_NUDGED_CONTACTS) {
    mj_makeConstraint(m, d);
  }
  mj_makeM(m, d);
  mj_factorM(m, d);
  mj_island(m, d);
  mj_transmission(m, d);
  mj_projectConstraint(m, d);
  mj_fwdVelocity(m, d);
  mj_fwdActuation(m, d);
  mj_fwdAcceleration(m, d);
  if (!cfi_disabled(m, mjDSBL_WARMSTART)) {
    mju_copy(d->qacc_warmstart, r->a, r->nv);
  }
  mj_fwdConstraint(m, d);
  cfi_integrateSkip(m, d, mjSTAGE_NONE);
}
