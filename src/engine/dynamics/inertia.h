// The inertia matrix M and its factors.
#ifndef CF_DYNAMICS_INERTIA_H
#define CF_DYNAMICS_INERTIA_H

#include <stdbool.h>

#include <mujoco/mjdata.h>
#include <mujoco/mjmodel.h>

#include "model/indexset.h"

// copy the given rows of a matrix with the pattern of M
void cfi_copyRowsM(const mjModel* m, mjtNum* res, const mjtNum* mat, cfIndexSet rows);

// qH = M + h*diag(damping), not factored
void cfi_copyDampedM(const mjModel* m, mjData* d, cfIndexSet dofs);

// stage FACTORM, and the same of M + h*diag(damping), which Euler's step needs later: qH,
// qHDiagInv. All dofs are awake, and M is not diagonal.
void cfi_factorDampedToo(const mjModel* m, mjData* d);

// res = M*vec from kinematics alone (inertialforce.c), where that is possible.  reads: cinert,
// cdof.
bool cfi_hasInertialForce(const mjModel* m);
void cfi_inertialForce(const mjModel* m, mjData* d, mjtNum* res, const mjtNum* vec);

// qfrc += armature * J' * (dJ/dt * qvel) of every tendon with armature
void cfi_tendonBias(const mjModel* m, mjData* d, mjtNum* qfrc);

#endif  // CF_DYNAMICS_INERTIA_H
