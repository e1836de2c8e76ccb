// Parts of the muscle model that derivatives need too.
#ifndef CF_MATH_MUSCLE_H
#define CF_MATH_MUSCLE_H

#include <mujoco/mjtnum.h>

// muscle quantities independent of the activation: peak force, optimal length, normalized length
typedef struct {
  mjtNum force, L0, length;
} cfMuscle;

// prm = (range[2], force, scale, lmin, lmax, vmax, fpmax, fvmax)
cfMuscle cfi_muscleState(mjtNum len, const mjtNum lengthrange[2], mjtNum acc0, const mjtNum prm[9]);

// active force over normalized length: quadratic splines from 0 at lmin over 1 at 1 to 0 at lmax
mjtNum cfi_muscleGainLength(mjtNum length, mjtNum lmin, mjtNum lmax);

// slope of mju_muscleGain over velocity
mjtNum cfi_muscleGainSlope(mjtNum len, mjtNum vel, const mjtNum range[2], mjtNum acc0,
                           const mjtNum prm[9]);

// time constant of activation or deactivation, blended over smoothing_width around dctrl = 0
mjtNum cfi_muscleTimescale(mjtNum dctrl, mjtNum tau_act, mjtNum tau_deact, mjtNum smoothing_width);

#endif  // CF_MATH_MUSCLE_H
