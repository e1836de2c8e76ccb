// Derivatives of the forces in closed form.
#ifndef CF_FINITEDIFF_CLOSED_H
#define CF_FINITEDIFF_CLOSED_H

#include <stdbool.h>

#include <mujoco/mjdata.h>
#include <mujoco/mjmodel.h>

// do closed forms of all velocity derivatives exist, and is the integrator's matrix free of
// velocities?
bool cfi_hasClosedVelocity(const mjModel* m);

// F (nv rows, stride numbers apart) = derivative of smooth and constraint forces by velocity at a
// fixed acceleration.  reads: position, velocity and actuation stage, states of constraint rows and
// cone Hessians.  writes: qDeriv.
void cfi_closedVelocity(const mjModel* m, mjData* d, mjtNum* F, int stride);

// is the force of this actuator its gain, in closed form, times what drives it?
bool cfi_hasClosedInput(const mjModel* m, int actuator);

// what drives it, and its activation after the step (0 without one), for the present ctrl and act
typedef struct {
  mjtNum input, ahead;
} cfDrive;
cfDrive cfi_closedDrive(const mjModel* m, const mjData* d, int actuator);

// force (nv, zeroed) += change of the joint forces where the input changes by `change`.  reads: as
// the actuation stage has left them, actuator_force and qfrc_actuator
void cfi_closedInput(const mjModel* m, const mjData* d, int actuator, mjtNum change, mjtNum* force);

#endif  // CF_FINITEDIFF_CLOSED_H
