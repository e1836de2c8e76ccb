// Rows of equality constraints: connect, weld, joint and tendon couplings, flex edges and vertices.
#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "constraint/rows.h"
#include "law/number_one.h"
#include "model/jointkind.h"

#include "law/joints.h"
#include "math/inline.h"
#include "model/awake.h"
#include "model/flags.h"

// the two bodies of a connect or weld
static void anchoredBodies(const mjModel* m, int eq, int body[2]) {
  CF_ASSERT_INDEX(eq, m->neq);
  body[0] = m->eq_obj1id[eq];
  body[1] = m->eq_obj2id[eq];
  if (m->eq_objtype[eq] == mjOBJ_SITE) {
    body[0] = m->site_bodyid[body[0]];
    body[1] = m->site_bodyid[body[1]];
  }
}


// union of two increasing index lists
static int mergeLists(int* res, const int* a, int na, const int* b, int nb) {
  CF_ASSERT(na >= 0 && nb >= 0);
  int count = 0;
  for (int i = 0, j = 0; i < na || j < nb;) {
    const int next = j >= nb || (i < na && a[i] <= b[j]) ? a[i] : b[j];
    i += i < na && a[i] == next;
    j += j < nb && b[j] == next;
    res[count++] = next;
  }
  return count;
}


// dofs of the one or two objects of a coupling; joints have one each
static cfDofRow coupledRow(const cfRowPlan* plan, int eq, int object) {
  CF_ASSERT_INDEX(eq, plan->m->neq);
  static const mjtNum one = 1;
  if (plan->m->eq_type[eq] == mjEQ_JOINT) {
    return (cfDofRow){&one, plan->m->jnt_dofadr + object, 1};
  }
  return cfi_tendonRow(plan->m, plan->d, object, plan->is_sparse);
}


// sparse: dofs of a coupling
static int couplingNnz(const cfRowPlan* plan, int eq) {
  const int first = plan->m->eq_obj1id[eq], second = plan->m->eq_obj2id[eq];
  if (!plan->is_sparse) {
    return plan->m->nv;
  }
  const cfDofRow a = coupledRow(plan, eq, first);
  if (second < 0) {
    return a.nnz;
  }
  const cfDofRow b = coupledRow(plan, eq, second);
  return mergeLists(plan->dof, a.dof, a.nnz, b.dof, b.nnz);
}


// row of a flex edge or vertex as the flex stores it
static cfDofRow storedFlexRow(const cfRowPlan* plan, int eq, int item) {
  const mjModel* m = plan->m;
  if (m->eq_type[eq] == mjEQ_FLEX) {
    const int adr = m->flexedge_J_rowadr[item];
    return (cfDofRow){plan->d->flexedge_J + adr, m->flexedge_J_colind + adr,
                      m->flexedge_J_rownnz[item]};
  }
  const int adr = m->flexvert_J_rowadr[item];
  return (cfDofRow){plan->d->flexvert_J + adr, m->flexvert_J_colind + adr,
                    m->flexvert_J_rownnz[item]};
}


// the same with increasing dofs.  A compiled model may let rows of two flexes overlap (a rigid flex
// between two soft ones): of a dof that is listed twice the last entry counts
static cfDofRow flexRow(const cfRowPlan* plan, int eq, int item) {
  const cfDofRow row = storedFlexRow(plan, eq, item);
  bool is_increasing = true;
  for (int j = 1; j < row.nnz; j++) {
    is_increasing &= row.dof[j - 1] < row.dof[j];
  }
  if (is_increasing) {
    return row;
  }
  int count = 0;
  for (int dof = 0; dof < plan->m->nv; dof++) {
    for (int j = row.nnz - 1; j >= 0; j--) {
      if (row.dof[j] == dof) {
        plan->jac[count] = row.J[j];
        plan->dof[count++] = dof;
        break;
      }
    }
  }
  return (cfDofRow){plan->jac, plan->dof, count};
}


// one block per soft edge, or two per vertex
static void planFlex(cfRowPlan* plan, int eq) {
  CF_ASSERT_INDEX(eq, plan->m->neq);
  const mjModel* m = plan->m;
  const int flex = m->eq_obj1id[eq];
  const bool edges = m->eq_type[eq] == mjEQ_FLEX;
  const int start = edges ? m->flex_edgeadr[flex] : 2 * m->flex_vertadr[flex];
  const int count = edges ? m->flex_edgenum[flex] : 2 * m->flex_vertnum[flex];
  for (int item = start; item < start + count; item++) {
    if (edges && m->flexedge_rigid[item]) {
      continue;
    }
    cfRowBlock* block = cfi_planRows(plan, mjCNSTR_EQUALITY, eq, 1, flexRow(plan, eq, item).nnz);
    if (block) {
      block->item = item;
    }
  }
}


