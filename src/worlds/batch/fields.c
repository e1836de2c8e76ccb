// Fields of worlds by name, and state vectors.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "batch/batch.h"
#include "batch/cuda.h"


// ---------------------------------------- what a name means

// a field as the functions below see it: in the records, or a parameter
typedef struct {
  const cfFieldInfo* info;
  const cfBatchPart* part;  // NULL: a parameter
  size_t bytes;             // per world
} batchAccess;


static cftElement elementOf(cftType type) {
  switch (type) {
    case CF_TYPE_mjtNum:
      return CF_ELEMENT_NUM;
    case CF_TYPE_int:
      return CF_ELEMENT_INT;
    case CF_TYPE_mjtByte:
      return CF_ELEMENT_BYTE;
    case CF_TYPE_mjContact:
      return CF_ELEMENT_CONTACT;
    default:
      return CF_ELEMENT_OTHER;
  }
}


static int findAccess(cfBatch* batch, const char* name, batchAccess* access) {
  if (!name) {
    return cfi_batchFail(batch, "a field needs a name");
  }
  access->part = cfi_batchPart(batch, name);
  if (access->part) {
    access->info = access->part->info;
    access->bytes = access->part->bytes;
    return 1;
  }
  if (cfi_findField(&cfi_dataFields, name) || cfi_findField(&cfi_dataScalars, name)) {
    return cfi_batchFail(batch, "'%s' is not kept after a step; name it in the option `outputs`",
                         name);
  }
  if (!cfi_batchAllows(batch, name, &access->info)) {
    return 0;
  }
  const cfFieldInfo* info = access->info;
  const mjtSize count =
      info->home == CF_HOME_VALUE ? info->length : cfi_fieldCount(info, batch->model, NULL);
  access->bytes = info->size * (size_t)count;
  return 1;
}


int cf_batchField(cfBatch* batch, const char* name, cfBatchField* field) {
  batchAccess access;
  if (!field) {
    return cfi_batchFail(batch, "the description of a field is NULL");
  }
  if (!findAccess(batch, name, &access)) {
    return 0;
  }
  const cfFieldInfo* info = access.info;
  *field = (cfBatchField){.name = access.part ? info->name : cfi_batchParameterName(name),
                          .element = elementOf(info->type),
                          .nbyte = (int)info->size,
                          .count = (mjtSize)(access.bytes / info->size),
                          .is_writable = !access.part || access.part->is_state,
                          .is_parameter = !access.part};
  return 1;
}


// ---------------------------------------- copying

// number of the world at a place of a list
static int worldAt(const int* world, int place) {
  return world ? world[place] : place;
}


// elements of one world between its own memory and its place among the values of `nworld` worlds
static void copyWorld(char* values, char* own, const batchAccess* access, int place, int nworld,
                      cftOrder order, bool is_reading) {
  const size_t size = access->info->size, count = access->bytes / size;
  const bool is_whole = order == CF_ORDER_WORLD;
  const size_t pieces = is_whole ? 1 : count, bytes = is_whole ? access->bytes : size;
  for (size_t k = 0; k < pieces; k++) {
    char* outside = values + bytes * (k * (size_t)nworld + (size_t)place);
    memcpy(is_reading ? outside : own + k * bytes, is_reading ? own + k * bytes : outside, bytes);
  }
}


static int checkCopy(cfBatch* batch, const int* world, int nworld, cftOrder order,
                     const void* values) {
  if (!cfi_batchHasWorlds(batch, world, nworld)) {
    return 0;
  }
  if (order != CF_ORDER_WORLD && order != CF_ORDER_FIELD) {
    return cfi_batchFail(batch, "order %d: expected CF_ORDER_WORLD or CF_ORDER_FIELD", (int)order);
  }
  return values ? 1 : cfi_batchFail(batch, "the values are NULL");
}


int cf_batchGet(cfBatch* batch, const char* name, const int* world, int nworld, cftOrder order,
                void* values) {
  batchAccess access;
  if (!findAccess(batch, name, &access) || !checkCopy(batch, world, nworld, order, values)) {
    return 0;
  }
  if (access.part ? batch->cuda && !cfi_cudaFetch(batch, access.part) : !cfi_batchTakeLive(batch)) {
    return 0;
  }
  const cfBatchParameter* parameter = access.part ? NULL : cfi_batchParameter(batch, name);
  for (int place = 0; place < nworld && access.bytes; place++) {
    const int w = worldAt(world, place);
    char* own = access.part ? cfi_batchValue(batch, access.part, w)
                : parameter ? parameter->value + parameter->bytes * (size_t)w
                            : (char*)(uintptr_t)cfi_batchShared(batch, name, access.info);
    copyWorld(values, own, &access, place, nworld, order, true);
  }
  return 1;
}


