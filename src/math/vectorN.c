// Public functions on vectors of any length.
#include <math.h>

#include <mujoco/mujoco.h>

#include "math/dense.h"

void mju_zero(mjtNum* res, int n) {
  cfi_zero(res, n);
}


void mju_fill(mjtNum* res, mjtNum val, int n) {
  cfi_fill(res, val, n);
}


void mju_copy(mjtNum* res, const mjtNum* vec, int n) {
  cfi_copy(res, vec, n);
}


mjtNum mju_sum(const mjtNum* vec, int n) {
  mjtNum total = 0;
  for (const mjtNum* end = vec + n; vec < end; vec++) {
    total += *vec;
  }
  return total;
}


mjtNum mju_L1(const mjtNum* vec, int n) {
  mjtNum total = 0;
  for (const mjtNum* end = vec + n; vec < end; vec++) {
    total += fabs(*vec);
  }
  return total;
}


void mju_scl(mjtNum* res, const mjtNum* vec, mjtNum scl, int n) {
  for (int i = 0; i < n; i++) {
    res[i] = vec[i] * scl;
  }
}


void mju_add(mjtNum* res, const mjtNum* vec1, const mjtNum* vec2, int n) {
  for (int i = 0; i < n; i++) {
    res[i] = vec1[i] + vec2[i];
  }
}


void mju_sub(mjtNum* res, const mjtNum* vec1, const mjtNum* vec2, int n) {
  for (int i = 0; i < n; i++) {
    res[i] = vec1[i] - vec2[i];
  }
}


void mju_addTo(mjtNum* res, const mjtNum* vec, int n) {
  mju_add(res, res, vec, n);
}


void mju_subFrom(mjtNum* res, const mjtNum* vec, int n) {
  mju_sub(res, res, vec, n);
}


void mju_addToScl(mjtNum* res, const mjtNum* vec, mjtNum scl, int n) {
  cfi_addToScl(res, vec, scl, n);
}


void mju_addScl(mjtNum* res, const mjtNum* vec1, const mjtNum* vec2, mjtNum scl, int n) {
  for (int i = 0; i < n; i++) {
    res[i] = vec1[i] + vec2[i] * scl;
  }
}


mjtNum mju_dot(const mjtNum* vec1, const mjtNum* vec2, int n) {
  return cfi_dot(vec1, vec2, n);
}


mjtNum mju_norm(const mjtNum* res, int n) {
  return sqrt(cfi_dot(res, res, n));
}


// what is not a number stays none
mjtNum mju_normalize(mjtNum* res, int n) {
  const mjtNum length = mju_norm(res, n);
  if (!(length < mjMINVAL)) {
    mju_scl(res, res, 1 / length, n);
  } else if (n > 0) {
    cfi_zero(res, n);
    res[0] = 1;
  }
  return length;
}


int mju_isZero(const mjtNum* vec, int n) {
  int i = 0;
  while (i < n && vec[i] == 0) {
    i++;
  }
  return i >= n;
}


void mju_f2n(mjtNum* res, const float* vec, int n) {
  while (n-- > 0) {
    *res++ = *vec++;
  }
}


void mju_n2f(float* res, const mjtNum* vec, int n) {
  while (n-- > 0) {
    *res++ = (float)*vec++;
  }
}


// mjtNum is double, so these two copy
void mju_d2n(mjtNum* res, const double* vec, int n) {
  memcpy(res, vec, (size_t)n * sizeof(double));
}


void mju_n2d(double* res, const mjtNum* vec, int n) {
  memcpy(res, vec, (size_t)n * sizeof(double));
}
