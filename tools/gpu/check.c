// The GPU against the library on a CPU, model by model, and how fast it is.
//
//   check compare WORLDS FILE...          one step and ten more from random states: same bits?
//   check states WORLDS SECONDS FILE...   the same within that time: models of which a step takes
//                                         long are compared in fewer states and steps
//   check tensor MODEL WORLDS             fields read and written as DLPack tensors on the device
//   check speed MODEL WORLDS STEPS CALLS  world-steps per second with control noise
//   check long MODEL WORLDS STEPS         steps with noise: worlds lost, hash of the state
//   check team-compare WORLDS FILE...     the fast tier in both precisions: one step, largest error
//   check team-own WORLDS FILE...         the same, each world with masses, friction, gains, ... of
//                                         its own
//   check team-speed MODEL STEPS CALLS [WORLDS...]
//                                         speed of the fast tier in both precisions
//   check team-long MODEL WORLDS STEPS PRECISION
//                                         the same in the fast tier
//
// "again" counts world-steps that the base tier took in global memory because the fast tier, or
// local memory, could not; they are slow.
//
// CHECK_OWN=1: speeds with parameters of worlds; CHECK_SENSORS=1: with sensors.
//
// All bits of the base tier agree, unless the library was built with -DCF_OWN_LIBM=OFF.  Worlds
// that do not are told: state, numbers, contacts, and which side a world stepped alone agrees with.
#include <dlfcn.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cortenforge/batch.h>


static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}


enum { SEED = 88172645 };
static uint64_t state = SEED;

static double draw(void) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (double)(int64_t)state * 0x1p-63;
}


static mjModel* load(const char* path) {
  char error[500] = "";
  const size_t n = strlen(path);
  mjModel* m = n > 4 && !strcmp(path + n - 4, ".mjb") ? mj_loadModel(path, NULL)
                                                      : mj_loadXML(path, NULL, error, 500);
  if (!m) {
    printf("%s: does not load: %s\n", path, error);
  }
  return m;
}


// a state near the first keyframe or the reset state, moving, with controls
static void randomState(const mjModel* m, mjData* d, int world) {
  if (m->nkey && world % 2) {
    mj_resetDataKeyframe(m, d, world / 2 % m->nkey);
  } else {
    mj_resetData(m, d);
  }
  for (int i = 0; i < m->nv; i++) {
    d->qvel[i] = 0.2 * draw();
  }
  mj_integratePos(m, d->qpos, d->qvel, 1);
  for (int i = 0; i < m->nv; i++) {
    d->qvel[i] = draw();
  }
  for (int i = 0; i < m->nu; i++) {
    const double* range = m->actuator_ctrlrange + 2 * i;
    d->ctrl[i] = m->actuator_ctrllimited[i]
                     ? range[0] + (range[1] - range[0]) * (0.5 + 0.5 * draw())
                     : draw();
  }
}


typedef struct {
  long differ, count;
  double worst, worst_relative;
  double worst_of_largest;  // relative to the largest number of the field in its world
} difference;


static double largestOf(const double* x, size_t n) {
  double most = 0;
  for (size_t k = 0; k < n; k++) {
    most = fmax(most, fabs(x[k]));
  }
  return most;
}


static void compareField(cfBatch* const batch[2], const char* name, int n, difference* result) {
  cfBatchField field;
  if (!cf_batchField(batch[0], name, &field) || !field.count) {
    return;
  }
  const size_t count = (size_t)field.count * (size_t)n, bytes = (size_t)field.nbyte;
  char *x = malloc(count * bytes), *y = malloc(count * bytes);
  if (!cf_batchGet(batch[0], name, NULL, n, CF_ORDER_WORLD, x) ||
      !cf_batchGet(batch[1], name, NULL, n, CF_ORDER_WORLD, y)) {
    printf("  %s: %s %s\n", name, cf_batchError(batch[0]), cf_batchError(batch[1]));
    result->differ++;
  }
  for (size_t k = 0; k < count; k++) {
    result->count++;
    if (memcmp(x + k * bytes, y + k * bytes, bytes)) {
      double a = 0, b = 0;
      if (field.element == CF_ELEMENT_NUM) {
        memcpy(&a, x + k * bytes, 8);
        memcpy(&b, y + k * bytes, 8);
        if (isnan(a) && isnan(b)) {
          continue;
        }
      } else {
        b = 1;
      }
      result->differ++;
      result->worst = fmax(result->worst, fabs(a - b));
      result->worst_relative = fmax(result->worst_relative, fabs(a - b) / (1 + fabs(a)));
      const size_t world = k / (size_t)field.count * (size_t)field.count;
      const double scale =
          field.element == CF_ELEMENT_NUM
              ? largestOf((const double*)(const void*)x + world, (size_t)field.count)
              : 0;
      result->worst_of_largest = fmax(result->worst_of_largest, fabs(a - b) / (1 + scale));
    }
  }
  free(x);
  free(y);
}


