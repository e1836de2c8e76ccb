// Rows of joint and tendon limits.
//
// Scalar limits are two-sided: distance to the lower bound is q - low with Jacobian +1, to the
// upper bound high - q with Jacobian -1.  A ball joint is limited in its rotation angle, a cone
// around the rest pose: distance max(range) - angle, Jacobian minus the rotation axis.
#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "constraint/rows.h"
#include "math/inline.h"
#include "model/awake.h"
#include "model/flags.h"

// rotation axis and angle of a ball joint
static mjtNum ballAngle(const mjModel* m, const mjData* d, int jnt, mjtNum axis[3]) {
  CF_ASSERT(m->jnt_type[jnt] == mjJNT_BALL);
  mjtNum quat[4];
  cfi_copy4(quat, d->qpos + m->jnt_qposadr[jnt]);
  cfi_normalize4(quat);
  cfi_quat2Vel(axis, quat, 1);
  return cfi_normalize3(axis);
}


// list the violated sides of a scalar limit
static void planSides(cfRowPlan* plan, int type, int id, int nnz, const mjtNum range[2],
                      mjtNum value, mjtNum margin) {
  CF_ASSERT(nnz >= 0);
  for (int side = -1; side <= 1; side += 2) {
    const mjtNum distance = side * (range[side > 0] - value);
    cfRowBlock* block = distance < margin ? cfi_planRows(plan, type, id, 1, nnz) : NULL;
    if (block) {
      block->item = side;
      block->pos = distance;
    }
  }
}


static void planBall(cfRowPlan* plan, int jnt) {
  CF_ASSERT(plan->m->jnt_type[jnt] == mjJNT_BALL);
  const mjModel* m = plan->m;
  const mjtNum* range = m->jnt_range + 2 * jnt;
  mjtNum axis[3], distance = cfi_max(range[0], range[1]) - ballAngle(m, plan->d, jnt, axis);
  if (distance < m->jnt_margin[jnt]) {
    cfRowBlock* block = cfi_planRows(plan, mjCNSTR_LIMIT_JOINT, jnt, 1, 3);
    block->pos = distance;
  }
}


void cfi_planLimits(cfRowPlan* plan) {
  const mjModel* m = plan->m;
  const mjData* d = plan->d;
  if (cfi_disabled(m, mjDSBL_LIMIT)) {
    return;
  }

  for (int jnt = 0; jnt < m->njnt; jnt++) {
    if (!m->jnt_limited[jnt] ||
        (plan->skip_asleep && !d->tree_awake[m->dof_treeid[m->jnt_dofadr[jnt]]])) {
      continue;
    }
    if (m->jnt_type[jnt] == mjJNT_BALL) {
      planBall(plan, jnt);
    } else if (m->jnt_type[jnt] != mjJNT_FREE) {
      planSides(plan, mjCNSTR_LIMIT_JOINT, jnt, 1, m->jnt_range + 2 * jnt,
                d->qpos[m->jnt_qposadr[jnt]], m->jnt_margin[jnt]);
    }
  }

  for (int i = 0; i < m->ntendon; i++) {
    if (m->tendon_limited[i]) {
      planSides(plan, mjCNSTR_LIMIT_TENDON, i,
                cfi_tendonRow(plan->m, plan->d, i, plan->is_sparse).nnz, m->tendon_range + 2 * i,
                d->ten_length[i], m->tendon_margin[i]);
    }
  }
}


mjtNum cfi_limitDistance(const cfRowPlan* plan, const cfRowBlock* block) {
  const mjModel* m = plan->m;
  const mjData* d = plan->d;
  const int id = block->id, upper = block->item > 0;
  CF_ASSERT(block->type == mjCNSTR_LIMIT_JOINT || block->type == mjCNSTR_LIMIT_TENDON);
  if (block->type == mjCNSTR_LIMIT_TENDON) {
    return block->item * (m->tendon_range[2 * id + upper] - d->ten_length[id]);
  }
  const mjtNum* range = m->jnt_range + 2 * id;
  if (m->jnt_type[id] == mjJNT_BALL) {
    mjtNum axis[3];
    return cfi_max(range[0], range[1]) - ballAngle(m, d, id, axis);
  }
  return block->item * (range[upper] - d->qpos[m->jnt_qposadr[id]]);
}


void cfi_fillJointLimit(cfRowPlan* plan, cfRowBlock* block) {
  const mjModel* m = plan->m;
  mjData* d = plan->d;
  const int jnt = block->id, first = m->jnt_dofadr[jnt];
  CF_ASSERT(m->jnt_limited[jnt] && m->jnt_type[jnt] != mjJNT_FREE);
  const int dof[3] = {first, first + 1, first + 2};
  const cfRowSlots slots = cfi_openRows(plan, block, dof);
  mjtNum* J = slots.J + (slots.col ? first : 0);
  if (m->jnt_type[jnt] == mjJNT_BALL) {
    mjtNum axis[3];
    ballAngle(m, d, jnt, axis);
    cfi_scl3(J, axis, -1);
  } else {
    J[0] = -block->item;
  }
  d->efc_pos[block->row] = block->pos;
  d->efc_margin[block->row] = m->jnt_margin[jnt];
}


void cfi_fillTendonLimit(cfRowPlan* plan, cfRowBlock* block) {
  mjData* d = plan->d;
  CF_ASSERT(block->item == -1 || block->item == 1);
  cfi_claimTendon(d, block->id, cfi_nextRow(plan, block));
  const cfDofRow row = cfi_tendonRow(plan->m, plan->d, block->id, plan->is_sparse);
  mju_scl(plan->jac, row.J, -block->item, row.nnz);
  if (cfi_putRows(plan, block, plan->jac, row.dof)) {
    d->efc_pos[block->row] = block->pos;
    d->efc_margin[block->row] = plan->m->tendon_margin[block->id];
  }
}
