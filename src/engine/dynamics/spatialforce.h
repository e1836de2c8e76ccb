// Pieces of the Newton-Euler recursion, and forces at points.
#ifndef CF_DYNAMICS_SPATIALFORCE_H
#define CF_DYNAMICS_SPATIALFORCE_H

#include <stdbool.h>

#include <mujoco/mjdata.h>
#include <mujoco/mjmodel.h>

// acceleration of the world: gravity enters as if everything were lifted
void cfi_worldAcceleration(mjtNum cacc[6], const mjModel* m);

// cacc = parent's + cdof_dot*qvel, and + cdof*qacc unless qacc is NULL
void cfi_bodyAcceleration(mjtNum cacc[6], const mjtNum parent[6], const mjModel* m, const mjData* d,
                          int body, const mjtNum* qacc);

// force that moves one body: cinert*cacc + cvel x* (cinert*cvel)
void cfi_bodyForce(mjtNum force[6], const mjData* d, int body, const mjtNum cacc[6]);

// qfrc += what xfrc_applied does to the dofs; false: it is zero
bool cfi_addApplied(const mjModel* m, mjData* d, mjtNum* qfrc);

#endif  // CF_DYNAMICS_SPATIALFORCE_H
