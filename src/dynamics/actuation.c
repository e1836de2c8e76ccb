// Actuation: controls -> activation rates -> actuator forces -> joint forces.
//
//   force = gain(length, velocity) * input + bias(length, velocity),  input = ctrl or activation
//   qfrc_actuator = moment' * force
//
// Gains, biases and activation dynamics are tables indexed by the model's type fields.
#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "dynamics/activation.h"
#include "math/inline.h"
#include "math/sparse.h"
#include "model/awake.h"
#include "model/flags.h"
#include "model/indexset.h"
#include "model/timer.h"

typedef mjtNum (*actuatorTerm)(const mjModel* m, const mjData* d, int u);
typedef mjtNum (*activationRate)(const mjModel* m, const mjData* d, int u, mjtNum ctrl, mjtNum act);


// does sleeping hide everything that this actuator drives?
static bool isActuatorAsleep(const mjModel* m, const mjData* d, int u) {
  CF_ASSERT_INDEX(u, m->nu);
  return cfi_enabled(m, mjENBL_SLEEP) && cfi_sleepState(m, d, mjOBJ_ACTUATOR, u) == mjS_ASLEEP;
}


// ---------------------------------------- gain and bias

// c0 + c1*length + c2*velocity
static mjtNum affineTerm(const mjtNum c[3], const mjData* d, int u) {
  return c[0] + c[1] * d->actuator_length[u] + c[2] * d->actuator_velocity[u];
}


static mjtNum gainFixed(const mjModel* m, const mjData* d, int u) {
  (void)d;
  return m->actuator_gainprm[mjNGAIN * u];
}


static mjtNum gainAffine(const mjModel* m, const mjData* d, int u) {
  return affineTerm(m->actuator_gainprm + mjNGAIN * u, d, u);
}


static mjtNum gainMuscle(const mjModel* m, const mjData* d, int u) {
  return mju_muscleGain(d->actuator_length[u], d->actuator_velocity[u],
                        m->actuator_lengthrange + 2 * u, m->actuator_acc0[u],
                        m->actuator_gainprm + mjNGAIN * u);
}


static mjtNum gainUser(const mjModel* m, const mjData* d, int u) {
  return mjcb_act_gain ? mjcb_act_gain(m, d, u) : 1;
}


static mjtNum biasNone(const mjModel* m, const mjData* d, int u) {
  (void)m, (void)d, (void)u;
  return 0;
}


static mjtNum biasAffine(const mjModel* m, const mjData* d, int u) {
  return affineTerm(m->actuator_biasprm + mjNBIAS * u, d, u);
}


static mjtNum biasMuscle(const mjModel* m, const mjData* d, int u) {
  return mju_muscleBias(d->actuator_length[u], m->actuator_lengthrange + 2 * u, m->actuator_acc0[u],
                        m->actuator_biasprm + mjNBIAS * u);
}


static mjtNum biasUser(const mjModel* m, const mjData* d, int u) {
  return mjcb_act_bias ? mjcb_act_bias(m, d, u) : 0;
}


static const actuatorTerm gain_of[] = {[mjGAIN_FIXED] = gainFixed,
                                       [mjGAIN_AFFINE] = gainAffine,
                                       [mjGAIN_MUSCLE] = gainMuscle,
                                       [mjGAIN_USER] = gainUser};
static const actuatorTerm bias_of[] = {[mjBIAS_NONE] = biasNone,
                                       [mjBIAS_AFFINE] = biasAffine,
                                       [mjBIAS_MUSCLE] = biasMuscle,
                                       [mjBIAS_USER] = biasUser};


// ---------------------------------------- activation dynamics

static mjtNum rateIntegrator(const mjModel* m, const mjData* d, int u, mjtNum ctrl, mjtNum act) {
  (void)m, (void)d, (void)u, (void)act;
  return ctrl;
}


// first-order filter with time constant dynprm[0]
static mjtNum rateFilter(const mjModel* m, const mjData* d, int u, mjtNum ctrl, mjtNum act) {
  (void)d;
  return (ctrl - act) / cfi_max(mjMINVAL, m->actuator_dynprm[mjNDYN * u]);
}


static mjtNum rateMuscle(const mjModel* m, const mjData* d, int u, mjtNum ctrl, mjtNum act) {
  (void)d;
  return mju_muscleDynamics(ctrl, act, m->actuator_dynprm + mjNDYN * u);
}


// types without an entry are left to the user's callback
static const activationRate rate_of[] = {[mjDYN_INTEGRATOR] = rateIntegrator,
                                         [mjDYN_FILTER] = rateFilter,
                                         [mjDYN_FILTEREXACT] = rateFilter,
                                         [mjDYN_MUSCLE] = rateMuscle,
                                         [mjDYN_USER] = NULL};


