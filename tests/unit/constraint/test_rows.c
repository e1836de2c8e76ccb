// Constraint rows: dense against sparse, Jacobians against finite differences, impedance.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <mujoco/mjxmacro.h>
#include <mujoco/mujoco.h>

#include "cf_test.h"
#include "cf_text.h"

static mjModel* loadScene(void) {
  mjModel* m = mj_loadModel(CF_SOURCE_DIR "/tests/data/constraint/scene.mjb", NULL);
  if (!m) {
    CF_FAIL("cannot load the scene\n");
  }
  return m;
}


CF_TEST(rows__dense_and_sparse__equal) {
  for (int cone = 0; cone < 2; cone++) {
    mjModel* m = loadScene();
    mjData *dense = mj_makeData(m), *sparse = mj_makeData(m);
    m->opt.cone = cone;
    mj_resetDataKeyframe(m, dense, 0);
    mj_resetDataKeyframe(m, sparse, 0);
    m->opt.jacobian = mjJAC_DENSE;
    mj_forward(m, dense);
    m->opt.jacobian = mjJAC_SPARSE;
    mj_forward(m, sparse);

    CF_EQ_INT(sparse->nefc, dense->nefc);
    int n = dense->nefc;
    mjtNum J[64 * 64];
    CF_TRUE(n <= 64 && m->nv <= 64);
    mju_sparse2dense(J, sparse->efc_J, n, m->nv, sparse->efc_J_rownnz, sparse->efc_J_rowadr,
                     sparse->efc_J_colind);
    CF_NEAR_ARRAY(J, dense->efc_J, n * m->nv, 1e-14);
    CF_NEAR_ARRAY(sparse->efc_aref, dense->efc_aref, n, 1e-10);
    CF_NEAR_ARRAY(sparse->efc_D, dense->efc_D, n, 0);
    CF_NEAR_ARRAY(sparse->qacc, dense->qacc, m->nv, 1e-8);
    mj_deleteData(dense);
    mj_deleteData(sparse);
    mj_deleteModel(m);
  }
}


// efc_pos of the equality and limit rows after moving along one dof
static void nudgedPos(const mjModel* m, mjData* d, const mjtNum* qpos, int dof, mjtNum eps,
                      mjtNum* pos) {
  mjtNum vel[64] = {0};
  vel[dof] = 1;
  mju_copy(d->qpos, qpos, m->nq);
  mj_integratePos(m, d->qpos, vel, eps);
  mj_fwdPosition(m, d);
  mju_copy(pos, d->efc_pos, d->nefc);
}


CF_TEST(rows__equalities_and_limits__jacobian_is_the_derivative_of_pos) {
  mjModel* m = loadScene();
  mjData* d = mj_makeData(m);
  m->opt.jacobian = mjJAC_DENSE;
  m->opt.disableflags |= mjDSBL_CONTACT;
  mj_resetDataKeyframe(m, d, 0);
  mjtNum qpos[64], J[64 * 64], plus[64], minus[64], eps = 1e-6;
  mju_copy(qpos, d->qpos, m->nq);
  mj_fwdPosition(m, d);
  int ne = d->ne, n = d->nefc, first_limit = d->ne + d->nf;
  mju_copy(J, d->efc_J, n * (int)m->nv);
  for (int dof = 0; dof < m->nv; dof++) {
    nudgedPos(m, d, qpos, dof, eps, plus);
    CF_EQ_INT(d->nefc, n);
    nudgedPos(m, d, qpos, dof, -eps, minus);
    for (int r = 0; r < n; r++) {
      if (r < ne || r >= first_limit) {
        CF_NEAR(J[r * m->nv + dof], (plus[r] - minus[r]) / (2 * eps), 2e-7);
      }
    }
  }
  mj_deleteData(d);
  mj_deleteModel(m);
}


// KBIP of the only row of a slide joint below its limit
static void limitGains(const char* attributes, mjtNum depth, mjtNum KBIP[4], mjtNum* R) {
  char xml[600];
  snprintf(
      xml, sizeof(xml),
      "<mujoco><worldbody><body><joint type='slide' range='0 1' %s/><geom size='0.1' mass='2'/>"
      "</body></worldbody></mujoco>",
      attributes);
  mjModel* m = cf_compileText(xml);
  mjData* d = mj_makeData(m);
  d->qpos[0] = -depth;
  mj_forward(m, d);
  CF_EQ_INT(d->nefc, 1);
  mju_copy(KBIP, d->efc_KBIP, 4);
  *R = d->efc_R[0];
  mj_deleteData(d);
  mj_deleteModel(m);
}


