// Semi-implicit Euler; joint damping is integrated implicitly.
#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "base/likely.h"
#include "dynamics/factor.h"
#include "dynamics/inertia.h"
#include "dynamics/runs.h"
#include "model/deal.h"
#include "model/flags.h"
#include "model/indexset.h"
#include "pipeline/advance.h"
#include "model/timer.h"

bool cfi_hasImplicitDamping(const mjModel* m, cfIndexSet dofs) {
  if (cfi_disabled(m, mjDSBL_EULERDAMP) || cfi_disabled(m, mjDSBL_DAMPER)) {
    return false;
  }
  for (int v = 0; v < dofs.count; v++) {
    if (m->dof_damping[cfi_at(dofs, v)] > 0) {
      return true;
    }
  }
  return false;
}


// where trees may sleep, others are awake at the end of a step than at its beginning; the
// comparison with inverse dynamics has matrices of its own in qH
bool cfi_mayDampAhead(const mjModel* m, const mjData* d) {
  const cfIndexSet dofs = {NULL, (int)m->nv, 0};
  return m->opt.integrator == mjINT_EULER && !d->threadpool && !cfi_enabled(m, mjENBL_SLEEP) &&
         !cfi_enabled(m, mjENBL_FWDINV) && cfi_hasImplicitDamping(m, dofs) &&
         !cfi_isDiagonal(m->M_rownnz, m->M_rowadr, (int)m->nv, dofs);
}


// qH = M + h*diag(damping), factored.  reads: M.  writes: qH, qHDiagInv.
static void factorDamped(const mjModel* m, mjData* d, cfIndexSet dofs) {
  CF_ASSERT(dofs.count <= m->nv);
  if (cfi_isDiagonal(m->M_rownnz, m->M_rowadr, (int)m->nv, dofs)) {
    for (int i = 0; i < dofs.count; i++) {
      const mjtNum diagonal = d->M[i] + m->opt.timestep * m->dof_damping[i];
      d->qH[i] = diagonal;
      d->qHDiagInv[i] = 1 / diagonal;
    }
    return;
  }
  cfi_copyDampedM(m, d, dofs);
  cfi_factorTree(d->qH, d->qHDiagInv, m->M_rownnz, m->M_rowadr, m->M_colind, dofs);
}


// (M + h*diag(damping))*qacc = qfrc_smooth + qfrc_constraint.  reads: qH, qHDiagInv, both forces.
static void dampedAcceleration(const mjModel* m, mjData* d, mjtNum* qacc, cfIndexSet dofs) {
  for (int v = 0; v < dofs.count; v++) {
    const int i = cfi_at(dofs, v);
    qacc[i] = d->qfrc_smooth[i] + d->qfrc_constraint[i];
  }
  cfi_solveLD(qacc, d->qH, d->qHDiagInv, (int)m->nv, 1, m->M_rownnz, m->M_rowadr, m->M_colind,
              dofs);
}


// both of a run of bodies, and the step itself
typedef struct {
  const mjModel* m;
  mjData* d;
  const cfDeal* deal;
  mjtNum* qacc;
  bool with_factor;
} dampedCall;


static void dampedRun(void* context, int run) {
  const dampedCall* call = context;
  const mjModel* m = call->m;
  mjData* d = call->d;
  const cfIndexSet bodies = cfi_runBodies(call->deal, run), dofs = cfi_runDofs(m, bodies);
  if (call->with_factor) {
    cfi_factorRun(m, d, d->qH, d->qHDiagInv, dofs, m->opt.timestep);
  }
  for (int i = dofs.first; i < dofs.first + dofs.count; i++) {
    call->qacc[i] = d->qfrc_smooth[i] + d->qfrc_constraint[i];
  }
  cfi_solveTree(call->qacc, d->qH, d->qHDiagInv, m->M_rownnz, m->M_rowadr, m->M_colind, dofs);
  cfi_advanceRun(m, d, call->qacc, cfi_runJoints(m, bodies), dofs);
}


// false, and nothing done, where that is not worth it
static __attribute__((noinline)) bool shareDamped(const mjModel* m, mjData* d, mjtNum* qacc,
                                                  int skip_factor) {
  cfDeal deal;
  if (!cfi_dealBodies(&deal, m, d) || !cfi_mayAdvanceRuns(m)) {
    return false;
  }
  cfi_beginRuns(m, d);
  dampedCall call = {m, d, &deal, qacc, !skip_factor};
  cfi_forRuns(&deal, d, dampedRun, &call);
  return true;
}


// with actuators whose slope is implicit, too
static __attribute__((noinline)) void eulerWithGains(const mjModel* m, mjData* d, int skip_factor,
                                                     cfIndexSet dofs) {
  mj_markStack(d);
  mjtNum* qacc = mj_stackAllocNum(d, (size_t)m->nv);
  if (cfi_hasImplicitDamping(m, dofs)) {
    if (!skip_factor) {
      factorDamped(m, d, dofs);
    }
    mju_zero(qacc, (int)m->nv);
    dampedAcceleration(m, d, qacc, dofs);
    cfi_slowStiffGains(m, d, qacc, d->qH, d->qHDiagInv, dofs);
  } else {
    mju_copy(qacc, d->qacc, (int)m->nv);
    cfi_slowStiffGains(m, d, qacc, d->qLD, d->qLDiagInv, dofs);
  }
  cfi_advance(m, d, d->act_dot, qacc, NULL);
  mj_freeStack(d);
}


void cfi_eulerSkip(const mjModel* m, mjData* d, int skip_factor) {
  const mjtNum start = cfi_now();
  const cfIndexSet dofs = cfi_awakeDofs(m, d);
  if (CF_SELDOM(cfi_mayHaveStiffGains(m))) {
    eulerWithGains(m, d, skip_factor, dofs);
  } else if (cfi_hasImplicitDamping(m, dofs)) {
    mj_markStack(d);
    mjtNum* damped = mj_stackAllocNum(d, m->nv);
    if (CF_OFTEN(!d->threadpool) || !shareDamped(m, d, damped, skip_factor)) {
      if (!skip_factor) {
        factorDamped(m, d, dofs);
      }
      dampedAcceleration(m, d, damped, dofs);
      cfi_advance(m, d, d->act_dot, damped, NULL);
    }
    mj_freeStack(d);
  } else {
    cfi_advance(m, d, d->act_dot, d->qacc, NULL);
  }
  cfi_addTime(d, mjTIMER_ADVANCE, start, 1);
}


void mj_Euler(const mjModel* m, mjData* d) {
  cfi_eulerSkip(m, d, 0);
}
