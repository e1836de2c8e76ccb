// Friction of one contact in position-based dynamics: tangents, spin and rolling together.
//
// Wanted is the friction f in the ellipsoid sum (f_k/mu_k)^2 <= N^2 that leaves the least slip in
// the metric of the bodies, min s'A^-1 s with s = r + A*(f - f_old).  With f = D*y, D = N*diag(mu),
// that is min y'Qy/2 + y'q, |y| <= 1, Q = D*A*D: inside the ball y = -Q^-1 q, on it
// y = -(Q + c)^-1 q where c makes |y| = 1, found by Newton's method on 1/|y| (Hebden 1973), which
// comes from below and never overshoots.
#include <math.h>

#include "base/assert.h"
#include "contactsolver/xpbd.h"
#include "math/inline.h"

enum { FRICTION_MAX = 5, BALL_STEPS_MAX = 30 };

static const mjtNum ball_small = 1e-12, ball_tolerance = 1e-9;

// L of the lower triangle of Q + shift; what is as good as zero beside the largest pivot is raised
static void factorBall(mjtNum* L, const mjtNum* Q, mjtNum shift, mjtNum least, int n) {
  for (int i = 0; i < n; i++) {
    for (int j = 0; j <= i; j++) {
      mjtNum sum = Q[FRICTION_MAX * i + j] + (i == j ? shift : 0);
      for (int k = 0; k < j; k++) {
        sum -= L[FRICTION_MAX * i + k] * L[FRICTION_MAX * j + k];
      }
      L[FRICTION_MAX * i + j] =
          i == j ? sqrt(cfi_max(sum, least)) : sum / L[(FRICTION_MAX + 1) * j];
    }
  }
}


// x <- L^-1 x, and with_back: L'^-1 L^-1 x
static void solveBallFactor(mjtNum* x, const mjtNum* L, bool with_back, int n) {
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < i; k++) {
      x[i] -= L[FRICTION_MAX * i + k] * x[k];
    }
    x[i] /= L[(FRICTION_MAX + 1) * i];
  }
  for (int i = n - 1; with_back && i >= 0; i--) {
    for (int k = i + 1; k < n; k++) {
      x[i] -= L[FRICTION_MAX * k + i] * x[k];
    }
    x[i] /= L[(FRICTION_MAX + 1) * i];
  }
}


static mjtNum squareOf(const mjtNum* x, int n) {
  mjtNum sum = 0;
  for (int k = 0; k < n; k++) {
    sum += x[k] * x[k];
  }
  return sum;
}


// y that makes y'Qy/2 + y'q least in the unit ball
static void minimizeInBall(mjtNum* y, const mjtNum* Q, const mjtNum* q, mjtNum trace, int n) {
  mjtNum L[FRICTION_MAX * FRICTION_MAX], shift = 0, z[FRICTION_MAX];
  for (int step = 0; step < BALL_STEPS_MAX; step++) {
    factorBall(L, Q, shift, ball_small * trace, n);
    for (int k = 0; k < n; k++) {
      y[k] = -q[k];
    }
    solveBallFactor(y, L, true, n);
    const mjtNum square = squareOf(y, n), length = sqrt(square);
    if (length <= 1 + ball_tolerance) {
      break;
    }
    for (int k = 0; k < n; k++) {
      z[k] = y[k];
    }
    solveBallFactor(z, L, false, n);
    shift += (length - 1) * square / cfi_max(mjMINVAL * square, squareOf(z, n));
  }
  const mjtNum length = sqrt(squareOf(y, n));
  for (int k = 0; k < n && length > 1; k++) {
    y[k] /= length;
  }
}


void cfi_xpbdInvertTangents(mjtNum inverse[3], const mjtNum* A, int stride) {
  const mjtNum xx = A[0], xy = A[1], yy = A[stride + 1], det = xx * yy - xy * xy;
  const bool is_regular = det > ball_small * xx * yy;
  inverse[0] = is_regular ? yy / det : 0;
  inverse[1] = is_regular ? -xy / det : 0;
  inverse[2] = is_regular ? xx / det : 0;
}


void cfi_xpbdFriction(mjtNum* friction, const mjtNum* slip, const mjtNum* A, int stride,
                      const mjtNum* mu, mjtNum normal, int n) {
  CF_ASSERT(n >= 1 && n <= FRICTION_MAX && stride >= n);
  mjtNum Q[FRICTION_MAX * FRICTION_MAX], q[FRICTION_MAX], y[FRICTION_MAX] = {0}, trace = 0;
  if (normal <= 0) {
    for (int k = 0; k < n; k++) {
      friction[k] = 0;
    }
    return;
  }
  for (int i = 0; i < n; i++) {
    q[i] = slip[i];
    for (int j = 0; j < n; j++) {
      q[i] -= A[stride * i + j] * friction[j];
      Q[FRICTION_MAX * i + j] = A[stride * i + j] * mu[i] * mu[j] * normal;
    }
    q[i] *= mu[i];
    trace += Q[(FRICTION_MAX + 1) * i];
  }
  if (trace > 0) {
    minimizeInBall(y, Q, q, trace, n);
  }
  for (int k = 0; k < n; k++) {
    friction[k] = normal * mu[k] * y[k];
  }
}
