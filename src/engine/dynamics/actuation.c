// Actuation: controls -> activation rates -> actuator forces -> joint forces.
//
//   force = gain(length, velocity) * input + bias(length, velocity),  input = ctrl or activation
//   qfrc_actuator = moment' * force
//
// MuJoCo's gains, biases and activation dynamics are told apart by the model's type fields, without
// a call through a pointer; exchangeable models (gain.h) are asked in a loop of their own.
#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "base/likely.h"
#include "dynamics/activation.h"
#include "dynamics/gain.h"
#include "dynamics/runs.h"
#include "kinematics/runs.h"
#include "law/number_one.h"
#include "law/actuator.h"
#include "math/dense.h"
#include "math/inline.h"
#include "math/sparse.h"
#include "model/awake.h"
#include "model/flags.h"
#include "model/indexset.h"
#include "model/timer.h"


// ---------------------------------------- gain and bias

static mjtNum gainMuscle(const mjModel* m, const mjData* d, int u) {
  return mju_muscleGain(d->actuator_length[u], d->actuator_velocity[u],
                        m->actuator_lengthrange + 2 * u, m->actuator_acc0[u],
                        m->actuator_gainprm + mjNGAIN * u);
}


// a model of ours adds its force later; without one, the program's callback.  Functions that call a
// program stay out of the loops that most models need.
__attribute__((noinline)) static mjtNum gainUser(const mjModel* m, const mjData* d, int u) {
  if (cf_actuatorGain(m, u)) {
    return 0;
  }
  return mjcb_act_gain ? mjcb_act_gain(m, d, u) : 1;
}


static inline mjtNum plainGain(const mjModel* m, const mjData* d, int u) {
  const cfLaw c = {m, d};
  const int type = m->actuator_gaintype[u];
  if (type == mjGAIN_FIXED) {
    return lawGain(c, u, 0, 0);  // reads neither length nor velocity
  }
  switch (type) {
    case mjGAIN_AFFINE:
      return lawGain(c, u, d->actuator_length[u], d->actuator_velocity[u]);
    case mjGAIN_MUSCLE:
      return gainMuscle(m, d, u);
    default:
      return gainUser(m, d, u);
  }
}


static mjtNum biasMuscle(const mjModel* m, const mjData* d, int u) {
  return mju_muscleBias(d->actuator_length[u], m->actuator_lengthrange + 2 * u, m->actuator_acc0[u],
                        m->actuator_biasprm + mjNBIAS * u);
}


__attribute__((noinline)) static mjtNum biasUser(const mjModel* m, const mjData* d, int u) {
  return mjcb_act_bias ? mjcb_act_bias(m, d, u) : 0;
}


static inline mjtNum plainBias(const mjModel* m, const mjData* d, int u) {
  const cfLaw c = {m, d};
  const int type = m->actuator_biastype[u];
  if (type == mjBIAS_NONE) {
    return 0;
  }
  switch (type) {
    case mjBIAS_AFFINE:
      return lawBias(c, u, d->actuator_length[u], d->actuator_velocity[u]);
    case mjBIAS_MUSCLE:
      return biasMuscle(m, d, u);
    default:
      return biasUser(m, d, u);
  }
}


// ---------------------------------------- activation dynamics

// the callback returns the rate of a scalar activation, and writes act_dot itself for a longer one;
// it is not asked where all activations belong to a model of ours
__attribute__((noinline)) static void userRate(const mjModel* m, mjData* d, int u, int last) {
  CF_ASSERT_INDEX(u, m->nu);
  const cfGainModel* model = cf_actuatorGain(m, u);
  if (!mjcb_act_dyn || (model && cfi_gainStates(model) == m->actuator_actnum[u])) {
    return;
  }
  const mjtNum rate = mjcb_act_dyn(m, d, u);
  if (m->actuator_actnum[u] == 1) {
    d->act_dot[last] = rate;
  }
}


// built-in dynamics
static inline mjtNum plainRate(const mjModel* m, int u, mjtNum ctrl, mjtNum act) {
  if (m->actuator_dyntype[u] == mjDYN_MUSCLE) {
    return mju_muscleDynamics(ctrl, act, m->actuator_dynprm + mjNDYN * u);
  }
  return lawActivationRate((cfLaw){m, NULL}, u, ctrl, act);
}


