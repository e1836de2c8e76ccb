// Advancing the state by one timestep, common to all integrators.
#ifndef CF_PIPELINE_ADVANCE_H
#define CF_PIPELINE_ADVANCE_H

#include <mujoco/mjdata.h>
#include <mujoco/mjmodel.h>

// advance history, activations, velocities, positions, time and plugins.  Positions move with qvel,
// or with the new d->qvel (semi-implicit) when it is NULL.  May put trees to sleep.
void cfi_advance(const mjModel* m, mjData* d, const mjtNum* act_dot, const mjtNum* qacc,
                 const mjtNum* qvel);

// one sensor computed now, whatever its delay and interval; writes sensor_dim numbers
void cfi_computeSensor(const mjModel* m, mjData* d, int sensor, mjtNum* res);

// semi-implicit Euler; skip_factor: qH and qHDiagInv are those of the last call
void cfi_eulerSkip(const mjModel* m, mjData* d, int skip_factor);

#endif  // CF_PIPELINE_ADVANCE_H
