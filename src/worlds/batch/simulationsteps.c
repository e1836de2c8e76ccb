// Steps and rollouts of simulations: in lanes where they can, one by one what is left.
#include <string.h>

#include "batch/simulations.h"
#include "pipeline/advance.h"

// ---------------------------------------- steps

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
  const mjModel* m = cfi_modelOfSimulation(worker, sim);
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


// simulations that lanes leave at the state before the call: what happens to them there is not what
// mj_step does.  In a rollout these are also those with warnings, which end it
static int collectLeft(mjBatch* b) {
  cfBatch* worlds = b->worlds;
  const cfCourse* course = worlds->course;
  const cfBatchPart* warnings = cfi_batchPart(worlds, "warning");
  int n = 0;
  for (int k = 0; k < b->n; k++) {
    const int sim = b->list[k];
    const size_t at = worlds->stride * (size_t)sim;
    const bool is_new = course && memcmp(cfi_batchValue(worlds, warnings, sim),
                                         worlds->kept + at + warnings->offset, warnings->bytes);
    if (is_new) {
      memcpy(worlds->record + at, worlds->kept + at, worlds->stride);
    }
    if (worlds->status[sim].is_frozen || is_new) {
      worlds->status[sim].is_frozen = 0;
      b->left[n++] = sim;
    }
  }
  return n;
}


// in lanes, then one by one what they leave; false: no memory
static bool stepSimulationsInLanes(mjBatch* b) {
  cfBatch* worlds = b->worlds;
  if ((worlds->course && !cfi_batchKeepRecords(worlds)) ||
      !cfi_batchSteps(worlds, b->mask, b->nstep)) {
    return false;
  }
  const int n = collectLeft(b);
  for (int k = 0; k < n && worlds->course; k++) {
    worlds->course->done[b->left[k]] = 0;
  }
  cfi_runSimulations(b, stepAlone, b->left, n);
  return true;
}


// false: no memory
static bool stepSimulations(mjBatch* b) {
  bool is_good = true;
  if (b->models || !cfi_batchHasLanes(b->worlds)) {
    cfi_runSimulations(b, stepAlone, b->list, b->n);
  } else if (b->n) {
    is_good = stepSimulationsInLanes(b);
  }
  cfi_keepGoodSimulations(b);
  return is_good;
}


int mjb_step(mjBatch* b, const int* ids, int nid, int nstep, int stage) {
  static const char caller[] = "mjb_step";
  if (!cfi_checkSimulationNumber(caller, "nstep", nstep, 0, INT32_MAX) ||
      !cfi_checkSimulationNumber(caller, "stage", stage, mjSTAGE_NONE, mjSTAGE_ACC) ||
      !cfi_beginSimulations(b, caller, ids, nid)) {
    return 0;
  }
  b->nstep = nstep;
  b->stage = stage;
  if (nstep > 0 && !stepSimulations(b)) {
    mju_error("%s: no memory for %d simulations", caller, b->nsim);
    return 0;
  }
  if (stage != mjSTAGE_NONE) {
    cfi_runSimulations(b, cfi_computeStage, b->list, b->n);
  }
  return cfi_endSimulations(b);
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
  if (!cfi_checkSimulationNumber(caller, "nstep", nstep, 0, INT32_MAX) ||
      !cfi_checkSimulationNumber(caller, "nrecord", nrecord, 0, INT32_MAX) ||
      !cfi_checkSimulationNumber(caller, "control_spec", control_spec, 0, (1 << mjNSTATE) - 1) ||
      !checkRecords(b, caller, record, nrecord) || !cfi_beginSimulations(b, caller, ids, nid)) {
    return 0;
  }
  b->nstep = nstep;
  cfCourse* c = openCourse(b, nstep, control, control_spec, record, nrecord);
  if (!c) {
    mju_error("%s: %s", caller, b->worlds->error);
    return 0;
  }
  b->worlds->course = c;
  const bool is_good = nstep == 0 || stepSimulations(b);
  b->worlds->course = NULL;
  for (int k = 0; k < b->ncalled && is_good && nstep > 0; k++) {
    cfi_courseComplete(b->worlds, c, ids ? ids[k] : k);
  }
  cfi_courseFree(c);
  if (!is_good) {
    mju_error("%s: no memory for %d simulations", caller, b->nsim);
    return 0;
  }
  return cfi_endSimulations(b);
}
