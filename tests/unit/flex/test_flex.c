// Geometry and passive forces of soft bodies: values recorded with MuJoCo 3.5.0, Jacobians against
// differences, forces against the derivative of their energy.
#include "cf_test.h"

#include <stdbool.h>

#include <mujoco/mujoco.h>

#include "flex/interpolation.h"
#include "flex/models.h"

// a model with velocities and a bent, stretched configuration, forwarded
typedef struct {
  mjModel* m;
  mjData* d;
} bentModel;

typedef struct {
  const char* array;
  double norm;
} recordedNorm;


static bentModel openBent(const char* name) {
  char path[500];
  snprintf(path, sizeof(path), "%s/tests/data/%s.mjb", CF_SOURCE_DIR, name);
  bentModel b = {.m = mj_loadModel(path, NULL)};
  CF_TRUE(b.m);
  b.d = mj_makeData(b.m);
  b.m->opt.disableflags |= mjDSBL_CONTACT;
  const int nv = (int)b.m->nv;
  mjtNum* move = malloc(sizeof(mjtNum) * (size_t)nv);
  for (int i = 0; i < nv; i++) {
    b.d->qvel[i] = sin(3.0 * i);
    move[i] = 0.01 * cos(2.0 * i);
  }
  mj_integratePos(b.m, b.d->qpos, move, 1);
  free(move);
  mj_forward(b.m, b.d);
  return b;
}


static void closeBent(bentModel b) {
  mj_deleteData(b.d);
  mj_deleteModel(b.m);
}


static void checkNorms(const bentModel* b, const recordedNorm recorded[10]) {
  const mjModel* m = b->m;
  const mjData* d = b->d;
  const double actual[10] = {mju_norm(d->flexvert_xpos, 3 * (int)m->nflexvert),
                             mju_norm(d->flexelem_aabb, 6 * (int)m->nflexelem),
                             mju_norm(d->bvh_aabb_dyn, 6 * (int)m->nbvhdynamic),
                             mju_norm(d->flexedge_length, (int)m->nflexedge),
                             mju_norm(d->flexedge_J, (int)m->nJfe),
                             mju_norm(d->flexedge_velocity, (int)m->nflexedge),
                             mju_norm(d->flexvert_length, 2 * (int)m->nflexvert),
                             mju_norm(d->flexvert_J, 2 * (int)m->nJfv),
                             mju_norm(d->qfrc_spring, (int)m->nv),
                             mju_norm(d->qfrc_damper, (int)m->nv)};
  for (int k = 0; k < 10; k++) {
    if (!(fabs(actual[k] - recorded[k].norm) <= 1e-10 * (1 + recorded[k].norm))) {
      CF_FAIL("%s: %.17g, recorded %.17g\n", recorded[k].array, actual[k], recorded[k].norm);
    }
  }
}


CF_TEST(flex__bent_model_of_all_kinds__norms_as_recorded) {
  static const recordedNorm recorded[10] = {{"flexvert_xpos", 8.8376995353148491},
                                            {"flexelem_aabb", 11.441140729063592},
                                            {"bvh_aabb_dyn", 14.047295872721518},
                                            {"flexedge_length", 1.3920637005612293},
                                            {"flexedge_J", 8.426149773176359},
                                            {"flexedge_velocity", 6.2487868827081714},
                                            {"flexvert_length", 0},
                                            {"flexvert_J", 0},
                                            {"qfrc_spring", 8.7055376362634913},
                                            {"qfrc_damper", 0.099726231706207577}};
  bentModel b = openBent("mjb/cloth");
  checkNorms(&b, recorded);
  closeBent(b);
}


CF_TEST(flex__strained_surfaces__norms_as_recorded) {
  static const recordedNorm recorded[10] = {
      {"flexvert_xpos", 2.5989137844629058},    {"flexelem_aabb", 2.7480223576984169},
      {"bvh_aabb_dyn", 3.8750575716441986},     {"flexedge_length", 0.86754303435477298},
      {"flexedge_J", 10.583005244258363},       {"flexedge_velocity", 6.8879996003673263},
      {"flexvert_length", 0.36433165246709248}, {"flexvert_J", 43.949973650647991},
      {"qfrc_spring", 0.019167427968560878},    {"qfrc_damper", 0.11622126029721642}};
  bentModel b = openBent("flex/strain");
  checkNorms(&b, recorded);
  closeBent(b);
}


