// Parts of the stage PASSIVE.
#ifndef CF_DYNAMICS_PASSIVE_H
#define CF_DYNAMICS_PASSIVE_H

#include <mujoco/mjdata.h>
#include <mujoco/mjmodel.h>

// qfrc_spring anew: springs of joints, flexes and tendons.  reads: qpos, ten_length, ten_J, flex
// arrays.
void cfi_springForces(const mjModel* m, mjData* d);

#endif  // CF_DYNAMICS_PASSIVE_H
