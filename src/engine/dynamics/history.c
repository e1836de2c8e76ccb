#include "dynamics/history.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include <mujoco/mujoco.h>

#include "base/assert.h"

// a buffer taken apart; samples are addressed by age, 0 is the oldest
typedef struct {
  const mjtNum *time, *value;
  int n, dim, newest;
} cfRing;


static cfRing openRing(const mjtNum* buf, int n, int dim) {
  CF_ASSERT(n > 0 && dim > 0);
  return (cfRing){buf + 2, buf + 2 + n, n, dim, (int)buf[1]};
}


static inline int ringSlot(cfRing ring, int age) {
  CF_ASSERT_INDEX(age, ring.n);
  return (ring.newest + 1 + age) % ring.n;
}


static inline mjtNum ringTime(cfRing ring, int age) {
  return ring.time[ringSlot(ring, age)];
}


static inline const mjtNum* ringValue(cfRing ring, int age) {
  return ring.value + ring.dim * ringSlot(ring, age);
}


// number of samples stamped before t
static int ringCountBefore(cfRing ring, mjtNum t) {
  int low = 0, high = ring.n;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (ringTime(ring, middle) < t) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}


void cfi_historyInit(mjtNum* buf, int n, int dim, const mjtNum* times, const mjtNum* values,
                     mjtNum user) {
  CF_ASSERT(n > 0 && dim > 0);
  for (int i = 1; i < n; i++) {
    if (times[i] - times[i - 1] < mjMINVAL) {
      mju_error("history: times must be strictly increasing, times[%d]=%g, times[%d]=%g", i - 1,
                times[i - 1], i, times[i]);
    }
  }

  buf[0] = user;
  buf[1] = n - 1;
  memmove(buf + 2, times, sizeof(mjtNum) * n);
  if (values) {
    memmove(buf + 2 + n, values, sizeof(mjtNum) * n * dim);
  }
}


// forget the oldest sample and move the following ones, up to the given age, one place back
static void ringShift(mjtNum* buf, cfRing ring, int age) {
  mjtNum *time = buf + 2, *value = buf + 2 + ring.n;
  for (int a = 0; a < age; a++) {
    const int to = ringSlot(ring, a), from = ringSlot(ring, a + 1);
    time[to] = time[from];
    memcpy(value + ring.dim * to, value + ring.dim * from, sizeof(mjtNum) * ring.dim);
  }
}


mjtNum* cfi_historyInsert(mjtNum* buf, int n, int dim, mjtNum t) {
  CF_ASSERT(n > 0 && dim > 0);
  const cfRing ring = openRing(buf, n, dim);
  const int before = ringCountBefore(ring, t);
  mjtNum *time = buf + 2, *value = buf + 2 + n;

  // stamped already: the sample is overwritten
  if (before < n && fabs(t - ringTime(ring, before)) < mjMINVAL) {
    return value + dim * ringSlot(ring, before);
  }

  // newer than all: the slot of the oldest becomes the newest; else between samples, or older than
  // all and then in the place of the oldest
  const bool is_newest = before == n;
  const int age = is_newest || before == 0 ? 0 : before - 1;
  const int slot = ringSlot(ring, age);
  ringShift(buf, ring, age);
  if (is_newest) {
    buf[1] = slot;
  }
  time[slot] = t;
  return value + dim * slot;
}


// central difference at a sample; flat at both ends, where values are held outside
static mjtNum ringSlope(cfRing ring, int age, int k) {
  if (age == 0 || age == ring.n - 1) {
    return 0;
  }
  const mjtNum rise = ringValue(ring, age + 1)[k] - ringValue(ring, age - 1)[k];
  return rise / (ringTime(ring, age + 1) - ringTime(ring, age - 1));
}


// cubic Hermite spline between samples age-1 and age, s in (0,1)
static void ringCubic(mjtNum* res, cfRing ring, int age, mjtNum s, mjtNum span) {
  CF_ASSERT(!(span <= 0));
  const mjtNum s2 = s * s, s3 = s2 * s;
  const mjtNum to_high = 3 * s2 - 2 * s3, to_low = 2 * s3 - 3 * s2 + 1;
  const mjtNum lift_low = (s3 - 2 * s2 + s) * span, lift_high = (s3 - s2) * span;
  const mjtNum *low = ringValue(ring, age - 1), *high = ringValue(ring, age);

  for (int k = 0; k < ring.dim; k++) {
    res[k] = to_low * low[k] + lift_low * ringSlope(ring, age - 1, k) + to_high * high[k] +
             lift_high * ringSlope(ring, age, k);
  }
}


