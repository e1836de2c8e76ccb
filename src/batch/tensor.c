// Fields of all worlds as tensors that other programs read and write in place (DLPack).
#include <string.h>

#include "base/memory.h"
#include "batch/batch.h"
#include "batch/cuda.h"


// ---------------------------------------- DLPack's structs, version 0.8

enum { DLPACK_CPU = 1, DLPACK_CUDA = 2 };
enum { DLPACK_INT = 0, DLPACK_UINT = 1, DLPACK_FLOAT = 2 };

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


// ---------------------------------------- making one

static void deleteTensor(struct DLManagedTensor* self) {
  mju_free(self);
}


// where a field of the first world is, and how far the next world is from it
static int locate(cfBatch* batch, const char* name, void** address, mjtSize* stride) {
  if (batch->cuda) {
    return cf_batchDevicePointer(batch, name, address, stride);
  }
  const cfBatchPart* part = cfi_batchPart(batch, name);
  if (!part || !part->bytes) {
    return cfi_batchFail(batch, "'%s': there is no such field in the records of worlds",
                         name ? name : "");
  }
  if (batch->whole) {
    return cfi_batchFail(batch, "'%s': worlds with sleep or plugins have no common array", name);
  }
  *address = cfi_batchValue(batch, part, 0);
  *stride = (mjtSize)batch->stride;
  return 1;
}


struct DLManagedTensor* cf_batchTensor(cfBatch* batch, const char* name) {
  cfBatchField field;
  void* address;
  mjtSize stride;
  if (!cf_batchField(batch, name, &field) || !locate(batch, name, &address, &stride)) {
    return NULL;
  }
  if (field.element > CF_ELEMENT_BYTE || stride % field.nbyte) {
    cfi_batchFail(batch, "'%s': its elements are not numbers", name);
    return NULL;
  }
  struct DLManagedTensor* tensor = cfi_tryMalloc(sizeof(*tensor));
  if (!tensor) {
    cfi_batchFail(batch, "'%s': no memory for a tensor", name);
    return NULL;
  }
  static const uint8_t codes[] = {DLPACK_FLOAT, DLPACK_INT, DLPACK_UINT};
  *tensor = (struct DLManagedTensor){.view = {.data = address,
                                              .device_type = batch->cuda ? DLPACK_CUDA : DLPACK_CPU,
                                              .device_id = batch->cuda ? batch->cuda->device : 0,
                                              .ndim = 2,
                                              .code = codes[field.element],
                                              .bits = (uint8_t)(8 * field.nbyte),
                                              .lanes = 1},
                                     .deleter = deleteTensor,
                                     .shape = {batch->nworld, field.count},
                                     .strides = {stride / field.nbyte, 1}};
  tensor->view.shape = tensor->shape;
  tensor->view.strides = tensor->strides;
  return tensor;
}
