// Calls that step, reset and ask simulations.
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "base/memory.h"
#include "batch/simulations.h"
#include "pipeline/advance.h"
#include "dynamics/energy.h"
#include "model/data.h"


// ---------------------------------------- around a call

// no call of the batch can name these simulations
static bool checkIds(mjBatch* b, const char* caller, const int* ids, int nid) {
  b->ncalled = ids ? nid : b->nsim;
  if (b->ncalled < 0 || b->ncalled > b->nsim) {
    mju_error("%s: %d simulations, the batch has %d", caller, nid, b->nsim);
    return false;
  }
  memset(b->mask, 0, (size_t)b->nsim);
  for (int k = 0; k < b->ncalled; k++) {
    const int sim = ids ? ids[k] : k;
    if (sim < 0 || sim >= b->nsim || b->mask[sim]) {
      mju_error("%s: simulation %d %s", caller, sim,
                sim < 0 || sim >= b->nsim ? "is not one of the batch" : "is given twice");
      return false;
    }
    b->mask[sim] = 1;
    b->list[k] = sim;
    b->place[sim] = k;
  }
  return true;
}


static bool checkNumber(const char* caller, const char* what, int number, int low, int high) {
  const bool is_good = number >= low && number <= high;
  if (!is_good) {
    mju_error("%s: %s is %d, expected %d to %d", caller, what, number, low, high);
  }
  return is_good;
}


// the list is that of simulations that have not failed
static void keepGood(mjBatch* b) {
  int n = 0;
  for (int k = 0; k < b->n; k++) {
    const int sim = b->list[k];
    b->mask[sim] = !b->status[sim];
    if (!b->status[sim]) {
      b->list[n++] = sim;
    }
  }
  b->n = n;
}


// parameters that no model can have make their simulations fail
static void takeParameters(mjBatch* b) {
  for (int k = 0; k < b->n && !cfi_batchTakeLive(b->worlds); k++) {
    if (!cfi_batchTakeLiveOf(b->worlds, b->list[k])) {
      cfi_failSimulation(b, b->list[k], b->worlds->error);
    }
  }
}


// false: an error was raised
static bool beginCall(mjBatch* b, const char* caller, const int* ids, int nid) {
  char error[CF_BATCH_TEXT] = "";
  if (!checkIds(b, caller, ids, nid)) {
    return false;
  }
  if (!cfi_openSimulations(b, error, sizeof(error))) {
    mju_error("%s: %s", caller, error);
    return false;
  }
  b->n = b->ncalled;
  for (int k = 0; k < b->n; k++) {
    b->status[b->list[k]] = 0;
    cfi_simulationError(b, b->list[k])[0] = 0;
  }
  takeParameters(b);
  keepGood(b);
  for (int k = 0; k < b->n; k++) {
    cfi_takeRow(b, b->list[k]);
  }
  return true;
}


// how many have failed
static int endCall(mjBatch* b) {
  keepGood(b);
  for (int k = 0; k < b->n; k++) {
    cfi_putRow(b, b->list[k]);
  }
  return b->ncalled - b->n;
}


// ---------------------------------------- tasks

static const mjModel* modelOf(cfBatchWorker* worker, int sim) {
  const mjBatch* b = worker->batch->owner;
  return b->models ? b->models[sim] : cfi_batchWorldModel(worker, sim);
}


static bool hasWarning(const mjData* d) {
  bool has = false;
  for (int k = 0; k < mjNWARNING; k++) {
    has |= d->warning[k].number > 0;
  }
  return has;
}


