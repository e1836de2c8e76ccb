// Quadratic programs with one ellipsoidal constraint.
//
// Scaled by the radii the constraint is a ball of radius r.  The minimizer is v = -(A + s)^-1 b
// with the smallest s >= 0 that puts it inside; s is found by Newton's method on |v|^2 - r^2, which
// approaches the root from below.
#include "solver/qcqp.h"

#include <math.h>

#include "base/assert.h"
#include "math/dense.h"
#include "math/inline.h"

// stop when |v|^2 exceeds r^2 by less, or when the step is smaller; also the least pivot
static const mjtNum tolerance = 1e-10;
enum { CF_QCQP_MAX = 5, CF_QCQP_ITERATIONS = 20 };

// v = -(A + s)^-1 b and w = (A + s)^-1 v
typedef struct {
  mjtNum v[CF_QCQP_MAX], w[CF_QCQP_MAX];
} cfShifted;


// adjugate of a symmetric 2x2 or 3x3 matrix; returns the determinant
static inline mjtNum adjugate(mjtNum* P, const mjtNum* A, const int n) {
  if (n == 2) {
    P[0] = A[3];
    P[3] = A[0];
    P[1] = P[2] = -A[1];
    return A[0] * A[3] - A[1] * A[1];
  }
  P[0] = A[4] * A[8] - A[5] * A[5];
  P[4] = A[0] * A[8] - A[2] * A[2];
  P[8] = A[0] * A[4] - A[1] * A[1];
  P[1] = P[3] = A[2] * A[5] - A[1] * A[8];
  P[2] = P[6] = A[1] * A[5] - A[2] * A[4];
  P[5] = P[7] = A[1] * A[2] - A[5] * A[0];
  return A[0] * P[0] + A[1] * P[1] + A[2] * P[2];
}


// solve with A + s by Cramer's rule; false when it is not safely positive definite
static inline bool solveCramer(cfShifted* res, mjtNum* A, const mjtNum* b, const int n) {
  mjtNum P[9];
  mjtNum det = adjugate(P, A, n);
  if (det < tolerance) {
    return false;
  }
  mjtNum scale = 1 / det;
  for (int i = 0; i < n; i++) {
    res->v[i] = 0;
    for (int j = 0; j < n; j++) {
      P[i * n + j] *= scale;
      res->v[i] -= P[i * n + j] * b[j];
    }
  }
  for (int i = 0; i < n; i++) {
    res->w[i] = 0;
    for (int j = 0; j < n; j++) {
      res->w[i] += P[i * n + j] * res->v[j];
    }
  }
  return true;
}


// the same by Cholesky factorization
static bool solveCholesky(cfShifted* res, mjtNum* A, const mjtNum* b, int n) {
  if (cfi_cholFactor(A, n, tolerance) < n) {
    return false;
  }
  for (int i = 0; i < n; i++) {
    res->v[i] = -b[i];
  }
  cfi_cholSolve(res->v, A, n);
  cfi_copy(res->w, res->v, n);
  cfi_cholSolve(res->w, A, n);
  return true;
}


// the program over a ball; n is a constant where this is inlined.  Returns the shift, negative when
// the matrix is singular
static inline mjtNum solveBall(mjtNum* v, const mjtNum* A, const mjtNum* b, mjtNum r, const int n) {
  cfShifted at;
  mjtNum shift = 0;
  for (int iteration = 0; iteration < CF_QCQP_ITERATIONS; iteration++) {
    mjtNum shifted[CF_QCQP_MAX * CF_QCQP_MAX];
    for (int i = 0; i < n * n; i++) {
      shifted[i] = A[i] + (i % (n + 1) == 0 ? shift : 0);
    }
    if (!(n <= 3 ? solveCramer(&at, shifted, b, n) : solveCholesky(&at, shifted, b, n))) {
      return -1;
    }
    mjtNum excess = -r * r, curvature = 0;
    for (int i = 0; i < n; i++) {
      excess += at.v[i] * at.v[i];
      curvature += at.v[i] * at.w[i];
    }
    mjtNum step = excess < tolerance ? 0 : excess / (2 * curvature);
    if (step < tolerance) {
      break;
    }
    shift += step;
  }
  for (int i = 0; i < n; i++) {
    v[i] = at.v[i];
  }
  return shift;
}


// scale to a ball, solve, scale back
static inline bool solveScaled(mjtNum* x, const mjtNum* A, const mjtNum* b, const mjtNum* radius,
                               mjtNum r, const int n) {
  mjtNum ball_A[CF_QCQP_MAX * CF_QCQP_MAX], ball_b[CF_QCQP_MAX], v[CF_QCQP_MAX];
  for (int i = 0; i < n; i++) {
    ball_b[i] = b[i] * radius[i];
    for (int j = 0; j < n; j++) {
      ball_A[i * n + j] = A[i * n + j] * radius[i] * radius[j];
    }
  }
  mjtNum shift = solveBall(v, ball_A, ball_b, r, n);
  for (int i = 0; i < n; i++) {
    x[i] = shift < 0 ? 0 : v[i] * radius[i];
  }
  return shift > 0;
}


bool cfi_solveEllipsoid(mjtNum* x, const mjtNum* A, const mjtNum* b, const mjtNum* radius, mjtNum r,
                        int n) {
  CF_ASSERT(n >= 2 && n <= CF_QCQP_MAX);
  switch (n) {
    case 2:
      return solveScaled(x, A, b, radius, r, 2);
    case 3:
      return solveScaled(x, A, b, radius, r, 3);
    default:
      return solveScaled(x, A, b, radius, r, n);
  }
}


void cfi_solveFriction(mjtNum* x, const mjtNum* A, const mjtNum* b, const mjtNum* mu, mjtNum normal,
                       int n) {
  if (!cfi_solveEllipsoid(x, A, b, mu, normal, n)) {
    return;
  }
  mjtNum length = 0;
  for (int i = 0; i < n; i++) {
    length += x[i] * x[i] / (mu[i] * mu[i]);
  }
  mjtNum scale = sqrt(normal * normal / cfi_max(mjMINVAL, length));
  for (int i = 0; i < n; i++) {
    x[i] *= scale;
  }
}
