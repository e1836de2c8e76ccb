// Reset of mjData to the model's initial state.
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include <mujoco/mujoco.h>

#include "base/arena.h"
#include "model/awake.h"
#include "model/data.h"
#include "model/flags.h"
#include "model/layout.h"

// tree_asleep of a tree that is fully awake: steps to go until it may sleep
enum { FULLY_AWAKE = -(1 + mjMINAWAKE) };


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
  if (count) {
    memset(array, 0, sizeof(mjtNum) * (size_t)count);
  }
}


// state and inputs: zero whatever the debug value, then the model's own
static void initInputs(const mjModel* m, mjData* d) {
  zero(d->qvel, m->nv);
  zero(d->act, m->na);
  zero(d->ctrl, m->nu);
  zero(d->qfrc_applied, m->nv);
  zero(d->xfrc_applied, 6 * m->nbody);
  zero(d->qacc, m->nv);
  zero(d->qacc_warmstart, m->nv);
  zero(d->act_dot, m->na);
  zero(d->userdata, m->nuserdata);

  // entries of qM that belong to no joint pair are never written
  zero(d->qM, m->nM);
  if (m->nq) {
    memcpy(d->qpos, m->qpos0, sizeof(mjtNum) * (size_t)m->nq);
  }
  if (m->neq) {
    memcpy(d->eq_active, m->eq_active0, (size_t)m->neq);
  }
}


// mocap bodies stand where the model has them
static void initMocap(const mjModel* m, mjData* d) {
  for (int b = 0; b < m->nbody; b++) {
    int id = m->body_mocapid[b];
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
  h.ring[0] = user_slot;
  h.ring[1] = h.n - 1;
  for (int k = 0; k < h.n; k++) {
    mjtNum time = h.newest - (h.n - 1 - k) * h.spacing;
    h.ring[2 + k] = h.on_grid ? ceil(time / timestep) * timestep : -(h.n - k) * timestep;
  }
  zero(h.ring + 2 + h.n, (mjtSize)h.n * h.dim);
}


static void initHistories(const mjModel* m, mjData* d) {
  mjtNum dt = m->opt.timestep;
  for (int u = 0; u < m->nu; u++) {
    int n = m->actuator_history[2 * u];
    if (n > 0) {
      mjtNum* ring = d->history + m->actuator_historyadr[u];
      initHistory((History){ring, n, 1, -dt, dt, false}, 0, dt);
    }
  }
  for (int s = 0; s < m->nsensor; s++) {
    int n = m->sensor_history[2 * s];
    if (n > 0) {
      // the user slot holds the time of the latest sample; with no phase the first one is due at 0
      mjtNum period = m->sensor_interval[2 * s], phase = m->sensor_interval[2 * s + 1];
      mjtNum latest = period <= 0 ? -dt : phase == 0 ? -period : phase;
      mjtNum* ring = d->history + m->sensor_historyadr[s];
      initHistory((History){ring, n, m->sensor_dim[s], latest, period, period > 0}, latest, dt);
    }
  }
}


static void resetData(const mjModel* m, mjData* d, unsigned char debug_value) {
  if (m->nhistory && m->opt.timestep <= 0) {
    mju_error("mj_resetData: history buffers require positive timestep, got %g", m->opt.timestep);
    return;
  }
  cfi_arenaReset(d);
  cfi_clearArenaArrays(d, /*keep_contacts=*/0);
  clearHeader(d);
  fillArrays(m, d, debug_value);
  initInputs(m, d);
  zero(d->mocap_pos, 3 * m->nmocap);
  zero(d->mocap_quat, 4 * m->nmocap);
  initHistories(m, d);
  for (int t = 0; t < m->ntree; t++) {
    d->tree_asleep[t] = FULLY_AWAKE;
  }
  cfi_updateAwake(m, d, /*static_awake=*/false);
  initMocap(m, d);
  d->signature = m->signature;
}


void mj_resetData(const mjModel* m, mjData* d) {
  resetData(m, d, 0);
}


void mj_resetDataDebug(const mjModel* m, mjData* d, unsigned char debug_value) {
  resetData(m, d, debug_value);
}
