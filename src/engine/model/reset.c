// Reset of mjData to the model's initial state.
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "base/arena.h"
#include "base/memory.h"
#include "model/awake.h"
#include "model/data.h"
#include "model/extension.h"
#include "model/flags.h"
#include "model/layout.h"
#include "model/sleep.h"

// every array of the buffer gets the byte
static void fillArrays(const mjModel* m, mjData* d, unsigned char value) {
  for (int k = 0; k < cfi_dataFields.count; k++) {
    const cfFieldInfo* field = cfi_dataFields.field + k;
    mjtSize bytes = 0;
    if (!cfi_fieldInArena(field) && cfi_arrayBytes(field, m, NULL, &bytes) && bytes) {
      memset(cfi_arrayOf(field, d), value, (size_t)bytes);
    }
  }
}


// a pool that was set aside by a step: the one that resets, or one that an error has ended
static void takePoolBack(mjData* d) {
  cfPoolAside* aside = &cfi_dataExtension(d)->aside;
  if (!d->threadpool) {
    d->threadpool = aside->pool;
  }
  aside->pool = 0;
}


// diagnostics, counters, time
static void clearHeader(mjData* d) {
  d->maxuse_stack = d->maxuse_arena = 0;
  d->maxuse_con = d->maxuse_efc = 0;
  memset(d->maxuse_threadstack, 0, sizeof(d->maxuse_threadstack));
  memset(d->warning, 0, sizeof(d->warning));
  memset(d->timer, 0, sizeof(d->timer));
  memset(d->solver, 0, sizeof(d->solver));
  memset(d->solver_niter, 0, sizeof(d->solver_niter));
  memset(d->solver_nnz, 0, sizeof(d->solver_nnz));
  memset(d->solver_fwdinv, 0, sizeof(d->solver_fwdinv));
  d->time = d->energy[0] = d->energy[1] = 0;
  d->flg_energypos = d->flg_energyvel = d->flg_subtreevel = d->flg_rnepost = 0;
}


static void zero(mjtNum* array, mjtSize count) {
  CF_ASSERT(count >= 0);
  if (count) {
    memset(array, 0, sizeof(mjtNum) * (size_t)count);
  }
}


// state and inputs: zero whatever the debug value, then the model's own
void cfi_initInputs(const mjModel* m, mjData* d) {
  zero(d->qvel, m->nv);
  zero(d->act, m->na);
  zero(d->ctrl, m->nu);
  zero(d->qfrc_applied, m->nv);
  zero(d->xfrc_applied, 6 * m->nbody);
  zero(d->qacc, m->nv);
  zero(d->qacc_warmstart, m->nv);
  zero(d->act_dot, m->na);
  zero(d->userdata, m->nuserdata);
  zero(d->mocap_pos, 3 * m->nmocap);
  zero(d->mocap_quat, 4 * m->nmocap);

  // entries of qM that belong to no joint pair are never written
  zero(d->qM, m->nM);
  if (m->nq) {
    memcpy(d->qpos, m->qpos0, sizeof(mjtNum) * (size_t)m->nq);
  }
  if (m->neq) {
    memcpy(d->eq_active, m->eq_active0, (size_t)m->neq);
  }
  for (int t = 0; t < m->ntree; t++) {
    d->tree_asleep[t] = CF_FULLY_AWAKE;
  }
}


// mocap bodies stand where the model has them
static void initMocap(const mjModel* m, mjData* d) {
  for (int b = 0; b < m->nbody; b++) {
    const int id = m->body_mocapid[b];
    CF_ASSERT(id < m->nmocap);
    if (id >= 0) {
      memcpy(d->mocap_pos + 3 * id, m->body_pos + 3 * b, 3 * sizeof(mjtNum));
      memcpy(d->mocap_quat + 4 * id, m->body_quat + 4 * b, 4 * sizeof(mjtNum));
    }
  }
}


// one ring of past samples: {user slot, cursor, n times, n*dim values}
typedef struct {
  mjtNum* ring;
  int n, dim;
  mjtNum newest, spacing;  // time of the newest sample and distance between samples
  bool on_grid;            // times are rounded up to multiples of the timestep
} History;


static void initHistory(History h, mjtNum user_slot, mjtNum timestep) {
  CF_ASSERT(h.n > 0 && h.dim >= 0 && timestep > 0);
  h.ring[0] = user_slot;
  h.ring[1] = h.n - 1;
  for (int k = 0; k < h.n; k++) {
    const mjtNum time = h.newest - (h.n - 1 - k) * h.spacing;
    h.ring[2 + k] = h.on_grid ? ceil(time / timestep) * timestep : -(h.n - k) * timestep;
  }
  zero(h.ring + 2 + h.n, (mjtSize)h.n * h.dim);
}


static void initHistories(const mjModel* m, mjData* d) {
  const mjtNum dt = m->opt.timestep;
  for (int u = 0; u < m->nu; u++) {
    const int n = m->actuator_history[2 * u];
    if (n > 0) {
      CF_ASSERT(m->actuator_historyadr[u] >= 0 && m->actuator_historyadr[u] < m->nhistory);
      mjtNum* ring = d->history + m->actuator_historyadr[u];
      initHistory((History){ring, n, 1, -dt, dt, false}, 0, dt);
    }
  }
  for (int s = 0; s < m->nsensor; s++) {
    const int n = m->sensor_history[2 * s];
    if (n > 0) {
      // the user slot holds the time of the latest sample; with no phase the first one is due at 0
      const mjtNum period = m->sensor_interval[2 * s], phase = m->sensor_interval[2 * s + 1];
      const mjtNum latest = period <= 0 ? -dt : phase == 0 ? -period : phase;
      CF_ASSERT(m->sensor_historyadr[s] >= 0 && m->sensor_historyadr[s] < m->nhistory);
      mjtNum* ring = d->history + m->sensor_historyadr[s];
      initHistory((History){ring, n, m->sensor_dim[s], latest, period, period > 0}, latest, dt);
    }
  }
}


