// Small quadratic programs with one ellipsoidal constraint, for friction of elliptic contacts.
#ifndef CF_SOLVER_QCQP_H
#define CF_SOLVER_QCQP_H

#include <stdbool.h>

#include <mujoco/mjtnum.h>

// minimize x'Ax/2 + x'b subject to sum (x[i]/radius[i])^2 <= r^2, n = 2..5; true when on the
// boundary
bool cfi_solveEllipsoid(mjtNum* x, const mjtNum* A, const mjtNum* b, const mjtNum* radius, mjtNum r,
                        int n);

// the same, then x put exactly onto the boundary where the constraint is active
void cfi_solveFriction(mjtNum* x, const mjtNum* A, const mjtNum* b, const mjtNum* mu, mjtNum normal,
                       int n);

#endif  // CF_SOLVER_QCQP_H
