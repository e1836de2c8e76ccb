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


bool cfi_checkSimulationNumber(const char* caller, const char* what, int number, int low,
                               int high) {
  const bool is_good = number >= low && number <= high;
  if (!is_good) {
    mju_error("%s: %s is %d, expected %d to %d", caller, what, number, low, high);
  }
  return is_good;
}


// the list is that of simulations that have not failed
void cfi_keepGoodSimulations(mjBatch* b) {
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
  const bool are_good = cfi_batchTakeLive(b->worlds);
  for (int k = 0; k < b->n && !are_good; k++) {
    if (!cfi_batchTakeLiveOf(b->worlds, b->list[k])) {
      cfi_failSimulation(b, b->list[k], b->worlds->error);
    }
  }
}


// false: an error was raised
bool cfi_beginSimulations(mjBatch* b, const char* caller, const int* ids, int nid) {
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
    cfi_takeRow(b, b->list[k]);  // records of rollouts show it in those that fail here, too
  }
  takeParameters(b);
  cfi_keepGoodSimulations(b);
  return true;
}


// how many have failed
int cfi_endSimulations(mjBatch* b) {
  cfi_keepGoodSimulations(b);
  for (int k = 0; k < b->n; k++) {
    cfi_putRow(b, b->list[k]);
  }
  return b->ncalled - b->n;
}


// ---------------------------------------- tasks

const mjModel* cfi_modelOfSimulation(cfBatchWorker* worker, int sim) {
  const mjBatch* b = worker->batch->owner;
  return b->models ? b->models[sim] : cfi_batchWorldModel(worker, sim);
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


void cfi_computeStage(cfBatchWorker* worker, int sim) {
  cfBatch* worlds = worker->batch;
  cfi_batchEnter(worlds->status + sim);
  mjData* d = cfi_batchTake(worker, sim);
  computeStage(worlds, cfi_modelOfSimulation(worker, sim), d);
  cfi_batchPut(worker, sim);
  cfi_batchLeave(worlds->status + sim);
}


static void resetAlone(cfBatchWorker* worker, int sim) {
  cfBatch* worlds = worker->batch;
  const mjBatch* b = worlds->owner;
  const mjModel* m = cfi_modelOfSimulation(worker, sim);
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
  b->function(cfi_modelOfSimulation(worker, sim), d, sim, b->argument);
  if (b->saves) {
    cfi_batchPut(worker, sim);
  }
  cfi_batchLeave(worlds->status + sim);
}


// an error in one of them makes it fail
void cfi_runSimulations(mjBatch* b, cfBatchTask task, const int* list, int n) {
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


// ---------------------------------------- the calls

int mjb_forward(mjBatch* b, const int* ids, int nid, int stage) {
  static const char caller[] = "mjb_forward";
  if (!cfi_checkSimulationNumber(caller, "stage", stage, mjSTAGE_NONE, mjSTAGE_ACC) ||
      !cfi_beginSimulations(b, caller, ids, nid)) {
    return 0;
  }
  b->stage = stage;
  if (stage != mjSTAGE_NONE) {
    cfi_runSimulations(b, cfi_computeStage, b->list, b->n);
  }
  return cfi_endSimulations(b);
}


// keyframes of the simulations of a call
static bool checkSimulationKeys(const mjBatch* b, const char* caller, const int* ids, int nid,
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
  if (!cfi_checkSimulationNumber(caller, "stage", stage, mjSTAGE_NONE, mjSTAGE_ACC) ||
      !checkSimulationKeys(b, caller, ids, nid, key) ||
      !cfi_beginSimulations(b, caller, ids, nid)) {
    return 0;
  }
  b->stage = stage;
  b->key = key;
  cfi_runSimulations(b, resetAlone, b->list, b->n);
  return cfi_endSimulations(b);
}


int mjb_apply(mjBatch* b, const int* ids, int nid, mjfBatchFunc func, void* arg, int save) {
  static const char caller[] = "mjb_apply";
  if (!func) {
    mju_error("%s: the function is NULL", caller);
    return 0;
  }
  if (!cfi_beginSimulations(b, caller, ids, nid)) {
    return 0;
  }
  b->function = func;
  b->argument = arg;
  b->saves = save != 0;
  cfi_runSimulations(b, applyAlone, b->list, b->n);
  if (save) {
    return cfi_endSimulations(b);
  }
  cfi_keepGoodSimulations(b);
  return b->ncalled - b->n;
}


int mjb_setConst(mjBatch* b, const int* ids, int nid) {
  if (b->models) {
    mju_error("mjb_setConst: the models are the caller's (mjb_setModels)");
    return 0;
  }
  return cfi_beginSimulations(b, "mjb_setConst", ids, nid) ? b->ncalled - b->n : 0;
}
