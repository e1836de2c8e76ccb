// Stages that work tree by tree, on the threads of a pool.
#include "pipeline/together.h"

#include <stdbool.h>

#include <mujoco/mujoco.h>

#include "base/arena.h"
#include "base/assert.h"
#include "base/platform.h"
#include "base/threads.h"
#include "collision/halves.h"
#include "constraint/island.h"
#include "contactsolver/stage.h"
#include "dynamics/runs.h"
#include "kinematics/runs.h"
#include "math/scan.h"
#include "model/deal.h"
#include "model/extension.h"
#include "model/flags.h"
#include "model/timer.h"

// what a thread needs to run stages
typedef struct {
  const mjModel* m;
  mjData* d;
  const cfDeal* deal;
  mjtNum* moment;  // of the roots of the runs
  cfCollisionHalf collision;
  cfAhead* ahead;
  cfActuatorDeal actuators;
} cfStageCall;


static void framesOfRun(void* context, int run) {
  const cfStageCall* call = context;
  const cfIndexSet bodies = cfi_runBodies(call->deal, run);
  cfi_placeRun(call->m, call->d, bodies);
  cfi_comPosRun(call->m, call->d, bodies, call->moment);
}


bool cfi_shareFrames(const mjModel* m, mjData* d) {
  cfDeal deal;
  if (!cfi_dealBodies(&deal, m, d)) {
    return false;
  }
  mj_markStack(d);
  cfStageCall call = {
      .m = m, .d = d, .deal = &deal, .moment = mj_stackAllocNum(d, 3 * (size_t)m->nbody)};
  cfi_placeWorld(m, d);
  cfi_forRuns(&deal, d, framesOfRun, &call);
  cfi_placeSites(m, d);
  cfi_comPosWorld(m, d, call.moment);
  mj_freeStack(d);
  return true;
}


static void findPairsToCollide(void* context) {
  cfStageCall* call = context;
  call->collision = cfi_beginCollision(call->m, call->d);
}


static void inertiaOfRun(void* context, int run) {
  const cfStageCall* call = context;
  const mjModel* m = call->m;
  mjData* d = call->d;
  const cfIndexSet bodies = cfi_runBodies(call->deal, run), dofs = cfi_runDofs(m, bodies);
  cfi_crbRun(m, d, bodies, dofs);
  cfi_factorRun(m, d, d->qLD, d->qLDiagInv, dofs, 0);
  if (call->ahead->has_bias) {
    cfi_comVelRun(m, d, bodies);
    cfi_rneRun(m, d, bodies, dofs);
  }
  if (call->ahead->has_forces) {
    const cfIndexSet joints = cfi_runJoints(m, bodies);
    cfi_passiveRun(m, d, joints, dofs);
    cfi_actuationRun(m, d, &call->actuators, run, joints, dofs);
    cfi_accelerationRun(m, d, dofs);
  }
  if (call->ahead->start.Ma) {
    cfi_mulRunM(m, d, call->ahead->start.Ma, d->qacc_warmstart, dofs);
  }
}


// inertia of tendons couples trees
static bool tendonsHaveInertia(const mjModel* m) {
  for (int t = 0; t < m->ntendon; t++) {
    if (m->tendon_armature[t] != 0) {
      return true;
    }
  }
  return false;
}


// are forces and the accelerations that come of them a matter of trees alone
static bool mayGoAhead(const mjModel* m, mjData* d) {
  return cfi_isPassiveByRuns(m) && !cfi_anyNonzero(d->xfrc_applied, 6 * (int)m->nbody) &&
         cfi_stackFits(d, sizeof(mjtNum) * (size_t)(m->nu + m->nv) + 256, sizeof(mjtNum));
}


// what the threads will do ahead, and room for it
static void planAhead(cfStageCall* call) {
  const mjModel* m = call->m;
  mjData* d = call->d;
  cfAhead* ahead = call->ahead;
  ahead->has_bias = ahead->may_run;
  if (ahead->may_run && mayGoAhead(m, d)) {
    ahead->has_forces = cfi_dealActuators(&call->actuators, m, d, call->deal);
    if (ahead->has_forces && cfi_startsWarm(m)) {
      ahead->start.Ma = mj_stackAllocNum(d, (size_t)m->nv);
    }
  }
}


