// How forces of a step of position-based dynamics change within it.
//
// Springs and actuators follow the positions: a force that stayed while substeps advance would put
// energy into everything that oscillates, omega*h/2 of it per radian.  Other forces stay, but for
// the slopes that the integrator takes implicitly.  Dampers of dofs with Euler, all of velocity
// with the implicit integrators, dampers and springs of joints with springdamper; stiff actuators
// with every one of them.
//
// A stiff actuator with limits keeps its slope as long as its force at the end of a substep is
// within them.  Otherwise the substep is made again with the force at the limit and no slope.
#include <mujoco/mujoco.h>

#include <cortenforge/actuator.h>
#include <cortenforge/derivative.h>

#include "base/assert.h"
#include "contactsolver/slopes.h"
#include "contactsolver/xpbd.h"
#include "derivative/velocity.h"
#include "dynamics/activation.h"
#include "dynamics/gain.h"
#include "dynamics/passive.h"
#include "math/inline.h"
#include "model/flags.h"

// ---------------------------------------- dampers and springs

// damping in the pattern of M; false if there is none
static bool fillDamping(xpbdWork* work) {
  const mjModel* m = work->p->m;
  mjData* d = work->p->d;
  CF_ASSERT(work->h > 0 && m->nC >= m->nv);
  mju_zero(work->damping, (int)m->nC);
  if (m->opt.integrator == mjINT_IMPLICIT || m->opt.integrator == mjINT_IMPLICITFAST) {
    cfi_smoothVelocityDerivative(m, d, /*with_bias=*/false);
    for (int k = 0; k < m->nC; k++) {
      work->damping[k] = -d->qDeriv[m->mapD2M[k]];
    }
    return true;
  }
  bool any = false;
  for (int i = 0; i < m->nv && cfi_dampsDofs(m); i++) {
    work->damping[m->M_rowadr[i] + m->M_rownnz[i] - 1] = m->dof_damping[i];
    any = any || m->dof_damping[i] > 0;
  }
  return any;
}


static bool fillSprings(xpbdWork* work) {
  const mjModel* m = work->p->m;
  bool any = false;
  for (int i = 0; i < m->nv; i++) {
    work->spring[i] = cfi_dofSpring(m, i);
    any = any || work->spring[i] > 0;
  }
  return any;
}


void cfi_xpbdSubtractSlopes(const xpbdWork* work, mjtNum* force, const mjtNum* change) {
  const mjModel* m = work->p->m;
  for (int i = 0; i < m->nv; i++) {
    const int adr = m->M_rowadr[i], last = m->M_rownnz[i] - 1;
    const mjtNum* row = work->damping + adr;
    CF_ASSERT(m->M_colind[adr + last] == i);
    force[i] -= row[last] * change[i] + work->spring[i] * work->h * work->v[i];
    for (int k = 0; k < last; k++) {
      const int j = m->M_colind[adr + k];
      force[i] -= row[k] * change[j];
      force[j] -= row[k] * change[i];
    }
  }
}


// ---------------------------------------- forces that follow positions

static bool hasSprings(const mjModel* m) {
  bool any = m->nflex > 0;
  for (int j = 0; j < m->njnt; j++) {
    any = any || m->jnt_stiffness[j] != 0;
  }
  for (int t = 0; t < m->ntendon; t++) {
    any = any || m->tendon_stiffness[t] != 0;
  }
  return any && !cfi_disabled(m, mjDSBL_SPRING);
}


// may the force of an actuator change with its length: it acts, has such a law and is at no limit
static bool isServo(const mjModel* m, const mjData* d, int u) {
  const mjtNum applied = d->actuator_force[u], *limit = m->actuator_forcerange + 2 * u;
  const bool is_held = m->actuator_forcelimited[u] && (applied <= limit[0] || applied >= limit[1]);
  const bool has_law =
      m->actuator_gaintype[u] != mjGAIN_FIXED || m->actuator_biastype[u] != mjBIAS_NONE;
  if (!has_law || applied == 0 || is_held || m->actuator_plugin[u] >= 0) {
    return false;
  }
  for (int k = d->moment_rowadr[u]; k < d->moment_rowadr[u] + d->moment_rownnz[u]; k++) {
    const int dof = d->moment_colind[k], j = m->dof_jntid[dof];
    const mjtNum force = d->qfrc_actuator[dof], *range = m->jnt_actfrcrange + 2 * j;
    if (m->jnt_actfrclimited[j] && (force <= range[0] || force >= range[1])) {
      return false;
    }
  }
  return true;
}


// force before limits at the present length
static mjtNum servoForce(const mjModel* m, mjData* d, int u) {
  if (cf_actuatorGain(m, u)) {
    return cfi_unlimitedForce(m, d, u);
  }
  const mjtNum ctrl = cfi_actuatorControl(m, d, u);
  return cfi_plainForce(m, d, u, mju_isBad(ctrl) ? 0 : ctrl);
}


static bool hasServos(const mjModel* m, const mjData* d) {
  bool any = false;
  for (int u = 0; u < m->nu; u++) {
    any = any || isServo(m, d, u);
  }
  return any && !cfi_disabled(m, mjDSBL_ACTUATION);
}


