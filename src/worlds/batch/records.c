// What is kept of a world between steps, and how an mjData takes it in.
#include <stdint.h>
#include <string.h>

#include "base/assert.h"
#include "base/memory.h"
#include "batch/batch.h"
#include "model/data.h"
#include "model/flags.h"
#include "pipeline/advance.h"


// ---------------------------------------- which fields

static size_t roundUp(size_t bytes) {
  return (bytes + 7) & ~(size_t)7;
}


// bytes of a field in a record; fields whose length changes from step to step have none
static size_t partBytes(const cfBatch* batch, const cfFieldInfo* info) {
  if (info->type == CF_TYPE_mjContact) {
    return sizeof(mjContact) * (size_t)batch->options.ncontact;
  }
  if (cfi_fieldInArena(info)) {
    return 0;
  }
  const mjtSize count =
      info->home == CF_HOME_VALUE ? info->length : cfi_fieldCount(info, batch->model, NULL);
  return info->size * (size_t)count;
}


const cfBatchPart* cfi_batchPart(const cfBatch* batch, const char* name) {
  for (int k = 0; k < batch->npart; k++) {
    if (strcmp(batch->part[k].info->name, name) == 0) {
      return batch->part + k;
    }
  }
  return NULL;
}


// Sleeping trees keep what earlier steps have computed for them.  On a device, where worlds have no
// mjData of their own, all of it is carried; what is only drawn (bvh_active) is not.
static bool isKeptAsleep(const cfBatch* batch, const cfFieldInfo* info) {
  if (batch->options.backend != CF_BACKEND_CUDA || !cfi_enabled(batch->model, mjENBL_SLEEP)) {
    return false;
  }
  const bool is_array = info->home != CF_HOME_VALUE && !cfi_fieldInArena(info);
  return info->writer == CF_WRITER_SLEEP || (is_array && info->writer != CF_WRITER_COLLISION);
}


// inputs, and what else the next step reads
static bool isCarried(const cfBatch* batch, const cfFieldInfo* info) {
  static const char* const carried[] = {
#define CF_WORLD_CARRIED(field) #field,
#include "tables/worlds.def"
  };
  for (size_t k = 0; k < sizeof(carried) / sizeof(carried[0]); k++) {
    if (strcmp(info->name, carried[k]) == 0) {
      return true;
    }
  }
  return info->writer == CF_WRITER_INPUT || isKeptAsleep(batch, info);
}


static void addPart(cfBatch* batch, const cfFieldInfo* info) {
  if (!cfi_batchPart(batch, info->name)) {
    const size_t bytes = partBytes(batch, info);
    batch->part[batch->npart++] = (cfBatchPart){
        info, batch->stride, bytes, info->writer == CF_WRITER_INPUT, isCarried(batch, info)};
    batch->stride += roundUp(bytes);
  }
}


// what a step reads from the step before
static void addState(cfBatch* batch, const cfFieldTable* table) {
  for (int k = 0; k < table->count; k++) {
    if (isCarried(batch, table->field + k)) {
      addPart(batch, table->field + k);
    }
  }
}


// a field of mjData with a length that stays, or the contacts
const cfFieldInfo* cfi_batchOutputInfo(const char* name) {
  const cfFieldInfo* info = cfi_findField(&cfi_dataFields, name);
  info = info ? info : cfi_findField(&cfi_dataScalars, name);
  const bool is_fixed = info && (info->type == CF_TYPE_mjContact || !cfi_fieldInArena(info)) &&
                        info->writer != CF_WRITER_MEMORY && info->writer != CF_WRITER_MAKE_DATA;
  return is_fixed ? info : NULL;
}


static int addOutput(cfBatch* batch, const char* name) {
  const cfFieldInfo* info = cfi_findField(&cfi_dataFields, name);
  info = info ? info : cfi_findField(&cfi_dataScalars, name);
  if (!info || info->writer == CF_WRITER_MEMORY || info->writer == CF_WRITER_MAKE_DATA) {
    return cfi_batchFail(batch, "output '%s': mjData has no such field to keep", name);
  }
  if (info->type == CF_TYPE_mjContact && batch->options.ncontact <= 0) {
    return cfi_batchFail(batch, "output 'contact': ncontact is %d, expected at least 1",
                         batch->options.ncontact);
  }
  if (!cfi_batchOutputInfo(name)) {
    return cfi_batchFail(batch, "output '%s': its length changes from step to step", name);
  }
  addPart(batch, info);
  return 1;
}


