#include "pipeline/advance.h"

#include <string.h>

#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "base/likely.h"
#include "contactsolver/contactsolver.h"
#include "contactsolver/stage.h"
#include "dynamics/activation.h"
#include "dynamics/gain.h"
#include "dynamics/history.h"
#include "kinematics/configuration.h"
#include "math/dense.h"
#include "model/flags.h"
#include "model/indexset.h"
#include "model/sleep.h"
#include "sensor/sensor.h"

// today's controls enter the buffers of delayed actuators
static void recordControls(const mjModel* m, mjData* d) {
  for (int i = 0; i < m->nu; i++) {
    const int nsample = m->actuator_history[2 * i];
    if (nsample > 0) {
      mjtNum* buf = d->history + m->actuator_historyadr[i];
      *cfi_historyInsert(buf, nsample, 1, d->time) = d->ctrl[i];
    }
  }
}


// one sensor: a delayed one is computed, since sensordata shows the past; a sensor with an interval
// only when its next tick has come
static void recordSensor(const mjModel* m, mjData* d, int i, int nsample) {
  CF_ASSERT(i >= 0 && i < m->nsensor && nsample > 0);
  const int dim = m->sensor_dim[i];
  const mjtNum interval = m->sensor_interval[2 * i];
  mjtNum* buf = d->history + m->sensor_historyadr[i];
  if (interval > 0) {
    if (buf[0] + interval > d->time) {
      return;
    }
    buf[0] += interval;
  }

  mjtNum* sample = cfi_historyInsert(buf, nsample, dim, d->time);
  if (m->sensor_delay[i] > 0) {
    cfi_computeSensor(m, d, i, sample);
  } else {
    memcpy(sample, d->sensordata + m->sensor_adr[i], sizeof(mjtNum) * dim);
  }
}


static void advanceHistory(const mjModel* m, mjData* d) {
  if (CF_OFTEN(m->nhistory == 0)) {
    return;
  }
  recordControls(m, d);
  for (int i = 0; i < m->nsensor; i++) {
    const int nsample = m->sensor_history[2 * i];
    if (nsample > 0) {
      recordSensor(m, d, i, nsample);
    }
  }
}


// activations of actuators whose group is disabled stay, but respect their limits
static void advanceActivations(const mjModel* m, mjData* d, const mjtNum* act_dot) {
  CF_ASSERT(act_dot || !m->na);
  if (m->na == 0 || cfi_disabled(m, mjDSBL_ACTUATION)) {
    return;
  }
  for (int i = 0; i < m->nu; i++) {
    const bool acts = !cfi_actuatorDisabled(m, i);
    const int first = m->actuator_actadr[i];
    for (int k = first; k < first + m->actuator_actnum[i]; k++) {
      d->act[k] = cfi_nextActivation(m, d, i, k, acts ? act_dot[k] : 0);
    }
  }
}


// the same where some activations are states of models: they see the controls of this step
static void advanceWithModels(const mjModel* m, mjData* d, const mjtNum* act_dot,
                              const cfGainChoice* models, bool is_rungekutta) {
  mj_markStack(d);
  mjtNum* next = mj_stackAllocNum(d, (size_t)m->na);
  cfi_nextGainStates(models, m, d, next);
  advanceHistory(m, d);
  advanceActivations(m, d, act_dot);
  cfi_storeGainStates(models, m, d, next, is_rungekutta);
  mj_freeStack(d);
}


// velocities of trees that just fell asleep are zero: recompute what depends on them
static void fallAsleep(const mjModel* m, mjData* d) {
  if (CF_SELDOM(cfi_sleep(m, d))) {
    mj_forwardSkip(m, d, mjSTAGE_POS, 0);
    cfi_updateSleep(m, d);
  }
}


static void advancePlugins(const mjModel* m, mjData* d) {
  for (int i = 0; i < m->nplugin; i++) {
    const mjpPlugin* plugin = mjp_getPluginAtSlot(m->plugin[i]);
    if (!plugin) {
      mju_error("invalid plugin slot: %d", m->plugin[i]);
    } else if (plugin->advance) {
      plugin->advance(m, d, i);
    }
  }
}


