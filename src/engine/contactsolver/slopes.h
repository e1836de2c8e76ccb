// What integrators take implicitly although their matrix is that of Euler: dampers, springs with
// springdamper, stiff actuators.  Contact solvers find forces with it.
#ifndef CF_CONTACTSOLVER_SLOPES_H
#define CF_CONTACTSOLVER_SLOPES_H

#include <stdbool.h>

#include <mujoco/mujoco.h>

#include "dynamics/gainlimits.h"

// True if the integrator has the damping of dofs in its matrix, as Euler and springdamper do.
bool cfi_dampsDofs(const mjModel* m);

// stiffness of a dof in the matrix of springdamper, 0 with other integrators
mjtNum cfi_dofSpring(const mjModel* m, int dof);

// True if actuators may have slopes that every integrator takes implicitly.
bool cfi_hasStiffGains(const mjModel* m);

// minus the slope of such an actuator where the matrix of the implicit integrators does not hold
// it, and its limits; 0: there is none
mjtNum cfi_explicitSlope(const mjModel* m, mjData* d, int u, cfGainLimits* limits);

// H += scale*moment*moment' as far as the pattern of H has entries for it
void cfi_addMomentSquare(mjtNum* H, const int* rownnz, const int* rowadr, const int* colind,
                         const mjData* d, int u, mjtNum scale);

#endif  // CF_CONTACTSOLVER_SLOPES_H
