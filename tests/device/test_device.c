// Batches on a device that is a CPU: the device code, its memory and the host's side of it give the
// bits of the library.
#include <glob.h>

#include <cortenforge/batch.h>
#include <cortenforge/cortenforge.h>

#include "cf_swing.h"
#include "cf_forms.h"
#include "cf_test.h"
#include "opentwin.h"

enum { NWORLD = 3, STEPS = 10, MANY = 70 };

static const char* const swing_xml = CF_SWING("<size memory='%s'/>");


static mjModel* loadSwing(const char* memory) {
  char xml[2000], error[500] = "";
  snprintf(xml, sizeof(xml), swing_xml, memory);
  mjSpec* spec = mj_parseXMLString(xml, NULL, error, sizeof(error));
  mjModel* m = spec ? mj_compile(spec, NULL) : NULL;
  mj_deleteSpec(spec);
  CF_TRUE(m);
  return m;
}


static cfBatch* makeOn(cftBackend backend, const mjModel* m, int nworld, cfBatchOptions options) {
  char error[400] = "";
  openTwin(0);
  options.backend = backend;
  options.nthread = 1;
  cfBatch* batch = cf_makeBatch(m, nworld, &options, error, sizeof(error));
  if (!batch) {
    CF_FAIL("%s\n", error);
  }
  return batch;
}


// state and sensors of all worlds, end to end
static mjtNum* numbersOf(cfBatch* batch, size_t* count) {
  const mjModel* m = cf_batchModel(batch);
  const int n = cf_batchSize(batch);
  const size_t nstate = (size_t)mj_stateSize(m, mjSTATE_INTEGRATION) * (size_t)n;
  *count = nstate + (size_t)m->nsensordata * (size_t)n;
  mjtNum* numbers = calloc(*count + 1, sizeof(mjtNum));
  CF_TRUE(cf_batchGetState(batch, mjSTATE_INTEGRATION, NULL, n, numbers));
  CF_TRUE(cf_batchGet(batch, "sensordata", NULL, n, CF_ORDER_WORLD, numbers + nstate));
  return numbers;
}


// largest difference of two batches, -1 where all bits agree
static mjtNum differenceOf(cfBatch* a, cfBatch* b) {
  size_t count, other;
  mjtNum *x = numbersOf(a, &count), *y = numbersOf(b, &other);
  CF_EQ_INT((int)count, (int)other);
  const int is_same = memcmp(x, y, sizeof(mjtNum) * count) == 0;
  mjtNum most = 0;
  for (size_t k = 0; k < count; k++) {
    const mjtNum difference = fabs(x[k] - y[k]);
    most = difference > most || isnan(difference) ? difference : most;
  }
  free(x);
  free(y);
  return is_same ? -1 : most;
}


static void setBoth(cfBatch* const batch[2], const char* name, int world, const mjtNum* value) {
  for (int k = 0; k < 2; k++) {
    CF_TRUE(cf_batchSet(batch[k], name, &world, 1, CF_ORDER_WORLD, value));
  }
}


static void startBoth(cfBatch* const batch[2]) {
  const mjModel* m = cf_batchModel(batch[0]);
  mjtNum* value = calloc((size_t)(m->nv + m->nu + 1), sizeof(mjtNum));
  for (int w = 0; w < cf_batchSize(batch[0]); w++) {
    for (int i = 0; i < m->nv + m->nu; i++) {
      value[i] = 0.1 * sin(i + 2.0 * w);
    }
    setBoth(batch, "qvel", w, value);
    if (m->nu) {
      setBoth(batch, "ctrl", w, value + m->nv);
    }
  }
  free(value);
}


// ---------------------------------------- every model

typedef struct {
  int same, close, refused;
} modelCount;


