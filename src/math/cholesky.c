// Public dense Cholesky factorization.  The kernels are in simd/dense_kernels.h.
#include <math.h>

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


// L*L' +- x*x': one rotation per column; x is used up
int mju_cholUpdate(mjtNum* mat, mjtNum* x, int n, int flg_plus) {
  const mjtNum sign = flg_plus ? 1 : -1;
  int rank = n;
  for (int k = 0; k < n; k++) {
    if (x[k] == 0) {
      continue;
    }

    // new pivot, not below mjMINVAL
    mjtNum* column = mat + (size_t)k * n + k;
    const mjtNum old = *column;
    mjtNum square = old * old + sign * (x[k] * x[k]);
    if (square < mjMINVAL) {
      square = mjMINVAL;
      rank--;
    }
    *column = sqrt(square);

    const mjtNum c = *column / old, s = x[k] / old, c_inverse = 1 / c, s_signed = sign * s;
    for (int r = k + 1; r < n; r++) {
      column += n;
      const mjtNum entry = (*column + s_signed * x[r]) * c_inverse;
      *column = entry;
      x[r] = c * x[r] - s * entry;
    }
  }
  return rank;
}
