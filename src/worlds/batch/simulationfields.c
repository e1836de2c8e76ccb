// Rows, fields and models of simulations.
#include <string.h>

#include "base/assert.h"
#include "base/memory.h"
#include "batch/simulations.h"

// fields of the state in the order of mjtState
static const char* const components[mjNSTATE] = {
    "time",           "qpos",       "qvel",         "act",          "history",
    "qacc_warmstart", "ctrl",       "qfrc_applied", "xfrc_applied", "eq_active",
    "mocap_pos",      "mocap_quat", "userdata",     "plugin_state"};


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
    if (!models[sim]) {
      mju_error("mjb_setModels: model %d is NULL", sim);
      return;
    }
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
  if (!m) {
    mju_error("mjb_getModel: the model is NULL");
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
  if (!d || d->nbuffer != b->worlds->worker->data->nbuffer) {
    mju_error("mjb_getData: the mjData is %s", d ? "of another model" : "NULL");
    return;
  }
  const mjModel* m = b->models ? b->models[sim] : b->model;
  if (b->worlds->whole) {
    mj_copyData(d, m, b->worlds->whole[sim]);
  }
  mj_setState(m, d, b->state + (size_t)b->nstate * (size_t)sim, mjSTATE_INTEGRATION);
}
