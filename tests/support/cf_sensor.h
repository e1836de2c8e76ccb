// Models of tests/data/sensor and the values recorded for them, sensor by sensor.
#ifndef CF_SENSOR_CASES_H
#define CF_SENSOR_CASES_H

#include <mujoco/mujoco.h>

#include "cf_recorded.h"
#include "cf_test.h"

typedef struct {
  mjModel* m;
  mjData* d;
} cfSensorCase;


static inline cfSensorCase cf_openSensors(const char* name) {
  char path[500], error[1000] = "";
  snprintf(path, sizeof(path), "%s/tests/data/sensor/%s.xml", CF_SOURCE_DIR, name);
  mjModel* m = mj_loadXML(path, NULL, error, sizeof(error));
  if (!m) {
    CF_FAIL("cannot load %s: %s\n", path, error);
  }
  return (cfSensorCase){m, mj_makeData(m)};
}


static inline cfSensorCase cf_sensorsOf(mjModel* m) {
  return (cfSensorCase){m, mj_makeData(m)};
}


static inline void cf_closeSensors(cfSensorCase c) {
  mj_deleteData(c.d);
  mj_deleteModel(c.m);
}


// what a named sensor shows
static inline const mjtNum* cf_sensed(cfSensorCase c, const char* name) {
  const int id = mj_name2id(c.m, mjOBJ_SENSOR, name);
  if (id < 0) {
    CF_FAIL("no sensor %s\n", name);
  }
  return c.d->sensordata + c.m->sensor_adr[id];
}


// every sensor against the record, each relative to its own largest number
static inline void cf_checkSensors(cfSensorCase c, const cfRecorded* r, int state,
                                   double tolerance) {
  CF_EQ_INT(r->count, c.m->nsensordata);
  for (int i = 0; i < c.m->nsensor; i++) {
    const int adr = c.m->sensor_adr[i], dim = c.m->sensor_dim[i];
    double scale = 1e-3;
    for (int k = 0; k < dim; k++) {
      scale = fmax(scale, fabs(r->value[adr + k]));
    }
    for (int k = 0; k < dim; k++) {
      if (!(fabs(c.d->sensordata[adr + k] - r->value[adr + k]) <= tolerance * scale)) {
        CF_FAIL("state %d, sensor %d (type %d, %s)[%d] is %.17g, recorded %.17g\n", state, i,
                c.m->sensor_type[i], c.m->names + c.m->name_sensoradr[i], k,
                c.d->sensordata[adr + k], r->value[adr + k]);
      }
    }
  }
}


static inline mjtNum* cf_sensorInput(mjData* d, const char* name) {
  return !strcmp(name, "time")           ? &d->time
         : !strcmp(name, "qpos")         ? d->qpos
         : !strcmp(name, "qvel")         ? d->qvel
         : !strcmp(name, "ctrl")         ? d->ctrl
         : !strcmp(name, "xfrc_applied") ? d->xfrc_applied
                                         : NULL;
}


// one recorded state: the inputs, mj_forward, all sensors; number of values compared
static inline int cf_checkSensorState(cfSensorCase c, cfRecorded* r, int state, double tolerance) {
  int compared = 0;
  mj_resetData(c.m, c.d);
  while (cf_nextArray(r)) {
    mjtNum* input = cf_sensorInput(c.d, r->name);
    if (input) {
      memcpy(input, r->value, sizeof(mjtNum) * (size_t)r->count);
    } else if (!strcmp(r->name, "cone")) {
      c.m->opt.cone = (int)r->value[0];
    } else {
      CF_EQ_STR(r->name, "sensordata");
      mj_forward(c.m, c.d);
      cf_checkSensors(c, r, state, tolerance);
      compared += r->count;
    }
  }
  return compared;
}


// all states of a file, which must be as many as record.py writes
static inline void cf_checkRecordedSensors(const char* name, double tolerance) {
  cfSensorCase c = cf_openSensors(name);
  cfRecorded* r = cf_openRecorded("sensor", name);
  CF_EQ_INT(cf_nextArray(r), 0);
  for (int k = 0; k < 4; k++) {
    CF_EQ_INT(cf_checkSensorState(c, r, k, tolerance), c.m->nsensordata);
  }
  CF_TRUE(feof(r->file));
  cf_closeRecorded(r);
  cf_closeSensors(c);
}

#endif  // CF_SENSOR_CASES_H