void cfi_planEquality(cfRowPlan* plan) {
  const mjModel* m = plan->m;
  mjData* d = plan->d;
  if (cfi_disabled(m, mjDSBL_EQUALITY) || m->nemax == 0) {
    return;
  }

  for (int eq = 0; eq < m->neq; eq++) {
    if (!d->eq_active[eq] ||
        (plan->skip_asleep && cfi_sleepState(m, d, mjOBJ_EQUALITY, eq) == mjS_ASLEEP)) {
      continue;
    }

    int body[2];
    switch (m->eq_type[eq]) {
      case mjEQ_CONNECT:
      case mjEQ_WELD:
        anchoredBodies(m, eq, body);
        cfi_planRows(plan, mjCNSTR_EQUALITY, eq, m->eq_type[eq] == mjEQ_WELD ? 6 : 3,
                     cfi_pairChainCount(m, body[1], body[0]));
        break;
      case mjEQ_JOINT:
      case mjEQ_TENDON:
        cfi_planRows(plan, mjCNSTR_EQUALITY, eq, 1, couplingNnz(plan, eq));
        break;
      case mjEQ_FLEX:
      case mjEQ_FLEXVERT:
        planFlex(plan, eq);
        break;
      default:
        mju_error("equality %d has unknown type %d", eq, m->eq_type[eq]);
    }
  }
}


// two anchors in the world; a weld stores the anchor of body 1 second
static void anchorPoints(const cfRowPlan* plan, int eq, const int body[2], mjtNum point[2][3]) {
  CF_ASSERT_INDEX(eq, plan->m->neq);
  const mjModel* m = plan->m;
  const mjData* d = plan->d;
  const mjtNum* data = m->eq_data + mjNEQDATA * eq;
  const bool swapped = m->eq_type[eq] == mjEQ_WELD;
  for (int k = 0; k < 2; k++) {
    if (m->eq_objtype[eq] == mjOBJ_BODY) {
      cfi_mulMatVec3(point[k], d->xmat + 9 * body[k], data + 3 * (swapped ? 1 - k : k));
      cfi_addTo3(point[k], d->xpos + 3 * body[k]);
    } else {
      cfi_copy3(point[k], d->site_xpos + 3 * (k ? m->eq_obj2id[eq] : m->eq_obj1id[eq]));
    }
  }
}


// orientations whose difference a weld removes: q0 (relative pose included) and inverse of q1
static void weldFrames(const cfRowPlan* plan, int eq, const int body[2], mjtNum q0[4],
                       mjtNum q1_inverse[4]) {
  const mjModel* m = plan->m;
  const mjData* d = plan->d;
  if (m->eq_objtype[eq] == mjOBJ_BODY) {
    cfi_mulQuat(q0, d->xquat + 4 * body[0], m->eq_data + mjNEQDATA * eq + 6);
    cfi_negQuat(q1_inverse, d->xquat + 4 * body[1]);
  } else {
    mjtNum q1[4];
    cfi_mulQuat(q0, d->xquat + 4 * body[0], m->site_quat + 4 * m->eq_obj1id[eq]);
    cfi_mulQuat(q1, d->xquat + 4 * body[1], m->site_quat + 4 * m->eq_obj2id[eq]);
    cfi_negQuat(q1_inverse, q1);
  }
}


// orientation error, the vector part of q1^-1 q0, and its Jacobian: each rotation column w becomes
// half the vector part of q1^-1 w q0
static void weldRotation(const cfRowPlan* plan, int eq, const int body[2], mjtNum error[3],
                         mjtNum* jacr) {
  CF_ASSERT(plan->m->eq_type[eq] == mjEQ_WELD);
  mjtNum q0[4], q1_inverse[4], quat[4], turned[4];
  weldFrames(plan, eq, body, q0, q1_inverse);
  const mjtNum scale = plan->m->eq_data[mjNEQDATA * eq + 10];
  cfi_mulQuat(quat, q1_inverse, q0);
  cfi_scl3(error, quat + 1, scale);

  const int n = plan->chain.count;
  for (int j = 0; j < n; j++) {
    const mjtNum axis[3] = {jacr[j], jacr[n + j], jacr[2 * n + j]};
    cfi_mulQuatAxis(turned, q1_inverse, axis);
    cfi_mulQuat(quat, turned, q0);
    for (int k = 0; k < 3; k++) {
      jacr[k * n + j] = 0.5 * quat[k + 1] * scale;
    }
  }
}


