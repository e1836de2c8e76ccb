// Steps and resets of the worlds of a batch.
#include <math.h>
#include <string.h>

#include "base/assert.h"
#include "base/memory.h"
#include "batch/batch.h"


// ---------------------------------------- control noise

// a number in 0..2^64-1 that looks random, for a place in a sequence
static uint64_t scramble(uint64_t x) {
  x += 0x9E3779B97F4A7C15u;
  x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
  x = (x ^ x >> 27) * 0x94D049BB133111EBu;
  return x ^ x >> 31;
}


// normally distributed, a function of seed, world, step and actuator alone
static mjtNum gauss(uint64_t seed, int world, int64_t step, int actuator) {
  const uint64_t place = scramble(seed ^ scramble((uint64_t)world << 32 | (uint64_t)actuator));
  const uint64_t first = scramble(place ^ scramble((uint64_t)step)), second = scramble(first);
  const mjtNum radius = sqrt(-2 * log(((mjtNum)(first >> 11) + 1) * 0x1p-53));
  return radius * cos(2 * mjPI * (mjtNum)(second >> 11) * 0x1p-53);
}


// controls wander about the middle of their range
void cfi_batchNoise(const cfBatch* batch, const mjModel* m, mjData* d, int world, int64_t step) {
  const mjtNum keep = exp(-m->opt.timestep / fmax(batch->options.noise_rate, mjMINVAL));
  const mjtNum scale = batch->options.noise_scale * sqrt(1 - keep * keep);
  for (int i = 0; i < m->nu; i++) {
    const mjtNum* range = m->actuator_ctrlrange + 2 * i;
    const bool is_limited = m->actuator_ctrllimited[i];
    const mjtNum middle = is_limited ? 0.5 * (range[0] + range[1]) : 0;
    const mjtNum half = is_limited ? 0.5 * (range[1] - range[0]) : 1;
    const mjtNum pushed = scale * half * gauss(batch->options.seed, world, step, i);
    d->ctrl[i] = middle + keep * (d->ctrl[i] - middle) + pushed;
  }
}


// ---------------------------------------- tasks

bool cfi_batchIsBad(const mjData* d) {
  return d->warning[mjWARN_BADQPOS].number || d->warning[mjWARN_BADQVEL].number ||
         d->warning[mjWARN_BADQACC].number;
}


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
    is_good = !cfi_batchIsBad(d);
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


int cf_batchStep(cfBatch* batch, int nstep) {
  if (nstep < 0) {
    return cfi_batchFail(batch, "%d steps: expected 0 or more", nstep);
  }
  batch->nstep = nstep;
  if (cfi_batchHasLanes(batch)) {
    cfi_batchRun(batch, cfi_batchStepGroup, NULL, cfi_batchGroups(batch));
  } else {
    cfi_batchRun(batch, stepTask, NULL, batch->nworld);
  }
  restartLost(batch);
  return 1;
}


int cf_batchForward(cfBatch* batch) {
  cfi_batchRun(batch, forwardTask, NULL, batch->nworld);
  restartLost(batch);
  return 1;
}


int cf_batchReset(cfBatch* batch, const mjtByte* mask, int key) {
  if (key < -1 || key >= batch->model->nkey) {
    return cfi_batchFail(batch, "keyframe %d: the model has %d", key, (int)batch->model->nkey);
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
