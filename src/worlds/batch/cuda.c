// Worlds on an NVIDIA GPU: opening, tasks, fields.
#include "batch/cuda.h"

#include <stdio.h>
#include <string.h>

#include "backend/features.h"
#include "base/assert.h"
#include "base/memory.h"
#include "tables/fields.h"

enum { STREAM_NON_BLOCKING = 1, BLOCK_THREADS = 64 };

// ---------------------------------------- what a device cannot do

static int refuseOnDevice(cfBatch* batch, const char* what) {
  return cfi_batchFail(batch, "not implemented on the device: %s", what);
}


int cfi_cudaAllows(cfBatch* batch) {
  const char* refusal = cfi_deviceRefusal(cfi_featuresOf(batch->model) | cfi_featuresNow());
  return refusal ? refuseOnDevice(batch, refusal) : 1;
}

// ---------------------------------------- opening

// worlds by their load, where there are several groups of them
static int allocateOrder(cfBatch* batch) {
  cfCuda* c = batch->cuda;
  const size_t bytes = sizeof(int32_t) * CF_DEVICE_LOADS, n = (size_t)batch->nworld;
  return batch->nworld <= BLOCK_THREADS ||
         (cfi_cudaAllocate(batch, &c->order, sizeof(int32_t) * n, "the order of worlds") &&
          cfi_cudaAllocate(batch, &c->load_count, bytes, "loads of worlds") &&
          cfi_cudaAllocate(batch, &c->load_begin, bytes, "loads of worlds"));
}


// records, their description, counters
static int sendRecords(cfBatch* batch) {
  cfCuda* c = batch->cuda;
  const size_t n = (size_t)batch->nworld, npart = (size_t)batch->npart;
  cfDevicePart* list = cfi_tryMalloc(sizeof(cfDevicePart) * (npart + 1));
  c->is_fresh = cfi_tryMalloc(npart + 1);
  if (!list || !c->is_fresh) {
    mju_free(list);
    return cfi_batchFail(batch, "no memory for the list of fields");
  }
  memset(c->is_fresh, 0, npart + 1);
  int is_good = 1;
  for (size_t k = 0; k < npart; k++) {
    const cfBatchPart* part = batch->part + k;
    const bool is_array = part->info->home != CF_HOME_VALUE;
    const cfFieldTable* table = is_array ? &cfi_dataFields : &cfi_dataScalars;
    list[k] = (cfDevicePart){(uint32_t)part->offset,
                             (uint32_t)part->bytes,
                             is_array,
                             (int32_t)(part->info - table->field),
                             part->is_carried,
                             part->info->type == CF_TYPE_mjContact,
                             cfi_batchTakes(part)};
    if (part->info->type == CF_TYPE_mjSolverStat) {
      is_good = refuseOnDevice(batch, "output 'solver'");
    }
  }
  is_good =
      is_good && cfi_cudaAllocate(batch, &c->record, batch->stride * n, "the worlds") &&
      cfi_cudaAllocate(batch, &c->part, sizeof(*list) * npart, "the list of fields") &&
      cfi_cudaAllocate(batch, &c->status, sizeof(cfDeviceStatus) * n, "the counters of worlds") &&
      cfi_cudaAllocate(batch, &c->mask, n, "the mask of resets") &&
      cfi_cudaAllocate(batch, &c->job, sizeof(cfDeviceJob), "a job") && allocateOrder(batch) &&
      cfi_cudaCheck(
          batch, c->driver->cuMemcpyHtoDAsync_v2(c->part, list, sizeof(*list) * npart, c->stream),
          "the list of fields") &&
      cfi_cudaCheck(batch,
                    c->driver->cuMemsetD8Async(c->status, 0, sizeof(cfDeviceStatus) * n, c->stream),
                    "the counters of worlds") &&
      cfi_cudaCheck(batch, c->driver->cuMemsetD8Async(c->record, 0, batch->stride * n, c->stream),
                    "the worlds") &&
      cfi_cudaWait(batch);
  mju_free(list);
  return is_good;
}


static void leaveContext(cfCuda* c) {
  void* context;
  c->driver->cuCtxPopCurrent_v2(&context);
}


