// Time of a frame without a screen against the reference library, both in one process.
//
//   frames [-n PAIRS] [-s WIDTHxHEIGHT] [-o ours|theirs] REFERENCE.so OURS.so MODEL.xml
//
// A frame is mjv_updateScene, mjr_render and mjr_readPixels of colors and depth.  Both libraries
// have a context of their own with the same driver and draw the same states of one trajectory in
// turns (ABBA).  What counts is processor time, that of the driver's threads included; the median
// of the ratios over the pairs, reference / ours, above 1 means ours is faster.  Wall time is told,
// too. -o draws with one library alone, for tools that count instructions.  Exit code 1 if ours is
// slower by more than 2 %.
//
// Fewer threads make the figures steadier: LP_NUM_THREADS=0 (llvmpipe), MUJOCO_GL=egl or osmesa.
#include <dlfcn.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <mujoco/mujoco.h>

#include "../cli/offscreen.h"

enum { MOST_PAIRS = 2000, WARM_UP = 3 };

// one library, its model and its context
typedef struct {
  const char* name;
  void* handle;
  cliOffscreen gl;
  mjModel* m;
  mjData* d;
  mjvScene scn;
  mjvOption option;
  mjvCamera camera;
  mjrContext con;
  __typeof__(mjv_updateScene)* update;
  __typeof__(mjr_render)* render;
  __typeof__(mjr_readPixels)* read;
  double processor, wall;  // of the last frame [s]
} painter;

static struct {
  int pairs, width, height;
  const char* only;
  unsigned char* rgb;
  float* depth;
} plan = {60, 640, 480, NULL, NULL, NULL};

static double ratios[MOST_PAIRS], wall_ratios[MOST_PAIRS];


static double clockOf(clockid_t id) {
  struct timespec t;
  clock_gettime(id, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}


static void* symbol(const painter* p, const char* name) {
  void* found = dlsym(p->handle, name);
  if (!found) {
    fprintf(stderr, "frames: %s\n", dlerror());
    exit(3);
  }
  return found;
}

// a function of a library through its own type
#define CALL(p, function) ((__typeof__(function)*)(size_t)symbol(p, #function))


static void openPainter(painter* p, const char* library, const char* model) {
  char error[1000] = "", why[256];
  p->handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (!p->handle) {
    fprintf(stderr, "frames: %s\n", dlerror());
    exit(3);
  }
  p->m = CALL(p, mj_loadXML)(model, NULL, error, sizeof(error));
  if (!p->m) {
    fprintf(stderr, "frames: %s: %s\n", model, error);
    exit(1);
  }
  if (!cli_openOffscreen(&p->gl, 0, 0, why)) {
    fprintf(stderr, "frames: %s\n", why);
    exit(77);
  }
  p->update = CALL(p, mjv_updateScene);
  p->render = CALL(p, mjr_render);
  p->read = CALL(p, mjr_readPixels);
  p->d = CALL(p, mj_makeData)(p->m);
  CALL(p, mjv_defaultOption)(&p->option);
  CALL(p, mjv_defaultFreeCamera)(p->m, &p->camera);
  CALL(p, mjv_makeScene)(p->m, &p->scn, 10000);
  CALL(p, mjr_makeContext)(p->m, &p->con, 150);
  CALL(p, mjr_resizeOffscreen)(plan.width, plan.height, &p->con);
  CALL(p, mjr_setBuffer)(mjFB_OFFSCREEN, &p->con);
}


// what is measured; reading the pixels waits for the driver
__attribute__((noinline)) static void drawFrame(painter* p) {
  const mjrRect all = {0, 0, plan.width, plan.height};
  p->update(p->m, p->d, &p->option, NULL, &p->camera, mjCAT_ALL, &p->scn);
  p->render(all, &p->scn, &p->con);
  p->read(plan.rgb, plan.depth, all, &p->con);
}


// one frame of a state
static void paint(painter* p, const mjtNum* qpos) {
  memcpy(p->d->qpos, qpos, (size_t)p->m->nq * sizeof(mjtNum));
  CALL(p, mj_forward)(p->m, p->d);
  cli_useOffscreen(&p->gl);
  const double wall = clockOf(CLOCK_MONOTONIC), start = clockOf(CLOCK_PROCESS_CPUTIME_ID);
  drawFrame(p);
  p->processor = clockOf(CLOCK_PROCESS_CPUTIME_ID) - start;
  p->wall = clockOf(CLOCK_MONOTONIC) - wall;
}


static int byValue(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}


static double quantile(double* x, int n, double part) {
  qsort(x, (size_t)n, sizeof(double), byValue);
  return x[(int)fmin(n - 1, floor(part * n))];
}


static int race(painter* theirs, painter* ours, painter* source) {
  double sum[2] = {0, 0};
  for (int k = -WARM_UP; k < plan.pairs; k++) {
    painter* const order[2] = {k % 2 ? theirs : ours, k % 2 ? ours : theirs};
    for (int step = 0; step < 5; step++) {
      CALL(source, mj_step)(source->m, source->d);
    }
    mjtNum* qpos = malloc((size_t)source->m->nq * sizeof(mjtNum));
    memcpy(qpos, source->d->qpos, (size_t)source->m->nq * sizeof(mjtNum));
    for (int side = 0; side < 2; side++) {
      if (!plan.only || !strcmp(plan.only, order[side]->name)) {
        paint(order[side], qpos);
      }
    }
    free(qpos);
    if (k >= 0 && !plan.only) {
      ratios[k] = theirs->processor / ours->processor;
      wall_ratios[k] = theirs->wall / ours->wall;
      sum[0] += theirs->processor;
      sum[1] += ours->processor;
    }
  }
  if (plan.only) {
    return 0;
  }
  const double low = quantile(ratios, plan.pairs, 0.25), high = quantile(ratios, plan.pairs, 0.75);
  const double median = quantile(ratios, plan.pairs, 0.5);
  printf(
      "processor time of MuJoCo over ours: median %.3f (quartiles %.3f to %.3f), sums %.3f; wall %.3f; "
      "%.2f against %.2f ms a frame\n",
      median, low, high, sum[0] / sum[1], quantile(wall_ratios, plan.pairs, 0.5),
      1e3 * sum[0] / plan.pairs, 1e3 * sum[1] / plan.pairs);
  return median < 0.98;
}


int main(int argc, char** argv) {
  static painter theirs = {.name = "theirs"}, ours = {.name = "ours"}, source = {.name = "source"};
  for (int option; (option = getopt(argc, argv, "n:s:o:")) != -1;) {
    plan.pairs = option == 'n' ? atoi(optarg) : plan.pairs;
    plan.only = option == 'o' ? optarg : plan.only;
    if (option == '?' ||
        (option == 's' && sscanf(optarg, "%dx%d", &plan.width, &plan.height) != 2)) {
      return 2;
    }
  }
  if (argc - optind != 3 || plan.pairs < 1 || plan.pairs > MOST_PAIRS) {
    fprintf(
        stderr,
        "frames [-n PAIRS] [-s WIDTHxHEIGHT] [-o ours|theirs] REFERENCE.so OURS.so MODEL.xml\n");
    return 2;
  }
  plan.rgb = malloc((size_t)plan.width * (size_t)plan.height * 3);
  plan.depth = malloc((size_t)plan.width * (size_t)plan.height * sizeof(float));
  openPainter(&theirs, argv[optind], argv[optind + 2]);
  openPainter(&ours, argv[optind + 1], argv[optind + 2]);
  source = ours;
  source.d = CALL(&ours, mj_makeData)(ours.m);
  return race(&theirs, &ours, &source);
}