static void compareModel(const mjModel* m, const char* path, modelCount* count) {
  char error[400] = "";
  openTwin(0);
  const cfBatchOptions options = {
      .backend = CF_BACKEND_CUDA, .nthread = 1, .unstable = CF_UNSTABLE_FREEZE};
  cfBatch* device = cf_makeBatch(m, NWORLD, &options, error, sizeof(error));
  if (!device) {
    CF_HAS_STR(error, "not implemented on the device: ");
    count->refused++;
    return;
  }
  cfBatch* both[2] = {makeOn(CF_BACKEND_CPU, m, NWORLD, options), device};
  startBoth(both);
  for (int k = 0; k < 2; k++) {
    CF_TRUE(cf_batchStep(both[k], STEPS));
  }
  const mjtNum difference = differenceOf(both[0], both[1]);
  if (difference >= 0 || isnan(difference)) {
    CF_FAIL("%s: %g between the device and the library after %d steps\n", path, difference, STEPS);
  }
  CF_EQ_INT((int)cf_batchLost(both[0]), (int)cf_batchLost(both[1]));
  cf_freeBatch(both[0]);
  cf_freeBatch(both[1]);
  count->same++;
}


static void comparePath(const char* path, modelCount* count) {
  char error[500] = "";
  mjModel* m = mj_loadXML(path, NULL, error, sizeof(error));
  if (m && m->nv <= 150) {
    compareModel(m, path, count);
  }
  mj_deleteModel(m);
}