// mj_step by itself: what bad numbers reset goes on, but not in a rollout
static void stepAlone(cfBatchWorker* worker, int sim) {
  cfBatch* worlds = worker->batch;
  cfi_batchEnter(worlds->status + sim);
  const mjModel* m = modelOf(worker, sim);
  mjData* d = cfi_batchTake(worker, sim);
  const int nstep = worlds->owner->nstep;
  bool is_over = false;
  for (int k = 0; k < nstep && !is_over; k++) {
    cfi_courseDrive(worlds, m, d, sim, k);
    cfi_stepReacting(m, d, worlds->wants_reactions && (worlds->course || k == nstep - 1));
    cfi_courseRecord(worlds, m, d, sim, k);
    is_over = worlds->course && hasWarning(d);
  }
  cfi_batchPut(worker, sim);
  cfi_batchLeave(worlds->status + sim);
}


static void computeStage(const cfBatch* worlds, const mjModel* m, mjData* d) {
  const int stage = worlds->owner->stage;
  if (stage == mjSTAGE_ACC) {
    mj_forward(m, d);
    if (worlds->wants_reactions) {
      cfi_reactions(m, d);
    }
    return;
  }
  if (stage >= mjSTAGE_POS) {
    mj_fwdPosition(m, d);
    mj_sensorPos(m, d);
    cfi_updateEnergyPos(m, d);
  }
  if (stage >= mjSTAGE_VEL) {
    mj_fwdVelocity(m, d);
    mj_sensorVel(m, d);
    cfi_updateEnergyVel(m, d);
  }
}


static void stageAlone(cfBatchWorker* worker, int sim) {
  cfBatch* worlds = worker->batch;
  cfi_batchEnter(worlds->status + sim);
  mjData* d = cfi_batchTake(worker, sim);
  computeStage(worlds, modelOf(worker, sim), d);
  cfi_batchPut(worker, sim);
  cfi_batchLeave(worlds->status + sim);
}


static void resetAlone(cfBatchWorker* worker, int sim) {
  cfBatch* worlds = worker->batch;
  const mjBatch* b = worlds->owner;
  const mjModel* m = modelOf(worker, sim);
  const int key = b->key ? b->key[b->place[sim]] : -1;
  cfi_batchEnter(worlds->status + sim);
  mjData* d = cfi_batchTake(worker, sim);
  if (key >= 0) {
    mj_resetDataKeyframe(m, d, key);
  } else {
    mj_resetData(m, d);
  }
  computeStage(worlds, m, d);
  memset(worlds->record + worlds->stride * (size_t)sim, 0, worlds->stride);
  cfi_batchPut(worker, sim);
  cfi_batchLeave(worlds->status + sim);
}


static void applyAlone(cfBatchWorker* worker, int sim) {
  cfBatch* worlds = worker->batch;
  const mjBatch* b = worlds->owner;
  cfi_batchEnter(worlds->status + sim);
  mjData* d = cfi_batchTake(worker, sim);
  b->function(modelOf(worker, sim), d, sim, b->argument);
  if (b->saves) {
    cfi_batchPut(worker, sim);
  }
  cfi_batchLeave(worlds->status + sim);
}


// an error in one of them makes it fail
static void runAlone(mjBatch* b, cfBatchTask task, const int* list, int n) {
  cfBatch* worlds = b->worlds;
  worlds->first_step = 0;
  worlds->nstep = b->nstep;
  worlds->is_stepping = true;
  cfi_batchRun(worlds, task, list, n);
  worlds->is_stepping = false;
  for (int k = 0; k < n; k++) {
    cfWorldStatus* status = worlds->status + list[k];
    if (status->is_frozen) {
      status->is_frozen = 0;
      cfi_failSimulation(b, list[k], status->reason);
    }
  }
}


// ---------------------------------------- steps

// simulations that lanes leave at the state before the call: what happens to them there is not what
// mj_step does.  In a rollout these are also those with warnings, which end it
static int collectLeft(mjBatch* b, const char* before, int* left) {
  cfBatch* worlds = b->worlds;
  const cfBatchPart* warnings = cfi_batchPart(worlds, "warning");
  int n = 0;
  for (int k = 0; k < b->n; k++) {
    const int sim = b->list[k];
    cfWorldStatus* status = worlds->status + sim;
    const bool is_new =
        before && memcmp(cfi_batchValue(worlds, warnings, sim),
                         b->warning + mjNWARNING * (size_t)sim, warnings->bytes) != 0;
    if (status->is_frozen || is_new) {
      status->is_frozen = 0;
      left[n++] = sim;
    }
    if (is_new) {
      memcpy(worlds->record + worlds->stride * (size_t)sim, before + worlds->stride * (size_t)sim,
             worlds->stride);
      worlds->course->done[sim] = 0;
    }
  }
  return n;
}


