// Energies as a step keeps them.
#ifndef CF_DYNAMICS_ENERGY_H
#define CF_DYNAMICS_ENERGY_H

#include <mujoco/mjdata.h>
#include <mujoco/mjmodel.h>

// potential energy, unless a sensor has asked for it already; both are zero when not wanted
void cfi_updateEnergyPos(const mjModel* m, mjData* d);

// kinetic energy where it is wanted, unless a sensor has asked for it already
void cfi_updateEnergyVel(const mjModel* m, mjData* d);

#endif  // CF_DYNAMICS_ENERGY_H