// connect and weld: anchor of body 0 minus anchor of body 1
static void fillAnchored(cfRowPlan* plan, cfRowBlock* block) {
  const mjModel* m = plan->m;
  mjData* d = plan->d;
  int eq = block->id, body[2];
  mjtNum point[2][3], error[6];
  anchoredBodies(m, eq, body);
  anchorPoints(plan, eq, body, point);
  cfi_sub3(error, point[0], point[1]);

  const bool is_weld = m->eq_type[eq] == mjEQ_WELD;
  cfi_pairChain(m, body[1], body[0], &plan->chain);
  mjtNum* jacr = is_weld ? plan->jac + 3 * plan->chain.count : NULL;
  cfi_pairJacobian(m, d, &plan->chain, point[1], point[0], plan->jac, jacr);
  if (is_weld) {
    weldRotation(plan, eq, body, error + 3, jacr);
  }
  if (cfi_putRows(plan, block, plan->jac, plan->chain.dof)) {
    mju_copy(d->efc_pos + block->row, error, block->nrow);
  }
}


// value of a coupled joint or tendon relative to its reference
static mjtNum coupledValue(const cfRowPlan* plan, int eq, int object) {
  const mjModel* m = plan->m;
  if (m->eq_type[eq] == mjEQ_JOINT) {
    const int adr = m->jnt_qposadr[object];
    return plan->d->qpos[adr] - m->qpos0[adr];
  }
  return plan->d->ten_length[object] - m->tendon_length0[object];
}


// add scale * row to a row over the dofs in list (NULL: dense)
static void addRow(mjtNum* res, const int* list, cfDofRow row, mjtNum scale) {
  for (int k = 0, at = 0; k < row.nnz; k++) {
    if (!list) {
      res[row.dof ? row.dof[k] : k] += scale * row.J[k];
      continue;
    }
    while (list[at] != row.dof[k]) {
      at++;
    }
    res[at] += scale * row.J[k];
  }
}


// joint and tendon couplings: y = y0 + polynomial(x), one row
static void fillCoupling(cfRowPlan* plan, cfRowBlock* block) {
  const mjModel* m = plan->m;
  mjData* d = plan->d;
  const int eq = block->id, first = m->eq_obj1id[eq], second = m->eq_obj2id[eq];
  const mjtNum* a = m->eq_data + mjNEQDATA * eq;
  mjtNum error = coupledValue(plan, eq, first) - a[0], slope = 0;
  if (second >= 0) {
    const mjtNum x = coupledValue(plan, eq, second);
    error -= lawCoupling(a, x, &slope);
  }
  if (m->eq_type[eq] == mjEQ_TENDON) {
    cfi_claimTendon(d, first, eq);
    if (second >= 0) {
      cfi_claimTendon(d, second, eq);
    }
  }

  // sum of the two rows over the union of their dofs
  const int nnz = couplingNnz(plan, eq);
  const int* list = plan->is_sparse ? plan->dof : NULL;
  const cfDofRow row = coupledRow(plan, eq, first);
  if (list && second < 0) {
    list = row.dof;
  }
  mju_zero(plan->jac, nnz);
  addRow(plan->jac, list, row, 1);
  if (second >= 0) {
    addRow(plan->jac, list, coupledRow(plan, eq, second), -slope);
  }
  if (cfi_putRows(plan, block, plan->jac, list)) {
    d->efc_pos[block->row] = error;
  }
}


// flex edge length or vertex strain: the row is stored with the flex
static void fillFlex(cfRowPlan* plan, cfRowBlock* block) {
  const mjModel* m = plan->m;
  mjData* d = plan->d;
  const int item = block->item;
  const cfDofRow row = flexRow(plan, block->id, item);
  bool written;
  if (plan->is_sparse) {
    written = cfi_putRows(plan, block, row.J, row.dof);
  } else {
    mjtNum* dense = plan->jac + m->nv;
    mju_zero(dense, m->nv);
    addRow(dense, NULL, row, 1);
    written = cfi_putRows(plan, block, dense, NULL);
  }
  if (written) {
    d->efc_pos[block->row] = m->eq_type[block->id] == mjEQ_FLEX
                                 ? d->flexedge_length[item] - m->flexedge_length0[item]
                                 : d->flexvert_length[item];
  }
}


void cfi_fillEquality(cfRowPlan* plan, cfRowBlock* block) {
  const int type = plan->m->eq_type[block->id];
  CF_ASSERT(type <= mjEQ_FLEXVERT);
  if (type == mjEQ_CONNECT || type == mjEQ_WELD) {
    fillAnchored(plan, block);
  } else if (type == mjEQ_JOINT || type == mjEQ_TENDON) {
    fillCoupling(plan, block);
  } else {
    fillFlex(plan, block);
  }
}
