// Fields of all worlds as DLPack tensors: the same memory that cf_batchGet and cf_batchSet copy.
#include <cortenforge/batch.h>

#include "cf_test.h"

enum { NWORLD = 5 };

// dlpack.h of version 0.8, as programs that take tensors declare it
typedef struct {
  int32_t device_type, device_id;
} Device;
typedef struct {
  uint8_t code, bits;
  uint16_t lanes;
} Type;
typedef struct {
  void* data;
  Device device;
  int32_t ndim;
  Type dtype;
  int64_t *shape, *strides;
  uint64_t byte_offset;
} Tensor;
struct DLManagedTensor {
  Tensor dl_tensor;
  void* manager_ctx;
  void (*deleter)(struct DLManagedTensor* self);
};


static cfBatch* openBatch(const char* path, const char* outputs) {
  char error[500] = "";
  mjModel* m = mj_loadXML(path, NULL, error, sizeof(error));
  const cfBatchOptions options = {.nthread = 1, .outputs = outputs, .ncontact = 2};
  cfBatch* batch = cf_makeBatch(m, NWORLD, &options, error, sizeof(error));
  if (!batch) {
    CF_FAIL("%s\n", error);
  }
  mj_deleteModel(m);
  return batch;
}


static void expectType(cfBatch* batch, const char* name, int code, int bits, int64_t count) {
  struct DLManagedTensor* t = cf_batchTensor(batch, name);
  CF_TRUE(t != NULL);
  CF_EQ_INT(t->dl_tensor.device.device_type, 1);
  CF_EQ_INT(t->dl_tensor.device.device_id, 0);
  CF_EQ_INT(t->dl_tensor.dtype.code, code);
  CF_EQ_INT(t->dl_tensor.dtype.bits, bits);
  CF_EQ_INT(t->dl_tensor.dtype.lanes, 1);
  CF_EQ_INT(t->dl_tensor.ndim, 2);
  CF_EQ_INT(t->dl_tensor.shape[0], NWORLD);
  CF_EQ_INT(t->dl_tensor.shape[1], count);
  CF_EQ_INT(t->dl_tensor.strides[1], 1);
  CF_EQ_INT(t->dl_tensor.byte_offset, 0);
  t->deleter(t);
}


CF_TEST(tensor__of_numbers_integers_and_bytes__type_and_shape) {
  cfBatch* batch = openBatch("models/loops.xml", "ncon");
  const mjModel* m = cf_batchModel(batch);
  expectType(batch, "qpos", 2, 64, m->nq);
  expectType(batch, "ncon", 0, 32, 1);
  expectType(batch, "eq_active", 1, 8, m->neq);
  cf_freeBatch(batch);
}


CF_TEST(tensor__written__is_what_the_next_step_reads) {
  cfBatch* batch = openBatch("models/car.xml", NULL);
  cfBatch* other = openBatch("models/car.xml", NULL);
  const int nu = (int)cf_batchModel(batch)->nu, nq = (int)cf_batchModel(batch)->nq;
  struct DLManagedTensor* ctrl = cf_batchTensor(batch, "ctrl");
  struct DLManagedTensor* qpos = cf_batchTensor(batch, "qpos");
  CF_TRUE(nu > 0 && ctrl && qpos);
  mjtNum* values = calloc((size_t)(NWORLD * nu), sizeof(mjtNum));
  for (int w = 0; w < NWORLD; w++) {
    for (int i = 0; i < nu; i++) {
      values[w * nu + i] = 0.1 * w + 0.01 * i;
      ((mjtNum*)ctrl->dl_tensor.data)[w * ctrl->dl_tensor.strides[0] + i] = values[w * nu + i];
    }
  }
  CF_TRUE(cf_batchSet(other, "ctrl", NULL, NWORLD, CF_ORDER_WORLD, values));
  CF_TRUE(cf_batchStep(batch, 50) && cf_batchStep(other, 50));
  mjtNum* expected = calloc((size_t)(NWORLD * nq), sizeof(mjtNum));
  CF_TRUE(cf_batchGet(other, "qpos", NULL, NWORLD, CF_ORDER_WORLD, expected));
  for (int w = 0; w < NWORLD; w++) {
    const mjtNum* row = (mjtNum*)qpos->dl_tensor.data + w * qpos->dl_tensor.strides[0];
    CF_EQ_BYTES(row, expected + w * nq, sizeof(mjtNum) * (size_t)nq);
    CF_TRUE(w == 0 || memcmp(row, expected, sizeof(mjtNum) * (size_t)nq) != 0);
  }
  free(values);
  free(expected);
  ctrl->deleter(ctrl);
  qpos->deleter(qpos);
  cf_freeBatch(batch);
  cf_freeBatch(other);
}


CF_TEST(tensor__of_what_has_no_array__message) {
  cfBatch* batch = openBatch("models/car.xml", "contact");
  CF_TRUE(!cf_batchTensor(batch, "body_mass"));
  CF_HAS_STR(cf_batchError(batch), "'body_mass': there is no such field in the records of worlds");
  CF_TRUE(!cf_batchTensor(batch, "contact"));
  CF_HAS_STR(cf_batchError(batch), "'contact'");
  CF_TRUE(!cf_batchTensor(batch, "xpos"));
  CF_HAS_STR(cf_batchError(batch), "'xpos' is not kept");
  CF_TRUE(!cf_batchTensor(batch, NULL));
  cf_freeBatch(batch);
  batch = openBatch("models/sleepers.xml", NULL);
  CF_TRUE(!cf_batchTensor(batch, "qpos"));
  CF_HAS_STR(cf_batchError(batch), "sleep or plugins");
  cf_freeBatch(batch);
}

CF_TEST_MAIN("batch/tensor")
