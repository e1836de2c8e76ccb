// Actuator activations.
#ifndef CF_DYNAMICS_ACTIVATION_H
#define CF_DYNAMICS_ACTIVATION_H

#include <mujoco/mjdata.h>
#include <mujoco/mjmodel.h>

// activation one timestep later under the derivative act_dot, within its limits
mjtNum cfi_nextActivation(const mjModel* m, const mjData* d, int actuator, int act, mjtNum act_dot);

#endif  // CF_DYNAMICS_ACTIVATION_H