// the callback returns the rate of a scalar activation, and writes act_dot itself for a longer one
static void userRate(const mjModel* m, mjData* d, int u, int last) {
  CF_ASSERT_INDEX(u, m->nu);
  if (!mjcb_act_dyn) {
    return;
  }
  const mjtNum rate = mjcb_act_dyn(m, d, u);
  if (m->actuator_actnum[u] == 1) {
    d->act_dot[last] = rate;
  }
}


static void activationRates(const mjModel* m, mjData* d, const mjtNum* ctrl) {
  for (int u = 0; u < m->nu; u++) {
    const int first = m->actuator_actadr[u], count = m->actuator_actnum[u];
    if (first < 0 || isActuatorAsleep(m, d, u)) {
      continue;
    }
    mju_zero(d->act_dot + first, count);

    // the last activation is the one that the built-in dynamics drive
    const int last = first + count - 1;
    activationRate rate = rate_of[m->actuator_dyntype[u]];
    if (rate) {
      d->act_dot[last] = rate(m, d, u, ctrl[u], d->act[last]);
    } else {
      userRate(m, d, u, last);
    }
  }
}


// ---------------------------------------- plugins

typedef enum { PLUGIN_RATE, PLUGIN_FORCE } pluginTask;

static void runActuatorPlugins(const mjModel* m, mjData* d, pluginTask task) {
  for (int i = 0; i < m->nplugin; i++) {
    const mjpPlugin* plugin = mjp_getPluginAtSlot(m->plugin[i]);
    if (!plugin) {
      mju_error("actuation: plugin instance %d has no registered plugin in slot %d", i,
                m->plugin[i]);
      return;
    }
    if (!(plugin->capabilityflags & mjPLUGIN_ACTUATOR)) {
      continue;
    }
    if (task == PLUGIN_RATE && plugin->actuator_act_dot) {
      plugin->actuator_act_dot(m, d, i);
    } else if (task == PLUGIN_FORCE) {
      if (!plugin->compute) {
        mju_error("actuation: plugin '%s' has no compute function", plugin->name);
        return;
      }
      plugin->compute(m, d, i, mjPLUGIN_ACTUATOR);
    }
  }
}


// ---------------------------------------- controls and forces

static inline mjtNum clampIf(mjtByte is_limited, mjtNum x, const mjtNum range[2]) {
  return is_limited ? cfi_clip(x, range[0], range[1]) : x;
}


// delayed or direct controls, clamped; one bad value makes all of them zero, with a warning
static void effectiveControls(const mjModel* m, mjData* d, mjtNum* ctrl) {
  const bool clamps = !cfi_disabled(m, mjDSBL_CLAMPCTRL);
  for (int u = 0; u < m->nu; u++) {
    const mjtNum value = m->actuator_delay[u]
                             ? mj_readCtrl(m, d, u, d->time, m->actuator_history[2 * u + 1])
                             : d->ctrl[u];
    ctrl[u] = clampIf(clamps && m->actuator_ctrllimited[u], value, m->actuator_ctrlrange + 2 * u);
  }
  for (int u = 0; u < m->nu; u++) {
    if (mju_isBad(ctrl[u])) {
      mj_warning(d, mjWARN_BADCTRL, u);
      mju_zero(ctrl, (int)m->nu);
      return;
    }
  }
}


// what the gain multiplies: control, activation, or the activation one step ahead
static mjtNum actuatorInput(const mjModel* m, const mjData* d, int u, mjtNum ctrl) {
  CF_ASSERT_INDEX(u, m->nu);
  if (m->actuator_actadr[u] < 0) {
    return ctrl;
  }
  const int last = m->actuator_actadr[u] + m->actuator_actnum[u] - 1;
  return m->actuator_actearly[u] ? cfi_nextActivation(m, d, u, last, d->act_dot[last])
                                 : d->act[last];
}


static void actuatorForces(const mjModel* m, mjData* d, const mjtNum* ctrl) {
  for (int u = 0; u < m->nu; u++) {
    if (m->actuator_plugin[u] >= 0 || cfi_actuatorDisabled(m, u) || isActuatorAsleep(m, d, u)) {
      continue;
    }
    const mjtNum gain = gain_of[m->actuator_gaintype[u]](m, d, u);
    const mjtNum bias = bias_of[m->actuator_biastype[u]](m, d, u);
    d->actuator_force[u] = gain * actuatorInput(m, d, u, ctrl[u]) + bias;
  }
}


