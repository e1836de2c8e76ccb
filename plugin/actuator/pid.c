// mujoco.pid: force = kp * error + kd * rate of error + ki * integral of error.
//
// The error is the control minus the length of the transmission. The integral and the last control
// (which a slew limit needs) are the first activations of the actuator; the filter or integrator of
// the actuator itself is the last one and then stands for the control.
#include "../config.h"
#include "../libm.h"

// configuration of an instance
typedef struct {
  mjtNum kp, ki, kd;
  mjtNum imax;     // limit of the integral; the configuration gives it as a force
  mjtNum slewmax;  // change of the control per second
  bool has_imax, has_slewmax;
} pidGains;

// what the controller sees of an actuator
typedef struct {
  mjtNum control;   // within its limits
  mjtNum error;     // of the length
  mjtNum integral;  // of the error, the coming step included
} pidInput;


static pidGains readGains(const mjModel* m, int instance) {
  pidGains g;
  memset(&g, 0, sizeof(g));
  configNumber(m, instance, "kp", &g.kp);
  configNumber(m, instance, "ki", &g.ki);
  configNumber(m, instance, "kd", &g.kd);
  g.has_slewmax = configNumber(m, instance, "slewmax", &g.slewmax);
  g.has_imax = configNumber(m, instance, "imax", &g.imax) && g.ki != 0;
  g.imax = g.has_imax ? g.imax / g.ki : 0;
  return g;
}


//---------------------------------- control -------------------------------------------------------

// the activation that stands for the control, or what it will be after the coming step
static mjtNum filteredControl(const mjModel* m, const mjData* d, int u, bool is_early) {
  const int adr = m->actuator_actadr[u] + m->actuator_actnum[u] - 1;
  mjtNum act = d->act[adr];
  if (!is_early) {
    return act;
  }
  if (m->actuator_dyntype[u] == mjDYN_FILTEREXACT) {
    const mjtNum tau = mju_max(mjMINVAL, m->actuator_dynprm[u * mjNDYN]);
    act += d->act_dot[adr] * tau * (1 - cfi_exp(-m->opt.timestep / tau));
  } else {
    act += d->act_dot[adr] * m->opt.timestep;
  }
  const mjtNum* range = m->actuator_actrange + 2 * u;
  return m->actuator_actlimited[u] ? mju_clip(act, range[0], range[1]) : act;
}


static pidInput readInput(const mjModel* m, const mjData* d, int u, const pidGains* g,
                          bool is_early) {
  const mjtNum* own = d->act + m->actuator_actadr[u];
  const mjtNum step = m->opt.timestep, *range = m->actuator_ctrlrange + 2 * u;
  pidInput in = {0, 0, 0};
  if (m->actuator_dyntype[u] != mjDYN_NONE) {
    in.control = filteredControl(m, d, u, is_early);
  } else {
    in.control = m->actuator_ctrllimited[u] ? mju_clip(d->ctrl[u], range[0], range[1]) : d->ctrl[u];
  }
  if (g->has_slewmax && d->time > 0) {
    const mjtNum last = own[g->ki != 0];
    in.control = mju_clip(in.control, last - g->slewmax * step, last + g->slewmax * step);
  }
  in.error = in.control - d->actuator_length[u];
  if (g->ki != 0) {
    in.integral = own[0] + in.error * step;
    in.integral = g->has_imax ? mju_clip(in.integral, -g->imax, g->imax) : in.integral;
  }
  return in;
}


//---------------------------------- callbacks -----------------------------------------------------

// activations that the controller needs besides the actuator's own
static int neededActivations(const mjModel* m, int u, const pidGains* g) {
  const int dynamics = m->actuator_dyntype[u];
  const bool has_own =
      dynamics == mjDYN_FILTER || dynamics == mjDYN_FILTEREXACT || dynamics == mjDYN_INTEGRATOR;
  return (g->ki != 0) + g->has_slewmax + has_own;
}


// why an instance cannot work, in words, or false
static bool complain(const mjModel* m, int instance, const pidGains* g) {
  int users = 0;
  if (g->has_imax && g->imax < 0) {
    mju_warning("negative imax");
    return true;
  }
  if (g->has_slewmax && g->slewmax < 0) {
    mju_warning("slewmax must be non-negative");
    return true;
  }
  for (int u = 0; u < m->nu; u++) {
    if (m->actuator_plugin[u] != instance) {
      continue;
    }
    const int expected = neededActivations(m, u, g);
    users++;
    if (m->actuator_actnum[u] != expected) {
      mju_warning(
          "actuator %d has actdim %d, expected %d. Add actdim=\"%d\" to the "
          "actuator plugin element.",
          u, m->actuator_actnum[u], expected, expected);
      return true;
    }
  }
  if (!users) {
    mju_warning("actuator not found for plugin instance %d", instance);
  }
  return !users;
}


static int noState(const mjModel* m, int instance) {
  (void)m;
  (void)instance;
  return 0;
}


static int initPid(const mjModel* m, mjData* d, int instance) {
  const pidGains g = readGains(m, instance);
  pidGains* kept = complain(m, instance, &g) ? NULL : (pidGains*)malloc(sizeof(pidGains));
  if (kept) {
    *kept = g;
  }
  d->plugin_data[instance] = (uintptr_t)kept;
  return kept ? 0 : -1;
}


static void destroyPid(mjData* d, int instance) {
  free((void*)d->plugin_data[instance]);
  d->plugin_data[instance] = 0;
}


// rates that bring integral and last control to their new values within one step
static void pidRates(const mjModel* m, mjData* d, int instance) {
  const pidGains* g = (const pidGains*)d->plugin_data[instance];
  for (int u = 0; u < m->nu; u++) {
    if (m->actuator_plugin[u] != instance) {
      continue;
    }
    const pidInput in = readInput(m, d, u, g, /*is_early=*/false);
    int adr = m->actuator_actadr[u];
    if (g->ki != 0) {
      d->act_dot[adr] = (in.integral - d->act[adr]) / m->opt.timestep;
      adr++;
    }
    if (g->has_slewmax) {
      d->act_dot[adr] = (in.control - d->act[adr]) / m->opt.timestep;
    }
  }
}


static void pidForces(const mjModel* m, mjData* d, int instance, int capability) {
  (void)capability;
  const pidGains* g = (const pidGains*)d->plugin_data[instance];
  for (int u = 0; u < m->nu; u++) {
    if (m->actuator_plugin[u] != instance) {
      continue;
    }
    const pidInput in = readInput(m, d, u, g, m->actuator_actearly[u]);
    const int last = m->actuator_actadr[u] + m->actuator_actnum[u] - 1;
    const mjtNum rate = m->actuator_dyntype[u] == mjDYN_NONE ? 0 : d->act_dot[last];
    d->actuator_force[u] =
        g->kp * in.error + g->kd * (rate - d->actuator_velocity[u]) + g->ki * in.integral;
  }
}


mjPLUGIN_LIB_INIT {
  static const char* const keys[] = {"kp", "ki", "kd", "imax", "slewmax"};
  mjpPlugin plugin;
  mjp_defaultPlugin(&plugin);
  plugin.name = "mujoco.pid";
  plugin.attributes = keys;
  plugin.nattribute = (int)(sizeof(keys) / sizeof(keys[0]));
  plugin.capabilityflags = mjPLUGIN_ACTUATOR;
  plugin.nstate = noState;
  plugin.init = initPid;
  plugin.destroy = destroyPid;
  plugin.actuator_act_dot = pidRates;
  plugin.compute = pidForces;
  mjp_registerPlugin(&plugin);
}