// sizes of meshes and the like are those of their assets
static bool hasOwnSize(const mjModel* m, size_t geom) {
  const int type = m->geom_type[geom];
  return type != mjGEOM_MESH && type != mjGEOM_HFIELD && type != mjGEOM_SDF;
}


// parameters about those of the model, other ones in each world
static void varyParameter(cfBatch* batch, const char* name, int n) {
  cfBatchField field;
  if (!cf_batchField(batch, name, &field) || !field.count) {
    return;
  }
  const size_t count = (size_t)field.count * (size_t)n;
  double* value = malloc(sizeof(double) * count);
  const bool is_size = !strcmp(name, "geom_size");
  if (cf_batchGet(batch, name, NULL, n, CF_ORDER_WORLD, value)) {
    state = SEED;
    for (size_t k = 0; k < count; k++) {
      const double factor = 1 + 0.1 * draw();
      value[k] *=
          is_size && !hasOwnSize(cf_batchModel(batch), k % (size_t)field.count / 3) ? 1 : factor;
    }
    if (!cf_batchSet(batch, name, NULL, n, CF_ORDER_WORLD, value)) {
      printf("  %s: %s\n", name, cf_batchError(batch));
    }
  }
  free(value);
}


static void varyParameters(cfBatch* batch, int n) {
  static const char* const names[] = {
      "body_mass",        "body_inertia",     "geom_friction",    "dof_damping", "dof_armature",
      "dof_frictionloss", "actuator_gainprm", "actuator_biasprm", "opt.gravity", "geom_size"};
  for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++) {
    varyParameter(batch, names[k], n);
  }
}


static const char usual_outputs[] = "sensordata qacc qfrc_constraint xpos ncon nefc solver_niter";

static const char* const compared[] = {"time",       "qpos",           "qvel",
                                       "act",        "qacc_warmstart", "history",
                                       "sensordata", "qacc",           "qfrc_constraint",
                                       "xpos",       "ncon",           "nefc"};
enum { COMPARED = sizeof(compared) / sizeof(compared[0]) };

static difference compareAll(cfBatch* const batch[2], int n) {
  difference result = {0};
  for (int k = 0; k < COMPARED; k++) {
    compareField(batch, compared[k], n, &result);
  }
  return result;
}


// the same random states in both batches; the caller frees them
static double* scatterStates(const mjModel* m, cfBatch* const batch[2], int n) {
  mjData* d = mj_makeData(m);
  const int size = mj_stateSize(m, mjSTATE_INTEGRATION);
  double* s = malloc(sizeof(double) * (size_t)size * (size_t)n);
  state = SEED;  // the same ones whatever was compared before
  for (int w = 0; w < n; w++) {
    randomState(m, d, w);
    mj_getState(m, d, s + (size_t)size * (size_t)w, mjSTATE_INTEGRATION);
  }
  mj_deleteData(d);
  for (int k = 0; k < 2; k++) {
    if (!cf_batchSetState(batch[k], mjSTATE_INTEGRATION, NULL, n, s)) {
      printf("  %s\n", cf_batchError(batch[k]));
    }
  }
  return s;
}


static void scatter(const mjModel* m, cfBatch* const batch[2], int n) {
  free(scatterStates(m, batch, n));
}


// on the CPU and in the base tier; 0: refused, with a reason
static int makeBoth(const mjModel* m, int n, const char* outputs, cfBatch* batch[2], char* error,
                    int nerror) {
  cfBatchOptions options;
  cf_defaultBatchOptions(&options);
  options.outputs = outputs;
  options.ncontact = strstr(outputs, "contact") ? 32 : 0;
  options.narena = getenv("CHECK_ARENA") ? atoi(getenv("CHECK_ARENA")) : 0;
  options.unstable = CF_UNSTABLE_FREEZE;
  options.backend = CF_BACKEND_CUDA;
  options.tier = CF_TIER_BASE;
  batch[0] = NULL;
  batch[1] = cf_makeBatch(m, n, &options, error, nerror);
  options.backend = CF_BACKEND_CPU;
  batch[0] = batch[1] ? cf_makeBatch(m, n, &options, error, nerror) : NULL;
  return batch[0] != NULL;
}


static void stepBoth(cfBatch* const batch[2], int nstep) {
  for (int k = 0; k < 2; k++) {
    if (!cf_batchStep(batch[k], nstep) || !cf_batchWait(batch[k])) {
      printf("  %s\n", cf_batchError(batch[k]));
    }
  }
}


// world-steps that were taken in global memory
static long stepsAgain(cfBatch* batch) {
  long total = 0;
  for (int w = 0; w < cf_batchSize(batch); w++) {
    cfWorldStatus status;
    total += cf_batchStatus(batch, w, &status) ? (long)status.nagain : 0;
  }
  return total;
}


