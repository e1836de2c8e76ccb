// Sensor stages: find the sensors of a stage, compute each by the function of its type, clamp,
// delay.
#include "sensor/sensor.h"

#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "base/likely.h"
#include "math/inline.h"
#include "model/awake.h"
#include "model/flags.h"

static const cfSensorFunction function_of[] = {
#define CF_SENSOR(id, type, tag, objects, object, reference, dim, stage, datatype, cutoff, \
                  function, reads, team, doc)                                              \
  [type] = function,
#include "tables/sensors.def"
#undef CF_SENSOR
};
enum { TYPE_MAX = sizeof(function_of) / sizeof(function_of[0]) };


// clamp to the cutoff: both sides of real data, the upper side of positive data.
// contact data have none, and some sensors use it as their reach
static void applyCutoff(const mjModel* m, int i, mjtNum* value) {
  CF_ASSERT_INDEX(i, m->nsensor);
  const mjtNum cutoff = m->sensor_cutoff[i];
  const int type = m->sensor_type[i], data = m->sensor_datatype[i];
  if (cutoff <= 0 || cfi_sensorKinds[type].cutoff != CUTOFF_CLAMP ||
      (data != mjDATATYPE_REAL && data != mjDATATYPE_POSITIVE)) {
    return;
  }
  for (int k = 0; k < m->sensor_dim[i]; k++) {
    value[k] = cfi_min(cutoff, data == mjDATATYPE_REAL ? cfi_max(-cutoff, value[k]) : value[k]);
  }
}


void cfi_senseOne(const mjModel* m, mjData* d, int i, cfNearestMemo* memo,
                  const cfBodyContacts* contacts, mjtNum* res) {
  const int type = m->sensor_type[i];
  CF_ASSERT(m->sensor_adr[i] >= 0 && m->sensor_adr[i] + m->sensor_dim[i] <= m->nsensordata);
  if (type < 0 || type >= TYPE_MAX || !function_of[type]) {
    mju_error("sensor %d: type %d cannot be computed", i, type);
    return;
  }
  const cfSensor s = {m,
                      d,
                      i,
                      type,
                      m->sensor_objtype[i],
                      m->sensor_objid[i],
                      m->sensor_reftype[i],
                      m->sensor_refid[i],
                      memo,
                      contacts};
  function_of[type](&s, res);
  applyCutoff(m, i, res);
}


void cfi_computeSensor(const mjModel* m, mjData* d, int i, mjtNum* res) {
  cfNearestMemo memo;
  memo.objid = -1;
  cfi_senseOne(m, d, i, &memo, NULL, res);
}


// is the value to be taken from the history, because it is delayed or its interval has not passed?
static bool showsPast(const mjModel* m, const mjData* d, int i) {
  CF_ASSERT_INDEX(i, m->nsensor);
  if (m->sensor_history[2 * i] <= 0) {
    return false;
  }
  if (m->sensor_delay[i] > 0) {
    return true;
  }
  const mjtNum interval = m->sensor_interval[2 * i];
  const mjtNum last_tick = d->history[m->sensor_historyadr[i]];
  return interval > 0 && last_tick + interval > d->time;
}


static void updateSensor(const mjModel* m, mjData* d, int i, cfNearestMemo* memo,
                         const cfBodyContacts* contacts) {
  mjtNum* value = d->sensordata + m->sensor_adr[i];
  if (!showsPast(m, d, i)) {
    cfi_senseOne(m, d, i, memo, contacts, value);
    return;
  }
  const mjtNum* stored = mj_readSensor(m, d, i, d->time, value, m->sensor_history[2 * i + 1]);
  if (stored) {
    mju_copy(value, stored, m->sensor_dim[i]);
  }
}


// what callbacks and plugins of a stage may read
static void prepareStage(const mjModel* m, mjData* d, int stage) {
  CF_ASSERT(stage > mjSTAGE_NONE && stage <= mjSTAGE_ACC);
  if (stage == mjSTAGE_VEL && !d->flg_subtreevel) {
    mj_subtreeVel(m, d);
  } else if (stage == mjSTAGE_ACC && !d->flg_rnepost) {
    mj_rnePostConstraint(m, d);
  }
}


// cutoff of the sensors that somebody else has just filled: user sensors (instance -1) or those of
// one plugin
static void clampForeign(const mjModel* m, mjData* d, int stage, int instance) {
  const int type = instance < 0 ? mjSENS_USER : mjSENS_PLUGIN;
  for (int i = 0; i < m->nsensor; i++) {
    const bool is_theirs =
        m->sensor_type[i] == type && (instance < 0 || m->sensor_plugin[i] == instance);
    if (is_theirs && m->sensor_needstage[i] == stage) {
      applyCutoff(m, i, d->sensordata + m->sensor_adr[i]);
    }
  }
}


