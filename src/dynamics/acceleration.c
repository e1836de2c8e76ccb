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
  for (int v = 0; v < dofs.count; v++) {
    const int i = cfi_at(dofs, v);
    d->qfrc_smooth[i] =
        d->qfrc_passive[i] - d->qfrc_bias[i] + d->qfrc_applied[i] + d->qfrc_actuator[i];
  }
  cfi_addApplied(m, d, d->qfrc_smooth);

  for (int v = 0; v < dofs.count; v++) {
    const int i = cfi_at(dofs, v);
    d->qacc_smooth[i] = d->qfrc_smooth[i];
  }
  cfi_solveLD(d->qacc_smooth, d->qLD, d->qLDiagInv, (int)m->nv, 1, m->M_rownnz, m->M_rowadr,
              m->M_colind, dofs);
}
