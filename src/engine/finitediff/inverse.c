// Derivatives of inverse dynamics by forward differences: force = f(qpos, qvel, qacc), with sensors
// and inertia.
#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "finitediff/difference.h"

// results at the center, and what is wanted of each nudged run
typedef struct {
  const mjModel* m;
  mjData* d;
  mjtNum eps;
  bool has_sensors, subtracts_actuation;
  mjtNum *force, *nudged, *sensor, *mass;
} inverseFd;

// one row per nudged dof; NULL: not wanted
typedef struct {
  mjtNum *force, *sensor, *mass;
} inverseRows;


static void runInverse(const inverseFd* s, int skipstage, mjtNum* force) {
  CF_ASSERT(skipstage >= mjSTAGE_NONE && skipstage < mjSTAGE_ACC);
  mj_inverseSkip(s->m, s->d, skipstage, !s->has_sensors);
  mju_copy(force, s->d->qfrc_inverse, (int)s->m->nv);
  if (s->subtracts_actuation) {
    mj_fwdActuation(s->m, s->d);
    mju_subFrom(force, s->d->qfrc_actuator, (int)s->m->nv);
  }
}


static void writeDerivativeRow(const inverseFd* s, inverseRows rows, int i) {
  const mjModel* m = s->m;
  const size_t row = (size_t)i;
  if (rows.force) {
    cfi_difference(rows.force + row * (size_t)m->nv, s->force, s->nudged, s->eps, (int)m->nv);
  }
  if (rows.sensor) {
    cfi_difference(rows.sensor + row * (size_t)m->nsensordata, s->sensor, s->d->sensordata, s->eps,
                   (int)m->nsensordata);
  }
  if (rows.mass) {
    cfi_difference(rows.mass + row * (size_t)m->nM, s->mass, s->d->qM, s->eps, (int)m->nM);
  }
}


static bool isWanted(inverseRows rows) {
  return rows.force || rows.sensor || rows.mass;
}


// velocity or acceleration
static void differentiateVector(const inverseFd* s, mjtNum* vector, int skipstage,
                                inverseRows rows) {
  CF_ASSERT(vector == s->d->qacc || vector == s->d->qvel);
  for (int i = 0; isWanted(rows) && i < s->m->nv; i++) {
    const mjtNum saved = vector[i];
    vector[i] += s->eps;
    runInverse(s, skipstage, s->nudged);
    vector[i] = saved;
    writeDerivativeRow(s, rows, i);
  }
}


static void differentiatePosition(const inverseFd* s, inverseRows rows) {
  mj_markStack(s->d);
  mjtNum* saved = mj_stackAllocNum(s->d, (size_t)s->m->nq);
  mju_copy(saved, s->d->qpos, (int)s->m->nq);
  for (int i = 0; isWanted(rows) && i < s->m->nv; i++) {
    cfi_nudgePosition(s->m, s->d, i, s->eps);
    runInverse(s, mjSTAGE_NONE, s->nudged);
    mju_copy(s->d->qpos, saved, (int)s->m->nq);
    writeDerivativeRow(s, rows, i);
  }
  mj_freeStack(s->d);
}


void mjd_inverseFD(const mjModel* m, mjData* d, mjtNum eps, mjtByte flg_actuation, mjtNum* DfDq,
                   mjtNum* DfDv, mjtNum* DfDa, mjtNum* DsDq, mjtNum* DsDv, mjtNum* DsDa,
                   mjtNum* DmDq) {
  if (m->opt.integrator == mjINT_RK4) {
    mju_error("mjd_inverseFD: RK4 integrator is not supported");
    return;
  }
  if (m->opt.noslip_iterations) {
    mju_error("mjd_inverseFD: noslip solver is not supported");
    return;
  }
  inverseFd s = {.m = m,
                 .d = d,
                 .eps = eps,
                 .has_sensors = DsDq || DsDv || DsDa,
                 .subtracts_actuation = flg_actuation};
  mj_markStack(d);
  s.force = mj_stackAllocNum(d, (size_t)m->nv);
  s.nudged = mj_stackAllocNum(d, (size_t)m->nv);
  s.sensor = mj_stackAllocNum(d, (size_t)m->nsensordata + 1);
  s.mass = mj_stackAllocNum(d, (size_t)m->nM + 1);
  runInverse(&s, mjSTAGE_NONE, s.force);
  mju_copy(s.sensor, d->sensordata, (int)m->nsensordata);
  mju_copy(s.mass, d->qM, (int)m->nM);
  differentiateVector(&s, d->qacc, mjSTAGE_VEL, (inverseRows){DfDa, DsDa, NULL});
  differentiateVector(&s, d->qvel, mjSTAGE_POS, (inverseRows){DfDv, DsDv, NULL});
  differentiatePosition(&s, (inverseRows){DfDq, DsDq, DmDq});
  mj_freeStack(d);
}
