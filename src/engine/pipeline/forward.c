// Forward dynamics: the order of the stages and nothing else.
#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "base/likely.h"
#include "constraint/island.h"
#include "contactsolver/contactsolver.h"
#include "contactsolver/stage.h"
#include "dynamics/energy.h"
#include "dynamics/gain.h"
#include "dynamics/inertia.h"
#include "kinematics/runs.h"
#include "kinematics/tendon.h"
#include "model/flags.h"
#include "model/sleep.h"
#include "model/timer.h"
#include "pipeline/advance.h"
#include "pipeline/inverse.h"
#include "pipeline/together.h"

// kinematics; cameras and lights are for those who look at the result
static void fwdFrames(const mjModel* m, mjData* d, bool with_outputs) {
  cfi_framesOfBodies(m, d);
  if (with_outputs && m->ncam + m->nlight) {
    mj_camlight(m, d);
  }
  if (CF_SELDOM(m->nflex)) {
    mj_flex(m, d);
  }
  if (CF_SELDOM(m->ntendon)) {
    mj_tendon(m, d);
    if (CF_SELDOM(cfi_wakeTendon(m, d))) {
      cfi_updateSleep(m, d);
    }
  }
}


// reads: qpos, mocap.  writes: all world frames, com-based quantities, tendon lengths and moments.
void mj_fwdKinematics(const mjModel* m, mjData* d) {
  fwdFrames(m, d, /*with_outputs=*/true);
}


// contacts and constrained partners of awake trees wake sleeping ones, which then collide as well
static void wakeNeighbors(const mjModel* m, mjData* d) {
  CF_ASSERT(d->ntree_awake <= m->ntree);
  if (CF_SELDOM(cfi_wakeCollision(m, d))) {
    cfi_updateSleep(m, d);
    mj_collision(m, d);
  }
  if (CF_SELDOM(cfi_wakeEquality(m, d))) {
    cfi_updateSleep(m, d);
  }
}


static void fwdPosition(const mjModel* m, mjData* d, bool with_outputs, cfAhead* ahead) {
  const mjtNum start = cfi_now();
  d->flg_energypos = 0;
  fwdFrames(m, d, with_outputs);
  cfi_addTime(d, mjTIMER_POS_KINEMATICS, start, 1);

  cfi_inertiaAndCollision(m, d, ahead);
  wakeNeighbors(m, d);

  mjtNum lap = cfi_now();
  mj_makeConstraint(m, d);
  cfi_islandsAndResiduals(m, d, ahead);
  lap = cfi_addTime(d, mjTIMER_POS_MAKE, lap, 1);
  if (m->nu && !ahead->has_forces) {
    mj_transmission(m, d);
  }
  lap = cfi_addTime(d, mjTIMER_POS_KINEMATICS, lap, 0);
  mj_projectConstraint(m, d);
  cfi_addTime(d, mjTIMER_POS_PROJECT, lap, 1);
  cfi_addTime(d, mjTIMER_POSITION, start, 1);
}


// reads: qpos, mocap.  writes: everything that depends on position alone.
void mj_fwdPosition(const mjModel* m, mjData* d) {
  cfAhead ahead = {.may_run = false};
  fwdPosition(m, d, /*with_outputs=*/true, &ahead);
}


static void fwdVelocity(const mjModel* m, mjData* d, const cfAhead* ahead) {
  const bool has_bias = ahead->has_bias;
  const mjtNum start = cfi_now();
  d->flg_subtreevel = 0;
  d->flg_energyvel = 0;
  if (CF_SELDOM(ahead->has_forces)) {
    cfi_tendonVelocities(m, d);
  } else {
    cfi_lengthVelocities(m, d);
  }
  if (!has_bias) {
    mj_comVel(m, d);
  }
  if (!ahead->has_forces) {
    mj_passive(m, d);
  }
  if (!has_bias || !(ahead->has_residuals || cfi_shareReference(m, d))) {
    mj_referenceConstraint(m, d);
  }
  if (!has_bias) {
    mj_rne(m, d, 0, d->qfrc_bias);
  }
  if (CF_SELDOM(m->ntendon)) {
    cfi_tendonBias(m, d, d->qfrc_bias);
  }
  cfi_addTime(d, mjTIMER_VELOCITY, start, 1);
}


