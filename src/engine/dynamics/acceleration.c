// Acceleration without constraints.
#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "base/likely.h"
#include "dynamics/factor.h"
#include "dynamics/runs.h"
#include "dynamics/spatialforce.h"
#include "math/scan.h"
#include "math/simd/lane.h"
#include "model/deal.h"

// sum of the forces on nv dofs that follow each other, in qfrc_smooth and in qacc_smooth
static inline void sumForces(mjData* d, int first, int nv) {
  const mjtNum *passive = d->qfrc_passive + first, *bias = d->qfrc_bias + first;
  const mjtNum *applied = d->qfrc_applied + first, *actuator = d->qfrc_actuator + first;
  mjtNum *smooth = d->qfrc_smooth + first, *copy = d->qacc_smooth + first;
  int i = 0;
  for (; i + 4 <= nv; i += 4) {
    cfLane sum = cfi_laneSub(cfi_laneLoad(passive + i), cfi_laneLoad(bias + i));
    sum = cfi_laneAdd(cfi_laneAdd(sum, cfi_laneLoad(applied + i)), cfi_laneLoad(actuator + i));
    cfi_laneStore(smooth + i, sum);
    cfi_laneStore(copy + i, sum);
  }
  if (nv & 2) {
    cfHalfLane sum = cfi_halfSub(cfi_halfLoad(passive + i), cfi_halfLoad(bias + i));
    sum = cfi_halfAdd(cfi_halfAdd(sum, cfi_halfLoad(applied + i)), cfi_halfLoad(actuator + i));
    cfi_halfStore(smooth + i, sum);
    cfi_halfStore(copy + i, sum);
    i += 2;
  }
  if (nv & 1) {
    smooth[i] = copy[i] = passive[i] - bias[i] + applied[i] + actuator[i];
  }
}


void cfi_accelerationRun(const mjModel* m, mjData* d, cfIndexSet dofs) {
  CF_ASSERT(!dofs.index && dofs.first + dofs.count <= m->nv);
  sumForces(d, dofs.first, dofs.count);
  cfi_solveTree(d->qacc_smooth, d->qLD, d->qLDiagInv, m->M_rownnz, m->M_rowadr, m->M_colind, dofs);
}


// both of a run of bodies
typedef struct {
  const mjModel* m;
  mjData* d;
  const cfDeal* deal;
} accelerationCall;


static void accelerationOfRun(void* context, int run) {
  const accelerationCall* call = context;
  const cfIndexSet bodies = cfi_runBodies(call->deal, run);
  cfi_accelerationRun(call->m, call->d, cfi_runDofs(call->m, bodies));
}


// false, and nothing done, where that is not worth it or somebody pushes bodies
static __attribute__((noinline)) bool shareAcceleration(const mjModel* m, mjData* d) {
  cfDeal deal;
  if (!cfi_dealBodies(&deal, m, d) || cfi_anyNonzero(d->xfrc_applied, 6 * (int)m->nbody)) {
    return false;
  }
  accelerationCall call = {m, d, &deal};
  cfi_forRuns(&deal, d, accelerationOfRun, &call);
  return true;
}


// M*qacc_smooth = qfrc_smooth, the sum of all forces but those of constraints
// reads: qfrc_passive, qfrc_bias, qfrc_applied, qfrc_actuator, xfrc_applied, qLD, qLDiagInv.
// writes: qfrc_smooth, qacc_smooth.
void mj_fwdAcceleration(const mjModel* m, mjData* d) {
  if (CF_SELDOM(d->threadpool) && shareAcceleration(m, d)) {
    return;
  }
  const cfIndexSet dofs = cfi_awakeDofs(m, d);
  mjtNum *smooth = d->qfrc_smooth, *qacc = d->qacc_smooth;
  if (!dofs.index) {
    sumForces(d, dofs.first, dofs.count);
  }
  for (int v = 0; dofs.index && v < dofs.count; v++) {
    const int i = dofs.index[v];
    smooth[i] = qacc[i] =
        d->qfrc_passive[i] - d->qfrc_bias[i] + d->qfrc_applied[i] + d->qfrc_actuator[i];
  }
  if (cfi_addApplied(m, d, smooth)) {
    for (int v = 0; v < dofs.count; v++) {
      const int i = cfi_at(dofs, v);
      qacc[i] = smooth[i];
    }
  }
  cfi_solveLD(qacc, d->qLD, d->qLDiagInv, (int)m->nv, 1, m->M_rownnz, m->M_rowadr, m->M_colind,
              dofs);
}
