// The inertia matrix M and its factors.
#ifndef CF_DYNAMICS_INERTIA_H
#define CF_DYNAMICS_INERTIA_H

#include <mujoco/mjdata.h>
#include <mujoco/mjmodel.h>

#include "model/indexset.h"

// copy the given rows of a matrix with the pattern of M
void cfi_copyRowsM(const mjModel* m, mjtNum* res, const mjtNum* mat, cfIndexSet rows);

// qfrc += armature * J' * (dJ/dt * qvel) of every tendon with armature
void cfi_tendonBias(const mjModel* m, mjData* d, mjtNum* qfrc);

#endif  // CF_DYNAMICS_INERTIA_H
