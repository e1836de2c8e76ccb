// One table of speeds: one core, threads inside a step, worlds in lanes, loading.
//
//   build/bench/table [-r ROUNDS] [-o FILE.csv] REFERENCE.so     (run where models/ is)
//
// Every block of steps starts from a recorded state, in all that is compared; the shortest of
// several rounds counts, for each state.  Ratios above 1: ours is faster than what it is compared
// with, which is MuJoCo on one core, and one thread of ours for threads.  Beside each time stand
// the contacts, rows and iterations of a step and a hash of the states at the ends of the blocks:
// figures of two machines or two days can be compared where the hashes agree.  The hash of threads
// and of lanes must be that of one world on one thread; exit code 1 where it is not.
#include <dlfcn.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cortenforge/batch.h>
#include <mujoco/mujoco.h>

enum { STATES = 8, STEPS_BETWEEN = 50, WORLDS = 64 };
static int rounds = 5, nwrong;
static FILE* csv;

// what is needed of the reference
static struct {
  __typeof__(mj_loadXML)* loadXML;
  __typeof__(mj_loadModel)* loadModel;
  __typeof__(mj_deleteModel)* deleteModel;
  __typeof__(mj_makeData)* makeData;
  __typeof__(mj_deleteData)* deleteData;
  __typeof__(mj_setState)* setState;
  __typeof__(mj_step)* step;
} reference;

typedef struct {
  const char *name, *path;
  int count;  // of the model's figure, side by side
  int nstep;  // steps per block; fixed, so that hashes of all machines are of the same steps
} scene;

static const scene core_scenes[] = {
    {"humanoid", "models/humanoid.xml", 1, 100},
    {"22 humanoids", "models/humanoid.xml", 22, 8},
    {"100 humanoids", "models/humanoid.xml", 100, 2},
    {"arm with gripper", "models/robots/arm_gripper.xml", 1, 100},
    {"planar runner", "models/robots/planar_runner.xml", 1, 100},
    {"quadruped", "models/robots/quadruped.xml", 1, 100},
    {"hand", "models/robots/hand.xml", 1, 100},
    {"stack", "models/stack.xml", 1, 100},
    {"muscles", "models/muscles.xml", 1, 100},
};
enum { CORE_SCENES = sizeof(core_scenes) / sizeof(*core_scenes), THREAD_SCENES = 3 };

static const scene lane_scenes[] = {
    {"humanoid", "models/humanoid.xml", 1, 100},
    {"planar runner", "models/robots/planar_runner.xml", 1, 100},
    {"arm with gripper", "models/robots/arm_gripper.xml", 1, 100},
};
enum { LANE_SCENES = sizeof(lane_scenes) / sizeof(*lane_scenes) };

// a model with states along a run
typedef struct {
  mjModel *m, *other;  // ours, and the reference's
  mjtNum* state;
  int count, nstate, nstep;  // states, numbers per state, steps per block
} course;

// one side of a comparison: seconds per step, what a step had to do, where it ended
typedef struct {
  double seconds, contacts, rows, iterations;
  uint64_t hash;
} pace;


static double secondsNow(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}


static void stop(const char* what, const char* why) {
  fprintf(stderr, "table: %s: %s\n", what, why);
  exit(1);
}


static uint64_t hashNumbers(uint64_t hash, const mjtNum* x, int n) {
  for (int i = 0; i < n; i++) {
    uint64_t bits;
    memcpy(&bits, x + i, sizeof(bits));
    hash = (hash ^ bits) * 1099511628211ull;
  }
  return hash;
}


// ---------------------------------------- courses

// figures on a grid, every one with a contact or two with the floor
static mjModel* compileCrowd(const scene* s) {
  char error[500] = "", prefix[20];
  mjSpec* crowd = mj_makeSpec();
  mjsBody* world = mjs_findBody(crowd, "world");
  mjsGeom* floor = mjs_addGeom(world, NULL);
  floor->type = mjGEOM_PLANE;
  floor->size[0] = floor->size[1] = floor->size[2] = 1;
  crowd->option.timestep = 0.005;
  crowd->memory = (mjtSize)s->count << 20;
  mjs_setDeepCopy(crowd, 1);
  const int width = (int)ceil(sqrt(s->count));
  for (int k = 0; k < s->count; k++) {
    mjSpec* figure = mj_parseXML(s->path, NULL, error, sizeof(error));
    if (!figure) {
      stop(s->path, error);
    }
    mjsFrame* frame = mjs_addFrame(world, NULL);
    frame->pos[0] = k % width;
    frame->pos[1] = k / width;
    snprintf(prefix, sizeof(prefix), "%d_", k);
    if (!mjs_attach(frame->element, mjs_findBody(figure, "torso")->element, prefix, "")) {
      stop(s->path, mjs_getError(crowd));
    }
    mj_deleteSpec(figure);
  }
  mjModel* m = mj_compile(crowd, NULL);
  if (!m) {
    stop(s->name, mjs_getError(crowd));
  }
  mj_deleteSpec(crowd);
  return m;
}