// somebody else who uses the device: its driver, and nothing of the batch
typedef struct {
  int (*retain)(void** context, int device);
  int (*enter)(void* context);
  int (*read)(void* to, uint64_t from, size_t bytes, void* stream);
  int (*write)(uint64_t to, const void* from, size_t bytes, void* stream);
  int (*wait)(void* stream);
} stranger;


static int openStranger(stranger* s) {
  const char* named = getenv("CORTENFORGE_CUDA_DRIVER");
  void* driver = dlopen(named ? named : "libcuda.so.1", RTLD_NOW);
  void* context = NULL;
  *(void**)&s->retain = driver ? dlsym(driver, "cuDevicePrimaryCtxRetain") : NULL;
  *(void**)&s->enter = driver ? dlsym(driver, "cuCtxPushCurrent_v2") : NULL;
  *(void**)&s->read = driver ? dlsym(driver, "cuMemcpyDtoHAsync_v2") : NULL;
  *(void**)&s->write = driver ? dlsym(driver, "cuMemcpyHtoDAsync_v2") : NULL;
  *(void**)&s->wait = driver ? dlsym(driver, "cuStreamSynchronize") : NULL;
  return s->retain && s->enter && s->read && s->write && s->wait && !s->retain(&context, 0) &&
         !s->enter(context);
}


// ---------------------------------------- worlds that differ

// numbers of one world that are not the same, in hexadecimal; how many
static int tellFields(cfBatch* const batch[2], int world, bool is_told) {
  int count = 0;
  for (int k = 0; k < COMPARED; k++) {
    cfBatchField field;
    if (!cf_batchField(batch[0], compared[k], &field) || !field.count) {
      continue;
    }
    const size_t bytes = (size_t)field.nbyte;
    char* x[2];
    for (int b = 0; b < 2; b++) {
      x[b] = calloc((size_t)field.count, bytes);
      cf_batchGet(batch[b], compared[k], &world, 1, CF_ORDER_WORLD, x[b]);
    }
    for (size_t i = 0; i < (size_t)field.count; i++) {
      const char *a = x[0] + i * bytes, *b = x[1] + i * bytes;
      if (!memcmp(a, b, bytes)) {
        continue;
      }
      count++;
      if (is_told && field.element == CF_ELEMENT_NUM) {
        printf("    %s[%zu]: CPU %a GPU %a (%.3g)\n", compared[k], i,
               *(const double*)(const void*)a, *(const double*)(const void*)b,
               *(const double*)(const void*)b - *(const double*)(const void*)a);
      } else if (is_told) {
        printf("    %s[%zu]: CPU %d GPU %d\n", compared[k], i, *(const int*)(const void*)a,
               *(const int*)(const void*)b);
      }
    }
    free(x[0]);
    free(x[1]);
  }
  return count;
}


static void tellContacts(const char* who, const mjContact* con, int ncon) {
  for (int k = 0; k < ncon; k++) {
    printf("    %s contact %d: geoms %d %d dist %a pos %a %a %a normal %a %a %a\n", who, k,
           con[k].geom[0], con[k].geom[1], con[k].dist, con[k].pos[0], con[k].pos[1], con[k].pos[2],
           con[k].frame[0], con[k].frame[1], con[k].frame[2]);
  }
}


// the same state in batches of one world, with contacts, and stepped without a batch
static void tellAlone(const mjModel* m, const double* state) {
  static const char* const who[] = {"CPU", "GPU"};
  char error[500] = "";
  cfBatch* batch[2];
  mjData* d = mj_makeData(m);
  mj_setState(m, d, state, mjSTATE_INTEGRATION);
  mj_step(m, d);
  printf("    alone: ncon %d nefc %d, qacc", d->ncon, d->nefc);
  for (int i = 0; i < m->nv && i < 16; i++) {
    printf(" %a", d->qacc[i]);
  }
  printf("\n");
  tellContacts("lone", d->contact, d->ncon < 20 ? d->ncon : 20);
  mj_deleteData(d);
  if (!makeBoth(m, 1, "sensordata qacc qfrc_constraint xpos ncon nefc solver_niter contact", batch,
                error, sizeof(error))) {
    printf("    %s\n", error);
  } else {
    for (int k = 0; k < 2; k++) {
      cf_batchSetState(batch[k], mjSTATE_INTEGRATION, NULL, 1, state);
    }
    stepBoth(batch, 1);
    printf("    batches of that world: %d numbers differ\n", tellFields(batch, 0, false));
    for (int k = 0; k < 2; k++) {
      cfBatchField field;
      int ncon = 0;
      if (cf_batchField(batch[k], "contact", &field)) {
        mjContact* con = calloc((size_t)field.count, sizeof(mjContact));
        cf_batchGet(batch[k], "contact", NULL, 1, CF_ORDER_WORLD, con);
        cf_batchGet(batch[k], "ncon", NULL, 1, CF_ORDER_WORLD, &ncon);
        ncon = ncon < (int)field.count ? ncon : (int)field.count;
        tellContacts(who[k], con, ncon < 20 ? ncon : 20);
        free(con);
      }
    }
  }
  cf_freeBatch(batch[0]);
  cf_freeBatch(batch[1]);
}