static void addServos(const xpbdWork* work, mjtNum* force) {
  const mjModel* m = work->p->m;
  mjData* d = work->p->d;
  for (int u = 0; u < m->nu; u++) {
    if (!isServo(m, d, u)) {
      continue;
    }
    const int adr = d->moment_rowadr[u], end = adr + d->moment_rownnz[u];
    const mjtNum applied = d->actuator_force[u], length = d->actuator_length[u];
    mjtNum moved = 0, now = applied - servoForce(m, d, u);
    for (int k = adr; k < end; k++) {
      moved += d->actuator_moment[k] * work->moved[d->moment_colind[k]];
    }
    d->actuator_length[u] = length + moved;
    now += servoForce(m, d, u);
    d->actuator_length[u] = length;
    if (m->actuator_forcelimited[u]) {
      now = cfi_clip(now, m->actuator_forcerange[2 * u], m->actuator_forcerange[2 * u + 1]);
    }
    for (int k = adr; k < end; k++) {
      force[d->moment_colind[k]] += d->actuator_moment[k] * (now - applied);
    }
  }
}


void cfi_xpbdAddMoved(const xpbdWork* work, mjtNum* force) {
  const mjModel* m = work->p->m;
  mjData* d = work->p->d;
  CF_ASSERT(work->is_moved);
  if (work->has_springs) {
    cfi_springForces(m, d);
    for (int i = 0; i < m->nv; i++) {
      force[i] += d->qfrc_spring[i] - work->spring_force[i];
    }
  }
  if (work->has_servos) {
    addServos(work, force);
  }
}


// ---------------------------------------- motors

static void listMotors(xpbdWork* work) {
  const mjModel* m = work->p->m;
  mjData* d = work->p->d;
  work->nmotor = 0;
  for (int u = 0; u < m->nu && cfi_hasStiffGains(m); u++) {
    cfGainLimits limits;
    const mjtNum slope = cfi_explicitSlope(m, d, u, &limits);
    if (slope > 0) {
      xpbdMotor* motor = work->motor + work->nmotor++;
      *motor = (xpbdMotor){.actuator = u, .slope = slope};
      motor->applied = limits.applied;
      motor->wanted = limits.is_limited ? limits.wanted : limits.applied;
      motor->low = limits.is_limited ? limits.low : -mjMAXVAL;
      motor->high = limits.is_limited ? limits.high : mjMAXVAL;
    }
  }
}


// damping and held forces with the motors as they are
static void applyMotors(xpbdWork* work) {
  const mjModel* m = work->p->m;
  const mjData* d = work->p->d;
  mju_copy(work->damping, work->free_damping, (int)m->nC);
  mju_copy(work->held, work->free_held, (int)m->nv);
  for (int k = 0; k < work->nmotor; k++) {
    const xpbdMotor* motor = work->motor + k;
    const int u = motor->actuator;
    if (!motor->is_held) {
      cfi_addMomentSquare(work->damping, m->M_rownnz, m->M_rowadr, m->M_colind, d, u, motor->slope);
    }
    const mjtNum more = (motor->is_held ? motor->held : motor->wanted) - motor->applied;
    for (int i = d->moment_rowadr[u]; i < d->moment_rowadr[u] + d->moment_rownnz[u]; i++) {
      work->held[d->moment_colind[i]] += more * d->actuator_moment[i];
    }
  }
}


void cfi_xpbdFindSlopes(xpbdWork* work) {
  const int nv = (int)work->p->m->nv;
  mju_zero(work->moved, nv);
  mju_copy(work->spring_force, work->p->d->qfrc_spring, nv);
  work->has_springs = hasSprings(work->p->m);
  work->has_servos = hasServos(work->p->m, work->p->d);
  const bool has_damping = fillDamping(work), has_springs = fillSprings(work);
  mju_copy(work->free_damping, work->damping, (int)work->p->m->nC);
  mju_copy(work->free_held, work->held, nv);
  listMotors(work);
  applyMotors(work);
  work->has_damping = has_damping || has_springs || work->nmotor > 0;
}


void cfi_xpbdFreeMotors(xpbdWork* work) {
  bool any = false;
  for (int k = 0; k < work->nmotor; k++) {
    any = any || work->motor[k].is_held;
    work->motor[k].is_held = false;
  }
  if (any) {
    applyMotors(work);
  }
}


bool cfi_xpbdLimitMotors(xpbdWork* work) {
  const mjData* d = work->p->d;
  bool any = false;
  for (int k = 0; k < work->nmotor; k++) {
    xpbdMotor* motor = work->motor + k;
    mjtNum change = 0;
    const int adr = d->moment_rowadr[motor->actuator];
    for (int i = adr; i < adr + d->moment_rownnz[motor->actuator]; i++) {
      const int dof = d->moment_colind[i];
      change += d->actuator_moment[i] * (work->dx[dof] / work->h - work->start[dof]);
    }
    const mjtNum force = motor->wanted - motor->slope * change;
    if (!motor->is_held && (force < motor->low || force > motor->high)) {
      motor->held = cfi_clip(force, motor->low, motor->high);
      motor->is_held = any = true;
    }
  }
  if (any) {
    applyMotors(work);
  }
  return any;
}
