// Threads of a batch: a job is one task for many worlds, taken one by one from a counter.
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/assert.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/platform.h"
#include "batch/batch.h"
#include "model/data.h"

// the worker that the calling thread is, while it runs a job
static _Thread_local cfBatchWorker* current_worker;


// an error in a world ends its task and nothing else
static void leaveTask(const char* text) {
  CF_ASSERT(current_worker);
  snprintf(current_worker->text, sizeof(current_worker->text), "%s", text);
  longjmp(current_worker->way_out, 1);
}


// warnings are counted in mjData, and not printed once per world
static void hearWarning(const char* text) {
  (void)text;
}


// what an error leaves behind is cleaned, which runs code of users where trees start asleep or
// plugins are reset: an error in there leaves them half reset, but memory is in order
static void cleanData(cfBatchWorker* worker, mjData* d) {
  CF_ASSERT(current_worker == worker);
  if (!setjmp(worker->way_out)) {
    mj_resetData(worker->batch->model, d);
  } else {
    cfi_arenaReset(d);
    cfi_clearArenaArrays(d, /*keep_contacts=*/0);
  }
}


// the first error of a job is the one that is told.  An error leaves scratch memory in use and
// results half written: start with clean data again
void cfi_batchNoteError(cfBatchWorker* worker, int world, mjData* d) {
  cfBatch* batch = worker->batch;
  cfi_lock(&batch->guard);
  if (atomic_fetch_add(&batch->nfailed, 1) == 0) {
    snprintf(batch->job, sizeof(batch->job), "world %d: %.*s", world, CF_BATCH_TEXT - 20,
             worker->text);
  }
  if (batch->is_stepping && !batch->trouble[0]) {
    snprintf(batch->trouble, sizeof(batch->trouble), "%s", worker->text);
  }
  cfi_unlock(&batch->guard);
  if (batch->is_stepping) {
    cfWorldStatus* status = batch->status + world;
    cfi_batchGatherWarnings(status, d);
    snprintf(status->reason, sizeof(status->reason), "%.*s", (int)sizeof(status->reason) - 1,
             worker->text);
  }
  cleanData(worker, d);
}


static void runTask(cfBatchWorker* worker, int world) {
  const cfBatch* batch = worker->batch;
  if (!setjmp(worker->way_out)) {
    batch->task(worker, world);
    return;
  }
  const bool is_whole = batch->whole && !batch->is_trial;
  cfi_batchNoteError(worker, world, is_whole ? batch->whole[world] : worker->data);
}


// what errors and warnings of a thread did before
typedef struct {
  cfHandler error, warning;
  cfBatchWorker* worker;
} batchHandlers;


static batchHandlers catchErrors(cfBatchWorker* worker) {
  const batchHandlers before = {_mjPRIVATE__get_tls_error_fn(), _mjPRIVATE__get_tls_warning_fn(),
                                current_worker};
  current_worker = worker;
  _mjPRIVATE__set_tls_error_fn(leaveTask);
  _mjPRIVATE__set_tls_warning_fn(hearWarning);
  return before;
}


static void endCatching(const batchHandlers* before) {
  _mjPRIVATE__set_tls_error_fn(before->error);
  _mjPRIVATE__set_tls_warning_fn(before->warning);
  current_worker = before->worker;
}


// take worlds until there are none left
static void work(cfBatchWorker* worker) {
  cfBatch* batch = worker->batch;
  const batchHandlers before = catchErrors(worker);
  int place;
  while ((place = atomic_fetch_add(&batch->next, 1)) < batch->ntask) {
    runTask(worker, batch->world ? batch->world[place] : place);
  }
  endCatching(&before);
}


int cfi_batchGuard(cfBatch* batch, int (*call)(cfBatch* batch, const mjModel* m),
                   const mjModel* m) {
  cfBatchWorker caller = {.batch = batch};
  const batchHandlers before = catchErrors(&caller);
  int is_good = 0;
  if (!setjmp(caller.way_out)) {
    is_good = call(batch, m);
  } else {
    cfi_batchFail(batch, "%s", caller.text);
  }
  endCatching(&before);
  return is_good;
}


