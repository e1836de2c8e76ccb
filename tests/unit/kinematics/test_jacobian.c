// Kinematic consistency: frames, Jacobians, velocities and configurations against each other.
#include "cf_test.h"

#include <stdbool.h>

#include "cf_smooth.h"
#include "kinematics/chain.h"

enum { NSTATE = 4, MAXQ = 100 };
static const mjtNum kEps = 1e-6;


// res = J*v for a 3 x nv matrix
static void mulJac(mjtNum res[3], const mjtNum* jac, const mjtNum* v, int nv) {
  mju_mulMatVec(res, jac, v, 3, nv);
}


CF_TEST(kinematics__random_states__frames_are_orthonormal) {
  cfCase c = cf_openCase("zoo");
  for (unsigned seed = 1; seed <= NSTATE; seed++) {
    cf_randomState(c, seed);
    cf_runPosition(c);
    for (int i = 0; i < c.m->nbody; i++) {
      mjtNum product[9];
      mju_mulMatMatT(product, c.d->xmat + 9 * i, c.d->xmat + 9 * i, 3, 3, 3);
      for (int k = 0; k < 9; k++) {
        CF_NEAR(product[k], k % 4 == 0, 1e-14);
      }
      CF_NEAR(mju_norm(c.d->xquat + 4 * i, 4), 1, 1e-14);
    }
  }
  cf_closeCase(c);
}


static bool isInSubtree(const mjModel* m, int body, int root) {
  while (body > root) {
    body = m->body_parentid[body];
  }
  return body == root;
}


CF_TEST(comPos__all_subtrees__centers_are_weighted_means) {
  cfCase c = cf_openCase("zoo");
  for (unsigned seed = 1; seed <= NSTATE; seed++) {
    cf_randomState(c, seed);
    cf_runPosition(c);
    for (int root = 0; root < c.m->nbody; root++) {
      mjtNum moment[3] = {0, 0, 0}, mass = 0;
      for (int i = root; i < c.m->nbody; i++) {
        if (isInSubtree(c.m, i, root)) {
          mju_addToScl3(moment, c.d->xipos + 3 * i, c.m->body_mass[i]);
          mass += c.m->body_mass[i];
        }
      }
      for (int k = 0; k < 3 && mass > mjMINVAL; k++) {
        CF_NEAR(c.d->subtree_com[3 * root + k], moment[k] / mass, 1e-13);
      }
    }
  }
  cf_closeCase(c);
}


CF_TEST(jacobian__body_points__finite_difference_of_position) {
  cfCase c = cf_openCase("zoo");
  const int nv = (int)c.m->nv;
  mjtNum qpos[MAXQ], jac[3 * MAXQ], ahead[200];
  cf_randomState(c, 2);
  memcpy(qpos, c.d->qpos, sizeof(mjtNum) * c.m->nq);
  for (int i = 0; i < nv; i++) {
    cf_nudge(c, qpos, i, kEps);
    cf_runPosition(c);
    memcpy(ahead, c.d->site_xpos, sizeof(mjtNum) * 3 * c.m->nsite);
    cf_nudge(c, qpos, i, -kEps);
    cf_runPosition(c);
    for (int k = 0; k < 3 * c.m->nsite; k++) {
      ahead[k] = (ahead[k] - c.d->site_xpos[k]) / (2 * kEps);
    }
    memcpy(c.d->qpos, qpos, sizeof(mjtNum) * c.m->nq);
    cf_runPosition(c);
    for (int s = 0; s < c.m->nsite; s++) {
      mj_jacSite(c.m, c.d, jac, NULL, s);
      for (int k = 0; k < 3; k++) {
        CF_NEAR(jac[k * nv + i], ahead[3 * s + k], 1e-7);
      }
    }
  }
  cf_closeCase(c);
}


CF_TEST(jacobian__times_qvel__velocity_of_object) {
  cfCase c = cf_openCase("zoo");
  const int nv = (int)c.m->nv;
  mjtNum jacp[3 * MAXQ], jacr[3 * MAXQ], velocity[6], product[6];
  for (unsigned seed = 1; seed <= NSTATE; seed++) {
    cf_randomState(c, seed);
    cf_runVelocity(c);
    for (int i = 0; i < c.m->nbody; i++) {
      mj_jacBodyCom(c.m, c.d, jacp, jacr, i);
      mulJac(product, jacr, c.d->qvel, nv);
      mulJac(product + 3, jacp, c.d->qvel, nv);
      mj_objectVelocity(c.m, c.d, mjOBJ_BODY, i, velocity, 0);
      CF_NEAR_ARRAY(velocity, product, 6, 1e-13);
    }
    for (int i = 0; i < c.m->ngeom; i++) {
      mj_jacGeom(c.m, c.d, jacp, jacr, i);
      mulJac(product, jacr, c.d->qvel, nv);
      mulJac(product + 3, jacp, c.d->qvel, nv);
      mj_objectVelocity(c.m, c.d, mjOBJ_GEOM, i, velocity, 0);
      CF_NEAR_ARRAY(velocity, product, 6, 1e-13);
    }
  }
  cf_closeCase(c);
}


