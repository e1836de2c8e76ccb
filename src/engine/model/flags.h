// Tests of the option flags.
#ifndef CF_MODEL_FLAGS_H
#define CF_MODEL_FLAGS_H

#include <stdbool.h>

#include <mujoco/mujoco.h>

#include "base/likely.h"


// is a standard feature (mjtDisableBit) switched off
static inline bool cfi_disabled(const mjModel* m, int flag) {
  return CF_SELDOM((m->opt.disableflags & flag) != 0);
}


// is an optional feature (mjtEnableBit) switched on
static inline bool cfi_enabled(const mjModel* m, int flag) {
  return CF_SELDOM((m->opt.enableflags & flag) != 0);
}


// is an actuator switched off through its group; groups outside 0..30 always act
static inline bool cfi_actuatorDisabled(const mjModel* m, int actuator) {
  int group = m->actuator_group[actuator];
  return group >= 0 && group <= 30 && (m->opt.disableactuator & (1 << group));
}

#endif  // CF_MODEL_FLAGS_H
