// Eigenvalues of a symmetric 3x3 matrix by Jacobi rotations, kept as one quaternion.
#include <math.h>

#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "math/quat.h"

// off-diagonal entries: row, column, axis of the rotation that removes them and its sense
typedef struct {
  int row, col, axis;
  mjtNum sense;
} cfPlane;
static const cfPlane planes[3] = {{0, 1, 2, -1}, {0, 2, 1, 1}, {1, 2, 0, -1}};

static const mjtNum small_entry = mjMINVAL * 1000;


// D = R'*mat*R
static void rotateMatrix(mjtNum D[9], const mjtNum R[9], const mjtNum mat[9]) {
  mjtNum left[9];
  cfi_mulMatTMat3(left, R, mat);
  cfi_mulMatMat3(D, left, R);
}


// largest off-diagonal entry; ties go to the later one
static const cfPlane* largestPlane(const mjtNum D[9]) {
  const mjtNum xy = fabs(D[1]), xz = fabs(D[2]), yz = fabs(D[5]);
  if (xy > xz && xy > yz) {
    return planes;
  }
  return xz > yz ? planes + 1 : planes + 2;
}


// rotation that removes one entry (Golub and Van Loan, symmetric Schur); 0 when nothing is left to
// do
static int jacobiTurn(mjtNum turn[4], const mjtNum D[9], const cfPlane* p) {
  const mjtNum entry = D[3 * p->row + p->col];
  if (fabs(entry) < small_entry) {
    return 0;
  }

  // tangent and cosine of the angle, the smaller of two
  const mjtNum tau = (D[4 * p->col] - D[4 * p->row]) / (2 * entry);
  const mjtNum size = 1.0 / (fabs(tau) + sqrt(1 + tau * tau));
  const mjtNum cosine = 1.0 / sqrt(1 + size * size);
  if (cosine > 1.0 - small_entry) {
    return 0;
  }

  // half angle
  const mjtNum s = sqrt(0.5 - 0.5 * cosine);
  cfi_set4(turn, sqrt(1.0 - s * s), 0, 0, 0);
  turn[1 + p->axis] = tau >= 0 ? p->sense * s : -p->sense * s;
  cfi_normalize4(turn);
  return 1;
}


// exchange eigenvalues k and k+1 where they are out of order: a quarter turn about the third axis
static void sortEigenPair(mjtNum eigval[3], mjtNum quat[4], int k) {
  CF_ASSERT(k == 0 || k == 1);
  const mjtNum first = eigval[k], second = eigval[k + 1];
  if (first + small_entry < second) {
    const mjtNum half = 0.707106781186548;
    mjtNum turn[4] = {half, 0, 0, 0};
    turn[1 + (k + 2) % 3] = half;
    cfi_mulQuat(quat, quat, turn);
    cfi_normalize4(quat);
    eigval[k] = second;
    eigval[k + 1] = first;
  }
}


// eigenvalues descending; returns the number of rotations
int mju_eig3(mjtNum eigval[3], mjtNum eigvec[9], mjtNum quat[4], const mjtNum mat[9]) {
  enum { max_rotations = 500 };
  int done = 0;
  cfi_unitQuat(quat);
  for (; done < max_rotations; done++) {
    mjtNum D[9], turn[4];
    cfi_quat2Mat(eigvec, quat);
    rotateMatrix(D, eigvec, mat);
    cfi_set3(eigval, D[0], D[4], D[8]);
    if (!jacobiTurn(turn, D, largestPlane(D))) {
      break;
    }
    cfi_mulQuat(quat, quat, turn);
    cfi_normalize4(quat);
  }

  sortEigenPair(eigval, quat, 0);
  sortEigenPair(eigval, quat, 1);
  sortEigenPair(eigval, quat, 0);
  cfi_quat2Mat(eigvec, quat);
  return done;
}
