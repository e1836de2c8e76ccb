// Inverse dynamics: the stages of the forward pipeline with qacc given, then
//   qfrc_inverse = M*qacc + qfrc_bias - qfrc_passive - qfrc_constraint.
#include "pipeline/inverse.h"

#include <cortenforge/derivative.h>

#include "base/assert.h"
#include "dynamics/inertia.h"
#include "dynamics/spatialforce.h"
#include "math/inline.h"
#include "model/flags.h"
#include "model/timer.h"
#include "pipeline/advance.h"


// stage POSITION for inverse dynamics: no islands, no waking
void mj_invPosition(const mjModel* m, mjData* d) {
  const mjtNum start = cfi_now();
  d->flg_energypos = 0;
  mj_kinematics(m, d);
  mj_comPos(m, d);
  mj_camlight(m, d);
  mj_flex(m, d);
  mj_tendon(m, d);
  mjtNum now = cfi_addTime(d, mjTIMER_POS_KINEMATICS, start, 1);

  mj_makeM(m, d);
  mj_factorM(m, d);
  mj_collision(m, d);

  now = cfi_now();
  mj_makeConstraint(m, d);
  now = cfi_addTime(d, mjTIMER_POS_MAKE, now, 1);
  mj_transmission(m, d);
  cfi_addTime(d, mjTIMER_POS_KINEMATICS, now, 0);
  cfi_addTime(d, mjTIMER_POSITION, start, 1);
}


void mj_invVelocity(const mjModel* m, mjData* d) {
  mj_fwdVelocity(m, d);
}


// stage INVERSE CONSTRAINT.  reads: qacc, efc_aref, efc_J.  writes: efc_force, efc_state,
// qfrc_constraint.
void mj_invConstraint(const mjModel* m, mjData* d) {
  const mjtNum start = cfi_now();
  if (!d->nefc) {
    mju_zero(d->qfrc_constraint, (int)m->nv);
  } else {
    mj_markStack(d);
    mjtNum* residual = mj_stackAllocNum(d, (size_t)d->nefc);
    mj_mulJacVec(m, d, residual, d->qacc);
    mju_subFrom(residual, d->efc_aref, d->nefc);
    mj_constraintUpdate(m, d, residual, NULL, 0);
    mj_freeStack(d);
  }
  cfi_addTime(d, mjTIMER_CONSTRAINT, start, 1);
}


static bool hasDamping(const mjModel* m) {
  for (int k = 0; k < m->nv; k++) {
    if (m->dof_damping[k] > 0) {
      return true;
    }
  }
  return false;
}


// a discrete-time acceleration (difference of velocities over a step) solves the integrator's
// equation; the continuous-time one that gives the same step is M^-1 times the integrator's matrix
// times it
static void continuousAcceleration(const mjModel* m, mjData* d) {
  if (m->opt.integrator == mjINT_RK4) {
    mju_error("discrete inverse dynamics is not supported by RK4 integrator");
    return;
  }
  const bool is_euler = m->opt.integrator == mjINT_EULER;
  const bool is_damped = !cfi_disabled(m, mjDSBL_EULERDAMP) && hasDamping(m);
  const bool has_gains = is_euler && cfi_mayHaveStiffGains(m);
  if (is_euler && !is_damped && !has_gains) {
    return;
  }
  mj_markStack(d);
  mjtNum* qfrc = mj_stackAllocNum(d, (size_t)m->nv);
  if (m->opt.integrator == CF_INTEGRATOR_SPRING_DAMPER) {
    mjtNum* stiffness = mj_stackAllocNum(d, (size_t)m->nv);
    cfi_mulSpringDamper(m, d, qfrc, stiffness, d->qacc);
    mju_addTo(qfrc, stiffness, (int)m->nv);
    if (cfi_mayHaveStiffGains(m)) {
      cfi_addStiffGains(m, d, qfrc, d->qacc);
    }
  } else if (is_euler) {
    mj_mulM(m, d, qfrc, d->qacc);
    for (int k = 0; k < m->nv && is_damped; k++) {
      qfrc[k] += m->opt.timestep * m->dof_damping[k] * d->qacc[k];
    }
    if (has_gains) {
      cfi_addStiffGains(m, d, qfrc, d->qacc);
    }
  } else {
    cfi_mulImplicit(m, d, qfrc, d->qacc);
    if (cfi_mayHaveStiffGains(m)) {
      cfi_addStiffGains(m, d, qfrc, d->qacc);
    }
  }
  mj_solveM(m, d, d->qacc, qfrc, 1);
  mj_freeStack(d);
}