// the first worlds whose numbers are not the same after one step from these states
static void tellWorlds(const mjModel* m, cfBatch* const batch[2], int n, const double* states) {
  enum { TOLD = 4 };
  const int size = mj_stateSize(m, mjSTATE_INTEGRATION);
  int differ = 0;
  for (int w = 0; w < n; w++) {
    if (!tellFields(batch, w, false) || ++differ > TOLD) {
      continue;
    }
    printf("  world %d:\n", w);
    tellFields(batch, w, true);
    printf("    state");
    for (int i = 0; i < size; i++) {
      printf(" %a", states[(size_t)w * (size_t)size + (size_t)i]);
    }
    printf("\n");
    tellAlone(m, states + (size_t)w * (size_t)size);
  }
  printf("  %d worlds differ after one step\n", differ);
}


typedef enum { BITS_SAME, BITS_DIFFER, BITS_REFUSED, BITS_UNREADABLE, BITS_COUNT } outcome;

// how much of a model is compared
typedef struct {
  int states, more;  // steps after the first one
} effort;


// by the time of a step on the CPU, of which one world alone takes hundreds on a GPU
static effort effortFor(const mjModel* m, int n) {
  mjData* d = mj_makeData(m);
  randomState(m, d, 1);
  double least = 1;
  for (int k = 0; k < 4 && least > 1e-4; k++) {
    const double start = now();
    mj_step(m, d);
    least = fmin(least, now() - start);
  }
  mj_deleteData(d);
  const int most = least < 2.5e-4 ? n : least < 1e-3 ? 32 : 8;
  return (effort){n < most ? n : most, least < 4e-4 ? 10 : least < 1e-3 ? 2 : 0};
}


static outcome compareModel(const mjModel* m, const char* path, effort e) {
  const double start = now();
  const int n = e.states;
  char error[500] = "";
  cfBatch* batch[2];
  if (!makeBoth(m, n, usual_outputs, batch, error, sizeof(error))) {
    printf("NONE %s: %s\n", path, error);
    cf_freeBatch(batch[1]);
    return BITS_REFUSED;
  }
  double* states = scatterStates(m, batch, n);
  stepBoth(batch, 1);
  const difference one = compareAll(batch, n);
  if (one.differ) {
    tellWorlds(m, batch, n, states);
  }
  free(states);
  if (e.more) {
    stepBoth(batch, e.more);
  }
  const difference more = compareAll(batch, n);
  const long lost[2] = {(long)cf_batchLost(batch[0]), (long)cf_batchLost(batch[1])};
  const bool is_same = !one.differ && !more.differ && lost[0] == lost[1];
  printf(
      "%s %s: nv %d, %d worlds, %d kB each; 1 step: %ld of %ld numbers differ (worst %.3g, relative %.3g); %d steps: %ld (%.3g); lost %ld %ld; again %ld; %.2f s %s\n",
      is_same ? "SAME" : "DIFF", path, (int)m->nv, n, (int)(cf_batchWorldBytes(batch[1]) / 1024),
      one.differ, one.count, one.worst, one.worst_relative, 1 + e.more, more.differ, more.worst,
      lost[0], lost[1], stepsAgain(batch[1]), now() - start, cf_batchError(batch[1]));
  fflush(stdout);
  cf_freeBatch(batch[0]);
  cf_freeBatch(batch[1]);
  return is_same ? BITS_SAME : BITS_DIFFER;
}


static int compareModels(int n, char** path, int count) {
  int same = 0;
  for (int k = 0; k < count; k++) {
    mjModel* m = load(path[k]);
    same += m && compareModel(m, path[k], (effort){n, 10}) == BITS_SAME;
    mj_deleteModel(m);
  }
  printf("%d of %d models have the same bits\n", same, count);
  return 0;
}


