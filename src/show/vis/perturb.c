// The selected body: where the mouse takes it, and the force that pulls it there.
#include <math.h>
#include <stdbool.h>

#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "math/inline.h"
#include "vis/space.h"


static bool isBody(const mjModel* m, int body) {
  return body > 0 && body < m->nbody;
}


// orientation of the inertial frame of a body
static void inertialQuat(mjtNum quat[4], const mjModel* m, const mjData* d, int body) {
  cfi_mulQuat(quat, d->xquat + 4 * body, m->body_iquat + 4 * body);
}


// the selected point in the world
static void grabbedPoint(mjtNum point[3], const mjData* d, const mjvPerturb* pert) {
  cfi_mulMatVec3(point, d->xmat + 9 * pert->select, pert->localpos);
  cfi_addTo3(point, d->xpos + 3 * pert->select);
}


// inertia felt at a point, averaged over directions: 3 / trace(J inv(M) J^T)
static mjtNum pointMass(const mjModel* m, mjData* d, const mjtNum point[3], int body) {
  CF_ASSERT_INDEX(body, m->nbody);
  mj_markStack(d);
  const size_t nv = (size_t)m->nv;
  mjtNum* jac = mj_stackAllocNum(d, 3 * nv);
  mjtNum* half = mj_stackAllocNum(d, 3 * nv);
  mjtNum* root = mj_stackAllocNum(d, nv);
  for (size_t i = 0; i < nv; i++) {
    root[i] = sqrt(d->qLDiagInv[i]);
  }
  mj_jac(m, d, jac, NULL, point, body);
  mj_solveM2(m, d, half, jac, root, 3);

  mjtNum trace = 0;
  for (int k = 0; k < 3; k++) {
    trace += mju_dot(half + k * m->nv, half + k * m->nv, (int)m->nv);
  }
  mj_freeStack(d);
  return trace == 0 ? 1 : 3 / cfi_max(trace, mjMINVAL);
}


void mjv_initPerturb(const mjModel* m, mjData* d, const mjvScene* scn, mjvPerturb* pert) {
  const int body = pert->select, flex = pert->flexselect;
  if (!isBody(m, body)) {
    return;
  }

  // the target starts where the body is
  mjtNum point[3];
  grabbedPoint(point, d, pert);
  cfi_copy3(pert->refselpos, point);
  cfi_copy3(pert->refpos, d->xipos + 3 * body);
  inertialQuat(pert->refquat, m, d, body);

  // a vertex of a flex drags its neighbors along
  pert->localmass = pointMass(m, d, point, body);
  if (flex >= 0 && !m->flex_rigid[flex]) {
    pert->localmass *= 2.0 * m->flex_edgenum[flex] / m->flex_vertnum[flex];
  }

  // the selected point follows the mouse
  const cfEye eye = cfi_eyeInModel(scn);
  mjtNum offset[3];
  cfi_sub3(offset, point, eye.pos);
  pert->scale = mjv_frustumHeight(scn) * cfi_dot3(offset, eye.forward);
  if (scn->camera[0].orthographic) {
    pert->scale *= 0.15;
  }
}


// position of a body that floats freely, NULL for others; its quaternion follows
static mjtNum* freeJointPose(const mjModel* m, mjData* d, int body) {
  const int joint = m->body_jntadr[body];
  const bool is_free = m->body_jntnum[body] == 1 && m->jnt_type[joint] == mjJNT_FREE;
  return is_free ? d->qpos + m->jnt_qposadr[joint] : NULL;
}


// move the root of a tree so that one of its bodies gets the given pose
static void placeByRoot(mjtNum* root, const mjData* d, int body, const mjtNum pos[3],
                        const mjtNum quat[4]) {
  CF_ASSERT(body > 0);
  mjtNum inverse_pos[3], inverse_quat[4], relative_pos[3], relative_quat[4], new_pos[3],
      new_quat[4];
  mju_negPose(inverse_pos, inverse_quat, d->xpos + 3 * body, d->xquat + 4 * body);
  mju_mulPose(relative_pos, relative_quat, inverse_pos, inverse_quat, root, root + 3);
  mju_mulPose(new_pos, new_quat, pos, quat, relative_pos, relative_quat);
  cfi_copy3(root, new_pos);
  cfi_copy4(root + 3, new_quat);
}


