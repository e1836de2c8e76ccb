// Tendon and transmission Jacobians against finite differences; sparse rows against dense ones.
#include "cf_test.h"

#include <stdbool.h>

#include "cf_smooth.h"
#include "kinematics/tendon.h"

enum { NSTATE = 5 };
static const mjtNum kEps = 1e-6;


// row u of actuator_moment, dense
static void denseMoment(cfCase c, int u, mjtNum* row) {
  memset(row, 0, sizeof(mjtNum) * c.m->nv);
  for (int k = 0; k < c.d->moment_rownnz[u]; k++) {
    const int adr = c.d->moment_rowadr[u] + k;
    row[c.d->moment_colind[adr]] = c.d->actuator_moment[adr];
  }
}


CF_TEST(tendon__random_states__jacobian_is_finite_difference_of_length) {
  cfCase c = cf_openCase("zoo");
  const int nv = (int)c.m->nv, nt = (int)c.m->ntendon;
  mjtNum qpos[100], J[500], ahead[20];
  for (unsigned seed = 1; seed <= NSTATE; seed++) {
    cf_randomState(c, seed);
    memcpy(qpos, c.d->qpos, sizeof(mjtNum) * c.m->nq);
    cf_runPosition(c);
    memcpy(J, c.d->ten_J, sizeof(mjtNum) * nt * nv);

    for (int i = 0; i < nv; i++) {
      cf_nudge(c, qpos, i, kEps);
      cf_runPosition(c);
      memcpy(ahead, c.d->ten_length, sizeof(mjtNum) * nt);
      cf_nudge(c, qpos, i, -kEps);
      cf_runPosition(c);
      for (int t = 0; t < nt; t++) {
        CF_NEAR(J[t * nv + i], (ahead[t] - c.d->ten_length[t]) / (2 * kEps), 2e-6);
      }
    }
  }
  cf_closeCase(c);
}


// joints of type ball and free aside: their length is not the integral of the moment
CF_TEST(transmission__scalar_lengths__moment_is_finite_difference_of_length) {
  cfCase c = cf_openCase("zoo");
  const int nv = (int)c.m->nv, nu = (int)c.m->nu;
  mjtNum qpos[100], row[100], ahead[20], behind[20], moment[20][100];
  cf_randomState(c, 3);
  memcpy(qpos, c.d->qpos, sizeof(mjtNum) * c.m->nq);
  cf_runPosition(c);
  for (int u = 0; u < nu; u++) {
    denseMoment(c, u, row);
    memcpy(moment[u], row, sizeof(mjtNum) * nv);
  }

  for (int i = 0; i < nv; i++) {
    cf_nudge(c, qpos, i, kEps);
    cf_runPosition(c);
    memcpy(ahead, c.d->actuator_length, sizeof(mjtNum) * nu);
    cf_nudge(c, qpos, i, -kEps);
    cf_runPosition(c);
    memcpy(behind, c.d->actuator_length, sizeof(mjtNum) * nu);
    for (int u = 0; u < nu; u++) {
      const int type = c.m->actuator_trntype[u];
      const bool is_scalar = type == mjTRN_SLIDERCRANK || type == mjTRN_TENDON || u == 0;
      if (is_scalar) {
        CF_NEAR(moment[u][i], (ahead[u] - behind[u]) / (2 * kEps), 5e-6);
      }
    }
  }
  cf_closeCase(c);
}


CF_TEST(tendon__sparse_rows__equal_dense_ones) {
  cfCase c = cf_openCase("zoo");
  const int nv = (int)c.m->nv;
  mjtNum dense[100], sparse[100], moment[20][100];
  for (unsigned seed = 1; seed <= NSTATE; seed++) {
    cf_randomState(c, seed);
    for (int t = 0; t < c.m->ntendon; t++) {
      c.m->opt.jacobian = mjJAC_DENSE;
      cf_runPosition(c);
      memset(dense, 0, sizeof(dense));
      cfi_addTendon(c.m, c.d, t, dense, 1);
      c.m->opt.jacobian = mjJAC_SPARSE;
      cf_runPosition(c);
      memset(sparse, 0, sizeof(sparse));
      cfi_addTendon(c.m, c.d, t, sparse, 1);
      CF_NEAR_ARRAY(sparse, dense, nv, 0);
    }

    for (int u = 0; u < c.m->nu; u++) {
      denseMoment(c, u, moment[u]);
    }
    c.m->opt.jacobian = mjJAC_DENSE;
    cf_runPosition(c);
    for (int u = 0; u < c.m->nu; u++) {
      denseMoment(c, u, dense);
      CF_NEAR_ARRAY(moment[u], dense, nv, 0);
    }
  }
  cf_closeCase(c);
}


CF_TEST(tendon__velocity_held__drift_is_second_derivative_of_length) {
  cfCase c = cf_openCase("zoo");
  const mjtNum eps = 1e-4;
  mjtNum qpos[100], drift[20], length[3][20];
  cf_randomState(c, 2);
  // positions q(t) with constant qvel; quaternion joints move with constant local rate as well
  memcpy(qpos, c.d->qpos, sizeof(mjtNum) * c.m->nq);
  cf_runVelocity(c);
  for (int t = 0; t < c.m->ntendon; t++) {
    bool wraps = false;
    for (int w = c.m->tendon_adr[t]; w < c.m->tendon_adr[t] + c.m->tendon_num[t]; w++) {
      wraps |= c.m->wrap_type[w] == mjWRAP_SPHERE || c.m->wrap_type[w] == mjWRAP_CYLINDER;
    }
    drift[t] = wraps ? NAN : cfi_tendonDrift(c.m, c.d, t);
  }

  for (int k = -1; k <= 1; k++) {
    memcpy(c.d->qpos, qpos, sizeof(mjtNum) * c.m->nq);
    mj_integratePos(c.m, c.d->qpos, c.d->qvel, k * eps);
    cf_runPosition(c);
    memcpy(length[k + 1], c.d->ten_length, sizeof(mjtNum) * c.m->ntendon);
  }
  for (int t = 0; t < c.m->ntendon; t++) {
    if (!isnan(drift[t])) {
      CF_NEAR(drift[t], (length[0][t] - 2 * length[1][t] + length[2][t]) / (eps * eps), 1e-5);
    }
  }
  cf_closeCase(c);
}


CF_TEST_MAIN("kinematics/tendon")
