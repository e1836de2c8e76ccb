// Implicit stiffness of flexes: forces inside soft bodies as they are at the end of the step.
//
// With K the stiffness and D = damping*K (src/engine/flex/stiffness.h), the acceleration a of the
// step is the minimum of
//
//   1/2*a'*H*a - a'*b + s(J*a - aref),   H = M + h*D + h^2*K,   b = qfrc_smooth - h*K*qvel,
//
// where s is the cost of the constraints, the same as in MuJoCo's problem: elasticity and contacts
// are solved together.  Newton's method finds it; its linear systems are solved by conjugate
// gradients, which need products with H alone.  Then qfrc_smooth = M*a - J'*f is the force with
// which MuJoCo's own problem, with M in the place of H, has the same minimum a.  So nothing behind
// this stage knows about stiffness: every solver finds a, and integrators advance with it.
//
// (Baraff and Witkin 1998, "Large steps in cloth simulation", for the step without constraints.)
#include <math.h>

#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "constraint/rowupdate.h"
#include "contactsolver/contactsolver.h"
#include "dynamics/factor.h"
#include "flex/models.h"
#include "flex/stiffness.h"
#include "flex/trial.h"
#include "math/inline.h"
#include "model/flags.h"
#include "model/indexset.h"
#include "pipeline/advance.h"
#include "pipeline/implicitflex.h"

enum { NEWTON_MAX = 50, GRADIENT_STEP_MAX = 2000, SEARCH_MAX = 20 };

static const mjtNum newton_tolerance = 1e-8, inner_tolerance = 1e-8, search_tolerance = 0.01;

// ---------------------------------------- products

void cfi_mulImplicitFlex(const cfImplicitProblem* p, mjtNum* res, const mjtNum* vec) {
  mj_mulM(p->m, p->d, res, vec);
  cfi_addFlexStiffness(res, &p->K, p->m, p->d, vec, false);
  if (p->K.part == CF_STIFFNESS_REST) {
    cfi_addFlexStiffness(res, &p->trial, p->m, p->d, vec, false);
    cfi_addTrialDamping(res, &p->K, p->m, p->d, vec, p->m->opt.timestep);
  }
  for (int i = 0; i < p->m->nv; i++) {
    res[i] *= p->awake[i];
  }
}


// res = (H + J'*weight*J)*vec
static void mulHessian(const cfImplicitProblem* p, mjtNum* res, const mjtNum* vec,
                       mjtNum* scratch) {
  cfi_mulImplicitFlex(p, res, vec);
  if (p->d->nefc == 0) {
    return;
  }
  mj_mulJacVec(p->m, p->d, p->row, vec);
  for (int r = 0; r < p->d->nefc; r++) {
    p->row[r] *= p->weight[r];
  }
  mj_mulJacTVec(p->m, p->d, scratch, p->row);
  for (int i = 0; i < p->m->nv; i++) {
    res[i] += p->awake[i] * scratch[i];
  }
}


// ---------------------------------------- preconditioner

// diagonal of J'*weight*J
static void addRowDiagonal(const cfImplicitProblem* p, mjtNum* diag) {
  const mjModel* m = p->m;
  const mjData* d = p->d;
  const bool is_sparse = mj_isSparse(m);
  for (int r = 0; r < d->nefc; r++) {
    const mjtNum* J = d->efc_J + (is_sparse ? d->efc_J_rowadr[r] : r * (int)m->nv);
    const int* column = is_sparse ? d->efc_J_colind + d->efc_J_rowadr[r] : NULL;
    const int count = is_sparse ? d->efc_J_rownnz[r] : (int)m->nv;
    for (int k = 0; k < count && p->weight[r] != 0; k++) {
      diag[column ? column[k] : k] += p->weight[r] * J[k] * J[k];
    }
  }
}


// inverse of a positive definite 3x3 matrix; false if it is none
static bool invertBlock(mjtNum A[9]) {
  mjtNum inverse[9];
  cfi_cross(inverse, A + 3, A + 6);
  cfi_cross(inverse + 3, A + 6, A);
  cfi_cross(inverse + 6, A, A + 3);
  const mjtNum det = cfi_dot3(A, inverse), size = A[0] + A[4] + A[8];
  if (!(det > 1e-14 * size * size * size)) {
    return false;
  }
  for (int k = 0; k < 9; k++) {
    A[k] = inverse[3 * (k % 3) + k / 3] / det;
  }
  return true;
}


