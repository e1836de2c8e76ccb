// Inertia of bodies: principal axes, sums of parts.
#ifndef CF_COMPILE_BODYINERTIA_H
#define CF_COMPILE_BODYINERTIA_H

#include <mujoco/mujoco.h>

// mass with its own inertial frame
typedef struct {
  double mass;
  double pos[3], quat[4];
  double inertia[3];  // about the axes of quat
} cfMassPart;

// principal moments in decreasing order and their frame, of a symmetric matrix (xx, yy, zz, xy, xz,
// yz)
void cfi_principalAxes(double moment[3], double quat[4], const double full[6]);

// the same for a body's inertia; NULL, or what is wrong with it
const char* cfi_diagonalizeInertia(double quat[4], double moment[3], const double full[6]);

// add a part's inertia about a point to a matrix (xx, yy, zz, xy, xz, yz)
void cfi_addInertiaAbout(double full[6], const cfMassPart* part, const double center[3]);

// add a child's mass to its parent's inertia, also given as a matrix; NULL, or what is wrong with
// it
const char* cfi_fuseMass(mjsBody* into, const mjsBody* child, double full[6]);

#endif  // CF_COMPILE_BODYINERTIA_H
