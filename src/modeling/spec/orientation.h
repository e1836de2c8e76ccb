// Orientations that are not given as a quaternion, and how poses of a specification are scaled.
//
// Lengths count as zero or as one within CF_EPS: numbers a user typed as unit vectors stay as they
// were typed.
#ifndef CF_SPEC_ORIENTATION_H
#define CF_SPEC_ORIENTATION_H

#include <mujoco/mujoco.h>

#define CF_EPS 1e-14  // zero for lengths, masses and volumes

// scale to unit length unless too short or already of unit length; returns the length, 0 when too
// short
double cfi_unit(double* vec, int n);

// product of unit quaternions, scaled to unit length
void cfi_chainTurns(double res[4], const double a[4], const double b[4]);

// shortest rotation that takes z to a direction
void cfi_quatFromZ(double quat[4], const double direction[3]);

// rotation whose columns are three orthonormal axes
void cfi_quatFromAxes(double quat[4], const double x[3], const double y[3], const double z[3]);

// turn an alternative orientation into a quaternion; NULL, or what is wrong with it
static inline const char* cfi_resolveOrientation(double quat[4], const mjsOrientation* alt,
                                                 const mjsCompiler* compiler) {
  return mjs_resolveOrientation(quat, compiler->degree, compiler->eulerseq, alt);
}

#endif  // CF_SPEC_ORIENTATION_H
