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

#endif  // CF_FINITEDIFF_CLOSED_H
