// Stages side by side on the threads of a pool.
#include "pipeline/together.h"

#include <stdbool.h>

#include <mujoco/mujoco.h>

#include "base/threads.h"
#include "model/flags.h"

// what a worker needs to run a stage
typedef struct {
  const mjModel* m;
  mjData* d;
  bool with_bias;
} cfStageCall;


static void runStage(void* context, int k) {
  const cfStageCall* call = context;
  if (k == 0) {
    mj_collision(call->m, call->d);
  } else {
    mj_makeM(call->m, call->d);
    mj_factorM(call->m, call->d);
    if (call->with_bias) {
      mj_comVel(call->m, call->d);
      mj_rne(call->m, call->d, 0, call->d->qfrc_bias);
    }
  }
}


// below this many dofs or geoms both stages are done before another thread has noticed
enum { WORTH_SHARING = 64 };

bool cfi_inertiaAndCollision(const mjModel* m, mjData* d, bool with_bias) {
  const bool shares = d->threadpool && m->nv >= WORTH_SHARING && m->ngeom >= WORTH_SHARING;
  if (shares) {
    // contacts wake trees, whose velocities would then be missing
    cfStageCall call = {m, d, with_bias && !cfi_enabled(m, mjENBL_SLEEP)};
    cfi_poolLoop((mjThreadPool*)d->threadpool, 2, 2, runStage, &call);
    return call.with_bias;
  }
  mj_makeM(m, d);
  mj_factorM(m, d);
  mj_collision(m, d);
  return false;
}