CF_TEST(impedance__standard_reference__stiffness_and_damping) {
  mjtNum k[4], R;
  limitGains("solreflimit='0.05 0.8' solimplimit='0.7 0.9 0.01'", 0.02, k, &R);
  CF_NEAR(k[0], 1 / (0.9 * 0.9 * 0.05 * 0.05 * 0.8 * 0.8), 1e-9);
  CF_NEAR(k[1], 2 / (0.9 * 0.05), 1e-12);
  CF_NEAR(k[2], 0.9, 1e-15);
  CF_NEAR(k[3], 0, 0);
  CF_NEAR(R, (1 - 0.9) / 0.9 * 0.5, 1e-12);
}


CF_TEST(impedance__direct_reference__taken_as_given) {
  mjtNum k[4], R;
  limitGains("solreflimit='-300 -20' solimplimit='0.7 0.9 0.01'", 0.02, k, &R);
  CF_NEAR(k[0], 300 / (0.9 * 0.9), 1e-10);
  CF_NEAR(k[1], 20 / 0.9, 1e-12);
}


CF_TEST(impedance__inside_its_width__sigmoid_of_two_powers) {
  mjtNum k[4], R, x = 0.3, mid = 0.4, p = 3;
  limitGains("solimplimit='0.6 0.9 0.1 0.4 3'", 0.03, k, &R);
  CF_NEAR(k[2], 0.6 + 0.3 * pow(x, p) / pow(mid, p - 1), 1e-14);
  CF_NEAR(k[3], -0.3 / 0.1 * p * pow(x, p - 1) / pow(mid, p - 1), 1e-12);
  limitGains("solimplimit='0.6 0.9 0.1 0.4 1'", 0.03, k, &R);
  CF_NEAR(k[2], 0.6 + 0.3 * x, 1e-14);
  limitGains("solimplimit='0.6 0.9 0.1 0.4 2'", 0.08, k, &R);
  CF_NEAR(k[2], 0.6 + 0.3 * (1 - 0.2 * 0.2 / 0.6), 1e-14);
}


// balls side by side in the floor, each with parameters of its own; elliptic: impratio other than 1
CF_TEST(impedance__neighbors_with_other_parameters__rows_of_a_ball_alone) {
  static const char* const ball[] = {"solref='.03 1.2'",
                                     "solref='.03 1.2'",
                                     "solref='.04 1.2'",
                                     "solref='.04 .9'",
                                     "solref='.04 .9' solimp='.8 .95 .002 .4 2'",
                                     "solref='-900 -30' solimp='.8 .95 .002 .4 2'",
                                     "solref='-900 -30' solimp='.8 .95 .003 .4 2'",
                                     "solref='-900 -30' solimp='.8 .95 .003 .4 3'"};
  enum { NBALL = sizeof(ball) / sizeof(ball[0]) };
  for (int elliptic = 0; elliptic < 2; elliptic++) {
    mjtNum alone[NBALL][16], together[NBALL * 16];
    for (int k = 0; k <= NBALL; k++) {
      char text[4000];
      int used = snprintf(text, sizeof(text),
                          "<mujoco><option cone='%s' impratio='%d'/><worldbody>"
                          "<geom type='plane' size='9 9 1' priority='-1'/>",
                          elliptic ? "elliptic" : "pyramidal", 1 + 2 * elliptic);
      for (int b = 0; b < NBALL; b++) {
        if (k == NBALL || k == b) {
          used +=
              snprintf(text + used, sizeof(text) - (size_t)used,
                       "<body pos='%d 0 .099'><freejoint/><geom size='.1' %s/></body>", b, ball[b]);
        }
      }
      snprintf(text + used, sizeof(text) - (size_t)used, "</worldbody></mujoco>");
      mjModel* m = cf_compileText(text);
      mjData* d = mj_makeData(m);
      mj_forward(m, d);
      const int rows = elliptic ? 3 : 4;
      CF_EQ_INT(d->nefc, k == NBALL ? rows * NBALL : rows);
      mju_copy(k == NBALL ? together : alone[k], d->efc_KBIP, 4 * d->nefc);
      mj_deleteData(d);
      mj_deleteModel(m);
    }
    for (int b = 0; b < NBALL; b++) {
      const int n = elliptic ? 12 : 16;
      CF_NEAR_ARRAY(together + n * b, alone[b], n, 0);
    }
  }
}


CF_TEST(constraintUpdate__force__is_minus_the_derivative_of_the_cost) {
  for (int cone = 0; cone < 2; cone++) {
    mjModel* m = loadScene();
    mjData* d = mj_makeData(m);
    m->opt.cone = cone;
    mj_resetDataKeyframe(m, d, 0);
    mj_forward(m, d);
    int n = d->nefc;
    mjtNum jar[64], force[64], plus, minus, eps = 1e-6;
    for (int r = 0; r < n; r++) {
      jar[r] = 3 * sin(5 * r + 1);
    }
    mj_constraintUpdate(m, d, jar, &plus, 0);
    mju_copy(force, d->efc_force, n);
    for (int r = 0; r < n; r++) {
      mjtNum x = jar[r];
      jar[r] = x + eps;
      mj_constraintUpdate(m, d, jar, &plus, 0);
      jar[r] = x - eps;
      mj_constraintUpdate(m, d, jar, &minus, 0);
      jar[r] = x;
      mjtNum scale = 1 + d->efc_D[r] * fabs(x) + plus;
      CF_NEAR(force[r], -(plus - minus) / (2 * eps), 1e-6 * scale);
    }
    mj_deleteData(d);
    mj_deleteModel(m);
  }
}