int cfi_cudaPrepare(cfBatch* batch) {
  CF_ASSERT(!batch->cuda);
  if (!cfi_cudaAllows(batch)) {
    return 0;
  }
  cfCuda* c = batch->cuda = cfi_tryMalloc(sizeof(cfCuda));
  if (!c) {
    return cfi_batchFail(batch, "no memory for a batch");
  }
  *c = (cfCuda){.block = BLOCK_THREADS};
  cfi_cudaStart(c);
  return 1;
}


int cfi_cudaOpen(cfBatch* batch) {
  cfCuda* c = batch->cuda;
  CF_ASSERT(c && batch->worker);
  cfi_cudaTryArena(batch);
  cfi_cudaTryTeam(batch);
  if (!cfi_cudaStarted(batch)) {
    return 0;
  }
  c->driver->cuCtxPushCurrent_v2(c->context);
  const int is_good =
      cfi_cudaCheck(batch, c->driver->cuStreamCreate(&c->stream, STREAM_NON_BLOCKING), "stream") &&
      cfi_cudaLoadKernels(batch) && cfi_cudaSendModel(batch) && sendRecords(batch) &&
      cfi_cudaChooseMemory(batch) && cfi_cudaOpenTeam(batch);
  leaveContext(c);
  return is_good;
}


void cfi_cudaClose(cfBatch* batch) {
  cfCuda* c = batch->cuda;
  if (!c) {
    return;
  }
  cfi_cudaJoin(c);
  if (c->context) {
    c->driver->cuCtxPushCurrent_v2(c->context);
    if (c->stream) {
      c->driver->cuStreamSynchronize(c->stream);
      c->driver->cuStreamDestroy_v2(c->stream);
    }
    const cfDevicePointer memory[] = {c->model, c->record,     c->part,      c->status,
                                      c->mask,  c->job,        c->pool,      c->parameter,
                                      c->order, c->load_count, c->load_begin};
    for (size_t k = 0; k < sizeof(memory) / sizeof(memory[0]); k++) {
      if (memory[k]) {
        c->driver->cuMemFree_v2(memory[k]);
      }
    }
    for (int k = 0; k < c->nvalue; k++) {
      c->driver->cuMemFree_v2(c->value[k]);
    }
    cfi_cudaCloseTeam(batch);
    if (c->module) {
      c->driver->cuModuleUnload(c->module);
    }
    leaveContext(c);
    c->driver->cuDevicePrimaryCtxRelease_v2(c->device);
  }
  mju_free(c->value);
  mju_free(c->is_fresh);
  mju_free(c);
  batch->cuda = NULL;
}

// ---------------------------------------- tasks

static void* pointerTo(cfDevicePointer address) {
  void* pointer;
  memcpy(&pointer, &address, sizeof(pointer));
  return pointer;
}


static cfDeviceJob makeJob(const cfBatch* batch, cftDeviceTask task, int nstep, int key) {
  const cfCuda* c = batch->cuda;
  return (cfDeviceJob){.model = pointerTo(c->model),
                       .record = pointerTo(c->record),
                       .stride = batch->stride,
                       .part = pointerTo(c->part),
                       .parameter = pointerTo(c->parameter),
                       .status = pointerTo(c->status),
                       .load_count = pointerTo(c->load_count),
                       .load_begin = pointerTo(c->load_begin),
                       .pool = pointerTo(c->pool),
                       .pool_bytes = c->pool_bytes,
                       .noise_scale = batch->options.noise_scale,
                       .noise_rate = batch->options.noise_rate,
                       .seed = batch->options.seed,
                       .npart = batch->npart,
                       .nparameter = batch->nparameter,
                       .task = task,
                       .nstep = nstep,
                       .key = key,
                       .reacts = batch->wants_reactions};
}


static int launch(cfBatch* batch, cfDeviceJob* job, size_t local_bytes, int first, int end) {
  cfCuda* c = batch->cuda;
  CF_ASSERT(first < end);
  job->local_bytes = local_bytes;
  job->is_rounded = local_bytes && c->is_rounded;
  job->first = first;
  job->end = end;
  void* arguments[] = {&c->job};
  const unsigned int block = (unsigned int)c->block;
  const unsigned int grid = ((unsigned int)(end - first) + block - 1) / block;
  return cfi_cudaCheck(batch, c->driver->cuMemcpyHtoDAsync_v2(c->job, job, sizeof(*job), c->stream),
                       "a job") &&
         cfi_cudaCheck(batch,
                       c->driver->cuLaunchKernel(c->kernel, grid, 1, 1, block, 1, 1, 0, c->stream,
                                                 arguments, NULL),
                       "a launch");
}


