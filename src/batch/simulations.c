// Life, rows and fields of simulations.
#include "batch/simulations.h"

#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "base/memory.h"

// fields of the state in the order of mjtState
static const char* const components[mjNSTATE] = {
    "time",           "qpos",       "qvel",         "act",          "history",
    "qacc_warmstart", "ctrl",       "qfrc_applied", "xfrc_applied", "eq_active",
    "mocap_pos",      "mocap_quat", "userdata",     "plugin_state"};


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
static char* nameOutputs(const mjBatch* b) {
  const size_t size = 64 * ((size_t)b->noutput + 2);
  char* names = cfi_tryMalloc(size);
  size_t used = names ? (size_t)snprintf(names, size, "warning") : 0;
  for (int k = 0; names && k < b->noutput; k++) {
    used += (size_t)snprintf(names + used, size - used, " %s", b->output[k].info->name);
  }
  return names;
}


// what worlds carry, what they had as outputs, and their parameters
static void handOver(cfBatch* from, cfBatch* to) {
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
  char* names = nameOutputs(b);
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
    handOver(b->worlds, worlds);
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


static bool allocate(mjBatch* b) {
  const size_t n = (size_t)b->nsim, nfield = (size_t)(cfi_dataFields.count + cfi_dataScalars.count);
  b->state = cfi_tryMalloc(sizeof(mjtNum) * n * (size_t)b->nstate + 1);
  b->warning = cfi_tryMalloc(sizeof(mjWarningStat) * mjNWARNING * n);
  b->status = cfi_tryMalloc(sizeof(int) * n);
  b->error = cfi_tryMalloc((size_t)CF_BATCH_TEXT * n);
  b->output = cfi_tryMalloc(sizeof(simulationOutput) * nfield);
  b->list = cfi_tryMalloc(sizeof(int) * n);
  b->place = cfi_tryMalloc(sizeof(int) * n);
  b->mask = cfi_tryMalloc(n);
  const bool has_all = b->state && b->warning && b->status && b->error && b->output && b->list &&
                       b->place && b->mask;
  if (has_all) {
    memset(b->warning, 0, sizeof(mjWarningStat) * mjNWARNING * n);
    memset(b->status, 0, sizeof(int) * n);
    memset(b->error, 0, (size_t)CF_BATCH_TEXT * n);
  }
  return has_all;
}


static int fillSimulations(mjBatch* b, char* error, int nerror) {
  b->model = b->worlds->model ? mj_copyModel(NULL, b->worlds->model) : NULL;
  b->nstate = mj_stateSize(b->worlds->model, mjSTATE_INTEGRATION);
  if (!b->model || !allocate(b)) {
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
  b->worlds->owner = b;
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
  void* const memory[] = {b->state, b->warning, b->status, b->error,         b->output,
                          b->list,  b->place,   b->mask,   (void*)b->models, b};
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


// ---------------------------------------- rows

// a component of a row and of a record; eq_active is made of bytes
static void copyComponent(const mjBatch* b, const cfBatchPart* part, int sim, mjtNum* row,
                          bool is_taking) {
  char* own = cfi_batchValue(b->worlds, part, sim);
  if (part->info->type != CF_TYPE_mjtByte) {
    memcpy(is_taking ? own : (char*)row, is_taking ? (char*)row : own, part->bytes);
    return;
  }
  for (size_t k = 0; k < part->bytes; k++) {
    if (is_taking) {
      own[k] = (char)(mjtByte)row[k];
    } else {
      row[k] = (mjtByte)own[k];
    }
  }
}


static void copyRow(const mjBatch* b, int sim, bool is_taking) {
  mjtNum* row = b->state + (size_t)b->nstate * (size_t)sim;
  for (int k = 0; k < mjNSTATE; k++) {
    const cfBatchPart* part = cfi_batchPart(b->worlds, components[k]);
    CF_ASSERT(part);
    if (part->bytes) {
      copyComponent(b, part, sim, row, is_taking);
      row += part->bytes / part->info->size;
    }
  }
  mjWarningStat* warning = b->warning + mjNWARNING * (size_t)sim;
  char* own = cfi_batchValue(b->worlds, cfi_batchPart(b->worlds, "warning"), sim);
  const size_t bytes = sizeof(mjWarningStat) * mjNWARNING;
  memcpy(is_taking ? own : (char*)warning, is_taking ? (char*)warning : own, bytes);
}


void cfi_takeRow(const mjBatch* b, int sim) {
  copyRow(b, sim, true);
}


void cfi_putRow(const mjBatch* b, int sim) {
  copyRow(b, sim, false);
  for (int k = 0; k < b->nkept; k++) {
    const simulationOutput* output = b->output + k;
    if (output->values && output->bytes) {
      const cfBatchPart* part = cfi_batchPart(b->worlds, output->info->name);
      memcpy(output->values + output->bytes * (size_t)sim, cfi_batchValue(b->worlds, part, sim),
             output->bytes);
    }
  }
}


// ---------------------------------------- fields

int cfi_addSimulationOutput(mjBatch* b, const char* name) {
  const cfFieldInfo* info = name ? cfi_batchOutputInfo(name) : NULL;
  if (!info || info->type == CF_TYPE_mjContact) {
    return -1;
  }
  for (int k = 0; k < b->noutput; k++) {
    if (b->output[k].info == info) {
      return k;
    }
  }
  const mjtSize count =
      info->home == CF_HOME_VALUE ? info->length : cfi_fieldCount(info, b->model, NULL);
  b->output[b->noutput] = (simulationOutput){info, info->size * (size_t)count, NULL};
  return b->noutput++;
}


void* mjb_output(mjBatch* b, const char* name, int* size, int* elemsize) {
  const int index = cfi_addSimulationOutput(b, name);
  if (index < 0) {
    return NULL;
  }
  simulationOutput* output = b->output + index;
  if (!output->values) {
    const size_t bytes = output->bytes * (size_t)b->nsim + 1;
    output->values = cfi_tryMalloc(bytes);
    if (!output->values) {
      mju_error("mjb_output: no memory for '%s' of %d simulations", name, b->nsim);
      return NULL;
    }
    memset(output->values, 0, bytes);
  }
  if (size) {
    *size = (int)(output->bytes / output->info->size);
  }
  if (elemsize) {
    *elemsize = (int)output->info->size;
  }
  return output->values;
}


static void tellSizes(const cfBatchParameter* p, int* size, int* elemsize) {
  const int bytes = p->info ? (int)p->info->size : (int)p->bytes;
  if (size) {
    *size = (int)p->bytes / bytes;
  }
  if (elemsize) {
    *elemsize = bytes;
  }
}


void* mjb_expand(mjBatch* b, const char* name, int* size, int* elemsize) {
  if (b->models) {
    mju_error("mjb_expand: the models are the caller's (mjb_setModels)");
    return NULL;
  }
  const cfFieldInfo* info;
  char* values = NULL;
  if (name && cfi_batchAllows(b->worlds, name, &info)) {
    values = cfi_batchLive(b->worlds, name);
  }
  if (values) {
    tellSizes(cfi_batchParameter(b->worlds, name), size, elemsize);
  }
  return values;
}


const void* mjb_expanded(mjBatch* b, const char* name, int* size, int* elemsize) {
  const cfBatchParameter* p = name ? cfi_batchParameter(b->worlds, name) : NULL;
  if (!p || b->models) {
    return NULL;
  }
  tellSizes(p, size, elemsize);
  return p->live ? p->live : p->value;
}


// ---------------------------------------- models

// what an mjData has of a model is the same in another
static const char* findOther(const mjBatch* b, const mjModel* m) {
  if (!m) {
    return "NULL";
  }
  for (int k = 0; k < cfi_dataFields.count; k++) {
    const cfFieldInfo* info = cfi_dataFields.field + k;
    if (!cfi_fieldInArena(info) &&
        cfi_fieldCount(info, m, NULL) != cfi_fieldCount(info, b->model, NULL)) {
      return info->name;
    }
  }
  const bool sleeps = m->opt.enableflags & mjENBL_SLEEP;
  return sleeps && !b->worlds->whole ? "sleep" : NULL;
}


void mjb_setModels(mjBatch* b, const mjModel* const* models) {
  for (int k = 0; k < b->worlds->nparameter && models; k++) {
    if (b->worlds->parameter[k].is_set) {
      mju_error("mjb_setModels: '%s' has values per simulation (mjb_expand)",
                b->worlds->parameter[k].name);
      return;
    }
  }
  for (int sim = 0; sim < b->nsim && models; sim++) {
    const char* other = findOther(b, models[sim]);
    if (other) {
      mju_error("mjb_setModels: model %d: '%s' is not as in the model of the batch", sim, other);
      return;
    }
  }
  if (!models) {
    mju_free((void*)b->models);
    b->models = NULL;
    return;
  }
  const size_t bytes = sizeof(*models) * (size_t)b->nsim;
  b->models = b->models ? b->models : cfi_tryMalloc(bytes);
  if (!b->models) {
    mju_error("mjb_setModels: no memory for a list of %d models", b->nsim);
    return;
  }
  memcpy((void*)b->models, models, bytes);
}


static bool isSimulation(const mjBatch* b, int sim, const char* caller) {
  const bool is_one = sim >= 0 && sim < b->nsim;
  if (!is_one) {
    mju_error("%s: simulation %d, the batch has %d", caller, sim, b->nsim);
  }
  return is_one;
}


void mjb_getModel(mjBatch* b, int sim, mjModel* m) {
  if (!isSimulation(b, sim, "mjb_getModel")) {
    return;
  }
  if (b->models) {
    mj_copyModel(m, b->models[sim]);
    return;
  }
  cfi_batchTakeLiveOf(b->worlds, sim);
  mj_copyModel(m, b->model);
  cfi_batchCopyParameters(b->worlds, sim, m);
}


void mjb_getData(mjBatch* b, int sim, mjData* d) {
  if (!isSimulation(b, sim, "mjb_getData")) {
    return;
  }
  const mjModel* m = b->models ? b->models[sim] : b->model;
  if (b->worlds->whole) {
    mj_copyData(d, m, b->worlds->whole[sim]);
  }
  mj_setState(m, d, b->state + (size_t)b->nstate * (size_t)sim, mjSTATE_INTEGRATION);
}
