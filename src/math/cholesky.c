// Public dense Cholesky factorization.  The kernels are in simd/dense_kernels.h.
#include <mujoco/mujoco.h>

#include "math/dense.h"

int mju_cholFactor(mjtNum* mat, int n, mjtNum mindiag) {
  return cfi_cholFactor(mat, n, mindiag);
}


void mju_cholSolve(mjtNum* res, const mjtNum* mat, const mjtNum* vec, int n) {
  if (res != vec) {
    cfi_copy(res, vec, n);
  }
  cfi_cholSolve(res, mat, n);
}


int mju_cholUpdate(mjtNum* mat, mjtNum* x, int n, int flg_plus) {
  return cfi_cholUpdate(mat, x, n, flg_plus ? 1 : -1);
}
