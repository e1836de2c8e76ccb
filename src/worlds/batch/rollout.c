// Rollouts on the threads of a pool.  Each takes the next rollout and whichever simulation is free.
// Where the model has lanes, rollouts are worlds of a batch.
#include <cortenforge/rollout.h>

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "base/threads.h"
#include "batch/batch.h"
#include "lanes/lanes.h"
#include "model/data.h"

// simulations are handed out by the bits of a word
enum { MOST_DATA = 64 };

// one call of cf_rollout
typedef struct {
  const mjModel* m;
  mjData* const* d;
  const cfRollout* r;
  unsigned int control_spec;
  size_t nstate, ncontrol;
  uint64_t unused;  // a bit per simulation that nobody works with
  int nunstable;
} rolloutRun;


// there are as many simulations as threads, so one is free
static int takeData(rolloutRun* run) {
  uint64_t unused = __atomic_load_n(&run->unused, __ATOMIC_ACQUIRE);
  for (;;) {
    CF_ASSERT(unused);
    const uint64_t first = unused & -unused;
    if (__atomic_compare_exchange_n(&run->unused, &unused, unused & ~first, /*weak=*/true,
                                    __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE)) {
      return __builtin_ctzll(first);
    }
  }
}


static void returnData(rolloutRun* run, int k) {
  __atomic_fetch_or(&run->unused, (uint64_t)1 << k, __ATOMIC_RELEASE);
}


// the state after a reset, but for what the rollout brings along
static void beginRollout(const rolloutRun* run, mjData* d, int k) {
  const mjModel* m = run->m;
  mj_resetData(m, d);
  mj_setState(m, d, run->r->initial_state + (size_t)k * run->nstate, mjSTATE_FULLPHYSICS);
  if (run->r->initial_warm) {
    mju_copy(d->qacc_warmstart, run->r->initial_warm + (size_t)k * m->nv, (int)m->nv);
  }
}


static void recordStep(const rolloutRun* run, const mjData* d, size_t row) {
  const mjModel* m = run->m;
  if (run->r->state) {
    mj_getState(m, d, run->r->state + row * run->nstate, mjSTATE_FULLPHYSICS);
  }
  if (run->r->sensordata) {
    mju_copy(run->r->sensordata + row * (size_t)m->nsensordata, d->sensordata, (int)m->nsensordata);
  }
}


// a step from a state that is bad would reset it: such a rollout stands still
static bool runRollout(const rolloutRun* run, mjData* d, int k) {
  beginRollout(run, d, k);
  for (int t = 0; t < run->r->nstep; t++) {
    const size_t row = (size_t)k * run->r->nstep + t;
    if (!cfi_badNumbers(d)) {
      if (run->r->control) {
        mj_setState(run->m, d, run->r->control + row * run->ncontrol, run->control_spec);
      }
      mj_step(run->m, d);
    }
    recordStep(run, d, row);
  }
  return !cfi_badNumbers(d);
}


static void rollJob(void* context, int k) {
  rolloutRun* run = context;
  const int data = takeData(run);
  if (!runRollout(run, run->d[data], k)) {
    __atomic_fetch_add(&run->nunstable, 1, __ATOMIC_RELAXED);
  }
  returnData(run, data);
}


// what is wrong with the arguments, NULL if nothing
static const char* findFault(const mjModel* m, mjData* const* d, int ndata, const cfRollout* r) {
  if (!m || !d || !r) {
    return "model, data and rollout must be given";
  }
  if (r->nroll < 0 || r->nstep < 0) {
    return "nroll and nstep cannot be negative";
  }
  if (r->nroll > 0 && !r->initial_state) {
    return "initial_state is missing";
  }
  if (ndata < 1) {
    return "at least one mjData is needed";
  }
  for (int k = 0; k < ndata; k++) {
    if (!d[k] || d[k]->threadpool) {
      return "every mjData must be given and have no thread pool of its own";
    }
    for (int j = 0; j < k; j++) {
      if (d[j] == d[k]) {
        return "an mjData is given twice";
      }
    }
  }
  return NULL;
}


// ---------------------------------------- in lanes

// rollouts that a batch takes at a time, and steps that pay for making one
enum { LANE_WORLDS = 1024, LANE_STEPS = 256 };

