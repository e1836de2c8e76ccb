// Fields of all worlds as tensors that other programs read and write in place (DLPack).
#include <string.h>

#include "base/memory.h"
#include "batch/batch.h"
#include "batch/cuda.h"


// ---------------------------------------- DLPack's structs, versions 0.8 and 1.0

enum { DLPACK_CPU = 1, DLPACK_CUDA = 2 };
enum { DLPACK_INT = 0, DLPACK_UINT = 1, DLPACK_FLOAT = 2 };
enum { DLPACK_READ_ONLY = 1 };

typedef struct {
  void* data;
  int32_t device_type, device_id;
  int32_t ndim;
  uint8_t code, bits;
  uint16_t lanes;
  int64_t *shape, *strides;  // strides in elements
  uint64_t byte_offset;
} tensorView;

struct DLManagedTensor {
  tensorView view;
  void* manager;
  void (*deleter)(struct DLManagedTensor* self);
  int64_t shape[2], strides[2];  // of ours
};

struct DLManagedTensorVersioned {
  uint32_t major, minor;
  void* manager;
  void (*deleter)(struct DLManagedTensorVersioned* self);
  uint64_t flags;
  tensorView view;
  int64_t shape[2], strides[2];  // of ours
};


// ---------------------------------------- making one

static void deleteTensor(struct DLManagedTensor* self) {
  mju_free(self);
}


static void deleteVersioned(struct DLManagedTensorVersioned* self) {
  mju_free(self);
}


// where a field of the first world is, and how far the next world is from it
static int locate(cfBatch* batch, const cfBatchField* field, void** address, mjtSize* stride) {
  if (field->is_parameter && !batch->cuda) {
    *address = cfi_batchTakeLive(batch) ? cfi_batchLive(batch, field->name) : NULL;
    *stride = field->nbyte * field->count;
    return *address != NULL;
  }
  if (batch->cuda) {
    return cf_batchDevicePointer(batch, field->name, address, stride);
  }
  *address = cfi_batchValue(batch, cfi_batchPart(batch, field->name), 0);
  *stride = (mjtSize)batch->stride;
  return 1;
}


// a field as a view whose shape and strides are still to be placed
static int viewField(cfBatch* batch, const char* name, tensorView* view, int64_t strides[2],
                     int64_t shape[2], bool* is_writable) {
  cfBatchField field;
  void* address;
  mjtSize stride;
  if (!cf_batchField(batch, name, &field)) {
    return 0;
  }
  if (field.element > CF_ELEMENT_BYTE) {
    return cfi_batchFail(batch, "'%s': its elements are not numbers", name);
  }
  if (!locate(batch, &field, &address, &stride)) {
    return 0;
  }
  static const uint8_t codes[] = {DLPACK_FLOAT, DLPACK_INT, DLPACK_UINT};
  *view = (tensorView){.data = address,
                       .device_type = batch->cuda ? DLPACK_CUDA : DLPACK_CPU,
                       .device_id = batch->cuda ? batch->cuda->device : 0,
                       .ndim = 2,
                       .code = codes[field.element],
                       .bits = (uint8_t)(8 * field.nbyte),
                       .lanes = 1};
  shape[0] = batch->nworld;
  shape[1] = field.count;
  strides[0] = stride / field.nbyte;
  strides[1] = 1;
  *is_writable = field.is_writable;
  return 1;
}


struct DLManagedTensor* cf_batchTensor(cfBatch* batch, const char* name) {
  struct DLManagedTensor made = {.deleter = deleteTensor};
  bool is_writable;
  if (!viewField(batch, name, &made.view, made.strides, made.shape, &is_writable)) {
    return NULL;
  }
  struct DLManagedTensor* tensor = cfi_tryMalloc(sizeof(*tensor));
  if (!tensor) {
    cfi_batchFail(batch, "'%s': no memory for a tensor", name);
    return NULL;
  }
  *tensor = made;
  tensor->view.shape = tensor->shape;
  tensor->view.strides = tensor->strides;
  return tensor;
}


struct DLManagedTensorVersioned* cf_batchTensorVersioned(cfBatch* batch, const char* name) {
  struct DLManagedTensorVersioned made = {.major = 1, .minor = 0, .deleter = deleteVersioned};
  bool is_writable;
  if (!viewField(batch, name, &made.view, made.strides, made.shape, &is_writable)) {
    return NULL;
  }
  struct DLManagedTensorVersioned* tensor = cfi_tryMalloc(sizeof(*tensor));
  if (!tensor) {
    cfi_batchFail(batch, "'%s': no memory for a tensor", name);
    return NULL;
  }
  *tensor = made;
  tensor->flags = is_writable ? 0 : DLPACK_READ_ONLY;
  tensor->view.shape = tensor->shape;
  tensor->view.strides = tensor->strides;
  return tensor;
}