// names separated by spaces and commas
static int addOutputs(cfBatch* batch, const char* names) {
  static const char* const separators = " ,\t\n";
  for (const char* at = names + strspn(names, separators); *at; at += strspn(at, separators)) {
    char name[64];
    const size_t length = strcspn(at, separators);
    if (length >= sizeof(name)) {
      return cfi_batchFail(batch, "output '%.64s...': mjData has no such field to keep", at);
    }
    memcpy(name, at, length);
    name[length] = 0;
    if (!addOutput(batch, name)) {
      return 0;
    }
    at += length;
  }
  return 1;
}


// a step computes these for sensors alone
bool cfi_batchWantsReactions(const cfBatch* batch) {
  return cfi_batchPart(batch, "cacc") || cfi_batchPart(batch, "cfrc_int") ||
         cfi_batchPart(batch, "cfrc_ext");
}


// ---------------------------------------- memory

// more than the state lives from step to step
static bool needsWholeData(const cfBatch* batch) {
  const mjModel* m = batch->model;
  return batch->is_persistent || (m->opt.enableflags & mjENBL_SLEEP) || m->nplugin > 0;
}


static int makeWholeData(cfBatch* batch) {
  const size_t bytes = sizeof(mjData*) * (size_t)batch->nworld;
  batch->whole = cfi_tryMalloc(bytes);
  if (!batch->whole) {
    return cfi_batchFail(batch, "no memory for %d worlds", batch->nworld);
  }
  memset(batch->whole, 0, bytes);
  for (int w = 0; w < batch->nworld; w++) {
    if (!cfi_makeDataInto(batch->model, true, batch->whole + w)) {
      return cfi_batchFail(batch, "no memory for world %d of %d", w, batch->nworld);
    }
  }
  return 1;
}


int cfi_batchMakeRecords(cfBatch* batch) {
  const int most = cfi_dataFields.count + cfi_dataScalars.count;
  batch->part = cfi_tryMalloc(sizeof(cfBatchPart) * (size_t)most);
  if (!batch->part) {
    return cfi_batchFail(batch, "no memory for the list of fields");
  }
  addState(batch, &cfi_dataScalars);
  addState(batch, &cfi_dataFields);
  if (!addOutputs(batch, batch->options.outputs ? batch->options.outputs : "sensordata")) {
    return 0;
  }

  batch->wants_reactions = cfi_batchWantsReactions(batch);
  batch->has_last_reactions = batch->wants_reactions &&
                              batch->options.reactions == CF_REACTIONS_LAST &&
                              cfi_hasLastReactions(batch->model);
  const size_t n = (size_t)batch->nworld;
  batch->status = cfi_tryMalloc(sizeof(cfWorldStatus) * n);
  batch->record = batch->stride <= PTRDIFF_MAX / n ? cfi_tryMalloc(batch->stride * n) : NULL;
  if (!batch->status || !batch->record) {
    return cfi_batchFail(batch, "no memory for %d worlds of %zu bytes", batch->nworld,
                         batch->stride);
  }
  memset(batch->status, 0, sizeof(cfWorldStatus) * n);
  memset(batch->record, 0, batch->stride * n);
  const bool is_whole = batch->options.backend == CF_BACKEND_CPU && needsWholeData(batch);
  return is_whole ? makeWholeData(batch) : 1;
}


void cfi_batchFreeRecords(cfBatch* batch) {
  for (int w = 0; batch->whole && w < batch->nworld; w++) {
    mj_deleteData(batch->whole[w]);
  }
  mju_free(batch->whole);
  mju_free(batch->record);
  mju_free(batch->kept);
  mju_free(batch->status);
  mju_free(batch->part);
}


// ---------------------------------------- in and out of mjData

static char* partInData(const cfBatchPart* part, mjData* d) {
  return (char*)(uintptr_t)cfi_fieldElements(part->info, d);
}


// bytes of a part that mjData holds: there may be fewer contacts than places for them
static size_t bytesInData(const cfBatchPart* part, const mjData* d) {
  const size_t used = sizeof(mjContact) * (size_t)d->ncon;
  return part->info->type == CF_TYPE_mjContact && used < part->bytes ? used : part->bytes;
}


