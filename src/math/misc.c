// Public scalar functions, number checks, sequences and sorting.
#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include <mujoco/mujoco.h>

#include "math/libm.h"
#include "math/scalar.h"

mjtNum mju_min(mjtNum a, mjtNum b) {
  return cfi_min(a, b);
}


mjtNum mju_max(mjtNum a, mjtNum b) {
  return cfi_max(a, b);
}


mjtNum mju_clip(mjtNum x, mjtNum min, mjtNum max) {
  if (x < min) {
    return min;
  }
  return x > max ? max : x;
}


mjtNum mju_sign(mjtNum x) {
  return cfi_sign(x);
}


// nearest integer, halves upward; what does not fit gives the least integer on every machine
int mju_round(mjtNum x) {
  if (!(x >= INT_MIN - 0.5 && x < INT_MAX + 0.5)) {
    return INT_MIN;
  }
  const mjtNum below = floor(x), above = ceil(x);
  return (int)(x - below < above - x ? below : above);
}


// NaN compares false with everything
int mju_isBad(mjtNum x) {
  return !(x >= -mjMAXVAL && x <= mjMAXVAL);
}


// 6x^5 - 15x^4 + 10x^3 on [0,1]: value, slope and curvature join the constants outside
mjtNum mju_sigmoid(mjtNum x) {
  if (x <= 0 || x >= 1) {
    return x > 0;
  }
  return x * x * x * (3 * x * (2 * x - 5) + 10);
}


// digits of index in the given base, mirrored behind the point
mjtNum mju_Halton(int index, int base) {
  const mjtNum radix = base;
  mjtNum weight = 1 / radix, value = 0;
  for (; index > 0; index /= base) {
    value += weight * (index % base);
    weight /= radix;
  }
  return value;
}


// two independent normal numbers from a point in the unit disk (Marsaglia)
mjtNum mju_standardNormal(mjtNum* num2) {
  const mjtNum scale = 2.0 / (mjtNum)RAND_MAX;
  mjtNum point[2], square;
  do {
    for (int k = 0; k < 2; k++) {
      point[k] = scale * (mjtNum)rand() - 1.0;
    }
    square = point[0] * point[0] + point[1] * point[1];
  } while (square == 0 || square >= 1.0);

  const mjtNum stretch = sqrt((-2.0 * cfi_log(square)) / square);
  if (num2) {
    *num2 = point[1] * stretch;
  }
  return point[0] * stretch;
}


// position of a unit mass on a spring and damper after time dt
mjtNum mju_springDamper(mjtNum pos0, mjtNum vel0, mjtNum Kp, mjtNum Kv, mjtNum dt) {
  const mjtNum discriminant = Kv * Kv - 4 * Kp, half = Kv / 2;
  const mjtNum w = sqrt(fabs(discriminant)) / 2;

  // overdamped: two decaying exponentials
  if (discriminant > mjMINVAL) {
    const mjtNum slow = -half + w, fast = -half - w;
    const mjtNum c_slow = (pos0 * fast - vel0) / (fast - slow);
    const mjtNum c_fast = (pos0 * slow - vel0) / (slow - fast);
    return c_slow * cfi_exp(slow * dt) + c_fast * cfi_exp(fast * dt);
  }

  // underdamped or critical: a decaying envelope
  const mjtNum envelope = cfi_exp(-Kv * dt / 2), drift = vel0 + Kv * pos0 / 2;
  if (discriminant < -mjMINVAL) {
    return envelope * (pos0 * cfi_cos(w * dt) + drift / w * cfi_sin(w * dt));
  }
  return envelope * (pos0 + drift * dt);
}


// edge k of the friction pyramid is normal +- mu[k]*tangent[k]; the split of the normal force
// between the pairs of edges is even
void mju_encodePyramid(mjtNum* pyramid, const mjtNum* force, const mjtNum* mu, int dim) {
  const mjtNum share = force[0] / (dim - 1);
  for (int k = 1; k < dim; k++, pyramid += 2) {
    const mjtNum tilt = cfi_min(share, force[k] / mu[k - 1]);
    pyramid[0] = 0.5 * (share + tilt);
    pyramid[1] = 0.5 * (share - tilt);
  }
}


void mju_decodePyramid(mjtNum* force, const mjtNum* pyramid, const mjtNum* mu, int dim) {
  mjtNum normal = dim == 1 ? pyramid[0] : 0;
  for (int k = 1; k < dim; k++, pyramid += 2) {
    normal = (normal + pyramid[0]) + pyramid[1];
    force[k] = (pyramid[0] - pyramid[1]) * mu[k - 1];
  }
  force[0] = normal;
}


void mju_insertionSort(mjtNum* list, int n) {
  for (int sorted = 1; sorted < n; sorted++) {
    const mjtNum x = list[sorted];
    mjtNum* place = list + sorted;
    for (; place > list && place[-1] > x; place--) {
      *place = place[-1];
    }
    *place = x;
  }
}


void mju_insertionSortInt(int* list, int n) {
  for (int sorted = 1; sorted < n; sorted++) {
    const int x = list[sorted];
    int* place = list + sorted;
    for (; place > list && place[-1] > x; place--) {
      *place = place[-1];
    }
    *place = x;
  }
}
