// Jacobians and responses of blocks as bodies move, and which groups need new ones.
//
// A group whose bodies will turn and move by less than a hundred-thousandth of their size in a
// step keeps its Jacobians, and its gaps go on with J*dx: the directions of its forces are then
// off by that part, and its gaps by its square.  Things at rest cost no kinematics for that.
#include <math.h>
#include <string.h>

#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "contactsolver/xpbdlocal.h"
#include "flex/contactbodies.h"
#include "math/inline.h"
#include "model/indexset.h"

// angle, or part of the size of a body, by which the rows of a group at rest may be off
static const mjtNum rest_motion = 1e-5;

// ---------------------------------------- rows

// dofs of a chain within those of a block, both increasing
static const int* columnsOf(const cfRowPlan* plan, const cfContactBlock* block) {
  const cfPairChain* chain = &plan->chain;
  for (int i = 0, k = 0; k < chain->count; i++) {
    CF_ASSERT_INDEX(i, block->ndof);
    if (block->dof[i] == chain->dof[k]) {
      plan->dof[k++] = i;
    }
  }
  return plan->dof;
}


static void renewJacobian(xpbdWork* work, const cfContactBlock* block) {
  const cfContactProblem* p = work->p;
  int body[2];
  if (block->contact < 0 || !cfi_contactBodies(p->m, p->d->contact + block->contact, body)) {
    cfi_readBlock(p, block, work->scratch);
    return;
  }
  cfRowPlan* plan = &work->plan;
  const int* col = NULL;
  cfi_pairChain(p->m, body[0], body[1], &plan->chain);
  if (plan->chain.count < block->ndof) {
    memset(block->J, 0, sizeof(mjtNum) * (size_t)block->stride * (size_t)block->dim);
    col = columnsOf(plan, block);
  }
  cfi_fillContactAxes(plan, p->d->contact + block->contact, body, block->J, block->stride, col);
}


void cfi_xpbdRenewBlocks(xpbdWork* work, bool is_all) {
  const cfPartition* blocks = &work->parts.blocks;
  for (int group = 0; group < work->parts.count; group++) {
    for (int n = blocks->adr[group]; n < blocks->adr[group + 1]; n++) {
      const cfContactBlock* block = work->blocks.block + blocks->list[n];
      if (is_all || work->group[group].is_moving) {
        renewJacobian(work, block);
        cfi_fillResponse(work->p->m, block, work->LD, work->diaginv, work->scratch);
      }
    }
  }
}


void cfi_xpbdRenewResponses(xpbdWork* work) {
  for (int k = 0; k < work->blocks.count; k++) {
    cfi_fillResponse(work->p->m, work->blocks.block + k, work->LD, work->diaginv, work->scratch);
  }
}


// ---------------------------------------- what moves

// contacts of two bodies, limits and dry friction go on with J*dx where nothing turns
static bool canRest(const xpbdWork* work, const cfContactBlock* block) {
  return block->type != mjCNSTR_EQUALITY && block->type != mjCNSTR_LIMIT_TENDON &&
         block->type != mjCNSTR_FRICTION_TENDON &&
         (block->contact < 0 || work->witness[block->contact].body[0] >= 0);
}


void cfi_xpbdListGroups(xpbdWork* work) {
  const cfPartition* blocks = &work->parts.blocks;
  const mjModel* m = work->p->m;
  work->can_rest = !work->has_springs && !work->has_servos && !work->nmotor && !m->nflex &&
                   work->nsubstep > 1 && work->can_move;
  memset(work->is_moving, 0, (size_t)m->nv);
  memset(work->was_moved, 0, (size_t)m->nv);
  memset(work->is_steady, 0, (size_t)m->nv);
  for (int group = 0; group < work->parts.count; group++) {
    bool can_rest = work->can_rest;
    for (int n = blocks->adr[group]; n < blocks->adr[group + 1] && can_rest; n++) {
      can_rest = canRest(work, work->blocks.block + blocks->list[n]);
    }
    work->group[group] = (xpbdGroup){.can_rest = can_rest, .is_moving = true};
  }
}


// a dof is slow and has not gone far; what turns counts in radians, what slides in mean sizes
static bool isDofAtRest(const xpbdWork* work, int dof) {
  const mjModel* m = work->p->m;
  const int type = m->jnt_type[m->dof_jntid[dof]];
  const bool is_slide =
      type == mjJNT_SLIDE || (type == mjJNT_FREE && dof < m->jnt_dofadr[m->dof_jntid[dof]] + 3);
  const mjtNum most = rest_motion * (is_slide ? m->stat.meansize : 1);
  return fabs(work->v[dof]) * m->opt.timestep < most && fabs(work->pending[dof]) < most;
}