// velocity with which positions move where a contact solver corrects them beyond qvel
static const mjtNum* correctedVelocity(const mjModel* m, mjData* d) {
  const mjtNum* drift = cfi_contactDrift(m, d);
  if (!drift) {
    return d->qvel;
  }
  mjtNum* qvel = mj_stackAllocNum(d, (size_t)m->nv);
  mju_add(qvel, d->qvel, drift, (int)m->nv);
  return qvel;
}


static void advanceVelocities(const mjModel* m, mjData* d, const mjtNum* qacc) {
  const mjtNum h = m->opt.timestep;
  const cfIndexSet dofs = cfi_awakeDofs(m, d);
  mjtNum* restrict velocity = d->qvel;
  for (int v = 0; v < dofs.count; v++) {
    const int i = cfi_at(dofs, v);
    velocity[i] += h * qacc[i];
  }
}


// velocities and positions where a contact solver was chosen: one that has followed the motion
// within the step says where it ends
static void advanceChosen(const mjModel* m, mjData* d, const mjtNum* qacc, const mjtNum* qvel) {
  const mjtNum* gain = qvel ? NULL : cfi_contactGain(m, d);
  const cfIndexSet dofs = cfi_awakeDofs(m, d);
  if (!gain) {
    advanceVelocities(m, d, qacc);
  }
  for (int v = 0; gain && v < dofs.count; v++) {
    d->qvel[cfi_at(dofs, v)] += gain[cfi_at(dofs, v)];
  }
  mj_markStack(d);
  cfi_integratePos(m, d->qpos, qvel ? qvel : correctedVelocity(m, d), m->opt.timestep,
                   cfi_awakeBodies(m, d));
  mj_freeStack(d);
}


// what else has a state: histories, activations
static void advanceOthers(const mjModel* m, mjData* d, const mjtNum* act_dot, bool is_rungekutta) {
  const cfGainChoice* models = m->na ? cfi_gainChoice(m) : NULL;
  if (CF_SELDOM(models) && !cfi_disabled(m, mjDSBL_ACTUATION)) {
    advanceWithModels(m, d, act_dot, models, is_rungekutta);
  } else {
    advanceHistory(m, d);
    advanceActivations(m, d, act_dot);
  }
}


void cfi_advance(const mjModel* m, mjData* d, const mjtNum* act_dot, const mjtNum* qacc,
                 const mjtNum* qvel) {
  CF_ASSERT((mjtSize)(d->parena + d->pstack) <= d->narena);
  const mjtNum h = m->opt.timestep;
  advanceOthers(m, d, act_dot, qvel != NULL);
  fallAsleep(m, d);

  if (CF_SELDOM(cfi_contactSetting(m))) {
    advanceChosen(m, d, qacc, qvel);
  } else {
    advanceVelocities(m, d, qacc);
    cfi_integratePos(m, d->qpos, qvel ? qvel : d->qvel, h, cfi_awakeBodies(m, d));
  }
  d->time += h;
  if (CF_SELDOM(m->nplugin)) {
    advancePlugins(m, d);
  }

  // where the solver of the next step starts
  cfi_copyFew(d->qacc_warmstart, d->qacc, (int)m->nv);
}


bool cfi_mayAdvanceRuns(const mjModel* m) {
  return !m->nplugin && !cfi_contactSetting(m);
}


void cfi_beginRuns(const mjModel* m, mjData* d) {
  CF_ASSERT(!cfi_enabled(m, mjENBL_SLEEP) && cfi_mayAdvanceRuns(m));
  advanceOthers(m, d, d->act_dot, false);
  d->time += m->opt.timestep;
}


void cfi_advanceRun(const mjModel* m, mjData* d, const mjtNum* qacc, cfIndexSet joints,
                    cfIndexSet dofs) {
  const mjtNum h = m->opt.timestep;
  mjtNum* restrict velocity = d->qvel;
  for (int i = dofs.first; i < dofs.first + dofs.count; i++) {
    velocity[i] += h * qacc[i];
  }
  cfi_integrateRun(m, d->qpos, d->qvel, h, joints);
  cfi_copyFew(d->qacc_warmstart + dofs.first, d->qacc + dofs.first, dofs.count);
}
