// Stages that may run at the same time.
#ifndef CF_PIPELINE_TOGETHER_H
#define CF_PIPELINE_TOGETHER_H

#include <stdbool.h>

#include <mujoco/mjdata.h>
#include <mujoco/mjmodel.h>

// mj_makeM and mj_factorM beside mj_collision: all of them need kinematics alone.  One after the
// other where the data has no thread pool.  With a pool, and where nobody looks in between, the
// other side of collision has time for mj_comVel and the bias forces too: true if it did them.
bool cfi_inertiaAndCollision(const mjModel* m, mjData* d, bool with_bias);

#endif  // CF_PIPELINE_TOGETHER_H
