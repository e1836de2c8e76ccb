// Vectors of length 3, 4, 6, 9 and row-major 3x3 matrices.  A result may be the same array as an
// argument, but must not overlap it otherwise.
#ifndef CF_MATH_VEC3_H
#define CF_MATH_VEC3_H

#include <math.h>

#include <mujoco/mjmodel.h>
#include <mujoco/mjtnum.h>

#include "math/simd/lane.h"

static inline void cfi_zero3(mjtNum res[3]) {
  res[0] = res[1] = res[2] = 0;
}


static inline void cfi_set3(mjtNum res[3], mjtNum x, mjtNum y, mjtNum z) {
  res[0] = x, res[1] = y, res[2] = z;
}


static inline void cfi_copy3(mjtNum res[3], const mjtNum a[3]) {
  cfi_set3(res, a[0], a[1], a[2]);
}


// Longer copies read everything before they write: a compiler that cannot know whether the arrays
// overlap would go number by number otherwise.
static inline void cfi_copy4(mjtNum res[4], const mjtNum a[4]) {
  cfi_laneStore(res, cfi_laneLoad(a));
}


static inline void cfi_copy6(mjtNum res[6], const mjtNum a[6]) {
  const cfLane head = cfi_laneLoad(a);
  const mjtNum a4 = a[4], a5 = a[5];
  cfi_laneStore(res, head);
  res[4] = a4, res[5] = a5;
}


static inline void cfi_copy9(mjtNum res[9], const mjtNum a[9]) {
  const cfLane low = cfi_laneLoad(a), high = cfi_laneLoad(a + 4);
  const mjtNum last = a[8];
  cfi_laneStore(res, low);
  cfi_laneStore(res + 4, high);
  res[8] = last;
}


static inline void cfi_scl3(mjtNum res[3], const mjtNum a[3], mjtNum s) {
  cfi_set3(res, a[0] * s, a[1] * s, a[2] * s);
}


static inline void cfi_add3(mjtNum res[3], const mjtNum a[3], const mjtNum b[3]) {
  cfi_set3(res, a[0] + b[0], a[1] + b[1], a[2] + b[2]);
}


static inline void cfi_sub3(mjtNum res[3], const mjtNum a[3], const mjtNum b[3]) {
  cfi_set3(res, a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}


static inline void cfi_addTo3(mjtNum res[3], const mjtNum a[3]) {
  cfi_add3(res, res, a);
}


static inline void cfi_subFrom3(mjtNum res[3], const mjtNum a[3]) {
  cfi_sub3(res, res, a);
}


// res = a + s*b
static inline void cfi_addScl3(mjtNum res[3], const mjtNum a[3], const mjtNum b[3], mjtNum s) {
  cfi_set3(res, a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]);
}


// res += s*a
static inline void cfi_addToScl3(mjtNum res[3], const mjtNum a[3], mjtNum s) {
  cfi_addScl3(res, res, a, s);
}


static inline void cfi_cross(mjtNum res[3], const mjtNum a[3], const mjtNum b[3]) {
  cfi_set3(res, a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]);
}


static inline mjtNum cfi_dot3(const mjtNum a[3], const mjtNum b[3]) {
  const mjtNum x = a[0] * b[0], y = a[1] * b[1], z = a[2] * b[2];
  return x + y + z;
}


static inline mjtNum cfi_norm3(const mjtNum a[3]) {
  return sqrt(cfi_dot3(a, a));
}


// scale to unit length, (1,0,0) when shorter than mjMINVAL; returns the length before
static inline mjtNum cfi_normalize3(mjtNum a[3]) {
  const mjtNum length = cfi_norm3(a);
  if (length < mjMINVAL) {
    cfi_set3(a, 1, 0, 0);
  } else {
    cfi_scl3(a, a, 1 / length);
  }
  return length;
}


static inline mjtNum cfi_dist3(const mjtNum a[3], const mjtNum b[3]) {
  mjtNum delta[3];
  cfi_sub3(delta, a, b);
  return cfi_norm3(delta);
}


// res = R*v
static inline void cfi_mulMatVec3(mjtNum res[3], const mjtNum R[9], const mjtNum v[3]) {
  cfi_set3(res, cfi_dot3(R, v), cfi_dot3(R + 3, v), cfi_dot3(R + 6, v));
}


// column k of R times v
static inline mjtNum cfi_dotColumn3(const mjtNum R[9], int k, const mjtNum v[3]) {
  return R[k] * v[0] + R[k + 3] * v[1] + R[k + 6] * v[2];
}


// res = R'*v
static inline void cfi_mulMatTVec3(mjtNum res[3], const mjtNum R[9], const mjtNum v[3]) {
  cfi_set3(res, cfi_dotColumn3(R, 0, v), cfi_dotColumn3(R, 1, v), cfi_dotColumn3(R, 2, v));
}


// res = A*B; row r of the product needs row r of A alone, so res may be A but not B
static inline void cfi_mulMatMat3(mjtNum res[9], const mjtNum A[9], const mjtNum B[9]) {
  for (int r = 0; r < 9; r += 3) {
    cfi_mulMatTVec3(res + r, B, A + r);
  }
}


// res = A'*B; res must be neither
static inline void cfi_mulMatTMat3(mjtNum res[9], const mjtNum A[9], const mjtNum B[9]) {
  for (int r = 0; r < 3; r++) {
    const mjtNum column[3] = {A[r], A[r + 3], A[r + 6]};
    cfi_mulMatTVec3(res + 3 * r, B, column);
  }
}


// res = A*B'; res may be A but not B
static inline void cfi_mulMatMatT3(mjtNum res[9], const mjtNum A[9], const mjtNum B[9]) {
  for (int r = 0; r < 9; r += 3) {
    const mjtNum row[3] = {A[r], A[r + 1], A[r + 2]};
    cfi_set3(res + r, cfi_dot3(row, B), cfi_dot3(row, B + 3), cfi_dot3(row, B + 6));
  }
}


static inline void cfi_eye3(mjtNum res[9]) {
  for (int k = 0; k < 9; k++) {
    res[k] = k % 4 == 0;
  }
}


static inline void cfi_transpose3(mjtNum res[9], const mjtNum A[9]) {
  const mjtNum t[9] = {A[0], A[3], A[6], A[1], A[4], A[7], A[2], A[5], A[8]};
  cfi_copy9(res, t);
}


// column k of R, e.g. the k-th axis of a frame
static inline void cfi_column3(mjtNum res[3], const mjtNum R[9], int k) {
  cfi_set3(res, R[k], R[k + 3], R[k + 6]);
}


// orthonormal frame (rows x, y, z) from x and an optional hint for y; frame[3..5] is zero when
// there is no hint; returns 0 and leaves the frame unfinished when x is too short
static inline int cfi_makeFrame(mjtNum frame[9]) {
  mjtNum *x = frame, *y = frame + 3, *z = frame + 6;
  if (cfi_normalize3(x) < 0.5) {
    return 0;
  }

  // no hint: the world's y axis, or z where x is within 60 degrees of y
  if (cfi_dot3(y, y) < 0.25) {
    const int near_y = !(x[1] < 0.5 && x[1] > -0.5);
    cfi_set3(y, 0, !near_y, near_y);
  }

  // Gram-Schmidt; x*dot is rounded before it is subtracted
  const mjtNum along = cfi_dot3(x, y);
  cfi_addToScl3(y, x, -along);
  cfi_normalize3(y);
  cfi_cross(z, x, y);
  return 1;
}

#endif  // CF_MATH_VEC3_H