// reads: qvel and what depends on position.  writes: everything that depends on velocity.
void mj_fwdVelocity(const mjModel* m, mjData* d) {
  const cfAhead ahead = {.may_run = false};
  fwdVelocity(m, d, &ahead);
}


// forces, and the accelerations that come of them
static void fwdForces(const mjModel* m, mjData* d, const cfAhead* ahead) {
  if (!ahead->has_forces) {
    mj_fwdActuation(m, d);
    mj_fwdAcceleration(m, d);
  }
  if (CF_SELDOM(m->nflex)) {
    cfi_implicitFlex(m, d);
  }
  cfi_fwdConstraint(m, d, ahead->has_residuals ? &ahead->start : NULL);
}


// callbacks and plugins may look at anything
static bool hasOnlookers(const mjModel* m) {
  return m->nplugin || mjcb_control || mjcb_passive || mjcb_act_dyn || mjcb_act_gain ||
         mjcb_act_bias || mjcb_contactfilter || cfi_gainChoice(m) || cfi_contactSetting(m);
}


// what is known ahead is in scratch until the end of the step
static cfAhead beginAhead(mjData* d, bool may_run) {
  if (may_run) {
    mj_markStack(d);
  }
  return (cfAhead){.may_run = may_run};
}


static void endAhead(mjData* d, const cfAhead* ahead) {
  if (CF_SELDOM(ahead->may_run)) {
    mj_freeStack(d);
  }
}


// with_damped: Euler's step comes next and needs the factor of M + h*diag(damping)
static void forwardSkip(const mjModel* m, mjData* d, int skipstage, int skipsensor,
                        bool with_damped) {
  const mjtNum start = cfi_now();
  cfAhead ahead = beginAhead(
      d, CF_SELDOM(d->threadpool) && skipstage < mjSTAGE_POS && !mjcb_sensor && !hasOnlookers(m));
  ahead.with_damped = with_damped;
  if (skipstage < mjSTAGE_POS) {
    fwdPosition(m, d, /*with_outputs=*/true, &ahead);
    if (!skipsensor) {
      mj_sensorPos(m, d);
    }
    cfi_updateEnergyPos(m, d);
  }

  if (skipstage < mjSTAGE_VEL) {
    fwdVelocity(m, d, &ahead);
    if (!skipsensor) {
      mj_sensorVel(m, d);
    }
    cfi_updateEnergyVel(m, d);
  }

  if (CF_SELDOM(mjcb_control) && !cfi_disabled(m, mjDSBL_ACTUATION)) {
    mjcb_control(m, d);
  }
  fwdForces(m, d, &ahead);
  endAhead(d, &ahead);
  if (!skipsensor) {
    d->flg_rnepost = 0;
    mj_sensorAcc(m, d);
  }
  cfi_addTime(d, mjTIMER_FORWARD, start, 1);
}


void mj_forwardSkip(const mjModel* m, mjData* d, int skipstage, int skipsensor) {
  forwardSkip(m, d, skipstage, skipsensor, /*with_damped=*/false);
}


void cfi_forwardInner(const mjModel* m, mjData* d) {
  if (hasOnlookers(m)) {
    mj_forwardSkip(m, d, mjSTAGE_NONE, /*skipsensor=*/1);
    return;
  }
  const mjtNum start = cfi_now();
  cfAhead ahead = beginAhead(d, CF_SELDOM(d->threadpool));
  fwdPosition(m, d, /*with_outputs=*/false, &ahead);
  fwdVelocity(m, d, &ahead);
  fwdForces(m, d, &ahead);
  endAhead(d, &ahead);
  cfi_addTime(d, mjTIMER_FORWARD, start, 1);
}