static void prepareDiagonal(cfImplicitProblem* p) {
  const mjModel* m = p->m;
  const int nv = (int)m->nv;
  mju_zero(p->block, 9 * nv);
  for (int i = 0; i < nv; i++) {
    p->inverse[i] = p->d->M[m->M_rowadr[i] + m->M_rownnz[i] - 1];
  }
  addRowDiagonal(p, p->inverse);
  cfi_addFlexDiagonal(p->inverse, p->block, &p->K, m, p->d);
  if (p->K.part == CF_STIFFNESS_REST) {
    cfi_addFlexDiagonal(p->inverse, p->block, &p->trial, m, p->d);
  }
  for (int b = 1; b < m->nbody; b++) {
    const int i = m->body_dofadr[b];
    if (!cfi_isSlidingPoint(m, b)) {
      continue;
    }
    for (int k = 0; k < 3; k++) {
      p->inverse[i + k] += p->block[9 * i + 4 * k];
      p->block[9 * i + 4 * k] = p->inverse[i + k];
    }
    if (!invertBlock(p->block + 9 * i)) {
      mju_zero(p->block + 9 * i, 9);
    }
  }
  for (int i = 0; i < nv; i++) {
    p->inverse[i] = p->inverse[i] > mjMINVAL ? 1 / p->inverse[i] : 1;
  }
}


// z = inverse diagonal * r; returns r'*z
static mjtNum scaleResidual(const cfImplicitProblem* p, mjtNum* z, const mjtNum* r) {
  mjtNum product = 0;
  for (int i = 0; i < p->m->nv;) {
    const mjtNum* block = p->block + 9 * i;
    if (block[0] != 0) {
      mju_mulMatVec3(z + i, block, r + i);
      product += cfi_dot3(z + i, r + i);
      i += 3;
    } else {
      z[i] = p->inverse[i] * r[i];
      product += z[i] * r[i];
      i++;
    }
  }
  return product;
}


// ---------------------------------------- Newton's method

// constraint forces, their cost, gradient and weights at a
static void evaluateRows(cfImplicitProblem* p) {
  mjData* d = p->d;
  mj_constraintUpdate(p->m, d, p->jar, &p->row_cost, 0);
  for (int i = 0; i < p->m->nv; i++) {
    p->gradient[i] = p->awake[i] * (p->Ha[i] - p->b[i] - d->qfrc_constraint[i]);
  }
  for (int r = 0; r < d->nefc; r++) {
    const int state = d->efc_state[r];
    const bool acts = state == mjCNSTRSTATE_QUADRATIC || state == mjCNSTRSTATE_CONE;
    p->weight[r] = acts ? d->efc_D[r] : 0;
  }
}


void cfi_moveImplicitFlex(cfImplicitProblem* p, const mjtNum* a) {
  for (int i = 0; i < p->m->nv; i++) {
    p->a[i] = p->awake[i] * a[i];
  }
  cfi_mulImplicitFlex(p, p->Ha, p->a);
  mj_mulJacVec(p->m, p->d, p->jar, p->a);
  mju_subFrom(p->jar, p->d->efc_aref, p->d->nefc);
  evaluateRows(p);
}


// step = -inverse(H + J'*weight*J)*gradient, until the residual is small
static void conjugateStep(cfImplicitProblem* p, mjtNum* step) {
  const int nv = (int)p->m->nv;
  mjData* d = p->d;
  mj_markStack(d);
  mjtNum* r = mj_stackAllocNum(d, 5 * (size_t)nv);
  mjtNum *z = r + nv, *direction = z + nv, *product = direction + nv, *scratch = product + nv;
  mju_zero(step, nv);
  mju_scl(r, p->gradient, -1, nv);
  mjtNum rz = scaleResidual(p, z, r);
  const mjtNum enough = inner_tolerance * inner_tolerance * rz;
  mju_copy(direction, z, nv);
  for (int k = 0; k < GRADIENT_STEP_MAX && rz > enough; k++) {
    mulHessian(p, product, direction, scratch);
    const mjtNum curvature = mju_dot(direction, product, nv);
    if (!(curvature > 0)) {
      break;
    }
    mju_addToScl(step, direction, rz / curvature, nv);
    mju_addToScl(r, product, -rz / curvature, nv);
    const mjtNum before = rz;
    rz = scaleResidual(p, z, r);
    for (int i = 0; i < nv; i++) {
      direction[i] = z[i] + rz / before * direction[i];
    }
  }
  mj_freeStack(d);
}


