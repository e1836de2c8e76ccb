#include "finitediff/response.h"

#include <math.h>

#include <cortenforge/derivative.h>

#include "base/assert.h"
#include "collision/halves.h"
#include "constraint/product.h"
#include "dynamics/factor.h"
#include "dynamics/inertia.h"
#include "dynamics/spatialforce.h"
#include "finitediff/difference.h"
#include "math/dense.h"
#include "math/inline.h"
#include "math/sparse.h"
#include "model/data.h"
#include "pipeline/advance.h"

// how far the solver's acceleration may be from that which balances all forces, relative to it;
// Newton's method doubles the digits, so that its last step but one had half of them
static const mjtNum newton_residual = 1e-10;


static cfPattern massPattern(const mjModel* m) {
  return (cfPattern){(int)m->nv, (int)m->nv, m->M_rownnz, m->M_rowadr, m->M_colind, NULL};
}


static cfIndexSet everyDof(const cfStepResponse* r) {
  return (cfIndexSet){NULL, r->nv, 0};
}


// ---------------------------------------- Hessian of the active rows

// H += rows'*weighted, lower triangle
static void addHessianRows(mjtNum* H, const mjtNum* rows, const mjtNum* weighted, int nrow,
                           int nv) {
  CF_ASSERT(nrow >= 1 && nrow <= 6 && nv > 0);
  for (int k = 0; k < nrow; k++) {
    const mjtNum *row = rows + (size_t)k * (size_t)nv, *other = weighted + (size_t)k * (size_t)nv;
    for (int i = 0; i < nv; i++) {
      if (row[i] != 0) {
        mju_addToScl(H + (size_t)i * (size_t)nv, other, row[i], i + 1);
      }
    }
  }
}


static void denseHessian(cfStepResponse* r) {
  const mjModel* m = r->m;
  mjData* d = r->d;
  const int nv = r->nv;
  const size_t n = (size_t)nv;
  mj_markStack(d);
  mjtNum* W = mj_stackAllocNum(d, 6 * n);
  mju_zero(r->dense, nv * nv);
  for (int i = 0; i < nv; i++) {
    for (int k = m->M_rowadr[i]; k < m->M_rowadr[i] + m->M_rownnz[i]; k++) {
      r->dense[(size_t)i * n + (size_t)m->M_colind[k]] = r->M[k];
    }
  }
  for (int row = 0; row < d->nefc; row++) {
    const mjtNum* J = d->efc_J + (size_t)row * n;
    if (d->efc_state[row] == mjCNSTRSTATE_QUADRATIC) {
      mju_scl(W, J, d->efc_D[row], nv);
      addHessianRows(r->dense, J, W, 1, nv);
    } else if (d->efc_state[row] == mjCNSTRSTATE_CONE) {
      const mjContact* con = d->contact + d->efc_id[row];
      cfi_mulCone(W, con, J, nv, nv);
      addHessianRows(r->dense, J, W, con->dim, nv);
      row += con->dim - 1;
    }
  }
  mju_cholFactor(r->dense, nv, mjMINVAL);
  mj_freeStack(d);
}


static void sparseHessian(cfStepResponse* r) {
  cfPrimal p = {.m = r->m,
                .d = r->d,
                .island = mjNISLAND,
                .nv = r->nv,
                .rows = cfi_allRows(r->m, r->d),
                .J = cfi_jacobian(r->m, r->d),
                .M = r->M,
                .M_pattern = massPattern(r->m),
                .state = r->d->efc_state};
  for (int row = 0; row < r->d->nefc; row++) {
    p.ncone += r->d->efc_state[row] == mjCNSTRSTATE_CONE;
  }
  cfi_beginSparse(&p, &r->sparse);
}


