// Public functions on vectors of three numbers and on 3x3 matrices.
#include <mujoco/mujoco.h>

#include "math/vec3.h"

void mju_zero3(mjtNum res[3]) {
  cfi_zero3(res);
}


void mju_copy3(mjtNum res[3], const mjtNum data[3]) {
  cfi_copy3(res, data);
}


void mju_scl3(mjtNum res[3], const mjtNum vec[3], mjtNum scl) {
  cfi_scl3(res, vec, scl);
}


void mju_add3(mjtNum res[3], const mjtNum vec1[3], const mjtNum vec2[3]) {
  cfi_add3(res, vec1, vec2);
}


void mju_sub3(mjtNum res[3], const mjtNum vec1[3], const mjtNum vec2[3]) {
  cfi_sub3(res, vec1, vec2);
}


void mju_addTo3(mjtNum res[3], const mjtNum vec[3]) {
  cfi_addTo3(res, vec);
}


void mju_subFrom3(mjtNum res[3], const mjtNum vec[3]) {
  cfi_subFrom3(res, vec);
}


void mju_addToScl3(mjtNum res[3], const mjtNum vec[3], mjtNum scl) {
  cfi_addToScl3(res, vec, scl);
}


void mju_addScl3(mjtNum res[3], const mjtNum vec1[3], const mjtNum vec2[3], mjtNum scl) {
  cfi_addScl3(res, vec1, vec2, scl);
}


mjtNum mju_normalize3(mjtNum vec[3]) {
  return cfi_normalize3(vec);
}


mjtNum mju_norm3(const mjtNum vec[3]) {
  return cfi_norm3(vec);
}


mjtNum mju_dot3(const mjtNum vec1[3], const mjtNum vec2[3]) {
  return cfi_dot3(vec1, vec2);
}


mjtNum mju_dist3(const mjtNum pos1[3], const mjtNum pos2[3]) {
  return cfi_dist3(pos1, pos2);
}


void mju_mulMatVec3(mjtNum res[3], const mjtNum mat[9], const mjtNum vec[3]) {
  cfi_mulMatVec3(res, mat, vec);
}


void mju_mulMatTVec3(mjtNum res[3], const mjtNum mat[9], const mjtNum vec[3]) {
  cfi_mulMatTVec3(res, mat, vec);
}


void mju_cross(mjtNum res[3], const mjtNum a[3], const mjtNum b[3]) {
  cfi_cross(res, a, b);
}
