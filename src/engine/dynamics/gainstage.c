// What the stages ask the models of actuators: rates and forces, slopes, states of the next step.
//
// What a model returns is checked here: a number that is not finite never leaves this file.
#include <math.h>

#include "base/assert.h"
#include "dynamics/activation.h"
#include "dynamics/gain.h"
#include "dynamics/gainlimits.h"
#include "law/number_one.h"
#include "law/actuator.h"
#include "math/libm.h"
#include "model/awake.h"
#include "model/flags.h"

// count a bad number of a model; the first one is reported
static void warnGain(mjData* d, const cfGainModel* model, int u, const char* what) {
  mjWarningStat* stat = d->warning + mjWARN_BADCTRL;
  stat->lastinfo = u;
  if (stat->number++ == 0) {
    mju_warning("gain model '%s' returned a %s that is not finite at ACTUATOR %d. Time = %.4f.",
                model->name, what, u, d->time);
  }
}


// does the actuator act in this step?
static bool isGainActive(const mjModel* m, const mjData* d, int u) {
  return m->actuator_plugin[u] < 0 && !cfi_actuatorDisabled(m, u) && !cfi_isActuatorAsleep(m, d, u);
}


// what MuJoCo's gains multiply: activation behind those of the model, now or one step ahead
static mjtNum gainActivation(const mjModel* m, const mjData* d, int u, int own, mjtNum ctrl) {
  if (m->actuator_actnum[u] <= own) {
    return ctrl;
  }
  return lawActuatorInput((cfLaw){m, d}, u, ctrl);
}


// acceleration of the actuator's length per force, at the reference configuration
static mjtNum lightnessOf(const mjModel* m, const mjData* d, int u) {
  mjtNum sum = 0;
  const int adr = d->moment_rowadr[u], end = adr + d->moment_rownnz[u];
  for (int k = adr; k < end; k++) {
    sum += d->actuator_moment[k] * d->actuator_moment[k] * m->dof_invweight0[d->moment_colind[k]];
  }
  return sum;
}


// steps of RK4 are exact to fourth order where they are stable by themselves
static bool isTakenImplicitly(const cfGainModel* model, const cfGainView* view) {
  const mjModel* m = view->m;
  if (!model->speed || m->opt.integrator != mjINT_RK4) {
    return model->speed != NULL;
  }
  return !(model->speed(view, lightnessOf(m, view->d, view->actuator)) * view->timestep <= 2);
}


static cfGainView viewGain(const mjModel* m, const mjData* d, int u, const cfGainModel* model,
                           mjtNum ctrl) {
  CF_ASSERT_INDEX(u, m->nu);
  const int own = cfi_gainStates(model);
  CF_ASSERT(own <= m->actuator_actnum[u]);
  const mjtNum* act = own ? d->act + m->actuator_actadr[u] : NULL;
  const bool has_previous = model->keeps_ctrl && act[model->nstate + 1] > 0.5;
  cfGainView view = {.m = m,
                     .d = d,
                     .actuator = u,
                     .param = m->actuator_gainprm + mjNGAIN * u,
                     .state = model->nstate ? act : NULL,
                     .length = d->actuator_length[u],
                     .velocity = d->actuator_velocity[u],
                     .ctrl = ctrl,
                     .activation = gainActivation(m, d, u, own, ctrl),
                     .previous_ctrl = has_previous ? act[model->nstate] : ctrl,
                     .timestep = m->opt.timestep,
                     .is_early = m->actuator_actearly[u]};
  view.is_stiff = isTakenImplicitly(model, &view);
  return view;
}


void cfi_gainRates(const cfGainChoice* choice, const mjModel* m, mjData* d, const mjtNum* ctrl) {
  for (int k = 0; k < choice->count; k++) {
    const int u = choice->use[k].listed;
    const cfGainModel* model = choice->use[u].model;
    if (!model->nstate || !model->rate || cfi_isActuatorAsleep(m, d, u)) {
      continue;
    }
    mjtNum* rate = d->act_dot + m->actuator_actadr[u];
    const cfGainView view = viewGain(m, d, u, model, ctrl[u]);
    model->rate(&view, rate);
    for (int i = 0; i < model->nstate; i++) {
      if (!isfinite(rate[i])) {
        rate[i] = 0;
        warnGain(d, model, u, "rate");
      }
    }
  }
}


