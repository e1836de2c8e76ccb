// Projected Gauss-Seidel: minimize f'(A + R)f/2 + f'b over forces, one constraint at a time.
#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "math/dense.h"
#include "math/inline.h"
#include "solver/dual.h"
#include "solver/conefriction.h"
#include "solver/solver.h"
#include "solver/stats.h"

// bounds of a scalar force: none, friction loss, non-negative
static mjtNum clampForce(const mjData* d, int row, mjtNum force) {
  if (row < d->ne) {
    return force;
  }
  if (row < d->ne + d->nf) {
    return cfi_clip(force, -d->efc_frictionloss[row], d->efc_frictionloss[row]);
  }
  return force < 0 ? 0 : force;
}


// one scalar constraint: unconstrained minimum, then bounds; returns the improvement
static mjtNum sweepRow(const cfDual* dual, int row) {
  mjData* d = dual->d;
  mjtNum *force = d->efc_force + row, old = *force, res, block = 1 / dual->diag_inverse[row];
  cfi_dualResidual(dual, row, 1, &res);
  *force = clampForce(d, row, old - res * dual->diag_inverse[row]);
  return -cfi_dualChange(&block, force, &old, &res, 1);
}


// move along the ray of the present force, or along the normal when there is none
static inline void updateRay(const cfDual* dual, int row, const mjtNum* block, const mjtNum* res,
                             const int n) {
  mjtNum* force = dual->d->efc_force + row;
  if (force[0] < mjMINVAL) {
    mjtNum normal = force[0] - res[0] * dual->diag_inverse[row];
    cfi_zero(force, n);
    force[0] = normal < 0 ? 0 : normal;
    return;
  }

  mjtNum ray[CF_BLOCK_MAX], curvature = 0, slope = 0;
  cfi_copy(ray, force, n);
  for (int i = 0; i < n; i++) {
    mjtNum image = 0;
    for (int j = 0; j < n; j++) {
      image += block[i * n + j] * ray[j];
    }
    curvature += ray[i] * image;
    slope += ray[i] * res[i];
  }
  if (curvature < mjMINVAL) {
    return;
  }
  mjtNum step = -slope / curvature;
  if (force[0] + step * ray[0] < 0) {
    step = -ray[0] / force[0];
  }
  for (int k = 0; k < n; k++) {
    force[k] += step * ray[k];
  }
}


// best friction for the present normal force
static inline void updateFrictionForce(mjtNum* force, const mjContact* con, const mjtNum* block,
                                       const mjtNum* res, const mjtNum* old, const int n) {
  const int nf = n - 1;
  if (force[0] < mjMINVAL) {
    cfi_zero(force + 1, nf);
    return;
  }

  // gradient at zero friction: take the old friction out, the normal change in
  mjtNum A[25], b[5], x[5];
  for (int i = 0; i < nf; i++) {
    const mjtNum* row = block + (i + 1) * n;
    mjtNum own = 0;
    for (int j = 0; j < nf; j++) {
      A[i * nf + j] = row[j + 1];
      own += row[j + 1] * old[j + 1];
    }
    b[i] = res[i + 1] - own + row[0] * (force[0] - old[0]);
  }
  cfi_solveFriction(x, A, b, con->friction, force[0], nf);
  cfi_copy(force + 1, x, nf);
}


// one elliptic contact: ray, then friction; block is its part of AR, n its dimension, a constant
// where this is inlined
static inline mjtNum sweepDim(const cfDual* dual, int row, const mjContact* con,
                              const mjtNum* block, const int n) {
  mjtNum *force = dual->d->efc_force + row, old[CF_BLOCK_MAX], res[CF_BLOCK_MAX];
  cfi_copy(old, force, n);
  cfi_dualResidual(dual, row, n, res);
  updateRay(dual, row, block, res, n);
  updateFrictionForce(force, con, block, res, old, n);
  return -cfi_dualChange(block, force, old, res, n);
}


static mjtNum sweepCone(const cfDual* dual, int row, const mjContact* con, const mjtNum* block) {
  CF_ASSERT(con->dim >= 3 && con->dim <= CF_BLOCK_MAX);
  switch (con->dim) {
    case 3:
      return sweepDim(dual, row, con, block, 3);
    case 4:
      return sweepDim(dual, row, con, block, 4);
    default:
      return sweepDim(dual, row, con, block, 6);
  }
}


// diagonal blocks of elliptic contacts, CF_BLOCK_MAX numbers for every row
static mjtNum* collectBlocks(const cfDual* dual) {
  const mjData* d = dual->d;
  mjtNum* blocks = mj_stackAllocNum(dual->d, (size_t)CF_BLOCK_MAX * d->nefc);
  for (int r = d->ne + d->nf; r < d->nefc; r++) {
    if (d->efc_type[r] == mjCNSTR_CONTACT_ELLIPTIC) {
      int dim = d->contact[d->efc_id[r]].dim;
      cfi_dualBlock(dual, r, dim, blocks + (size_t)CF_BLOCK_MAX * r);
      r += dim - 1;
    }
  }
  return blocks;
}


// all constraints once; returns the improvement
static mjtNum sweep(const cfDual* dual, const mjtNum* blocks) {
  const mjData* d = dual->d;
  mjtNum improvement = 0;
  for (int r = 0; r < d->nefc;) {
    if (d->efc_type[r] == mjCNSTR_CONTACT_ELLIPTIC) {
      const mjContact* con = d->contact + d->efc_id[r];
      improvement += sweepCone(dual, r, con, blocks + (size_t)CF_BLOCK_MAX * r);
      r += con->dim;
    } else {
      improvement += sweepRow(dual, r++);
    }
  }
  return improvement;
}


static void solvePGS(const mjModel* m, mjData* d, cfStart* start, int island) {
  (void)start;
  (void)island;
  mj_markStack(d);
  cfDual dual = cfi_beginDual(m, d, /*without_R=*/false);
  const mjtNum* blocks = m->opt.cone == mjCONE_ELLIPTIC ? collectBlocks(&dual) : NULL;
  cfi_dualState(&dual);

  int iteration = 0;
  while (iteration < m->opt.iterations) {
    mjtNum improvement = cfi_dualScale(m) * sweep(&dual, blocks);
    cfi_dualStats(&dual, iteration++, improvement);
    if (improvement < m->opt.tolerance) {
      break;
    }
  }
  cfi_saveTotals(d, 0, iteration, d->nA);
  cfi_finishDual(m, d);
  mj_freeStack(d);
}

const cfSolverClass cfi_solverPGS = {"PGS", /*by_island=*/false, /*is_primal=*/false, solvePGS};
