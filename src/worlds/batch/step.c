// Steps and resets of the worlds of a batch.
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "base/memory.h"
#include "batch/batch.h"
#include "batch/cuda.h"
#include "device/noise.h"
#include "model/data.h"
#include "model/flags.h"
#include "pipeline/advance.h"


void cfi_batchNoise(const cfBatch* batch, const mjModel* m, mjData* d, int world, int64_t step) {
  const cfNoise noise = {batch->options.noise_scale, batch->options.noise_rate,
                         batch->options.seed};
  cfi_addNoise(&noise, m, d, world, step);
}


// ---------------------------------------- tasks

void cfi_batchGatherWarnings(cfWorldStatus* status, const mjData* d) {
  for (int k = 0; k < mjNWARNING; k++) {
    status->warning[k] += d->warning[k].number;
  }
}


void cfi_batchSeeWarnings(int seen[mjNWARNING], const mjData* d) {
  for (int k = 0; k < mjNWARNING; k++) {
    seen[k] = d->warning[k].number;
  }
}


void cfi_batchGatherLost(cfWorldStatus* status, const mjModel* m, const mjData* d,
                         const int seen[mjNWARNING]) {
  const bool has_reset = !cfi_disabled(m, mjDSBL_AUTORESET);
  for (int k = 0; k < mjNWARNING && has_reset; k++) {
    status->warning[k] += seen[k];
  }
  cfi_batchGatherWarnings(status, d);
  cfi_batchNoteNumbers(status, d);
}


void cfi_batchNoteNumbers(cfWorldStatus* status, const mjData* d) {
  static const int bad[] = {mjWARN_BADQPOS, mjWARN_BADQVEL, mjWARN_BADQACC};
  for (int k = 0; k < 3; k++) {
    if (d->warning[bad[k]].number) {
      snprintf(status->reason, sizeof(status->reason), "%s",
               mju_warningText(bad[k], (size_t)d->warning[bad[k]].lastinfo));
    }
  }
}


static void resetTo(const mjModel* m, mjData* d, int key) {
  CF_ASSERT(key < m->nkey);
  if (key >= 0) {
    mj_resetDataKeyframe(m, d, key);
  } else {
    mj_resetData(m, d);
  }
}


// results of a record are all overwritten, counters too
static void resetTask(cfBatchWorker* worker, int world) {
  const cfBatch* batch = worker->batch;
  const mjModel* m = cfi_batchWorldModel(worker, world);
  resetTo(m, cfi_batchTake(worker, world), batch->key);
  memset(batch->record + batch->stride * (size_t)world, 0, batch->stride);
  cfi_batchPut(worker, world);
  batch->status[world].is_frozen = 0;
}


// can a world be reset: where it has an mjData of its own, which has to stay as it is if not
static void tryResetTask(cfBatchWorker* worker, int world) {
  resetTo(cfi_batchWorldModel(worker, world), worker->data, worker->batch->key);
}