// a thread waits for jobs until the batch ends
static void* serve(void* argument) {
  cfBatchWorker* worker = argument;
  cfBatch* batch = worker->batch;
  int seen = 0;
  cfi_lock(&batch->guard);
  for (;;) {
    while ((batch->round == seen || !batch->is_open) && !batch->is_ending) {
      cfi_conditionWait(&batch->begin, &batch->guard);
    }
    if (batch->is_ending) {
      break;
    }
    seen = batch->round;
    batch->working++;
    cfi_unlock(&batch->guard);
    work(worker);
    cfi_lock(&batch->guard);
    if (!--batch->working) {
      cfi_conditionSignal(&batch->end);
    }
  }
  cfi_unlock(&batch->guard);
  return NULL;
}


// The job is open to threads that come; those that have not begun when it is done are not waited
// for.
static void openJob(cfBatch* batch) {
  CF_ASSERT(batch->nworker > 1);
  cfi_lock(&batch->guard);
  CF_ASSERT(!batch->is_open && !batch->working);
  batch->is_open = true;
  batch->round++;
  cfi_conditionBroadcast(&batch->begin);
  cfi_unlock(&batch->guard);
}


static void closeJob(cfBatch* batch) {
  cfi_lock(&batch->guard);
  CF_ASSERT(batch->is_open && batch->working < batch->nworker);
  batch->is_open = false;
  while (batch->working) {
    cfi_conditionWait(&batch->end, &batch->guard);
  }
  cfi_unlock(&batch->guard);
}


int cfi_batchRun(cfBatch* batch, cfBatchTask task, const int* world, int nworld) {
  CF_ASSERT(task && nworld >= 0 && nworld <= batch->nworld);
  batch->task = task;
  batch->world = world;
  batch->ntask = nworld;
  atomic_store(&batch->next, 0);
  atomic_store(&batch->nfailed, 0);
  batch->job[0] = 0;
  const bool may_share = batch->nworker > 1 && nworld > 1;
  const bool is_measured = may_share && batch->is_stepping && batch->nstep > 0;
  const bool is_shared = may_share && (!is_measured || cfi_paceBegin(&batch->pace, cfi_clock()));
  if (is_shared) {
    openJob(batch);
  }
  work(batch->worker);
  if (is_shared) {
    closeJob(batch);
  }
  if (is_measured) {
    cfi_paceEnd(&batch->pace, cfi_clock(), (double)nworld * batch->nstep);
  }
  return atomic_load(&batch->nfailed);
}


int cfi_batchTry(cfBatch* batch, cfBatchTask task, const int* world, int nworld) {
  batch->is_trial = true;
  const int nfailed = cfi_batchRun(batch, task, world, nworld);
  batch->is_trial = false;
  return nfailed;
}


int cfi_batchThreads(const cfBatch* batch) {
  const int wanted = batch->options.nthread, nworld = batch->nworld;
  const int processors = cfi_processors();
  int n = wanted > 0 ? wanted : processors > 0 ? (int)processors : 1;
  n = n < nworld ? n : nworld;
  return n < 1 ? 1 : n > CF_BATCH_THREADS ? CF_BATCH_THREADS : n;
}


int cfi_batchStartWorkers(cfBatch* batch) {
  const int n = cfi_batchThreads(batch);
  batch->worker = cfi_tryMalloc(sizeof(cfBatchWorker) * (size_t)n);
  if (!batch->worker) {
    return cfi_batchFail(batch, "no memory for %d threads", n);
  }
  memset(batch->worker, 0, sizeof(cfBatchWorker) * (size_t)n);
  batch->nslot = n;
  for (int k = 0; k < n; k++) {
    cfBatchWorker* worker = batch->worker + k;
    worker->batch = batch;
    if (!cfi_makeDataInto(batch->model, true, &worker->data)) {
      return cfi_batchFail(batch, "no memory for the data of %d threads", n);
    }
    if (!cfi_batchMakeLanes(worker)) {
      return 0;
    }
    // the first one is the caller
    if (k && !cfi_threadStart(&worker->thread, serve, worker, NULL, 0)) {
      break;
    }
    batch->nworker++;
  }
  return 1;
}


void cfi_batchStopWorkers(cfBatch* batch) {
  cfi_lock(&batch->guard);
  batch->is_ending = true;
  cfi_conditionBroadcast(&batch->begin);
  cfi_unlock(&batch->guard);
  for (int k = 1; k < batch->nworker; k++) {
    cfi_threadJoin(batch->worker[k].thread);
  }
  for (int k = 0; k < batch->nslot; k++) {
    cfi_batchFreeLanes(batch->worker + k);
    mj_deleteData(batch->worker[k].data);
    mj_deleteModel(batch->worker[k].model);
  }
  mju_free(batch->worker);
}
