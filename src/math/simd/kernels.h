// Dense kernels: cfi_NAME runs on the vector unit, cfi_scalar_NAME is its twin in plain C with the
// same bits.  Sizes may be zero.
#ifndef CF_MATH_SIMD_KERNELS_H
#define CF_MATH_SIMD_KERNELS_H

#include <stddef.h>

#include <mujoco/mjtnum.h>

#define CF_KERNELS(prefix)                                                                       \
  /* sum of a[k]*b[k] */                                                                         \
  mjtNum prefix##dot(const mjtNum* a, const mjtNum* b, int n);                                   \
  /* res += scl*vec */                                                                           \
  void prefix##addToScl(mjtNum* res, const mjtNum* vec, mjtNum scl, int n);                      \
  /* res[r] = mat[r*stride..] times vec */                                                       \
  void prefix##dotRows(mjtNum* res, const mjtNum* mat, int stride, int nrow, const mjtNum* vec,  \
                       int n);                                                                   \
  /* res = sum of weight[r*step]*mat[r*stride..]; rows of weight zero are skipped */             \
  void prefix##combineRows(mjtNum* res, const mjtNum* weight, int step, const mjtNum* mat,       \
                           int stride, int nrow, int n);                                         \
  /* lower triangle of mat = L*L' in place; pivots below mindiag are raised; returns the rank */ \
  int prefix##cholFactor(mjtNum* mat, int n, mjtNum mindiag);                                    \
  /* L*L'*x = x in place */                                                                      \
  void prefix##cholSolve(mjtNum* x, const mjtNum* L, int n);                                     \
  /* factor of L*L' + sign*x*x', sign +-1; x is used up; returns the rank */                     \
  int prefix##cholUpdate(mjtNum* L, mjtNum* x, int n, mjtNum sign);                              \
  /* lower triangle of mat'*diag(diag)*mat, diag NULL for ones; upper triangle undefined */      \
  void prefix##sqrMatTD(mjtNum* res, const mjtNum* mat, const mjtNum* diag, int nr, int nc);

CF_KERNELS(cfi_)
CF_KERNELS(cfi_scalar_)

#endif  // CF_MATH_SIMD_KERNELS_H
