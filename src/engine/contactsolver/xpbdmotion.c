// Motion within a step of position-based dynamics.
//
// Between substeps mjData itself is moved: positions, kinematics, inertia, rows.  At the end
// everything is put back, the step ends where `drift` and `gain` say.  Forces that passive
// elements, actuators and users exert stay what they are at the start of the step, but for their
// slopes, which are those of the integrator (xpbdslope.c); gravity, gyroscopic and Coriolis forces
// are those of each substep.
#include <math.h>
#include <stddef.h>
#include <string.h>

#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "base/sanitize.h"
#include "contactsolver/xpbd.h"
#include "dynamics/factor.h"
#include "dynamics/inertia.h"
#include "kinematics/configuration.h"
#include "math/inline.h"
#include "model/indexset.h"

// ---------------------------------------- inertia

// factor of M + h*damping + h^2*spring for some dofs; reads: M
static void factorInertia(xpbdWork* work, cfIndexSet dofs) {
  const mjModel* m = work->p->m;
  const mjData* d = work->p->d;
  for (int k = 0; k < dofs.count; k++) {
    const int i = cfi_at(dofs, k), adr = m->M_rowadr[i], last = adr + m->M_rownnz[i] - 1;
    for (int n = adr; n <= last; n++) {
      work->LD[n] = d->M[n] + (work->has_damping ? work->h * work->damping[n] : 0);
    }
    work->LD[last] += work->stiff[i] + work->h * work->h * work->spring[i];
  }
  cfi_factorLD(work->LD, work->diaginv, (int)m->nv, m->M_rownnz, m->M_rowadr, m->M_colind, dofs);
}


// does a dof turn something
static bool isRotation(const mjModel* m, int dof) {
  const int joint = m->dof_jntid[dof], type = m->jnt_type[joint];
  return type == mjJNT_HINGE || type == mjJNT_BALL ||
         (type == mjJNT_FREE && dof >= m->jnt_dofadr[joint] + 3);
}


// stiffness in the rotations of a joint's bodies: force times arm, the arms being in J
static void addTurning(const xpbdWork* work, const cfContactBlock* block, const xpbdAxis* axis,
                       mjtNum* stiffness) {
  const mjtNum force = sqrt(axis[0].lambda * axis[0].lambda + axis[1].lambda * axis[1].lambda +
                            axis[2].lambda * axis[2].lambda);
  CF_ASSERT(block->dim >= 3);
  for (int i = 0; i < block->ndof; i++) {
    mjtNum square = 0;
    for (int k = 0; k < 3; k++) {
      const mjtNum entry = block->J[k * block->stride + i];
      square += entry * entry;
    }
    if (square > 0 && isRotation(work->p->m, block->dof[i])) {
      stiffness[block->dof[i]] += force * sqrt(square);
    }
  }
}


bool cfi_xpbdStiffen(xpbdWork* work) {
  static const mjtNum harmless = 0.25;  // of (frequency times substep)^2
  const mjModel* m = work->p->m;
  mjtNum* stiffness = work->scratch;
  bool any = false;
  mju_zero(stiffness, (int)m->nv);
  for (int k = 0; k < work->blocks.count; k++) {
    const cfContactBlock* block = work->blocks.block + k;
    if (block->type == mjCNSTR_EQUALITY && block->dim >= 3) {
      addTurning(work, block, work->law[k].axis, stiffness);
      any = true;
    }
  }
  bool is_more = false;
  for (int i = 0; any && i < m->nv; i++) {
    const mjtNum mass = work->p->d->M[m->M_rowadr[i] + m->M_rownnz[i] - 1];
    const mjtNum more = stiffness[i] - harmless * mass;
    if (more > work->stiff[i]) {
      work->stiff[i] = more;
      is_more = true;
    }
  }
  work->is_stiff = work->is_stiff || is_more;
  return is_more;
}


void cfi_xpbdRepeat(xpbdWork* work) {
  mju_copy(work->v, work->before, (int)work->p->m->nv);
  factorInertia(work, cfi_awakeDofs(work->p->m, work->p->d));
  cfi_xpbdRenewResponses(work);
  cfi_xpbdMatrices(work, /*is_all=*/true);
  cfi_xpbdPredict(work);
}


// gravity, gyroscopic and Coriolis forces at the present configuration and a velocity
static void biasForce(xpbdWork* work, mjtNum* bias) {
  const mjModel* m = work->p->m;
  mjData* d = work->p->d;
  mj_comVel(m, d);
  mj_rne(m, d, 0, bias);
  if (m->ntendon) {
    cfi_tendonBias(m, d, bias);
  }
}


// dofs that the last substep has moved in d
static cfIndexSet movingDofs(const xpbdWork* work) {
  return (cfIndexSet){work->moving, work->nmoving, 0};
}


static void solveInertia(const xpbdWork* work, mjtNum* vec, cfIndexSet dofs) {
  const mjModel* m = work->p->m;
  cfi_solveLD(vec, work->LD, work->diaginv, (int)m->nv, 1, m->M_rownnz, m->M_rowadr, m->M_colind,
              dofs);
}


