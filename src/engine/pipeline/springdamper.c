// The implicit spring-damper integrator:  (M + h*D + h^2*K)*v_new = M*v + h*(f - f_damper).
//
// D and K are diagonal: damping and stiffness of the joints.  The spring force at the present
// position is part of f; that of the position one step ahead enters through K.
#include <cortenforge/derivative.h>

#include "base/assert.h"
#include "base/likely.h"
#include "dynamics/factor.h"
#include "dynamics/inertia.h"
#include "model/flags.h"
#include "model/indexset.h"
#include "model/timer.h"
#include "pipeline/advance.h"


// qH = M + h*D + h^2*K, factored.  reads: M.  writes: qH, qHDiagInv.
static void factorSpringDamper(const mjModel* m, mjData* d, cfIndexSet dofs) {
  CF_ASSERT(dofs.count >= 0 && dofs.count <= m->nv);
  const mjtNum h = m->opt.timestep;
  const bool has_spring = !cfi_disabled(m, mjDSBL_SPRING),
             has_damper = !cfi_disabled(m, mjDSBL_DAMPER);
  cfi_copyRowsM(m, d->qH, d->M, dofs);
  for (int k = 0; k < dofs.count; k++) {
    const int i = cfi_at(dofs, k);
    mjtNum* diagonal = d->qH + m->M_rowadr[i] + m->M_rownnz[i] - 1;
    *diagonal += has_damper ? h * m->dof_damping[i] : 0;
    *diagonal += has_spring ? h * h * m->jnt_stiffness[m->dof_jntid[i]] : 0;
  }
  cfi_factorLD(d->qH, d->qHDiagInv, (int)m->nv, m->M_rownnz, m->M_rowadr, m->M_colind, dofs);
}


void cfi_springDamper(const mjModel* m, mjData* d) {
  const mjtNum h = m->opt.timestep, start = cfi_now();
  const cfIndexSet dofs = cfi_awakeDofs(m, d);
  const bool has_damper = !cfi_disabled(m, mjDSBL_DAMPER);
  mj_markStack(d);
  mjtNum* velocity = mj_stackAllocNum(d, (size_t)m->nv);
  mjtNum* qacc = mj_stackAllocNum(d, (size_t)m->nv);
  mj_mulM(m, d, velocity, d->qvel);
  factorSpringDamper(m, d, dofs);
  for (int k = 0; k < dofs.count; k++) {
    const int i = cfi_at(dofs, k);
    const mjtNum damper = has_damper ? -m->dof_damping[i] * d->qvel[i] : 0;
    velocity[i] += h * (d->qfrc_smooth[i] + d->qfrc_constraint[i] - damper);
  }
  cfi_solveLD(velocity, d->qH, d->qHDiagInv, (int)m->nv, 1, m->M_rownnz, m->M_rowadr, m->M_colind,
              dofs);
  for (int k = 0; k < dofs.count; k++) {
    const int i = cfi_at(dofs, k);
    qacc[i] = (velocity[i] - d->qvel[i]) / h;
  }
  if (CF_SELDOM(cfi_mayHaveStiffGains(m))) {
    cfi_slowStiffGains(m, d, qacc, d->qH, d->qHDiagInv, dofs);
  }
  cfi_advance(m, d, d->act_dot, qacc, NULL);
  mj_freeStack(d);
  cfi_addTime(d, mjTIMER_ADVANCE, start, 1);
}


void cfi_mulSpringDamper(const mjModel* m, mjData* d, mjtNum* res, mjtNum* stiffness,
                         const mjtNum* vec) {
  CF_ASSERT(res != vec && stiffness != vec && res != stiffness);
  const mjtNum h = m->opt.timestep;
  const bool has_spring = !cfi_disabled(m, mjDSBL_SPRING),
             has_damper = !cfi_disabled(m, mjDSBL_DAMPER);
  mj_mulM(m, d, res, vec);
  for (int i = 0; i < m->nv; i++) {
    const mjtNum K = has_spring ? m->jnt_stiffness[m->dof_jntid[i]] : 0;
    const mjtNum D = has_damper ? m->dof_damping[i] : 0;
    res[i] += h * (D + h * K) * vec[i];
    stiffness[i] = h * K * d->qvel[i];
  }
}


void cf_stepSpringDamper(const mjModel* m, mjData* d) {
  mj_checkPos(m, d);
  mj_checkVel(m, d);
  mj_forward(m, d);
  mj_checkAcc(m, d);
  cfi_springDamper(m, d);
}