static void pluginSensor(const mjModel* m, mjData* d, int instance, int stage) {
  CF_ASSERT_INDEX(instance, m->nplugin);
  const mjpPlugin* plugin = mjp_getPluginAtSlot(m->plugin[instance]);
  if (!plugin) {
    mju_error("sensor: plugin instance %d has no registered plugin in slot %d", instance,
              m->plugin[instance]);
    return;
  }
  const int needs = plugin->needstage == mjSTAGE_NONE ? mjSTAGE_POS : plugin->needstage;
  if (!(plugin->capabilityflags & mjPLUGIN_SENSOR) || needs != stage) {
    return;
  }
  if (!plugin->compute) {
    mju_error("sensor: plugin '%s' has no compute function", plugin->name);
    return;
  }
  prepareStage(m, d, stage);
  plugin->compute(m, d, instance, mjPLUGIN_SENSOR);
  clampForeign(m, d, stage, instance);
}


// a quick look before the work: does anything belong to the stage
static bool hasStage(const mjModel* m, int stage) {
  for (int i = 0; i < m->nsensor; i++) {
    if (m->sensor_needstage[i] == stage) {
      return true;
    }
  }
  return m->nplugin > 0;
}


// all sensors of a stage, or those that threads have left
static void senseRest(const mjModel* m, mjData* d, int stage, const cfBodyContacts* contacts,
                      bool is_shared) {
  const bool skips = cfi_enabled(m, mjENBL_SLEEP) && d->nbody_awake < m->nbody;
  bool has_user = false;
  cfNearestMemo memo;
  memo.objid = -1;
  for (int i = 0; i < m->nsensor; i++) {
    const int type = m->sensor_type[i];
    if (m->sensor_needstage[i] != stage || type == mjSENS_PLUGIN ||
        (skips && cfi_sleepState(m, d, mjOBJ_SENSOR, i) == mjS_ASLEEP) ||
        (is_shared && cfi_isSensorOfTree(m, i))) {
      continue;
    }
    if (type == mjSENS_USER) {
      prepareStage(m, d, stage);
      mju_zero(d->sensordata + m->sensor_adr[i], m->sensor_dim[i]);
      has_user = true;
    } else {
      updateSensor(m, d, i, &memo, contacts);
    }
  }
  if (has_user) {
    if (mjcb_sensor) {
      mjcb_sensor(m, d, stage);
    }
    clampForeign(m, d, stage, -1);
  }
  for (int k = 0; k < m->nplugin; k++) {
    pluginSensor(m, d, k, stage);
  }
}


// would listing contacts by body take less than a look at all of them for each sensor
static bool worthListing(const mjModel* m, const mjData* d) {
  enum { SENSORS = 8, CONTACTS = 16 };
  int ntouch = 0;
  if (m->nsensor >= SENSORS && d->ncon >= CONTACTS) {
    for (int i = 0; i < m->nsensor && ntouch < SENSORS; i++) {
      ntouch += m->sensor_type[i] == mjSENS_TOUCH;
    }
  }
  return ntouch == SENSORS;
}


static void senseStage(const mjModel* m, mjData* d, int stage) {
  if (cfi_disabled(m, mjDSBL_SENSOR) || !hasStage(m, stage)) {
    return;
  }
  if (stage != mjSTAGE_ACC || (CF_OFTEN(!d->threadpool) && !worthListing(m, d))) {
    senseRest(m, d, stage, NULL, false);
    return;
  }
  cfBodyContacts contacts;
  mj_markStack(d);
  const bool is_listed = cfi_listBodyContacts(&contacts, m, d);
  const bool is_shared = CF_SELDOM(d->threadpool) && is_listed && cfi_shareSensors(m, d, &contacts);
  senseRest(m, d, stage, is_listed ? &contacts : NULL, is_shared);
  mj_freeStack(d);
}


// stage SENSOR_POS.  reads: everything of the position stage; writes: sensordata
void mj_sensorPos(const mjModel* m, mjData* d) {
  senseStage(m, d, mjSTAGE_POS);
}


// stage SENSOR_VEL.  reads: everything of the velocity stage; writes: sensordata, subtree_linvel,
// subtree_angmom
void mj_sensorVel(const mjModel* m, mjData* d) {
  senseStage(m, d, mjSTAGE_VEL);
}


// stage SENSOR_ACC.  reads: everything up to the constraint forces; writes: sensordata, cacc,
// cfrc_int, cfrc_ext
void mj_sensorAcc(const mjModel* m, mjData* d) {
  senseStage(m, d, mjSTAGE_ACC);
}
