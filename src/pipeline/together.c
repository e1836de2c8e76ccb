// Stages side by side on the threads of a pool.
#include "pipeline/together.h"

#include <mujoco/mujoco.h>

// what a worker needs to run a stage
typedef struct {
  const mjModel* m;
  mjData* d;
} cfStageCall;


static void* runCollision(void* args) {
  const cfStageCall* call = args;
  mj_collision(call->m, call->d);
  return NULL;
}


void cfi_inertiaAndCollision(const mjModel* m, mjData* d) {
  mjThreadPool* pool = (mjThreadPool*)d->threadpool;
  cfStageCall call = {m, d};
  mjTask task;
  if (pool) {
    mju_defaultTask(&task);
    task.func = runCollision;
    task.args = &call;
    mju_threadPoolEnqueue(pool, &task);
  }

  mj_makeM(m, d);
  mj_factorM(m, d);
  if (pool) {
    mju_taskJoin(&task);
  } else {
    mj_collision(m, d);
  }
}
