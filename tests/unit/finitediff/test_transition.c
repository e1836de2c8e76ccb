// mjd_transitionFD against differences of whole steps taken here.
#include "rig.h"

enum { NX = 2 * NV + NA, NS = 10 };

static const mjtNum eps = 1e-6;
static int integrator = mjINT_EULER;

// what is nudged: tangent of the state, then controls
static void nudgeInput(cfRig r, int i, mjtNum h) {
  if (i < NV) {
    nudge(r, i, h);
  } else if (i < 2 * NV) {
    r.d->qvel[i - NV] += h;
  } else if (i < NX) {
    r.d->act[i - 2 * NV] += h;
  } else {
    r.d->ctrl[i - NX] += h;
  }
}


typedef struct {
  mjtNum qpos[NQ], rest[NV + NA], sensor[NS];
} cfNext;


static cfNext stepFrom(int i, mjtNum h) {
  cfRig r = openRig();
  cfNext next;
  r.m->opt.integrator = integrator;
  nudgeInput(r, i, h);
  mj_step(r.m, r.d);
  mju_copy(next.qpos, r.d->qpos, NQ);
  mju_copy(next.rest, r.d->qvel, NV);
  mju_copy(next.rest + NV, r.d->act, NA);
  mju_copy(next.sensor, r.d->sensordata, NS);
  closeRig(r);
  return next;
}


// (b - a)/h with positions in the tangent space
static void difference(mjtNum state[NX], mjtNum sensor[NS], cfNext a, cfNext b, mjtNum h) {
  cfRig r = openRig();
  mj_differentiatePos(r.m, state, h, a.qpos, b.qpos);
  closeRig(r);
  for (int k = 0; k < NV + NA; k++) {
    state[NV + k] = (b.rest[k] - a.rest[k]) / h;
  }
  for (int k = 0; k < NS; k++) {
    sensor[k] = (b.sensor[k] - a.sensor[k]) / h;
  }
}


// column i of the row-major matrix of width n
static void checkColumn(const mjtNum* matrix, int n, int i, const mjtNum* expected, int rows,
                        mjtNum sign) {
  for (int k = 0; k < rows; k++) {
    CF_NEAR(matrix[k * n + i], sign * expected[k], 2e-5 * (1 + fabs(expected[k])));
  }
}


static void checkTransition(bool is_centered) {
  static mjtNum A[NX * NX], B[NX * NU], C[NS * NX], D[NS * NU];
  cfRig r = openRig();
  CF_EQ_INT(r.m->nsensordata, NS);
  r.m->opt.integrator = integrator;
  mjd_transitionFD(r.m, r.d, eps, is_centered, A, B, C, D);
  closeRig(r);
  const cfNext center = stepFrom(0, 0);
  mjtNum most = 0;
  for (int i = 0; i < NX + NU; i++) {
    mjtNum state[NX], sensor[NS];
    const cfNext plus = stepFrom(i, eps), minus = is_centered ? stepFrom(i, -eps) : center;
    difference(state, sensor, minus, plus, is_centered ? 2 * eps : eps);
    if (i < NX) {
      checkColumn(A, NX, i, state, NX, 1);
      checkColumn(C, NX, i, sensor, NS, 1);
    } else {
      // MuJoCo 3.5.0 exchanges the sides of centered sensor differences with respect to controls
      checkColumn(B, NU, i - NX, state, NX, 1);
      checkColumn(D, NU, i - NX, sensor, NS, is_centered ? -1 : 1);
      most = mju_max(most, mju_norm(sensor, NS));
    }
  }
  CF_TRUE(most > 0.5);
}


CF_TEST(transitionFD__forward__equals_direct_differences) {
  checkTransition(false);
}


CF_TEST(transitionFD__centered__equals_direct_differences) {
  checkTransition(true);
}


CF_TEST(transitionFD__other_integrators__equal_direct_differences) {
  for (integrator = mjINT_IMPLICIT; integrator <= mjINT_IMPLICITFAST; integrator++) {
    checkTransition(false);
  }
  integrator = mjINT_EULER;
}


// at the end of its range a control is nudged inwards; beyond it not at all
CF_TEST(transitionFD__control_at_its_limit__backward_difference_or_zero) {
  static const mjtNum control[3] = {0.5, 1, 1.5};
  mjtNum B[3][NX * NU];
  for (int k = 0; k < 3; k++) {
    cfRig r = openRig();
    r.d->ctrl[0] = control[k];
    mjd_transitionFD(r.m, r.d, eps, 0, NULL, B[k], NULL, NULL);
    closeRig(r);
  }
  const int row = NV + 9;
  CF_TRUE(fabs(B[0][row * NU]) > 1e-3);
  CF_NEAR(B[1][row * NU], B[0][row * NU], 1e-3 * fabs(B[0][row * NU]));
  for (int k = 0; k < NX; k++) {
    CF_NEAR(B[2][k * NU], 0, 0);
  }
}


CF_TEST(transitionFD__state__given_back) {
  cfRig r = openRig();
  mjtNum A[NX * NX];
  mjData* before = mj_copyData(NULL, r.m, r.d);
  mjd_transitionFD(r.m, r.d, eps, 1, A, NULL, NULL, NULL);
  CF_EQ_BYTES(r.d->qpos, before->qpos, NQ * sizeof(mjtNum));
  CF_EQ_BYTES(r.d->qvel, before->qvel, NV * sizeof(mjtNum));
  CF_EQ_BYTES(r.d->act, before->act, NA * sizeof(mjtNum));
  CF_NEAR(r.d->time, before->time, 0);
  mj_deleteData(before);
  closeRig(r);
}


CF_TEST_MAIN("finitediff/transition")
