// Jacobians of points, axes and centers of mass, dense: 3 rows of nv columns.
#include <stdbool.h>
#include <string.h>

#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "kinematics/chain.h"
#include "math/inline.h"

static inline void clearRows3(mjtNum* jac, int nv) {
  memset(jac, 0, sizeof(mjtNum) * 3 * nv);
}


static inline void setColumn(mjtNum* jac, int nv, int dof, const mjtNum column[3]) {
  for (int k = 0; k < 3; k++) {
    jac[k * nv + dof] = column[k];
  }
}


void mj_jac(const mjModel* m, const mjData* d, mjtNum* jacp, mjtNum* jacr, const mjtNum point[3],
            int body) {
  const int nv = (int)m->nv;
  mjtNum offset[3] = {0, 0, 0};
  if (jacp) {
    clearRows3(jacp, nv);
    cfi_pointOffset(offset, m, d, point, body);
  }
  if (jacr) {
    clearRows3(jacr, nv);
  }

  for (int i = cfi_lastDof(m, body); i >= 0; i = m->dof_parentid[i]) {
    const mjtNum* cdof = d->cdof + 6 * i;
    if (jacp) {
      mjtNum column[3];
      cfi_pointColumn(column, cdof, offset);
      setColumn(jacp, nv, i, column);
    }
    if (jacr) {
      setColumn(jacr, nv, i, cdof);
    }
  }
}


// the four below differ in where the point is: origin of a frame listed in positions
static void jacOrigin(const mjModel* m, const mjData* d, mjtNum* jac[2], const mjtNum* positions,
                      int id, int body) {
  mj_jac(m, d, jac[0], jac[1], positions + 3 * id, body);
}


void mj_jacSite(const mjModel* m, const mjData* d, mjtNum* jacp, mjtNum* jacr, int site) {
  jacOrigin(m, d, (mjtNum*[]){jacp, jacr}, d->site_xpos, site, m->site_bodyid[site]);
}


void mj_jacBodyCom(const mjModel* m, const mjData* d, mjtNum* jacp, mjtNum* jacr, int body) {
  jacOrigin(m, d, (mjtNum*[]){jacp, jacr}, d->xipos, body, body);
}


void mj_jacGeom(const mjModel* m, const mjData* d, mjtNum* jacp, mjtNum* jacr, int geom) {
  jacOrigin(m, d, (mjtNum*[]){jacp, jacr}, d->geom_xpos, geom, m->geom_bodyid[geom]);
}


void mj_jacBody(const mjModel* m, const mjData* d, mjtNum* jacp, mjtNum* jacr, int body) {
  jacOrigin(m, d, (mjtNum*[]){jacp, jacr}, d->xpos, body, body);
}


// velocity of a point on body, and rate of an axis fixed to it: omega x axis
void mj_jacPointAxis(const mjModel* m, mjData* d, mjtNum* jacPoint, mjtNum* jacAxis,
                     const mjtNum point[3], const mjtNum axis[3], int body) {
  const int nv = (int)m->nv;
  if (jacPoint) {
    mj_jac(m, d, jacPoint, NULL, point, body);
  }
  if (!jacAxis) {
    return;
  }

  clearRows3(jacAxis, nv);
  for (int i = cfi_lastDof(m, body); i >= 0; i = m->dof_parentid[i]) {
    mjtNum rate[3];
    cfi_cross(rate, d->cdof + 6 * i, axis);
    setColumn(jacAxis, nv, i, rate);
  }
}


// end of the subtree of a body: bodies are in depth-first order
static int subtreeEnd(const mjModel* m, int body) {
  CF_ASSERT_INDEX(body, m->nbody);
  int b = body + 1;
  while (b < m->nbody && m->body_parentid[b] >= body) {
    b++;
  }
  return b;
}


// mass-weighted mean of the Jacobians of the inertial frames
void mj_jacSubtreeCom(const mjModel* m, mjData* d, mjtNum* jacp, int body) {
  const int nv = (int)m->nv, end = subtreeEnd(m, body);
  const mjtNum scale = 1 / m->body_subtreemass[body];
  clearRows3(jacp, nv);

  for (int b = body; b < end; b++) {
    mjtNum offset[3];
    cfi_pointOffset(offset, m, d, d->xipos + 3 * b, b);
    for (int i = cfi_lastDof(m, b); i >= 0; i = m->dof_parentid[i]) {
      mjtNum column[3];
      cfi_pointColumn(column, d->cdof + 6 * i, offset);
      for (int k = 0; k < 3; k++) {
        jacp[k * nv + i] += m->body_mass[b] * column[k];
      }
    }
  }

  for (int k = 0; k < 3 * nv; k++) {
    jacp[k] *= scale;
  }
}


