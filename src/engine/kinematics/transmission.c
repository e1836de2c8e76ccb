// Stage that computes actuator lengths and moments; transmissions to joints and tendons.
#include "kinematics/transmission.h"

#include <string.h>

#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "kinematics/frame.h"
#include "kinematics/runs.h"
#include "kinematics/tendon.h"
#include "model/awake.h"
#include "model/jointkind.h"

// consecutive dofs of a joint, moments as they are
static void setJointRow(cfTransmission* t, int dof, const mjtNum* moment, int count) {
  CF_ASSERT(count > 0 && count <= 6);
  for (int k = 0; k < count; k++) {
    t->moment[k] = moment[k];
    t->colind[k] = dof + k;
  }
  t->nnz = count;
}


// gear about axes of the child frame, or of the parent frame seen from the child
static void turnGear(mjtNum res[3], const mjtNum gear[3], const mjtNum quat[4], bool in_parent) {
  if (!in_parent) {
    cfi_copy3(res, gear);
    return;
  }
  mjtNum inverse[4];
  cfi_negQuat(inverse, quat);
  cfi_turn(res, gear, inverse);
}


// ball joint: the length is the rotation vector along the gear
static mjtNum transmitBall(const mjModel* m, const mjData* d, cfTransmission* t, bool in_parent) {
  const int joint = t->id[0];
  mjtNum quat[4], rotation[3], axis[3];
  cfi_copy4(quat, d->qpos + m->jnt_qposadr[joint]);
  cfi_unitize4(quat);
  cfi_quat2Vel(rotation, quat, 1);
  turnGear(axis, t->gear, quat, in_parent);
  setJointRow(t, m->jnt_dofadr[joint], axis, 3);
  return cfi_dot3(rotation, axis);
}


// free joint: a wrench, without a meaningful length
static mjtNum transmitFree(const mjModel* m, const mjData* d, cfTransmission* t, bool in_parent) {
  const int joint = t->id[0];
  mjtNum quat[4], wrench[6];
  cfi_copy4(quat, d->qpos + m->jnt_qposadr[joint] + 3);
  cfi_unitize4(quat);
  cfi_copy3(wrench, t->gear);
  turnGear(wrench + 3, t->gear + 3, quat, in_parent);
  setJointRow(t, m->jnt_dofadr[joint], wrench, 6);
  return 0;
}


static mjtNum transmitQuatJoint(const mjModel* m, const mjData* d, cfTransmission* t,
                                bool in_parent) {
  return m->jnt_type[t->id[0]] == mjJNT_FREE ? transmitFree(m, d, t, in_parent)
                                             : transmitBall(m, d, t, in_parent);
}


mjtNum cfi_transmitJoint(const mjModel* m, mjData* d, cfTransmission* t) {
  return transmitQuatJoint(m, d, t, /*in_parent=*/false);
}


mjtNum cfi_transmitJointInParent(const mjModel* m, mjData* d, cfTransmission* t) {
  return transmitQuatJoint(m, d, t, /*in_parent=*/true);
}


// the tendon's Jacobian row scaled by the gear; of a dense row only what is not zero
mjtNum cfi_transmitTendon(const mjModel* m, mjData* d, cfTransmission* t) {
  const int tendon = t->id[0];
  const mjtNum gear = t->gear[0];
  const cfDofRow row = cfi_tendonRow(m, d, tendon, mj_isSparse(m));
  CF_ASSERT(row.nnz >= 0 && row.nnz <= m->nv);
  if (row.dof) {
    t->nnz = row.nnz;
    memcpy(t->colind, row.dof, sizeof(int) * (size_t)row.nnz);
    for (int k = 0; k < row.nnz; k++) {
      t->moment[k] = row.J[k] * gear;
    }
    return d->ten_length[tendon] * gear;
  }
  t->nnz = 0;
  for (int k = 0; k < row.nnz; k++) {
    const mjtNum moment = row.J[k] * gear;
    if (moment != 0) {
      t->moment[t->nnz] = moment;
      t->colind[t->nnz++] = k;
    }
  }
  return d->ten_length[tendon] * gear;
}


