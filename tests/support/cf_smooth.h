// Models of tests/data/smooth, random states of them, and the position and velocity stages without
// contacts and constraints.
#ifndef CF_SMOOTH_H
#define CF_SMOOTH_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mujoco/mujoco.h>

typedef struct {
  mjModel* m;
  mjData* d;
} cfCase;


static inline cfCase cf_openCase(const char* name) {
  char path[500];
  snprintf(path, sizeof(path), "%s/tests/data/smooth/%s.mjb", CF_SOURCE_DIR, name);
  mjModel* m = mj_loadModel(path, NULL);
  if (!m) {
    printf("cannot load %s\n", path);
    exit(1);
  }
  return (cfCase){m, mj_makeData(m)};
}


static inline void cf_closeCase(cfCase c) {
  mj_deleteData(c.d);
  mj_deleteModel(c.m);
}


// reproducible numbers in [-1, 1)
static inline mjtNum cf_random(unsigned* seed) {
  *seed = *seed * 1664525u + 1013904223u;
  return (*seed >> 8) / 8388608.0 - 1;
}


// positions somewhere around the reference, velocities and mocap poses
static inline void cf_randomState(cfCase c, unsigned seed) {
  mj_resetData(c.m, c.d);
  for (int i = 0; i < c.m->nv; i++) {
    c.d->qvel[i] = cf_random(&seed);
  }
  mj_integratePos(c.m, c.d->qpos, c.d->qvel, 0.8);
  for (int i = 0; i < c.m->nv; i++) {
    c.d->qvel[i] = cf_random(&seed);
    c.d->qacc[i] = cf_random(&seed);
  }
  for (int i = 0; i < 4 * c.m->nmocap; i++) {
    c.d->mocap_quat[i] = cf_random(&seed);
  }
}


static inline void cf_runPosition(cfCase c) {
  mj_fwdKinematics(c.m, c.d);
  mj_makeM(c.m, c.d);
  mj_factorM(c.m, c.d);
  mj_transmission(c.m, c.d);
}


static inline void cf_runVelocity(cfCase c) {
  cf_runPosition(c);
  mj_comVel(c.m, c.d);
}


// copy of qpos moved by eps along dof i, for finite differences; the caller restores
static inline void cf_nudge(cfCase c, const mjtNum* qpos, int dof, mjtNum eps) {
  mjtNum* v = calloc(c.m->nv + 1, sizeof(mjtNum));
  v[dof] = 1;
  memcpy(c.d->qpos, qpos, sizeof(mjtNum) * c.m->nq);
  mj_integratePos(c.m, c.d->qpos, v, eps);
  free(v);
}

#endif  // CF_SMOOTH_H
