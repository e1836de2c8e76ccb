// Model parameters that differ between worlds.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "base/memory.h"
#include "batch/batch.h"


// ---------------------------------------- which fields may be set

// fields that mj_setConst reads: its results follow them
static const char* const basic_parameters[] = {"qpos0",
                                               "qpos_spring",
                                               "body_pos",
                                               "body_quat",
                                               "body_mass",
                                               "body_inertia",
                                               "dof_armature",
                                               "eq_data",
                                               "tendon_armature",
                                               "tendon_lengthspring",
                                               "actuator_gear",
                                               "actuator_gainprm",
                                               "actuator_biasprm",
                                               "actuator_cranklength"};

// fields that the step alone reads
static const char* const free_parameters[] = {
    "body_gravcomp",     "jnt_solref",          "jnt_solimp",          "jnt_stiffness",
    "jnt_range",         "jnt_actfrcrange",     "jnt_margin",          "dof_solref",
    "dof_solimp",        "dof_frictionloss",    "dof_damping",         "geom_solmix",
    "geom_solref",       "geom_solimp",         "geom_friction",       "geom_fluid",
    "pair_solref",       "pair_solreffriction", "pair_solimp",         "pair_friction",
    "eq_solref",         "eq_solimp",           "tendon_solref_lim",   "tendon_solimp_lim",
    "tendon_solref_fri", "tendon_solimp_fri",   "tendon_range",        "tendon_actfrcrange",
    "tendon_margin",     "tendon_stiffness",    "tendon_damping",      "tendon_frictionloss",
    "actuator_dynprm",   "actuator_ctrlrange",  "actuator_forcerange", "actuator_actrange",
    "sensor_cutoff"};
static const char* const free_options[] = {
    "timestep", "impratio",  "tolerance", "ls_tolerance", "gravity",  "wind",      "magnetic",
    "density",  "viscosity", "o_margin",  "o_solref",     "o_solimp", "o_friction"};

// parameters that mj_setConst may complete, besides its own fields
static const char* const completed_parameters[] = {"eq_data", "actuator_biasprm"};
static const char option_prefix[] = "opt.";


static bool isAmong(const char* const* list, int count, const char* name) {
  for (int k = 0; k < count; k++) {
    if (strcmp(list[k], name) == 0) {
      return true;
    }
  }
  return false;
}
#define IS_AMONG(list, name) isAmong(list, (int)(sizeof(list) / sizeof(list[0])), name)


static bool isOption(const char* name) {
  return strncmp(name, option_prefix, sizeof(option_prefix) - 1) == 0;
}


int cfi_batchAllows(cfBatch* batch, const char* name, const cfFieldInfo** info) {
  const char* option = isOption(name) ? name + sizeof(option_prefix) - 1 : NULL;
  *info = option ? cfi_findField(&cfi_optionFields, option) : cfi_findField(&cfi_modelFields, name);
  if (!*info) {
    return cfi_batchFail(batch, "'%s': there is no such field in a world or in its model", name);
  }
  const bool is_allowed = option
                              ? IS_AMONG(free_options, option)
                              : IS_AMONG(free_parameters, name) || IS_AMONG(basic_parameters, name);
  if (!is_allowed) {
    return cfi_batchFail(batch,
                         "'%s': the worlds of a batch share it; a change needs another model "
                         "(what the compiler decided depends on it)",
                         name);
  }
  return 1;
}


// the value that worlds share until it is set
const void* cfi_batchShared(const cfBatch* batch, const char* name, const cfFieldInfo* info) {
  const mjModel* m = batch->model;
  return cfi_fieldElements(info, isOption(name) ? (const void*)&m->opt : m);
}


// ---------------------------------------- values of worlds

cfBatchParameter* cfi_batchParameter(cfBatch* batch, const char* name) {
  for (int k = 0; k < batch->nparameter; k++) {
    if (strcmp(batch->parameter[k].name, name) == 0) {
      return batch->parameter + k;
    }
  }
  return NULL;
}


static size_t parameterBytes(const cfBatch* batch, const cfFieldInfo* info) {
  if (!info) {
    return sizeof(batch->model->stat);
  }
  const mjtSize count =
      info->home == CF_HOME_VALUE ? info->length : cfi_fieldCount(info, batch->model, NULL);
  return info->size * (size_t)count;
}


