// Public functions on dense row-major matrices.
#include "math/dense.h"

#include <mujoco/mujoco.h>

#include "base/assert.h"

void mju_mulMatVec(mjtNum* res, const mjtNum* mat, const mjtNum* vec, int nr, int nc) {
  cfi_dotRows(res, mat, nc, nr, vec, nc);
}


void mju_mulMatTVec(mjtNum* res, const mjtNum* mat, const mjtNum* vec, int nr, int nc) {
  cfi_combineRows(res, vec, 1, mat, nc, nr, nc);
}


mjtNum mju_mulVecMatVec(const mjtNum* vec1, const mjtNum* mat, const mjtNum* vec2, int n) {
  mjtNum total = 0;
  for (int r = 0; r < n; r++) {
    total += vec1[r] * cfi_dot(mat + (size_t)r * n, vec2, n);
  }
  return total;
}


// diagonal and twice the strict lower triangle, row by row
mjtNum cfi_mulVecSymVec(const mjtNum* vec, const mjtNum* mat, int n) {
  CF_ASSERT(n >= 0);
  mjtNum total = 0;
  for (int r = 0; r < n; r++) {
    const mjtNum* row = mat + (size_t)r * n;
    total += vec[r] * row[r] * vec[r];
    total += 2 * vec[r] * cfi_dot(row, vec, r);
  }
  return total;
}


void mju_transpose(mjtNum* res, const mjtNum* mat, int nr, int nc) {
  for (int c = 0; c < nc; c++) {
    for (int r = 0; r < nr; r++) {
      *res++ = mat[(size_t)r * nc + c];
    }
  }
}


void mju_symmetrize(mjtNum* res, const mjtNum* mat, int n) {
  for (int r = 0; r < n; r++) {
    for (int c = 0; c <= r; c++) {
      const size_t below = (size_t)r * n + c, above = (size_t)c * n + r;
      const mjtNum mean = r == c ? mat[below] : 0.5 * (mat[below] + mat[above]);
      res[below] = mean;
      res[above] = mean;
    }
  }
}


void mju_eye(mjtNum* mat, int n) {
  for (int r = 0; r < n; r++) {
    cfi_zero(mat + (size_t)r * n, n);
    mat[(size_t)r * n + r] = 1;
  }
}


void mju_mulMatMat(mjtNum* res, const mjtNum* mat1, const mjtNum* mat2, int r1, int c1, int c2) {
  for (int r = 0; r < r1; r++) {
    cfi_combineRows(res + (size_t)r * c2, mat1 + (size_t)r * c1, 1, mat2, c2, c1, c2);
  }
}


void mju_mulMatMatT(mjtNum* res, const mjtNum* mat1, const mjtNum* mat2, int r1, int c1, int r2) {
  for (int r = 0; r < r1; r++) {
    cfi_dotRows(res + (size_t)r * r2, mat2, c1, r2, mat1 + (size_t)r * c1, c1);
  }
}


void mju_mulMatTMat(mjtNum* res, const mjtNum* mat1, const mjtNum* mat2, int r1, int c1, int c2) {
  for (int c = 0; c < c1; c++) {
    cfi_combineRows(res + (size_t)c * c2, mat1 + c, c1, mat2, c2, r1, c2);
  }
}


void cfi_mirrorLower(mjtNum* mat, int n) {
  CF_ASSERT(n >= 0);
  for (int r = 1; r < n; r++) {
    const mjtNum* below = mat + (size_t)r * n;
    mjtNum* above = mat + r;
    for (int c = 0; c < r; c++, above += n) {
      *above = below[c];
    }
  }
}


void mju_sqrMatTD(mjtNum* res, const mjtNum* mat, const mjtNum* diag, int nr, int nc) {
  cfi_sqrMatTD(res, mat, diag, nr, nc);
  cfi_mirrorLower(res, nc);
}