// a ball that rolls, turns and slides, in the middle of its cone
CF_TEST(constraintUpdate__hessian_of_a_cone__is_minus_the_derivative_of_its_force) {
  for (int dim = 3; dim <= 6; dim += dim == 3 ? 1 : 2) {
    char text[1000];
    snprintf(text, sizeof(text),
             "<mujoco><option cone='elliptic' impratio='3'/><worldbody>"
             "<geom type='plane' size='1 1 1' condim='1'/><body pos='0 0 .09'><freejoint/>"
             "<geom size='.1' condim='%d' friction='.8 .3 .2'/></body></worldbody></mujoco>",
             dim);
    mjModel* m = cf_compileText(text);
    mjData* d = mj_makeData(m);
    mj_forward(m, d);
    CF_EQ_INT(d->nefc, dim);
    mjtNum jar[6] = {-.1, 2, -3, 1.5, .7, -.9}, H[36], cost, eps = 1e-6;
    mj_constraintUpdate(m, d, jar, &cost, 1);
    mju_copy(H, d->contact[0].H, dim * dim);

    // friction is as large as it may be
    mjtNum friction = 0;
    for (int k = 0; k < dim; k++) {
      CF_EQ_INT(d->efc_state[k], mjCNSTRSTATE_CONE);
      friction += k ? pow(d->efc_force[k] / d->contact[0].friction[k - 1], 2) : 0;
    }
    CF_NEAR(sqrt(friction), d->efc_force[0], 1e-12 * d->efc_force[0]);
    for (int k = 0; k < dim; k++) {
      mjtNum plus[6], x = jar[k];
      jar[k] = x + eps;
      mj_constraintUpdate(m, d, jar, &cost, 0);
      mju_copy(plus, d->efc_force, dim);
      jar[k] = x - eps;
      mj_constraintUpdate(m, d, jar, &cost, 0);
      jar[k] = x;
      for (int i = 0; i < dim; i++) {
        const mjtNum slope = (plus[i] - d->efc_force[i]) / (2 * eps);
        CF_NEAR(H[dim * i + k], -slope, 1e-7 * (1 + fabs(H[0])));
      }
    }
    mj_deleteData(d);
    mj_deleteModel(m);
  }
}


CF_TEST(projectConstraint__dual__is_J_inverse_inertia_J_plus_R) {
  for (int jacobian = 0; jacobian < 2; jacobian++) {
    mjModel* m = loadScene();
    mjData* d = mj_makeData(m);
    m->opt.solver = mjSOL_PGS;
    m->opt.jacobian = jacobian;
    mj_resetDataKeyframe(m, d, 0);
    mj_forward(m, d);
    int n = d->nefc, nv = m->nv;
    mjtNum unit[64], row[64], column[64], AR[64 * 64];
    if (jacobian == mjJAC_SPARSE) {
      mju_sparse2dense(AR, d->efc_AR, n, n, d->efc_AR_rownnz, d->efc_AR_rowadr, d->efc_AR_colind);
    } else {
      mju_copy(AR, d->efc_AR, n * n);
    }
    for (int r = 0; r < n; r++) {
      mju_zero(unit, n);
      unit[r] = 1;
      mj_mulJacTVec(m, d, row, unit);
      mj_solveM(m, d, row, row, 1);
      mj_mulJacVec(m, d, column, row);
      column[r] += d->efc_R[r];
      for (int c = 0; c < n; c++) {
        CF_NEAR(AR[r * n + c], column[c], 1e-11 * (1 + fabs(column[c])));
      }
    }
    CF_TRUE(nv <= 64);
    mj_deleteData(d);
    mj_deleteModel(m);
  }
}

// programs may look at the arrays without asking how long they are
CF_TEST(rows__none__arrays_are_empty_and_not_missing) {
  mjModel* m = cf_compileText(
      "<mujoco><worldbody><geom type='plane' size='1 1 1'/>"
      "<body pos='0 0 0.8'><freejoint/><geom size='0.1'/></body></worldbody></mujoco>");
  mjData* d = mj_makeData(m);
  for (int k = 0; k < 2; k++) {
    mj_forward(m, d);
    CF_EQ_INT(d->nefc, 0);
#define X(type, name, nr, nc) CF_TRUE(d->name != NULL);
    MJDATA_ARENA_POINTERS_SOLVER
#undef X
  }
  mj_deleteData(d);
  mj_deleteModel(m);
}


CF_TEST_MAIN("constraint/rows")