bool cfi_shareInertia(const mjModel* m, mjData* d, cfAhead* ahead) {
  cfDeal deal;
  if (!cfi_dealBodies(&deal, m, d) || tendonsHaveInertia(m)) {
    return false;
  }
  const mjtNum start = cfi_now();
  cfStageCall call = {.m = m, .d = d, .deal = &deal, .ahead = ahead};
  planAhead(&call);
  cfi_crbWorld(d);
  if (ahead->has_bias) {
    cfi_comVelWorld(d);
  }

  // the list of pairs is in scratch
  mj_markStack(d);
  cfi_poolDealBehind((mjThreadPool*)d->threadpool, deal.nthread, deal.first, inertiaOfRun, &call,
                     findPairsToCollide);
  cfi_addTime(d, mjTIMER_POS_INERTIA, start + call.collision.time, 1);
  cfi_endCollision(m, d, &call.collision);
  cfi_finishContacts(m, d);
  mj_freeStack(d);
  return true;
}


void cfi_islandsAndResiduals(const mjModel* m, mjData* d, cfAhead* ahead) {
  cfStart* start = &ahead->start;
  if (start->Ma && d->nefc &&
      cfi_stackFits(d, sizeof(mjtNum) * (size_t)d->nefc + 256, sizeof(mjtNum))) {
    start->jar = mj_stackAllocNum(d, (size_t)d->nefc);
  }
  ahead->has_residuals = cfi_islandAhead(m, d, start->jar);
}


// Results and scratch of a step without its pool have to get along with the front of the arena, so
// what they took before must leave enough of it.
static bool mayLeavePool(const mjData* d) {
  return d->pstack == 0 && d->maxuse_arena > 0 && d->maxuse_arena < d->narena / 4 &&
         !cfi_poolIsOpen((mjThreadPool*)d->threadpool);
}


static void setPoolAside(mjData* d) {
  cfPoolAside* aside = &cfi_dataExtension(d)->aside;
  *aside = (cfPoolAside){.pool = d->threadpool,
                         .sharded = cfi_shardedBytes(d),
                         .maxuse_stack = d->maxuse_stack,
                         .maxuse_arena = d->maxuse_arena};
  d->pstack = aside->sharded;
  d->threadpool = 0;
}


// True if the threads of the pool are of use: a single tree is a single island, so no stage has two
// things to do at a time; otherwise the pace of the steps tells.
static bool isPoolOfUse(const mjModel* m, const mjData* d) {
  return m->ntree > 1 && cfi_paceBegin(&cfi_dataExtension(d)->pace, cfi_clock());
}


void cfi_enterStep(const mjModel* m, mjData* d, bool has_onlookers) {
  cfDeal deal;
  cfi_dataExtension(d)->pace.start = 0;
  if (!has_onlookers && mayLeavePool(d) && !isPoolOfUse(m, d)) {
    setPoolAside(d);
  } else if (cfi_dealBodies(&deal, m, d)) {
    cfi_poolWatch((mjThreadPool*)d->threadpool, true);
  }
}


// a record of use without the stacks of the threads, or the one before
static mjtSize ownUse(mjtSize record, mjtSize before, size_t sharded) {
  const mjtSize own = record - (mjtSize)sharded;
  return own > before ? own : before;
}


static void takePoolUp(mjData* d, cfPoolAside* aside) {
  CF_ASSERT(aside->pool && !d->threadpool && d->pstack >= aside->sharded);
  d->maxuse_stack = ownUse(d->maxuse_stack, aside->maxuse_stack, aside->sharded);
  d->maxuse_arena = ownUse(d->maxuse_arena, aside->maxuse_arena, aside->sharded);
  d->threadpool = aside->pool;
  d->pstack = 0;
  aside->pool = 0;
}


void cfi_recoverPool(mjData* d) {
  cfPoolAside* aside = &cfi_dataExtension(d)->aside;
  if (aside->pool) {
    takePoolUp(d, aside);
    d->pbase = 0;
  }
}


void cfi_leaveStep(mjData* d) {
  cfExtension* extension = cfi_dataExtension(d);
  cfPoolAside* aside = &extension->aside;
  if (aside->pool) {
    CF_ASSERT(d->pstack == aside->sharded);
    takePoolUp(d, aside);
  } else if (d->threadpool) {
    cfi_poolWatch((mjThreadPool*)d->threadpool, false);
  }
  if (extension->pace.start > 0) {
    cfi_paceEnd(&extension->pace, cfi_clock(), 1);
  }
}
