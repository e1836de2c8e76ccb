// Actuator length ranges: pull each actuator to its two ends and record how long it gets.
//
// Joint and tendon limits are taken over where they exist.  Otherwise a force in the direction of
// the moment arm drives the model while its velocity decays, first towards the short end, then
// towards the long one; the extremes over the last part of each run are the range, and their spread
// tells whether the run has settled.
#include <math.h>
#include <stdbool.h>
#include <stdio.h>

#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "compile/constants.h"
#include "math/libm.h"

// what one run saw during its final interval
typedef struct {
  mjtNum low, high;
  bool is_stable;
} lengthExtremes;


// does the mode ask for this actuator at all
static bool wantsRange(const mjModel* m, int actuator, const mjLROpt* opt) {
  CF_ASSERT_INDEX(actuator, m->nu);
  const int gain = m->actuator_gaintype[actuator], bias = m->actuator_biastype[actuator];
  const bool is_muscle = gain == mjGAIN_MUSCLE || bias == mjBIAS_MUSCLE;
  const bool is_user = gain == mjGAIN_USER || bias == mjBIAS_USER;
  switch (opt->mode) {
    case mjLRMODE_NONE:
      return false;
    case mjLRMODE_MUSCLE:
      return is_muscle;
    case mjLRMODE_MUSCLEUSER:
      return is_muscle || is_user;
    default:
      return true;
  }
}


// range of the limited joint or tendon that the actuator drives, NULL when there is none
static const mjtNum* limitOfTransmission(const mjModel* m, int actuator) {
  CF_ASSERT_INDEX(actuator, m->nu);
  // MuJoCo 3.5.0 reads the id at the actuator's index, not at twice the index; equal numbers need
  // the same entry
  const int id = m->actuator_trnid[actuator];
  const int type = m->actuator_trntype[actuator];
  if ((type == mjTRN_JOINT || type == mjTRN_JOINTINPARENT) && id >= 0 && id < m->njnt) {
    return m->jnt_limited[id] ? m->jnt_range + 2 * id : NULL;
  }
  if (type == mjTRN_TENDON && id >= 0 && id < m->ntendon) {
    return m->tendon_limited[id] ? m->tendon_range + 2 * id : NULL;
  }
  return NULL;
}


// force along the moment that accelerates the dofs by opt->accel, no larger than opt->maxforce
static void pullForce(const mjModel* m, mjData* d, int actuator, mjtNum sign, const mjLROpt* opt) {
  CF_ASSERT(actuator >= 0 && actuator < m->nu && (sign == 1 || sign == -1));
  const int nv = m->nv, adr = d->moment_rowadr[actuator];
  mj_markStack(d);
  mjtNum* moment = mj_stackAllocNum(d, nv);
  mju_zero(moment, nv);
  for (int k = adr; k < adr + d->moment_rownnz[actuator]; k++) {
    moment[d->moment_colind[k]] = d->actuator_moment[k];
  }
  mj_solveM(m, d, d->qfrc_applied, moment, 1);
  const mjtNum accel = mju_max(mjMINVAL, mju_norm(d->qfrc_applied, nv));
  mju_scl(d->qfrc_applied, moment, sign * opt->accel / accel, nv);

  const mjtNum force = mju_norm(d->qfrc_applied, nv);
  if (opt->maxforce > 0 && force > opt->maxforce) {
    mju_scl(d->qfrc_applied, d->qfrc_applied, opt->maxforce / mju_max(mjMINVAL, force), nv);
  }
  mj_freeStack(d);
}


// simulate from qpos0 with a constant pull and watch the length near the end
static lengthExtremes pullActuator(const mjModel* m, mjData* d, int actuator, mjtNum sign,
                                   const mjLROpt* opt) {
  lengthExtremes seen = {INFINITY, -INFINITY, true};
  const mjtNum decay = cfi_exp(-m->opt.timestep / mju_max(0.01, opt->timeconst));
  mj_resetData(m, d);
  while (d->time < opt->inttotal) {
    const mjtNum before = d->time;
    mju_scl(d->qvel, d->qvel, decay, m->nv);
    mj_step1(m, d);
    pullForce(m, d, actuator, sign, opt);
    mj_step2(m, d);

    // time did not go on: the simulation blew up and was reset, in one half of the step or the
    // other
    if (!(d->time > before)) {
      seen.is_stable = false;
      return seen;
    }
    if (d->time > opt->inttotal - opt->interval) {
      seen.low = mju_min(seen.low, d->actuator_length[actuator]);
      seen.high = mju_max(seen.high, d->actuator_length[actuator]);
    }
  }
  if (seen.low > seen.high) {
    seen.low = seen.high = 0;
  }
  return seen;
}


// both ends by simulation; 1 when they are apart and have settled
static int simulateRange(mjModel* m, mjData* d, int actuator, const mjLROpt* opt, char* error,
                         int error_sz) {
  CF_ASSERT(actuator >= 0 && actuator < m->nu && error_sz > 0);
  lengthExtremes end[2];
  for (int side = 0; side < 2; side++) {
    end[side] = pullActuator(m, d, actuator, side ? 1 : -1, opt);
    if (!end[side].is_stable) {
      snprintf(error, error_sz, "Unstable lengthrange simulation in actuator %d", actuator);
      return 0;
    }
  }
  const mjtNum low = end[0].low, high = end[1].high;
  m->actuator_lengthrange[2 * actuator] = low;
  m->actuator_lengthrange[2 * actuator + 1] = high;
  if (high <= low) {
    snprintf(error, error_sz, "Invalid lengthrange (%g, %g) in actuator %d", low, high, actuator);
    return 0;
  }
  for (int side = 0; side < 2; side++) {
    if (end[side].high - end[side].low > opt->tolrange * (high - low)) {
      snprintf(error, error_sz,
               "Lengthrange computation did not converge in actuator %d:\n  eval (%g, %g)\n  range "
               "(%g, %g)",
               actuator, end[side].low, end[side].high, low, high);
      return 0;
    }
  }
  return 1;
}


// range that is there already or needs no simulation, NULL when there is none
static const mjtNum* rangeAtHand(const mjModel* m, int index, const mjLROpt* opt) {
  const mjtNum* range = m->actuator_lengthrange + 2 * index;
  if (!wantsRange(m, index, opt) || (opt->useexisting && range[0] < range[1])) {
    return range;
  }
  return opt->uselimit ? limitOfTransmission(m, index) : NULL;
}


bool cfi_simulatesRange(const mjModel* m, int index, const mjLROpt* opt) {
  return !rangeAtHand(m, index, opt);
}


int mj_setLengthRange(mjModel* m, mjData* d, int index, const mjLROpt* opt, char* error,
                      int error_sz) {
  if (index < 0 || index >= m->nu) {
    mju_error("mj_setLengthRange: invalid actuator index");
  }
  const mjtNum* range = rangeAtHand(m, index, opt);
  if (!range) {
    return simulateRange(m, d, index, opt, error, error_sz);
  }
  const mjtNum low = range[0], high = range[1];
  m->actuator_lengthrange[2 * index] = low;
  m->actuator_lengthrange[2 * index + 1] = high;
  return 1;
}