// as many models as the time allows
static int compareStates(int n, double seconds, char** path, int count) {
  stranger s;
  openStranger(&s);  // somebody keeps the device open, so that each batch finds it so
  int number[BITS_COUNT] = {0}, few = 0, k = 0;
  const double start = now();
  for (; k < count && now() - start < seconds; k++) {
    mjModel* m = load(path[k]);
    if (!m) {
      number[BITS_UNREADABLE]++;
      continue;
    }
    const effort e = effortFor(m, n);
    const outcome result = compareModel(m, path[k], e);
    few += result == BITS_SAME && (e.states < n || e.more < 10);
    number[result]++;
    mj_deleteModel(m);
  }
  printf(
      "STATES %d models in %.1f s: %d have the same bits (%d of them in fewer states or steps), %d differ, %d are refused, %d do not load; no time for %d",
      count, now() - start, number[BITS_SAME], few, number[BITS_DIFFER], number[BITS_REFUSED],
      number[BITS_UNREADABLE], count - k);
  for (; k < count; k++) {
    printf(" %s", path[k]);
  }
  printf("\n");
  return number[BITS_DIFFER] > 0;
}


// ---------------------------------------- tensors

// what dlpack.h says of a tensor
typedef struct {
  void* data;
  int32_t device_type, device_id, ndim;
  uint8_t code, bits;
  uint16_t lanes;
  int64_t *shape, *strides;
  uint64_t byte_offset;
} tensorView;

struct DLManagedTensor {
  tensorView view;
  void* manager;
  void (*deleter)(struct DLManagedTensor* self);
};

// numbers of a tensor row by row, as its shape and strides say
static int moveTensor(const stranger* s, cfBatch* batch, const char* name, double* x, bool is_in) {
  struct DLManagedTensor* tensor = cf_batchTensor(batch, name);
  if (!tensor) {
    printf("  %s: %s\n", name, cf_batchError(batch));
    return 0;
  }
  const tensorView* v = &tensor->view;
  void* stream = cf_batchStream(batch);
  int is_good = v->device_type == 2 && v->ndim == 2 && v->code == 2 && v->bits == 64 &&
                v->lanes == 1 && v->strides[1] == 1 && v->shape[0] == cf_batchSize(batch);
  const size_t bytes = is_good ? 8 * (size_t)v->shape[1] : 0;
  for (int64_t w = 0; is_good && w < v->shape[0]; w++) {
    const uint64_t place =
        (uint64_t)(uintptr_t)v->data + v->byte_offset + 8 * (uint64_t)(w * v->strides[0]);
    double* row = x + w * v->shape[1];
    is_good = !(is_in ? s->write(place, row, bytes, stream) : s->read(row, place, bytes, stream));
  }
  tensor->deleter(tensor);
  return is_good && !s->wait(stream);
}


// controls and velocities written by a stranger, states read by it, against the CPU
static int checkTensors(const char* path, int n) {
  mjModel* m = load(path);
  char error[500] = "";
  cfBatch* batch[2];
  stranger s;
  if (!m || !makeBoth(m, n, usual_outputs, batch, error, sizeof(error)) || !openStranger(&s)) {
    printf("TENSOR %s: no batch or no driver %s\n", path, error);
    return 1;
  }
  const size_t count = (size_t)(m->nq + m->nv + m->nu) * (size_t)n;
  double *x = malloc(sizeof(double) * count), *y = malloc(sizeof(double) * count);
  static const char *const given[] = {"ctrl", "qvel"}, *const seen[] = {"qpos", "qvel", "qacc"};
  int is_good = 1, same = 0;
  for (int round = 0; round < 3; round++) {
    for (int k = 0; k < 2; k++) {
      for (size_t i = 0; i < count; i++) {
        x[i] = 0.3 * draw();
      }
      is_good = is_good && moveTensor(&s, batch[1], given[k], x, true) &&
                cf_batchSet(batch[0], given[k], NULL, n, CF_ORDER_WORLD, x);
    }
    stepBoth(batch, 5);
    for (int k = 0; k < 3; k++) {
      cfBatchField field;
      is_good = is_good && cf_batchField(batch[0], seen[k], &field) &&
                moveTensor(&s, batch[1], seen[k], x, false) &&
                cf_batchGet(batch[0], seen[k], NULL, n, CF_ORDER_WORLD, y);
      same += is_good && !memcmp(x, y, sizeof(double) * (size_t)field.count * (size_t)n);
    }
  }
  printf(
      "TENSOR %s: %d worlds, written and read in place on the device: %s, %d of 9 fields as on the CPU\n",
      path, n, is_good ? "good" : "failed", same);
  cf_freeBatch(batch[0]);
  cf_freeBatch(batch[1]);
  free(x);
  free(y);
  mj_deleteModel(m);
  return !is_good || same < 9;
}


static double meanOf(cfBatch* batch, const char* name, int n) {
  cfBatchField field;
  if (!cf_batchField(batch, name, &field)) {
    return -1;
  }
  int* value = malloc(sizeof(int) * (size_t)field.count * (size_t)n);
  double sum = 0;
  if (cf_batchGet(batch, name, NULL, n, CF_ORDER_WORLD, value)) {
    for (int w = 0; w < n; w++) {
      sum += value[(size_t)w * (size_t)field.count];
    }
  }
  free(value);
  return sum / n;
}