// worlds of a list without repetition, whose constants are found anew; NULL: no memory
static int* listOnce(const cfBatch* batch, const int* world, int nworld, int* count) {
  int* list = cfi_tryMalloc((sizeof(int) + 1) * (size_t)batch->nworld);
  unsigned char* is_listed = list ? (unsigned char*)(list + batch->nworld) : NULL;
  *count = 0;
  if (list) {
    memset(is_listed, 0, (size_t)batch->nworld);
  }
  for (int place = 0; list && place < nworld; place++) {
    const int w = worldAt(world, place);
    if (!is_listed[w]) {
      list[(*count)++] = w;
      is_listed[w] = 1;
    }
  }
  return list;
}


// values of parameters, with the constants that follow; an error in them takes everything back
static int setParameter(cfBatch* batch, const char* name, const batchAccess* access,
                        const int* world, int nworld, cftOrder order, void* values) {
  const size_t count = access->bytes / access->info->size * (size_t)nworld;
  const int is_number =
      cfi_batchChecksNumbers(batch, name, count, values) && cfi_batchTakeLive(batch);
  cfBatchParameter* p = is_number ? cfi_batchAddParameter(batch, name, access->info) : NULL;
  if (!p) {
    return 0;
  }
  const size_t all = p->bytes * (size_t)batch->nworld;
  int nonce;
  char* before = cfi_tryMalloc(all + 1);
  int* once = listOnce(batch, world, nworld, &nonce);
  if (!before || !once) {
    mju_free(before);
    mju_free(once);
    return cfi_batchFail(batch, "'%s': no memory for %d worlds", name, batch->nworld);
  }
  memcpy(before, p->value, all);
  for (int place = 0; place < nworld && p->bytes; place++) {
    char* own = p->value + p->bytes * (size_t)worldAt(world, place);
    copyWorld(values, own, access, place, nworld, order, false);
  }
  const int is_good = cfi_batchDerive(batch, name, once, nonce);
  if (!is_good) {
    char reason[CF_BATCH_TEXT];
    snprintf(reason, sizeof(reason), "%s", batch->error);
    memcpy(p->value, before, all);
    cfi_batchDerive(batch, name, once, nonce);
    cfi_batchFail(batch, "'%s': %s", name, reason);
  }
  cfi_batchShowLive(batch);
  mju_free(before);
  mju_free(once);
  if (batch->cuda) {
    batch->cuda->has_new_parameters = true;
  }
  return is_good;
}


int cf_batchSet(cfBatch* batch, const char* name, const int* world, int nworld, cftOrder order,
                const void* values) {
  batchAccess access;
  if (!findAccess(batch, name, &access) || !checkCopy(batch, world, nworld, order, values)) {
    return 0;
  }
  char* source = (char*)(uintptr_t)values;  // read only
  if (!access.part) {
    return (!batch->cuda || cfi_cudaSettle(batch)) &&
           setParameter(batch, name, &access, world, nworld, order, source);
  }
  if (!access.part->is_state) {
    return cfi_batchFail(batch, "'%s' is a result of the step and cannot be set", name);
  }
  if (batch->cuda && !cfi_cudaFetch(batch, access.part)) {
    return 0;
  }
  for (int place = 0; place < nworld && access.bytes; place++) {
    char* own = cfi_batchValue(batch, access.part, worldAt(world, place));
    copyWorld(source, own, &access, place, nworld, order, false);
  }
  return !batch->cuda || cfi_cudaSend(batch, access.part);
}


// ---------------------------------------- state vectors

static int checkState(cfBatch* batch, unsigned int sig, const int* world, int nworld,
                      const void* state) {
  if (!cfi_batchHasWorlds(batch, world, nworld)) {
    return 0;
  }
  if (sig >= 1u << mjNSTATE) {
    return cfi_batchFail(batch, "state signature %u: expected a combination of mjtState", sig);
  }
  if (!state) {
    return cfi_batchFail(batch, "the state is NULL");
  }
  return !batch->cuda || cfi_cudaFetch(batch, NULL);
}


int cf_batchGetState(cfBatch* batch, unsigned int sig, const int* world, int nworld,
                     mjtNum* state) {
  if (!checkState(batch, sig, world, nworld, state)) {
    return 0;
  }
  cfBatchWorker* worker = batch->worker;
  const int size = mj_stateSize(batch->model, (int)sig);
  for (int place = 0; place < nworld; place++) {
    const mjData* d = cfi_batchTake(worker, worldAt(world, place));
    mj_getState(batch->model, d, state + (size_t)size * (size_t)place, (int)sig);
  }
  return 1;
}


int cf_batchSetState(cfBatch* batch, unsigned int sig, const int* world, int nworld,
                     const mjtNum* state) {
  if (!checkState(batch, sig, world, nworld, state)) {
    return 0;
  }
  cfBatchWorker* worker = batch->worker;
  const int size = mj_stateSize(batch->model, (int)sig);
  for (int place = 0; place < nworld; place++) {
    const int w = worldAt(world, place);
    mjData* d = cfi_batchTake(worker, w);
    mj_setState(batch->model, d, state + (size_t)size * (size_t)place, (int)sig);
    cfi_batchPutState(worker, w);
  }
  return !batch->cuda || cfi_cudaSend(batch, NULL);
}