// positions and what follows from them after a move of one dof
static void moveDof(const bentModel* b, const mjtNum* qpos, int dof, mjtNum distance) {
  mjtNum* move = calloc((size_t)b->m->nv, sizeof(mjtNum));
  move[dof] = distance;
  mju_copy(b->d->qpos, qpos, (int)b->m->nq);
  mj_integratePos(b->m, b->d->qpos, move, 1);
  mj_kinematics(b->m, b->d);
  mj_comPos(b->m, b->d);
  mj_flex(b->m, b->d);
  free(move);
}


static mjtNum entryOf(const mjtNum* J, const int* rownnz, const int* rowadr, const int* colind,
                      int row, int dof) {
  for (int j = rowadr[row]; j < rowadr[row] + rownnz[row]; j++) {
    if (colind[j] == dof) {
      return J[j];
    }
  }
  return 0;
}


// rows of lengths with a sparse Jacobian against central differences
static void checkRows(const char* name, bool strain) {
  bentModel b = openBent(name);
  const mjModel* m = b.m;
  const int n = strain ? 2 * (int)m->nflexvert : (int)m->nflexedge;
  const int* rownnz = strain ? m->flexvert_J_rownnz : m->flexedge_J_rownnz;
  const int* rowadr = strain ? m->flexvert_J_rowadr : m->flexedge_J_rowadr;
  const int* colind = strain ? m->flexvert_J_colind : m->flexedge_J_colind;
  const mjtNum* length = strain ? b.d->flexvert_length : b.d->flexedge_length;
  const int nJ = strain ? 2 * (int)m->nJfv : (int)m->nJfe;
  mjtNum* J = malloc(sizeof(mjtNum) * (size_t)nJ);
  mjtNum* plus = malloc(sizeof(mjtNum) * (size_t)n);
  mjtNum* qpos = malloc(sizeof(mjtNum) * (size_t)m->nq);
  mju_copy(J, strain ? b.d->flexvert_J : b.d->flexedge_J, nJ);
  mju_copy(qpos, b.d->qpos, (int)m->nq);
  for (int dof = 0; dof < m->nv; dof += 5) {
    const mjtNum eps = 1e-6;
    moveDof(&b, qpos, dof, eps);
    mju_copy(plus, length, n);
    moveDof(&b, qpos, dof, -eps);
    for (int row = 0; row < n; row++) {
      // rows that nobody multiplies by stay empty
      if (mju_norm(J + rowadr[row], rownnz[row]) > 0) {
        CF_NEAR(entryOf(J, rownnz, rowadr, colind, row, dof), (plus[row] - length[row]) / (2 * eps),
                2e-7);
      }
    }
  }
  free(qpos);
  free(plus);
  free(J);
  closeBent(b);
}


CF_TEST(edges__every_body_kind__jacobian_is_derivative_of_length) {
  checkRows("mjb/cloth", false);
  checkRows("flex/strain", false);
}


CF_TEST(strain__hinged_and_free_vertices__jacobian_is_derivative) {
  checkRows("flex/strain", true);
}


// vertices on bodies: grids are corotated, their force is no exact gradient
static mjtNum innerEnergy(const bentModel* b) {
  mjtNum energy = 0;
  for (int f = 0; f < b->m->nflex; f++) {
    energy += b->m->flex_interp[f] ? 0 : cfi_flexEnergy(b->m, b->d, f);
  }
  return energy;
}


static void checkForces(const char* name) {
  bentModel b = openBent(name);
  const mjModel* m = b.m;
  mjtNum* qpos = malloc(sizeof(mjtNum) * (size_t)m->nq);
  mjtNum* force = malloc(sizeof(mjtNum) * (size_t)m->nv);
  for (int f = 0; f < m->nflex; f++) {
    m->flex_edgestiffness[f] = m->flex_edgedamping[f] = m->flex_damping[f] = 0;
    if (m->flex_interp[f]) {
      m->flex_stiffness[21 * m->flex_elemadr[f]] = 0;
    }
  }
  mju_zero(b.d->qvel, (int)m->nv);
  mj_forward(m, b.d);
  mju_copy(force, b.d->qfrc_spring, (int)m->nv);
  mju_copy(qpos, b.d->qpos, (int)m->nq);
  CF_TRUE(mju_norm(force, (int)m->nv) > 1e-3);
  for (int dof = 0; dof < m->nv; dof += 3) {
    const mjtNum eps = 1e-6;
    moveDof(&b, qpos, dof, eps);
    const mjtNum plus = innerEnergy(&b);
    moveDof(&b, qpos, dof, -eps);
    CF_NEAR(force[dof], -(plus - innerEnergy(&b)) / (2 * eps), 1e-7);
  }
  free(force);
  free(qpos);
  closeBent(b);
}