// controls near the middle of their range, a function of step and actuator alone
static void setControls(const mjModel* m, mjData* d, int step) {
  for (int u = 0; u < m->nu; u++) {
    const bool has_range = m->actuator_ctrllimited[u];
    const mjtNum low = has_range ? m->actuator_ctrlrange[2 * u] : -1;
    const mjtNum high = has_range ? m->actuator_ctrlrange[2 * u + 1] : 1;
    d->ctrl[u] = 0.5 * (low + high) + 0.05 * (high - low) * mju_Halton(step + 7 * u + 1, 2);
  }
}


// further states: those of the run with other velocities.  Worlds in lanes all differ, since copies
// side by side would be stepped faster than worlds of users
static void addDisturbed(course* c, mjData* d) {
  const int nv = (int)c->m->nv;
  for (int k = STATES; k < c->count; k++) {
    mj_setState(c->m, d, c->state + (size_t)(k % STATES) * c->nstate, mjSTATE_INTEGRATION);
    for (int i = 0; i < nv; i++) {
      d->qvel[i] += 0.05 * sin(1.7 * (k * nv + i));
    }
    mj_getState(c->m, d, c->state + (size_t)k * c->nstate, mjSTATE_INTEGRATION);
  }
}


static course makeCourse(const scene* s, int count) {
  char error[500] = "", path[] = "/tmp/cortenforge_table_XXXXXX";
  course c = {.m =
                  s->count > 1 ? compileCrowd(s) : mj_loadXML(s->path, NULL, error, sizeof(error))};
  if (!c.m) {
    stop(s->path, error);
  }
  close(mkstemp(path));
  mj_saveModel(c.m, path, NULL, 0);
  c.other = reference.loadModel(path, NULL);
  unlink(path);
  if (!c.other) {
    stop(s->name, "MuJoCo does not load it");
  }
  mjData* d = mj_makeData(c.m);
  c.count = count;
  c.nstep = s->nstep;
  c.nstate = mj_stateSize(c.m, mjSTATE_INTEGRATION);
  c.state = (mjtNum*)malloc(sizeof(mjtNum) * (size_t)count * (size_t)c.nstate);
  for (int k = 0; k < STATES * STEPS_BETWEEN; k++) {
    setControls(c.m, d, k);
    mj_step(c.m, d);
    if ((k + 1) % STEPS_BETWEEN == 0) {
      mj_getState(c.m, d, c.state + (size_t)(k / STEPS_BETWEEN) * c.nstate, mjSTATE_INTEGRATION);
    }
  }
  addDisturbed(&c, d);
  mj_deleteData(d);
  return c;
}


static void freeCourse(course* c) {
  mj_deleteModel(c->m);
  reference.deleteModel(c->other);
  free(c->state);
}


// ---------------------------------------- blocks

// steps from one state; what they had to do is added where it is asked for
static double runBlock(const course* c, mjData* d, int state, bool is_reference, pace* work) {
  const mjModel* m = is_reference ? c->other : c->m;
  const mjtNum* from = c->state + (size_t)state * c->nstate;
  (is_reference ? reference.setState : mj_setState)(m, d, from, mjSTATE_INTEGRATION);
  double seconds = 0;
  for (int k = 0; k < c->nstep; k++) {
    const double start = secondsNow();
    (is_reference ? reference.step : mj_step)(m, d);
    seconds += secondsNow() - start;
    if (work) {
      work->contacts += d->ncon;
      work->rows += d->nefc;
      for (int i = 0; i < mjMAX(1, mjMIN(d->nisland, mjNISLAND)); i++) {
        work->iterations += d->solver_niter[i];
      }
    }
  }
  if (work) {
    work->hash = hashNumbers(work->hash, d->qpos, (int)m->nq);
    work->hash = hashNumbers(work->hash, d->qvel, (int)m->nv);
  }
  return seconds;
}


