// Classical Runge-Kutta of order 4.  Every stage starts from the state at the beginning of the
// step:
//   stage:      1     2     3     4
//   at time     0    h/2   h/2    h     reached with the derivatives of the stage before
//   weight     1/6   1/3   1/3   1/6
#include <string.h>

#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "base/likely.h"
#include "pipeline/advance.h"

enum { NSTAGE = 4 };
static const mjtNum kReach[NSTAGE] = {0, 0.5, 0.5, 1};
static const mjtNum kWeight[NSTAGE] = {1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0};

// state at the beginning of the step, and derivatives: dq is a velocity, dv an acceleration
typedef struct {
  mjtNum time, *qpos, *qvel, *act;
} cfState;

typedef struct {
  mjtNum *dq, *dv, *da;
} cfRate;


// memcpy that may be given NULL for nothing
static void copyNum(mjtNum* res, const mjtNum* vec, mjtSize n) {
  CF_ASSERT(n >= 0);
  if (n > 0) {
    memcpy(res, vec, sizeof(mjtNum) * n);
  }
}


static void saveState(cfState* s, const mjModel* m, mjData* d) {
  s->time = d->time;
  s->qpos = mj_stackAllocNum(d, m->nq);
  s->qvel = mj_stackAllocNum(d, m->nv);
  s->act = mj_stackAllocNum(d, m->na);
  copyNum(s->qpos, d->qpos, m->nq);
  copyNum(s->qvel, d->qvel, m->nv);
  copyNum(s->act, d->act, m->na);
}


static void restoreState(const cfState* s, const mjModel* m, mjData* d) {
  d->time = s->time;
  copyNum(d->qpos, s->qpos, m->nq);
  copyNum(d->qvel, s->qvel, m->nv);
  copyNum(d->act, s->act, m->na);
}


static cfRate allocRate(const mjModel* m, mjData* d) {
  const cfRate rate = {mj_stackAllocNum(d, m->nv), mj_stackAllocNum(d, m->nv),
                       mj_stackAllocNum(d, m->na)};
  for (int i = 0; i < m->nv; i++) {
    rate.dq[i] = rate.dv[i] = 0;
  }
  for (int i = 0; i < m->na; i++) {
    rate.da[i] = 0;
  }
  return rate;
}


// sum += weight * (derivatives that mj_forward has left in d)
static void addRate(cfRate sum, const mjModel* m, const mjData* d, mjtNum weight) {
  CF_ASSERT(weight > 0);
  for (int i = 0; i < m->nv; i++) {
    sum.dq[i] += weight * d->qvel[i];
    sum.dv[i] += weight * d->qacc[i];
  }
  for (int i = 0; i < m->na; i++) {
    sum.da[i] += weight * d->act_dot[i];
  }
}


// state = start + dt*(derivatives in d); positions last, since they need the velocity of this stage
static void moveState(const cfState* start, const mjModel* m, mjData* d, mjtNum dt) {
  copyNum(d->qpos, start->qpos, m->nq);
  mj_integratePos(m, d->qpos, d->qvel, dt);
  for (int i = 0; i < m->nv; i++) {
    d->qvel[i] = start->qvel[i] + dt * d->qacc[i];
  }
  for (int i = 0; i < m->na; i++) {
    d->act[i] = start->act[i] + dt * d->act_dot[i];
  }
  d->time = start->time + dt;
}


// actuators that are too stiff for stages of this length act implicitly in each of them
static void slowStage(const mjModel* m, mjData* d) {
  if (CF_SELDOM(cfi_mayHaveStiffGains(m))) {
    cfi_slowStiffGains(m, d, d->qacc, d->qLD, d->qLDiagInv, cfi_awakeDofs(m, d));
  }
}


// exchange accelerations and forces of bodies with those that were put aside
static void swapReactions(const mjModel* m, mjData* d, mjtNum* aside) {
  mjtNum* const own[] = {d->cacc, d->cfrc_int, d->cfrc_ext};
  const int n = 6 * (int)m->nbody;
  for (int k = 0; k < 3; k++) {
    for (int i = 0; i < n; i++) {
      const mjtNum x = own[k][i];
      own[k][i] = aside[n * k + i];
      aside[n * k + i] = x;
    }
  }
}


// Reactions of a stage, put aside until the state has moved: delayed sensors enter what they
// find, or compute, at the end of every step, and that stays what it is without reactions.
static mjtNum* reactAside(const mjModel* m, mjData* d) {
  const int n = 6 * (int)m->nbody, flag = d->flg_rnepost;
  mjtNum* aside = mj_stackAllocNum(d, 3 * (size_t)n);
  copyNum(aside, d->cacc, n);
  copyNum(aside + n, d->cfrc_int, n);
  copyNum(aside + 2 * n, d->cfrc_ext, n);
  mj_rnePostConstraint(m, d);
  swapReactions(m, d, aside);
  d->flg_rnepost = (mjtByte)flag;
  return aside;
}


// reads: what mj_forward computed at the current state.  writes: the state, one timestep later.
static void takeStep(const mjModel* m, mjData* d, cfReacts reacts) {
  const mjtNum h = m->opt.timestep;
  cfState start;
  mj_markStack(d);
  saveState(&start, m, d);
  const cfRate mean = allocRate(m, d);
  // sensors that have asked for those of the first stage keep them
  const bool has_first = reacts == REACTS_FIRST && !d->flg_rnepost;
  mjtNum* reactions = has_first ? reactAside(m, d) : NULL;

  slowStage(m, d);
  addRate(mean, m, d, kWeight[0]);
  for (int k = 1; k < NSTAGE; k++) {
    moveState(&start, m, d, kReach[k] * h);
    if (k < NSTAGE - 1) {
      cfi_forwardInner(m, d);
    } else {
      mj_forwardSkip(m, d, mjSTAGE_NONE, /*skipsensor=*/1);
      if (reacts == REACTS_LAST) {
        reactions = reactAside(m, d);
      }
    }
    slowStage(m, d);
    addRate(mean, m, d, kWeight[k]);
  }

  restoreState(&start, m, d);
  cfi_advance(m, d, mean.da, mean.dv, mean.dq);
  if (reactions) {
    swapReactions(m, d, reactions);
    d->flg_rnepost = 1;
  }
  mj_freeStack(d);
}


void mj_RungeKutta(const mjModel* m, mjData* d, int N) {
  if (N != NSTAGE) {
    mju_error("Runge-Kutta of order %d: only order 4 is supported", N);
    return;
  }
  takeStep(m, d, REACTS_NOT);
}


void cfi_rungeKuttaReacting(const mjModel* m, mjData* d, cfReacts reacts) {
  takeStep(m, d, reacts);
}
