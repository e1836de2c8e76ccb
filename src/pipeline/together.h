// Stages that may run at the same time.
#ifndef CF_PIPELINE_TOGETHER_H
#define CF_PIPELINE_TOGETHER_H

#include <mujoco/mjdata.h>
#include <mujoco/mjmodel.h>

// mj_makeM and mj_factorM beside mj_collision: all of them need kinematics alone.  One after the
// other where the data has no thread pool.
void cfi_inertiaAndCollision(const mjModel* m, mjData* d);

#endif  // CF_PIPELINE_TOGETHER_H