// slope of the cost at a + t*step
static mjtNum slopeAt(cfImplicitProblem* p, mjtNum t, mjtNum start, mjtNum curvature,
                      const mjtNum* Jstep) {
  mjData* d = p->d;
  const cfRowSet rows = cfi_allRows(p->m, d);
  mju_addScl(p->row, p->jar, Jstep, t, d->nefc);
  cfi_updateRows(&rows, p->row, d->efc_state, d->efc_force, 0);
  return start + t * curvature - mju_dot(Jstep, d->efc_force, d->nefc);
}


// how far to go along a step: to the end, or where the cost stops falling before it
static mjtNum searchStep(cfImplicitProblem* p, const mjtNum* step, const mjtNum* Hstep,
                         const mjtNum* Jstep) {
  const int nv = (int)p->m->nv;
  const mjtNum start = mju_dot(step, p->Ha, nv) - mju_dot(step, p->b, nv);
  const mjtNum curvature = mju_dot(step, Hstep, nv);
  mjtNum low = 0, high = 1, at_low = slopeAt(p, 0, start, curvature, Jstep);
  mjtNum at_high = slopeAt(p, 1, start, curvature, Jstep);
  const mjtNum enough = search_tolerance * fabs(at_low);
  if (at_high <= enough || at_low >= 0) {
    return 1;
  }
  mjtNum t = high;
  for (int k = 0; k < SEARCH_MAX; k++) {
    t = low - at_low * (high - low) / (at_high - at_low);
    const mjtNum slope = slopeAt(p, t, start, curvature, Jstep);
    if (fabs(slope) <= enough) {
      break;
    }

    // the end that stays twice loses half of its weight
    if (slope < 0) {
      low = t;
      at_low = slope;
      at_high *= 0.5;
    } else {
      high = t;
      at_high = slope;
      at_low *= 0.5;
    }
  }
  return t;
}


static void stepNewton(cfImplicitProblem* p) {
  const int nv = (int)p->m->nv;
  mjData* d = p->d;
  mj_markStack(d);
  mjtNum* step = mj_stackAllocNum(d, 2 * (size_t)nv);
  mjtNum *Hstep = step + nv, *Jstep = mj_stackAllocNum(d, (size_t)d->nefc + 1);
  conjugateStep(p, step);
  cfi_mulImplicitFlex(p, Hstep, step);
  mj_mulJacVec(p->m, d, Jstep, step);
  const mjtNum t = d->nefc ? searchStep(p, step, Hstep, Jstep) : 1;
  mju_addToScl(p->a, step, t, nv);
  mju_addToScl(p->Ha, Hstep, t, nv);
  mju_addToScl(p->jar, Jstep, t, d->nefc);
  evaluateRows(p);
  mj_freeStack(d);
}


// ---------------------------------------- stage

static cfImplicitProblem makeProblem(const mjModel* m, mjData* d) {
  const size_t nv = (size_t)m->nv, nefc = (size_t)d->nefc + 1;
  const cfIndexSet dofs = cfi_awakeDofs(m, d);
  cfImplicitProblem p = {.m = m, .d = d, .K = cfi_flexStiffness(m, d)};
  p.awake = mj_stackAllocNum(d, 15 * nv);
  p.b = p.awake + nv;
  p.a = p.b + nv;
  p.Ha = p.a + nv;
  p.gradient = p.Ha + nv;
  p.inverse = p.gradient + nv;
  p.block = p.inverse + nv;
  p.jar = mj_stackAllocNum(d, 3 * nefc);
  p.weight = p.jar + nefc;
  p.row = p.weight + nefc;
  mju_zero(p.awake, (int)nv);
  for (int k = 0; k < dofs.count; k++) {
    p.awake[cfi_at(dofs, k)] = 1;
  }

  // b = qfrc_smooth - h*K*qvel
  mju_zero(p.b, (int)nv);
  cfi_addFlexStiffness(p.b, &p.K, m, d, d->qvel, true);
  for (int i = 0; i < m->nv; i++) {
    p.b[i] = p.awake[i] * (d->qfrc_smooth[i] - p.b[i]);
  }
  return p;
}


