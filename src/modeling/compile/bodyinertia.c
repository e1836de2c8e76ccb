// Inertia of bodies: principal axes by Jacobi rotations, parallel-axis sums.
#include "compile/bodyinertia.h"

#include <math.h>
#include <stdbool.h>

#include "base/assert.h"
#include "compile/placement.h"
#include "math/inline.h"

static const double CONVERGED = 1e-12;  // off-diagonal moments and angles below this are zero
enum { MAX_ROTATIONS = 500 };


// res = R' A R; symmetric within rounding
static void turnMatrix(double res[9], const double mat[9], const double R[9]) {
  double half[9];
  for (int i = 0; i < 9; i++) {
    const int row = i / 3, col = i % 3;
    half[i] = R[row] * mat[col] + R[3 + row] * mat[3 + col] + R[6 + row] * mat[6 + col];
  }
  for (int i = 0; i < 9; i++) {
    const double* row = half + i / 3 * 3;
    const int col = i % 3;
    res[i] = row[0] * R[col] + row[1] * R[3 + col] + row[2] * R[6 + col];
  }
}


// axis across the plane of the largest off-diagonal entry
static int dominantAxis(const double D[9]) {
  const double xy = fabs(D[1]), xz = fabs(D[2]), yz = fabs(D[5]);
  if (xy > xz && xy > yz) {
    return 2;
  }
  return xz > yz ? 1 : 0;
}


// rotation about an axis that clears the entry across it; false when there is nothing left to clear
static bool clearingTurn(double turn[4], const double D[9], int axis) {
  CF_ASSERT_INDEX(axis, 3);
  const int row = axis == 0 ? 1 : 0, col = axis == 2 ? 1 : 2;
  const double entry = D[3 * row + col];
  if (fabs(entry) < CONVERGED) {
    return false;
  }

  // tangent of the rotation angle, the smaller root
  const double tau = (D[4 * col] - D[4 * row]) / (2 * entry);
  const double root = sqrt(1 + tau * tau);
  const double tangent = tau >= 0 ? 1.0 / (tau + root) : -1.0 / (-tau + root);
  const double cosine = 1.0 / sqrt(1 + tangent * tangent);
  if (cosine > 1.0 - CONVERGED) {
    return false;
  }
  const double sine_half = sqrt(0.5 - 0.5 * cosine);
  const bool is_negative = (tau >= 0) != (axis == 1);
  cfi_unitQuat(turn);
  turn[1 + axis] = is_negative ? -sine_half : sine_half;
  turn[0] = sqrt(1.0 - turn[1 + axis] * turn[1 + axis]);
  cfi_unit(turn, 4);
  return true;
}


// exchange two neighboring axes where the second moment is larger
static void orderMoments(double moment[3], double quat[4], int first) {
  CF_ASSERT(first == 0 || first == 1);
  if (moment[first] + CONVERGED >= moment[first + 1]) {
    return;
  }
  const double keep = moment[first];
  moment[first] = moment[first + 1];
  moment[first + 1] = keep;

  // quarter turn about the third axis
  const double eighth = 0.707106781186548;
  double turn[4] = {eighth, 0, 0, 0};
  turn[(first + 2) % 3 + 1] = eighth;
  cfi_chainTurns(quat, quat, turn);
  cfi_unit(quat, 4);
}


void cfi_principalAxes(double moment[3], double quat[4], const double full[6]) {
  const double mat[9] = {full[0], full[3], full[4], full[3], full[1],
                         full[5], full[4], full[5], full[2]};
  double R[9], D[9], turn[4];
  cfi_unitQuat(quat);
  for (int i = 0; i < MAX_ROTATIONS; i++) {
    cfi_quat2Mat(R, quat);
    turnMatrix(D, mat, R);
    if (!clearingTurn(turn, D, dominantAxis(D))) {
      break;
    }
    cfi_chainTurns(quat, quat, turn);
    cfi_unit(quat, 4);
  }
  for (int k = 0; k < 3; k++) {
    moment[k] = D[4 * k];
  }
  orderMoments(moment, quat, 0);
  orderMoments(moment, quat, 1);
  orderMoments(moment, quat, 0);
}


const char* cfi_diagonalizeInertia(double quat[4], double moment[3], const double full[6]) {
  double axes[4], values[3];
  cfi_principalAxes(values, axes, full);
  if (values[2] < CF_EPS) {
    return "inertia must have positive eigenvalues";
  }
  cfi_copy4(quat, axes);
  cfi_copy3(moment, values);
  return 0;
}


void cfi_addInertiaAbout(double full[6], const cfMassPart* part, const double center[3]) {
  // entry k of the packed matrix stands at (row, col)
  static const int row[6] = {0, 1, 2, 0, 0, 1}, col[6] = {0, 1, 2, 1, 2, 2};
  double R[9], arm[3];
  cfi_quat2Mat(R, part->quat);
  cfi_sub3(arm, part->pos, center);
  for (int k = 0; k < 6; k++) {
    const double *a = R + 3 * row[k], *b = R + 3 * col[k];
    double own = 0;
    for (int i = 0; i < 3; i++) {
      own += a[i] * (b[i] * part->inertia[i]);
    }

    // parallel axes: squared distance from the axis, or minus the product of two coordinates
    const double u = arm[k < 3 ? (k == 0) : row[k]], v = arm[k < 3 ? 2 - (k == 2) : col[k]];
    const double shift = k < 3 ? part->mass * (u * u + v * v) : -part->mass * u * v;
    full[k] = full[k] + own + shift;
  }
}