// in lanes, then one by one what they leave; false: no memory
static bool stepInLanes(mjBatch* b) {
  cfBatch* worlds = b->worlds;
  const size_t bytes = worlds->stride * (size_t)b->nsim;
  char* before = worlds->course ? cfi_tryMalloc(bytes + 1) : NULL;
  int* left = cfi_tryMalloc(sizeof(int) * (size_t)b->nsim);
  bool is_good = left && (before || !worlds->course);
  if (is_good && before) {
    memcpy(before, worlds->record, bytes);
  }
  is_good = is_good && cfi_batchSteps(worlds, b->mask, b->nstep);
  if (is_good) {
    const int n = collectLeft(b, before, left);
    for (int k = 0; k < n && worlds->course; k++) {
      worlds->course->done[left[k]] = 0;
    }
    runAlone(b, stepAlone, left, n);
  }
  mju_free(before);
  mju_free(left);
  return is_good;
}


static void stepSimulations(mjBatch* b, const char* caller) {
  if (b->models || !cfi_batchHasLanes(b->worlds)) {
    runAlone(b, stepAlone, b->list, b->n);
  } else if (b->n && !stepInLanes(b)) {
    mju_error("%s: no memory for %d simulations", caller, b->nsim);
  }
  keepGood(b);
}


int mjb_step(mjBatch* b, const int* ids, int nid, int nstep, int stage) {
  static const char caller[] = "mjb_step";
  if (!checkNumber(caller, "nstep", nstep, 0, INT32_MAX) ||
      !checkNumber(caller, "stage", stage, mjSTAGE_NONE, mjSTAGE_ACC) ||
      !beginCall(b, caller, ids, nid)) {
    return 0;
  }
  b->nstep = nstep;
  b->stage = stage;
  if (nstep > 0) {
    stepSimulations(b, caller);
  }
  if (stage != mjSTAGE_NONE) {
    runAlone(b, stageAlone, b->list, b->n);
  }
  return endCall(b);
}


int mjb_forward(mjBatch* b, const int* ids, int nid, int stage) {
  static const char caller[] = "mjb_forward";
  if (!checkNumber(caller, "stage", stage, mjSTAGE_NONE, mjSTAGE_ACC) ||
      !beginCall(b, caller, ids, nid)) {
    return 0;
  }
  b->stage = stage;
  if (stage != mjSTAGE_NONE) {
    runAlone(b, stageAlone, b->list, b->n);
  }
  return endCall(b);
}


// keyframes of the simulations of a call
static bool checkKeys(const mjBatch* b, const char* caller, const int* ids, int nid,
                      const int* key) {
  const int n = ids ? nid : b->nsim;
  for (int k = 0; k < n && key; k++) {
    const int sim = ids ? ids[k] : k;
    const bool is_one = sim >= 0 && sim < b->nsim;
    const mjModel* m = b->models && is_one ? b->models[sim] : b->model;
    if (key[k] < -1 || key[k] >= m->nkey) {
      mju_error("%s: keyframe %d, the model has %d", caller, key[k], (int)m->nkey);
      return false;
    }
  }
  return true;
}


int mjb_reset(mjBatch* b, const int* ids, int nid, const int* key, int stage) {
  static const char caller[] = "mjb_reset";
  if (!checkNumber(caller, "stage", stage, mjSTAGE_NONE, mjSTAGE_ACC) ||
      !checkKeys(b, caller, ids, nid, key) || !beginCall(b, caller, ids, nid)) {
    return 0;
  }
  b->stage = stage;
  b->key = key;
  runAlone(b, resetAlone, b->list, b->n);
  return endCall(b);
}