// steps until the numbers are bad; true if they stayed good.  `seen` is zero, and receives the
// warnings of good steps
static bool takeSteps(cfBatchWorker* worker, int world, const mjModel* m, mjData* d,
                      int seen[mjNWARNING]) {
  CF_ASSERT_INDEX(world, worker->batch->nworld);
  const cfBatch* batch = worker->batch;
  cfWorldStatus* status = batch->status + world;
  bool is_good = true;
  for (int k = 0; k < batch->nstep && is_good; k++) {
    cfi_courseDrive(batch, m, d, world, k);
    if (batch->options.noise_scale > 0) {
      cfi_batchNoise(batch, m, d, world, status->nstep);
    }
    const bool is_seen = batch->course || k == batch->nstep - 1;
    const bool reacts = batch->wants_reactions && is_seen;
    if (reacts && batch->has_last_reactions) {
      cfi_stepReactingLast(m, d);
    } else {
      cfi_stepReacting(m, d, reacts);
    }
    status->nstep++;
    is_good = !cfi_badNumbers(d);
    if (is_good) {
      cfi_batchSeeWarnings(seen, d);
    }
    cfi_courseRecord(batch, m, d, world, k);
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
  int seen[mjNWARNING] = {0};
  if (takeSteps(worker, world, m, d, seen)) {
    cfi_batchGatherWarnings(status, d);
    cfi_batchPut(worker, world);
    cfi_batchLeave(status);
  } else {
    cfi_batchGatherLost(status, m, d, seen);
  }
}


static void forwardTask(cfBatchWorker* worker, int world) {
  cfWorldStatus* status = worker->batch->status + world;
  if (!status->is_frozen) {
    cfi_batchEnter(status);
    mjData* d = cfi_batchTake(worker, world);
    const mjModel* m = cfi_batchWorldModel(worker, world);
    mj_forward(m, d);
    if (worker->batch->wants_reactions) {
      cfi_reactions(m, d);
    }
    cfi_batchGatherWarnings(status, d);
    cfi_batchPut(worker, world);
    cfi_batchLeave(status);
  }
}


// ---------------------------------------- the calls

// worlds of the mask, which is that of the call from now on; false: no memory
static bool listWorlds(cfBatch* batch, const mjtByte* mask) {
  batch->mask = mask;
  batch->nchosen = 0;
  batch->chosen =
      batch->chosen ? batch->chosen : cfi_tryMalloc(sizeof(int) * (size_t)batch->nworld);
  for (int w = 0; batch->chosen && w < batch->nworld; w++) {
    if (!mask || mask[w]) {
      batch->chosen[batch->nchosen++] = w;
    }
  }
  return batch->chosen ? true
                       : cfi_batchFail(batch, "no memory for a list of %d worlds", batch->nworld);
}


// lost worlds of the call start again, if that was asked for
static void restartLost(cfBatch* batch) {
  if (batch->options.unstable == CF_UNSTABLE_RESET) {
    batch->key = -1;
    for (int k = 0; k < batch->nchosen; k++) {
      if (batch->status[batch->chosen[k]].is_frozen) {
        cfi_batchRun(batch, resetTask, batch->chosen + k, 1);
      }
    }
  }
}


// Steps in pieces, before each of which worlds are put in order; one group has none.  A world that
// is lost in a later piece takes back what it had before the call, or there is one piece.
static void stepInLanes(cfBatch* batch, int nstep) {
  cfi_batchOrder(batch);
  const bool freezes = batch->options.unstable == CF_UNSTABLE_FREEZE;
  const bool has_pieces = cfi_batchGroups(batch) > 1 && nstep > CF_BATCH_PIECE;
  const bool keeps = has_pieces && freezes && cfi_batchKeepRecords(batch);
  const int piece = has_pieces && (keeps || !freezes) ? CF_BATCH_PIECE : nstep;
  for (batch->first_step = 0; batch->first_step < nstep; batch->first_step += batch->nstep) {
    const int left = nstep - batch->first_step;
    batch->nstep = left < piece ? left : piece;
    if (batch->first_step) {
      cfi_batchOrder(batch);
    }
    cfi_batchRun(batch, cfi_batchStepGroup, NULL, cfi_batchGroups(batch));
  }
  if (keeps) {
    cfi_batchTakeBackFrozen(batch);
  }
}


int cfi_batchSteps(cfBatch* batch, const mjtByte* mask, int nstep) {
  CF_ASSERT(nstep > 0 && !batch->cuda);
  if (!listWorlds(batch, mask)) {
    return 0;
  }
  batch->is_stepping = true;
  if (cfi_batchHasLanes(batch)) {
    stepInLanes(batch, nstep);
  } else {
    batch->first_step = 0;
    batch->nstep = nstep;
    cfi_batchRun(batch, stepTask, batch->chosen, batch->nchosen);
  }
  batch->is_stepping = false;
  restartLost(batch);
  return 1;
}


static int failChosen(cfBatch* batch) {
  return cfi_batchFail(batch, "worlds on a GPU are stepped all together, without a mask");
}


int cf_batchStep(cfBatch* batch, int nstep) {
  return cf_batchStepMasked(batch, NULL, nstep);
}


int cf_batchStepMasked(cfBatch* batch, const mjtByte* mask, int nstep) {
  if (nstep < 0) {
    return cfi_batchFail(batch, "%d steps: expected 0 or more", nstep);
  }
  if (!nstep) {
    return 1;
  }
  if (batch->cuda) {
    return mask ? failChosen(batch) : cfi_cudaRun(batch, CF_DEVICE_STEP, nstep, -1, NULL);
  }
  return cfi_batchTakeLive(batch) && cfi_batchSteps(batch, mask, nstep);
}


int cf_batchForward(cfBatch* batch) {
  return cf_batchForwardMasked(batch, NULL);
}


int cf_batchForwardMasked(cfBatch* batch, const mjtByte* mask) {
  if (batch->cuda) {
    return mask ? failChosen(batch) : cfi_cudaRun(batch, CF_DEVICE_FORWARD, 0, -1, NULL);
  }
  if (!cfi_batchTakeLive(batch) || !listWorlds(batch, mask)) {
    return 0;
  }
  batch->is_stepping = true;
  batch->nstep = 0;
  cfi_batchRun(batch, forwardTask, batch->chosen, batch->nchosen);
  batch->is_stepping = false;
  restartLost(batch);
  return 1;
}


// worlds of a list as they are, to take them back; NULL: no memory
static char* keepWorlds(const cfBatch* batch, const int* world, int n) {
  const size_t bytes = batch->stride + sizeof(cfWorldStatus);
  char* kept = cfi_tryMalloc(bytes * (size_t)n + 1);
  for (int k = 0; kept && k < n; k++) {
    char* place = kept + bytes * (size_t)k;
    memcpy(place, batch->status + world[k], sizeof(cfWorldStatus));
    memcpy(place + sizeof(cfWorldStatus), batch->record + batch->stride * (size_t)world[k],
           batch->stride);
  }
  return kept;
}


static void takeWorldsBack(cfBatch* batch, const char* kept, const int* world, int n) {
  const size_t bytes = batch->stride + sizeof(cfWorldStatus);
  for (int k = 0; k < n; k++) {
    const char* place = kept + bytes * (size_t)k;
    memcpy(batch->status + world[k], place, sizeof(cfWorldStatus));
    memcpy(batch->record + batch->stride * (size_t)world[k], place + sizeof(cfWorldStatus),
           batch->stride);
  }
}


// all of them, or none and a message
static int resetWorlds(cfBatch* batch, const int* world, int n) {
  if (batch->whole && cfi_batchTry(batch, tryResetTask, world, n)) {
    return cfi_batchFail(batch, "%s", batch->job);
  }
  char* kept = keepWorlds(batch, world, n);
  if (!kept) {
    return cfi_batchFail(batch, "no memory for the records of %d worlds", n);
  }
  const int nfailed = cfi_batchRun(batch, resetTask, world, n);
  if (nfailed) {
    takeWorldsBack(batch, kept, world, n);
    cfi_batchFail(batch, "%s", batch->job);
  }
  mju_free(kept);
  return !nfailed;
}


int cf_batchReset(cfBatch* batch, const mjtByte* mask, int key) {
  if (key < -1 || key >= batch->model->nkey) {
    return cfi_batchFail(batch, "keyframe %d: the model has %d", key, (int)batch->model->nkey);
  }
  if (batch->cuda) {
    return cfi_cudaRun(batch, CF_DEVICE_RESET, 0, key, mask);
  }
  if (!cfi_batchTakeLive(batch) || !listWorlds(batch, mask)) {
    return 0;
  }
  batch->key = key;
  return resetWorlds(batch, batch->chosen, batch->nchosen);
}
