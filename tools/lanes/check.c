// Lanes against lone worlds: same bits, and how many instructions a step takes.
//
//   check compare STEPS [OPTION...] FILE...
//                                 state, counts and sensors of worlds in lanes (4, 8 where the
//                                 processor can) and alone.  --worlds N: 8 unless given;
//                                 --seconds S: at most so long for a model and width, after which
//                                 it counts as not compared; --own: worlds with masses, friction,
//                                 damping and more of their own; --plugins DIR: load these before
//   check lanes MODEL [WIDTH [SPREAD [NOISE]]]
//                                 200 world-steps per lane in the function `measured`, for
//                                 callgrind; the last two as below
//   check alone MODEL             200 steps of mj_step, of this library or of MuJoCo's
//   check time MODEL WIDTH [SPREAD [WORLDS [CALL [NOISE [own]]]]]
//                                 the same 200 steps of 16 worlds on the clock, WIDTH worlds
//                                 together (0: mj_step, world by world); SPREAD: velocities at the
//                                 beginning differ by so much between worlds, 0 unless given;
//                                 WORLDS: other than 16; CALL: steps of a call, else all; NOISE: of
//                                 controls; own: worlds with parameters of their own
//
//   valgrind --tool=callgrind --toggle-collect=measured --callgrind-out-file=/dev/null \
//     ./check lanes models/humanoid.xml
#include <math.h>
#include <stdbool.h>
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
#pragma weak cf_batchError

enum { WARM_UP = 100, STEPS = 200, WORLDS = 8, CHUNK = 20 };


static mjModel* load(const char* path) {
  char error[500] = "";
  mjModel* m = mj_loadXML(path, NULL, error, sizeof(error));
  if (!m) {
    printf("%s: does not load: %s\n", path, error);
  }
  return m;
}


typedef struct {
  int width, nworld, call;
  double spread, noise;
  bool has_own;
} timedCase;


// velocities of all worlds at the beginning
static mjtNum* firstVelocities(const mjModel* m, const timedCase* c) {
  const int n = (int)m->nv * c->nworld;
  mjtNum* qvel = malloc(sizeof(mjtNum) * (size_t)(n + 1));
  for (int k = 0; k < n; k++) {
    qvel[k] = c->spread * sin(1.7 * k);
  }
  return qvel;
}


// ---------------------------------------- parameters of worlds

// the values of the model, in every world a little different
static void setOwn(cfBatch* batch, const char* name, const mjtNum* shared, mjtSize count,
                   int nworld, int tied) {
  const size_t n = (size_t)count;
  mjtNum* value = malloc(sizeof(mjtNum) * (n * (size_t)nworld + 1));
  for (size_t k = 0; k < n * (size_t)nworld; k++) {
    value[k] = shared[k % n] * (1 + 0.2 * sin(0.7 * (double)(k / (size_t)tied) + tied));
  }
  if (n && !cf_batchSet(batch, name, NULL, nworld, CF_ORDER_WORLD, value)) {
    printf("%s: %s\n", name, cf_batchError(batch));
  }
  free(value);
}


// sizes that differ by up to a tenth; those of meshes and the like are shared
static void setSizes(cfBatch* batch, const mjModel* m, int nworld) {
  const size_t n = 3 * (size_t)m->ngeom;
  mjtNum* value = malloc(sizeof(mjtNum) * (n * (size_t)nworld + 1));
  for (size_t k = 0; k < n * (size_t)nworld; k++) {
    const int type = m->geom_type[k % n / 3];
    const bool is_own = type != mjGEOM_MESH && type != mjGEOM_HFIELD && type != mjGEOM_SDF;
    value[k] = m->geom_size[k % n] * (1 + (is_own ? 0.1 * sin(0.7 * (double)k) : 0));
  }
  if (n && !cf_batchSet(batch, "geom_size", NULL, nworld, CF_ORDER_WORLD, value)) {
    printf("geom_size: %s\n", cf_batchError(batch));
  }
  free(value);
}


