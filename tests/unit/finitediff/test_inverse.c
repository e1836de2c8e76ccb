// mjd_inverseFD against differences taken here, each run from the beginning.
#include "rig.h"

enum { NS = 10 };

static const mjtNum eps = 1e-6;

// what inverse dynamics answers: force (without actuation where asked), sensors, inertia
typedef struct {
  mjtNum force[NV], sensor[NS], mass[NV * NV];
} cfAnswer;


static cfAnswer answer(cfRig r, bool minus_actuation) {
  cfAnswer a;
  mj_inverse(r.m, r.d);
  mju_copy(a.force, r.d->qfrc_inverse, NV);
  mju_copy(a.sensor, r.d->sensordata, NS);
  mju_copy(a.mass, r.d->qM, (int)r.m->nM);
  if (minus_actuation) {
    mj_fwdActuation(r.m, r.d);
    mju_subFrom(a.force, r.d->qfrc_actuator, NV);
  }
  return a;
}


static cfRig openMoving(void) {
  cfRig r = openRig();
  CF_EQ_INT(r.m->nsensordata, NS);
  mj_forward(r.m, r.d);
  CF_TRUE(r.d->ncon > 0 && r.d->ne > 0);
  for (int i = 0; i < NV; i++) {
    r.d->qacc[i] = 0.3 * (i % 4) - 0.5;
  }
  return r;
}


static void checkRow(const mjtNum* row, const mjtNum* from, const mjtNum* to, int n) {
  for (int k = 0; k < n; k++) {
    const mjtNum expected = (to[k] - from[k]) / eps;
    CF_NEAR(row[k], expected, 1e-6 * (1 + fabs(expected)));
  }
}


static void checkInverse(bool minus_actuation) {
  static mjtNum DfDq[NV * NV], DfDv[NV * NV], DfDa[NV * NV], DsDq[NV * NS], DsDv[NV * NS],
      DsDa[NV * NS], DmDq[NV * NV * NV];
  cfRig r = openMoving();
  mjd_inverseFD(r.m, r.d, eps, minus_actuation, DfDq, DfDv, DfDa, DsDq, DsDv, DsDa, DmDq);
  cfRig again = openMoving();
  const cfAnswer center = answer(again, minus_actuation);
  mjtNum qpos[NQ], largest[3] = {0};
  mju_copy(qpos, again.d->qpos, NQ);
  for (int i = 0; i < NV; i++) {
    mjtNum* vector[2] = {again.d->qacc, again.d->qvel};
    mjtNum *force[2] = {DfDa, DfDv}, *sensor[2] = {DsDa, DsDv};
    for (int k = 0; k < 2; k++) {
      const mjtNum saved = vector[k][i];
      vector[k][i] += eps;
      const cfAnswer moved = answer(again, minus_actuation);
      vector[k][i] = saved;
      checkRow(force[k] + i * NV, center.force, moved.force, NV);
      checkRow(sensor[k] + i * NS, center.sensor, moved.sensor, NS);
    }
    nudge(again, i, eps);
    const cfAnswer moved = answer(again, minus_actuation);
    mju_copy(again.d->qpos, qpos, NQ);
    checkRow(DfDq + i * NV, center.force, moved.force, NV);
    checkRow(DsDq + i * NS, center.sensor, moved.sensor, NS);
    checkRow(DmDq + i * r.m->nM, center.mass, moved.mass, (int)r.m->nM);
    largest[0] = mju_max(largest[0], mju_norm(DfDq + i * NV, NV));
    largest[1] = mju_max(largest[1], mju_norm(DsDq + i * NS, NS));
    largest[2] = mju_max(largest[2], mju_norm(DmDq + i * r.m->nM, (int)r.m->nM));
  }
  CF_TRUE(largest[0] > 1 && largest[1] > 0.1 && largest[2] > 0.01);

  // the state is given back
  CF_EQ_BYTES(r.d->qpos, again.d->qpos, sizeof(qpos));
  CF_EQ_BYTES(r.d->qvel, again.d->qvel, NV * sizeof(mjtNum));
  CF_EQ_BYTES(r.d->qacc, again.d->qacc, NV * sizeof(mjtNum));
  closeRig(r);
  closeRig(again);
}


CF_TEST(inverseFD__all_derivatives__equal_direct_differences) {
  checkInverse(false);
}


CF_TEST(inverseFD__less_actuation__equal_direct_differences) {
  checkInverse(true);
}


// with constraints disabled, force per acceleration is the inertia matrix
CF_TEST(inverseFD__no_constraints__DfDa_is_the_inertia) {
  cfRig r = openMoving();
  mjtNum DfDa[NV * NV], M[NV * NV];
  r.m->opt.disableflags |= mjDSBL_CONSTRAINT;
  mjd_inverseFD(r.m, r.d, 1e-4, 0, NULL, NULL, DfDa, NULL, NULL, NULL, NULL);
  mj_fullM(r.m, M, r.d->qM);
  CF_NEAR_ARRAY(DfDa, M, NV * NV, 1e-8);
  CF_TRUE(M[0] > 1);
  closeRig(r);
}


static int errors;
static void countError(const char* message) {
  (void)message;
  errors++;
}

CF_TEST(inverseFD__RungeKutta_or_noslip__refused) {
  cfRig r = openMoving();
  void (*handler)(const char*) = mju_user_error;
  mjtNum DfDa[NV * NV] = {7};
  mju_user_error = countError;
  errors = 0;
  r.m->opt.integrator = mjINT_RK4;
  mjd_inverseFD(r.m, r.d, eps, 0, NULL, NULL, DfDa, NULL, NULL, NULL, NULL);
  r.m->opt.integrator = mjINT_EULER;
  r.m->opt.noslip_iterations = 1;
  mjd_inverseFD(r.m, r.d, eps, 0, NULL, NULL, DfDa, NULL, NULL, NULL, NULL);
  mju_user_error = handler;
  CF_EQ_INT(errors, 2);
  CF_NEAR(DfDa[0], 7, 0);
  closeRig(r);
}


CF_TEST_MAIN("finitediff/inverse")