// bias, constraint and inertial forces for the acceleration in qacc
static void inverseForces(const mjModel* m, mjData* d, bool with_sensors) {
  CF_ASSERT((mjtSize)(d->parena + d->pstack) <= d->narena);
  mj_invConstraint(m, d);
  mj_rne(m, d, 0, d->qfrc_inverse);
  cfi_tendonBias(m, d, d->qfrc_inverse);
  if (with_sensors) {
    d->flg_rnepost = 0;
    mj_sensorAcc(m, d);
  }
  mj_markStack(d);
  mjtNum* inertial = mj_stackAllocNum(d, (size_t)m->nv);
  mj_mulM(m, d, inertial, d->qacc);
  for (int k = 0; k < m->nv; k++) {
    d->qfrc_inverse[k] += inertial[k] - d->qfrc_passive[k] - d->qfrc_constraint[k];
  }
  mj_freeStack(d);
}


// stages before skipstage are taken as computed
void mj_inverseSkip(const mjModel* m, mjData* d, int skipstage, int skipsensor) {
  const mjtNum start = cfi_now();
  const bool wants_energy = cfi_enabled(m, mjENBL_ENERGY);
  if (skipstage < mjSTAGE_POS) {
    mj_invPosition(m, d);
    if (!skipsensor) {
      mj_sensorPos(m, d);
    }
    if (wants_energy && !d->flg_energypos) {
      mj_energyPos(m, d);
    }
  }
  if (skipstage < mjSTAGE_VEL) {
    mj_invVelocity(m, d);
    if (!skipsensor) {
      mj_sensorVel(m, d);
    }
    if (wants_energy && !d->flg_energyvel) {
      mj_energyVel(m, d);
    }
  }

  mj_markStack(d);
  mjtNum* given = mj_stackAllocNum(d, (size_t)m->nv);
  const bool is_discrete = cfi_enabled(m, mjENBL_INVDISCRETE);
  if (is_discrete) {
    mju_copy(given, d->qacc, (int)m->nv);
    continuousAcceleration(m, d);
  }
  inverseForces(m, d, !skipsensor);
  if (is_discrete) {
    mju_copy(d->qacc, given, (int)m->nv);
  }
  mj_freeStack(d);
  cfi_addTime(d, mjTIMER_INVERSE, start, 1);
}


void mj_inverse(const mjModel* m, mjData* d) {
  mj_inverseSkip(m, d, mjSTAGE_NONE, 0);
}


// norms of the differences of constraint and joint forces between forward and inverse dynamics, in
// solver_fwdinv[0] and [1]; forces are left as the forward pass made them, states of rows as the
// inverse pass saw them
void mj_compareFwdInv(const mjModel* m, mjData* d) {
  d->solver_fwdinv[0] = d->solver_fwdinv[1] = 0;
  if (!d->nefc) {
    return;
  }
  const size_t nv = (size_t)m->nv, nefc = (size_t)d->nefc;
  mj_markStack(d);
  mjtNum* applied = mj_stackAllocNum(d, nv);
  mjtNum* constraint = mj_stackAllocNum(d, nv);
  mjtNum* force = mj_stackAllocNum(d, nefc);

  // what the forward pass applied, by which the inverse should explain qacc
  mju_add(applied, d->qfrc_applied, d->qfrc_actuator, (int)nv);
  cfi_addApplied(m, d, applied);
  mju_copy(constraint, d->qfrc_constraint, (int)nv);
  mju_copy(force, d->efc_force, d->nefc);

  mj_inverseSkip(m, d, mjSTAGE_VEL, 1);
  mju_subFrom(applied, d->qfrc_inverse, (int)nv);
  d->solver_fwdinv[1] = mju_norm(applied, (int)nv);
  mju_sub(applied, d->qfrc_constraint, constraint, (int)nv);
  d->solver_fwdinv[0] = mju_norm(applied, (int)nv);

  mju_copy(d->qfrc_constraint, constraint, (int)nv);
  mju_copy(d->efc_force, force, d->nefc);
  mj_freeStack(d);
}


void cfi_checkInverse(const mjModel* m, mjData* d) {
  if (cfi_enabled(m, mjENBL_FWDINV)) {
    mj_compareFwdInv(m, d);
  }
}