// x <- H^-1*x
static void solveHessian(const cfStepResponse* r, mjtNum* x) {
  CF_ASSERT(x && (!r->has_rows || r->dense || r->sparse.L));
  const mjModel* m = r->m;
  if (!r->has_rows) {
    cfi_solveLD(x, r->LD, r->LD_inv, r->nv, 1, m->M_rownnz, m->M_rowadr, m->M_colind, everyDof(r));
  } else if (r->dense) {
    mju_cholSolve(x, r->dense, x, r->nv);
  } else {
    const cfSparseChol* chol = &r->sparse.chol;
    cfi_cholSolveSparse(x, r->sparse.L, x, r->nv, chol->rownnz, chol->rowadr, chol->colind);
  }
}


// ---------------------------------------- forces

// Without a contact at the center there is none nearby, unless something just does not touch.
// Where there are some, the broad phase of the center holds: a nudge moves no bounding volume
// noticeably.
static void nudgedContacts(const cfStepResponse* r) {
  mjData* d = r->d;
  if (r->m->nflex > 0) {
    mj_collision(r->m, d);
    return;
  }
  cfi_clearArenaArrays(d, 0);
  if (r->rows.ncon > 0) {
    const cfCollisionHalf half = {.may_collide = true, .list = r->near};
    mj_markStack(d);
    cfi_endCollision(r->m, d, &half);
    mj_freeStack(d);
  }
}


// nothing more is done where the constraint rows are others than at the center
static cftNudged positionStages(const cfStepResponse* r) {
  const mjModel* m = r->m;
  mjData* d = r->d;
  mj_kinematics(m, d);
  mj_comPos(m, d);
  mj_flex(m, d);
  mj_tendon(m, d);
  nudgedContacts(r);
  if (!cfi_areSameContacts(r)) {
    return CF_NUDGED_CONTACTS;
  }
  mj_makeConstraint(m, d);
  if (!cfi_areSameRows(r)) {
    return CF_NUDGED_ROWS;
  }
  if (!r->has_walk) {
    mj_makeM(m, d);
  }
  mj_transmission(m, d);
  return CF_NUDGED_SAME;
}


// M*vec at nudged positions
static void inertialProduct(const cfStepResponse* r, mjtNum* res, const mjtNum* vec) {
  if (r->has_walk) {
    cfi_inertialForce(r->m, r->d, res, vec);
  } else {
    mj_mulM(r->m, r->d, res, vec);
  }
}


// W*y where it changes; the constant part of M + h*damping is left out
static void stepProduct(const cfStepResponse* r, int skipstage, mjtNum* res) {
  CF_ASSERT(res != r->y && res != r->a);
  mju_zero(res, r->nv);
  if (r->matrix == CF_STEP_INERTIA) {
    return;
  }
  const int integrator = r->m->opt.integrator;
  if (integrator == CF_INTEGRATOR_SPRING_DAMPER) {
    // W*y = M*a - h*K*v
    if (skipstage < mjSTAGE_VEL) {
      cfi_mulSpringDamper(r->m, r->d, res, r->scratch, r->y);
      mju_addTo(res, r->scratch, r->nv);
    }
  } else if (integrator == mjINT_EULER) {
    if (skipstage < mjSTAGE_POS) {
      inertialProduct(r, res, r->y);
    }
  } else if (skipstage < mjSTAGE_VEL) {
    cfi_mulImplicit(r->m, r->d, res, r->y);
  }
}


// without rows d(M*a) cancels where the integrator has a matrix of its own
static inline bool needsInertial(const cfStepResponse* r) {
  return r->matrix == CF_STEP_INERTIA || r->has_rows;
}


// forces from the results of the stages
static void addStepForces(const cfStepResponse* r, int skipstage, cfStepForces* f) {
  CF_ASSERT(f->force != f->inertial && f->force != f->step);
  mjData* d = r->d;
  mju_zero(f->inertial, r->nv);
  if (skipstage < mjSTAGE_POS && needsInertial(r)) {
    inertialProduct(r, f->inertial, r->a);
  }
  for (int i = 0; i < r->nv; i++) {
    f->force[i] = d->qfrc_passive[i] - d->qfrc_bias[i] + d->qfrc_applied[i] + d->qfrc_actuator[i];
  }
  cfi_addApplied(r->m, d, f->force);
  stepProduct(r, skipstage, f->step);
  cfi_addRowForces(r, f->force);
}