CF_TEST(device__every_small_model__has_the_bits_of_the_library) {
  static const char* const patterns[] = {"models/*.xml", "models/*/*.xml"};
  modelCount count = {0};
  for (size_t k = 0; k < sizeof(patterns) / sizeof(patterns[0]); k++) {
    glob_t found;
    CF_EQ_INT(glob(patterns[k], 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++) {
      comparePath(found.gl_pathv[i], &count);
    }
    globfree(&found);
  }
  printf("%d models with the same bits, %d refused by name\n", count.same, count.refused);
  CF_TRUE(count.same > 110);
}


// ---------------------------------------- sleep

// state and sleep of both batches agree; how many trees sleep
static int compareSleep(cfBatch* const both[2], const char* path, int round) {
  const int count = NWORLD * (int)cf_batchModel(both[0])->ntree;
  int* state[2] = {calloc((size_t)count, sizeof(int)), calloc((size_t)count, sizeof(int))};
  int asleep = 0;
  for (int k = 0; k < 2; k++) {
    CF_TRUE(cf_batchGet(both[k], "tree_asleep", NULL, NWORLD, CF_ORDER_WORLD, state[k]));
  }
  for (int t = 0; t < count; t++) {
    CF_EQ_INT(state[0][t], state[1][t]);
    asleep += state[1][t] >= 0;
  }
  const mjtNum difference = differenceOf(both[0], both[1]);
  if (difference != -1) {
    CF_FAIL("%s, round %d: %g between the device and the library\n", path, round, difference);
  }
  free(state[0]);
  free(state[1]);
  return asleep;
}


// before a round of steps: the last body is pushed, becomes heavier in one world, a world is reset
static void disturb(cfBatch* const both[2], int round) {
  const mjModel* m = cf_batchModel(both[0]);
  const int last = (int)m->nbody - 1, heavy = 2;
  const mjtByte mask[NWORLD] = {0, 1, 0};
  mjtNum* value = calloc((size_t)(6 * m->nbody), sizeof(mjtNum));
  value[6 * last] = round == 5 ? 40 : 0;
  setBoth(both, "xfrc_applied", 0, value);
  if (round == 2) {
    CF_TRUE(cf_batchGet(both[0], "body_mass", &heavy, 1, CF_ORDER_WORLD, value));
    value[last] *= 1.1;
    setBoth(both, "body_mass", heavy, value);
  }
  for (int k = 0; k < 2 && round == 6; k++) {
    CF_TRUE(cf_batchReset(both[k], mask, -1));
  }
  free(value);
}


// worlds that fall asleep, are pushed and wake
CF_TEST(device__sleep__as_on_the_cpu) {
  static const char* const paths[] = {"models/sleepers.xml", "models/sleep/pile_up.xml",
                                      "models/sleep/tied.xml", "models/sleep/policies.xml"};
  int most = 0, least = 1 << 30;
  for (size_t k = 0; k < sizeof(paths) / sizeof(paths[0]); k++) {
    char error[500] = "";
    mjModel* m = mj_loadXML(paths[k], NULL, error, sizeof(error));
    CF_TRUE(m && (m->opt.enableflags & mjENBL_SLEEP));
    const cfBatchOptions options = {.outputs = "sensordata tree_asleep"};
    cfBatch* both[2] = {makeOn(CF_BACKEND_CPU, m, NWORLD, options),
                        makeOn(CF_BACKEND_CUDA, m, NWORLD, options)};
    for (int round = 0; round < 8; round++) {
      disturb(both, round);
      CF_TRUE(cf_batchStep(both[0], 60) && cf_batchStep(both[1], 60));
      const int asleep = compareSleep(both, paths[k], round);
      most = asleep > most ? asleep : most;
      least = asleep < least ? asleep : least;
    }
    cf_freeBatch(both[0]);
    cf_freeBatch(both[1]);
    mj_deleteModel(m);
  }
  CF_TRUE(most > least && most > 5);
}


// ---------------------------------------- the host's side

CF_TEST(device__noise_parameters_and_resets__as_on_the_cpu) {
  mjModel* m = loadSwing("1M");
  const cfBatchOptions options = {.noise_scale = 0.4, .noise_rate = 0.1, .seed = 5};
  cfBatch* both[2] = {makeOn(CF_BACKEND_CPU, m, MANY, options),
                      makeOn(CF_BACKEND_CUDA, m, MANY, options)};
  mjtByte mask[MANY] = {0};
  mask[3] = mask[69] = 1;
  for (int k = 0; k < 2; k++) {
    mjtNum mass[3 * MANY], gravity[3] = {0, 1, -5};
    CF_TRUE(cf_batchGet(both[k], "body_mass", NULL, MANY, CF_ORDER_WORLD, mass));
    for (int i = 0; i < 3 * MANY; i++) {
      mass[i] *= 1 + 0.01 * i;
    }
    const int last = MANY - 1;
    CF_TRUE(cf_batchStep(both[k], 3));
    CF_TRUE(cf_batchSet(both[k], "body_mass", NULL, MANY, CF_ORDER_WORLD, mass));
    CF_TRUE(cf_batchSet(both[k], "opt.gravity", &last, 1, CF_ORDER_WORLD, gravity));
    CF_TRUE(cf_batchStep(both[k], 20));
    CF_TRUE(cf_batchReset(both[k], mask, 0));
    CF_TRUE(cf_batchForward(both[k]));
    CF_TRUE(cf_batchStep(both[k], 2));
  }
  CF_NEAR(differenceOf(both[0], both[1]), -1, 0);
  cfWorldStatus status;
  CF_TRUE(cf_batchStatus(both[1], 3, &status));
  CF_EQ_INT((int)status.nstep, 25);
  CF_EQ_INT(status.is_frozen, 0);
  cf_freeBatch(both[0]);
  cf_freeBatch(both[1]);
  mj_deleteModel(m);
}


CF_TEST(device__shapes_and_frames_of_worlds__as_on_the_cpu) {
  mjModel* m = cf_loadHeap(NULL, true);
  const cfBatchOptions options = {.outputs = "sensordata ncon nefc qacc geom_xpos"};
  for (int round = 0; round < 2; round++) {
    cfBatch* both[2] = {makeOn(CF_BACKEND_CPU, m, NWORLD, options),
                        makeOn(CF_BACKEND_CUDA, m, NWORLD, options)};
    for (int k = 0; k < 2; k++) {
      for (int f = 0; f < (round ? CF_NFORM : 1); f++) {
        cf_setForms(both[k], cf_form_fields + f, NWORLD);
      }
      CF_TRUE(cf_batchStep(both[k], 40));
    }
    CF_NEAR(differenceOf(both[0], both[1]), -1, 0);
    cf_freeBatch(both[0]);
    cf_freeBatch(both[1]);
  }
  mj_deleteModel(m);
}


// worlds with many rows and contacts come first, each world once; a few worlds keep their order
CF_TEST(device__worlds_of_one_load__are_stepped_side_by_side) {
  mjModel* m = loadSwing("1M");
  const cfBatchOptions options = {.outputs = "sensordata nefc ncon"};
  cfBatch* both[2] = {makeOn(CF_BACKEND_CPU, m, MANY, options),
                      makeOn(CF_BACKEND_CUDA, m, MANY, options)};
  startBoth(both);
  const mjtNum high[7] = {0, 0, 9, 1, 0, 0, 0};
  for (int w = 0; w < MANY; w += 3) {
    mjtNum qpos[64] = {0};
    CF_TRUE(m->nq <= 64 && cf_batchGet(both[0], "qpos", &w, 1, CF_ORDER_WORLD, qpos));
    memcpy(qpos + 1, high, sizeof(high));  // the ball is behind the angle of the arm
    setBoth(both, "qpos", w, qpos);
  }
  for (int k = 0; k < 2; k++) {
    CF_TRUE(cf_batchStep(both[k], STEPS));
  }
  int nefc[MANY], ncon[MANY], seen[MANY] = {0}, kinds = 0;
  CF_TRUE(cf_batchGet(both[1], "nefc", NULL, MANY, CF_ORDER_WORLD, nefc));
  CF_TRUE(cf_batchGet(both[1], "ncon", NULL, MANY, CF_ORDER_WORLD, ncon));
  CF_TRUE(cf_batchStep(both[0], 1) && cf_batchStep(both[1], 1));
  const int32_t* order = *twin_order;
  CF_TRUE(order);
  for (int k = 0; k < MANY; k++) {
    CF_TRUE(order[k] >= 0 && order[k] < MANY && !seen[order[k]]++);
    const int now = 8 * nefc[order[k]] + ncon[order[k]];
    const int before = k ? 8 * nefc[order[k - 1]] + ncon[order[k - 1]] : now;
    CF_TRUE(now <= before);
    kinds += now < before;
  }
  CF_TRUE(kinds > 0);
  CF_NEAR(differenceOf(both[0], both[1]), -1, 0);
  cf_freeBatch(both[0]);
  cf_freeBatch(both[1]);
  cfBatch* few = makeOn(CF_BACKEND_CUDA, m, NWORLD, options);
  CF_TRUE(cf_batchStep(few, 1) && !*twin_order);
  cf_freeBatch(few);
  mj_deleteModel(m);
}


// blocks of rounded sizes: the reserve for them is enough, no world needs the pool
CF_TEST(device__rounded_places__robots_stay_in_local_memory) {
  static const char* const paths[] = {"models/humanoid.xml", "models/robots/hand.xml",
                                      "models/robots/quadruped.xml", "models/robots/ant.xml"};
  for (size_t k = 0; k < sizeof(paths) / sizeof(paths[0]); k++) {
    char error[500] = "";
    mjModel* m = mj_loadXML(paths[k], NULL, error, sizeof(error));
    CF_TRUE(m);
    const cfBatchOptions options = {.noise_scale = 0.5, .tier = CF_TIER_BASE};
    cfBatch* both[2] = {makeOn(CF_BACKEND_CPU, m, NWORLD, options),
                        makeOn(CF_BACKEND_CUDA, m, NWORLD, options)};
    const int before = runs[1];
    CF_TRUE(cf_batchStep(both[0], 60) && cf_batchStep(both[1], 60));
    CF_EQ_INT(runs[1], before);
    CF_NEAR(differenceOf(both[0], both[1]), -1, 0);
    cf_freeBatch(both[0]);
    cf_freeBatch(both[1]);
    mj_deleteModel(m);
  }
}


// steps that were taken in the pool, and by how many worlds
static int stepsAgain(cfBatch* batch, int* nworld) {
  int total = 0;
  *nworld = 0;
  for (int w = 0; w < cf_batchSize(batch); w++) {
    cfWorldStatus status;
    CF_TRUE(cf_batchStatus(batch, w, &status));
    total += (int)status.nagain;
    *nworld += status.nagain > 0;
  }
  return total;
}


// too little memory at first: those worlds step again with all that the model has, and are counted.
// Balls high up touch nothing and have enough; with many worlds the others are gathered
CF_TEST(device__small_arena__worlds_are_stepped_again_with_more) {
  mjModel* m = loadSwing("1M");
  static const int sizes[] = {NWORLD, MANY};
  const cfBatchOptions tight = {.narena = 5120}, roomy = {0};
  const mjtNum high[7] = {0, 0, 9, 1, 0, 0, 0};
  for (int k = 0; k < 2; k++) {
    cfBatch* both[2] = {makeOn(CF_BACKEND_CPU, m, sizes[k], roomy),
                        makeOn(CF_BACKEND_CUDA, m, sizes[k], tight)};
    startBoth(both);
    for (int w = 0; w < sizes[k]; w += 2) {
      mjtNum qpos[64] = {0};
      CF_TRUE(m->nq <= 64 && cf_batchGet(both[0], "qpos", &w, 1, CF_ORDER_WORLD, qpos));
      memcpy(qpos + 1, high, sizeof(high));
      setBoth(both, "qpos", w, qpos);
    }
    const int before = runs[1];
    CF_TRUE(cf_batchStep(both[0], STEPS) && cf_batchStep(both[1], STEPS));
    const int again = runs[1] - before;
    int nworld;
    CF_TRUE(again > 0 && again < sizes[k]);
    CF_EQ_INT(stepsAgain(both[1], &nworld), STEPS * again);
    CF_EQ_INT(nworld, again);
    CF_EQ_INT(stepsAgain(both[0], &nworld), 0);
    CF_NEAR(differenceOf(both[0], both[1]), -1, 0);
    CF_EQ_INT((int)cf_batchLost(both[1]), 0);
    cf_freeBatch(both[0]);
    cf_freeBatch(both[1]);
  }
  mj_deleteModel(m);
}


// threads come in blocks of 64: the world behind the last full one is stepped too
CF_TEST(device__one_world_more_than_a_block__is_stepped_too) {
  enum { BEYOND = 65 };
  mjModel* m = loadSwing("1M");
  cfBatch* both[2] = {makeOn(CF_BACKEND_CPU, m, BEYOND, (cfBatchOptions){0}),
                      makeOn(CF_BACKEND_CUDA, m, BEYOND, (cfBatchOptions){0})};
  startBoth(both);
  CF_TRUE(cf_batchStep(both[0], 2) && cf_batchStep(both[1], 2));
  cfWorldStatus status;
  CF_TRUE(cf_batchStatus(both[1], BEYOND - 1, &status));
  CF_EQ_INT((int)status.nstep, 2);
  CF_NEAR(differenceOf(both[0], both[1]), -1, 0);
  cf_freeBatch(both[0]);
  cf_freeBatch(both[1]);
  mj_deleteModel(m);
}


static void* noMemory(size_t bytes) {
  (void)bytes;
  return NULL;
}


CF_TEST(device__no_memory_for_counters__said_and_had_later) {
  mjModel* m = loadSwing("1M");
  cfBatch* batch = makeOn(CF_BACKEND_CUDA, m, NWORLD, (cfBatchOptions){0});
  cfWorldStatus status;
  CF_TRUE(cf_batchStep(batch, 2));
  mju_user_malloc = noMemory;
  mju_user_free = free;
  const int is_good = cf_batchStatus(batch, 0, &status);
  mju_user_malloc = NULL;
  mju_user_free = NULL;
  CF_TRUE(!is_good);
  CF_HAS_STR(cf_batchError(batch), "no memory for the counters of 3 worlds");
  CF_TRUE(cf_batchStatus(batch, 0, &status));
  CF_EQ_INT((int)status.nstep, 2);
  cf_freeBatch(batch);
  mj_deleteModel(m);
}


// errors and bad numbers: the world is lost, counted and frozen or reset; the others go on
CF_TEST(device__bad_worlds__frozen_or_reset_and_counted) {
  mjModel* m = loadSwing("1M");
  for (int policy = 0; policy < 2; policy++) {
    const cfBatchOptions options = {.unstable = policy ? CF_UNSTABLE_FREEZE : CF_UNSTABLE_RESET};
    cfBatch* both[2] = {makeOn(CF_BACKEND_CPU, m, NWORLD, options),
                        makeOn(CF_BACKEND_CUDA, m, NWORLD, options)};
    startBoth(both);
    const mjtNum fast[7] = {1e12, 0, 0, 0, 0, 0, 0};
    setBoth(both, "qvel", 1, fast);
    for (int k = 0; k < 2; k++) {
      CF_TRUE(cf_batchStep(both[k], 2) && cf_batchStep(both[k], 2));
      cfWorldStatus status;
      CF_TRUE(cf_batchStatus(both[k], 1, &status));
      CF_EQ_INT(status.nlost, 1);
      CF_EQ_INT(status.is_frozen, policy);
      CF_EQ_INT(status.warning[mjWARN_BADQVEL], 1);
      CF_EQ_INT((int)cf_batchLost(both[k]), 1);
    }
    CF_NEAR(differenceOf(both[0], both[1]), -1, 0);
    cf_freeBatch(both[0]);
    cf_freeBatch(both[1]);
  }
  mj_deleteModel(m);
}


CF_TEST(device__error_in_a_step__its_text_is_told) {
  mjModel* m = loadSwing("1K");
  const cfBatchOptions options = {.unstable = CF_UNSTABLE_FREEZE};
  openTwin(0);
  cfBatch* batch = makeOn(CF_BACKEND_CUDA, m, NWORLD,
                          (cfBatchOptions){.narena = 1024, .unstable = options.unstable});
  CF_TRUE(cf_batchStep(batch, 1));
  CF_EQ_INT((int)cf_batchLost(batch), NWORLD);
  cfWorldStatus status;
  CF_TRUE(cf_batchStatus(batch, 0, &status));
  CF_HAS_STR(status.reason, "mj_stackAlloc: out of memory");
  CF_TRUE(cf_batchReset(batch, NULL, -1));
  CF_TRUE(cf_batchStatus(batch, 0, &status));
  CF_EQ_INT(status.is_frozen, 0);
  cf_freeBatch(batch);
  mj_deleteModel(m);
}


CF_TEST(device__address_of_a_field__is_read_and_written_in_place) {
  mjModel* m = loadSwing("1M");
  cfBatch* batch = makeOn(CF_BACKEND_CUDA, m, NWORLD, (cfBatchOptions){0});
  void* address = NULL;
  mjtSize stride = 0;
  CF_TRUE(cf_batchDevicePointer(batch, "qpos", &address, &stride));
  mjtNum* qpos = (mjtNum*)((char*)address + 2 * stride);
  const int world = 2;
  mjtNum value[8];
  qpos[0] = 0.25;
  CF_TRUE(cf_batchGet(batch, "qpos", &world, 1, CF_ORDER_WORLD, value));
  CF_NEAR(value[0], 0.25, 0);
  value[0] = 0.5;
  CF_TRUE(cf_batchSet(batch, "qpos", &world, 1, CF_ORDER_WORLD, value));
  CF_NEAR(qpos[0], 0.5, 0);
  CF_TRUE(!cf_batchDevicePointer(batch, "body_mass", &address, &stride));
  CF_TRUE(cf_batchStream(batch) != NULL && cf_batchWait(batch));
  cf_freeBatch(batch);
  mj_deleteModel(m);
}


// ---------------------------------------- what cannot be done

static void expectRefusal(mjModel* m, const char* reason) {
  char error[400] = "";
  openTwin(0);
  const cfBatchOptions options = {.backend = CF_BACKEND_CUDA};
  CF_TRUE(!cf_makeBatch(m, 2, &options, error, sizeof(error)));
  CF_HAS_STR(error, reason);
}


CF_TEST(device__what_it_cannot_do__is_refused_by_name) {
  mjModel* m = loadSwing("1M");
  m->opt.disableflags = mjDSBL_NATIVECCD;
  expectRefusal(m, "not implemented on the device: libccd");
  m->opt.disableflags = 0;
  setenv("CORTENFORGE_KERNELS", "/nowhere/kernels", 1);
  expectRefusal(m, "cannot read the kernels in /nowhere/kernels");
  setenv("CORTENFORGE_KERNELS", "models/humanoid.xml", 1);
  expectRefusal(m, "models/humanoid.xml is not a file of kernels");
  mj_deleteModel(m);
}


// a file of kernels with this number of sources
static void nameKernels(uint64_t sources) {
  static char path[] = "/tmp/cortenforge.kernels.XXXXXX";
  static int file = -1;
  file = file < 0 ? mkstemp(path) : file;
  CF_TRUE(file >= 0 && ftruncate(file, 0) == 0 && lseek(file, 0, SEEK_SET) == 0);
  writeKernels(file, sources, 0);
  setenv("CORTENFORGE_KERNELS", path, 1);
}


CF_TEST(device__kernels_of_other_sources__are_refused) {
  mjModel* m = loadSwing("1M");
  openTwin(0);
  nameKernels(cfi_kernelSources ^ 1);
  expectRefusal(m, "was made from other sources");
  nameKernels(cfi_kernelSources);
  cf_freeBatch(makeOn(CF_BACKEND_CUDA, m, 2, (cfBatchOptions){0}));
  mj_deleteModel(m);
}


// the driver is started beside the rest, which may fail before it has
CF_TEST(device__outputs_that_are_not_there__refused_while_the_driver_starts) {
  mjModel* m = loadSwing("1M");
  char error[400] = "";
  openTwin(0);
  const cfBatchOptions options = {.backend = CF_BACKEND_CUDA, .outputs = "nothing"};
  for (int k = 0; k < 20; k++) {
    CF_TRUE(!cf_makeBatch(m, 2, &options, error, sizeof(error)));
    CF_HAS_STR(error, "output 'nothing'");
  }
  mj_deleteModel(m);
}


CF_TEST(device__kernels_that_end_too_early__are_refused) {
  mjModel* m = loadSwing("1M");
  openTwin(0);
  nameKernels(cfi_kernelSources);
  CF_EQ_INT(truncate(getenv("CORTENFORGE_KERNELS"), 24 + 24 * 2 + 7), 0);
  expectRefusal(m, "has no kernels for compute capability 9.0");
  CF_EQ_INT(truncate(getenv("CORTENFORGE_KERNELS"), 24 + 24 + 1), 0);
  expectRefusal(m, "is not a file of kernels");
  nameKernels(cfi_kernelSources);
  mj_deleteModel(m);
}


// machine code where there is some, PTX where the environment asks for it
CF_TEST(device__ptx__is_taken_when_asked_for) {
  mjModel* m = loadSwing("1M");
  openTwin(0);
  nameKernels(cfi_kernelSources);
  cf_freeBatch(makeOn(CF_BACKEND_CUDA, m, 2, (cfBatchOptions){0}));
  CF_EQ_BYTES(twin_image, "machine ", 8);
  setenv("CORTENFORGE_PTX", "1", 1);
  cf_freeBatch(makeOn(CF_BACKEND_CUDA, m, 2, (cfBatchOptions){0}));
  CF_EQ_BYTES(twin_image, "kernels", 8);
  unsetenv("CORTENFORGE_PTX");
  mj_deleteModel(m);
}

CF_TEST_MAIN("device")
