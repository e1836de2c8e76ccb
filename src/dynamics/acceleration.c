// Acceleration without constraints.
#include <mujoco/mujoco.h>

#include "dynamics/factor.h"
#include "dynamics/spatialforce.h"
#include "math/simd/lane.h"
#include "model/indexset.h"

// sum of the forces on all dofs, into two arrays
static inline void sumForces(mjtNum* smooth, mjtNum* copy, const mjData* d, int nv) {
  const mjtNum *passive = d->qfrc_passive, *bias = d->qfrc_bias;
  const mjtNum *applied = d->qfrc_applied, *actuator = d->qfrc_actuator;
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


// M*qacc_smooth = qfrc_smooth, the sum of all forces but those of constraints
// reads: qfrc_passive, qfrc_bias, qfrc_applied, qfrc_actuator, xfrc_applied, qLD, qLDiagInv.
// writes: qfrc_smooth, qacc_smooth.
void mj_fwdAcceleration(const mjModel* m, mjData* d) {
  const cfIndexSet dofs = cfi_awakeDofs(m, d);
  mjtNum *smooth = d->qfrc_smooth, *qacc = d->qacc_smooth;
  if (!dofs.index) {
    sumForces(smooth, qacc, d, dofs.count);
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
