// Lanes against lone worlds: same bits, and how many instructions a step takes.
//
//   check compare STEPS FILE...   state, counts and sensors of worlds in lanes (4, 8) and alone
//   check lanes MODEL [WIDTH]     200 world-steps per lane in the function `measured`, for
//   callgrind check alone MODEL             200 steps of mj_step, of this library or of MuJoCo's
//   check time MODEL WIDTH [SPREAD [WORLDS [CALL [NOISE]]]]
//                                 the same 200 steps of 16 worlds on the clock, WIDTH worlds
//                                 together (0: mj_step, world by world); SPREAD: velocities at the
//                                 beginning differ by so much between worlds, 0 unless given;
//                                 WORLDS: other than 16; CALL: steps of a call, else all; NOISE: of
//                                 controls
//
//   valgrind --tool=callgrind --toggle-collect=measured --callgrind-out-file=/dev/null \
//     ./check lanes models/humanoid.xml
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cortenforge/batch.h>

// MuJoCo's library has no batches
#pragma weak cf_makeBatch
#pragma weak cf_freeBatch
#pragma weak cf_batchStep
#pragma weak cf_batchGet
#pragma weak cf_batchSet
#pragma weak cf_batchReset
#pragma weak cf_batchField
#pragma weak cf_batchLanes
#pragma weak cf_batchLost

enum { WARM_UP = 100, STEPS = 200, WORLDS = 8 };


static mjModel* load(const char* path) {
  char error[500] = "";
  mjModel* m = mj_loadXML(path, NULL, error, sizeof(error));
  if (!m) {
    printf("%s: does not load: %s\n", path, error);
  }
  return m;
}


// ---------------------------------------- instructions

__attribute__((noinline)) void measured(const mjModel* m, mjData* d, cfBatch* batch, int n);

void measured(const mjModel* m, mjData* d, cfBatch* batch, int n) {
  if (batch) {
    cf_batchStep(batch, n);
    return;
  }
  for (int k = 0; k < n; k++) {
    mj_step(m, d);
  }
}


static int countLanes(const char* path, int width) {
  mjModel* m = load(path);
  char error[500] = "";
  const cfBatchOptions options = {.nthread = 1, .nlane = width};
  cfBatch* batch = m ? cf_makeBatch(m, width, &options, error, sizeof(error)) : NULL;
  if (!batch) {
    printf("%s: %s\n", path, error);
    return 1;
  }
  cf_batchStep(batch, WARM_UP);
  measured(m, NULL, batch, STEPS);
  printf("%s: %d steps of %d worlds, %d lost\n", path, STEPS, width, (int)cf_batchLost(batch));
  cf_freeBatch(batch);
  mj_deleteModel(m);
  return 0;
}


static int countAlone(const char* path) {
  mjModel* m = load(path);
  mjData* d = m ? mj_makeData(m) : NULL;
  if (!d) {
    return 1;
  }
  for (int k = 0; k < WARM_UP; k++) {
    mj_step(m, d);
  }
  measured(m, d, NULL, STEPS);
  printf("%s: %d steps\n", path, STEPS);
  mj_deleteData(d);
  mj_deleteModel(m);
  return 0;
}


// ---------------------------------------- time

enum { MOST_RUNS = 200 };

typedef struct {
  int width, nworld, call;
  double spread, noise;
} timedCase;


static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}


// velocities of all worlds at the beginning
static mjtNum* firstVelocities(const mjModel* m, const timedCase* c) {
  const int n = (int)m->nv * c->nworld;
  mjtNum* qvel = malloc(sizeof(mjtNum) * (size_t)(n + 1));
  for (int k = 0; k < n; k++) {
    qvel[k] = c->spread * sin(1.7 * k);
  }
  return qvel;
}


// seconds for the measured steps of all worlds
static double timeWorlds(const mjModel* m, mjData* d, const mjtNum* qvel, const timedCase* c) {
  double total = 0;
  for (int w = 0; w < c->nworld; w++) {
    mj_resetData(m, d);
    memcpy(d->qvel, qvel + w * m->nv, sizeof(mjtNum) * (size_t)m->nv);
    for (int k = 0; k < WARM_UP; k++) {
      mj_step(m, d);
    }
    const double start = now();
    measured(m, d, NULL, STEPS);
    total += now() - start;
  }
  return total;
}


static double timeBatch(const mjModel* m, cfBatch* batch, const mjtNum* qvel, const timedCase* c) {
  cf_batchReset(batch, NULL, -1);
  cf_batchSet(batch, "qvel", NULL, c->nworld, CF_ORDER_WORLD, qvel);
  cf_batchStep(batch, WARM_UP);
  const double start = now();
  for (int k = 0; k < STEPS; k += c->call) {
    measured(m, NULL, batch, c->call);
  }
  return now() - start;
}


static int compareNumbers(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}