static void ringLinear(mjtNum* res, cfRing ring, int age, mjtNum s) {
  const mjtNum *low = ringValue(ring, age - 1), *high = ringValue(ring, age);
  for (int k = 0; k < ring.dim; k++) {
    res[k] = low[k] + s * (high[k] - low[k]);
  }
}


const mjtNum* cfi_historyRead(const mjtNum* buf, int n, int dim, mjtNum* res, mjtNum t,
                              int interp) {
  CF_ASSERT(n > 0 && dim > 0);
  const cfRing ring = openRing(buf, n, dim);

  // outside the recorded span: the nearest sample
  if (t <= ringTime(ring, 0) + mjMINVAL) {
    return ringValue(ring, 0);
  }
  if (t >= ringTime(ring, n - 1) - mjMINVAL) {
    return ringValue(ring, n - 1);
  }

  // on a sample, or held from the one before
  const int age = ringCountBefore(ring, t);

  // times that are no numbers: held values are the newest, others are no numbers either
  if (age == 0 || age == n) {
    for (int k = 0; interp != 0 && k < dim; k++) {
      res[k] = NAN;
    }
    return interp == 0 ? ringValue(ring, n - 1) : NULL;
  }
  const bool on_sample = fabs(t - ringTime(ring, age)) < mjMINVAL;
  if (on_sample || interp == 0) {
    return ringValue(ring, on_sample ? age : age - 1);
  }

  const mjtNum start = ringTime(ring, age - 1), span = ringTime(ring, age) - start;
  if (interp == 1) {
    ringLinear(res, ring, age, (t - start) / span);
  } else {
    ringCubic(res, ring, age, (t - start) / span, span);
  }
  return NULL;
}


// index in range and, where asked for, a buffer behind it
static void checkDelayed(const char* what, int id, int count, const int* history,
                         bool needs_buffer) {
  if (id < 0 || id >= count) {
    mju_error("invalid %s id %d", what, id);
  } else if (needs_buffer && history[2 * id] <= 0) {
    mju_error("%s %d has no history buffer", what, id);
  }
}


mjtNum mj_readCtrl(const mjModel* m, const mjData* d, int id, mjtNum time, int interp) {
  checkDelayed("actuator", id, (int)m->nu, m->actuator_history, false);
  const int* history = m->actuator_history + 2 * id;
  if (history[0] <= 0) {
    return d->ctrl[id];
  }

  mjtNum value;
  const mjtNum* sample =
      cfi_historyRead(d->history + m->actuator_historyadr[id], history[0], 1, &value,
                      time - m->actuator_delay[id], interp < 0 ? history[1] : interp);
  return sample ? *sample : value;
}


const mjtNum* mj_readSensor(const mjModel* m, const mjData* d, int id, mjtNum time, mjtNum* result,
                            int interp) {
  checkDelayed("sensor", id, (int)m->nsensor, m->sensor_history, false);
  const int* history = m->sensor_history + 2 * id;
  if (history[0] <= 0) {
    return d->sensordata + m->sensor_adr[id];
  }
  return cfi_historyRead(d->history + m->sensor_historyadr[id], history[0], m->sensor_dim[id],
                         result, time - m->sensor_delay[id], interp < 0 ? history[1] : interp);
}


void mj_initCtrlHistory(const mjModel* m, mjData* d, int id, const mjtNum* times,
                        const mjtNum* values) {
  checkDelayed("actuator", id, (int)m->nu, m->actuator_history, true);
  mjtNum* buf = d->history + m->actuator_historyadr[id];
  cfi_historyInit(buf, m->actuator_history[2 * id], 1, times ? times : buf + 2, values, buf[0]);
}


void mj_initSensorHistory(const mjModel* m, mjData* d, int id, const mjtNum* times,
                          const mjtNum* values, mjtNum phase) {
  checkDelayed("sensor", id, (int)m->nsensor, m->sensor_history, true);
  mjtNum* buf = d->history + m->sensor_historyadr[id];
  cfi_historyInit(buf, m->sensor_history[2 * id], m->sensor_dim[id], times ? times : buf + 2,
                  values, phase);
}
