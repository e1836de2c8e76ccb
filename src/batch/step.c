// Steps and resets of the worlds of a batch.
#include <string.h>

#include "base/assert.h"
#include "base/memory.h"
#include "batch/batch.h"
#include "batch/cuda.h"
#include "device/noise.h"
#include "model/data.h"


void cfi_batchNoise(const cfBatch* batch, const mjModel* m, mjData* d, int world, int64_t step) {
  const cfNoise noise = {batch->options.noise_scale, batch->options.noise_rate,
                         batch->options.seed};
  cfi_addNoise(&noise, m, d, world, step);
}


// ---------------------------------------- tasks

// counters of this world alone
void cfi_batchClearWarnings(mjData* d) {
  memset(d->warning, 0, sizeof(d->warning));
}


void cfi_batchGatherWarnings(cfWorldStatus* status, const mjData* d) {
  for (int k = 0; k < mjNWARNING; k++) {
    status->warning[k] += d->warning[k].number;
  }
}


static void resetWorld(cfBatchWorker* worker, int world, int key) {
  CF_ASSERT(key < worker->batch->model->nkey);
  const mjModel* m = cfi_batchWorldModel(worker, world);
  mjData* d = cfi_batchTake(worker, world);
  if (key >= 0) {
    mj_resetDataKeyframe(m, d, key);
  } else {
    mj_resetData(m, d);
  }
  cfi_batchPut(worker, world);
}


static void resetTask(cfBatchWorker* worker, int world) {
  resetWorld(worker, world, worker->batch->key);
  worker->batch->status[world].is_frozen = 0;
}


// steps until the numbers are bad; true if they stayed good
static bool takeSteps(cfBatchWorker* worker, int world, const mjModel* m, mjData* d) {
  CF_ASSERT_INDEX(world, worker->batch->nworld);
  const cfBatch* batch = worker->batch;
  cfWorldStatus* status = batch->status + world;
  bool is_good = true;
  for (int k = 0; k < batch->nstep && is_good; k++) {
    if (batch->options.noise_scale > 0) {
      cfi_batchNoise(batch, m, d, world, status->nstep);
    }
    mj_step(m, d);
    status->nstep++;
    is_good = !cfi_badNumbers(d);
  }
  return is_good;
}


// until it ends well a task counts as lost, so that an error on the way needs no more
void cfi_batchEnter(cfWorldStatus* status) {
  status->nlost++;
  status->is_frozen = 1;
}


void cfi_batchLeave(cfWorldStatus* status) {
  status->nlost--;
  status->is_frozen = 0;
}


static void stepTask(cfBatchWorker* worker, int world) {
  cfWorldStatus* status = worker->batch->status + world;
  if (status->is_frozen) {
    return;
  }
  cfi_batchEnter(status);
  const mjModel* m = cfi_batchWorldModel(worker, world);
  mjData* d = cfi_batchTake(worker, world);
  cfi_batchClearWarnings(d);
  const bool is_good = takeSteps(worker, world, m, d);
  cfi_batchGatherWarnings(status, d);
  if (is_good) {
    cfi_batchPut(worker, world);
    cfi_batchLeave(status);
  }
}


static void forwardTask(cfBatchWorker* worker, int world) {
  cfWorldStatus* status = worker->batch->status + world;
  if (!status->is_frozen) {
    cfi_batchEnter(status);
    mjData* d = cfi_batchTake(worker, world);
    mj_forward(cfi_batchWorldModel(worker, world), d);
    cfi_batchPut(worker, world);
    cfi_batchLeave(status);
  }
}


// ---------------------------------------- the calls

// lost worlds start again, if that was asked for
static void restartLost(cfBatch* batch) {
  if (batch->options.unstable == CF_UNSTABLE_RESET) {
    batch->key = -1;
    for (int w = 0; w < batch->nworld; w++) {
      if (batch->status[w].is_frozen) {
        cfi_batchRun(batch, resetTask, &w, 1);
      }
    }
  }
}


// steps in pieces, before each of which worlds are put in order; one group has none
static void stepInLanes(cfBatch* batch, int nstep) {
  const int ngroup = cfi_batchGroups(batch), piece = ngroup > 1 ? CF_BATCH_PIECE : nstep;
  int left = nstep;
  do {
    batch->nstep = left < piece ? left : piece;
    cfi_batchOrder(batch);
    cfi_batchRun(batch, cfi_batchStepGroup, NULL, ngroup);
    left -= batch->nstep;
  } while (left > 0);
}


int cf_batchStep(cfBatch* batch, int nstep) {
  if (nstep < 0) {
    return cfi_batchFail(batch, "%d steps: expected 0 or more", nstep);
  }
  if (batch->cuda) {
    return cfi_cudaRun(batch, CF_DEVICE_STEP, nstep, -1, NULL);
  }
  if (cfi_batchHasLanes(batch)) {
    stepInLanes(batch, nstep);
  } else {
    batch->nstep = nstep;
    cfi_batchRun(batch, stepTask, NULL, batch->nworld);
  }
  restartLost(batch);
  return 1;
}


int cf_batchForward(cfBatch* batch) {
  if (batch->cuda) {
    return cfi_cudaRun(batch, CF_DEVICE_FORWARD, 0, -1, NULL);
  }
  cfi_batchRun(batch, forwardTask, NULL, batch->nworld);
  restartLost(batch);
  return 1;
}


int cf_batchReset(cfBatch* batch, const mjtByte* mask, int key) {
  if (key < -1 || key >= batch->model->nkey) {
    return cfi_batchFail(batch, "keyframe %d: the model has %d", key, (int)batch->model->nkey);
  }
  if (batch->cuda) {
    return cfi_cudaRun(batch, CF_DEVICE_RESET, 0, key, mask);
  }
  int* world = cfi_tryMalloc(sizeof(int) * (size_t)batch->nworld);
  if (!world) {
    return cfi_batchFail(batch, "no memory for a list of %d worlds", batch->nworld);
  }
  int n = 0;
  for (int w = 0; w < batch->nworld; w++) {
    if (!mask || mask[w]) {
      world[n++] = w;
    }
  }
  batch->key = key;
  const int nfailed = cfi_batchRun(batch, resetTask, world, n);
  mju_free(world);
  return !nfailed;
}