// append a parameter with the shared value in all worlds
static cfBatchParameter* appendParameter(cfBatch* batch, const char* name, const cfFieldInfo* info,
                                         bool is_derived) {
  const size_t n = (size_t)batch->nworld, bytes = parameterBytes(batch, info);
  const void* shared = info ? cfi_batchShared(batch, name, info) : &batch->model->stat;
  char* value = bytes <= PTRDIFF_MAX / n ? cfi_tryMalloc(bytes * n + 1) : NULL;
  if (!value) {
    cfi_batchFail(batch, "'%s': no memory for %d worlds", name, batch->nworld);
    return NULL;
  }
  for (size_t w = 0; w < n && bytes; w++) {
    memcpy(value + w * bytes, shared, bytes);
  }
  cfBatchParameter* parameter = batch->parameter + batch->nparameter++;
  *parameter = (cfBatchParameter){"", info, bytes, value, is_derived};
  CF_ASSERT(strlen(name) < sizeof(parameter->name));
  snprintf(parameter->name, sizeof(parameter->name), "%s", name);
  return parameter;
}


// room for every field once, and the constants that follow from the others
static int openParameters(cfBatch* batch) {
  const int most = cfi_modelFields.count + cfi_optionFields.count + 1;
  batch->parameter = cfi_tryMalloc(sizeof(cfBatchParameter) * (size_t)most);
  if (!batch->parameter) {
    return cfi_batchFail(batch, "no memory for the list of parameters");
  }
  for (int k = 0; k < cfi_modelFields.count; k++) {
    const cfFieldInfo* info = cfi_modelFields.field + k;
    const bool is_derived =
        info->writer == CF_WRITER_SETCONST || IS_AMONG(completed_parameters, info->name);
    if (is_derived && !appendParameter(batch, info->name, info, true)) {
      return 0;
    }
  }
  return appendParameter(batch, "stat", NULL, true) != NULL;
}


cfBatchParameter* cfi_batchAddParameter(cfBatch* batch, const char* name, const cfFieldInfo* info) {
  if (!batch->parameter && !openParameters(batch)) {
    cfi_batchFreeParameters(batch);
    return NULL;
  }
  cfBatchParameter* known = cfi_batchParameter(batch, name);
  return known ? known : appendParameter(batch, name, info, false);
}


void cfi_batchFreeParameters(cfBatch* batch) {
  for (int k = 0; k < batch->nparameter; k++) {
    mju_free(batch->parameter[k].value);
  }
  mju_free(batch->parameter);
  batch->parameter = NULL;
  batch->nparameter = 0;
}


// ---------------------------------------- the model of a world

static char* placeInModel(mjModel* m, const cfBatchParameter* parameter) {
  if (!parameter->info) {
    return (char*)&m->stat;
  }
  const void* owner = isOption(parameter->name) ? (const void*)&m->opt : m;
  return (char*)(uintptr_t)cfi_fieldElements(parameter->info, owner);
}


const mjModel* cfi_batchWorldModel(cfBatchWorker* worker, int world) {
  cfBatch* batch = worker->batch;
  CF_ASSERT_INDEX(world, batch->nworld);
  if (!batch->parameter) {
    return batch->model;
  }
  if (!worker->model) {
    worker->model = mj_copyModel(NULL, batch->model);
  }
  for (int k = 0; k < batch->nparameter; k++) {
    const cfBatchParameter* p = batch->parameter + k;
    if (p->bytes) {
      memcpy(placeInModel(worker->model, p), p->value + p->bytes * (size_t)world, p->bytes);
    }
  }
  return worker->model;
}


// constants of one world, after its parameters changed
static void deriveTask(cfBatchWorker* worker, int world) {
  cfBatch* batch = worker->batch;
  cfi_batchWorldModel(worker, world);
  mj_resetData(batch->model, worker->data);
  mj_setConst(worker->model, worker->data);
  for (int k = 0; k < batch->nparameter; k++) {
    const cfBatchParameter* p = batch->parameter + k;
    if (p->is_derived && p->bytes) {
      memcpy(p->value + p->bytes * (size_t)world, placeInModel(worker->model, p), p->bytes);
    }
  }
}


int cfi_batchDerive(cfBatch* batch, const char* name, const int* world, int nworld) {
  CF_ASSERT(batch->parameter);
  return !IS_AMONG(basic_parameters, name) || !cfi_batchRun(batch, deriveTask, world, nworld);
}