void mjv_applyPerturbPose(const mjModel* m, mjData* d, const mjvPerturb* pert, int flg_paused) {
  const int body = pert->select;
  if (!isBody(m, body) || !(pert->active | pert->active2)) {
    return;
  }

  // the target is that of the inertial frame; find the body frame
  mjtNum inverse_pos[3], inverse_quat[4], pos[3], quat[4];
  mju_negPose(inverse_pos, inverse_quat, m->body_ipos + 3 * body, m->body_iquat + 4 * body);
  mju_mulPose(pos, quat, pert->refpos, pert->refquat, inverse_pos, inverse_quat);

  const int mocap = m->body_mocapid[body];
  mjtNum* own = flg_paused ? freeJointPose(m, d, body) : NULL;
  mjtNum* root = flg_paused ? freeJointPose(m, d, m->body_rootid[body]) : NULL;
  if (mocap >= 0) {
    cfi_copy3(d->mocap_pos + 3 * mocap, pos);
    cfi_copy4(d->mocap_quat + 4 * mocap, quat);
  } else if (own) {
    cfi_copy3(own, pos);
    cfi_copy4(own + 3, quat);
  } else if (root) {
    placeByRoot(root, d, body, pos, quat);
  }
}


// spring from the selected point to its target, critically damped, with the torque it makes about
// the center of mass and damping of rotation about the line of pull
static void mouseForce(const mjModel* m, const mjData* d, const mjvPerturb* pert,
                       const mjtNum velocity[6], mjtNum inertia, mjtNum force[3],
                       mjtNum torque[3]) {
  const mjtNum *rotation = velocity, *translation = velocity + 3;
  mjtNum point[3], pull[3], arm[3], point_velocity[3];
  grabbedPoint(point, d, pert);
  cfi_sub3(pull, point, pert->refselpos);
  cfi_sub3(arm, point, d->xipos + 3 * pert->select);
  cfi_cross(point_velocity, rotation, arm);
  cfi_addTo3(point_velocity, translation);

  const mjtNum stiffness = m->vis.map.stiffness;
  cfi_scl3(force, pull, -stiffness * pert->localmass);
  cfi_addToScl3(force, point_velocity, -sqrt(stiffness) * pert->localmass);
  cfi_cross(torque, arm, force);
  cfi_normalize3(pull);
  cfi_addToScl3(torque, pull, -sqrt(m->vis.map.stiffnessrot) * inertia * cfi_dot3(pull, rotation));
}


// torsional spring toward the target orientation, critically damped
static void turnTorque(const mjModel* m, const mjData* d, const mjvPerturb* pert,
                       const mjtNum rotation[3], mjtNum inertia, mjtNum torque[3]) {
  const mjtNum stiffness = m->vis.map.stiffnessrot, damping = sqrt(stiffness);
  mjtNum inertial[4], inverse[4], relative[4], angle[3];
  inertialQuat(inertial, m, d, pert->select);
  cfi_negQuat(inverse, inertial);
  cfi_mulQuat(relative, pert->refquat, inverse);
  cfi_quat2Vel(angle, relative, 1);
  for (int k = 0; k < 3; k++) {
    torque[k] = inertia * (stiffness * angle[k] - damping * rotation[k]);
  }
}


void mjv_applyPerturbForce(const mjModel* m, mjData* d, const mjvPerturb* pert) {
  const int body = pert->select, active = pert->active | pert->active2;
  if (body < 0 || body >= m->nbody || !active) {
    return;
  }
  mjtNum velocity[6];
  mj_objectVelocity(m, d, mjOBJ_BODY, body, velocity, 0);
  const mjtNum inverse = m->body_invweight0[2 * body + 1];
  const mjtNum inertia = inverse ? 1.0 / cfi_max(mjMINVAL, inverse) : 1;

  mjtNum* force = d->xfrc_applied + 6 * body;
  if (active & mjPERT_TRANSLATE) {
    mouseForce(m, d, pert, velocity, inertia, force, force + 3);
  }
  if (active & mjPERT_ROTATE) {
    turnTorque(m, d, pert, velocity, inertia, force + 3);
  }
}