// the worlds that were left open, in the place of the order: together they fill few launches
static int gatherOpen(cfBatch* batch, cfDeviceJob* job) {
  const cfCuda* c = batch->cuda;
  const int32_t task = job->task;
  job->task = CF_DEVICE_GATHER;
  job->order = pointerTo(c->order);
  job->open_count = pointerTo(c->load_count);
  const int is_good =
      cfi_cudaCheck(batch, c->driver->cuMemsetD8Async(c->load_count, 0, sizeof(int32_t), c->stream),
                    "open worlds") &&
      launch(batch, job, 0, 0, batch->nworld);
  job->task = task;
  return is_good;
}


// in portions of what the pool holds
static int launchInPool(cfBatch* batch, cfDeviceJob* job) {
  const cfCuda* c = batch->cuda;
  int is_good = !job->is_again || !c->order || gatherOpen(batch, job);
  for (int first = 0; is_good && first < batch->nworld; first += c->nslot) {
    const int left = batch->nworld - first;
    is_good = launch(batch, job, 0, first, first + (left < c->nslot ? left : c->nslot));
  }
  job->order = NULL;
  job->open_count = NULL;
  return is_good;
}


// worlds of one load side by side: threads of a warp then take the same ways
static int launchOrder(cfBatch* batch, const cfDeviceJob* step) {
  static const cftDeviceTask tasks[] = {CF_DEVICE_COUNT, CF_DEVICE_BEGIN, CF_DEVICE_ORDER};
  const cfCuda* c = batch->cuda;
  cfDeviceJob job = *step;
  int is_good = cfi_cudaCheck(
      batch,
      c->driver->cuMemsetD8Async(c->load_count, 0, sizeof(int32_t) * CF_DEVICE_LOADS, c->stream),
      "loads of worlds");
  for (int k = 0; is_good && k < 3; k++) {
    job.task = tasks[k];
    is_good = launch(batch, &job, 0, 0, k == 1 ? CF_DEVICE_BEGINNERS : batch->nworld);
  }
  return is_good;
}


// worlds by the fast tier or in local memory, and again in the pool those that it left open
static int launchTask(cfBatch* batch, cfDeviceJob* job) {
  const cfCuda* c = batch->cuda;
  const bool is_reset = job->task == CF_DEVICE_RESET || job->task == CF_DEVICE_RESTART;
  job->is_again = 0;
  if (job->task == CF_DEVICE_STEP && cfi_cudaHasTeam(batch)) {
    batch->cuda->owed = job->nstep;
    return cfi_cudaStepTeam(batch, job->nstep);
  }
  job->is_last = !c->local_bytes || is_reset;
  if (!c->local_bytes) {
    return launchInPool(batch, job);
  }
  if (job->task == CF_DEVICE_STEP && c->order) {
    job->order = pointerTo(c->order);
    if (!launchOrder(batch, job)) {
      return 0;
    }
  }
  if (!launch(batch, job, c->local_bytes, 0, batch->nworld)) {
    return 0;
  }
  job->is_again = job->is_last = 1;
  return is_reset || launchInPool(batch, job);
}


// lost worlds start again where that was asked for
static int relaunchLost(cfBatch* batch, cfDeviceJob* job) {
  job->task = CF_DEVICE_RESTART;
  return batch->options.unstable != CF_UNSTABLE_RESET || launchTask(batch, job);
}


int cfi_cudaSettle(cfBatch* batch) {
  cfCuda* c = batch->cuda;
  const int nstep = c->owed;
  int left = 0;
  c->owed = 0;
  if (!nstep) {
    return 1;
  }
  c->has_status = false;
  c->driver->cuCtxPushCurrent_v2(c->context);
  int is_good = cfi_cudaFinishTeam(batch, nstep, &left);
  if (is_good && left) {
    cfDeviceJob job = makeJob(batch, CF_DEVICE_STEP, nstep, -1);
    job.is_again = job.is_last = 1;
    is_good = launchInPool(batch, &job) && relaunchLost(batch, &job);
  }
  leaveContext(c);
  return is_good;
}


