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
struct DLManagedTensorVersioned {
  uint32_t major, minor;
  void* manager_ctx;
  void (*deleter)(struct DLManagedTensorVersioned* self);
  uint64_t flags;
  Tensor dl_tensor;
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


// constants follow what is written into a parameter, as after cf_batchSet
CF_TEST(tensor__of_a_parameter_written__is_what_the_next_call_reads) {
  static const char* const names[] = {"body_mass", "dof_damping", "geom_size", "actuator_gainprm"};
  cfBatch *live = openBatch("models/car.xml", NULL), *other = openBatch("models/car.xml", NULL);
  struct DLManagedTensor* tensor[4];
  for (int k = 0; k < 4; k++) {
    tensor[k] = cf_batchTensor(live, names[k]);
    CF_TRUE(tensor[k] != NULL);
    const Tensor* view = &tensor[k]->dl_tensor;
    const int count = (int)view->shape[1];
    mjtNum* own = (mjtNum*)view->data + 2 * view->strides[0];
    for (int i = 0; i < count; i++) {
      own[i] *= 1.1;
    }
    const int world = 2;
    CF_TRUE(cf_batchSet(other, names[k], &world, 1, CF_ORDER_WORLD, own));
  }
  const int nq = (int)cf_batchModel(live)->nq;
  mjtNum *a = calloc((size_t)(NWORLD * nq), sizeof(mjtNum)),
         *b = calloc((size_t)(NWORLD * nq), sizeof(mjtNum));
  CF_TRUE(cf_batchStep(live, 40) && cf_batchStep(other, 40));
  CF_TRUE(cf_batchGet(live, "qpos", NULL, NWORLD, CF_ORDER_WORLD, a));
  CF_TRUE(cf_batchGet(other, "qpos", NULL, NWORLD, CF_ORDER_WORLD, b));
  CF_EQ_BYTES(a, b, sizeof(mjtNum) * (size_t)(NWORLD * nq));
  CF_TRUE(memcmp(a, a + 2 * nq, sizeof(mjtNum) * (size_t)nq) != 0);
  free(a);
  free(b);
  for (int k = 0; k < 4; k++) {
    tensor[k]->deleter(tensor[k]);
  }
  cf_freeBatch(live);
  cf_freeBatch(other);
}


CF_TEST(tensor__of_a_parameter__shows_what_other_calls_set) {
  cfBatch* batch = openBatch("models/car.xml", NULL);
  struct DLManagedTensor* t = cf_batchTensor(batch, "body_mass");
  const int nbody = (int)cf_batchModel(batch)->nbody, world = 3;
  mjtNum* mass = calloc((size_t)nbody, sizeof(mjtNum));
  CF_TRUE(cf_batchGet(batch, "body_mass", &world, 1, CF_ORDER_WORLD, mass));
  const mjtNum* own = (mjtNum*)t->dl_tensor.data + world * t->dl_tensor.strides[0];
  CF_EQ_BYTES(own, mass, sizeof(mjtNum) * (size_t)nbody);
  mass[1] *= 2;
  CF_TRUE(cf_batchSet(batch, "body_mass", &world, 1, CF_ORDER_WORLD, mass));
  CF_EQ_BYTES(own, mass, sizeof(mjtNum) * (size_t)nbody);
  free(mass);
  t->deleter(t);
  cf_freeBatch(batch);
}


// nothing is stepped until it is mended
CF_TEST(tensor__of_a_parameter_with_a_value_out_of_range__the_next_call_fails) {
  cfBatch* batch = openBatch("models/car.xml", NULL);
  struct DLManagedTensor *mass = cf_batchTensor(batch, "body_mass"),
                         *size = cf_batchTensor(batch, "geom_size");
  mjtNum *bad = (mjtNum*)mass->dl_tensor.data + 1, before = *bad, time;
  mjtNum *flat = (mjtNum*)size->dl_tensor.data + 3, height = *flat;
  *bad = -1;
  CF_TRUE(!cf_batchStep(batch, 1));
  CF_EQ_STR(cf_batchError(batch), "'body_mass': value 1 is negative");
  CF_TRUE(!cf_batchForward(batch) && !cf_batchReset(batch, NULL, -1) && !cf_batchCommit(batch));
  *bad = 2 * before;
  *flat = -1;
  CF_TRUE(!cf_batchStep(batch, 1));
  CF_HAS_STR(cf_batchError(batch), "must be positive");
  CF_NEAR(*bad, 2 * before, 0);
  *flat = height;
  const int world = 0;
  CF_TRUE(cf_batchGet(batch, "time", &world, 1, CF_ORDER_WORLD, &time));
  CF_NEAR(time, 0, 0);
  CF_TRUE(cf_batchStep(batch, 1));
  CF_TRUE(cf_batchGet(batch, "time", &world, 1, CF_ORDER_WORLD, &time));
  CF_TRUE(time > 0);
  mass->deleter(mass);
  size->deleter(size);
  cf_freeBatch(batch);
}


CF_TEST(tensor__of_version_1__results_are_read_only) {
  static const struct {
    const char* name;
    uint64_t flags;
  } fields[] = {{"qpos", 0}, {"ctrl", 0}, {"sensordata", 1}, {"xpos", 1}, {"body_mass", 0}};
  cfBatch* batch = openBatch("models/car.xml", "sensordata xpos");
  for (size_t k = 0; k < sizeof(fields) / sizeof(fields[0]); k++) {
    struct DLManagedTensor* old = cf_batchTensor(batch, fields[k].name);
    struct DLManagedTensorVersioned* t = cf_batchTensorVersioned(batch, fields[k].name);
    CF_TRUE(t && old);
    CF_EQ_INT(t->major, 1);
    CF_EQ_INT(t->minor, 0);
    CF_TRUE(t->flags == fields[k].flags);
    CF_TRUE(t->dl_tensor.data == old->dl_tensor.data);
    CF_EQ_INT(t->dl_tensor.shape[0], NWORLD);
    CF_EQ_INT(t->dl_tensor.shape[1], old->dl_tensor.shape[1]);
    CF_EQ_INT(t->dl_tensor.strides[0], old->dl_tensor.strides[0]);
    old->deleter(old);
    t->deleter(t);
  }
  CF_TRUE(!cf_batchTensorVersioned(batch, "geom_xpos"));
  cf_freeBatch(batch);
}


// worlds with an mjData of their own, which sleep
CF_TEST(tensor__of_worlds_that_sleep__is_what_the_next_step_reads) {
  cfBatch *live = openBatch("models/sleepers.xml", NULL),
          *other = openBatch("models/sleepers.xml", NULL);
  CF_TRUE(cf_batchStep(live, 200) && cf_batchStep(other, 200));
  struct DLManagedTensor* t = cf_batchTensor(live, "qvel");
  CF_TRUE(t != NULL);
  const int nv = (int)cf_batchModel(live)->nv, world = 1;
  mjtNum* own = (mjtNum*)t->dl_tensor.data + world * t->dl_tensor.strides[0];
  own[0] += 0.3;
  CF_TRUE(cf_batchSet(other, "qvel", &world, 1, CF_ORDER_WORLD, own));
  CF_TRUE(cf_batchStep(live, 30) && cf_batchStep(other, 30));
  mjtNum* qvel = calloc((size_t)(NWORLD * nv), sizeof(mjtNum));
  CF_TRUE(cf_batchGet(other, "qvel", NULL, NWORLD, CF_ORDER_WORLD, qvel));
  for (int w = 0; w < NWORLD; w++) {
    const mjtNum* row = (mjtNum*)t->dl_tensor.data + w * t->dl_tensor.strides[0];
    CF_EQ_BYTES(row, qvel + w * nv, sizeof(mjtNum) * (size_t)nv);
  }
  CF_TRUE(memcmp(qvel, qvel + nv, sizeof(mjtNum) * (size_t)nv) != 0);
  free(qvel);
  t->deleter(t);
  cf_freeBatch(live);
  cf_freeBatch(other);
}


CF_TEST(tensor__of_what_has_no_array__message) {
  cfBatch* batch = openBatch("models/car.xml", "contact");
  CF_TRUE(!cf_batchTensor(batch, "contact"));
  CF_HAS_STR(cf_batchError(batch), "'contact'");
  CF_TRUE(!cf_batchTensor(batch, "xpos"));
  CF_HAS_STR(cf_batchError(batch), "'xpos' is not kept");
  CF_TRUE(!cf_batchTensor(batch, "geom_type"));
  CF_HAS_STR(cf_batchError(batch), "the worlds of a batch share it");
  CF_TRUE(!cf_batchTensor(batch, NULL));
  cf_freeBatch(batch);
}

CF_TEST_MAIN("batch/tensor")