CF_TEST(jacobian__of_subtrees__linear_and_angular_momentum) {
  cfCase c = cf_openCase("zoo");
  const int nv = (int)c.m->nv;
  mjtNum jac[3 * MAXQ], product[3];
  cf_randomState(c, 3);
  cf_runVelocity(c);
  mj_subtreeVel(c.m, c.d);
  for (int i = 0; i < c.m->nbody; i++) {
    mj_jacSubtreeCom(c.m, c.d, jac, i);
    mulJac(product, jac, c.d->qvel, nv);
    CF_NEAR_ARRAY(c.d->subtree_linvel + 3 * i, product, 3, 1e-13);
    mj_angmomMat(c.m, c.d, jac, i);
    mulJac(product, jac, c.d->qvel, nv);
    CF_NEAR_ARRAY(c.d->subtree_angmom + 3 * i, product, 3, 1e-12);
  }
  cf_closeCase(c);
}


CF_TEST(jacDot__random_states__finite_difference_along_qvel) {
  cfCase c = cf_openCase("zoo");
  const int nv = (int)c.m->nv;
  mjtNum qpos[MAXQ], dot[6 * MAXQ], jac[2][6 * MAXQ];
  const int body = (int)c.m->nbody - 5;
  cf_randomState(c, 4);
  memcpy(qpos, c.d->qpos, sizeof(mjtNum) * c.m->nq);
  cf_runVelocity(c);
  mj_jacDot(c.m, c.d, dot, dot + 3 * nv, c.d->xpos + 3 * body, body);
  for (int k = 0; k < 2; k++) {
    memcpy(c.d->qpos, qpos, sizeof(mjtNum) * c.m->nq);
    mj_integratePos(c.m, c.d->qpos, c.d->qvel, k ? kEps : -kEps);
    cf_runPosition(c);
    mj_jacBody(c.m, c.d, jac[k], jac[k] + 3 * nv, body);
  }
  for (int k = 0; k < 6 * nv; k++) {
    CF_NEAR(dot[k], (jac[1][k] - jac[0][k]) / (2 * kEps), 1e-7);
  }
  cf_closeCase(c);
}


CF_TEST(configuration__integrate_then_differentiate__gives_the_velocity_back) {
  cfCase c = cf_openCase("zoo");
  mjtNum moved[MAXQ], velocity[MAXQ];
  for (unsigned seed = 1; seed <= NSTATE; seed++) {
    cf_randomState(c, seed);
    memcpy(moved, c.d->qpos, sizeof(mjtNum) * c.m->nq);
    mj_integratePos(c.m, moved, c.d->qvel, 0.3);
    mj_differentiatePos(c.m, velocity, 0.3, c.d->qpos, moved);
    CF_NEAR_ARRAY(velocity, c.d->qvel, c.m->nv, 1e-13);
  }
  cf_closeCase(c);
}


CF_TEST(applyFT__random_wrench__power_is_that_of_the_point) {
  cfCase c = cf_openCase("zoo");
  const mjtNum force[3] = {1, -2, 3}, torque[3] = {0.3, 0.2, -0.1};
  mjtNum qfrc[MAXQ] = {0}, velocity[6];
  const int body = mj_name2id(c.m, mjOBJ_BODY, "finger");
  cf_randomState(c, 5);
  cf_runVelocity(c);
  mj_applyFT(c.m, c.d, force, torque, c.d->xipos + 3 * body, body, qfrc);
  mj_objectVelocity(c.m, c.d, mjOBJ_BODY, body, velocity, 0);
  CF_NEAR(mju_dot(qfrc, c.d->qvel, (int)c.m->nv),
          mju_dot3(force, velocity + 3) + mju_dot3(torque, velocity), 1e-13);
  cf_closeCase(c);
}


// does a dof move a body: is its body an ancestor, or the body itself
static int movesBody(const mjModel* m, int dof, int body) {
  for (; body > 0; body = m->body_parentid[body]) {
    if (m->dof_bodyid[dof] == body) {
      return 1;
    }
  }
  return 0;
}


static void checkPairChains(const mjModel* m) {
  int dof[MAXQ], moves[MAXQ];
  cfPairChain chain = cfi_makePairChain(dof, moves);
  for (int a = 0; a < m->nbody; a++) {
    for (int b = 0; b < m->nbody; b++) {
      int count = 0;
      cfi_pairChain(m, a, b, &chain);
      for (int v = 0; v < m->nv; v++) {
        const int which =
            movesBody(m, v, a) * CF_MOVES_FIRST + movesBody(m, v, b) * CF_MOVES_SECOND;
        if (which) {
          CF_TRUE(count < chain.count);
          CF_EQ_INT(dof[count], v);
          CF_EQ_INT(moves[count], which);
          count++;
        }
      }
      CF_EQ_INT(chain.count, count);
      CF_EQ_INT(cfi_pairChainCount(m, a, b), count);
    }
  }
}


CF_TEST(pair_chain__all_pairs_of_bodies__dofs_that_move_one_of_them_in_order) {
  cfCase c = cf_openCase("zoo");
  checkPairChains(c.m);
  cf_closeCase(c);

  // dofs with an inertia of their own
  char error[300] = "";
  mjModel* m = mj_loadXML(CF_SOURCE_DIR "/models/grasp.xml", NULL, error, sizeof(error));
  CF_TRUE(m != NULL && m->nv <= MAXQ);
  int simple = 0;
  for (int v = 0; v < m->nv; v++) {
    simple += m->dof_simplenum[v] > 0;
  }
  CF_TRUE(simple > 0 && simple < m->nv);
  checkPairChains(m);
  mj_deleteModel(m);
}


CF_TEST_MAIN("kinematics/jacobian")
