// Steps of models of a folder against MuJoCo 3.5.0: each step starts from the reference's state,
// and everything that the tables compare is compared after it.
#ifndef CF_CONFORMANCE_STEPS_H
#define CF_CONFORMANCE_STEPS_H

#include "cf_test.h"

#include <dirent.h>
#include <stdbool.h>

#include "cf_twins.h"

// options of a run, and how many of its steps are compared: the first and the last half, with
// `skipped` steps of the reference alone between them
typedef struct {
  int integrator, solver, cone, jacobian;
  int disable, enable;
  int compared, skipped;
} stepsRun;


static inline cfTwins openRun(const char* path, stepsRun run) {
  mjModel* m = cf_readReference(path);
  CF_TRUE(m);
  m->opt.integrator = run.integrator;
  m->opt.solver = run.solver;
  m->opt.cone = run.cone;
  if (run.solver == mjSOL_CG) {
    // what rounding does to many steps along conjugate directions is not specified
    m->opt.iterations = 5;
  }
  m->opt.jacobian = run.jacobian;
  m->opt.disableflags |= run.disable;
  m->opt.enableflags |= run.enable | mjENBL_ENERGY;
  const cfTwins t = cf_makeTwins(m);
  CF_TRUE(t.m);
  return t;
}


static inline void failStep(const char* path, stepsRun run, int step, cfDifference worst) {
  CF_FAIL(
      "%s: integrator %d solver %d cone %d jacobian %d disable %d enable %d step %d: %s%s%s "
      "differs by %g\n",
      path, run.integrator, run.solver, run.cone, run.jacobian, run.disable, run.enable, step,
      worst.part, worst.part[0] ? "." : "", worst.field, worst.error);
}


// rounding goes far along conjugate directions: ten times what a state moved by 1e-13 changes is
// allowed there, as the yardstick allows it everywhere
static inline double toleranceOfStep(cfTwins t, stepsRun run, const mjtNum* state) {
  if (run.solver != mjSOL_CG) {
    return CF_TOLERANCE_STEP;
  }
  mjData* moved = mj_makeData(t.m);
  mj_setState(t.m, moved, state, mjSTATE_INTEGRATION);
  for (int i = 0; i < t.m->nv; i++) {
    moved->qvel[i] += 1e-13 * sin(1.0 + i);
  }
  mj_step(t.m, moved);
  const double noise = cf_worstWritten(t.m, moved, t.d, UINT64_MAX).error;
  mj_deleteData(moved);
  return isfinite(noise) ? fmax(CF_TOLERANCE_STEP, 10 * noise) : CF_TOLERANCE_STEP;
}


static inline void compareSteps(const char* path, stepsRun run) {
  const cfTwins t = openRun(path, run);
  mjtNum* state = malloc(sizeof(mjtNum) * (size_t)mj_stateSize(t.m, mjSTATE_INTEGRATION));
  for (int i = 0; i < t.m->nv; i++) {
    t.ref_d->qvel[i] = 0.3 * sin(3.0 * i);
  }
  for (int k = 0; k < run.compared + run.skipped; k++) {
    for (int u = 0; u < t.m->nu; u++) {
      t.ref_d->ctrl[u] = sin(0.7 * k + u);
    }
    if (k >= run.compared / 2 && k < run.compared / 2 + run.skipped) {
      CF_REF(mj_step)(t.ref_m, t.ref_d);
      continue;
    }
    CF_REF(mj_getState)(t.ref_m, t.ref_d, state, mjSTATE_INTEGRATION);
    cf_stepTwins(t);
    const cfDifference worst = cf_worstTwin(t);
    if (!(worst.error <= CF_TOLERANCE_STEP) && !(worst.error <= toleranceOfStep(t, run, state))) {
      failStep(path, run, k, worst);
    }
  }
  free(state);
  cf_freeTwins(t);
}


// all models of a folder of tests/data, or those whose name contains CF_ONLY; returns their number
static inline int compareFolder(const char* name, stepsRun run) {
  const char* only = getenv("CF_ONLY");
  char folder[300], path[600];
  snprintf(folder, sizeof(folder), CF_SOURCE_DIR "/tests/data/%.50s", name);
  DIR* dir = opendir(folder);
  CF_TRUE(dir);
  int compared = 0;
  for (struct dirent* entry; (entry = readdir(dir));) {
    const char* extension = strrchr(entry->d_name, '.');
    if (extension && !strcmp(extension, ".xml") && (!only || strstr(entry->d_name, only))) {
      snprintf(path, sizeof(path), "%s/%.200s", folder, entry->d_name);
      compareSteps(path, run);
      compared++;
    }
  }
  closedir(dir);
  return compared;
}

#endif  // CF_CONFORMANCE_STEPS_H
