// Arithmetic on the configuration space: qpos advanced by velocities, differences, unit quaternions.
#include "kinematics/configuration.h"

#include <mujoco/mujoco.h>

#include "math/inline.h"

// number of translations before the quaternion, or -1 for a joint without one
static inline int quatOffset(int type) {
  return type == mjJNT_FREE ? 3 : type == mjJNT_BALL ? 0 : -1;
}


// one joint: translations and scalars by addition, quaternions by rotation
static void integrateJoint(mjtNum* q, const mjtNum* v, int type, mjtNum dt) {
  const int quat = quatOffset(type);
  const int nscalar = quat < 0 ? 1 : quat;
  for (int k = 0; k < nscalar; k++) {
    q[k] += dt * v[k];
  }
  if (quat >= 0) {
    cfi_quatIntegrate(q + quat, v + quat, dt);
  }
}


void cfi_integratePos(const mjModel* m, mjtNum* qpos, const mjtNum* qvel, mjtNum dt,
                      cfIndexSet bodies) {
  for (int b = 1; b < bodies.count; b++) {
    const int i = cfi_at(bodies, b);
    for (int j = m->body_jntadr[i]; j < m->body_jntadr[i] + m->body_jntnum[i]; j++) {
      integrateJoint(qpos + m->jnt_qposadr[j], qvel + m->jnt_dofadr[j], m->jnt_type[j], dt);
    }
  }
}


void mj_integratePos(const mjModel* m, mjtNum* qpos, const mjtNum* qvel, mjtNum dt) {
  cfi_integratePos(m, qpos, qvel, dt, (cfIndexSet){NULL, (int)m->nbody});
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