// worlds whose velocities are far off, and how many constraint rows those have
static void tellWrongWorlds(cfBatch* const batch[2], const mjModel* m, int n) {
  const size_t nv = (size_t)m->nv;
  double* v[2] = {malloc(sizeof(double) * nv * (size_t)n), malloc(sizeof(double) * nv * (size_t)n)};
  int *rows = malloc(sizeof(int) * (size_t)n), wrong = 0, least = 1 << 30, most = 0, all = 0;
  cf_batchGet(batch[0], "qvel", NULL, n, CF_ORDER_WORLD, v[0]);
  cf_batchGet(batch[1], "qvel", NULL, n, CF_ORDER_WORLD, v[1]);
  cf_batchGet(batch[0], "nefc", NULL, n, CF_ORDER_WORLD, rows);
  for (int w = 0; w < n; w++) {
    double worst = 0;
    for (size_t i = nv * (size_t)w; i < nv * (size_t)(w + 1); i++) {
      worst = fmax(worst, fabs(v[0][i] - v[1][i]) / (1 + fabs(v[0][i])));
    }
    all = rows[w] > all ? rows[w] : all;
    if (!(worst < 1e-2)) {
      wrong++;
      least = rows[w] < least ? rows[w] : least;
      most = rows[w] > most ? rows[w] : most;
    }
  }
  if (wrong) {
    printf("; %d worlds are wrong, with %d to %d rows of at most %d", wrong, least, most, all);
  }
  free(v[0]);
  free(v[1]);
  free(rows);
}


// worlds that have other contacts or rows, and the accelerations of those that have the same
static void tellSameCounts(cfBatch* const batch[2], const mjModel* m, int n) {
  const size_t nv = (size_t)m->nv, worlds = (size_t)n;
  double* a[2] = {malloc(sizeof(double) * nv * worlds), malloc(sizeof(double) * nv * worlds)};
  int* count[2] = {malloc(2 * sizeof(int) * worlds), malloc(2 * sizeof(int) * worlds)};
  int others = 0, beyond = 0;
  double most = 0;
  for (int k = 0; k < 2; k++) {
    cf_batchGet(batch[k], "qacc", NULL, n, CF_ORDER_WORLD, a[k]);
    cf_batchGet(batch[k], "ncon", NULL, n, CF_ORDER_WORLD, count[k]);
    cf_batchGet(batch[k], "nefc", NULL, n, CF_ORDER_WORLD, count[k] + n);
  }
  for (int w = 0; w < n; w++) {
    double worst = 0;
    for (size_t i = nv * (size_t)w; i < nv * (size_t)(w + 1); i++) {
      worst = fmax(worst, fabs(a[0][i] - a[1][i]) / (1 + fabs(a[0][i])));
    }
    if (count[0][w] != count[1][w] || count[0][n + w] != count[1][n + w]) {
      others++;
    } else {
      most = fmax(most, worst);
      beyond += !(worst < 1e-10);
    }
  }
  if (others) {
    printf("; %d worlds have other counts, qacc of the rest %.2g, %d beyond 1e-10", others, most,
           beyond);
  }
  for (int k = 0; k < 2; k++) {
    free(a[k]);
    free(count[k]);
  }
}


// the fast tier against the library on the CPU, one step from random states
static void compareTeam(const mjModel* m, const char* path, int n, cftPrecision precision,
                        bool has_own) {
  static const char* const names[] = {"qpos", "qvel", "act",   "qfrc_smooth",     "qacc_smooth",
                                      "qacc", "xpos", "xquat", "qfrc_constraint", "sensordata"};
  char error[500] = "";
  cfBatchOptions options;
  cf_defaultBatchOptions(&options);
  options.outputs =
      "qacc qfrc_constraint qfrc_smooth qacc_smooth xpos xquat ncon nefc solver_niter sensordata";
  options.unstable = CF_UNSTABLE_FREEZE;
  options.precision = precision;
  options.tier = CF_TIER_FAST;
  options.backend = CF_BACKEND_CUDA;
  cfBatch* batch[2] = {NULL, cf_makeBatch(m, n, &options, error, sizeof(error))};
  if (!batch[1] && strstr(error, "sensordata")) {
    printf("  %s\n", error);
    options.outputs =
        "qacc qfrc_constraint qfrc_smooth qacc_smooth xpos xquat ncon nefc solver_niter";
    batch[1] = cf_makeBatch(m, n, &options, error, sizeof(error));
  }
  options.backend = CF_BACKEND_CPU;
  batch[0] = batch[1] ? cf_makeBatch(m, n, &options, error, sizeof(error)) : NULL;
  if (!batch[0]) {
    printf("NONE %s: %s\n", path, error);
  } else {
    scatter(m, batch, n);
    for (int k = 0; k < 2; k++) {
      if (has_own) {
        varyParameters(batch[k], n);
      }
      if (!cf_batchStep(batch[k], 1) || !cf_batchWait(batch[k])) {
        printf("  %s\n", cf_batchError(batch[k]));
      }
    }
    printf("%s %s %s: nv %d, %d worlds, lost %ld %ld; relative error", has_own ? "OWN" : "TEAM",
           path, precision == CF_PRECISION_SINGLE ? "single" : "double", (int)m->nv, n,
           (long)cf_batchLost(batch[0]), (long)cf_batchLost(batch[1]));
    for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++) {
      difference result = {0};
      compareField(batch, names[k], n, &result);
      printf(" %s %.2g (%.2g)", names[k], result.worst_relative, result.worst_of_largest);
    }
    difference count = {0};
    compareField(batch, "ncon", n, &count);
    compareField(batch, "nefc", n, &count);
    printf("; %ld counts differ %s", count.differ, cf_batchError(batch[1]));
    tellWrongWorlds(batch, m, n);
    tellSameCounts(batch, m, n);
    printf("\n");
  }
  fflush(stdout);
  cf_freeBatch(batch[0]);
  cf_freeBatch(batch[1]);
}


