// Making and freeing a batch.
#include "batch/batch.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/platform.h"
#include "batch/cuda.h"


int cfi_batchFail(cfBatch* batch, const char* format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(batch->error, sizeof(batch->error), format, args);
  va_end(args);
  return 0;
}


int cfi_batchHasWorlds(cfBatch* batch, const int* world, int nworld) {
  if (nworld < 0 || nworld > batch->nworld) {
    return cfi_batchFail(batch, "%d worlds: the batch has %d", nworld, batch->nworld);
  }
  for (int k = 0; world && k < nworld; k++) {
    if (world[k] < 0 || world[k] >= batch->nworld) {
      return cfi_batchFail(batch, "world %d: the batch has %d", world[k], batch->nworld);
    }
  }
  return 1;
}


void cf_defaultBatchOptions(cfBatchOptions* options) {
  *options = (cfBatchOptions){.noise_rate = 0.1};
}


static int checkBatchOptions(cfBatch* batch) {
  const cfBatchOptions* options = &batch->options;
  if (batch->nworld < 1) {
    return cfi_batchFail(batch, "%d worlds: expected 1 or more", batch->nworld);
  }
  if (options->tier < CF_TIER_AUTO || options->tier > CF_TIER_FAST ||
      options->precision < CF_PRECISION_DOUBLE || options->precision > CF_PRECISION_SINGLE) {
    return cfi_batchFail(batch, "tier %d, precision %d: expected CF_TIER_... and CF_PRECISION_...",
                         (int)options->tier, (int)options->precision);
  }
  if (options->backend != CF_BACKEND_CPU && options->backend != CF_BACKEND_CUDA) {
    return cfi_batchFail(batch, "backend %d: expected CF_BACKEND_CPU or CF_BACKEND_CUDA",
                         (int)options->backend);
  }
  const int last = options->backend == CF_BACKEND_CPU ? CF_REACTIONS_LAST : CF_REACTIONS_FIRST;
  if ((int)options->reactions < CF_REACTIONS_FIRST || (int)options->reactions > last) {
    return cfi_batchFail(batch,
                         "reactions %d: expected CF_REACTIONS_FIRST or, on the CPU alone, "
                         "CF_REACTIONS_LAST",
                         (int)options->reactions);
  }
  if (options->unstable != CF_UNSTABLE_RESET && options->unstable != CF_UNSTABLE_FREEZE) {
    return cfi_batchFail(batch, "unstable %d: expected CF_UNSTABLE_RESET or CF_UNSTABLE_FREEZE",
                         (int)options->unstable);
  }
  if (!(options->noise_scale >= 0) || !(options->noise_rate >= 0) || options->ncontact < 0 ||
      options->nthread < 0 || options->narena < 0) {
    return cfi_batchFail(batch,
                         "noise, threads, contacts and memory of a batch cannot be negative");
  }
  if (!isfinite(options->noise_scale) || !isfinite(options->noise_rate)) {
    return cfi_batchFail(batch, "noise of a batch cannot be infinite");
  }
  return 1;
}


static int fill(cfBatch* batch, const mjModel* m) {
  if (!m) {
    return cfi_batchFail(batch, "the model is NULL");
  }
  batch->model = mj_copyModel(NULL, m);
  if (!batch->model) {
    return cfi_batchFail(batch, "no memory for a copy of the model");
  }
  const bool is_cpu = batch->options.backend == CF_BACKEND_CPU;
  return (is_cpu || cfi_cudaPrepare(batch)) && cfi_batchMakeRecords(batch) &&
         (!is_cpu || cfi_batchChooseLanes(batch)) && cfi_batchStartWorkers(batch) &&
         (is_cpu || cfi_cudaOpen(batch)) && cf_batchReset(batch, NULL, -1);
}


cfBatch* cfi_makeBatch(const mjModel* m, int nworld, const cfBatchOptions* options,
                       bool is_persistent, char* error, int nerror) {
  cfBatch* batch = cfi_tryMalloc(sizeof(*batch));
  if (!batch) {
    snprintf(error, error && nerror > 0 ? (size_t)nerror : 0, "no memory for a batch");
    return NULL;
  }
  memset(batch, 0, sizeof(*batch));
  batch->nworld = nworld;
  batch->is_persistent = is_persistent;
  cfi_mutexInit(&batch->guard);
  cfi_conditionInit(&batch->begin);
  cfi_conditionInit(&batch->end);
  cf_defaultBatchOptions(&batch->options);
  batch->options = options ? *options : batch->options;
  const int is_good = checkBatchOptions(batch) && cfi_batchGuard(batch, fill, m);
  batch->options.outputs = NULL;  // the caller's text may go
  if (!is_good) {
    snprintf(error, error && nerror > 0 ? (size_t)nerror : 0, "%s", batch->error);
    cf_freeBatch(batch);
    return NULL;
  }
  return batch;
}


cfBatch* cf_makeBatch(const mjModel* m, int nworld, const cfBatchOptions* options, char* error,
                      int nerror) {
  return cfi_makeBatch(m, nworld, options, /*is_persistent=*/false, error, nerror);
}


void cf_freeBatch(cfBatch* batch) {
  if (batch) {
    cfi_cudaClose(batch);
    cfi_batchStopWorkers(batch);
    cfi_batchFreeRecords(batch);
    cfi_batchFreeParameters(batch);
    mju_free(batch->place);
    mju_free(batch->chosen);
    mj_deleteModel(batch->model);
    cfi_mutexDestroy(&batch->guard);
    cfi_conditionDestroy(&batch->begin);
    cfi_conditionDestroy(&batch->end);
    mju_free(batch);
  }
}


const char* cf_batchError(const cfBatch* batch) {
  return batch->error;
}


int cf_batchSize(const cfBatch* batch) {
  return batch->nworld;
}


const mjModel* cf_batchModel(const cfBatch* batch) {
  return batch->model;
}


mjtSize cf_batchWorldBytes(const cfBatch* batch) {
  size_t bytes = batch->stride * (batch->kept ? 2 : 1) + sizeof(cfWorldStatus);
  for (int k = 0; k < batch->nparameter; k++) {
    bytes += batch->parameter[k].bytes * (batch->parameter[k].live ? 2 : 1);
  }
  if (batch->cuda) {
    const size_t other =
        batch->cuda->local_bytes ? batch->cuda->local_bytes : batch->cuda->pool_bytes;
    bytes += cfi_cudaHasTeam(batch) ? cfi_cudaTeamBytes(batch) : other;
  } else if (batch->whole) {
    const mjData* d = batch->whole[0];
    bytes += sizeof(mjData*) + sizeof(mjData) + (size_t)d->nbuffer + (size_t)d->narena;
  }
  return (mjtSize)bytes;
}


int cf_batchStatus(cfBatch* batch, int world, cfWorldStatus* status) {
  if (!status) {
    return cfi_batchFail(batch, "the status is NULL");
  }
  if (!cfi_batchHasWorlds(batch, &world, 1) || (batch->cuda && !cfi_cudaFetchStatus(batch))) {
    return 0;
  }
  *status = batch->status[world];
  return 1;
}


int64_t cf_batchLost(cfBatch* batch) {
  int64_t sum = 0;
  if (batch->cuda) {
    cfi_cudaFetchStatus(batch);
  }
  for (int w = 0; w < batch->nworld; w++) {
    sum += batch->status[w].nlost;
  }
  return sum;
}