// id of the tendon whose total actuator force is limited, -1 for any other transmission
static inline int limitedTendon(const mjModel* m, int u) {
  CF_ASSERT_INDEX(u, m->nu);
  if (m->actuator_trntype[u] != mjTRN_TENDON) {
    return -1;
  }
  const int tendon = m->actuator_trnid[2 * u];
  return m->tendon_actfrclimited[tendon] ? tendon : -1;
}


// does any acting actuator pull a tendon with limited total force?
static bool hasLimitedTendon(const mjModel* m, const mjData* d) {
  for (int u = 0; u < m->nu; u++) {
    if (limitedTendon(m, u) >= 0 && m->actuator_plugin[u] < 0 && !cfi_actuatorDisabled(m, u) &&
        !isActuatorAsleep(m, d, u)) {
      return true;
    }
  }
  return false;
}


// scale the forces of all actuators on a tendon so that their sum stays in the tendon's range
static void limitTendonForces(const mjModel* m, mjData* d) {
  if (!m->ntendon || !hasLimitedTendon(m, d)) {
    return;
  }
  mj_markStack(d);
  mjtNum* total = mj_stackAllocNum(d, (size_t)m->ntendon);
  mju_zero(total, (int)m->ntendon);
  for (int u = 0; u < m->nu; u++) {
    const int tendon = limitedTendon(m, u);
    if (tendon >= 0) {
      total[tendon] += d->actuator_force[u];
    }
  }
  for (int u = 0; u < m->nu; u++) {
    const int tendon = limitedTendon(m, u);
    if (tendon < 0 || total[tendon] == 0) {
      continue;
    }
    const mjtNum* range = m->tendon_actfrcrange + 2 * tendon;
    const mjtNum allowed = cfi_clip(total[tendon], range[0], range[1]);
    if (allowed != total[tendon]) {
      d->actuator_force[u] *= allowed / total[tendon];
    }
  }
  mj_freeStack(d);
}


static void limitForces(const mjModel* m, mjData* d) {
  limitTendonForces(m, d);
  for (int u = 0; u < m->nu; u++) {
    d->actuator_force[u] =
        clampIf(m->actuator_forcelimited[u], d->actuator_force[u], m->actuator_forcerange + 2 * u);
  }
}


// ---------------------------------------- joints

// gravity compensation that the joint's actuators are asked to carry
static void addActuatedGravcomp(const mjModel* m, mjData* d) {
  if (!m->ngravcomp || cfi_disabled(m, mjDSBL_GRAVITY) || cfi_norm3(m->opt.gravity) == 0) {
    return;
  }
  for (int k = 0; k < m->nv; k++) {
    if (m->jnt_actgravcomp[m->dof_jntid[k]]) {
      d->qfrc_actuator[k] += d->qfrc_gravcomp[k];
    }
  }
}


// only the first dof of a joint is limited: ranges exist for slide and hinge joints
static void limitJointForces(const mjModel* m, mjData* d) {
  for (int j = 0; j < m->njnt; j++) {
    mjtNum* force = d->qfrc_actuator + m->jnt_dofadr[j];
    *force = clampIf(m->jnt_actfrclimited[j], *force, m->jnt_actfrcrange + 2 * j);
  }
}


// stage ACTUATION.  reads: ctrl, act, history, actuator_length, actuator_velocity, actuator_moment,
// qfrc_gravcomp. writes: act_dot, actuator_force, qfrc_actuator.
void mj_fwdActuation(const mjModel* m, mjData* d) {
  const mjtNum start = cfi_now();
  mju_zero(d->actuator_force, (int)m->nu);
  if (m->nu == 0 || cfi_disabled(m, mjDSBL_ACTUATION)) {
    mju_zero(d->qfrc_actuator, (int)m->nv);
    return;
  }

  mj_markStack(d);
  mjtNum* ctrl = mj_stackAllocNum(d, (size_t)m->nu);
  effectiveControls(m, d, ctrl);
  activationRates(m, d, ctrl);
  runActuatorPlugins(m, d, PLUGIN_RATE);
  actuatorForces(m, d, ctrl);
  runActuatorPlugins(m, d, PLUGIN_FORCE);
  limitForces(m, d);
  mj_freeStack(d);

  const cfPattern moment = {(int)m->nu,       (int)m->nv,       d->moment_rownnz,
                            d->moment_rowadr, d->moment_colind, NULL};
  cfi_mulMatTVecSparse(d->qfrc_actuator, d->actuator_moment, d->actuator_force, moment);
  addActuatedGravcomp(m, d);
  limitJointForces(m, d);
  cfi_addTime(d, mjTIMER_ACTUATION, start, 1);
}
