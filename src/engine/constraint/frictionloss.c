// Rows of dry friction in dofs and tendons.
#include "base/assert.h"
#include "constraint/rows.h"
#include "math/scan.h"
#include "model/awake.h"
#include "model/flags.h"

void cfi_planFriction(cfRowPlan* plan) {
  const mjModel* m = plan->m;
  if (cfi_disabled(m, mjDSBL_FRICTIONLOSS)) {
    return;
  }

  const bool has_friction = cfi_anyNonzero(m->dof_frictionloss, (int)m->nv);
  for (int dof = 0; has_friction && dof < m->nv; dof++) {
    const bool is_asleep = plan->skip_asleep && !plan->d->tree_awake[m->dof_treeid[dof]];
    if (m->dof_frictionloss[dof] != 0 && !is_asleep) {
      cfi_planRows(plan, mjCNSTR_FRICTION_DOF, dof, 1, 1);
    }
  }
  for (int tendon = 0; tendon < m->ntendon; tendon++) {
    if (m->tendon_frictionloss[tendon] > 0) {
      cfi_planRows(plan, mjCNSTR_FRICTION_TENDON, tendon, 1,
                   cfi_tendonRow(plan->m, plan->d, tendon, plan->is_sparse).nnz);
    }
  }
}


void cfi_fillDofFriction(cfRowPlan* plan, cfRowBlock* block) {
  const int dof = block->id;
  CF_ASSERT(dof >= 0 && dof < plan->m->nv);
  const cfRowSlots slots = cfi_openRows(plan, block, &dof);
  slots.J[slots.col ? dof : 0] = 1;
  plan->d->efc_frictionloss[block->row] = plan->m->dof_frictionloss[dof];
}


void cfi_fillTendonFriction(cfRowPlan* plan, cfRowBlock* block) {
  cfi_claimTendon(plan->d, block->id, cfi_nextRow(plan, block));
  const cfDofRow row = cfi_tendonRow(plan->m, plan->d, block->id, plan->is_sparse);
  if (cfi_putRows(plan, block, row.J, row.dof)) {
    plan->d->efc_frictionloss[block->row] = plan->m->tendon_frictionloss[block->id];
  }
}
