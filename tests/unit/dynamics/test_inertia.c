// Inertia matrix, its factors and the Newton-Euler recursion against each other.
#include "cf_test.h"

#include "cf_smooth.h"

enum { NSTATE = 4, MAXV = 40 };


// armature of tendons adds to M but is no part of the recursion
static cfCase openWithoutTendonArmature(const char* name) {
  cfCase c = cf_openCase(name);
  memset(c.m->tendon_armature, 0, sizeof(mjtNum) * c.m->ntendon);
  return c;
}


static void fullInertia(cfCase c, mjtNum* M) {
  mj_fullM(c.m, M, c.d->qM);
}


CF_TEST(crb__random_states__columns_are_rne_of_unit_accelerations) {
  cfCase c = openWithoutTendonArmature("zoo");
  const int nv = (int)c.m->nv;
  mjtNum M[MAXV * MAXV], bias[MAXV], force[MAXV];
  for (unsigned seed = 1; seed <= NSTATE; seed++) {
    cf_randomState(c, seed);
    cf_runVelocity(c);
    fullInertia(c, M);
    mj_rne(c.m, c.d, 0, bias);
    for (int j = 0; j < nv; j++) {
      memset(c.d->qacc, 0, sizeof(mjtNum) * nv);
      c.d->qacc[j] = 1;
      mj_rne(c.m, c.d, 1, force);
      for (int i = 0; i < nv; i++) {
        // RNE knows bodies only: rotor inertia is added to the diagonal
        const mjtNum armature = i == j ? c.m->dof_armature[i] : 0;
        CF_NEAR(M[i * nv + j], force[i] - bias[i] + armature, 1e-12);
      }
    }
  }
  cf_closeCase(c);
}


CF_TEST(factorM__random_states__solve_inverts_product) {
  cfCase c = cf_openCase("zoo");
  const int nv = (int)c.m->nv;
  mjtNum x[2 * MAXV], y[2 * MAXV];
  unsigned seed = 7;
  cf_randomState(c, 1);
  cf_runPosition(c);
  for (int i = 0; i < 2 * nv; i++) {
    x[i] = cf_random(&seed);
  }
  mj_mulM(c.m, c.d, y, x);
  mj_mulM(c.m, c.d, y + nv, x + nv);
  mj_solveM(c.m, c.d, y, y, 2);
  CF_NEAR_ARRAY(y, x, 2 * nv, 1e-10);
  cf_closeCase(c);
}


CF_TEST(factorM__sparse__equals_dense_factor) {
  cfCase c = cf_openCase("zoo");
  const int nv = (int)c.m->nv;
  mjtNum M[MAXV * MAXV], L[MAXV * MAXV] = {0};
  cf_randomState(c, 2);
  cf_runPosition(c);
  fullInertia(c, M);
  for (int i = 0; i < nv; i++) {
    for (int k = 0; k < c.m->M_rownnz[i]; k++) {
      const int adr = c.m->M_rowadr[i] + k, j = c.m->M_colind[adr];
      L[i * nv + j] = i == j ? 1 : c.d->qLD[adr];
    }
    CF_NEAR(c.d->qLDiagInv[i] * c.d->qLD[c.m->M_rowadr[i] + c.m->M_rownnz[i] - 1], 1, 1e-14);
  }

  // L'*D*L
  for (int i = 0; i < nv; i++) {
    for (int j = 0; j < nv; j++) {
      mjtNum sum = 0;
      for (int k = 0; k < nv; k++) {
        sum += L[k * nv + i] / c.d->qLDiagInv[k] * L[k * nv + j];
      }
      CF_NEAR(sum, M[i * nv + j], 1e-12);
    }
  }
  cf_closeCase(c);
}


CF_TEST(mulM__dense_matrix__same_product) {
  cfCase c = cf_openCase("zoo");
  const int nv = (int)c.m->nv;
  mjtNum M[MAXV * MAXV], sparse[MAXV], dense[MAXV];
  cf_randomState(c, 3);
  cf_runPosition(c);
  fullInertia(c, M);
  mj_mulM(c.m, c.d, sparse, c.d->qvel);
  mju_mulMatVec(dense, M, c.d->qvel, nv, nv);
  CF_NEAR_ARRAY(sparse, dense, nv, 1e-13);
  cf_closeCase(c);
}