static int timeSteps(const char* path, const timedCase* c) {
  mjModel* m = load(path);
  char error[500] = "";
  const cfBatchOptions options = {
      .nthread = 1, .nlane = c->width, .noise_scale = c->noise, .noise_rate = 0.1};
  cfBatch* batch =
      m && c->width ? cf_makeBatch(m, c->nworld, &options, error, sizeof(error)) : NULL;
  if (!m || (c->width && !batch)) {
    printf("%s: %s\n", path, error);
    return 1;
  }
  mjData* d = mj_makeData(m);
  mjtNum* qvel = firstVelocities(m, c);
  double run[MOST_RUNS];
  int n = 0;
  for (const double start = now(); n < MOST_RUNS && (n < 5 || now() - start < 3); n++) {
    run[n] = batch ? timeBatch(m, batch, qvel, c) : timeWorlds(m, d, qvel, c);
  }
  qsort(run, (size_t)n, sizeof(run[0]), compareNumbers);
  const double scale = 1e6 / (c->nworld * STEPS);
  printf("%s: %d together, spread %g: %.3f us per world and step, median %.3f of %d runs\n", path,
         c->width, c->spread, scale * run[0], scale * run[n / 2], n);
  free(qvel);
  mj_deleteData(d);
  if (batch) {
    cf_freeBatch(batch);
  }
  mj_deleteModel(m);
  return 0;
}


// ---------------------------------------- bits

static const char* const kept[] = {"time",   "qpos",           "qvel",         "act",
                                   "qacc",   "qacc_warmstart", "sensordata",   "qfrc_bias",
                                   "ncon",   "nefc",           "solver_niter", "qfrc_constraint",
                                   "energy", "qfrc_smooth",    "qacc_smooth",  "actuator_force"};

static const char* const outputs =
    "sensordata qacc qfrc_bias ncon nefc solver_niter qfrc_constraint energy qfrc_smooth "
    "qacc_smooth actuator_force";


// first field that differs between two batches, NULL if there is none
static const char* firstDifference(cfBatch* const batch[2]) {
  for (size_t k = 0; k < sizeof(kept) / sizeof(kept[0]); k++) {
    cfBatchField field;
    if (!cf_batchField(batch[0], kept[k], &field) || !field.count) {
      continue;
    }
    const size_t size = (size_t)field.count * (size_t)field.nbyte * WORLDS;
    char *a = malloc(size), *b = malloc(size);
    cf_batchGet(batch[0], kept[k], NULL, WORLDS, CF_ORDER_WORLD, a);
    cf_batchGet(batch[1], kept[k], NULL, WORLDS, CF_ORDER_WORLD, b);
    const int is_same = memcmp(a, b, size) == 0;
    free(a);
    free(b);
    if (!is_same) {
      return kept[k];
    }
  }
  return NULL;
}


// 0: same bits, 1: not, -1: the batch refuses the model or this width
static int compareModel(const mjModel* m, const char* path, int width, int nstep) {
  cfBatch* batch[2];
  char error[500] = "";
  for (int k = 0; k < 2; k++) {
    const cfBatchOptions options = {.nthread = 1,
                                    .nlane = k ? 1 : width,
                                    .noise_scale = 0.3,
                                    .noise_rate = 0.1,
                                    .seed = 7,
                                    .outputs = outputs};
    batch[k] = cf_makeBatch(m, WORLDS, &options, error, sizeof(error));
    if (!batch[k]) {
      printf("%s: %s\n", path, error);
      return -1;
    }
  }
  const char* field = NULL;
  for (int done = 0; done < nstep && !field; done += 100) {
    cf_batchStep(batch[0], 100);
    cf_batchStep(batch[1], 100);
    field = firstDifference(batch);
  }
  if (field) {
    printf("%s: %d lanes differ in %s\n", path, cf_batchLanes(batch[0]), field);
  }
  cf_freeBatch(batch[0]);
  cf_freeBatch(batch[1]);
  return field != NULL;
}


static int compareAll(int nstep, char** path, int n) {
  int nsame = 0, ndiffer = 0, nrefused = 0;
  for (int k = 0; k < n; k++) {
    mjModel* m = load(path[k]);
    for (int width = 4; m && width <= 8; width *= 2) {
      const int result = compareModel(m, path[k], width, nstep);
      nsame += result == 0, ndiffer += result == 1, nrefused += result < 0;
    }
    mj_deleteModel(m);
    fflush(stdout);
  }
  printf("%d same, %d differ, %d refused\n", nsame, ndiffer, nrefused);
  return ndiffer != 0;
}


int main(int argc, char** argv) {
  if (argc >= 4 && !strcmp(argv[1], "compare")) {
    return compareAll(atoi(argv[2]), argv + 3, argc - 3);
  }
  if (argc >= 3 && !strcmp(argv[1], "lanes")) {
    return countLanes(argv[2], argc > 3 ? atoi(argv[3]) : 4);
  }
  if (argc == 3 && !strcmp(argv[1], "alone")) {
    return countAlone(argv[2]);
  }
  if (argc >= 4 && !strcmp(argv[1], "time")) {
    const timedCase c = {.width = atoi(argv[3]),
                         .spread = argc > 4 ? atof(argv[4]) : 0,
                         .nworld = argc > 5 ? atoi(argv[5]) : 16,
                         .call = argc > 6 ? atoi(argv[6]) : STEPS,
                         .noise = argc > 7 ? atof(argv[7]) : 0};
    return timeSteps(argv[2], &c);
  }
  printf(
      "usage: check compare STEPS FILE... | lanes MODEL [WIDTH] | alone MODEL |\n"
      "       check time MODEL WIDTH [SPREAD [WORLDS [CALL [NOISE]]]]\n");
  return 2;
}
