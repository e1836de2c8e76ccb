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

// factor of M + h*damping + h^2*spring; reads: M
static void factorInertia(xpbdWork* work) {
  const mjModel* m = work->p->m;
  const mjData* d = work->p->d;
  const cfIndexSet dofs = cfi_awakeDofs(m, d);
  for (int k = 0; k < m->nC; k++) {
    work->LD[k] = d->M[k] + (work->has_damping ? work->h * work->damping[k] : 0);
  }
  for (int i = 0; i < m->nv; i++) {
    work->LD[m->M_rowadr[i] + m->M_rownnz[i] - 1] +=
        work->stiff[i] + work->h * work->h * work->spring[i];
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
      const mjtNum entry = block->J[k * block->ndof + i];
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
  factorInertia(work);
  cfi_renewBlocks(work->p, &work->blocks, work->LD, work->diaginv, work->scratch);
  cfi_xpbdMatrices(work);
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


static void solveInertia(const xpbdWork* work, mjtNum* vec) {
  const mjModel* m = work->p->m;
  cfi_solveLD(vec, work->LD, work->diaginv, (int)m->nv, 1, m->M_rownnz, m->M_rowadr, m->M_colind,
              cfi_awakeDofs(m, work->p->d));
}


void cfi_xpbdPredict(xpbdWork* work) {
  const mjModel* m = work->p->m;
  mjData* d = work->p->d;
  const int nv = (int)m->nv;
  const cfIndexSet dofs = cfi_awakeDofs(m, d);
  mjtNum* force = work->scratch;
  if (work->is_moved) {
    mju_copy(d->qvel, work->v, nv);
    biasForce(work, d->qfrc_bias);
  }
  if (!work->is_moved && !work->has_damping && !work->is_stiff) {
    mju_copy(force, d->qacc_smooth, nv);
  } else {
    mju_sub(force, work->held, d->qfrc_bias, nv);
    if (work->is_moved) {
      cfi_xpbdAddMoved(work, force);
    }
    if (work->has_damping) {
      mju_sub(work->dx, work->v, work->start, nv);
      cfi_xpbdSubtractSlopes(work, force, work->dx);
    }
    solveInertia(work, force);
  }
  mju_zero(work->dx, nv);
  for (int k = 0; k < dofs.count; k++) {
    const int i = cfi_at(dofs, k);
    work->dx[i] = work->h * (work->v[i] + work->h * force[i]);
  }
}


// c(q, v) that the prediction took at the velocity before the substep belongs to the mean of that
// and the one after it: without this whips and tumbling things would gain energy, h in a step
static void biasOfMean(xpbdWork* work) {
  const mjModel* m = work->p->m;
  mjData* d = work->p->d;
  const int nv = (int)m->nv;
  mjtNum* bias = work->scratch;
  for (int i = 0; i < nv; i++) {
    d->qvel[i] = 0.5 * (work->before[i] + work->v[i]);
  }
  biasForce(work, bias);
  mju_sub(bias, d->qfrc_bias, bias, nv);
  solveInertia(work, bias);
  mju_addToScl(work->v, bias, work->h, nv);
}


// ---------------------------------------- contacts

// contacts with flexes keep their rows: distance by the displacement along the normal
static void moveContacts(xpbdWork* work) {
  mjData* d = work->p->d;
  for (int k = 0; k < work->blocks.count; k++) {
    const cfContactBlock* block = work->blocks.block + k;
    if (block->contact < 0) {
      continue;
    }
    xpbdWitness* witness = work->witness + block->contact;
    if (witness->body[0] < 0) {
      witness->dist += cfi_blockDot(block, 0, work->dx);
    } else {
      cfi_xpbdMoveContact(d, d->contact + block->contact, witness);
    }
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
  cfi_xpbdFindSlopes(work);
  factorInertia(work);
  for (int i = 0; i < d->ncon; i++) {
    cfi_xpbdWitness(work->p, d->contact + i, work->witness + i);
  }
}


void cfi_xpbdMove(xpbdWork* work, bool with_rows) {
  const mjModel* m = work->p->m;
  mjData* d = work->p->d;
  mju_addTo(work->moved, work->dx, (int)m->nv);
  if (!work->can_move || (!with_rows && !work->is_moved)) {
    return;
  }
  if (!work->is_moved) {
    saveStep(work, /*is_back=*/false);
    work->is_moved = true;
  }
  biasOfMean(work);
  cfi_integratePos(m, d->qpos, work->dx, 1, cfi_awakeBodies(m, d));
  if (!with_rows) {
    return;
  }
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
  factorInertia(work);
  moveContacts(work);
  cfi_renewRows(&work->plan);
  cfi_renewBlocks(work->p, &work->blocks, work->LD, work->diaginv, work->scratch);
  cfi_xpbdMatrices(work);
}


void cfi_xpbdEndMotion(xpbdWork* work, mjtNum* drift) {
  const mjModel* m = work->p->m;
  mjData* d = work->p->d;
  const mjtNum H = m->opt.timestep;
  CF_ASSERT(!work->is_moved || work->can_move);
  if (work->is_moved) {
    const size_t before = cfi_xpbdSavedBytes(work->p) - (size_t)d->nbuffer;
    const size_t at = (size_t)((char*)d->qpos - (char*)d->buffer);
    mj_differentiatePos(m, drift, H, (mjtNum*)(work->saved + before + at), d->qpos);
    saveStep(work, /*is_back=*/true);
  } else {
    mju_scl(drift, work->dx, 1 / H, (int)m->nv);
  }
  mju_subFrom(drift, work->v, (int)m->nv);
}