// a batch with lanes for these rollouts; NULL: they are better off one by one
static cfBatch* openLanes(const mjModel* m, int nthread, const cfRollout* r) {
  const int64_t nstep = (int64_t)r->nroll * r->nstep;
  if (r->nroll < 4 || nstep < LANE_STEPS || !cfi_laneStages(m)) {
    return NULL;
  }
  const cfBatchOptions options = {.nthread = nthread, .unstable = CF_UNSTABLE_FREEZE};
  const int n = r->nroll < LANE_WORLDS ? r->nroll : LANE_WORLDS;
  cfBatch* batch = cf_makeBatch(m, n, &options, NULL, 0);
  if (batch && !cfi_batchHasLanes(batch)) {
    cf_freeBatch(batch);
    return NULL;
  }
  return batch;
}


// `n` rollouts from the given one on
static int rollSome(cfBatch* batch, const rolloutRun* run, int first, int n) {
  const cfRollout* r = run->r;
  const mjModel* m = run->m;
  const size_t row = (size_t)first * (size_t)r->nstep;
  mjtByte mask[LANE_WORLDS];
  void* const sensordata[] = {r->sensordata ? r->sensordata + row * (size_t)m->nsensordata : NULL};
  static const char* const names[] = {"sensordata"};
  const cfBatchRollout asked = {.nrow = r->nstep,
                                .mask = mask,
                                .control_spec = run->control_spec,
                                .control = r->control ? r->control + row * run->ncontrol : NULL,
                                .state = r->state ? r->state + row * run->nstate : NULL,
                                .nrecord = r->sensordata != NULL,
                                .record = names,
                                .history = sensordata};
  for (int w = 0; w < cf_batchSize(batch); w++) {
    mask[w] = w < n;
  }
  const mjtNum* warm = r->initial_warm ? r->initial_warm + (size_t)first * (size_t)m->nv : NULL;
  return cf_batchReset(batch, mask, -1) &&
         cf_batchSetState(batch, mjSTATE_FULLPHYSICS, NULL, n,
                          r->initial_state + (size_t)first * run->nstate) &&
         (!warm || !m->nv || cf_batchSetState(batch, mjSTATE_WARMSTART, NULL, n, warm)) &&
         cf_batchRollout(batch, &asked);
}


// those that met bad numbers go on from the reset state until the end of their step
static int rollUnstable(const cfBatch* batch, const rolloutRun* run, int first, int n) {
  int nunstable = 0;
  for (int w = 0; w < n; w++) {
    if (batch->status[w].is_frozen) {
      runRollout(run, run->d[0], first + w);
      nunstable++;
    }
  }
  return nunstable;
}


// how many were unstable; -1 after an error, which is raised when the batch is gone
static int rollInLanes(cfBatch* batch, const rolloutRun* run) {
  char text[CF_BATCH_TEXT] = "";
  const int size = cf_batchSize(batch);
  int nunstable = 0;
  for (int first = 0; first < run->r->nroll && !text[0]; first += size) {
    const int left = run->r->nroll - first, n = left < size ? left : size;
    if (!rollSome(batch, run, first, n)) {
      snprintf(text, sizeof(text), "%s", batch->error);
    } else if (batch->trouble[0]) {
      snprintf(text, sizeof(text), "%s", batch->trouble);
    } else {
      nunstable += rollUnstable(batch, run, first, n);
    }
  }
  cf_freeBatch(batch);
  if (text[0]) {
    mju_error("%s", text);
    return -1;
  }
  return nunstable;
}


// ---------------------------------------- the call

int cf_rollout(const mjModel* m, mjData* const* d, int ndata, mjThreadPool* pool,
               const cfRollout* rollout) {
  const char* fault = findFault(m, d, ndata, rollout);
  if (fault) {
    mju_error("cf_rollout: %s", fault);
    return -1;
  }
  const unsigned int spec = rollout->control_spec ? rollout->control_spec : mjSTATE_CTRL;
  const int count = ndata < MOST_DATA ? ndata : MOST_DATA;
  rolloutRun run = {.m = m,
                    .d = d,
                    .r = rollout,
                    .control_spec = spec,
                    .nstate = (size_t)mj_stateSize(m, mjSTATE_FULLPHYSICS),
                    .ncontrol = (size_t)mj_stateSize(m, (int)spec),
                    .unused = count == MOST_DATA ? UINT64_MAX : ((uint64_t)1 << count) - 1};
  const int nthread = pool && pool->nworker > 0 ? pool->nworker : 1;
  cfBatch* batch = openLanes(m, nthread < count ? nthread : count, rollout);
  if (batch) {
    return rollInLanes(batch, &run);
  }
  if (pool && count > 1) {
    cfi_poolLoop(pool, count, rollout->nroll, rollJob, &run);
  } else {
    for (int k = 0; k < rollout->nroll; k++) {
      rollJob(&run, k);
    }
  }
  return run.nunstable;
}