// two sides in turn over all states; both shortest times of each state are kept
static void compare(const course* c, pace* one, mjData* d_one, bool one_is_reference, pace* two,
                    mjData* d_two) {
  double best[2][WORLDS];
  for (int round = 0; round < rounds; round++) {
    for (int k = 0; k < c->count; k++) {
      for (int turn = 0; turn < 2; turn++) {
        const bool is_one = (turn + round) % 2;
        pace* work = round ? NULL : is_one ? one : two;
        const double seconds =
            runBlock(c, is_one ? d_one : d_two, k, is_one && one_is_reference, work);
        double* kept = &best[is_one][k];
        *kept = round && *kept < seconds ? *kept : seconds;
      }
    }
  }
  pace* side[2] = {two, one};
  for (int i = 0; i < 2; i++) {
    const double steps = (double)c->count * c->nstep;
    for (int k = 0; k < c->count; k++) {
      side[i]->seconds += best[i][k] / steps;
    }
    side[i]->contacts /= steps;
    side[i]->rows /= steps;
    side[i]->iterations /= steps;
  }
}


// ---------------------------------------- the table

static void printHead(void) {
  printf("%-8s %-18s %-10s %12s %12s %7s %9s %8s %6s %17s\n", "what", "scene", "how", "ours us",
         "other us", "ratio", "contacts", "rows", "iter", "hash");
  if (csv) {
    fprintf(csv, "what,scene,how,ours_us,other_us,ratio,contacts,rows,iterations,hash\n");
  }
}


static void printRow(const char* what, const char* scene_name, const char* how, const pace* ours,
                     double other) {
  const double us = 1e6 * ours->seconds, ratio = other / ours->seconds;
  printf("%-8s %-18s %-10s %12.3f %12.3f %7.2f %9.1f %8.1f %6.2f  %016llx\n", what, scene_name, how,
         us, 1e6 * other, ratio, ours->contacts, ours->rows, ours->iterations,
         (unsigned long long)ours->hash);
  fflush(stdout);
  if (csv) {
    fprintf(csv, "%s,%s,%s,%.3f,%.3f,%.3f,%.2f,%.2f,%.3f,%016llx\n", what, scene_name, how, us,
            1e6 * other, ratio, ours->contacts, ours->rows, ours->iterations,
            (unsigned long long)ours->hash);
  }
}


static void expectHash(const char* what, const scene* s, uint64_t actual, uint64_t expected) {
  if (actual != expected) {
    printf("%-8s %-18s hash %016llx, one thread and one world give %016llx\n", what, s->name,
           (unsigned long long)actual, (unsigned long long)expected);
    nwrong++;
  }
}


static void benchCore(const scene* s) {
  course c = makeCourse(s, STATES);
  mjData *d = mj_makeData(c.m), *other = reference.makeData(c.other);
  pace ours = {0}, theirs = {0};
  compare(&c, &theirs, other, true, &ours, d);
  printRow("core", s->name, "1 thread", &ours, theirs.seconds);
  mj_deleteData(d);
  reference.deleteData(other);
  freeCourse(&c);
}


static void benchThreads(const scene* s, int nthread) {
  course c = makeCourse(s, STATES);
  mjData *alone = mj_makeData(c.m), *d = mj_makeData(c.m);
  mjThreadPool* pool = mju_threadPoolCreate((size_t)nthread);
  mju_bindThreadPool(d, pool);
  pace one = {0}, many = {0};
  compare(&c, &one, alone, false, &many, d);
  char how[32];
  snprintf(how, sizeof(how), "%d threads", nthread);
  printRow("threads", s->name, how, &many, one.seconds);
  expectHash("threads", s, many.hash, one.hash);
  mj_deleteData(alone);
  mj_deleteData(d);
  mju_threadPoolDestroy(pool);
  freeCourse(&c);
}


// seconds of all worlds for one block, and the hash of where they end
static double runWorlds(const course* c, cfBatch* batch, uint64_t* hash) {
  if (!cf_batchSetState(batch, mjSTATE_INTEGRATION, NULL, WORLDS, c->state)) {
    stop("lanes", cf_batchError(batch));
  }
  const double start = secondsNow();
  if (!cf_batchStep(batch, c->nstep)) {
    stop("lanes", cf_batchError(batch));
  }
  const double seconds = secondsNow() - start;
  const int nq = (int)c->m->nq, nv = (int)c->m->nv;
  mjtNum* x = (mjtNum*)malloc(sizeof(mjtNum) * (size_t)(nq + nv));
  *hash = 0;
  for (int w = 0; w < WORLDS; w++) {
    mjtNum* v = x + nq;
    cf_batchGetState(batch, mjSTATE_QPOS, &w, 1, x);
    cf_batchGetState(batch, mjSTATE_QVEL, &w, 1, v);
    *hash = hashNumbers(hashNumbers(*hash, x, nq), v, nv);
  }
  free(x);
  return seconds;
}


