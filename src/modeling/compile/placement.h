// Poses as the compiler accumulates them.
#ifndef CF_COMPILE_PLACEMENT_H
#define CF_COMPILE_PLACEMENT_H

#include <stdbool.h>

#include <mujoco/mujoco.h>

#include "spec/orientation.h"

#define CF_SAME_FRAME 1e-6  // components of two poses closer than this are equal

// (pos, quat) * (child_pos, child_quat), written into the parent
void cfi_appendPose(double pos[3], double quat[4], const double child_pos[3],
                    const double child_quat[4]);

// equal within CF_SAME_FRAME; a NULL pair is left out, quaternions up to sign
bool cfi_samePose(const double* pos1, const double* pos2, const double* quat1, const double* quat2);

// child pose seen from the parent's parent: (pos, quat) * (child_pos, child_quat), written into the
// child
void cfi_intoParent(double child_pos[3], double child_quat[4], const double pos[3],
                    const double quat[4]);

// how an element's frame relates to its body's
mjtSameFrame cfi_frameRelation(const double pos[3], const double quat[4], const double ipos[3],
                               const double iquat[4]);

// the pose that undoes another
void cfi_invertPose(double pos[3], double quat[4], const double of_pos[3], const double of_quat[4]);

// 'fromto': pose and size of an elongated shape between two points; NULL, or what is wrong with it
const char* cfi_resolveFromTo(double pos[3], double quat[4], double size[3], int type,
                              const double fromto[6]);

#endif  // CF_COMPILE_PLACEMENT_H
