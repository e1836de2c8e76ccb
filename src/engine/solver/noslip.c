// Noslip: a dual pass over friction alone, without regularizer, after the main solver.
#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "math/dense.h"
#include "math/inline.h"
#include "solver/dual.h"
#include "solver/conefriction.h"
#include "solver/solver.h"

// friction loss; returns the improvement
static mjtNum sweepLoss(const cfDual* dual, int row) {
  CF_ASSERT(row >= dual->d->ne && row < dual->d->ne + dual->d->nf);
  mjData* d = dual->d;
  mjtNum *force = d->efc_force + row, old = *force, loss = d->efc_frictionloss[row], res;
  cfi_dualResidual(dual, row, 1, &res);
  *force = cfi_clip(old - res * dual->diag_inverse[row], -loss, loss);
  const mjtNum delta = *force - old;
  return -(0.5 * delta * delta / dual->diag_inverse[row] + delta * res);
}


// residual with the rows' own forces taken out
static void outerResidual(mjtNum* b, const mjtNum* res, const mjtNum* block, const mjtNum* force,
                          int n) {
  CF_ASSERT(n > 0 && n <= 5);
  for (int k = 0; k < n; k++) {
    b[k] = res[k] - cfi_dot(block + k * n, force, n);
  }
}


// two opposing edges of a pyramid keep their sum 2*mid: minimize over their difference
static mjtNum sweepEdges(const cfDual* dual, int row) {
  CF_ASSERT(row + 1 < dual->d->nefc);
  mjtNum *force = dual->d->efc_force + row, old[2] = {force[0], force[1]}, res[2], b[2], A[4];
  cfi_dualResidual(dual, row, 2, res);
  cfi_dualBlock(dual, row, 2, A);
  outerResidual(b, res, A, old, 2);

  const mjtNum mid = 0.5 * (force[0] + force[1]);
  const mjtNum curvature = A[0] + A[3] - A[1] - A[2];
  const mjtNum slope = mid * (A[0] - A[3]) + b[0] - b[1];
  if (curvature < mjMINVAL) {
    force[0] = force[1] = mid;
  } else {
    const mjtNum y = -slope / curvature;
    force[0] = y < -mid ? 0 : y > mid ? 2 * mid : mid + y;
    force[1] = y < -mid ? 2 * mid : y > mid ? 0 : mid - y;
  }
  return -cfi_dualChange(A, force, old, res, 2);
}


// friction of an elliptic contact, normal force kept
static mjtNum sweepEllipse(const cfDual* dual, int row, const mjContact* con) {
  CF_ASSERT(con->dim > 1 && row + con->dim <= dual->d->nefc);
  mjtNum* force = dual->d->efc_force + row + 1;
  mjtNum normal = dual->d->efc_force[row], old[5], res[5], b[5], x[5], A[25];
  const int n = con->dim - 1;
  cfi_copy(old, force, n);
  cfi_dualResidual(dual, row + 1, n, res);
  cfi_dualBlock(dual, row + 1, n, A);
  outerResidual(b, res, A, old, n);
  if (normal < mjMINVAL) {
    cfi_zero(force, n);
  } else {
    cfi_solveFriction(x, A, b, con->friction, normal, n);
    cfi_copy(force, x, n);
  }
  return -cfi_dualChange(A, force, old, res, n);
}


// all friction once; returns the improvement
static mjtNum sweepFriction(const cfDual* dual) {
  const mjData* d = dual->d;
  mjtNum improvement = 0;
  for (int r = d->ne; r < d->ne + d->nf; r++) {
    improvement += sweepLoss(dual, r);
  }
  for (int r = d->ne + d->nf; r < d->nefc;) {
    const mjContact* con = d->contact + d->efc_id[r];
    if (d->efc_type[r] == mjCNSTR_CONTACT_PYRAMIDAL) {
      for (int k = 1; k < con->dim; k++, r += 2) {
        improvement += sweepEdges(dual, r);
      }
    } else if (d->efc_type[r] == mjCNSTR_CONTACT_ELLIPTIC) {
      improvement += sweepEllipse(dual, r, con);
      r += con->dim;
    } else {
      r++;
    }
  }
  return improvement;
}


void cfi_solveNoslip(const mjModel* m, mjData* d) {
  CF_ASSERT(d->efc_AR);
  mj_markStack(d);
  cfDual dual = cfi_beginDual(m, d, /*without_R=*/true);
  cfi_dualState(&dual);

  // dropping the regularizer is itself a change of cost
  mjtNum correction = 0;
  for (int r = 0; r < d->nefc; r++) {
    correction += 0.5 * d->efc_force[r] * d->efc_force[r] * d->efc_R[r];
  }

  int iteration = 0;
  while (iteration < m->opt.noslip_iterations) {
    mjtNum improvement = correction + sweepFriction(&dual);
    improvement *= cfi_dualScale(m);
    correction = 0;
    cfi_dualStats(&dual, d->solver_niter[0] + iteration++, improvement);
    if (improvement < m->opt.noslip_tolerance) {
      break;
    }
  }
  d->solver_niter[0] += iteration;
  cfi_finishDual(m, d);
  mj_freeStack(d);
}