int cfi_cudaRun(cfBatch* batch, cftDeviceTask task, int nstep, int key, const mjtByte* mask) {
  cfCuda* c = batch->cuda;
  if (!cfi_cudaSettle(batch)) {
    return 0;
  }
  c->has_status = false;
  c->driver->cuCtxPushCurrent_v2(c->context);
  cfDeviceJob job = makeJob(batch, task, nstep, key);
  const bool is_new = c->has_new_parameters;
  int is_good = cfi_cudaSendParameters(batch) && (!is_new || cfi_cudaOwnTeam(batch));
  job.parameter = pointerTo(c->parameter);
  if (is_good && mask) {
    job.mask = pointerTo(c->mask);
    is_good = cfi_cudaCheck(
        batch, c->driver->cuMemcpyHtoDAsync_v2(c->mask, mask, (size_t)batch->nworld, c->stream),
        "the mask of resets");
  }
  is_good = is_good && launchTask(batch, &job);
  if (is_good && task != CF_DEVICE_RESET && !c->owed) {
    is_good = relaunchLost(batch, &job);
  }
  memset(c->is_fresh, 0, (size_t)batch->npart);
  leaveContext(c);
  // who reads the memory of the device does not ask before
  return is_good && (!c->is_shared || cfi_cudaSettle(batch));
}


int cfi_cudaWait(cfBatch* batch) {
  const cfCuda* c = batch->cuda;
  return cfi_cudaCheck(batch, c->driver->cuStreamSynchronize(c->stream), "waiting for the device");
}

// ---------------------------------------- fields

// one column of the records
static int copyColumn(cfBatch* batch, const cfBatchPart* part, bool is_fetching) {
  cfCuda* c = batch->cuda;
  const size_t index = (size_t)(part - batch->part);
  if (!part->bytes || (is_fetching && c->is_fresh[index] && !c->is_shared)) {
    return 1;
  }
  cfCopy2d copy = {.from_pitch = batch->stride,
                   .to_pitch = batch->stride,
                   .width = part->bytes,
                   .height = (size_t)batch->nworld};
  char* host = batch->record + part->offset;
  const cfDevicePointer device = c->record + part->offset;
  if (is_fetching) {
    copy.from_kind = CF_CUDA_DEVICE, copy.from_device = device;
    copy.to_kind = CF_CUDA_HOST, copy.to_host = host;
  } else {
    copy.from_kind = CF_CUDA_HOST, copy.from_host = host;
    copy.to_kind = CF_CUDA_DEVICE, copy.to_device = device;
  }
  const int is_good =
      cfi_cudaCheck(batch, c->driver->cuMemcpy2DAsync_v2(&copy, c->stream), part->info->name);
  c->is_fresh[index] = is_good;
  return is_good;
}


static int copyColumns(cfBatch* batch, const cfBatchPart* part, bool is_fetching) {
  cfCuda* c = batch->cuda;
  if (!cfi_cudaSettle(batch)) {
    return 0;
  }
  c->driver->cuCtxPushCurrent_v2(c->context);
  int is_good = 1;
  for (int k = 0; is_good && k < batch->npart; k++) {
    const cfBatchPart* other = batch->part + k;
    if (part ? other == part : other->is_carried) {
      is_good = copyColumn(batch, other, is_fetching);
    }
  }
  is_good = is_good && cfi_cudaWait(batch);
  leaveContext(c);
  return is_good;
}


int cfi_cudaFetch(cfBatch* batch, const cfBatchPart* part) {
  return copyColumns(batch, part, true);
}


int cfi_cudaSend(cfBatch* batch, const cfBatchPart* part) {
  return copyColumns(batch, part, false);
}


// the text of an error, which lies in the memory of the device
typedef struct {
  const char* message;
  char text[sizeof(((cfWorldStatus*)NULL)->reason)];
} deviceText;


