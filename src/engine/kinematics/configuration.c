// Arithmetic on the configuration space: qpos advanced by velocities, differences, unit
// quaternions.
#include "kinematics/configuration.h"

#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "law/number_one.h"
#include "model/jointkind.h"

#include "law/joints.h"
#include "math/inline.h"

// number of translations before the quaternion, or -1 for a joint without one
static inline int quatOffset(int type) {
  return cfi_hasQuat(type) ? cfi_jointLinear(type) : -1;
}


// joints with a quaternion are seldom
static __attribute__((noinline)) void integrateQuatJoint(mjtNum* q, const mjtNum* v, int type,
                                                         mjtNum dt) {
  CF_ASSERT(cfi_hasQuat(type));
  lawAdvanceJoint(q, v, type, dt);
}


// some joints, one after the other
static inline void integrateJoints(const mjModel* m, mjtNum* qpos, const mjtNum* qvel, mjtNum dt,
                                   int first, int end) {
  for (int j = first; j < end; j++) {
    const int type = m->jnt_type[j], q = m->jnt_qposadr[j], v = m->jnt_dofadr[j];
    if (!cfi_hasQuat(type)) {
      qpos[q] += dt * qvel[v];
    } else {
      integrateQuatJoint(qpos + q, qvel + v, type, dt);
    }
  }
}


void cfi_integrateRun(const mjModel* m, mjtNum* qpos, const mjtNum* qvel, mjtNum dt,
                      cfIndexSet joints) {
  CF_ASSERT(!joints.index && joints.first + joints.count <= m->njnt);
  integrateJoints(m, qpos, qvel, dt, joints.first, joints.first + joints.count);
}


void cfi_integratePos(const mjModel* m, mjtNum* qpos, const mjtNum* qvel, mjtNum dt,
                      cfIndexSet bodies) {
  CF_ASSERT(bodies.count >= 0 && bodies.count <= m->nbody);
  if (!bodies.index) {
    integrateJoints(m, qpos, qvel, dt, 0, (int)m->njnt);
    return;
  }
  for (int b = 1; b < bodies.count; b++) {
    const int i = cfi_at(bodies, b), first = m->body_jntadr[i];
    integrateJoints(m, qpos, qvel, dt, first, first + m->body_jntnum[i]);
  }
}


void mj_integratePos(const mjModel* m, mjtNum* qpos, const mjtNum* qvel, mjtNum dt) {
  cfi_integratePos(m, qpos, qvel, dt, (cfIndexSet){NULL, (int)m->nbody, 0});
}


// the velocity that leads from qpos1 to qpos2 within dt
void mj_differentiatePos(const mjModel* m, mjtNum* qvel, mjtNum dt, const mjtNum* qpos1,
                         const mjtNum* qpos2) {
  for (int j = 0; j < m->njnt; j++) {
    const mjtNum *from = qpos1 + m->jnt_qposadr[j], *to = qpos2 + m->jnt_qposadr[j];
    mjtNum* v = qvel + m->jnt_dofadr[j];
    const int quat = quatOffset(m->jnt_type[j]);
    const int nscalar = quat < 0 ? 1 : quat;

    for (int k = 0; k < nscalar; k++) {
      v[k] = (to[k] - from[k]) / dt;
    }
    if (quat >= 0) {
      cfi_subQuat(v + quat, to + quat, from + quat);
      cfi_scl3(v + quat, v + quat, 1 / dt);
    }
  }
}


void mj_normalizeQuat(const mjModel* m, mjtNum* qpos) {
  for (int j = 0; j < m->njnt; j++) {
    const int quat = quatOffset(m->jnt_type[j]);
    if (quat >= 0) {
      cfi_normalize4(qpos + m->jnt_qposadr[j] + quat);
    }
  }
}