// bias of what has moved; the rest keeps that of the start of the step
static void renewBias(xpbdWork* work) {
  mjData* d = work->p->d;
  const cfIndexSet moving = movingDofs(work);
  mju_copy(d->qvel, work->v, (int)work->p->m->nv);
  biasForce(work, work->scratch);
  for (int k = 0; k < moving.count; k++) {
    const int i = cfi_at(moving, k);
    d->qfrc_bias[i] = work->scratch[i];
  }
}


// acc: accelerations by smooth forces; those of dofs at rest stay where no slope changes them
static void renewAcceleration(xpbdWork* work) {
  const mjModel* m = work->p->m;
  const mjData* d = work->p->d;
  const int nv = (int)m->nv;
  const bool are_all = work->has_damping || work->is_stiff;
  const cfIndexSet dofs = are_all ? cfi_awakeDofs(m, d) : movingDofs(work);
  mjtNum* force = work->scratch;
  mju_sub(force, work->held, d->qfrc_bias, nv);
  if (work->is_moved) {
    cfi_xpbdAddMoved(work, force);
  }
  if (work->has_damping) {
    mju_sub(work->dx, work->v, work->start, nv);
    cfi_xpbdSubtractSlopes(work, force, work->dx);
  }
  solveInertia(work, force, dofs);
  for (int k = 0; k < dofs.count; k++) {
    const int i = cfi_at(dofs, k);
    work->acc[i] = force[i];
  }
}


void cfi_xpbdPredict(xpbdWork* work) {
  const mjModel* m = work->p->m;
  const mjData* d = work->p->d;
  const cfIndexSet dofs = cfi_awakeDofs(m, d);
  if (work->is_moved && work->nmoving > 0) {
    renewBias(work);
  }
  if (work->nmoving > 0 || work->has_damping || work->is_stiff) {
    renewAcceleration(work);
  }
  mju_zero(work->dx, (int)m->nv);
  for (int k = 0; k < dofs.count; k++) {
    const int i = cfi_at(dofs, k);
    work->dx[i] = work->h * (work->v[i] + (work->is_steady[i] ? 0 : work->h * work->acc[i]));
  }
}


// c(q, v) that the prediction took at the velocity before the substep belongs to the mean of that
// and the one after it: without this whips and tumbling things would gain energy, h in a step
static void biasOfMean(xpbdWork* work) {
  const mjModel* m = work->p->m;
  mjData* d = work->p->d;
  const int nv = (int)m->nv;
  const cfIndexSet moving = movingDofs(work);
  mjtNum* bias = work->scratch;
  for (int i = 0; i < nv; i++) {
    d->qvel[i] = 0.5 * (work->before[i] + work->v[i]);
  }
  biasForce(work, bias);
  mju_sub(bias, d->qfrc_bias, bias, nv);
  solveInertia(work, bias, moving);
  for (int k = 0; k < moving.count; k++) {
    const int i = cfi_at(moving, k);
    work->v[i] += work->h * bias[i];
    work->free_v[i] += work->h * bias[i];
  }
}


// ---------------------------------------- contacts

// contacts with flexes keep their rows: distance by the displacement along the normal
static void moveBlock(xpbdWork* work, const cfContactBlock* block) {
  mjData* d = work->p->d;
  xpbdWitness* witness = work->witness + block->contact;
  if (witness->body[0] < 0) {
    witness->dist += cfi_blockDot(block, 0, work->dx);
  } else {
    cfi_xpbdMoveContact(d, d->contact + block->contact, witness);
  }
}


static void moveContacts(xpbdWork* work) {
  const cfPartition* blocks = &work->parts.blocks;
  for (int group = 0; group < work->parts.count; group++) {
    for (int n = blocks->adr[group]; n < blocks->adr[group + 1]; n++) {
      const cfContactBlock* block = work->blocks.block + blocks->list[n];
      if (block->contact >= 0 && work->group[group].is_moving) {
        moveBlock(work, block);
      }
    }
  }
}


// joints whose dofs a list names go on by what is pending
static void movePositions(xpbdWork* work, const mjtByte* is_named) {
  const mjModel* m = work->p->m;
  for (int j = 0; j < m->njnt; j++) {
    if (is_named[m->jnt_dofadr[j]]) {
      cfi_integrateRun(m, work->p->d->qpos, work->pending, 1, (cfIndexSet){NULL, 1, j});
    }
  }
}


static void moveAll(xpbdWork* work) {
  movePositions(work, work->is_moving);
  for (int k = 0; k < work->nmoving; k++) {
    const int i = work->moving[k];
    work->pending[i] = 0;
    work->was_moved[i] = 1;
  }
}


// ---------------------------------------- state of the step

static size_t jacobianNumbers(const cfContactProblem* p) {
  return mj_isSparse(p->m) ? (size_t)p->d->nJ : (size_t)p->d->nefc * (size_t)p->m->nv;
}


