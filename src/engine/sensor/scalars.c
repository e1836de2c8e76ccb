// Sensors that show a number of mjData as it is: joints, tendons, actuators, limits, energy, time.
#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "math/inline.h"
#include "sensor/sensor.h"


void cfi_senseJointPos(const cfSensor* s, mjtNum* out) {
  out[0] = s->d->qpos[s->m->jnt_qposadr[s->objid]];
}


void cfi_senseBallQuat(const cfSensor* s, mjtNum* out) {
  CF_ASSERT(s->m->jnt_type[s->objid] == mjJNT_BALL);
  cfi_copy4(out, s->d->qpos + s->m->jnt_qposadr[s->objid]);
  cfi_normalize4(out);
}


void cfi_senseJointVel(const cfSensor* s, mjtNum* out) {
  out[0] = s->d->qvel[s->m->jnt_dofadr[s->objid]];
}


void cfi_senseBallAngvel(const cfSensor* s, mjtNum* out) {
  CF_ASSERT(s->m->jnt_type[s->objid] == mjJNT_BALL);
  cfi_copy3(out, s->d->qvel + s->m->jnt_dofadr[s->objid]);
}


void cfi_senseTendonPos(const cfSensor* s, mjtNum* out) {
  CF_ASSERT_INDEX(s->objid, s->m->ntendon);
  out[0] = s->d->ten_length[s->objid];
}


void cfi_senseTendonVel(const cfSensor* s, mjtNum* out) {
  out[0] = s->d->ten_velocity[s->objid];
}


void cfi_senseActuatorPos(const cfSensor* s, mjtNum* out) {
  out[0] = s->d->actuator_length[s->objid];
}


void cfi_senseActuatorVel(const cfSensor* s, mjtNum* out) {
  out[0] = s->d->actuator_velocity[s->objid];
}


void cfi_senseActuatorForce(const cfSensor* s, mjtNum* out) {
  CF_ASSERT_INDEX(s->objid, s->m->nu);
  out[0] = s->d->actuator_force[s->objid];
}


void cfi_senseJointActuatorForce(const cfSensor* s, mjtNum* out) {
  out[0] = s->d->qfrc_actuator[s->m->jnt_dofadr[s->objid]];
}


// all actuators that pull the tendon together
void cfi_senseTendonActuatorForce(const cfSensor* s, mjtNum* out) {
  CF_ASSERT_INDEX(s->objid, s->m->ntendon);
  out[0] = 0;
  for (int u = 0; u < s->m->nu; u++) {
    if (s->m->actuator_trntype[u] == mjTRN_TENDON && s->m->actuator_trnid[2 * u] == s->objid) {
      out[0] += s->d->actuator_force[u];
    }
  }
}


// constraint row of the joint's or tendon's limit, -1 where it is not active
static int limitRow(const cfSensor* s) {
  const mjData* d = s->d;
  CF_ASSERT(d->ne >= 0 && d->nf >= 0 && d->ne + d->nf <= d->nefc);
  const bool is_tendon = s->type == mjSENS_TENDONLIMITPOS || s->type == mjSENS_TENDONLIMITVEL ||
                         s->type == mjSENS_TENDONLIMITFRC;
  const int kind = is_tendon ? mjCNSTR_LIMIT_TENDON : mjCNSTR_LIMIT_JOINT;
  for (int row = d->ne + d->nf; row < d->nefc; row++) {
    if (d->efc_type[row] == kind && d->efc_id[row] == s->objid) {
      return row;
    }
  }
  return -1;
}


void cfi_senseLimitPos(const cfSensor* s, mjtNum* out) {
  const int row = limitRow(s);
  out[0] = row < 0 ? 0 : s->d->efc_pos[row] - s->d->efc_margin[row];
}


void cfi_senseLimitVel(const cfSensor* s, mjtNum* out) {
  const int row = limitRow(s);
  out[0] = row < 0 ? 0 : s->d->efc_vel[row];
}


void cfi_senseLimitForce(const cfSensor* s, mjtNum* out) {
  const int row = limitRow(s);
  out[0] = row < 0 ? 0 : s->d->efc_force[row];
}


void cfi_sensePotential(const cfSensor* s, mjtNum* out) {
  if (!s->d->flg_energypos) {
    mj_energyPos(s->m, s->d);
  }
  out[0] = s->d->energy[0];
}


void cfi_senseKinetic(const cfSensor* s, mjtNum* out) {
  if (!s->d->flg_energyvel) {
    mj_energyVel(s->m, s->d);
  }
  out[0] = s->d->energy[1];
}


void cfi_senseClock(const cfSensor* s, mjtNum* out) {
  out[0] = s->d->time;
}