static void benchLanes(const scene* s) {
  course c = makeCourse(s, WORLDS);
  mjData *d = mj_makeData(c.m), *other = reference.makeData(c.other);
  pace ours = {0}, theirs = {0};
  compare(&c, &theirs, other, true, &ours, d);
  char error[500] = "", how[32];
  cfBatchOptions options;
  cf_defaultBatchOptions(&options);
  options.nthread = 1;
  cfBatch* batch = cf_makeBatch(c.m, WORLDS, &options, error, sizeof(error));
  if (!batch) {
    stop(s->name, error);
  }
  pace worlds = ours;
  worlds.seconds = INFINITY;
  for (int round = 0; round < rounds; round++) {
    const double seconds = runWorlds(&c, batch, &worlds.hash) / (WORLDS * c.nstep);
    worlds.seconds = fmin(worlds.seconds, seconds);
  }
  snprintf(how, sizeof(how), "%d lanes", cf_batchLanes(batch));
  printRow("lanes", s->name, how, &worlds, theirs.seconds);
  expectHash("lanes", s, worlds.hash, ours.hash);
  cf_freeBatch(batch);
  mj_deleteData(d);
  reference.deleteData(other);
  freeCourse(&c);
}


static double loadOnce(const char* path, bool is_reference) {
  char error[500] = "";
  const double start = secondsNow();
  mjModel* m = (is_reference ? reference.loadXML : mj_loadXML)(path, NULL, error, sizeof(error));
  if (!m) {
    stop(path, error);
  }
  (is_reference ? reference.deleteModel : mj_deleteModel)(m);
  return secondsNow() - start;
}


static void benchLoad(const scene* s) {
  pace ours = {.seconds = INFINITY};
  double theirs = INFINITY;
  for (int k = 0; k < 6 * rounds; k++) {
    theirs = fmin(theirs, loadOnce(s->path, true));
    ours.seconds = fmin(ours.seconds, loadOnce(s->path, false));
  }
  printRow("loading", s->name, "1 thread", &ours, theirs);
}


static void loadReference(const char* path) {
  void* handle = dlmopen(LM_ID_NEWLM, path, RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    stop(path, dlerror());
  }
  struct {
    const char* name;
    void* function;
  } const wanted[] = {{"mj_loadXML", &reference.loadXML},
                      {"mj_loadModel", &reference.loadModel},
                      {"mj_deleteModel", &reference.deleteModel},
                      {"mj_makeData", &reference.makeData},
                      {"mj_deleteData", &reference.deleteData},
                      {"mj_setState", &reference.setState},
                      {"mj_step", &reference.step}};
  for (size_t k = 0; k < sizeof(wanted) / sizeof(*wanted); k++) {
    void* symbol = dlsym(handle, wanted[k].name);
    if (!symbol) {
      stop(path, wanted[k].name);
    }
    memcpy(wanted[k].function, &symbol, sizeof(symbol));
  }
}


int main(int argc, char** argv) {
  for (int o; (o = getopt(argc, argv, "r:o:")) != -1;) {
    if (o == 'r') {
      rounds = mjMAX(1, atoi(optarg));
    } else if (o == 'o') {
      csv = fopen(optarg, "w");
    } else {
      return 2;
    }
  }
  if (optind != argc - 1) {
    fprintf(stderr, "usage: table [-r ROUNDS] [-o FILE.csv] REFERENCE.so\n");
    return 2;
  }
  loadReference(argv[optind]);
  printHead();
  for (int k = 0; k < CORE_SCENES; k++) {
    benchCore(core_scenes + k);
  }
  for (int k = 0; k < THREAD_SCENES; k++) {
    benchThreads(core_scenes + k, 2);
  }
  for (int k = 0; k < LANE_SCENES; k++) {
    benchLanes(lane_scenes + k);
  }
  for (int k = 0; k < CORE_SCENES; k++) {
    if (core_scenes[k].count == 1) {
      benchLoad(core_scenes + k);
    }
  }
  if (csv) {
    fclose(csv);
  }
  return nwrong > 0;
}