size_t cfi_xpbdSavedBytes(const cfContactProblem* p) {
  const mjData* d = p->d;
  return (size_t)d->nbuffer +
         sizeof(mjtNum) * (jacobianNumbers(p) + (size_t)d->nefc + 3 * (size_t)d->ncon);
}


size_t cfi_xpbdMotionBytes(const cfContactProblem* p) {
  // what follows in the same memory starts with pointers
  const size_t unit = _Alignof(max_align_t);
  return (cfi_planBytes(p->m, p->d) + unit - 1) / unit * unit;
}


// d to memory, or back again
static void saveStep(const xpbdWork* work, bool is_back) {
  mjData* d = work->p->d;
  struct {
    void* at;
    size_t bytes;
  } const part[3] = {{d->efc_J, sizeof(mjtNum) * jacobianNumbers(work->p)},
                     {d->efc_pos, sizeof(mjtNum) * (size_t)d->nefc},
                     {d->buffer, (size_t)d->nbuffer}};
  CF_UNPOISON(d->buffer, (size_t)d->nbuffer);  // the gaps between arrays are copied, too
  mjtNum* number = (mjtNum*)work->saved;
  char* saved = work->saved + 3 * sizeof(mjtNum) * (size_t)d->ncon;
  for (int k = 0; k < 3; k++) {
    cfi_copyWithZones(is_back ? part[k].at : saved, is_back ? saved : part[k].at, part[k].bytes);
    saved += part[k].bytes;
  }
  for (int i = 0; i < d->ncon; i++, number += 3) {
    mjtNum* pos = d->contact[i].pos;
    cfi_copy3(is_back ? pos : number, is_back ? number : pos);
  }
}


void cfi_xpbdBeginMotion(xpbdWork* work, void* scratch) {
  const mjModel* m = work->p->m;
  mjData* d = work->p->d;
  mju_copy(work->v, d->qvel, (int)m->nv);
  mju_copy(work->start, d->qvel, (int)m->nv);
  mju_add(work->held, d->qfrc_smooth, d->qfrc_bias, (int)m->nv);
  work->can_move = cfi_listRows(&work->plan, m, d, scratch);
  if (!work->can_move) {
    work->nsubstep = 1;
    work->h = m->opt.timestep;
  }
  mju_zero(work->stiff, (int)m->nv);
  mju_zero(work->pending, (int)m->nv);
  mju_copy(work->acc, d->qacc_smooth, (int)m->nv);
  cfi_xpbdFindSlopes(work);
  factorInertia(work, cfi_awakeDofs(m, d));
  for (int i = 0; i < d->ncon; i++) {
    cfi_xpbdWitness(work->p, d->contact + i, work->witness + i);
  }
}


// everything that follows from positions, for what moves
static void renewRows(xpbdWork* work) {
  const mjModel* m = work->p->m;
  mjData* d = work->p->d;
  mj_kinematics(m, d);
  mj_comPos(m, d);
  if (m->nflex) {
    mj_flex(m, d);
  }
  if (m->ntendon) {
    mj_tendon(m, d);
  }
  mj_makeM(m, d);
  cfi_xpbdFreeMotors(work);
  factorInertia(work, movingDofs(work));
  moveContacts(work);
  cfi_renewRows(&work->plan);
  cfi_xpbdRenewBlocks(work, /*is_all=*/false);
  cfi_xpbdMatrices(work, /*is_all=*/false);
}


void cfi_xpbdMove(xpbdWork* work, bool with_rows) {
  const mjModel* m = work->p->m;
  mju_addTo(work->moved, work->dx, (int)m->nv);
  mju_addTo(work->pending, work->dx, (int)m->nv);
  if (!work->can_move || (!with_rows && work->nsubstep == 1)) {
    return;
  }
  cfi_xpbdFindMoving(work);
  if (work->nmoving == 0) {
    return;
  }
  if (!work->is_moved) {
    saveStep(work, /*is_back=*/false);
    work->is_moved = true;
  }
  biasOfMean(work);
  moveAll(work);
  if (with_rows) {
    renewRows(work);
  }
}


// where the step ends: by positions for what has moved in d, else by the displacement
static void findDrift(const xpbdWork* work, mjtNum* drift) {
  const mjModel* m = work->p->m;
  mjData* d = work->p->d;
  const mjtNum H = m->opt.timestep;
  if (work->is_moved) {
    const size_t before = cfi_xpbdSavedBytes(work->p) - (size_t)d->nbuffer;
    const size_t at = (size_t)((char*)d->qpos - (char*)d->buffer);
    mj_differentiatePos(m, drift, H, (mjtNum*)(work->saved + before + at), d->qpos);
  }
  for (int i = 0; i < m->nv; i++) {
    drift[i] = (work->was_moved[i] ? drift[i] : work->moved[i] / H) - work->v[i];
  }
}


void cfi_xpbdEndMotion(xpbdWork* work, mjtNum* drift) {
  CF_ASSERT(!work->is_moved || work->can_move);
  if (work->is_moved) {
    movePositions(work, work->was_moved);
  }
  findDrift(work, drift);
  if (work->is_moved) {
    saveStep(work, /*is_back=*/true);
  }
}