CF_TEST(forces__bending_and_elasticity__minus_gradient_of_energy) {
  checkForces("mjb/cloth");
  checkForces("flex/strain");
}


CF_TEST(interpolation__weights_of_both_orders__sum_to_one_and_pick_nodes) {
  const mjtNum at[3] = {0.3, 0.8, 0.45};
  for (int order = 1; order <= 2; order++) {
    const int n = order + 1;
    mjtNum sum = 0, x = 0, z = 0;
    for (int node = 0; node < n * n * n; node++) {
      const mjtNum w = cfi_nodeWeight(at, node, order);
      sum += w;
      x += w * (node / (n * n)) / order;
      z += w * (node % n) / order;
    }
    CF_NEAR(sum, 1, 1e-14);
    CF_NEAR(x, at[0], 1e-14);
    CF_NEAR(z, at[2], 1e-14);
  }
  const mjtNum corner[3] = {1, 0, 1};
  CF_NEAR(cfi_nodeWeight(corner, 5, 1), 1, 0);
  CF_NEAR(cfi_nodeWeight(corner, 20, 2), 1, 0);
}


CF_TEST(grid__turned_and_moved__no_force) {
  // the interpolated block of the model, all nodes turned by 90 degrees about z
  bentModel b = openBent("mjb/cloth");
  const mjModel* m = b.m;
  int f = 0;
  while (!m->flex_interp[f]) {
    f++;
  }
  mj_resetData(m, b.d);
  mj_kinematics(m, b.d);
  for (int i = 0; i < m->flex_nodenum[f]; i++) {
    const int body = m->flex_nodebodyid[m->flex_nodeadr[f] + i];
    const mjtNum* x = b.d->xpos + 3 * body;
    mjtNum* q = b.d->qpos + m->jnt_qposadr[m->body_jntadr[body]];
    q[0] = -x[1] - x[0] + 0.2;
    q[1] = x[0] - x[1];
  }
  mj_forward(m, b.d);
  for (int i = 0; i < m->flex_nodenum[f]; i++) {
    const int body = m->flex_nodebodyid[m->flex_nodeadr[f] + i];
    CF_NEAR(mju_norm(b.d->qfrc_spring + m->body_dofadr[body], 3), 0, 1e-7);
  }
  closeBent(b);
}


CF_TEST(load__flex_rows_that_do_not_fit__refused) {
  // a row shorter than the dofs that move its edge
  char path[500];
  snprintf(path, sizeof(path), "%s/tests/data/flex/strain.mjb", CF_SOURCE_DIR);
  mjModel* m = mj_loadModel(path, NULL);
  CF_TRUE(m);
  const int size = (int)mj_sizeModel(m);
  void* buffer = malloc((size_t)size);
  m->flexedge_J_rownnz[2]--;
  mj_saveModel(m, NULL, buffer, size);
  CF_TRUE(!mj_loadModelBuffer(buffer, size));
  m->flexedge_J_rownnz[2]++;

  // a strain row that lacks a dof
  m->flexvert_J_colind[m->flexvert_J_rowadr[0]] = (int)m->nv - 1;
  mj_saveModel(m, NULL, buffer, size);
  CF_TRUE(!mj_loadModelBuffer(buffer, size));
  free(buffer);
  mj_deleteModel(m);
}


CF_TEST(load__flex_without_border__accepted) {
  // a closed rope has no shell, and its address is -1
  char path[500];
  snprintf(path, sizeof(path), "%s/tests/data/mjb/strip.mjb", CF_SOURCE_DIR);
  mjModel* m = mj_loadModel(path, NULL);
  CF_TRUE(m);
  m->flex_shellnum[1] = 0;
  m->flex_shelldataadr[1] = -1;
  const int size = (int)mj_sizeModel(m);
  void* buffer = malloc((size_t)size);
  mj_saveModel(m, NULL, buffer, size);
  mjModel* again = mj_loadModelBuffer(buffer, size);
  CF_TRUE(again);
  free(buffer);
  mj_deleteModel(again);
  mj_deleteModel(m);
}


CF_TEST_MAIN("flex/flex")
