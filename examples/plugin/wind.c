// A plugin in one file: wind with gusts that pushes bodies along x.
//
//   cc -shared -fPIC wind.c -o libwind.so -I CORTENFORGE/include     then, in a program or in
//   Python: mj_loadPluginLibrary("libwind.so") before the model is loaded; wind.xml shows how a
//   model uses it.
//
// Force on a body: drag * (speed + gust - velocity). The gust is the plugin's state: every step it
// keeps a share of itself and gets a new push from a counter, so that runs repeat bit for bit.
#include <stdint.h>
#include <stdlib.h>

#include <mujoco/mujoco.h>

static double option(const mjModel* m, int instance, const char* key) {
  return strtod(mj_getPluginConfig(m, instance, key), NULL);
}

// numbers of state per instance: gust and counter
static int stateSize(const mjModel* m, int instance) {
  (void)m, (void)instance;
  return 2;
}

// state at the start and after mj_resetData
static void reset(const mjModel* m, mjtNum* state, void* data, int instance) {
  (void)m, (void)data, (void)instance;
  state[0] = state[1] = 0;
}

// passive forces of every body that names the instance
static void compute(const mjModel* m, mjData* d, int instance, int capability) {
  (void)capability;
  const mjtNum gust = d->plugin_state[m->plugin_stateadr[instance]];
  const mjtNum drag = option(m, instance, "drag"), speed = option(m, instance, "speed") + gust;
  for (int i = 1; i < m->nbody; i++) {
    if (m->body_plugin[i] == instance) {
      mjtNum velocity[6];
      mj_objectVelocity(m, d, mjOBJ_BODY, i, velocity, /*flg_local=*/0);
      const mjtNum force[3] = {drag * (speed - velocity[3]), 0, 0};
      mj_applyFT(m, d, force, NULL, d->xipos + 3 * i, i, d->qfrc_passive);
    }
  }
}

// once a step, when everything else has moved
static void advance(const mjModel* m, mjData* d, int instance) {
  mjtNum* state = d->plugin_state + m->plugin_stateadr[instance];
  const uint32_t random = 2654435761u * (uint32_t)(state[1] += 1);
  const mjtNum push = option(m, instance, "gust") * (random / 4294967296.0 - 0.5);
  state[0] = 0.99 * state[0] + push;
}

mjPLUGIN_LIB_INIT {
  static const char* const keys[] = {"drag", "speed", "gust"};
  mjpPlugin plugin;
  mjp_defaultPlugin(&plugin);
  plugin.name = "example.wind";
  plugin.nattribute = 3;
  plugin.attributes = keys;
  plugin.capabilityflags = mjPLUGIN_PASSIVE;
  plugin.nstate = stateSize;
  plugin.reset = reset;
  plugin.compute = compute;
  plugin.advance = advance;
  mjp_registerPlugin(&plugin);
}