// any transmission but that of a scalar joint
static mjtNum transmit(const mjModel* m, mjData* d, int actuator, cfTransmission* t) {
  CF_ASSERT_INDEX(actuator, m->nu);
  const int type = m->actuator_trntype[actuator];
  // only some types build their row out of order
  const bool in_order = type == mjTRN_JOINT || type == mjTRN_JOINTINPARENT || type == mjTRN_TENDON;
  if (!in_order && !t->row->value) {
    *t->row = cfi_makeRowBuilder(d, (int)m->nv);
  }
  t->id[0] = m->actuator_trnid[2 * actuator];
  t->id[1] = m->actuator_trnid[2 * actuator + 1];
  t->gear = m->actuator_gear + 6 * actuator;
  t->rod = m->actuator_cranklength[actuator];
  switch (type) {
    case mjTRN_JOINT:
      return cfi_transmitJoint(m, d, t);
    case mjTRN_JOINTINPARENT:
      return cfi_transmitJointInParent(m, d, t);
    case mjTRN_SLIDERCRANK:
      return cfi_transmitSliderCrank(m, d, t);
    case mjTRN_TENDON:
      return cfi_transmitTendon(m, d, t);
    case mjTRN_SITE:
      return cfi_transmitSite(m, d, t);
    case mjTRN_BODY:
      return cfi_transmitBody(m, d, t);
    default:
      mju_error("actuator %d: unknown transmission type %d", actuator, type);
      return 0;
  }
}


static inline bool isScalarJoint(const mjModel* m, int actuator) {
  CF_ASSERT_INDEX(actuator, m->nu);
  const int type = m->actuator_trntype[actuator];
  if (type != mjTRN_JOINT && type != mjTRN_JOINTINPARENT) {
    return false;
  }
  const int joint = m->jnt_type[m->actuator_trnid[2 * actuator]];
  return cfi_isScalarJoint(joint);
}


static inline void transmitScalar(const mjModel* m, mjData* d, int actuator, int adr) {
  const int joint = m->actuator_trnid[2 * actuator];
  const mjtNum gear = m->actuator_gear[6 * actuator];
  d->actuator_length[actuator] = d->qpos[m->jnt_qposadr[joint]] * gear;
  d->actuator_moment[adr] = gear;
  d->moment_colind[adr] = m->jnt_dofadr[joint];
  d->moment_rownnz[actuator] = 1;
}


int cfi_scalarActuatorBody(const mjModel* m, int actuator) {
  return isScalarJoint(m, actuator) ? m->jnt_bodyid[m->actuator_trnid[2 * actuator]] : 0;
}


// rows of one number each
void cfi_transmitRun(const mjModel* m, mjData* d, int first, int end) {
  CF_ASSERT(first >= 0 && end <= m->nu && end <= m->nJmom);
  for (int u = first; u < end; u++) {
    d->moment_rowadr[u] = u;
    transmitScalar(m, d, u, u);
    d->actuator_velocity[u] = 0 + d->actuator_moment[u] * d->qvel[d->moment_colind[u]];
  }
}


// stage TRANSMISSION.  reads: qpos, xquat, site_x*, ten_length, ten_J, cdof, subtree_com, contacts,
// efc_J. writes: actuator_length, actuator_moment and its row structure.
void mj_transmission(const mjModel* m, mjData* d) {
  const bool some_rest = cfi_someAsleep(m, d);
  const int nu = (int)m->nu;
  if (nu == 0) {
    return;
  }
  cfRowBuilder row = {.value = NULL};
  mj_markStack(d);
  for (int i = 0, adr = 0; i < nu; i++) {
    d->moment_rowadr[i] = adr;
    if (some_rest && cfi_sleepState(m, d, mjOBJ_ACTUATOR, i) == mjS_ASLEEP) {
      d->moment_rownnz[i] = 0;
    } else if (isScalarJoint(m, i)) {
      transmitScalar(m, d, i, adr);
    } else {
      cfTransmission t = {
          .moment = d->actuator_moment + adr, .colind = d->moment_colind + adr, .row = &row};
      d->actuator_length[i] = transmit(m, d, i, &t);
      d->moment_rownnz[i] = t.nnz;
    }
    adr += d->moment_rownnz[i];
    CF_ASSERT(adr <= m->nJmom);
  }
  mj_freeStack(d);
}