cftNudged cfi_stepForces(const cfStepResponse* r, int skipstage, cfStepForces* f) {
  CF_ASSERT(skipstage >= mjSTAGE_NONE && skipstage <= mjSTAGE_VEL);
  if (skipstage < mjSTAGE_POS) {
    const cftNudged found = positionStages(r);
    if (found != CF_NUDGED_SAME) {
      return found;
    }
  }
  if (skipstage < mjSTAGE_VEL) {
    mj_fwdVelocity(r->m, r->d);
  }
  mj_fwdActuation(r->m, r->d);
  addStepForces(r, skipstage, f);
  return CF_NUDGED_SAME;
}


void cfi_centerForces(const cfStepResponse* r, cfStepForces* f) {
  addStepForces(r, mjSTAGE_NONE, f);
}


cfStepForces cfi_allocForces(const cfStepResponse* r) {
  mjtNum* list = mj_stackAllocNum(r->d, 3 * (size_t)r->nv);
  mju_zero(list, 3 * r->nv);
  return (cfStepForces){list, list + r->nv, list + 2 * r->nv};
}


// ---------------------------------------- center

// the factor that the integrator has left
static void keepStepMatrix(cfStepResponse* r) {
  const mjModel* m = r->m;
  mjData* d = r->d;
  const bool is_full = m->opt.integrator == mjINT_IMPLICIT;
  const bool is_inertia =
      m->opt.integrator == mjINT_EULER && !cfi_hasImplicitDamping(m, everyDof(r));
  r->matrix = is_inertia ? CF_STEP_INERTIA : is_full ? CF_STEP_FULL : CF_STEP_SYMMETRIC;
  if (is_inertia) {
    return;
  }
  const int size = (int)(is_full ? m->nD : m->nC);
  r->W = mj_stackAllocNum(d, (size_t)size);
  r->W_inv = mj_stackAllocNum(d, (size_t)r->nv);
  mju_copy(r->W, is_full ? d->qLU : d->qH, size);
  mju_copy(r->W_inv, d->qHDiagInv, r->nv);
}


static bool isBadNumber(const mjtNum* list, int n) {
  for (int i = 0; i < n; i++) {
    if (mju_isBad(list[i])) {
      return true;
    }
  }
  return false;
}


// Is the solution of a step a little off this one found as well as this one is?  Newton's method
// does so in an iteration.  CG stops where it no longer gains much, PGS where it started: what they
// have found is right, but changes less than it should.
static bool followsChanges(const mjModel* m) {
  static const mjtNum exhausted = 1e-15;
  return m->opt.solver == mjSOL_NEWTON ||
         (m->opt.solver == mjSOL_CG && m->opt.tolerance < exhausted &&
          m->opt.iterations > 2 * m->nv);
}


// do all forces balance at a?  reads: forces of the step.  writes: constraint rows at a.
static bool factorBalance(cfStepResponse* r) {
  const mjModel* m = r->m;
  mjData* d = r->d;
  r->has_rows = d->nefc > 0;
  r->LD = mj_stackAllocNum(d, (size_t)(m->nC + m->nv));
  r->LD_inv = r->LD + m->nC;
  if (!r->has_rows) {
    mju_copy(r->LD, d->qLD, (int)m->nC);
    mju_copy(r->LD_inv, d->qLDiagInv, r->nv);
  }
  cfi_freezeContacts(r);
  if (r->rows.ncon > 0 && m->nflex == 0) {
    r->near = cfi_broadphase(m, d);
  }
  if (!r->has_rows) {
    return true;
  }
  if (!followsChanges(m)) {
    return false;
  }
  mjtNum* residual = mj_stackAllocNum(d, (size_t)d->nefc);
  mj_mulJacVec(m, d, residual, r->a);
  mju_subFrom(residual, d->efc_aref, d->nefc);
  mj_constraintUpdate(m, d, residual, NULL, /*flg_coneHessian=*/1);
  cfi_freezeRows(r, residual);
  if (mj_isSparse(m)) {
    sparseHessian(r);
  } else {
    r->dense = mj_stackAllocNum(d, (size_t)(r->nv * r->nv));
    denseHessian(r);
  }
  mjtNum *rest = r->scratch, size = 1, error = 0;
  mj_mulM(m, d, rest, r->a);
  for (int i = 0; i < r->nv; i++) {
    rest[i] = d->qfrc_smooth[i] + d->qfrc_constraint[i] - rest[i];
  }
  solveHessian(r, rest);
  for (int i = 0; i < r->nv; i++) {
    size = cfi_max(size, fabs(r->a[i]));
    error = cfi_max(error, fabs(rest[i]));
  }
  return error <= newton_residual * size;
}


