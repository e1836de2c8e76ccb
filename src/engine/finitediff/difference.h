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

// the last stage of such a step: the integrator of the model
void cfi_integrateSkip(const mjModel* m, mjData* d, int skipstage);

// move qpos by eps along one dof
void cfi_nudgePosition(const mjModel* m, mjData* d, int dof, mjtNum eps);

// True if a control may be moved by eps: it stays inside its range.  MuJoCo looks at the range even
// where controls are not clamped (mjDSBL_CLAMPCTRL); `is_exact` does not.
bool cfi_mayNudgeControl(const mjModel* m, const mjData* d, int u, mjtNum eps, bool is_exact);

// what is differenced and how
typedef struct {
  mjtNum eps;
  bool is_centered;
  bool keeps_sleep;      // trees that a nudged step puts to sleep or wakes are as before afterwards
  bool is_exact;         // beyond what mjd_transitionFD does: see cfi_mayNudgeControl
  const mjtByte* known;  // 2*nv + na + nu: columns that are left as they are; NULL: none
} cfDifferences;

// Jacobians of a step, as mjd_transitionFD; all integrators
void cfi_differenceTransition(const mjModel* m, mjData* d, const cfDifferences* how, mjtNum* A,
                              mjtNum* B, mjtNum* C, mjtNum* D);

// the state that a linearization comes back to
int cfi_linearizedState(const mjModel* m);

#endif  // CF_FINITEDIFF_DIFFERENCE_H