// gaps of a group that goes on with its rows
static void shiftGaps(xpbdWork* work, int group) {
  const cfPartition* blocks = &work->parts.blocks;
  for (int n = blocks->adr[group]; n < blocks->adr[group + 1]; n++) {
    const int k = blocks->list[n];
    const cfContactBlock* block = work->blocks.block + k;
    if (block->type >= mjCNSTR_LIMIT_JOINT) {
      work->law[k].axis->C += cfi_xpbdNormalDot(work, block, work->law + k, work->dx);
    }
  }
}


// list of the awake dofs that are marked; the others lose their marks
static void listMoving(xpbdWork* work) {
  const cfIndexSet awake = cfi_awakeDofs(work->p->m, work->p->d);
  work->nmoving = 0;
  for (int k = 0; k < awake.count; k++) {
    const int dof = cfi_at(awake, k);
    if (work->is_moving[dof]) {
      work->moving[work->nmoving++] = dof;
    }
  }
  memset(work->is_moving, 0, (size_t)work->p->m->nv);
  for (int k = 0; k < work->nmoving; k++) {
    work->is_moving[work->moving[k]] = 1;
  }
}


void cfi_xpbdFindMoving(xpbdWork* work) {
  const cfPartition* dofs = &work->parts.dofs;
  memset(work->is_moving, 1, (size_t)work->p->m->nv);
  for (int group = 0; group < work->parts.count; group++) {
    const int from = dofs->adr[group], end = dofs->adr[group + 1];
    const bool is_steady = work->group[group].is_steady;
    bool is_at_rest = work->group[group].can_rest;
    for (int n = from; n < end && is_at_rest && !is_steady; n++) {
      is_at_rest = isDofAtRest(work, dofs->list[n]);
    }
    work->group[group].is_moving = !is_at_rest;
    for (int n = from; n < end && is_at_rest; n++) {
      work->is_moving[dofs->list[n]] = 0;
    }
    if (is_at_rest && !work->group[group].is_steady) {
      shiftGaps(work, group);
    }
  }
  listMoving(work);
}


// A velocity is less than the tolerance of what gravity does in a substep, and has changed by less.
// Without the first bound small forces, which are no noise, would move bodies by one substep of
// each step.
static bool isDofSteady(const xpbdWork* work, int dof, mjtNum most) {
  const mjtNum length = work->p->m->dof_length[dof];
  return fabs(work->v[dof] - work->before[dof]) * length <= most &&
         fabs(work->v[dof]) * length <= most;
}


// what gaps and limits of a group change by in the rest of a step adds less force than that
static bool areForcesSteady(const xpbdWork* work, int group, mjtNum most) {
  const cfPartition* blocks = &work->parts.blocks;
  const mjtNum time = work->p->m->opt.timestep;
  bool is_steady = true;
  for (int n = blocks->adr[group]; n < blocks->adr[group + 1] && is_steady; n++) {
    const cfContactBlock* block = work->blocks.block + blocks->list[n];
    const xpbdLaw* law = work->law + blocks->list[n];
    if (block->type >= mjCNSTR_LIMIT_JOINT) {
      const mjtNum stiff = law->is_rigid ? 1 : law->axis->spring;
      const mjtNum part = law->A[0] * law->soft_inverse * stiff;
      const mjtNum change = time * cfi_xpbdNormalDot(work, block, law, work->v);
      is_steady = part * fabs(change) <= most * work->h;
    }
  }
  return is_steady;
}


void cfi_xpbdFindSteady(xpbdWork* work) {
  const cfContactProblem* p = work->p;
  const cfPartition* dofs = &work->parts.dofs;
  const mjtNum gravity = cfi_max(1, mju_norm3(p->m->opt.gravity));
  const mjtNum most = p->parameter[XPBD_TOLERANCE] * gravity * work->h;
  for (int k = 0; k < work->parts.count; k++) {
    xpbdGroup* group = work->group + k;
    bool is_steady = !group->is_moving && group->has_converged && !group->is_disturbed;
    for (int n = dofs->adr[k]; n < dofs->adr[k + 1] && is_steady; n++) {
      is_steady = isDofSteady(work, dofs->list[n], most);
    }
    is_steady = is_steady && areForcesSteady(work, k, most);
    group->is_steady = group->is_steady || is_steady;
    for (int n = dofs->adr[k]; n < dofs->adr[k + 1] && is_steady; n++) {
      work->is_steady[dofs->list[n]] = 1;
    }
  }
}