// partial step results that stay constant while a body sleeps are needed before the first step.
// Trees that start asleep are put to sleep after a whole forward pass.
static bool initSleep(const mjModel* m, mjData* d, char* message, size_t nmessage) {
  int ninit = 0;
  for (int t = 0; t < m->ntree; t++) {
    ninit += m->tree_sleep_policy[t] == mjSLEEP_INIT;
  }
  cfi_updateAwake(m, d, /*static_awake=*/true);
  if (!ninit) {
    mj_kinematics(m, d);
    mj_comPos(m, d);
    mj_camlight(m, d);
    mj_tendon(m, d);
    return true;
  }

  mj_forward(m, d);
  for (int t = 0; t < m->ntree; t++) {
    d->tree_asleep[t] = m->tree_sleep_policy[t] == mjSLEEP_INIT ? -1 : CF_FULLY_AWAKE;
  }
  const int nslept = cfi_sleep(m, d);
  zero(d->qacc_smooth, m->nv);
  zero(d->qfrc_smooth, m->nv);
  cfi_clearEfc(d);
  for (int t = 0; nslept != ninit && t < m->ntree; t++) {
    if (m->tree_sleep_policy[t] == mjSLEEP_INIT && d->tree_asleep[t] < 0) {
      const char* name = mj_id2name(m, mjOBJ_BODY, m->tree_bodyadr[t]);
      snprintf(message, nmessage,
               "_resetData: %d trees were marked as sleep='init' but only %d could be slept.\n"
               "Body '%s' (id=%d) is the root of the first tree that could not be slept.",
               ninit, nslept, name ? name : "", m->tree_bodyadr[t]);
      return false;
    }
  }
  return true;
}


// what plugin instances keep over a reset; heap, because a reset is not part of a step
typedef struct {
  mjtNum* state;
  uintptr_t* data;
} PluginKeep;


static bool savePlugins(const mjModel* m, const mjData* d, PluginKeep* keep) {
  *keep = (PluginKeep){NULL, NULL};
  if (!d->nplugin) {
    return true;
  }
  const size_t nstate = sizeof(mjtNum) * (size_t)m->npluginstate;
  const size_t ndata = sizeof(uintptr_t) * (size_t)m->nplugin;
  keep->state = cfi_tryMalloc(nstate + ndata);
  if (!keep->state) {
    return false;
  }
  keep->data = (uintptr_t*)(keep->state + m->npluginstate);
  memcpy(keep->state, d->plugin_state, nstate);
  memcpy(keep->data, d->plugin_data, ndata);
  return true;
}


// give plugin instances their memory back
static void restorePlugins(const mjModel* m, mjData* d, const PluginKeep* keep) {
  if (keep->state) {
    memcpy(d->plugin_state, keep->state, sizeof(mjtNum) * (size_t)m->npluginstate);
    memcpy(d->plugin_data, keep->data, sizeof(uintptr_t) * (size_t)m->nplugin);
    memcpy(d->plugin, m->plugin, sizeof(int) * (size_t)m->nplugin);
  }
  mju_free(keep->state);
}


static void resetPlugins(const mjModel* m, mjData* d) {
  for (int k = 0; k < d->nplugin; k++) {
    const mjpPlugin* plugin = mjp_getPluginAtSlot(m->plugin[k]);
    if (plugin && plugin->reset) {
      plugin->reset(m, d->plugin_state + m->plugin_stateadr[k], (void*)d->plugin_data[k], k);
    }
  }
}


bool cfi_resetData(const mjModel* m, mjData* d, unsigned char debug_value, char* message,
                   size_t nmessage) {
  PluginKeep keep;
  if (m->nhistory && m->opt.timestep <= 0) {
    snprintf(message, nmessage, "mj_resetData: history buffers require positive timestep, got %g",
             m->opt.timestep);
    return false;
  }
  if (!savePlugins(m, d, &keep)) {
    snprintf(message, nmessage, "mj_resetData: could not allocate memory for plugin state");
    return false;
  }
  takePoolBack(d);
  cfi_arenaReset(d);
  cfi_clearArenaArrays(d, /*keep_contacts=*/0);
  clearHeader(d);
  fillArrays(m, d, debug_value);
  cfi_noteMarks(cfi_dataExtension(d), debug_value ? (int)m->nbvh : 0);
  restorePlugins(m, d, &keep);
  cfi_initInputs(m, d);
  initHistories(m, d);
  const bool slept = !cfi_enabled(m, mjENBL_SLEEP) || initSleep(m, d, message, nmessage);
  cfi_updateAwake(m, d, /*static_awake=*/false);
  initMocap(m, d);
  resetPlugins(m, d);
  d->signature = m->signature;
  return slept;
}


static void resetOrRaise(const mjModel* m, mjData* d, unsigned char debug_value) {
  char message[400];
  if (!cfi_resetData(m, d, debug_value, message, sizeof(message))) {
    mju_error("%s", message);
  }
}


void mj_resetData(const mjModel* m, mjData* d) {
  resetOrRaise(m, d, 0);
}


void mj_resetDataDebug(const mjModel* m, mjData* d, unsigned char debug_value) {
  resetOrRaise(m, d, debug_value);
}