// both halves of M = (sqrt(D) L)'(sqrt(D) L)
CF_TEST(mulM2_and_solveM2__squares__are_product_and_solve) {
  cfCase c = cf_openCase("zoo");
  const int nv = (int)c.m->nv;
  mjtNum half[MAXV], full[MAXV], root[MAXV];
  cf_randomState(c, 4);
  cf_runPosition(c);
  mj_mulM2(c.m, c.d, half, c.d->qvel);
  mj_mulM(c.m, c.d, full, c.d->qvel);
  CF_NEAR(mju_dot(half, half, nv), mju_dot(full, c.d->qvel, nv), 1e-12);

  for (int i = 0; i < nv; i++) {
    root[i] = sqrt(c.d->qLDiagInv[i]);
  }
  mj_solveM2(c.m, c.d, half, c.d->qvel, root, 1);
  mj_solveM(c.m, c.d, full, c.d->qvel, 1);
  const mjtNum expected = mju_dot(full, c.d->qvel, nv);
  CF_NEAR(mju_dot(half, half, nv), expected, 1e-11 * expected);
  cf_closeCase(c);
}


CF_TEST(addM__dense_and_sparse__equal_lower_triangle) {
  cfCase c = cf_openCase("zoo");
  const int nv = (int)c.m->nv;
  mjtNum M[MAXV * MAXV], dense[MAXV * MAXV] = {0}, value[MAXV * MAXV] = {0};
  int rownnz[MAXV], rowadr[MAXV], colind[MAXV * MAXV];
  cf_randomState(c, 5);
  cf_runPosition(c);
  fullInertia(c, M);
  mj_addM(c.m, c.d, dense, NULL, NULL, NULL);

  // a diagonal matrix with one entry left of it takes the pattern of M in
  for (int i = 0; i < nv; i++) {
    rowadr[i] = i * nv;
    rownnz[i] = 1 + (i > 0);
    colind[i * nv] = 0;
    colind[i * nv + rownnz[i] - 1] = i;
    value[i * nv + rownnz[i] - 1] = 1;
  }
  mj_addM(c.m, c.d, value, rownnz, rowadr, colind);
  for (int i = 0; i < nv; i++) {
    for (int k = 0; k < rownnz[i]; k++) {
      const int j = colind[i * nv + k];
      CF_TRUE(k == 0 || colind[i * nv + k - 1] < j);
      CF_NEAR(value[i * nv + k], M[i * nv + j] + (i == j), 1e-15);
      CF_NEAR(dense[i * nv + j], M[i * nv + j], 0);
    }
  }
  cf_closeCase(c);
}


CF_TEST(tendonArmature__on_the_tree_pattern__adds_outer_product) {
  cfCase c = cf_openCase("zoo");
  const int nv = (int)c.m->nv;
  mjtNum with[MAXV * MAXV], without[MAXV * MAXV], armature[20];
  memcpy(armature, c.m->tendon_armature, sizeof(mjtNum) * c.m->ntendon);
  cf_randomState(c, 6);
  cf_runPosition(c);
  fullInertia(c, with);
  memset(c.m->tendon_armature, 0, sizeof(mjtNum) * c.m->ntendon);
  mj_makeM(c.m, c.d);
  fullInertia(c, without);

  for (int i = 0; i < nv; i++) {
    for (int k = c.m->M_rowadr[i]; k < c.m->M_rowadr[i] + c.m->M_rownnz[i]; k++) {
      const int j = c.m->M_colind[k];
      mjtNum sum = 0;
      for (int t = 0; t < c.m->ntendon; t++) {
        sum += armature[t] * c.d->ten_J[t * nv + i] * c.d->ten_J[t * nv + j];
      }
      CF_NEAR(with[i * nv + j], without[i * nv + j] + sum, 1e-14);
    }
  }
  cf_closeCase(c);
}


// with the inertial forces included, no force is left over at the root of a free tree
CF_TEST(rnePost__no_external_force__internal_forces_balance) {
  cfCase c = openWithoutTendonArmature("zoo");
  mjtNum result[MAXV];
  cf_randomState(c, 7);
  cf_runVelocity(c);
  mj_rne(c.m, c.d, 1, result);
  mj_rnePostConstraint(c.m, c.d);
  for (int i = 0; i < c.m->nv; i++) {
    const int body = c.m->dof_bodyid[i];
    CF_NEAR(mju_dot(c.d->cdof + 6 * i, c.d->cfrc_int + 6 * body, 6), result[i], 1e-12);
  }
  CF_EQ_INT(c.d->flg_rnepost, 1);
  cf_closeCase(c);
}


CF_TEST(setTotalmass__scales_masses_and_inertias) {
  cfCase c = cf_openCase("zoo");
  const mjtNum before = mj_getTotalmass(c.m), inertia = c.m->body_inertia[3 * 5];
  mj_setTotalmass(c.m, 2 * before);
  CF_NEAR(mj_getTotalmass(c.m), 2 * before, 1e-13);
  CF_NEAR(c.m->body_inertia[3 * 5], 2 * inertia, 1e-15);
  cf_closeCase(c);
}


CF_TEST_MAIN("dynamics/inertia")