// Squared size of a force; that of sleeping dofs was not computed in this step and is left out.
static mjtNum awakeSize(const cfImplicitProblem* p, mjtNum* scratch, const mjtNum* force) {
  const int nv = (int)p->m->nv;
  mjtNum *awake = scratch, *z = scratch + nv;
  for (int i = 0; i < nv; i++) {
    awake[i] = p->awake[i] != 0 ? force[i] : 0;
  }
  return scaleResidual(p, z, awake);
}


// size of the forces that meet in the gradient, by which it is called small
static mjtNum forceScale(cfImplicitProblem* p) {
  mjData* d = p->d;
  mj_markStack(d);
  mjtNum* scratch = mj_stackAllocNum(d, 2 * (size_t)p->m->nv);
  const mjtNum scale = awakeSize(p, scratch, p->b) + awakeSize(p, scratch, d->qfrc_bias) +
                       awakeSize(p, scratch, d->qfrc_passive) +
                       awakeSize(p, scratch, d->qfrc_constraint);
  mj_freeStack(d);
  return sqrt(scale) + mjMINVAL;
}


static mjtNum gradientSize(cfImplicitProblem* p) {
  mjData* d = p->d;
  mj_markStack(d);
  mjtNum* z = mj_stackAllocNum(d, (size_t)p->m->nv);
  const mjtNum size = sqrt(scaleResidual(p, z, p->gradient));
  mj_freeStack(d);
  return size;
}


void cfi_solveImplicitFlex(cfImplicitProblem* p, const mjtNum* start) {
  cfi_moveImplicitFlex(p, start);
  for (int k = 0; k < NEWTON_MAX; k++) {
    prepareDiagonal(p);
    if (!(gradientSize(p) > newton_tolerance * forceScale(p))) {
      break;
    }
    stepNewton(p);
  }
}


void cfi_implicitFlex(const mjModel* m, mjData* d) {
  const bool is_off = cfi_disabled(m, mjDSBL_SPRING) && cfi_disabled(m, mjDSBL_DAMPER);
  if (!cfi_hasImplicitFlexes(m) || m->nv == 0 || m->opt.integrator == mjINT_RK4 || is_off) {
    return;
  }

  // another solver of this step's rows has the stiffness in its own matrix
  if (CF_SELDOM(cfi_solvesStiffness(m)) && d->nefc) {
    return;
  }
  mj_markStack(d);
  cfImplicitProblem p = makeProblem(m, d);

  // without rows nothing writes it: it would be that of the step before, in a batch another world's
  mju_zero(d->qfrc_constraint, (int)m->nv);
  if (cfi_disabled(m, mjDSBL_WARMSTART)) {
    mju_zero(p.gradient, (int)m->nv);
  } else {
    mju_copy(p.gradient, d->qacc_warmstart, (int)m->nv);
  }
  cfi_solveImplicitFlex(&p, p.gradient);
  cfi_refineLargeStrain(&p);

  // the force with which M in the place of H leads to the same acceleration
  const cfIndexSet dofs = cfi_awakeDofs(m, d);
  mj_mulM(m, d, p.Ha, p.a);
  for (int k = 0; k < dofs.count; k++) {
    const int i = cfi_at(dofs, k);
    d->qfrc_smooth[i] = d->qacc_smooth[i] = p.Ha[i] - d->qfrc_constraint[i];
    d->qacc_warmstart[i] = p.a[i];
  }
  cfi_solveLD(d->qacc_smooth, d->qLD, d->qLDiagInv, (int)m->nv, 1, m->M_rownnz, m->M_rowadr,
              m->M_colind, dofs);
  mj_freeStack(d);
}
