// Model parameters that differ between worlds.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "base/memory.h"
#include "base/nearest.h"
#include "batch/batch.h"
#include "compile/constants.h"


// ---------------------------------------- which fields may be set

typedef enum {
  WORLD_FREE,
  WORLD_BASIC,
  WORLD_COMPLETED,
  WORLD_FORM,
  WORLD_FRAME,
  WORLD_GEOMETRY
} worldKind;

// the size makes sure that there is such a field
typedef struct {
  const char* name;
  size_t size;
  worldKind kind;
} worldField;

static const worldField world_fields[] = {
#define CF_WORLD_FIELD(field, kind, lanes) {#field, sizeof(((mjModel*)NULL)->field), WORLD_##kind},
#define CF_WORLD_OPTION(field, lanes) {"opt." #field, sizeof(((mjOption*)NULL)->field), WORLD_FREE},
#include "tables/worlds.def"
};
static const char* const bound_fields[] = {
#define CF_WORLD_BOUND(field) #field,
#include "tables/worlds.def"
};
static const char* const count_fields[] = {
#define CF_WORLD_COUNT(field) #field,
#include "tables/worlds.def"
};
static const char option_prefix[] = "opt.";


// NULL: worlds share it
static const worldField* findWorldField(const char* name) {
  for (size_t k = 0; k < sizeof(world_fields) / sizeof(world_fields[0]); k++) {
    if (strcmp(world_fields[k].name, name) == 0) {
      return world_fields + k;
    }
  }
  return NULL;
}


const char* cfi_batchParameterName(const char* name) {
  const worldField* field = findWorldField(name);
  CF_ASSERT(field);
  return field->name;
}


static bool isKind(const char* name, worldKind kind) {
  const worldField* field = findWorldField(name);
  return field && field->kind == kind;
}


static bool isForm(const char* name) {
  return isKind(name, WORLD_FORM) || isKind(name, WORLD_FRAME) || isKind(name, WORLD_GEOMETRY) ||
         strcmp(name, "opt.o_margin") == 0;
}


static bool isOption(const char* name) {
  return strncmp(name, option_prefix, sizeof(option_prefix) - 1) == 0;
}


static void addNames(const cfFieldTable* table, const char* prefix, char* list, size_t size) {
  for (int k = 0; k < table->count; k++) {
    const size_t used = strlen(list);
    snprintf(list + used, size - used, " %s%s", prefix, table->field[k].name);
  }
}


// no field has this name; one may have been meant
static int failUnknown(cfBatch* batch, const char* name) {
  char list[32768] = "", nearest[CF_WORD_MAX], hint[CF_WORD_MAX + 20];
  addNames(&cfi_dataScalars, "", list, sizeof(list));
  addNames(&cfi_dataFields, "", list, sizeof(list));
  addNames(&cfi_modelFields, "", list, sizeof(list));
  addNames(&cfi_optionFields, option_prefix, list, sizeof(list));
  return cfi_batchFail(batch, "'%s': there is no such field in a world or in its model%s", name,
                       cfi_suggestion(cfi_nearestWord(list, name, nearest), hint));
}


