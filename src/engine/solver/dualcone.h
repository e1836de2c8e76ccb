// One elliptic contact of a dual solver: along the ray of its force, then the best friction.  The
// dimension n is a constant where these are inlined.
#ifndef CF_SOLVER_DUALCONE_H
#define CF_SOLVER_DUALCONE_H

#include <mujoco/mjdata.h>
#include <mujoco/mjmodel.h>

#include "base/assert.h"
#include "math/dense.h"
#include "solver/conefriction.h"
#include "solver/dual.h"

// move along the ray of the present force, or along the normal when there is none
static inline void cfi_moveAlongRay(mjtNum* force, mjtNum inverse, const mjtNum* block,
                                    const mjtNum* res, const int n) {
  CF_ASSERT(n > 1 && n <= CF_BLOCK_MAX);
  if (force[0] < mjMINVAL) {
    const mjtNum normal = force[0] - res[0] * inverse;
    cfi_zero(force, n);
    force[0] = normal < 0 ? 0 : normal;
    return;
  }

  mjtNum ray[CF_BLOCK_MAX], curvature = 0, slope = 0;
  cfi_copy(ray, force, n);
  for (int i = 0; i < n; i++) {
    mjtNum image = 0;
    for (int j = 0; j < n; j++) {
      image += block[i * n + j] * ray[j];
    }
    curvature += ray[i] * image;
    slope += ray[i] * res[i];
  }
  if (curvature < mjMINVAL) {
    return;
  }
  mjtNum step = -slope / curvature;
  if (force[0] + step * ray[0] < 0) {
    step = -ray[0] / force[0];
  }
  for (int k = 0; k < n; k++) {
    force[k] += step * ray[k];
  }
}


// best friction for the present normal force
static inline void cfi_bestFriction(mjtNum* force, const mjContact* con, const mjtNum* block,
                                    const mjtNum* res, const mjtNum* old, const int n) {
  CF_ASSERT(n == con->dim - 1 || n == con->dim);
  const int nf = n - 1;
  if (force[0] < mjMINVAL) {
    cfi_zero(force + 1, nf);
    return;
  }

  // gradient at zero friction: take the old friction out, the normal change in
  mjtNum A[25], b[5], x[5];
  for (int i = 0; i < nf; i++) {
    const mjtNum* row = block + (i + 1) * n;
    mjtNum own = 0;
    for (int j = 0; j < nf; j++) {
      A[i * nf + j] = row[j + 1];
      own += row[j + 1] * old[j + 1];
    }
    b[i] = res[i + 1] - own + row[0] * (force[0] - old[0]);
  }
  cfi_solveFriction(x, A, b, con->friction, force[0], nf);
  cfi_copy(force + 1, x, nf);
}

#endif  // CF_SOLVER_DUALCONE_H
