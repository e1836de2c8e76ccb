// Steps without contacts against MuJoCo 3.5.0: the models of tests/data/smooth with every
// integrator, dense and sparse rows.  Each step starts from the reference's state; every real array
// of mjData is compared.
#include "cf_test.h"

#include <dirent.h>
#include <stdbool.h>

#include <mujoco/mjxmacro.h>
#include <mujoco/mujoco.h>

#include "cf_reference.h"

enum { NSTEP = 15 };
static const double kTolerance = 1e-9;

// one model in both libraries
typedef struct {
  mjModel *ref_m, *m;
  mjData *ref_d, *d;
} cfTwins;


static cfTwins openTwins(const char* path, int integrator, int jacobian) {
  char error[500] = "";
  cfTwins t;
  t.ref_m = CF_REF(mj_loadXML)(path, NULL, error, sizeof(error));
  if (!t.ref_m) {
    CF_FAIL("%s: %s\n", path, error);
  }
  t.ref_m->opt.integrator = integrator;
  t.ref_m->opt.jacobian = jacobian;
  t.ref_m->opt.enableflags |= mjENBL_ENERGY;

  const int size = (int)CF_REF(mj_sizeModel)(t.ref_m);
  void* buffer = malloc(size);
  CF_REF(mj_saveModel)(t.ref_m, NULL, buffer, size);
  t.m = mj_loadModelBuffer(buffer, size);
  free(buffer);
  CF_TRUE(t.m);
  t.ref_d = CF_REF(mj_makeData)(t.ref_m);
  t.d = mj_makeData(t.m);
  return t;
}


static void closeTwins(cfTwins t) {
  CF_REF(mj_deleteData)(t.ref_d);
  CF_REF(mj_deleteModel)(t.ref_m);
  mj_deleteData(t.d);
  mj_deleteModel(t.m);
}


// largest difference of two arrays relative to their largest number
static double arrayError(const mjtNum* a, const mjtNum* b, long n) {
  double scale = 1e-6, error = 0;
  for (long i = 0; i < n; i++) {
    const double gap = fabs(a[i] - b[i]);
    scale = fmax(scale, fabs(a[i]));
    error = gap <= error ? error : isnan(gap) ? INFINITY : gap;
  }
  return error / scale;
}


// actuator_moment is left out: which rounding-level entries its rows store is not specified
static void compareTwins(cfTwins t, const char* path) {
  const mjModel* m = t.m;
  MJDATA_POINTERS_PREAMBLE(m)
#define X(type, name, nr, nc)                                                      \
  if (!strcmp(#type, "mjtNum") && strcmp(#name, "actuator_moment")) {              \
    const double error = arrayError((const mjtNum*)(const void*)t.ref_d->name,     \
                                    (const mjtNum*)(const void*)t.d->name,         \
                                    sizeof(type) == 8 ? (long)(m->nr) * (nc) : 0); \
    if (!(error <= kTolerance)) {                                                  \
      CF_FAIL("%s: %s differs by %g\n", path, #name, error);                       \
    }                                                                              \
  }
  MJDATA_POINTERS
#undef X
}


static void runTwins(const char* path, int integrator, int jacobian) {
  cfTwins t = openTwins(path, integrator, jacobian);
  const int size = mj_stateSize(t.m, mjSTATE_INTEGRATION);
  mjtNum* state = malloc(sizeof(mjtNum) * size);
  for (int i = 0; i < t.m->nv; i++) {
    t.ref_d->qvel[i] = 0.3 * sin(3.0 * i);
  }
  for (int k = 0; k < NSTEP; k++) {
    for (int u = 0; u < t.m->nu; u++) {
      t.ref_d->ctrl[u] = sin(0.7 * k + u);
    }
    CF_REF(mj_getState)(t.ref_m, t.ref_d, state, mjSTATE_INTEGRATION);
    mj_setState(t.m, t.d, state, mjSTATE_INTEGRATION);
    CF_REF(mj_step)(t.ref_m, t.ref_d);
    mj_step(t.m, t.d);
    compareTwins(t, path);
  }
  free(state);
  closeTwins(t);
}


CF_TEST(step__models_without_contacts__equal_reference) {
  CF_NEED_REFERENCE();
  const char* folder = CF_SOURCE_DIR "/tests/data/smooth";
  DIR* dir = opendir(folder);
  CF_TRUE(dir);
  int compared = 0;
  for (struct dirent* entry; (entry = readdir(dir));) {
    const char* extension = strrchr(entry->d_name, '.');
    if (!extension || strcmp(extension, ".xml")) {
      continue;
    }
    char path[500];
    snprintf(path, sizeof(path), "%s/%.200s", folder, entry->d_name);
    for (int integrator = mjINT_EULER; integrator <= mjINT_IMPLICITFAST; integrator++) {
      runTwins(path, integrator, mjJAC_DENSE);
      runTwins(path, integrator, mjJAC_SPARSE);
    }
    compared++;
  }
  closedir(dir);
  CF_TRUE(compared >= 8);
}


CF_TEST_MAIN("conformance/smooth")