// rate of one motion axis; axes of quaternion joints turn with their own body
static void axisRate(mjtNum rate[6], const mjModel* m, const mjData* d, int dof) {
  CF_ASSERT_INDEX(dof, m->nv);
  const int joint = m->dof_jntid[dof], type = m->jnt_type[joint];
  const bool in_free_turn = type == mjJNT_FREE && dof >= m->jnt_dofadr[joint] + 3;
  if (type == mjJNT_BALL || in_free_turn) {
    cfi_crossMotion(rate, d->cvel + 6 * m->dof_bodyid[dof], d->cdof + 6 * dof);
  } else {
    cfi_copy6(rate, d->cdof_dot + 6 * dof);
  }
}


// time derivative of mj_jac; the point moves with the body
void mj_jacDot(const mjModel* m, const mjData* d, mjtNum* jacp, mjtNum* jacr, const mjtNum point[3],
               int body) {
  const int nv = (int)m->nv;
  const mjtNum* com = d->subtree_com + 3 * m->body_rootid[body];
  mjtNum offset[3], velocity[6];
  cfi_sub3(offset, point, com);
  cfi_transformSpatial(velocity, d->cvel + 6 * body, 0, point, com, NULL);
  if (jacp) {
    clearRows3(jacp, nv);
  }
  if (jacr) {
    clearRows3(jacr, nv);
  }

  for (int i = cfi_lastDof(m, body); i >= 0; i = m->dof_parentid[i]) {
    mjtNum rate[6];
    axisRate(rate, m, d, i);
    if (jacr) {
      setColumn(jacr, nv, i, rate);
    }
    if (jacp) {
      // d/dt (linear + angular x offset): the axis varies, and the point moves
      mjtNum column[3], drift[3];
      cfi_pointColumn(column, rate, offset);
      cfi_cross(drift, d->cdof + 6 * i, velocity + 3);
      cfi_addTo3(column, drift);
      setColumn(jacp, nv, i, column);
    }
  }
}


// angular momentum of one body about center, per unit of a dof that moves it
static void momentumColumn(mjtNum res[3], const mjModel* m, const mjData* d, int body,
                           const mjtNum center[3], const mjtNum cdof[6], const mjtNum offset[3]) {
  CF_ASSERT_INDEX(body, m->nbody);
  const mjtNum *ximat = d->ximat + 9 * body, *inertia = m->body_inertia + 3 * body;
  mjtNum spin[3], arm[3], linear[3], orbital[3];

  // R*diag(I)*R'*omega
  cfi_mulMatTVec3(spin, ximat, cdof);
  cfi_set3(spin, spin[0] * inertia[0], spin[1] * inertia[1], spin[2] * inertia[2]);
  cfi_mulMatVec3(res, ximat, spin);

  // arm x mass*v
  cfi_sub3(arm, d->xipos + 3 * body, center);
  cfi_pointColumn(linear, cdof, offset);
  cfi_cross(orbital, arm, linear);
  cfi_addToScl3(res, orbital, m->body_mass[body]);
}


// matrix that maps qvel to the angular momentum of a subtree about its com
void mj_angmomMat(const mjModel* m, mjData* d, mjtNum* mat, int body) {
  const int nv = (int)m->nv, end = subtreeEnd(m, body);
  clearRows3(mat, nv);

  for (int b = body; b < end; b++) {
    mjtNum offset[3];
    cfi_pointOffset(offset, m, d, d->xipos + 3 * b, b);
    for (int i = cfi_lastDof(m, b); i >= 0; i = m->dof_parentid[i]) {
      mjtNum column[3];
      momentumColumn(column, m, d, b, d->subtree_com + 3 * body, d->cdof + 6 * i, offset);
      for (int k = 0; k < 3; k++) {
        mat[k * nv + i] += column[k];
      }
    }
  }
}
