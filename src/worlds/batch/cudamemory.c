// What worlds on a GPU need in memory: the model, parameters, local memory or a pool.
#include <string.h>

#include "base/assert.h"
#include "base/memory.h"
#include "batch/cuda.h"
#include "device/noise.h"
#include "model/extension.h"
#include "model/layout.h"
#include "tables/fields.h"

enum {
  DEVICE_PROCESSORS = 16,
  DEVICE_THREADS = 39,      // per processor
  LIMIT_STACK = 0,          // cuCtxSetLimit
  CALL_STACK = 112 * 1024,  // bytes that calls below the kernel take
  LOCAL_MOST = 320 * 1024,  // a thread can have 512 kB in all
  TRIAL_STEPS = 50,         // of a lone world, to see how much arena it takes
  RESERVE_SLOTS = 1024,     // worlds at a time that need more than local memory
  ROUNDING = 144 * 1024,    // what rounded sizes of blocks take more in the arena
  DEVICE_ALIGNMENT = 128,
};


static size_t alignOnDevice(size_t bytes) {
  return (bytes + DEVICE_ALIGNMENT - 1) / DEVICE_ALIGNMENT * DEVICE_ALIGNMENT;
}


int cfi_cudaAllocate(cfBatch* batch, cfDevicePointer* memory, size_t bytes, const char* what) {
  CF_ASSERT(!*memory);
  if (batch->cuda->driver->cuMemAlloc_v2(memory, bytes ? bytes : 1)) {
    *memory = 0;
    return cfi_batchFail(batch, "backend cuda: no memory on the device for %s (%zu bytes)", what,
                         bytes);
  }
  return 1;
}

// ---------------------------------------- model

// the model as the device sees it: struct, buffer, empty private block; pointers moved
static void fillModelImage(const mjModel* m, char* image, size_t front, cfDevicePointer place) {
  mjModel copy = *m;
  for (int k = 0; k < cfi_modelFields.count; k++) {
    const cfFieldInfo* field = cfi_modelFields.field + k;
    const char* array = cfi_arrayOf(field, m);
    if (array) {
      const uint64_t moved = place + front + (uint64_t)(array - (const char*)m->buffer);
      memcpy((char*)&copy + field->offset, &moved, sizeof(moved));
    }
  }
  const uint64_t buffer = place + front;
  memcpy(&copy.buffer, &buffer, sizeof(buffer));
  memcpy(image, &copy, sizeof(copy));
  memcpy(image + front, m->buffer, (size_t)m->nbuffer);
}


int cfi_cudaSendModel(cfBatch* batch) {
  cfCuda* c = batch->cuda;
  const mjModel* m = batch->model;
  const size_t front = alignOnDevice(sizeof(mjModel));
  const size_t bytes = front + alignOnDevice(cfi_extendedBytes(m->nbuffer));
  char* image = cfi_tryMalloc(bytes);
  if (!image) {
    return cfi_batchFail(batch, "no memory for a copy of the model");
  }
  memset(image, 0, bytes);
  int is_good = cfi_cudaAllocate(batch, &c->model, bytes, "the model");
  if (is_good) {
    fillModelImage(m, image, front, c->model);
    is_good =
        cfi_cudaCheck(batch, c->driver->cuMemcpyHtoDAsync_v2(c->model, image, bytes, c->stream),
                      "the model") &&
        cfi_cudaWait(batch);
  }
  mju_free(image);
  return is_good;
}

// ---------------------------------------- parameters

static void forgetParameters(cfCuda* c) {
  for (int k = 0; k < c->nvalue; k++) {
    c->driver->cuMemFree_v2(c->value[k]);
  }
  mju_free(c->value);
  c->driver->cuMemFree_v2(c->parameter);
  c->value = NULL;
  c->nvalue = 0;
  c->parameter = 0;
}


// where a parameter stands in mjModel
static cfDeviceParameter describeParameter(const cfBatchParameter* p, cfDevicePointer value) {
  cfDeviceParameter d = {.bytes = p->bytes};
  memcpy(&d.value, &value, sizeof(value));
  if (!p->info) {
    d.offset = (uint32_t)offsetof(mjModel, stat);
  } else if (strncmp(p->name, "opt.", 4) == 0) {
    d.offset = (uint32_t)(offsetof(mjModel, opt) + p->info->offset);
  } else {
    d.offset = (uint32_t)p->info->offset;
    d.is_array = p->info->home != CF_HOME_VALUE;
  }
  return d;
}


// all values of all worlds
int cfi_cudaSendParameters(cfBatch* batch) {
  cfCuda* c = batch->cuda;
  if (!c->has_new_parameters) {
    return 1;
  }
  if (!cfi_cudaWait(batch)) {
    return 0;
  }
  forgetParameters(c);
  const size_t n = (size_t)batch->nparameter;
  c->value = cfi_tryMalloc(sizeof(cfDevicePointer) * (n + 1));
  cfDeviceParameter* list = cfi_tryMalloc(sizeof(cfDeviceParameter) * (n + 1));
  int is_good =
      c->value && list && cfi_cudaAllocate(batch, &c->parameter, sizeof(*list) * n, "parameters");
  for (size_t k = 0; is_good && k < n; k++) {
    const cfBatchParameter* p = batch->parameter + k;
    const size_t bytes = p->bytes * (size_t)batch->nworld;
    c->value[k] = 0;
    is_good = cfi_cudaAllocate(batch, c->value + k, bytes, p->name);
    c->nvalue += is_good;
    is_good = is_good &&
              cfi_cudaCheck(
                  batch, c->driver->cuMemcpyHtoDAsync_v2(c->value[k], p->value, bytes, c->stream),
                  p->name);
    list[k] = describeParameter(p, c->value[k]);
  }
  is_good =
      is_good &&
      cfi_cudaCheck(
          batch, c->driver->cuMemcpyHtoDAsync_v2(c->parameter, list, sizeof(*list) * n, c->stream),
          "parameters") &&
      cfi_cudaWait(batch);
  mju_free(list);
  c->has_new_parameters = !is_good;
  return is_good;
}

