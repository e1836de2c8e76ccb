// Stages that may run at the same time.
#ifndef CF_PIPELINE_TOGETHER_H
#define CF_PIPELINE_TOGETHER_H

#include <stdbool.h>

#include <mujoco/mujoco.h>

#include "base/likely.h"
#include "dynamics/inertia.h"
#include "solver/solver.h"

// mj_kinematics and mj_comPos, by trees where the data has a thread pool and they are worth it
bool cfi_shareFrames(const mjModel* m, mjData* d);

static inline void cfi_framesOfBodies(const mjModel* m, mjData* d) {
  if (CF_OFTEN(!d->threadpool) || !cfi_shareFrames(m, d)) {
    mj_kinematics(m, d);
    mj_comPos(m, d);
  }
}

// What threads did before its turn had come, tree by tree while a tree was at hand.  Only where
// nobody looks on in between; start is on the stack of the caller, who has marked it.
typedef struct {
  bool may_run;        // in: may anything be done ahead
  bool with_damped;    // in: factor M + h*diag(damping) with M
  bool has_bias;       // mj_comVel and bias forces
  bool has_forces;     // mj_transmission, velocities of actuators, mj_passive, mj_fwdActuation,
                       // mj_fwdAcceleration
  bool has_residuals;  // mj_referenceConstraint, efc_b, and start
  cfStart start;
} cfAhead;

// mj_makeM and mj_factorM beside mj_collision: all of them need kinematics alone.  One after the
// other where the data has no thread pool.  With a pool those who do not collide go ahead.
bool cfi_shareInertia(const mjModel* m, mjData* d, cfAhead* ahead);

static inline void cfi_inertiaAndCollision(const mjModel* m, mjData* d, cfAhead* ahead) {
  if (CF_OFTEN(!d->threadpool) || !cfi_shareInertia(m, d, ahead)) {
    mj_makeM(m, d);
    if (CF_SELDOM(ahead->with_damped)) {
      cfi_factorDampedToo(m, d);
    } else {
      mj_factorM(m, d);
    }
    mj_collision(m, d);
  }
}

// mj_island, and the residuals of the rows where accelerations without constraints are known
void cfi_islandsAndResiduals(const mjModel* m, mjData* d, cfAhead* ahead);

// A step of a data with a pool begins and ends.  In between threads of the pool wait for its stages
// without falling asleep; or, where the step has nothing to share or threads do not help lately
// (base/pace.h) and nobody looks on, the pool is set aside and the step is one without a pool, its
// scratch in front of the stacks of the threads.
void cfi_enterStep(const mjModel* m, mjData* d, bool has_onlookers);
void cfi_leaveStep(mjData* d);

// a pool that is still aside because an error jumped out of the step: it comes back, and what that
// step had on the stack is gone
void cfi_recoverPool(mjData* d);

#endif  // CF_PIPELINE_TOGETHER_H