int mjb_apply(mjBatch* b, const int* ids, int nid, mjfBatchFunc func, void* arg, int save) {
  static const char caller[] = "mjb_apply";
  if (!func) {
    mju_error("%s: the function is NULL", caller);
    return 0;
  }
  if (!beginCall(b, caller, ids, nid)) {
    return 0;
  }
  b->function = func;
  b->argument = arg;
  b->saves = save != 0;
  runAlone(b, applyAlone, b->list, b->n);
  if (save) {
    return endCall(b);
  }
  keepGood(b);
  return b->ncalled - b->n;
}


int mjb_setConst(mjBatch* b, const int* ids, int nid) {
  if (b->models) {
    mju_error("mjb_setConst: the models are the caller's (mjb_setModels)");
    return 0;
  }
  return beginCall(b, "mjb_setConst", ids, nid) ? b->ncalled - b->n : 0;
}


// ---------------------------------------- rollouts

static bool checkRecords(mjBatch* b, const char* caller, const mjBatchRecord* record, int n) {
  if (n && !record) {
    mju_error("%s: %d records, but they are NULL", caller, n);
    return false;
  }
  for (int k = 0; k < n; k++) {
    const bool is_state = !record[k].field;
    if (is_state ? record[k].spec < 0 || record[k].spec >= 1 << mjNSTATE
                 : cfi_addSimulationOutput(b, record[k].field) < 0) {
      mju_error("%s: record %d: %s is no field that can be kept, and %d no state", caller, k,
                is_state ? "NULL" : record[k].field, record[k].spec);
      return false;
    }
    if (!record[k].buf) {
      mju_error("%s: record %d has no memory", caller, k);
      return false;
    }
  }
  return true;
}


static cfCourse* openCourse(mjBatch* b, int nstep, const mjtNum* control, int control_spec,
                            const mjBatchRecord* record, int nrecord) {
  cfCourse* c = cfi_courseOpen(b->worlds, nrecord);
  if (!c) {
    return NULL;
  }
  c->nrow = nstep;
  c->nsubstep = 1;
  c->control_spec = (unsigned)control_spec;
  c->ncontrol = (size_t)mj_stateSize(b->model, control_spec);
  c->control = control;
  c->place = b->place;
  c->has_bad_rows = true;
  for (int k = 0; k < nrecord; k++) {
    if (record[k].field) {
      cfi_courseAddField(b->worlds, c, record[k].field, record[k].buf);
    } else {
      cfi_courseAddState(b->worlds, c, (unsigned)record[k].spec, record[k].buf);
    }
  }
  return c;
}


int mjb_rollout(mjBatch* b, const int* ids, int nid, int nstep, const mjtNum* control,
                int control_spec, const mjBatchRecord* record, int nrecord) {
  static const char caller[] = "mjb_rollout";
  if (!checkNumber(caller, "nstep", nstep, 0, INT32_MAX) ||
      !checkNumber(caller, "nrecord", nrecord, 0, INT32_MAX) ||
      !checkNumber(caller, "control_spec", control_spec, 0, (1 << mjNSTATE) - 1) ||
      !checkRecords(b, caller, record, nrecord) || !beginCall(b, caller, ids, nid)) {
    return 0;
  }
  b->nstep = nstep;
  cfCourse* c = openCourse(b, nstep, control, control_spec, record, nrecord);
  if (!c) {
    mju_error("%s: %s", caller, b->worlds->error);
    return 0;
  }
  if (nstep > 0) {
    b->worlds->course = c;
    stepSimulations(b, caller);
    b->worlds->course = NULL;
    for (int k = 0; k < b->ncalled; k++) {
      cfi_courseComplete(b->worlds, c, ids ? ids[k] : k);
    }
  }
  cfi_courseFree(c);
  return endCall(b);
}