void cfi_addGainForces(const cfGainChoice* choice, const mjModel* m, mjData* d,
                       const mjtNum* ctrl) {
  for (int k = 0; k < choice->count; k++) {
    const int u = choice->use[k].listed;
    const cfGainModel* model = choice->use[u].model;
    if (!isGainActive(m, d, u)) {
      continue;
    }
    const cfGainView view = viewGain(m, d, u, model, ctrl[u]);
    const mjtNum force = model->force(&view);
    if (isfinite(force)) {
      d->actuator_force[u] += force;
    } else {
      warnGain(d, model, u, "force");
    }
  }
}


mjtNum cfi_unlimitedForce(const mjModel* m, mjData* d, int u) {
  const cfGainModel* model = cf_actuatorGain(m, u);
  CF_ASSERT(model && m->actuator_plugin[u] < 0);
  const mjtNum found = cfi_actuatorControl(m, d, u), ctrl = mju_isBad(found) ? 0 : found;
  const cfGainView view = viewGain(m, d, u, model, ctrl);
  const mjtNum force = model->force(&view);
  return cfi_plainForce(m, d, u, ctrl) + (isfinite(force) ? force : 0);
}


mjtNum cfi_gainForceSlope(const mjModel* m, mjData* d, int u) {
  const cfGainModel* model = cf_actuatorGain(m, u);
  if (!model || m->actuator_plugin[u] >= 0 || cfi_isHeldByLimits(m, d, u, model->speed != NULL)) {
    return 0;
  }
  const mjtNum ctrl = cfi_actuatorControl(m, d, u);
  const cfGainView view = viewGain(m, d, u, model, mju_isBad(ctrl) ? 0 : ctrl);
  const mjtNum slope = model->slope(&view);
  if (isfinite(slope)) {
    return slope;
  }
  warnGain(d, model, u, "slope");
  return 0;
}


mjtNum cfi_stiffSlope(const mjModel* m, mjData* d, int u) {
  const cfGainModel* model = cf_actuatorGain(m, u);
  if (!model || !model->speed || !isGainActive(m, d, u)) {
    return 0;
  }
  const cfGainView view = viewGain(m, d, u, model, 0);
  const mjtNum slope = view.is_stiff ? model->slope(&view) : 0;
  return slope < 0 && isfinite(slope) ? slope : 0;
}


// ---------------------------------------- states of the next step

// the model's own states; those of an actuator that does not act stay as they are
static void nextStates(const cfGainModel* model, const cfGainView* view, mjData* d, mjtNum* next) {
  const mjModel* m = view->m;
  const int u = view->actuator, first = m->actuator_actadr[u];
  for (int i = 0; i < model->nstate; i++) {
    next[i] = d->act[first + i];
  }
  if (!isGainActive(m, d, u)) {
    return;
  }
  if (model->advance) {
    model->advance(view, next);
  } else {
    for (int i = 0; i < model->nstate; i++) {
      next[i] += m->opt.timestep * d->act_dot[first + i];
    }
  }
  const mjtNum* range = m->actuator_actrange + 2 * u;
  for (int i = 0; i < model->nstate; i++) {
    if (!isfinite(next[i])) {
      next[i] = d->act[first + i];
      warnGain(d, model, u, "state");
    }
    if (m->actuator_actlimited[u]) {
      next[i] = cfi_fmin(cfi_fmax(next[i], range[0]), range[1]);
    }
  }
}


void cfi_nextGainStates(const cfGainChoice* choice, const mjModel* m, mjData* d, mjtNum* next) {
  mj_markStack(d);
  mjtNum* ctrl = mj_stackAllocNum(d, (size_t)m->nu);
  cfi_actuatorControls(m, d, ctrl);
  for (int k = 0; k < choice->count; k++) {
    const int u = choice->use[k].listed;
    const cfGainModel* model = choice->use[u].model;
    if (!cfi_gainStates(model)) {
      continue;
    }
    mjtNum* place = next + m->actuator_actadr[u];
    const cfGainView view = viewGain(m, d, u, model, ctrl[u]);
    if (model->nstate) {
      nextStates(model, &view, d, place);
    }
    if (model->keeps_ctrl) {
      place[model->nstate] = ctrl[u];
      place[model->nstate + 1] = 1;
    }
  }
  mj_freeStack(d);
}


void cfi_storeGainStates(const cfGainChoice* choice, const mjModel* m, mjData* d,
                         const mjtNum* next, bool by_rate) {
  for (int k = 0; k < choice->count; k++) {
    const int u = choice->use[k].listed;
    const cfGainModel* model = choice->use[u].model;
    const int first = m->actuator_actadr[u];
    for (int i = by_rate && model->rate ? model->nstate : 0; i < cfi_gainStates(model); i++) {
      d->act[first + i] = next[first + i];
    }
  }
}