// inertias of a body keep their proportions, as ranges keep their order
static void setAllOwn(cfBatch* batch, const mjModel* m, int nworld) {
  setOwn(batch, "body_mass", m->body_mass, m->nbody, nworld, 1);
  setOwn(batch, "body_inertia", m->body_inertia, 3 * m->nbody, nworld, 3);
  setOwn(batch, "dof_damping", m->dof_damping, m->nv, nworld, 1);
  setOwn(batch, "dof_frictionloss", m->dof_frictionloss, m->nv, nworld, 1);
  setOwn(batch, "jnt_stiffness", m->jnt_stiffness, m->njnt, nworld, 1);
  setOwn(batch, "jnt_range", m->jnt_range, 2 * m->njnt, nworld, 2);
  setOwn(batch, "geom_friction", m->geom_friction, 3 * m->ngeom, nworld, 1);
  setOwn(batch, "geom_solref", m->geom_solref, 2 * m->ngeom, nworld, 2);
  setOwn(batch, "actuator_gainprm", m->actuator_gainprm, mjNGAIN * m->nu, nworld, mjNGAIN);
  setOwn(batch, "opt.gravity", m->opt.gravity, 3, nworld, 1);
  setSizes(batch, m, nworld);
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


static int countLanes(const char* path, const timedCase* c) {
  mjModel* m = load(path);
  char error[500] = "";
  const cfBatchOptions options = {
      .nthread = 1, .nlane = c->width, .noise_scale = c->noise, .noise_rate = 0.1};
  cfBatch* batch = m ? cf_makeBatch(m, c->nworld, &options, error, sizeof(error)) : NULL;
  if (!batch) {
    printf("%s: %s\n", path, error);
    return 1;
  }
  mjtNum* qvel = firstVelocities(m, c);
  cf_batchSet(batch, "qvel", NULL, c->nworld, CF_ORDER_WORLD, qvel);
  cf_batchStep(batch, WARM_UP);
  measured(m, NULL, batch, STEPS);
  printf("%s: %d steps of %d worlds, %d lost\n", path, STEPS, c->nworld, (int)cf_batchLost(batch));
  free(qvel);
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

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
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
  if (batch && c->has_own) {
    setAllOwn(batch, m, c->nworld);
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


typedef struct {
  int nstep, nworld;
  double seconds;
  bool has_own;
} compareCase;

typedef enum { BITS_SAME, BITS_DIFFER, BITS_REFUSED, BITS_LATE, BITS_UNREAD, NBITS } bitsResult;


// first field that differs between two batches, NULL if there is none
static const char* firstDifference(cfBatch* const batch[2], int nworld) {
  for (size_t k = 0; k < sizeof(kept) / sizeof(kept[0]); k++) {
    cfBatchField field;
    if (!cf_batchField(batch[0], kept[k], &field) || !field.count) {
      continue;
    }
    const size_t size = (size_t)field.count * (size_t)field.nbyte * (size_t)nworld;
    char *a = malloc(size), *b = malloc(size);
    cf_batchGet(batch[0], kept[k], NULL, nworld, CF_ORDER_WORLD, a);
    cf_batchGet(batch[1], kept[k], NULL, nworld, CF_ORDER_WORLD, b);
    const int is_same = memcmp(a, b, size) == 0;
    free(a);
    free(b);
    if (!is_same) {
      return kept[k];
    }
  }
  return NULL;
}


// step both batches until they differ, the time is over or all is done
static bitsResult compareSteps(cfBatch* const batch[2], const char* path, const compareCase* c) {
  const double start = now();
  for (int done = 0; done < c->nstep;) {
    const int n = c->nstep - done < CHUNK ? c->nstep - done : CHUNK;
    cf_batchStep(batch[0], n);
    cf_batchStep(batch[1], n);
    done += n;
    const char* field = firstDifference(batch, c->nworld);
    if (field) {
      printf("%s: %d lanes differ in %s within %d steps\n", path, cf_batchLanes(batch[0]), field,
             done);
      return BITS_DIFFER;
    }
    if (done < c->nstep && c->seconds > 0 && now() - start > c->seconds) {
      printf("%s: %d lanes equal for %d steps, then no time\n", path, cf_batchLanes(batch[0]),
             done);
      return BITS_LATE;
    }
  }
  return BITS_SAME;
}


static bitsResult compareModel(const mjModel* m, const char* path, int width,
                               const compareCase* c) {
  cfBatch* batch[2] = {NULL, NULL};
  char error[500] = "";
  for (int k = 0; k < 2; k++) {
    const cfBatchOptions options = {.nthread = 1,
                                    .nlane = k ? 1 : width,
                                    .noise_scale = 0.3,
                                    .noise_rate = 0.1,
                                    .seed = 7,
                                    .outputs = outputs};
    batch[k] = cf_makeBatch(m, c->nworld, &options, error, sizeof(error));
    if (batch[k] && c->has_own) {
      setAllOwn(batch[k], m, c->nworld);
    }
  }
  bitsResult result = BITS_REFUSED;
  if (batch[0] && batch[1]) {
    result = compareSteps(batch, path, c);
  } else {
    printf("%s: %s\n", path, error);
  }
  cf_freeBatch(batch[0]);
  cf_freeBatch(batch[1]);
  return result;
}


static bool hasWidth(int width) {
  return width == 8 ? __builtin_cpu_supports("avx512f") : __builtin_cpu_supports("avx2");
}


static int compareAll(const compareCase* c, char** path, int n) {
  int count[NBITS] = {0};
  for (int k = 0; k < n; k++) {
    mjModel* m = load(path[k]);
    count[BITS_UNREAD] += !m;
    for (int width = 4; m && width <= 8; width *= 2) {
      if (hasWidth(width)) {
        count[compareModel(m, path[k], width, c)]++;
      }
    }
    mj_deleteModel(m);
    fflush(stdout);
  }
  printf(
      "%d same, %d differ; not compared: %d without time for all steps, %d refused, %d did not "
      "load\n",
      count[BITS_SAME], count[BITS_DIFFER], count[BITS_LATE], count[BITS_REFUSED],
      count[BITS_UNREAD]);
  return count[BITS_DIFFER] != 0;
}


// options before the files
static int compareWith(int nstep, int argc, char** argv) {
  compareCase c = {.nstep = nstep, .nworld = WORLDS};
  int at = 0;
  for (; at < argc && !strncmp(argv[at], "--", 2); at++) {
    const char* value = at + 1 < argc ? argv[at + 1] : "";
    if (!strcmp(argv[at], "--own")) {
      c.has_own = true;
      continue;
    }
    if (!strcmp(argv[at], "--worlds")) {
      c.nworld = atoi(value);
    } else if (!strcmp(argv[at], "--seconds")) {
      c.seconds = atof(value);
    } else if (!strcmp(argv[at], "--plugins")) {
      mj_loadAllPluginLibraries(value, NULL);
    }
    at++;
  }
  return compareAll(&c, argv + at, argc - at);
}


int main(int argc, char** argv) {
  if (argc >= 4 && !strcmp(argv[1], "compare")) {
    return compareWith(atoi(argv[2]), argc - 3, argv + 3);
  }
  if (argc >= 3 && !strcmp(argv[1], "lanes")) {
    const int width = argc > 3 ? atoi(argv[3]) : 4;
    const timedCase c = {.width = width,
                         .nworld = width,
                         .spread = argc > 4 ? atof(argv[4]) : 0,
                         .noise = argc > 5 ? atof(argv[5]) : 0};
    return countLanes(argv[2], &c);
  }
  if (argc == 3 && !strcmp(argv[1], "alone")) {
    return countAlone(argv[2]);
  }
  if (argc >= 4 && !strcmp(argv[1], "time")) {
    const timedCase c = {.width = atoi(argv[3]),
                         .spread = argc > 4 ? atof(argv[4]) : 0,
                         .nworld = argc > 5 ? atoi(argv[5]) : 16,
                         .call = argc > 6 ? atoi(argv[6]) : STEPS,
                         .noise = argc > 7 ? atof(argv[7]) : 0,
                         .has_own = argc > 8};
    return timeSteps(argv[2], &c);
  }
  printf(
      "usage: check compare STEPS [--worlds N] [--seconds S] [--own] [--plugins DIR] FILE... |\n"
      "       check lanes MODEL [WIDTH [SPREAD [NOISE]]] | alone MODEL |\n"
      "       check time MODEL WIDTH [SPREAD [WORLDS [CALL [NOISE [own]]]]]\n");
  return 2;
}
