// Quadratic program with one ball constraint, the friction step of PGS and noslip:
//   minimize x'*A*x/2 + x'*b  subject to  sum (x_i/d_i)^2 <= r^2
#ifndef CF_MATH_QCQP_H
#define CF_MATH_QCQP_H

#include <mujoco/mjtnum.h>

// n = 2, 3 or up to 5; A row-major; returns 1 when the constraint is active, 0 when not or when A
// is not positive definite (then res = 0)
int cfi_QCQP2(mjtNum res[2], const mjtNum A[4], const mjtNum b[2], const mjtNum d[2], mjtNum r);
int cfi_QCQP3(mjtNum res[3], const mjtNum A[9], const mjtNum b[3], const mjtNum d[3], mjtNum r);
int cfi_QCQP(mjtNum* res, const mjtNum* A, const mjtNum* b, const mjtNum* d, mjtNum r, int n);

#endif  // CF_MATH_QCQP_H
