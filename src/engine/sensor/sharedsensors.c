// Sensors at sites that feel forces and accelerations, on the threads of a pool: each on the thread
// that has the trees of its body, behind mj_rnePostConstraint of these trees.
#include <mujoco/mujoco.h>

#include "base/arena.h"
#include "base/assert.h"
#include "constraint/rnepost.h"
#include "model/deal.h"
#include "sensor/sensor.h"

typedef struct {
  const mjModel* m;
  mjData* d;
  const cfDeal* deal;
  const cfBodyContacts* contacts;
  const int* order;            // sensors by run
  int first[CF_RUNS_MAX + 1];  // in order: where the sensors of a run begin
} sharedSensors;


// does it need mj_rnePostConstraint
static bool feelsAcceleration(int type) {
  return type == mjSENS_ACCELEROMETER || type == mjSENS_FORCE || type == mjSENS_TORQUE;
}


bool cfi_isSensorOfTree(const mjModel* m, int i) {
  CF_ASSERT_INDEX(i, m->nsensor);
  const int type = m->sensor_type[i];
  return (type == mjSENS_TOUCH || feelsAcceleration(type)) &&
         m->sensor_needstage[i] == mjSTAGE_ACC && m->sensor_history[2 * i] <= 0 &&
         m->site_bodyid[m->sensor_objid[i]] > 0;
}


// sensors of each run one behind the other.  run, order: room for all; false if no acceleration is
// asked for
static bool orderSensors(sharedSensors* shared, int* run, int* order) {
  const mjModel* m = shared->m;
  const int nsensor = (int)m->nsensor, nrun = shared->deal->nrun;
  int next[CF_RUNS_MAX + 1] = {0};
  bool asks = false;
  for (int i = 0, r = 0; i < nsensor; i++) {
    run[i] = nrun;
    if (cfi_isSensorOfTree(m, i)) {
      const int body = m->site_bodyid[m->sensor_objid[i]];
      if (body < shared->deal->body[r] || body >= shared->deal->body[r + 1]) {
        r = cfi_runOf(shared->deal, body);
      }
      run[i] = r;
      asks |= feelsAcceleration(m->sensor_type[i]);
    }
    next[run[i]]++;
  }
  for (int r = 0, sum = 0; r <= nrun; r++) {
    const int count = next[r];
    shared->first[r] = next[r] = sum;
    sum += count;
  }
  for (int i = 0; i < nsensor; i++) {
    order[next[run[i]]++] = i;
  }
  shared->order = order;
  return asks;
}


static void senseRun(void* context, int run) {
  const sharedSensors* shared = context;
  const mjModel* m = shared->m;
  mjData* d = shared->d;
  cfi_postRun(m, d, cfi_runBodies(shared->deal, run), shared->contacts);
  cfNearestMemo memo;
  memo.objid = -1;
  for (int k = shared->first[run]; k < shared->first[run + 1]; k++) {
    const int i = shared->order[k];
    cfi_senseOne(m, d, i, &memo, shared->contacts, d->sensordata + m->sensor_adr[i]);
  }
}


bool cfi_shareSensors(const mjModel* m, mjData* d, const cfBodyContacts* contacts) {
  cfDeal deal;
  const size_t bytes = 2 * sizeof(int) * (size_t)m->nsensor;
  if (d->flg_rnepost || d->ne || !cfi_dealBodies(&deal, m, d) ||
      !cfi_stackFits(d, bytes, sizeof(int))) {
    return false;
  }
  int* list = mj_stackAllocByte(d, bytes, sizeof(int));
  sharedSensors shared = {.m = m, .d = d, .deal = &deal, .contacts = contacts};
  if (!orderSensors(&shared, list, list + m->nsensor)) {
    return false;
  }
  cfi_beginPostRuns(m, d);
  cfi_forRuns(&deal, d, senseRun, &shared);
  cfi_endPostRuns(m, d);
  return true;
}
