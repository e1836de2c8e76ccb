// Velocities of bodies and of subtrees.
#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "dynamics/runs.h"
#include "math/inline.h"
#include "model/indexset.h"
#include "model/jointkind.h"

// rates of three rotation axes, all with the velocity before the joint, then the joint's own
// velocity
static void ballVelocity(mjtNum cvel[6], mjtNum* cdof_dot, const mjtNum* cdof, const mjtNum* qvel) {
  mjtNum own[6];
  for (int k = 0; k < 3; k++) {
    cfi_crossMotion(cdof_dot + 6 * k, cvel, cdof + 6 * k);
  }
  cfi_mulDofVec(own, cdof, qvel, 3);
  cfi_addTo6(cvel, own);
}


// ball and free joints; the translation axes of the latter are fixed in the world
static void quatJointVelocity(mjtNum cvel[6], const mjModel* m, mjData* d, int joint) {
  CF_ASSERT(m->jnt_type[joint] == mjJNT_FREE || m->jnt_type[joint] == mjJNT_BALL);
  const int dof = m->jnt_dofadr[joint];
  const mjtNum *cdof = d->cdof + 6 * dof, *qvel = d->qvel + dof;
  mjtNum* cdof_dot = d->cdof_dot + 6 * dof;
  if (m->jnt_type[joint] == mjJNT_BALL) {
    ballVelocity(cvel, cdof_dot, cdof, qvel);
    return;
  }

  mjtNum own[6];
  for (int k = 0; k < 3; k++) {
    cfi_zero6(cdof_dot + 6 * k);
  }
  cfi_mulDofVec(own, cdof, qvel, 3);
  cfi_addTo6(cvel, own);
  ballVelocity(cvel, cdof_dot + 18, cdof + 18, qvel + 3);
}


// velocity of a body from that of its parent, joint by joint, and the rates of its axes
static inline __attribute__((always_inline)) void bodyVelocity(const mjModel* m, mjData* d,
                                                               int body) {
  CF_ASSERT(body > 0 && body < m->nbody && m->body_parentid[body] < body);
  const mjtNum* parent = d->cvel + 6 * m->body_parentid[body];
  const int first = m->body_jntadr[body], end = first + m->body_jntnum[body];
  mjtNum cvel[6];
  cfi_copy6(cvel, parent);
  for (int j = first; j < end; j++) {
    const int type = m->jnt_type[j];
    if (cfi_isScalarJoint(type)) {
      // before or after the joint is the same here: an axis does not move itself
      const int dof = m->jnt_dofadr[j];
      const mjtNum* cdof = d->cdof + 6 * dof;
      cfi_crossMotion(d->cdof_dot + 6 * dof, cvel, cdof);
      cfi_addToScl6(cvel, cdof, d->qvel[dof]);
    } else {
      // through a copy, so that cvel itself can stay in registers
      mjtNum moved[6];
      cfi_copy6(moved, cvel);
      quatJointVelocity(moved, m, d, j);
      cfi_copy6(cvel, moved);
    }
  }
  cfi_copy6(d->cvel + 6 * body, cvel);
}


// stage COMVEL.  reads: qvel, cdof.  writes: cvel, cdof_dot.
void mj_comVel(const mjModel* m, mjData* d) {
  const cfIndexSet bodies = cfi_awakeBodies(m, d);
  cfi_zero6(d->cvel);
  for (int b = 1; b < bodies.count; b++) {
    bodyVelocity(m, d, cfi_at(bodies, b));
  }
}


void cfi_comVelWorld(mjData* d) {
  cfi_zero6(d->cvel);
}


void cfi_comVelRun(const mjModel* m, mjData* d, cfIndexSet bodies) {
  for (int b = 0; b < bodies.count; b++) {
    bodyVelocity(m, d, cfi_at(bodies, b));
  }
}


// linear and angular momentum of one body about its own com
static void bodyMomentum(const mjModel* m, mjData* d, int i, const mjtNum velocity[6]) {
  CF_ASSERT_INDEX(i, m->nbody);
  const mjtNum *ximat = d->ximat + 9 * i, *inertia = m->body_inertia + 3 * i;
  mjtNum spin[3];
  cfi_scl3(d->subtree_linvel + 3 * i, velocity + 3, m->body_mass[i]);
  cfi_mulMatTVec3(spin, ximat, velocity);
  cfi_set3(spin, spin[0] * inertia[0], spin[1] * inertia[1], spin[2] * inertia[2]);
  cfi_mulMatVec3(d->subtree_angmom + 3 * i, ximat, spin);
}


// a point mass for the sums of momenta
typedef struct {
  mjtNum mass;
  const mjtNum *pos, *vel;
} cfMassPoint;


// angular momentum of a mass that moves relative to a center
static void addOrbital(mjtNum res[3], cfMassPoint p, const mjtNum center[3],
                       const mjtNum center_vel[3]) {
  mjtNum arm[3], momentum[3], orbital[3];
  cfi_sub3(momentum, p.vel, center_vel);
  cfi_scl3(momentum, momentum, p.mass);
  cfi_sub3(arm, p.pos, center);
  cfi_cross(orbital, arm, momentum);
  cfi_addTo3(res, orbital);
}


// reads: cvel, xipos, ximat, subtree_com.  writes: subtree_linvel, subtree_angmom.
void mj_subtreeVel(const mjModel* m, mjData* d) {
  const cfIndexSet bodies = cfi_awakeBodies(m, d);
  mj_markStack(d);
  mjtNum* velocity = mj_stackAllocNum(d, 6 * m->nbody);

  for (int b = 0; b < bodies.count; b++) {
    const int i = cfi_at(bodies, b);
    mj_objectVelocity(m, d, mjOBJ_BODY, i, velocity + 6 * i, 0);
    bodyMomentum(m, d, i, velocity + 6 * i);
  }

  // linear: momenta add up along the tree, then become velocities
  for (int b = bodies.count - 1; b >= 0; b--) {
    const int i = cfi_at(bodies, b);
    mjtNum* linvel = d->subtree_linvel + 3 * i;
    if (i) {
      cfi_addTo3(d->subtree_linvel + 3 * m->body_parentid[i], linvel);
    }
    cfi_scl3(linvel, linvel, 1 / cfi_max(mjMINVAL, m->body_subtreemass[i]));
  }

  // angular: the body about its subtree's com, then the subtree about its parent's
  for (int b = bodies.count - 1; b > 0; b--) {
    const int i = cfi_at(bodies, b), up = m->body_parentid[i];
    const cfMassPoint body = {m->body_mass[i], d->xipos + 3 * i, velocity + 6 * i + 3};
    const cfMassPoint tree = {m->body_subtreemass[i], d->subtree_com + 3 * i,
                              d->subtree_linvel + 3 * i};
    addOrbital(d->subtree_angmom + 3 * i, body, tree.pos, tree.vel);
    cfi_addTo3(d->subtree_angmom + 3 * up, d->subtree_angmom + 3 * i);
    addOrbital(d->subtree_angmom + 3 * up, tree, d->subtree_com + 3 * up,
               d->subtree_linvel + 3 * up);
  }
  mj_freeStack(d);
  d->flg_subtreevel = 1;
}