int cfi_batchAllows(cfBatch* batch, const char* name, const cfFieldInfo** info) {
  const char* option = isOption(name) ? name + sizeof(option_prefix) - 1 : NULL;
  *info = option ? cfi_findField(&cfi_optionFields, option) : cfi_findField(&cfi_modelFields, name);
  if (!*info) {
    return failUnknown(batch, name);
  }
  if (!findWorldField(name)) {
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


// do worlds look at the trees of meshes: rays, and SDFs of meshes
static bool asksMeshTrees(const mjModel* m) {
  bool asks = m->nplugin > 0;
  for (int g = 0; g < m->ngeom; g++) {
    asks |= m->geom_type[g] == mjGEOM_SDF;
  }
  for (int i = 0; i < m->nsensor; i++) {
    const int type = m->sensor_type[i];
    asks |= type == mjSENS_RANGEFINDER || type == mjSENS_TACTILE || type == mjSENS_USER;
  }
  return asks;
}


// boxes of trees: those of bodies come first, those of meshes are many and are left out where
// worlds do not look at them
static size_t treeBytes(const mjModel* m) {
  mjtSize count = 0;
  for (int i = 0; i < m->nbody; i++) {
    const mjtSize end = m->body_bvhadr[i] + m->body_bvhnum[i];
    count = m->body_bvhnum[i] && end > count ? end : count;
  }
  return 6 * sizeof(mjtNum) * (size_t)(asksMeshTrees(m) ? m->nbvhstatic : count);
}


static size_t parameterBytes(const cfBatch* batch, const cfFieldInfo* info) {
  if (!info) {
    return sizeof(batch->model->stat);
  }
  if (strcmp(info->name, "bvh_aabb") == 0) {
    return treeBytes(batch->model);
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
  // kernels may read a few numbers behind an array
  char* value = bytes <= (PTRDIFF_MAX - 64) / n ? cfi_tryMalloc(bytes * n + 64) : NULL;
  if (!value) {
    cfi_batchFail(batch, "'%s': no memory for %d worlds", name, batch->nworld);
    return NULL;
  }
  for (size_t w = 0; w < n && bytes; w++) {
    memcpy(value + w * bytes, shared, bytes);
  }
  cfBatchParameter* parameter = batch->parameter + batch->nparameter++;
  *parameter =
      (cfBatchParameter){.info = info, .bytes = bytes, .value = value, .is_derived = is_derived};
  CF_ASSERT(strlen(name) < sizeof(parameter->name));
  snprintf(parameter->name, sizeof(parameter->name), "%s", name);
  return parameter;
}


// room for every field once, and the constants that follow from the others
static int openParameters(cfBatch* batch) {
  const int most = cfi_modelSizes.count + cfi_modelFields.count + cfi_optionFields.count + 1;
  batch->parameter = cfi_tryMalloc(sizeof(cfBatchParameter) * (size_t)most);
  if (!batch->parameter) {
    return cfi_batchFail(batch, "no memory for the list of parameters");
  }
  for (int k = 0; k < cfi_modelFields.count; k++) {
    const cfFieldInfo* info = cfi_modelFields.field + k;
    const bool is_derived =
        info->writer == CF_WRITER_SETCONST || isKind(info->name, WORLD_COMPLETED);
    if (is_derived && !appendParameter(batch, info->name, info, true)) {
      return 0;
    }
  }
  for (size_t k = 0; k < sizeof(count_fields) / sizeof(count_fields[0]); k++) {
    const cfFieldInfo* info = cfi_findField(&cfi_modelSizes, count_fields[k]);
    if (!appendParameter(batch, count_fields[k], info, true)) {
      return 0;
    }
  }
  return appendParameter(batch, "stat", NULL, true) != NULL;
}


// what follows from shapes and frames, once worlds have some of their own
static int openBounds(cfBatch* batch) {
  for (size_t k = 0; k < sizeof(bound_fields) / sizeof(bound_fields[0]); k++) {
    const cfFieldInfo* info = cfi_findField(&cfi_modelFields, bound_fields[k]);
    if (!cfi_batchParameter(batch, bound_fields[k]) &&
        !appendParameter(batch, bound_fields[k], info, true)) {
      return 0;
    }
  }
  return 1;
}


cfBatchParameter* cfi_batchAddParameter(cfBatch* batch, const char* name, const cfFieldInfo* info) {
  if (!batch->parameter && !openParameters(batch)) {
    cfi_batchFreeParameters(batch);
    return NULL;
  }
  if (isKind(name, WORLD_GEOMETRY) && !openBounds(batch)) {
    return NULL;
  }
  cfBatchParameter* known = cfi_batchParameter(batch, name);
  known = known ? known : appendParameter(batch, name, info, false);
  if (known) {
    known->is_set = true;
  }
  return known;
}


void cfi_batchFreeParameters(cfBatch* batch) {
  for (int k = 0; k < batch->nparameter; k++) {
    mju_free(batch->parameter[k].value);
    mju_free(batch->parameter[k].live);
  }
  mju_free(batch->parameter);
  batch->parameter = NULL;
  batch->nparameter = 0;
}


bool cfi_batchHasForms(const cfBatch* batch) {
  bool has = false;
  for (int k = 0; k < batch->nparameter; k++) {
    has |= isForm(batch->parameter[k].name);
  }
  return has;
}


// ---------------------------------------- the model of a world

static char* placeInModel(mjModel* m, const cfBatchParameter* parameter) {
  if (!parameter->info) {
    return (char*)&m->stat;
  }
  const void* owner = isOption(parameter->name) ? (const void*)&m->opt : m;
  return (char*)(uintptr_t)cfi_fieldElements(parameter->info, owner);
}


void cfi_batchCopyParameters(const cfBatch* batch, int world, mjModel* m) {
  for (int k = 0; k < batch->nparameter; k++) {
    const cfBatchParameter* p = batch->parameter + k;
    if (p->bytes) {
      memcpy(placeInModel(m, p), p->value + p->bytes * (size_t)world, p->bytes);
    }
  }
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
  // an error may have kept a task from putting them back
  worker->model->opt.enableflags = batch->model->opt.enableflags;
  cfi_batchCopyParameters(batch, world, worker->model);
  return worker->model;
}


void cfi_batchPointModel(mjModel* m, const cfBatch* batch, int world) {
  CF_ASSERT(batch->parameter && world >= 0 && world < batch->nworld);
  *m = *batch->model;
  for (int k = 0; k < batch->nparameter; k++) {
    const cfBatchParameter* p = batch->parameter + k;
    char* own = p->value + p->bytes * (size_t)world;
    if (!p->info || p->info->home == CF_HOME_VALUE) {
      memcpy(placeInModel(m, p), own, p->bytes);
    } else if (p->bytes) {
      memcpy((char*)m + p->info->offset, &own, sizeof(own));
    }
  }
}


// constants of one world, after its parameters changed.  Nothing may sleep meanwhile: it would keep
// what another world has left in this mjData
static void deriveTask(cfBatchWorker* worker, int world) {
  cfBatch* batch = worker->batch;
  cfi_batchWorldModel(worker, world);
  mjModel* m = worker->model;
  m->opt.enableflags = batch->model->opt.enableflags & ~(int)mjENBL_SLEEP;
  mj_resetData(m, worker->data);
  if (cfi_batchParameter(batch, bound_fields[0])) {
    cfi_refitGeoms(m, batch->model, worker->data);
  }
  mj_setConst(m, worker->data);
  for (int k = 0; k < batch->nparameter; k++) {
    const cfBatchParameter* p = batch->parameter + k;
    if (p->is_derived && p->bytes) {
      memcpy(p->value + p->bytes * (size_t)world, placeInModel(worker->model, p), p->bytes);
    }
  }
}


bool cfi_batchHasConstants(const char* name) {
  return !isKind(name, WORLD_FREE) && !isKind(name, WORLD_FORM);
}


int cfi_batchDerive(cfBatch* batch, const char* name, const int* world, int nworld) {
  CF_ASSERT(batch->parameter);
  if (!cfi_batchChecksValues(batch, name, world, nworld)) {
    return 0;
  }
  return !cfi_batchHasConstants(name) || !cfi_batchTry(batch, deriveTask, world, nworld)
             ? 1
             : cfi_batchFail(batch, "%s", batch->job);
}
