// Stage timers: d->timer collects what mjcb_time measures; without a clock only calls are counted.
#ifndef CF_MODEL_TIMER_H
#define CF_MODEL_TIMER_H

#include <mujoco/mujoco.h>

#include "base/likely.h"


// current time of the user's clock
static inline mjtNum cfi_now(void) {
  return CF_SELDOM(mjcb_time) ? mjcb_time() : 0;
}


// charge the time since start to a timer and count calls; returns the current time for the next one
static inline mjtNum cfi_addTime(mjData* d, mjtTimer timer, mjtNum start, int calls) {
  d->timer[timer].number += calls;
  if (CF_OFTEN(!mjcb_time)) {
    return 0;
  }
  const mjtNum now = mjcb_time();
  d->timer[timer].duration += now - start;
  return now;
}

#endif  // CF_MODEL_TIMER_H
