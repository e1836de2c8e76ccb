// Actuator activations.
#ifndef CF_DYNAMICS_ACTIVATION_H
#define CF_DYNAMICS_ACTIVATION_H

#include <mujoco/mjdata.h>
#include <mujoco/mjmodel.h>

// activation one timestep later under the derivative act_dot, within its limits
mjtNum cfi_nextActivation(const mjModel* m, const mjData* d, int actuator, int act, mjtNum act_dot);

// actuation.c: rate of an activation with built-in dynamics; gain at the present length and
// velocity
mjtNum cfi_activationRate(const mjModel* m, int actuator, mjtNum ctrl, mjtNum act);
mjtNum cfi_actuatorGainNow(const mjModel* m, const mjData* d, int actuator);

// gain*input + bias as the actuation stage finds them for a control, without models of a program
mjtNum cfi_plainForce(const mjModel* m, const mjData* d, int actuator, mjtNum ctrl);

#endif  // CF_DYNAMICS_ACTIVATION_H