bool cfi_beginResponse(cfStepResponse* r, const mjModel* m, mjData* d, mjtNum eps) {
  *r = (cfStepResponse){.m = m, .d = d, .nv = (int)m->nv, .eps = eps};
  r->has_walk = m->opt.integrator == mjINT_EULER && cfi_hasInertialForce(m);
  const size_t nv = (size_t)m->nv;
  mjtNum* before = mj_stackAllocNum(d, 6 * nv);
  r->a = before + nv;
  r->y = r->a + nv;
  r->next = r->y + nv;
  r->scratch = r->next + nv;
  if (isBadNumber(d->qpos, (int)m->nq) || isBadNumber(d->qvel, (int)m->nv) ||
      isBadNumber(d->ctrl, (int)m->nu)) {
    return false;
  }
  mju_copy(before, d->qvel, r->nv);
  cfi_stepSkip(m, d, mjSTAGE_NONE, false);
  if (isBadNumber(d->qacc, r->nv) || isBadNumber(d->qvel, r->nv)) {
    return false;
  }
  mju_copy(r->a, d->qacc, r->nv);
  mju_copy(r->next, d->qvel, r->nv);
  r->after = mj_stackAllocNum(d, (size_t)(m->nq + m->nv + m->na));
  mj_getState(m, d, r->after, mjSTATE_PHYSICS);
  for (int i = 0; i < r->nv; i++) {
    r->y[i] = (r->next[i] - before[i]) / m->opt.timestep;
  }
  r->M = mj_stackAllocNum(d, (size_t)m->nC);
  mju_copy(r->M, d->M, (int)m->nC);
  keepStepMatrix(r);
  return factorBalance(r);
}


// ---------------------------------------- response

// x <- W^-1*x
static void solveStepMatrix(const cfStepResponse* r, mjtNum* x) {
  CF_ASSERT(r->matrix != CF_STEP_INERTIA && r->W && x != r->scratch);
  const mjModel* m = r->m;
  if (r->matrix == CF_STEP_SYMMETRIC) {
    cfi_solveLD(x, r->W, r->W_inv, r->nv, 1, m->M_rownnz, m->M_rowadr, m->M_colind, everyDof(r));
    return;
  }
  const cfPattern D = {r->nv, r->nv, m->D_rownnz, m->D_rowadr, m->D_colind, NULL};
  mju_copy(r->scratch, x, r->nv);
  cfi_solveLUSparse(x, r->W, r->scratch, D, m->D_diag, NULL, r->nv);
}


void cfi_respond(const cfStepResponse* r, cfStepForces* change, mjtNum* dv) {
  CF_ASSERT(dv != change->force);
  const int nv = r->nv;
  if (needsInertial(r)) {
    mju_sub(dv, change->force, change->inertial, nv);
    solveHessian(r, dv);
  }
  if (r->matrix != CF_STEP_INERTIA) {
    // without rows M*da + d(M*a) is the change of the force itself
    if (r->has_rows) {
      cfi_mulSymVecSparse(change->force, r->M, dv, massPattern(r->m));
      mju_addTo(change->force, change->inertial, nv);
    }
    mju_sub(dv, change->force, change->step, nv);
    solveStepMatrix(r, dv);
  }
  mju_scl(dv, dv, r->m->opt.timestep, nv);
}
