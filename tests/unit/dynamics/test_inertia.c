// Inertia matrix, its factors and the Newton-Euler recursion against each other.
#include "cf_test.h"

#include "cf_smooth.h"
#include "cf_text.h"
#include "dynamics/factor.h"
#include "dynamics/inertia.h"
#include "math/inline.h"

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
CF_TEST(inertialForce__random_states__equals_the_product_with_M) {
  static const char* const names[2] = {"zoo", "pendulum"};
  for (int k = 0; k < 2; k++) {
    cfCase c = cf_openCase(names[k]);
    const int nv = (int)c.m->nv;
    mjtNum x[MAXV], y[2][MAXV];
    unsigned seed = 5;
    bool has_armature = false;
    for (int t = 0; t < c.m->ntendon; t++) {
      has_armature = has_armature || c.m->tendon_armature[t] != 0;
    }
    CF_TRUE(cfi_hasInertialForce(c.m) == !has_armature);
    memset(c.m->tendon_armature, 0, sizeof(mjtNum) * c.m->ntendon);
    for (unsigned state = 1; state <= NSTATE; state++) {
      cf_randomState(c, state);
      cf_runPosition(c);
      for (int i = 0; i < nv; i++) {
        x[i] = cf_random(&seed);
      }
      mj_mulM(c.m, c.d, y[0], x);
      mju_zero(c.d->M, (int)c.m->nC);
      cfi_inertialForce(c.m, c.d, y[1], x);
      CF_NEAR_ARRAY(y[1], y[0], nv, 1e-11);
    }
    cf_closeCase(c);
  }
}


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


CF_TEST(factorLD__rows_without_ancestors__bits_of_the_general_case) {
  mjtNum mat[MAXV], copy[MAXV], inverse[2][MAXV], x[2][2 * MAXV];
  int nnz[MAXV], adr[MAXV], col[MAXV];
  unsigned seed = 3;
  for (int i = 0; i < MAXV; i++) {
    mat[i] = copy[i] = 2 + cf_random(&seed);
    x[0][i] = x[1][i] = cf_random(&seed);
    x[0][MAXV + i] = x[1][MAXV + i] = 7;
    nnz[i] = 1, adr[i] = col[i] = i;
  }
  for (int nv = 0; nv <= 9; nv++) {
    const cfIndexSet rows = {NULL, nv, 0};
    cfi_factorLD(mat, inverse[0], nv, nnz, adr, col, rows);
    cfi_factorTree(copy, inverse[1], nnz, adr, col, rows);
    CF_NEAR_ARRAY(mat, copy, nv, 0);
    CF_NEAR_ARRAY(inverse[0], inverse[1], nv, 0);
    cfi_solveLD(x[0], mat, inverse[0], nv, 1, nnz, adr, col, rows);
    cfi_solveTree(x[1], mat, inverse[0], nnz, adr, col, rows);
    CF_NEAR_ARRAY(x[0], x[1], 2 * MAXV, 0);
  }
}


CF_TEST(factorTwoTrees__two_matrices_of_one_pattern__bits_of_one_after_the_other) {
  cfCase c = cf_openCase("zoo");
  const mjModel* m = c.m;
  const int nv = (int)m->nv, n = (int)m->nC;
  const cfIndexSet rows = {NULL, nv, 0};
  mjtNum mat[4][MAXV * MAXV], inverse[4][MAXV];
  cf_randomState(c, 5);
  cf_runPosition(c);
  for (int k = 0; k < 4; k++) {
    memcpy(mat[k], c.d->M, sizeof(mjtNum) * n);
    for (int i = 0; i < nv; i++) {
      mat[k][m->M_rowadr[i] + m->M_rownnz[i] - 1] += (k & 1) * 0.1 * (i + 1);
    }
  }
  cfi_factorTree(mat[0], inverse[0], m->M_rownnz, m->M_rowadr, m->M_colind, rows);
  cfi_factorTree(mat[1], inverse[1], m->M_rownnz, m->M_rowadr, m->M_colind, rows);
  const cfFactor both[2] = {{mat[2], inverse[2]}, {mat[3], inverse[3]}};
  cfi_factorTwoTrees(both, m->M_rownnz, m->M_rowadr, m->M_colind, rows);
  for (int k = 0; k < 2; k++) {
    CF_EQ_BYTES(mat[k], mat[k + 2], sizeof(mjtNum) * n);
    CF_EQ_BYTES(inverse[k], inverse[k + 2], sizeof(mjtNum) * nv);
  }
  CF_TRUE(memcmp(mat[0], mat[1], sizeof(mjtNum) * n) != 0);
  cf_closeCase(c);
}