void mj_forward(const mjModel* m, mjData* d) {
  mj_forwardSkip(m, d, mjSTAGE_NONE, 0);
}


// first half of a step: everything before the user sets controls and forces
void mj_step1(const mjModel* m, mjData* d) {
  const mjtNum start = cfi_now();
  mj_checkPos(m, d);
  mj_checkVel(m, d);
  mj_fwdPosition(m, d);
  mj_sensorPos(m, d);
  cfi_updateEnergyPos(m, d);
  mj_fwdVelocity(m, d);
  mj_sensorVel(m, d);
  cfi_updateEnergyVel(m, d);
  if (mjcb_control) {
    mjcb_control(m, d);
  }
  cfi_addTime(d, mjTIMER_STEP, start, 1);
}


// second half; Runge-Kutta cannot be split and becomes Euler.  The step was counted by the first
// half.
void mj_step2(const mjModel* m, mjData* d) {
  const mjtNum start = cfi_now();
  const cfAhead ahead = {.may_run = false};
  fwdForces(m, d, &ahead);
  mj_sensorAcc(m, d);
  mj_checkAcc(m, d);
  cfi_checkInverse(m, d);
  cfi_integrate(m, d, m->opt.integrator == mjINT_RK4 ? mjINT_EULER : m->opt.integrator);
  cfi_addTime(d, mjTIMER_STEP, start, 0);
}


void cfi_reactions(const mjModel* m, mjData* d) {
  if (!d->flg_rnepost) {
    mj_rnePostConstraint(m, d);
  }
}


// reacts: with those of the state before the step, or of the last evaluation of Runge-Kutta
static inline __attribute__((always_inline)) void stepOnce(const mjModel* m, mjData* d,
                                                           cfReacts reacts) {
  const mjtNum start = cfi_now();
  if (CF_SELDOM(d->pstack && !d->threadpool)) {
    cfi_recoverPool(d);
  }
  const bool has_pool = CF_SELDOM(d->threadpool);
  if (has_pool) {
    cfi_enterStep(m, d, mjcb_sensor || hasOnlookers(m));
  }
  mj_checkPos(m, d);
  mj_checkVel(m, d);
  const bool with_damped = cfi_mayDampAhead(m, d) && !mjcb_sensor && !hasOnlookers(m);
  forwardSkip(m, d, mjSTAGE_NONE, 0, with_damped);
  const bool reacts_inside = reacts != REACTS_NOT && m->opt.integrator == mjINT_RK4;
  if (reacts == REACTS_FIRST && !reacts_inside) {
    cfi_reactions(m, d);
  }
  const bool was_reset = cfi_checkAcc(m, d);
  cfi_checkInverse(m, d);
  if (with_damped && !was_reset) {
    cfi_eulerSkip(m, d, /*skip_factor=*/1);
  } else if (reacts_inside) {
    cfi_rungeKuttaReacting(m, d, reacts);
  } else {
    cfi_integrate(m, d, m->opt.integrator);
  }
  if (has_pool) {
    cfi_leaveStep(d);
  }
  cfi_addTime(d, mjTIMER_STEP, start, 1);
}


void mj_step(const mjModel* m, mjData* d) {
  stepOnce(m, d, REACTS_NOT);
}


void cfi_stepReacting(const mjModel* m, mjData* d, bool reacts) {
  if (reacts) {
    stepOnce(m, d, REACTS_FIRST);
  } else {
    mj_step(m, d);
  }
}


bool cfi_hasLastReactions(const mjModel* m) {
  const cfContactSetting* setting = cfi_contactSetting(m);
  return m->opt.integrator == mjINT_RK4 && !(setting && setting->solver->is_positional);
}


void cfi_stepReactingLast(const mjModel* m, mjData* d) {
  CF_ASSERT(cfi_hasLastReactions(m));
  stepOnce(m, d, REACTS_LAST);
}
