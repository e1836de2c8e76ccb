// Scenes that must give the same bits again and again: models of models/, partly with other
// options, driven by reproducible controls.
#ifndef CF_SCENES_H
#define CF_SCENES_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cortenforge/cortenforge.h>

#include "math/libm.h"

typedef struct {
  const char *name, *file;
  int solver, cone;  // -1 as the model says
} cfDeterministic;

static const cfDeterministic cf_scenes[] = {
    {"humanoid", "humanoid", -1, -1},
    {"stack", "stack", -1, -1},
    {"chain", "chain", -1, -1},
    {"muscles", "muscles", -1, -1},
    {"car", "car", -1, -1},
    {"loops", "loops", -1, -1},
    {"terrain", "terrain", -1, -1},
    {"fluid", "fluid", -1, -1},
    {"sleepers", "sleepers", -1, -1},
    {"grasp", "grasp", -1, -1},
    {"humanoid_cg_elliptic", "humanoid", mjSOL_CG, mjCONE_ELLIPTIC},
    {"stack_cg", "stack", mjSOL_CG, mjCONE_PYRAMIDAL},
    {"terrain_pgs", "terrain", mjSOL_PGS, mjCONE_PYRAMIDAL},
    {"grasp_pgs", "grasp", mjSOL_PGS, mjCONE_ELLIPTIC},
};
enum { CF_NSCENE = sizeof(cf_scenes) / sizeof(cf_scenes[0]) };


// where the models are; on another machine than the one that built this, it is elsewhere
static const char* cf_modelFolder = CF_SOURCE_DIR "/models";


static inline mjModel* cf_loadScene(const cfDeterministic* scene) {
  char path[1000], error[1000] = "";
  snprintf(path, sizeof(path), "%s/%s.xml", cf_modelFolder, scene->file);
  mjModel* m = mj_loadXML(path, NULL, error, sizeof(error));
  if (!m) {
    fprintf(stderr, "cannot load %s: %s\n", path, error);
    exit(1);
  }
  m->opt.solver = scene->solver < 0 ? m->opt.solver : scene->solver;
  m->opt.cone = scene->cone < 0 ? m->opt.cone : scene->cone;
  return m;
}


// data at the first keyframe if there is one
static inline mjData* cf_startScene(const mjModel* m) {
  mjData* d = mj_makeData(m);
  if (m->nkey) {
    mj_resetDataKeyframe(m, d, 0);
  }
  return d;
}


// a number in [0, 1) for actuator i in step k, the same for ten steps
static inline mjtNum cf_noise(int i, int k) {
  uint32_t x = 2654435761u * (uint32_t)(k / 10 + 1) + 40503u * (uint32_t)(i + 1);
  x ^= x >> 15;
  x *= 2246822519u;
  x ^= x >> 13;
  return (x >> 8) / 16777216.0;
}


// steps first..last-1 of a scene
static inline void cf_stepScene(const mjModel* m, mjData* d, int first, int last) {
  for (int k = first; k < last; k++) {
    for (int i = 0; i < m->nu; i++) {
      const int limited = m->actuator_ctrllimited[i];
      const mjtNum low = limited ? m->actuator_ctrlrange[2 * i] : -1;
      const mjtNum high = limited ? m->actuator_ctrlrange[2 * i + 1] : 1;
      d->ctrl[i] = low + (high - low) * cf_noise(i, k);
    }
    mj_step(m, d);
  }
}


// Hash of what elementary functions return, to know whether golden hashes apply to this build:
// those of the system (CF_OWN_LIBM=OFF) differ from machine to machine.
static inline uint64_t cf_libmHash(void) {
  uint64_t hash = 1;
  for (int k = 0; k < 2000; k++) {
    const double x = 0.001 * k + 0.0137;
    const double value[] = {cfi_sin(x),      cfi_cos(x),        cfi_exp(x),
                            cfi_log(x),      cfi_atan2(x, 0.3), cfi_acos(0.0005 * k),
                            cfi_pow(x, 1.7), cfi_tan(x),        cfi_asin(0.0005 * k)};
    for (size_t i = 0; i < sizeof(value) / sizeof(value[0]); i++) {
      uint64_t word;
      memcpy(&word, value + i, sizeof(word));
      hash = (hash ^ word) * 0x100000001B3u;
    }
  }
  return hash;
}

#endif  // CF_SCENES_H
