// Poses as the compiler accumulates them.
//
// Lengths count as zero or as one within 1e-14: numbers a user typed as unit vectors stay as they
// were typed.
#ifndef CF_COMPILE_PLACEMENT_H
#define CF_COMPILE_PLACEMENT_H

#include <stdbool.h>

#include <mujoco/mujoco.h>

#define CF_EPS 1e-14        // zero for lengths, masses and volumes
#define CF_SAME_FRAME 1e-6  // components of two poses closer than this are equal

// child pose seen from the parent's parent: (pos, quat) * (child_pos, child_quat), written into the
// child
void cfi_intoParent(double child_pos[3], double child_quat[4], const double pos[3],
                    const double quat[4]);

// scale to unit length unless too short or already of unit length; returns the length, 0 when too
// short
double cfi_unit(double* vec, int n);

// (pos, quat) * (child_pos, child_quat), written into the parent
void cfi_appendPose(double pos[3], double quat[4], const double child_pos[3],
                    const double child_quat[4]);

// product of unit quaternions, scaled to unit length
void cfi_chainTurns(double res[4], const double a[4], const double b[4]);

// shortest rotation that takes z to a direction
void cfi_quatFromZ(double quat[4], const double direction[3]);

// rotation whose columns are three orthonormal axes
void cfi_quatFromAxes(double quat[4], const double x[3], const double y[3], const double z[3]);

// turn an alternative orientation into a quaternion; NULL, or what is wrong with it
const char* cfi_resolveOrientation(double quat[4], const mjsOrientation* alt,
                                   const mjsCompiler* compiler);

// 'fromto': pose and size of an elongated shape between two points; NULL, or what is wrong with it
const char* cfi_resolveFromTo(double pos[3], double quat[4], double size[3], int type,
                              const double fromto[6]);

// the pose that undoes another
void cfi_invertPose(double pos[3], double quat[4], const double of_pos[3], const double of_quat[4]);

// equal within CF_SAME_FRAME; a NULL pair is left out, quaternions up to sign
bool cfi_samePose(const double* pos1, const double* pos2, const double* quat1, const double* quat2);

// how an element's frame relates to its body's
mjtSameFrame cfi_frameRelation(const double pos[3], const double quat[4], const double ipos[3],
                               const double iquat[4]);

#endif  // CF_COMPILE_PLACEMENT_H
