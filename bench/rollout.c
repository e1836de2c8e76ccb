// Rollouts of one model with random controls: cf_rollout, which takes lanes, and the loop that
// MuJoCo's rollout is (set the state, set controls, step, copy state and sensors). Built against
// either library, so that their counts of instructions stand side by side:
//
//   valgrind --tool=callgrind --toggle-collect=measured build/bench/rollout lanes MODEL.xml
//   ... loop MODEL.xml; the same program with LD_LIBRARY_PATH of MuJoCo's library takes "loop"
//   alone
//
// Prints processor time and a sum over all states, which is the same for both where the library is.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <mujoco/mujoco.h>

#include <cortenforge/rollout.h>

enum { NROLL = 64, NSTEP = 100, WARMUP = 100 };

typedef struct {
  const mjModel* m;
  mjData* d;
  int nstate;
  mjtNum *initial, *control, *state, *sensordata;
} scene;

// numbers in [-1, 1]
static mjtNum draw(unsigned* seed) {
  *seed = *seed * 1664525u + 1013904223u;
  return (mjtNum)(*seed >> 8) / (1 << 23) - 1;
}


void measured(const scene* s, int in_lanes);
__attribute__((noinline)) void measured(const scene* s, int in_lanes) {
  const mjModel* m = s->m;
  if (in_lanes) {
    int (*rollout)(const mjModel*, mjData* const*, int, mjThreadPool*, const cfRollout*);
    *(void**)&rollout = dlsym(RTLD_DEFAULT, "cf_rollout");
    const cfRollout all = {.nroll = NROLL,
                           .nstep = NSTEP,
                           .initial_state = s->initial,
                           .control = s->control,
                           .state = s->state,
                           .sensordata = s->sensordata};
    if (!rollout || rollout(m, &s->d, 1, NULL, &all) < 0) {
      fprintf(stderr, "rollout: this library has no cf_rollout\n");
      exit(1);
    }
    return;
  }
  for (int k = 0; k < NROLL; k++) {
    mj_resetData(m, s->d);
    mj_setState(m, s->d, s->initial + k * s->nstate, mjSTATE_FULLPHYSICS);
    for (int t = 0; t < NSTEP; t++) {
      const int row = k * NSTEP + t;
      mju_copy(s->d->ctrl, s->control + row * m->nu, (int)m->nu);
      mj_step(m, s->d);
      mj_getState(m, s->d, s->state + row * s->nstate, mjSTATE_FULLPHYSICS);
      mju_copy(s->sensordata + row * m->nsensordata, s->d->sensordata, (int)m->nsensordata);
    }
  }
}


// each rollout begins at another step of one run
static void fill(scene* s) {
  const mjModel* m = s->m;
  unsigned seed = 1;
  for (int k = 0; k < NROLL * NSTEP * (int)m->nu; k++) {
    s->control[k] = draw(&seed);
  }
  for (int k = 0; k < WARMUP; k++) {
    mj_step(m, s->d);
  }
  for (int k = 0; k < NROLL; k++) {
    for (int t = 0; t < 7; t++) {
      mj_step(m, s->d);
    }
    mj_getState(m, s->d, s->initial + k * s->nstate, mjSTATE_FULLPHYSICS);
  }
}


int main(int argc, char** argv) {
  char error[500] = "";
  mjModel* m = argc == 3 ? mj_loadXML(argv[2], NULL, error, sizeof(error)) : NULL;
  if (!m) {
    fprintf(stderr, "usage: rollout lanes|loop MODEL.xml\n%s\n", error);
    return 1;
  }
  scene s = {.m = m, .d = mj_makeData(m), .nstate = mj_stateSize(m, mjSTATE_FULLPHYSICS)};
  s.initial = calloc((size_t)(NROLL * s.nstate) + 1, sizeof(mjtNum));
  s.control = calloc((size_t)(NROLL * NSTEP * m->nu) + 1, sizeof(mjtNum));
  s.state = calloc((size_t)(NROLL * NSTEP * s.nstate) + 1, sizeof(mjtNum));
  s.sensordata = calloc((size_t)(NROLL * NSTEP * m->nsensordata) + 1, sizeof(mjtNum));
  fill(&s);
  const clock_t begin = clock();
  measured(&s, !strcmp(argv[1], "lanes"));
  const double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
  mjtNum sum = 0;
  for (int k = 0; k < NROLL * NSTEP * s.nstate; k++) {
    sum += s.state[k];
  }
  printf("%d rollouts of %d steps, %.2f us of processor time a step, sum of states %.17g\n", NROLL,
         NSTEP, seconds * 1e6 / (NROLL * NSTEP), sum);
  free(s.initial);
  free(s.control);
  free(s.state);
  free(s.sensordata);
  mj_deleteData(s.d);
  mj_deleteModel(m);
  return 0;
}
