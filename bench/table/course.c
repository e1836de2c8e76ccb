// Courses: a model in both libraries, states along a run, and blocks of steps from them.
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "table.h"

referenceLibrary reference;


double secondsNow(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}


uint64_t hashNumbers(uint64_t hash, const mjtNum* x, int n) {
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


// controls near those of the keyframe, else near the middle of their range; a function of step and
// actuator alone
static void setControls(const mjModel* m, mjData* d, int step, const mjtNum* key) {
  for (int u = 0; u < m->nu; u++) {
    const bool has_range = m->actuator_ctrllimited[u];
    const mjtNum low = has_range ? m->actuator_ctrlrange[2 * u] : -1;
    const mjtNum high = has_range ? m->actuator_ctrlrange[2 * u + 1] : 1;
    const mjtNum middle = key ? key[u] : 0.5 * (low + high), part = key ? 0.5 : 0;
    d->ctrl[u] = middle + 0.05 * (high - low) * (mju_Halton(step + 7 * u + 1, 2) - part);
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


// Steps between two states of a file's run: at most 0.15 s.
static int stepsBetween(const mjModel* m) {
  return (int)fmax(5, fmin(STEPS_BETWEEN, 0.15 / m->opt.timestep));
}


// Steps per block of a file, fewer for large models.
static int stepsPerBlock(const mjModel* m) {
  const int size = (int)(m->nv + m->ngeom + m->nflexvert);
  return size < 30 ? 100 : size > 1500 ? 2 : 3000 / size;
}


course makeCourse(const scene* s, int count) {
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
  c.nstep = s->nstep ? s->nstep : stepsPerBlock(c.m);
  c.nstate = mj_stateSize(c.m, mjSTATE_INTEGRATION);
  c.state = (mjtNum*)malloc(sizeof(mjtNum) * (size_t)count * (size_t)c.nstate);
  const bool has_key = s->is_file && c.m->nkey > 0;
  const int between = s->is_file ? stepsBetween(c.m) : STEPS_BETWEEN;
  if (has_key) {
    mj_resetDataKeyframe(c.m, d, 0);
  }
  for (int k = 0; k < STATES * between; k++) {
    setControls(c.m, d, k, has_key ? c.m->key_ctrl : NULL);
    mj_step(c.m, d);
    if ((k + 1) % between == 0) {
      mj_getState(c.m, d, c.state + (size_t)(k / between) * c.nstate, mjSTATE_INTEGRATION);
    }
  }
  addDisturbed(&c, d);
  mj_deleteData(d);
  return c;
}


void freeCourse(course* c) {
  mj_deleteModel(c->m);
  reference.deleteModel(c->other);
  free(c->state);
}


// ---------------------------------------- blocks

// steps from one state; what they had to do is added where it is asked for
static double runBlock(const course* c, mjData* d, int state, bool is_reference, pace* work,
                       stepTimes* times) {
  const mjModel* m = is_reference ? c->other : c->m;
  const mjtNum* from = c->state + (size_t)state * c->nstate;
  (is_reference ? reference.setState : mj_setState)(m, d, from, mjSTATE_INTEGRATION);
  double seconds = 0;
  for (int k = 0; k < c->nstep; k++) {
    const double start = secondsNow();
    (is_reference ? reference.step : mj_step)(m, d);
    const double one = secondsNow() - start;
    seconds += one;
    if (times && times->n < times->most) {
      times->step[times->n++] = one;
    }
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
void compare(const course* c, pace* one, mjData* d_one, bool one_is_reference, pace* two,
             mjData* d_two, stepTimes times[2]) {
  double best[2][WORLDS];
  for (int round = 0; round < table.rounds; round++) {
    for (int k = 0; k < c->count; k++) {
      for (int turn = 0; turn < 2; turn++) {
        const bool is_one = (turn + round) % 2;
        pace* work = round ? NULL : is_one ? one : two;
        const double seconds = runBlock(c, is_one ? d_one : d_two, k, is_one && one_is_reference,
                                        work, times ? times + !is_one : NULL);
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


void loadReference(const char* path) {
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
                      {"mj_step", &reference.step},
                      {"mju_user_error", &reference.onError},
                      {"mju_user_warning", &reference.onWarning}};
  for (size_t k = 0; k < sizeof(wanted) / sizeof(*wanted); k++) {
    void* symbol = dlsym(handle, wanted[k].name);
    if (!symbol) {
      stop(path, wanted[k].name);
    }
    memcpy(wanted[k].function, &symbol, sizeof(symbol));
  }
}
