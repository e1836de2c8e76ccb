// Quadratic programs with one ellipsoidal constraint.
//
// Scaled by the radii the constraint is a ball of radius r.  The minimizer is v = -(A + s)^-1 b with
// the smallest s >= 0 that puts it inside; s is found by Newton's method on |v|^2 - r^2, which
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
static mjtNum adjugate(mjtNum* P, const mjtNum* A, int n) {
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


// res = P*x scaled
static void mulSmall(mjtNum* res, const mjtNum* P, const mjtNum* x, mjtNum scale, int n) {
  for (int i = 0; i < n; i++) {
    mjtNum sum = 0;
    for (int j = 0; j < n; j++) {
      sum += P[i * n + j] * scale * x[j];
    }
    res[i] = sum;
  }
}


// solve with A + s; false when it is not safely positive definite
static bool solveShifted(cfShifted* res, const mjtNum* A, const mjtNum* b, mjtNum s, int n) {
  mjtNum shifted[CF_QCQP_MAX * CF_QCQP_MAX], P[9];
  cfi_copy(shifted, A, n * n);
  for (int i = 0; i < n; i++) {
    shifted[i * (n + 1)] += s;
  }

  if (n <= 3) {
    mjtNum det = adjugate(P, shifted, n);
    if (det < tolerance) {
      return false;
    }
    mulSmall(res->v, P, b, -1 / det, n);
    mulSmall(res->w, P, res->v, 1 / det, n);
    return true;
  }

  if (cfi_cholFactor(shifted, n, tolerance) < n) {
    return false;
  }
  for (int i = 0; i < n; i++) {
    res->v[i] = -b[i];
  }
  cfi_cholSolve(res->v, shifted, n);
  cfi_copy(res->w, res->v, n);
  cfi_cholSolve(res->w, shifted, n);
  return true;
}


bool cfi_solveEllipsoid(mjtNum* x, const mjtNum* A, const mjtNum* b, const mjtNum* radius, mjtNum r,
                        int n) {
  CF_ASSERT(n >= 2 && n <= CF_QCQP_MAX);
  mjtNum ball_A[CF_QCQP_MAX * CF_QCQP_MAX], ball_b[CF_QCQP_MAX], shift = 0;
  for (int i = 0; i < n; i++) {
    ball_b[i] = b[i] * radius[i];
    for (int j = 0; j < n; j++) {
      ball_A[i * n + j] = A[i * n + j] * radius[i] * radius[j];
    }
  }

  cfShifted at;
  for (int iteration = 0; iteration < CF_QCQP_ITERATIONS; iteration++) {
    if (!solveShifted(&at, ball_A, ball_b, shift, n)) {
      cfi_zero(x, n);
      return false;
    }
    mjtNum excess = cfi_dot(at.v, at.v, n) - r * r;
    if (excess < tolerance) {
      break;
    }
    mjtNum step = excess / (2 * cfi_dot(at.v, at.w, n));
    if (step < tolerance) {
      break;
    }
    shift += step;
  }
  for (int i = 0; i < n; i++) {
    x[i] = at.v[i] * radius[i];
  }
  return shift != 0;
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
