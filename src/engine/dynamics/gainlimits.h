// What limits the force of an actuator with a model: its own range, that of a joint, of a tendon.
#ifndef CF_DYNAMICS_GAINLIMITS_H
#define CF_DYNAMICS_GAINLIMITS_H

#include <stdbool.h>

#include <mujoco/mjdata.h>
#include <mujoco/mjmodel.h>

typedef struct {
  bool is_limited;  // else the other numbers are not set
  bool is_beyond;   // at a limit of several joints or actuators: its force is what it is
  mjtNum wanted;    // force without limits
  mjtNum applied;   // force that acts
  mjtNum low, high;
} cfGainLimits;

// reads: what the actuation stage has written, and what it reads
cfGainLimits cfi_gainLimits(const mjModel* m, mjData* d, int u);

// True where the matrix of an implicit integrator does not hold the slope of an actuator: at a
// limit of its force; for a stiff one wherever it may reach its own
// (src/engine/pipeline/stiffgains.c).
bool cfi_isHeldByLimits(const mjModel* m, mjData* d, int u, bool is_stiff);

#endif  // CF_DYNAMICS_GAINLIMITS_H