char* cfi_batchValue(const cfBatch* batch, const cfBatchPart* part, int world) {
  CF_ASSERT(world >= 0 && world < batch->nworld);
  return batch->record + batch->stride * (size_t)world + part->offset;
}


// counters of warnings: those of a call are added to what the world had
static bool isCounter(const cfBatchPart* part) {
  return part->info->type == CF_TYPE_mjWarningStat;
}


// Outputs too: what a call does not write stays what this world had, and is not that of the world
// that used this mjData before.  What collision writes is made anew by every call that has any.
bool cfi_batchTakes(const cfBatchPart* part) {
  const bool may_stay = part->info->writer != CF_WRITER_COLLISION && !isCounter(part);
  return part->bytes && (part->is_carried || may_stay);
}


void cfi_batchTakeInto(const cfBatch* batch, int world, mjData* d) {
  for (int k = 0; k < batch->npart; k++) {
    const cfBatchPart* part = batch->part + k;
    if (batch->whole ? part->is_carried : cfi_batchTakes(part)) {
      memcpy(partInData(part, d), cfi_batchValue(batch, part, world), part->bytes);
    }
  }
  memset(d->warning, 0, sizeof(d->warning));
}


static void addCounters(char* value, const mjData* d) {
  mjWarningStat sum[mjNWARNING];
  memcpy(sum, value, sizeof(sum));
  for (int k = 0; k < mjNWARNING; k++) {
    sum[k].number += d->warning[k].number;
    sum[k].lastinfo = d->warning[k].number ? d->warning[k].lastinfo : sum[k].lastinfo;
  }
  memcpy(value, sum, sizeof(sum));
}


void cfi_batchCopyPart(const cfBatch* batch, const cfBatchPart* part, int world, const mjData* d,
                       char* values) {
  const size_t bytes = bytesInData(part, d);
  if (isCounter(part)) {
    memcpy(values, cfi_batchValue(batch, part, world), bytes);
    addCounters(values, d);
  } else if (part->bytes) {
    memcpy(values, cfi_fieldElements(part->info, d), bytes);
    memset(values + bytes, 0, part->bytes - bytes);
  }
}


void cfi_batchPutFrom(const cfBatch* batch, int world, mjData* d, bool with_outputs) {
  for (int k = 0; k < batch->npart; k++) {
    const cfBatchPart* part = batch->part + k;
    const bool is_put = part->bytes && (part->is_carried || with_outputs);
    char* value = cfi_batchValue(batch, part, world);
    if (is_put && isCounter(part)) {
      addCounters(value, d);
    } else if (is_put) {
      // places without a contact have none of an earlier step
      const size_t bytes = bytesInData(part, d);
      memcpy(value, cfi_fieldElements(part->info, d), bytes);
      memset(value + bytes, 0, part->bytes - bytes);
    }
  }
}


// ---------------------------------------- as they were

bool cfi_batchKeepRecords(cfBatch* batch) {
  const size_t bytes = batch->stride * (size_t)batch->nworld;
  batch->kept = batch->kept ? batch->kept : cfi_tryMalloc(bytes);
  if (batch->kept) {
    memcpy(batch->kept, batch->record, bytes);
  }
  return batch->kept != NULL;
}


void cfi_batchTakeBackFrozen(cfBatch* batch) {
  CF_ASSERT(batch->kept);
  for (int w = 0; w < batch->nworld; w++) {
    const size_t at = batch->stride * (size_t)w;
    if (batch->status[w].is_frozen) {
      memcpy(batch->record + at, batch->kept + at, batch->stride);
    }
  }
}


// ---------------------------------------- worlds of workers

static mjData* dataOfWorld(cfBatchWorker* worker, int world) {
  const cfBatch* batch = worker->batch;
  return batch->whole ? batch->whole[world] : worker->data;
}


mjData* cfi_batchTake(cfBatchWorker* worker, int world) {
  mjData* d = dataOfWorld(worker, world);
  cfi_batchTakeInto(worker->batch, world, d);
  return d;
}


void cfi_batchPut(cfBatchWorker* worker, int world) {
  cfi_batchPutFrom(worker->batch, world, dataOfWorld(worker, world), true);
}


// The outputs stay: an mjData that the world has of its own may have been cleaned after an error,
// and the world keeps what it had before
void cfi_batchPutState(cfBatchWorker* worker, int world) {
  cfi_batchPutFrom(worker->batch, world, dataOfWorld(worker, world), false);
}
