// Ball-constrained quadratic programs.  With x = d*v the constraint is |v| <= r and the solution is
// v = -(A + lambda)^-1 b; Newton's method finds the lambda >= 0 with |v| = r.
#include "math/qcqp.h"

#include "base/assert.h"
#include "math/dense.h"

enum { CF_QCQP_MAX = 5 };
static const mjtNum qcqp_small = 1e-10;

// scaled problem, and (A + lambda)^-1 or its Cholesky factor for the current lambda
typedef struct {
  int n;
  mjtNum A[CF_QCQP_MAX * CF_QCQP_MAX], b[CF_QCQP_MAX];
  mjtNum P[CF_QCQP_MAX * CF_QCQP_MAX];
} cfBall;

// how a dimension solves for v and how fast |v|^2 falls with lambda
typedef struct {
  int (*solve)(cfBall* ball, mjtNum lambda, mjtNum* v);
  mjtNum (*slope)(const cfBall* ball, const mjtNum* v);
} cfBallMethod;


static inline void scaleBall(cfBall* ball, const mjtNum* A, const mjtNum* b, const mjtNum* d,
                             int n) {
  CF_ASSERT(n > 0);
  ball->n = n;
  for (int r = 0; r < n; r++) {
    ball->b[r] = b[r] * d[r];
    for (int c = 0; c < n; c++) {
      // the upper triangle decides, its smaller index first
      ball->A[r * n + c] = r <= c ? A[r * n + c] * d[r] * d[c] : ball->A[c * n + r];
    }
  }
}


static inline int solveBall(mjtNum* res, cfBall* ball, const mjtNum* d, mjtNum r,
                            cfBallMethod method) {
  const int n = ball->n;
  mjtNum lambda = 0, v[CF_QCQP_MAX] = {0};
  for (int iteration = 0; iteration < 20; iteration++) {
    if (!method.solve(ball, lambda, v)) {
      cfi_zero(res, n);
      return 0;
    }

    // inside the ball, on it, or no further progress
    mjtNum square = v[0] * v[0];
    for (int k = 1; k < n; k++) {
      square += v[k] * v[k];
    }
    const mjtNum excess = square - r * r;
    if (excess < qcqp_small) {
      break;
    }
    const mjtNum step = -excess / method.slope(ball, v);
    if (step < qcqp_small) {
      break;
    }
    lambda += step;
  }
  for (int k = 0; k < n; k++) {
    res[k] = v[k] * d[k];
  }
  return lambda != 0;
}


//------------------------------ two dimensions
//------------------------------------------------------

static inline int solve2(cfBall* ball, mjtNum lambda, mjtNum* v) {
  const mjtNum xx = ball->A[0] + lambda, yy = ball->A[3] + lambda, xy = ball->A[1];
  const mjtNum det = xx * yy - xy * xy;
  if (det < qcqp_small) {
    return 0;
  }
  const mjtNum inverse = 1 / det, *b = ball->b;
  mjtNum* P = ball->P;
  P[0] = yy * inverse, P[3] = xx * inverse, P[1] = -xy * inverse;
  v[0] = -P[0] * b[0] - P[1] * b[1];
  v[1] = -P[1] * b[0] - P[3] * b[1];
  return 1;
}


static inline mjtNum slope2(const cfBall* ball, const mjtNum* v) {
  const mjtNum *P = ball->P, x = v[0], y = v[1];
  return -2.0 * (P[0] * x * x + 2.0 * P[1] * x * y + P[3] * y * y);
}


int cfi_QCQP2(mjtNum res[2], const mjtNum A[4], const mjtNum b[2], const mjtNum d[2], mjtNum r) {
  cfBall ball;
  scaleBall(&ball, A, b, d, 2);
  return solveBall(res, &ball, d, r, (cfBallMethod){solve2, slope2});
}


//------------------------------ three dimensions
//----------------------------------------------------

static inline int solve3(cfBall* ball, mjtNum lambda, mjtNum* v) {
  const mjtNum xx = ball->A[0] + lambda, yy = ball->A[4] + lambda, zz = ball->A[8] + lambda;
  const mjtNum xy = ball->A[1], xz = ball->A[2], yz = ball->A[5];

  // cofactors in the order xx yy zz xy xz yz
  const mjtNum cofactor[6] = {yy * zz - yz * yz, xx * zz - xz * xz, xx * yy - xy * xy,
                              xz * yz - xy * zz, xy * yz - xz * yy, xy * xz - yz * xx};
  const mjtNum det = xx * cofactor[0] + xy * cofactor[3] + xz * cofactor[4];
  if (det < qcqp_small) {
    return 0;
  }
  const mjtNum inverse = 1 / det, *b = ball->b;
  mjtNum* P = ball->P;
  for (int k = 0; k < 6; k++) {
    P[k] = cofactor[k] * inverse;
  }
  v[0] = -P[0] * b[0] - P[3] * b[1] - P[4] * b[2];
  v[1] = -P[3] * b[0] - P[1] * b[1] - P[5] * b[2];
  v[2] = -P[4] * b[0] - P[5] * b[1] - P[2] * b[2];
  return 1;
}


static inline mjtNum slope3(const cfBall* ball, const mjtNum* v) {
  const mjtNum *P = ball->P, x = v[0], y = v[1], z = v[2];
  const mjtNum own = P[0] * x * x + P[1] * y * y + P[2] * z * z;
  const mjtNum mixed = P[3] * x * y + P[4] * x * z + P[5] * y * z;
  return -2.0 * own - 4.0 * mixed;
}


int cfi_QCQP3(mjtNum res[3], const mjtNum A[9], const mjtNum b[3], const mjtNum d[3], mjtNum r) {
  cfBall ball;
  scaleBall(&ball, A, b, d, 3);
  return solveBall(res, &ball, d, r, (cfBallMethod){solve3, slope3});
}


//------------------------------ more dimensions
//-----------------------------------------------------

static int solveN(cfBall* ball, mjtNum lambda, mjtNum* v) {
  const int n = ball->n;
  cfi_copy(ball->P, ball->A, n * n);
  for (int k = 0; k < n; k++) {
    ball->P[k * n + k] += lambda;
    v[k] = -ball->b[k];
  }
  if (cfi_cholFactor(ball->P, n, qcqp_small) < n) {
    return 0;
  }
  cfi_cholSolve(v, ball->P, n);
  return 1;
}


static mjtNum slopeN(const cfBall* ball, const mjtNum* v) {
  mjtNum w[CF_QCQP_MAX];
  cfi_copy(w, v, ball->n);
  cfi_cholSolve(w, ball->P, ball->n);
  return -2.0 * cfi_dot(v, w, ball->n);
}


int cfi_QCQP(mjtNum* res, const mjtNum* A, const mjtNum* b, const mjtNum* d, mjtNum r, int n) {
  CF_ASSERT(n > 0 && n <= CF_QCQP_MAX);
  cfBall ball;
  scaleBall(&ball, A, b, d, n);
  return solveBall(res, &ball, d, r, (cfBallMethod){solveN, slopeN});
}