// how worlds are stepped when speed is measured
static cftTier tier = CF_TIER_BASE;
static cftPrecision precision = CF_PRECISION_DOUBLE;

static cfBatch* makeNoisy(const mjModel* m, int n) {
  char error[500] = "";
  cfBatchOptions options;
  cf_defaultBatchOptions(&options);
  options.backend = CF_BACKEND_CUDA;
  options.tier = tier;
  options.precision = precision;
  options.outputs =
      getenv("CHECK_SENSORS") ? "ncon nefc solver_niter sensordata" : "ncon nefc solver_niter";
  options.noise_scale = getenv("CHECK_NOISE") ? atof(getenv("CHECK_NOISE")) : 0.5;
  options.narena = getenv("CHECK_ARENA") ? atoi(getenv("CHECK_ARENA")) : 0;
  cfBatch* batch = cf_makeBatch(m, n, &options, error, sizeof(error));
  if (!batch) {
    printf("%s\n", error);
  } else if (getenv("CHECK_OWN")) {
    varyParameters(batch, n);
  }
  return batch;
}


static int speed(const char* path, int n, int steps, int calls) {
  mjModel* m = load(path);
  const double start = now();
  cfBatch* batch = m ? makeNoisy(m, n) : NULL;
  if (!batch) {
    return 1;
  }
  const double made = now();
  int is_good = cf_batchStep(batch, 1) && cf_batchWait(batch);
  const double first = now();
  for (int k = 0; is_good && k < 100 && now() - first < 3; k += steps) {
    is_good = cf_batchStep(batch, steps) && cf_batchWait(batch);
  }
  double contacts = 0, rows = 0, iterations = 0, time = 0;
  int done = 0;
  for (int k = 0; is_good && k < calls && time < 4; k++, done++) {
    const double begin = now();
    is_good = cf_batchStep(batch, steps) && cf_batchWait(batch);
    time += now() - begin;
    contacts += meanOf(batch, "ncon", n);
    rows += meanOf(batch, "nefc", n);
    iterations += meanOf(batch, "solver_niter", n);
  }
  int64_t by_base = 0;
  const int64_t opened = cf_batchOpened(batch, &by_base);
  printf(
      "SPEED %s %s: %d worlds, %d calls of %d steps: %.0f world-steps/s, %.3f ms a call; contacts %.2f rows %.2f iterations %.2f; lost %ld, open %ld, in the base tier %ld, again %ld; made in %.3f s, first step after %.3f s more; %d kB a world %s\n",
      path,
      tier != CF_TIER_FAST               ? "base"
      : precision == CF_PRECISION_SINGLE ? "fast single"
                                         : "fast double",
      n, done, steps, (double)n * steps * done / time, 1e3 * time / done, contacts / done,
      rows / done, iterations / done, (long)cf_batchLost(batch), (long)opened, (long)by_base,
      stepsAgain(batch), made - start, first - made, (int)(cf_batchWorldBytes(batch) / 1024),
      is_good ? "" : cf_batchError(batch));
  fflush(stdout);
  cf_freeBatch(batch);
  mj_deleteModel(m);
  return !is_good;
}


