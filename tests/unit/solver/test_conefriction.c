// Friction of an elliptic contact: a quadratic program over an ellipsoid.
#include "cf_test.h"
#include "solver/conefriction.h"

static unsigned seed = 1;


static double uniform(void) {
  seed = seed * 1664525u + 1013904223u;
  return (seed >> 8) / 8388608.0 - 1;
}


// random positive definite matrix
static void randomMatrix(double* A, int n) {
  double B[25];
  for (int k = 0; k < n * n; k++) {
    B[k] = uniform();
  }
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      A[i * n + j] = i == j ? 0.2 : 0;
      for (int k = 0; k < n; k++) {
        A[i * n + j] += B[i * n + k] * B[j * n + k];
      }
    }
  }
}


static double cost(const double* A, const double* b, const double* x, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) {
    sum += b[i] * x[i];
    for (int j = 0; j < n; j++) {
      sum += 0.5 * x[i] * A[i * n + j] * x[j];
    }
  }
  return sum;
}


// length of x in units of the radii
static double lengthOf(const double* x, const double* radius, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) {
    sum += x[i] * x[i] / (radius[i] * radius[i]);
  }
  return sqrt(sum);
}


CF_TEST(solveFriction__random_problems__no_feasible_neighbor_is_better) {
  for (int trial = 0; trial < 300; trial++) {
    int n = 2 + trial % 4;
    double A[25], b[5], radius[5], x[5], r = 0.1 + fabs(uniform());
    randomMatrix(A, n);
    for (int i = 0; i < n; i++) {
      b[i] = 2 * uniform();
      radius[i] = 0.2 + fabs(uniform());
    }
    cfi_solveFriction(x, A, b, radius, r, n);
    CF_TRUE(lengthOf(x, radius, n) < r + 1e-6);
    for (int k = 0; k < 50; k++) {
      double y[5];
      for (int i = 0; i < n; i++) {
        y[i] = x[i] + 0.05 * uniform();
      }
      double length = lengthOf(y, radius, n);
      for (int i = 0; i < n && length > r; i++) {
        y[i] *= r / length;
      }
      CF_TRUE(cost(A, b, y, n) > cost(A, b, x, n) - 1e-4);
    }
  }
}


CF_TEST(solveFriction__active__lies_on_the_ellipsoid) {
  const double A[4] = {1, 0.2, 0.2, 2}, b[2] = {-5, 3}, mu[2] = {0.5, 0.7};
  double x[2];
  cfi_solveFriction(x, A, b, mu, 2, 2);
  CF_NEAR(lengthOf(x, mu, 2), 2, 1e-14);
}


CF_TEST(solveFriction__singular__zero) {
  const double A[4] = {0, 0, 0, 0}, b[2] = {1, 1}, mu[2] = {1, 1};
  double x[2] = {3, 3};
  cfi_solveFriction(x, A, b, mu, 1, 2);
  CF_NEAR(x[0], 0, 0);
  CF_NEAR(x[1], 0, 0);
}

CF_TEST_MAIN("solver/conefriction")