// ---------------------------------------- memory of worlds

// arena that a lone world takes in its first steps, with noise on its controls
void cfi_cudaTryArena(cfBatch* batch) {
  const mjModel* m = batch->model;
  if (batch->options.narena > 0) {
    return;
  }
  mjData* d = batch->worker->data;
  const cfNoise noise = {0.5, 0.1, 1};
  mjtSize most = 0;
  for (int key = -1; key < m->nkey && key < 1; key++) {
    if (key < 0) {
      mj_resetData(m, d);
    } else {
      mj_resetDataKeyframe(m, d, key);
    }
    for (int k = 0; k < TRIAL_STEPS; k++) {
      cfi_addNoise(&noise, m, d, 0, k);
      mj_step(m, d);
    }
    most = most > d->maxuse_arena ? most : d->maxuse_arena;
  }
  mj_resetData(m, d);
  batch->cuda->trial_arena = (size_t)most;
}


// arrays of a world, with room for a model of its own
static size_t worldArrayBytes(const cfBatch* batch) {
  mjtSize nbuffer = 0;
  const char* name;
  cfi_bufferBytes(&cfi_dataFields, batch->model, &nbuffer, &name);
  return alignOnDevice(sizeof(mjModel)) + alignOnDevice(batch->cuda->data_bytes) +
         alignOnDevice(cfi_extendedBytes(nbuffer));
}


// let threads have that much local memory, if the device can give it to all of them at once
static bool allowLocal(const cfCuda* c, size_t bytes, size_t left) {
  const size_t stack = bytes + CALL_STACK;
  int processors = 0, threads = 0;
  size_t now = 0;
  c->driver->cuCtxGetLimit(&now, LIMIT_STACK);
  if (now >= stack) {
    return true;
  }
  c->driver->cuDeviceGetAttribute(&processors, DEVICE_PROCESSORS, c->device);
  c->driver->cuDeviceGetAttribute(&threads, DEVICE_THREADS, c->device);
  return stack * (size_t)processors * (size_t)threads <= left / 4 * 3 &&
         !c->driver->cuCtxSetLimit(LIMIT_STACK, stack);
}


// rounded sizes where there is room for them, unless the caller has said how much arena there is
static void chooseLocal(cfBatch* batch, size_t bytes, size_t left) {
  cfCuda* c = batch->cuda;
  const size_t plain = alignOnDevice(bytes), rounded = alignOnDevice(bytes + ROUNDING);
  c->is_rounded =
      batch->options.narena <= 0 && rounded <= LOCAL_MOST && allowLocal(c, rounded, left);
  if (c->is_rounded) {
    c->local_bytes = rounded;
  } else if (plain <= LOCAL_MOST && allowLocal(c, plain, left)) {
    c->local_bytes = plain;
  }
}


int cfi_cudaChooseMemory(cfBatch* batch) {
  cfCuda* c = batch->cuda;
  const size_t arrays = worldArrayBytes(batch), full = (size_t)batch->model->narena;
  const mjtSize asked = batch->options.narena;
  size_t arena = asked > 0 ? (size_t)asked : c->trial_arena * 5 / 4 + 8192;
  arena = arena < full ? arena : full;
  size_t left = 0, total = 0;
  c->driver->cuMemGetInfo_v2(&left, &total);
  if (!cfi_cudaCheck(batch, c->driver->cuModuleGetFunction(&c->kernel, c->module, "cf_world"),
                     "cf_world")) {
    return 0;
  }
  chooseLocal(batch, arrays + arena, left);
  if (!c->local_bytes && !allowLocal(c, 0, left)) {
    return cfi_batchFail(batch, "backend cuda: no stack of %d bytes on the device", CALL_STACK);
  }

  // the pool: for all worlds, or for those whose local memory was not enough
  c->pool_bytes = alignOnDevice(arrays + full);
  const size_t share = left / (c->local_bytes ? 8 : 2) / c->pool_bytes;
  const size_t most = c->local_bytes ? RESERVE_SLOTS : (size_t)batch->nworld;
  const size_t nslot = share < most ? share : most;
  c->nslot = (int)(nslot < (size_t)batch->nworld ? nslot : (size_t)batch->nworld);
  if (!c->nslot) {
    return cfi_batchFail(batch, "backend cuda: a world needs %zu bytes, the device has %zu",
                         c->pool_bytes, left);
  }
  return cfi_cudaAllocate(batch, &c->pool, c->pool_bytes * (size_t)c->nslot, "the pool of worlds");
}