// an entry of M as the product of one axis with the momentum of another, in the order of crb.c
static mjtNum entryOfM(const mjtNum inert[10], const mjtNum axis[6], const mjtNum other[6]) {
  mjtNum p[6];
  cfi_mulInertVec(p, inert, axis);
  return ((p[0] * other[0] + 0 * other[2]) + (p[2] * other[2] + p[4] * other[4])) +
         ((p[1] * other[1] + 0 * other[3]) + (p[3] * other[3] + p[5] * other[5]));
}


CF_TEST(crb__states_with_and_without_zeros__bits_of_products_one_by_one) {
  cfCase c = openWithoutTendonArmature("zoo");
  for (unsigned seed = 0; seed < NSTATE; seed++) {
    if (seed) {
      cf_randomState(c, seed);
    }
    cf_runPosition(c);
    for (int i = 0; i < c.m->nv; i++) {
      const mjtNum* inert = c.d->crb + 10 * c.m->dof_bodyid[i];
      for (int k = 0; k < c.m->M_rownnz[i] && !c.m->dof_simplenum[i]; k++) {
        const int adr = c.m->M_rowadr[i] + k, j = c.m->M_colind[adr];
        mjtNum entry = entryOfM(inert, c.d->cdof + 6 * i, c.d->cdof + 6 * j);
        if (i == j) {
          entry += c.m->dof_armature[i];
        }
        CF_EQ_BYTES(c.d->M + adr, &entry, sizeof(entry));
      }
    }
  }
  cf_closeCase(c);
}


CF_TEST(factorLD__only_the_last_row_has_an_ancestor__is_no_diagonal) {
  mjtNum mat[3] = {4, 1, 2}, inverse[2], x[2] = {1, 2};
  const int nnz[2] = {1, 2}, adr[2] = {0, 1}, col[3] = {0, 0, 1};
  const cfIndexSet rows = {NULL, 2, 0};
  cfi_factorLD(mat, inverse, 2, nnz, adr, col, rows);
  cfi_solveLD(x, mat, inverse, 2, 1, nnz, adr, col, rows);
  CF_NEAR(x[0], 0, 1e-15);
  CF_NEAR(x[1], 1, 1e-15);
}


// what does not move stands between the world and a pendulum, and hangs on nothing
static const char static_xml[] =
    "<mujoco><worldbody><body pos='0 0 1'><geom size='.1'/>"
    "<body pos='.1 .2 .3'><geom size='.2'/><body name='swings'>"
    "<joint name='first' axis='1 2 3'/><geom size='.1' pos='.3 0 0'/>"
    "<body pos='.5 0 0'><geom size='.1'/><body pos='.2 0 0'><joint axis='0 1 0'/>"
    "<geom size='.1' pos='.3 0 0'/></body></body></body></body></body></worldbody></mujoco>";
static const char direct_xml[] =
    "<mujoco><worldbody><body pos='.1 .2 1.3'>"
    "<joint axis='1 2 3'/><geom size='.1' pos='.3 0 0'/>"
    "<body pos='.5 0 0'><geom size='.1'/><body pos='.2 0 0'><joint axis='0 1 0'/>"
    "<geom size='.1' pos='.3 0 0'/></body></body></body></worldbody></mujoco>";


CF_TEST(rne__bodies_that_cannot_move__bias_as_without_them) {
  cfCase a = {.m = cf_compileText(static_xml)}, b = {.m = cf_compileText(direct_xml)};
  CF_TRUE(a.m && b.m);
  a.d = mj_makeData(a.m);
  b.d = mj_makeData(b.m);
  for (int i = 0; i < 2; i++) {
    a.d->qpos[i] = b.d->qpos[i] = 0.3 + i;
    a.d->qvel[i] = b.d->qvel[i] = 1.5 - i;
    a.d->qacc[i] = b.d->qacc[i] = 0.7 * i - 2;
  }
  for (int with_acc = 0; with_acc < 2; with_acc++) {
    mjtNum x[2], y[2];
    cf_runVelocity(a);
    cf_runVelocity(b);
    mj_rne(a.m, a.d, with_acc, x);
    mj_rne(b.m, b.d, with_acc, y);
    CF_TRUE(fabs(x[0]) > 0.1 && fabs(x[1]) > 0.1);
    CF_NEAR_ARRAY(x, y, 2, 1e-12);
  }
  cf_closeCase(a);
  cf_closeCase(b);
}


CF_TEST_MAIN("dynamics/inertia")
