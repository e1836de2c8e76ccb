// Acceleration without constraints.
#include <mujoco/mujoco.h>

#include "dynamics/factor.h"
#include "dynamics/spatialforce.h"
#include "model/indexset.h"

// M*qacc_smooth = qfrc_smooth, the sum of all forces but those of constraints
// reads: qfrc_passive, qfrc_bias, qfrc_applied, qfrc_actuator, xfrc_applied, qLD, qLDiagInv.
// writes: qfrc_smooth, qacc_smooth.
void mj_fwdAcceleration(const mjModel* m, mjData* d) {
  const cfIndexSet dofs = cfi_awakeDofs(m, d);
  mjtNum* restrict smooth = d->qfrc_smooth, * restrict qacc = d->qacc_smooth;
  for (int v = 0; v < dofs.count; v++) {
    const int i = cfi_at(dofs, v);
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