// hash of the states of all worlds
static uint64_t hashStates(cfBatch* batch, const mjModel* m, int n) {
  static const char* const names[] = {"qpos", "qvel", "act", "qacc_warmstart", "time"};
  uint64_t hash = 14695981039346656037u;
  double* value = malloc(sizeof(double) * (size_t)(m->nq + m->nv + m->na + 1) * (size_t)n);
  for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++) {
    cfBatchField field;
    if (!cf_batchField(batch, names[k], &field) ||
        !cf_batchGet(batch, names[k], NULL, n, CF_ORDER_WORLD, value)) {
      continue;
    }
    const unsigned char* byte = (const unsigned char*)value;
    for (size_t i = 0; i < (size_t)field.count * (size_t)n * sizeof(double); i++) {
      hash = (hash ^ byte[i]) * 1099511628211u;
    }
  }
  free(value);
  return hash;
}


// how: base, or the precision of the fast tier
static int runLong(const char* path, int n, int steps, const char* how) {
  tier = strcmp(how, "base") ? CF_TIER_FAST : CF_TIER_BASE;
  precision = strcmp(how, "single") ? CF_PRECISION_DOUBLE : CF_PRECISION_SINGLE;
  mjModel* m = load(path);
  cfBatch* batch = m ? makeNoisy(m, n) : NULL;
  if (!batch) {
    return 1;
  }
  const double begin = now();
  int is_good = 1, k = 0;
  for (; is_good && k < steps && now() - begin < 100; k += 200) {
    is_good = cf_batchStep(batch, 200) && cf_batchWait(batch);
  }
  const double time = now() - begin;
  printf(
      "LONG %s %s: %d worlds, %d steps in %.1f s (%.0f a second), lost %ld, again %ld, hash %016llx %s\n",
      path, how, n, k, time, (double)n * k / time, (long)cf_batchLost(batch), stepsAgain(batch),
      (unsigned long long)hashStates(batch, m, n), is_good ? "" : cf_batchError(batch));
  cf_freeBatch(batch);
  mj_deleteModel(m);
  return 0;
}


static int compareTeams(int n, char** path, int count, bool has_own) {
  for (int k = 0; k < count; k++) {
    mjModel* m = load(path[k]);
    for (int i = 0; m && i < 3 * m->nsite; i++) {
      m->site_size[i] *= 1.01;  // no ray of a contact exactly through the edge of a zone of touch
    }
    for (int p = 0; m && p < 2; p++) {
      compareTeam(m, path[k], n, p ? CF_PRECISION_SINGLE : CF_PRECISION_DOUBLE, has_own);
    }
    mj_deleteModel(m);
  }
  return 0;
}


static int speedOfTeams(const char* path, int steps, int calls, char** worlds, int count) {
  static const int usual[] = {256, 8192, 32768, 65536};
  tier = CF_TIER_FAST;
  for (int p = 0; p < 2; p++) {
    precision = p ? CF_PRECISION_DOUBLE : CF_PRECISION_SINGLE;
    for (int k = 0; k < (count ? count : 4); k++) {
      speed(path, count ? atoi(worlds[k]) : usual[k], steps, calls);
    }
  }
  return 0;
}


int main(int argc, char** argv) {
  if (argc > 3 && !strcmp(argv[1], "team-compare")) {
    return compareTeams(atoi(argv[2]), argv + 3, argc - 3, false);
  }
  if (argc > 3 && !strcmp(argv[1], "team-own")) {
    return compareTeams(atoi(argv[2]), argv + 3, argc - 3, true);
  }
  if (argc == 6 && !strcmp(argv[1], "team-long")) {
    return runLong(argv[2], atoi(argv[3]), atoi(argv[4]), argv[5]);
  }
  if (argc > 4 && !strcmp(argv[1], "team-speed")) {
    return speedOfTeams(argv[2], atoi(argv[3]), atoi(argv[4]), argv + 5, argc - 5);
  }
  if (argc > 3 && !strcmp(argv[1], "compare")) {
    return compareModels(atoi(argv[2]), argv + 3, argc - 3);
  }
  if (argc > 4 && !strcmp(argv[1], "states")) {
    return compareStates(atoi(argv[2]), atof(argv[3]), argv + 4, argc - 4);
  }
  if (argc == 4 && !strcmp(argv[1], "tensor")) {
    return checkTensors(argv[2], atoi(argv[3]));
  }
  if (argc == 6 && !strcmp(argv[1], "speed")) {
    return speed(argv[2], atoi(argv[3]), atoi(argv[4]), atoi(argv[5]));
  }
  if (argc == 5 && !strcmp(argv[1], "long")) {
    return runLong(argv[2], atoi(argv[3]), atoi(argv[4]), "base");
  }
  printf(
      "check compare WORLDS FILE... | states WORLDS SECONDS FILE... | tensor MODEL WORLDS | speed MODEL WORLDS STEPS CALLS | long MODEL WORLDS STEPS | team-compare WORLDS FILE... | team-own WORLDS FILE... | team-speed MODEL STEPS CALLS [WORLDS...] | team-long MODEL WORLDS STEPS PRECISION\n");
  return 1;
}
