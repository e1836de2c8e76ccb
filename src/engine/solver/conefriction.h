// Friction force of an elliptic contact for a given normal force.
#ifndef CF_SOLVER_CONEFRICTION_H
#define CF_SOLVER_CONEFRICTION_H

#include <mujoco/mjtnum.h>

// minimize x'Ax/2 + x'b subject to sum (x[i]/mu[i])^2 <= normal^2, n = 2..5; where the constraint
// is active x is put exactly onto the ellipsoid
void cfi_solveFriction(mjtNum* x, const mjtNum* A, const mjtNum* b, const mjtNum* mu, mjtNum normal,
                       int n);

#endif  // CF_SOLVER_CONEFRICTION_H
