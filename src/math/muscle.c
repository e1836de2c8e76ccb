// Muscle force and activation.
#include "math/muscle.h"

#include <mujoco/mujoco.h>

#include "math/scalar.h"

// x/y with y kept away from zero; what is not a number stays none
static mjtNum safeRatio(mjtNum x, mjtNum y) {
  return x / (y < mjMINVAL ? mjMINVAL : y);
}


cfMuscle cfi_muscleState(mjtNum len, const mjtNum lengthrange[2], mjtNum acc0,
                         const mjtNum prm[9]) {
  const mjtNum L0 = safeRatio(lengthrange[1] - lengthrange[0], prm[1] - prm[0]);
  const mjtNum force = prm[2] < 0 ? safeRatio(prm[3], acc0) : prm[2];
  return (cfMuscle){force, L0, prm[0] + safeRatio(len - lengthrange[0], L0)};
}


// ends of the length curve, from zero
static mjtNum curveFoot(mjtNum x, mjtNum width) {
  return 0.5 * cfi_square(safeRatio(x, width));
}


// middle of the length curve, down from one
static mjtNum curveTop(mjtNum x, mjtNum width) {
  return 1 - 0.5 * cfi_square(safeRatio(x, width));
}


mjtNum cfi_muscleGainLength(mjtNum length, mjtNum lmin, mjtNum lmax) {
  if (!(length >= lmin && length <= lmax)) {
    return 0;
  }

  // the splines join halfway between the ends and the optimum
  const mjtNum rise = 0.5 * (lmin + 1), fall = 0.5 * (1 + lmax);
  if (length <= rise) {
    return curveFoot(length - lmin, rise - lmin);
  }
  if (length <= 1) {
    return curveTop(1 - length, 1 - rise);
  }
  return length <= fall ? curveTop(length - 1, fall - 1) : curveFoot(lmax - length, lmax - fall);
}


// force over normalized velocity: parabolas, 0 below -1, fvmax above fvmax-1
static mjtNum gainVelocity(mjtNum velocity, mjtNum fvmax) {
  const mjtNum top = fvmax - 1;
  if (velocity <= 0) {
    return velocity <= -1 ? 0 : cfi_square(velocity + 1);
  }
  return velocity <= top ? fvmax - safeRatio(cfi_square(top - velocity), top) : fvmax;
}


mjtNum mju_muscleGain(mjtNum len, mjtNum vel, const mjtNum lengthrange[2], mjtNum acc0,
                      const mjtNum prm[9]) {
  const cfMuscle muscle = cfi_muscleState(len, lengthrange, acc0, prm);
  const mjtNum velocity = safeRatio(vel, muscle.L0 * prm[6]);
  return -muscle.force * cfi_muscleGainLength(muscle.length, prm[4], prm[5]) *
         gainVelocity(velocity, prm[8]);
}


// slope of the muscle's force-velocity curve: parabolas up to 0 and up to fvmax-1, flat outside
mjtNum cfi_muscleGainSlope(mjtNum len, mjtNum vel, const mjtNum range[2], mjtNum acc0,
                           const mjtNum prm[9]) {
  const cfMuscle muscle = cfi_muscleState(len, range, acc0, prm);
  const mjtNum scale = cfi_max(mjMINVAL, muscle.L0 * prm[6]), V = vel / scale, top = prm[8] - 1;
  mjtNum slope = 0;
  if (V > -1 && V <= 0) {
    slope = 2 * V + 2;
  } else if (V > 0 && V <= top) {
    slope = 2 * (top - V) / cfi_max(mjMINVAL, top);
  }
  return -muscle.force * cfi_muscleGainLength(muscle.length, prm[4], prm[5]) * slope / scale;
}


// nothing below the optimal length, half a parabola up to the middle of (1, lmax), then a line
mjtNum mju_muscleBias(mjtNum len, const mjtNum lengthrange[2], mjtNum acc0, const mjtNum prm[9]) {
  const cfMuscle muscle = cfi_muscleState(len, lengthrange, acc0, prm);
  const mjtNum fpmax = prm[7], bend = 0.5 * (1 + prm[5]);
  if (muscle.length <= 1) {
    return 0;
  }
  if (muscle.length <= bend) {
    const mjtNum x = safeRatio(muscle.length - 1, bend - 1);
    return -muscle.force * fpmax * 0.5 * x * x;
  }
  return -muscle.force * fpmax * (0.5 + safeRatio(muscle.length - bend, bend - 1));
}


mjtNum cfi_muscleTimescale(mjtNum dctrl, mjtNum tau_act, mjtNum tau_deact, mjtNum smoothing_width) {
  if (smoothing_width < mjMINVAL) {
    return dctrl > 0 ? tau_act : tau_deact;
  }
  return tau_deact + (tau_act - tau_deact) * mju_sigmoid(dctrl / smoothing_width + 0.5);
}


// activation rate; time constants as in Millard et al. (2013), doi 10.1115/1.4023390
mjtNum mju_muscleDynamics(mjtNum ctrl, mjtNum act, const mjtNum prm[3]) {
  const mjtNum drive = cfi_clip(ctrl, 0, 1) - act;
  const mjtNum slowdown = 0.5 + 1.5 * cfi_clip(act, 0, 1);
  return safeRatio(drive, cfi_muscleTimescale(drive, prm[0] * slowdown, prm[1] / slowdown, prm[2]));
}