// the last activation is the one that the built-in dynamics drive
static void lastRate(const mjModel* m, mjData* d, int u, mjtNum ctrl) {
  const int last = m->actuator_actadr[u] + m->actuator_actnum[u] - 1;
  const int type = m->actuator_dyntype[u];
  if (type >= mjDYN_INTEGRATOR && type <= mjDYN_MUSCLE) {
    d->act_dot[last] = plainRate(m, u, ctrl, d->act[last]);
  } else {
    userRate(m, d, u, last);
  }
}


mjtNum cfi_activationRate(const mjModel* m, int u, mjtNum ctrl, mjtNum act) {
  CF_ASSERT_INDEX(u, m->nu);
  CF_ASSERT(m->actuator_dyntype[u] >= mjDYN_INTEGRATOR && m->actuator_dyntype[u] <= mjDYN_MUSCLE);
  return plainRate(m, u, ctrl, act);
}


mjtNum cfi_actuatorGainNow(const mjModel* m, const mjData* d, int u) {
  CF_ASSERT_INDEX(u, m->nu);
  return plainGain(m, d, u);
}


static void activationRates(const mjModel* m, mjData* d, const mjtNum* ctrl) {
  if (m->na == 0) {
    return;
  }
  for (int u = 0; u < m->nu; u++) {
    const int first = m->actuator_actadr[u];
    if (first < 0 || cfi_isActuatorAsleep(m, d, u)) {
      continue;
    }
    mju_zero(d->act_dot + first, m->actuator_actnum[u]);
    lastRate(m, d, u, ctrl[u]);
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


static inline mjtNum controlOf(const mjModel* m, const mjData* d, int u, bool clamps) {
  const mjtNum value = m->actuator_delay[u]
                           ? mj_readCtrl(m, d, u, d->time, m->actuator_history[2 * u + 1])
                           : d->ctrl[u];
  return clampIf(clamps && m->actuator_ctrllimited[u], value, m->actuator_ctrlrange + 2 * u);
}


mjtNum cfi_actuatorControl(const mjModel* m, const mjData* d, int u) {
  CF_ASSERT_INDEX(u, m->nu);
  return controlOf(m, d, u, !cfi_disabled(m, mjDSBL_CLAMPCTRL));
}


int cfi_actuatorControls(const mjModel* m, const mjData* d, mjtNum* ctrl) {
  const bool clamps = !cfi_disabled(m, mjDSBL_CLAMPCTRL);
  for (int u = 0; u < m->nu; u++) {
    ctrl[u] = controlOf(m, d, u, clamps);
    if (mju_isBad(ctrl[u])) {
      mju_zero(ctrl, (int)m->nu);
      return u;
    }
  }
  return -1;
}


// delayed or direct controls, clamped; one bad value makes all of them zero, with a warning
static void effectiveControls(const mjModel* m, mjData* d, mjtNum* ctrl) {
  const int bad = cfi_actuatorControls(m, d, ctrl);
  if (bad >= 0) {
    mj_warning(d, mjWARN_BADCTRL, bad);
  }
}


mjtNum cfi_plainForce(const mjModel* m, const mjData* d, int u, mjtNum ctrl) {
  CF_ASSERT_INDEX(u, m->nu);
  return plainGain(m, d, u) * lawActuatorInput((cfLaw){m, d}, u, ctrl) + plainBias(m, d, u);
}


static inline void actuatorForces(const mjModel* m, mjData* d, const mjtNum* ctrl, int first,
                                  int end) {
  const cfLaw c = {m, d};
  const bool some_idle = m->opt.disableactuator || cfi_enabled(m, mjENBL_SLEEP);
  for (int u = first; u < end; u++) {
    if (m->actuator_plugin[u] >= 0 ||
        (some_idle && (cfi_actuatorDisabled(m, u) || cfi_isActuatorAsleep(m, d, u)))) {
      continue;
    }
    const mjtNum gain = plainGain(m, d, u), bias = plainBias(m, d, u);
    d->actuator_force[u] = gain * lawActuatorInput(c, u, ctrl[u]) + bias;
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
        !cfi_isActuatorAsleep(m, d, u)) {
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


static inline void limitForces(const mjModel* m, mjData* d, int first, int end) {
  for (int u = first; u < end; u++) {
    d->actuator_force[u] =
        clampIf(m->actuator_forcelimited[u], d->actuator_force[u], m->actuator_forcerange + 2 * u);
  }
}


// ---------------------------------------- joints

// qfrc_actuator += moment'*force
static inline void jointForces(mjData* d, int first, int end) {
  const int *rowadr = d->moment_rowadr, *rownnz = d->moment_rownnz, *colind = d->moment_colind;
  const mjtNum* moment = d->actuator_moment;
  mjtNum* qfrc = d->qfrc_actuator;
  for (int u = first; u < end; u++) {
    const mjtNum force = d->actuator_force[u];
    if (force != 0) {
      cfi_addToSclScatter(qfrc, moment + rowadr[u], colind + rowadr[u], rownnz[u], force);
    }
  }
}


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
static inline void limitJointForces(const mjModel* m, mjData* d, int first, int end) {
  for (int j = first; j < end; j++) {
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
  const cfGainChoice* models = cfi_gainChoice(m);
  if (CF_SELDOM(models)) {
    cfi_gainRates(models, m, d, ctrl);
  }
  if (CF_SELDOM(m->nplugin)) {
    runActuatorPlugins(m, d, PLUGIN_RATE);
  }
  actuatorForces(m, d, ctrl, 0, (int)m->nu);
  if (CF_SELDOM(models)) {
    cfi_addGainForces(models, m, d, ctrl);
  }
  if (CF_SELDOM(m->nplugin)) {
    runActuatorPlugins(m, d, PLUGIN_FORCE);
  }
  limitTendonForces(m, d);
  limitForces(m, d, 0, (int)m->nu);
  mj_freeStack(d);

  cfi_zero(d->qfrc_actuator, (int)m->nv);
  jointForces(d, 0, (int)m->nu);
  addActuatedGravcomp(m, d);
  limitJointForces(m, d, 0, (int)m->njnt);
  cfi_addTime(d, mjTIMER_ACTUATION, start, 1);
}


// ---------------------------------------- by runs of bodies

// actuators of slide and hinge joints without activations, in the order of bodies: those of a run
// follow each other.  Their controls are looked at here: a bad one makes all of them zero
bool cfi_dealActuators(cfActuatorDeal* dealt, const mjModel* m, mjData* d, const cfDeal* deal) {
  const int nu = (int)m->nu;
  if (m->na || m->ngravcomp || m->nplugin || (nu && cfi_disabled(m, mjDSBL_ACTUATION))) {
    return false;
  }
  int run = 0;
  dealt->first[0] = 0;
  for (int u = 0; u < nu; u++) {
    const int body = cfi_scalarActuatorBody(m, u);
    if (body < deal->body[run]) {
      return false;
    }
    while (body >= deal->body[run + 1]) {
      dealt->first[++run] = u;
    }
  }
  while (run < deal->nrun) {
    dealt->first[++run] = nu;
  }
  dealt->ctrl = mj_stackAllocNum(d, (size_t)nu);
  effectiveControls(m, d, dealt->ctrl);
  return true;
}


void cfi_actuationRun(const mjModel* m, mjData* d, const cfActuatorDeal* dealt, int run,
                      cfIndexSet joints, cfIndexSet dofs) {
  const int first = dealt->first[run], end = dealt->first[run + 1];
  CF_ASSERT(!dofs.index && !joints.index && first <= end && end <= m->nu);
  cfi_zero(d->qfrc_actuator + dofs.first, dofs.count);
  if (m->nu == 0) {
    return;
  }
  cfi_zero(d->actuator_force + first, end - first);
  cfi_transmitRun(m, d, first, end);
  actuatorForces(m, d, dealt->ctrl, first, end);
  limitForces(m, d, first, end);
  jointForces(d, first, end);
  limitJointForces(m, d, joints.first, joints.first + joints.count);
}
