// The nearest positive semidefinite matrix of a small symmetric one.
#include <math.h>
#include <string.h>

#include "base/assert.h"
#include "flex/stiffness.h"
#include "math/inline.h"

enum { POSITIVE_MAX = 12, SWEEP_MAX = 30 };


// elimination without a negative pivot; true only for matrices that need no change
static bool isPositive(const mjtNum* K, int n) {
  mjtNum A[POSITIVE_MAX * POSITIVE_MAX], trace = 0;
  memcpy(A, K, sizeof(mjtNum) * (size_t)(n * n));
  for (int i = 0; i < n; i++) {
    trace += fabs(A[i * n + i]);
  }
  const mjtNum small = 1e-12 * trace;
  for (int j = 0; j < n; j++) {
    const mjtNum pivot = A[j * n + j];
    for (int i = j + 1; i < n; i++) {
      if (pivot <= small && fabs(A[i * n + j]) > small) {
        return false;
      }
      const mjtNum factor = pivot > small ? A[i * n + j] / pivot : 0;
      for (int k = j + 1; k <= i; k++) {
        A[i * n + k] -= factor * A[k * n + j];
      }
    }
    if (!(pivot >= -small)) {
      return false;
    }
  }
  return true;
}


// one rotation that makes A[p][q] zero; V collects the rotations
static void rotateJacobi(mjtNum* A, mjtNum* V, int n, int p, int q) {
  const mjtNum apq = A[p * n + q];
  if (apq == 0) {
    return;
  }
  const mjtNum ratio = (A[q * n + q] - A[p * n + p]) / (2 * apq);
  const mjtNum t = (ratio >= 0 ? 1 : -1) / (fabs(ratio) + sqrt(1 + ratio * ratio));
  const mjtNum c = 1 / sqrt(1 + t * t), s = t * c;
  for (int k = 0; k < n; k++) {
    const mjtNum kp = A[k * n + p], kq = A[k * n + q];
    A[k * n + p] = c * kp - s * kq;
    A[k * n + q] = s * kp + c * kq;
  }
  for (int k = 0; k < n; k++) {
    const mjtNum pk = A[p * n + k], qk = A[q * n + k];
    A[p * n + k] = c * pk - s * qk;
    A[q * n + k] = s * pk + c * qk;
    const mjtNum vp = V[k * n + p], vq = V[k * n + q];
    V[k * n + p] = c * vp - s * vq;
    V[k * n + q] = s * vp + c * vq;
  }
}


// eigenvalues on the diagonal of A, eigenvectors in the columns of V
static void diagonalize(mjtNum* A, mjtNum* V, int n) {
  for (int i = 0; i < n * n; i++) {
    V[i] = i % (n + 1) == 0;
  }
  for (int sweep = 0; sweep < SWEEP_MAX; sweep++) {
    mjtNum off = 0, all = 0;
    for (int i = 0; i < n * n; i++) {
      off += i % (n + 1) ? A[i] * A[i] : 0;
      all += A[i] * A[i];
    }
    if (!(off > 1e-28 * all)) {
      return;
    }
    for (int p = 0; p < n; p++) {
      for (int q = p + 1; q < n; q++) {
        rotateJacobi(A, V, n, p, q);
      }
    }
  }
}


void cfi_makePositive(mjtNum* K, int n) {
  CF_ASSERT(n > 0 && n <= POSITIVE_MAX);
  if (isPositive(K, n)) {
    return;
  }
  mjtNum A[POSITIVE_MAX * POSITIVE_MAX], V[POSITIVE_MAX * POSITIVE_MAX];
  memcpy(A, K, sizeof(mjtNum) * (size_t)(n * n));
  diagonalize(A, V, n);
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      mjtNum sum = 0;
      for (int k = 0; k < n; k++) {
        sum += cfi_max(0, A[k * n + k]) * (V[i * n + k] * V[j * n + k]);
      }
      K[i * n + j] = sum;
    }
  }
}
