// Pieces of finite differencing.
#ifndef CF_FINITEDIFF_DIFFERENCE_H
#define CF_FINITEDIFF_DIFFERENCE_H

#include <stdbool.h>

#include <mujoco/mjdata.h>
#include <mujoco/mjmodel.h>

// res = (b - a)/h
static inline void cfi_difference(mjtNum* res, const mjtNum* a, const mjtNum* b, mjtNum h, int n) {
  const mjtNum inverse = 1 / h;
  for (int k = 0; k < n; k++) {
    res[k] = inverse * (b[k] - a[k]);
  }
}

// a step from the present state whose stages up to skipstage are taken as computed
void cfi_stepSkip(const mjModel* m, mjData* d, int skipstage, bool with_sensors);

// move qpos by eps along one dof
void cfi_nudgePosition(const mjModel* m, mjData* d, int dof, mjtNum eps);

#endif  // CF_FINITEDIFF_DIFFERENCE_H
