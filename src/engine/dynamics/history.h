// Delay buffers: time-stamped samples of one control or sensor, oldest to newest, in a ring inside
// d->history.  Layout of one buffer of n samples with dim values each:
//   [0] user word (sensors: time of the last tick)   [1] slot of the newest sample
//   [2 .. 2+n) times by slot                         [2+n .. 2+n+n*dim) values by slot
#ifndef CF_DYNAMICS_HISTORY_H
#define CF_DYNAMICS_HISTORY_H

#include <mujoco/mjtnum.h>

// fill a buffer; times must increase strictly; values NULL keeps those that are there
void cfi_historyInit(mjtNum* buf, int n, int dim, const mjtNum* times, const mjtNum* values,
                     mjtNum user);

// make room for a sample at time t, dropping the oldest unless t is stamped already; returns where
// its dim values belong
mjtNum* cfi_historyInsert(mjtNum* buf, int n, int dim, mjtNum t);

// value at time t with interpolation 0 (hold), 1 (linear) or 2 (cubic).  Returns the stored sample
// where one serves as it is and leaves res alone, else writes res and returns NULL.
const mjtNum* cfi_historyRead(const mjtNum* buf, int n, int dim, mjtNum* res, mjtNum t, int interp);

#endif  // CF_DYNAMICS_HISTORY_H