// byte by byte, since its end is not known; worlds that were lost by the same error share it
static void fetchText(const cfCuda* c, deviceText* known, const char* message) {
  if (message == known->message) {
    return;
  }
  CF_ASSERT(message);
  *known = (deviceText){.message = message};
  cfDevicePointer address;
  memcpy(&address, &message, sizeof(address));
  for (size_t k = 0; k + 1 < sizeof(known->text); k++) {
    if (c->driver->cuMemcpyDtoHAsync_v2(known->text + k, address + k, 1, c->stream) ||
        c->driver->cuStreamSynchronize(c->stream) || !known->text[k]) {
      known->text[k] = 0;
      break;
    }
  }
}


// the new counters of a world, and why it was lost: bad numbers, which are among the warnings, or
// an error
static void setStatus(const cfCuda* c, cfWorldStatus* status, const cfDeviceStatus* from,
                      deviceText* known) {
  static const int bad[] = {mjWARN_BADQPOS, mjWARN_BADQVEL, mjWARN_BADQACC};
  const cfWorldStatus old = *status;
  *status = (cfWorldStatus){.nstep = from->nstep,
                            .nlost = from->nlost,
                            .is_frozen = from->state != CF_WORLD_GOOD,
                            .nagain = from->nagain};
  memcpy(status->warning, from->warning, sizeof(status->warning));
  memcpy(status->reason, old.reason, sizeof(status->reason));
  if (status->nlost <= old.nlost) {
    return;
  }
  status->reason[0] = 0;
  for (int k = 0; k < 3; k++) {
    if (status->warning[bad[k]] > old.warning[bad[k]]) {
      snprintf(status->reason, sizeof(status->reason), "%s", mju_warningText(bad[k], 0));
    }
  }
  if (!status->reason[0] && from->message) {
    fetchText(c, known, from->message);
    memcpy(status->reason, known->text, sizeof(status->reason));
  }
}


int cfi_cudaFetchStatus(cfBatch* batch) {
  cfCuda* c = batch->cuda;
  const size_t n = (size_t)batch->nworld;
  if (!cfi_cudaSettle(batch)) {
    return 0;
  }
  if (c->has_status) {
    return 1;
  }
  cfDeviceStatus* list = cfi_tryMalloc(sizeof(cfDeviceStatus) * n);
  if (!list) {
    return cfi_batchFail(batch, "no memory for the counters of %d worlds", batch->nworld);
  }
  c->driver->cuCtxPushCurrent_v2(c->context);
  const int is_good = cfi_cudaCheck(batch,
                                    c->driver->cuMemcpyDtoHAsync_v2(
                                        list, c->status, sizeof(cfDeviceStatus) * n, c->stream),
                                    "the counters of worlds") &&
                      cfi_cudaWait(batch);
  deviceText known = {NULL, ""};
  for (int w = 0; is_good && w < batch->nworld; w++) {
    setStatus(c, batch->status + w, list + w, &known);
  }
  c->has_status = is_good;
  leaveContext(c);
  mju_free(list);
  return is_good;
}


int cf_batchDevicePointer(cfBatch* batch, const char* name, void** address, mjtSize* stride) {
  const cfBatchPart* part = cfi_batchPart(batch, name);
  if (!batch->cuda) {
    return cfi_batchFail(batch, "'%s': worlds on the CPU have no device memory", name);
  }
  if (!part || !part->bytes) {
    return cfi_batchFail(batch, "'%s': there is no such field in the records of worlds", name);
  }
  if (!cfi_cudaSettle(batch)) {
    return 0;
  }
  batch->cuda->is_shared = true;
  *address = pointerTo(batch->cuda->record + part->offset);
  *stride = (mjtSize)batch->stride;
  return 1;
}


void* cf_batchStream(const cfBatch* batch) {
  return batch->cuda ? batch->cuda->stream : NULL;
}


int cf_batchWait(cfBatch* batch) {
  if (!batch->cuda) {
    return 1;
  }
  if (!cfi_cudaSettle(batch)) {
    return 0;
  }
  batch->cuda->driver->cuCtxPushCurrent_v2(batch->cuda->context);
  const int is_good = cfi_cudaWait(batch);
  leaveContext(batch->cuda);
  return is_good;
}
