// Life of simulations, and the batch that steps them.
#include "batch/simulations.h"

#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "base/memory.h"

char* cfi_simulationError(const mjBatch* b, int sim) {
  CF_ASSERT_INDEX(sim, b->nsim);
  return b->error + (size_t)CF_BATCH_TEXT * (size_t)sim;
}


void cfi_failSimulation(mjBatch* b, int sim, const char* text) {
  b->status[sim] = 1;
  snprintf(cfi_simulationError(b, sim), CF_BATCH_TEXT, "%s", text);
}


// ---------------------------------------- the batch inside

// names of what it keeps
static char* nameKept(const mjBatch* b) {
  const size_t size = 64 * ((size_t)b->noutput + 2);
  char* names = cfi_tryMalloc(size);
  size_t used = names ? (size_t)snprintf(names, size, "warning") : 0;
  for (int k = 0; names && k < b->noutput; k++) {
    used += (size_t)snprintf(names + used, size - used, " %s", b->output[k].info->name);
  }
  return names;
}


// what worlds carry, what they had as outputs, and their parameters
static void handWorldsOver(cfBatch* from, cfBatch* to) {
  for (int k = 0; k < to->npart; k++) {
    const cfBatchPart* part = to->part + k;
    const cfBatchPart* old = cfi_batchPart(from, part->info->name);
    for (int w = 0; old && part->bytes && w < to->nworld; w++) {
      memcpy(cfi_batchValue(to, part, w), cfi_batchValue(from, old, w), part->bytes);
    }
  }
  mjData** whole = to->whole;
  to->whole = from->whole;
  from->whole = whole;
  to->parameter = from->parameter;
  to->nparameter = from->nparameter;
  from->parameter = NULL;
  from->nparameter = 0;
}


int cfi_openSimulations(mjBatch* b, char* error, int nerror) {
  if (b->worlds && b->nkept == b->noutput) {
    return 1;
  }
  char* names = nameKept(b);
  if (!names) {
    snprintf(error, error && nerror > 0 ? (size_t)nerror : 0, "no memory for names of fields");
    return 0;
  }
  cfBatchOptions options = b->options;
  options.outputs = names;
  cfBatch* worlds = cfi_makeBatch(b->model, b->nsim, &options, b->is_persistent, error, nerror);
  mju_free(names);
  if (!worlds) {
    return 0;
  }
  if (b->worlds) {
    handWorldsOver(b->worlds, worlds);
    cf_freeBatch(b->worlds);
  }
  worlds->owner = b;
  b->worlds = worlds;
  b->nkept = b->noutput;
  return 1;
}


// ---------------------------------------- life

void mjb_defaultConfig(mjBatchConfig* config) {
  *config = (mjBatchConfig){0};
}


static bool allocateSimulations(mjBatch* b) {
  const size_t n = (size_t)b->nsim, nfield = (size_t)(cfi_dataFields.count + cfi_dataScalars.count);
  b->state = cfi_tryMalloc(sizeof(mjtNum) * n * (size_t)b->nstate + 1);
  b->warning = cfi_tryMalloc(sizeof(mjWarningStat) * mjNWARNING * n);
  b->status = cfi_tryMalloc(sizeof(int) * n);
  b->error = cfi_tryMalloc((size_t)CF_BATCH_TEXT * n);
  b->output = cfi_tryMalloc(sizeof(simulationOutput) * nfield);
  b->list = cfi_tryMalloc(sizeof(int) * n);
  b->place = cfi_tryMalloc(sizeof(int) * n);
  b->left = cfi_tryMalloc(sizeof(int) * n);
  b->mask = cfi_tryMalloc(n);
  const bool has_all = b->state && b->warning && b->status && b->error && b->output && b->list &&
                       b->place && b->left && b->mask;
  if (has_all) {
    memset(b->warning, 0, sizeof(mjWarningStat) * mjNWARNING * n);
    memset(b->status, 0, sizeof(int) * n);
    memset(b->error, 0, (size_t)CF_BATCH_TEXT * n);
  }
  return has_all;
}


static int copyForOwner(cfBatch* worlds, const mjModel* m) {
  worlds->owner->model = mj_copyModel(NULL, m);
  return worlds->owner->model != NULL;
}


static int fillSimulations(mjBatch* b, char* error, int nerror) {
  b->worlds->owner = b;
  b->nstate = mj_stateSize(b->worlds->model, mjSTATE_INTEGRATION);
  if (!cfi_batchGuard(b->worlds, copyForOwner, b->worlds->model) || !allocateSimulations(b)) {
    snprintf(error, error && nerror > 0 ? (size_t)nerror : 0, "no memory for %d simulations",
             b->nsim);
    return 0;
  }
  for (int sim = 0; sim < b->nsim; sim++) {
    cfi_putRow(b, sim);
  }
  return 1;
}


mjBatch* mjb_makeBatch(const mjModel* m, int nsim, const mjBatchConfig* config, char* error,
                       int error_sz) {
  mjBatch* b = cfi_tryMalloc(sizeof(*b));
  if (!b) {
    snprintf(error, error && error_sz > 0 ? (size_t)error_sz : 0, "no memory for a batch");
    return NULL;
  }
  *b = (mjBatch){.nsim = nsim};
  cf_defaultBatchOptions(&b->options);
  b->options.unstable = CF_UNSTABLE_FREEZE;
  b->options.nthread = config && config->nthread > 0 ? config->nthread : 0;
  b->options.outputs = "warning";
  b->is_persistent = config && config->persistent;
  b->worlds = cfi_makeBatch(m, nsim, &b->options, b->is_persistent, error, error_sz);
  if (!b->worlds || !fillSimulations(b, error, error_sz)) {
    mjb_deleteBatch(b);
    return NULL;
  }
  return b;
}


void mjb_deleteBatch(mjBatch* b) {
  if (!b) {
    return;
  }
  for (int k = 0; k < b->noutput; k++) {
    mju_free(b->output[k].values);
  }
  cf_freeBatch(b->worlds);
  mj_deleteModel(b->model);
  void* const memory[] = {b->state, b->warning, b->status, b->error,         b->output, b->list,
                          b->place, b->left,    b->mask,   (void*)b->models, b};
  for (size_t k = 0; k < sizeof(memory) / sizeof(memory[0]); k++) {
    mju_free(memory[k]);
  }
}


int mjb_nsim(const mjBatch* b) {
  return b->nsim;
}


int mjb_nthread(const mjBatch* b) {
  return b->worlds->nworker;
}


int mjb_persistent(const mjBatch* b) {
  return b->is_persistent;
}


const mjModel* mjb_model(const mjBatch* b) {
  return b->model;
}


int mjb_nstate(const mjBatch* b) {
  return b->nstate;
}


mjtNum* mjb_state(mjBatch* b) {
  return b->state;
}


mjtNum* mjb_stateComponent(mjBatch* b, int component, int* size) {
  const bool is_bit = component > 0 && !(component & (component - 1));
  if (!is_bit || !(component & mjSTATE_INTEGRATION)) {
    return NULL;
  }
  if (size) {
    *size = mj_stateSize(b->model, component);
  }
  return b->state + mj_stateSize(b->model, mjSTATE_INTEGRATION & (component - 1));
}


mjWarningStat* mjb_warning(mjBatch* b) {
  return b->warning;
}


const int* mjb_status(const mjBatch* b) {
  return b->status;
}


const char* mjb_error(const mjBatch* b, int sim) {
  if (sim < 0 || sim >= b->nsim) {
    mju_error("mjb_error: simulation %d, the batch has %d", sim, b->nsim);
    return "";
  }
  return cfi_simulationError(b, sim);
}
