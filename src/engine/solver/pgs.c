// Projected Gauss-Seidel: minimize f'(A + R)f/2 + f'b over forces, one constraint at a time.
#include <math.h>
#include <stdbool.h>

#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "math/dense.h"
#include "math/inline.h"
#include "math/simd/four.h"
#include "math/sparse.h"
#include "solver/dual.h"
#include "solver/dualcone.h"
#include "solver/pgsdense.h"
#include "solver/solver.h"
#include "solver/stats.h"

// scalar rows that are solved together, at most
enum { CF_SCALAR_UNIT = 4 };

// rows that are solved together
typedef struct {
  int* size;                 // nefc: number of rows in the unit that begins here
  mjtNum* block;             // CF_BLOCK_MAX x nefc: its part of AR
  mjtNum *lowest, *highest;  // nefc: bounds of scalar forces
} cfUnits;


void cfi_boundForce(const mjData* d, int row, mjtNum* lowest, mjtNum* highest) {
  CF_ASSERT_INDEX(row, d->nefc);
  const bool is_friction = row >= d->ne && row < d->ne + d->nf;
  const mjtNum loss = is_friction ? d->efc_frictionloss[row] : INFINITY;
  *lowest = row < d->ne + d->nf ? -loss : 0;
  *highest = loss;
}


// residuals of n scalar constraints; one sparse row is the most frequent case
static inline void scalarResidual(const cfDual* dual, int row, const int n, mjtNum* res) {
  CF_ASSERT(row + n <= dual->d->nefc);
  const mjData* d = dual->d;
  if (n == 1 && dual->is_sparse) {
    const int adr = d->efc_AR_rowadr[row];
    res[0] =
        cfi_dotSparse(d->efc_AR + adr, d->efc_force, d->efc_AR_rownnz[row], d->efc_AR_colind + adr);
    res[0] += d->efc_b[row];
  } else {
    cfi_dualResidual(dual, row, n, res);
  }
}


// n scalar constraints in turn: unconstrained minimum, then bounds; returns the improvement.
// residuals are formed together and corrected through the block as forces change; a change for
// the worse is not made
static inline mjtNum sweepRows(const cfDual* dual, int row, const cfUnits* units, const int n) {
  const mjtNum *inverse = dual->diag_inverse + row, *block = units->block + CF_BLOCK_MAX * row;
  const mjtNum *lowest = units->lowest + row, *highest = units->highest + row;
  mjtNum *force = dual->d->efc_force + row, res[CF_BLOCK_MAX], improvement = 0;
  scalarResidual(dual, row, n, res);
  for (int i = 0; i < n; i++) {
    mjtNum old = force[i], next = old - res[i] * inverse[i];
    next = next < lowest[i] ? lowest[i] : next;
    next = next > highest[i] ? highest[i] : next;
    const mjtNum delta = next - old;
    const mjtNum change = 0.5 * (block[i * (n + 1)] * delta * delta) + delta * res[i];
    if (change > 1e-10) {
      continue;
    }
    force[i] = next;
    improvement -= change;
    for (int j = i + 1; j < n; j++) {
      res[j] += block[j * n + i] * delta;
    }
  }
  return improvement;
}


// four scalar constraints in turn; sparse rows of a unit have the same columns
static mjtNum sweepUnit(const cfDual* dual, int row, const cfUnits* units) {
  const mjtNum* block = units->block + CF_BLOCK_MAX * row;
  const cfScalarFour four = {{block, block + 4, block + 8, block + 12},
                             dual->diag_inverse + row,
                             units->lowest + row,
                             units->highest + row};
  const mjData* d = dual->d;
  if (!dual->is_sparse) {
    mjtNum res[CF_SCALAR_UNIT];
    cfi_dualResidual(dual, row, CF_SCALAR_UNIT, res);
    return cfi_sweepFour(d->efc_force + row, cfi_laneLoad(res), &four);
  }
  const int adr = d->efc_AR_rowadr[row], nnz = d->efc_AR_rownnz[row];
  const cfLane image = cfi_dotFourAt(d->efc_AR + adr, d->efc_AR_colind + adr, nnz, d->efc_force);
  return cfi_sweepFour(d->efc_force + row, cfi_laneAdd(image, cfi_laneLoad(d->efc_b + row)), &four);
}


// one elliptic contact: ray, then friction; block is its part of AR, n its dimension, a constant
// where this is inlined
static inline mjtNum sweepDim(const cfDual* dual, int row, const mjContact* con,
                              const mjtNum* block, const int n) {
  mjtNum *force = dual->d->efc_force + row, old[CF_BLOCK_MAX], res[CF_BLOCK_MAX];
  cfi_copy(old, force, n);
  cfi_dualResidual(dual, row, n, res);
  cfi_moveAlongRay(force, dual->diag_inverse[row], block, res, n);
  cfi_bestFriction(force, con, block, res, old, n);
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


// rows from this one on that are taken together: an elliptic contact, or a few scalar rows with
// the same columns
static int unitSize(const cfDual* dual, int row) {
  CF_ASSERT_INDEX(row, dual->d->nefc);
  const mjData* d = dual->d;
  if (d->efc_type[row] == mjCNSTR_CONTACT_ELLIPTIC) {
    return d->contact[d->efc_id[row]].dim;
  }
  int nalike = dual->is_sparse ? d->efc_J_rowsuper[row] + 1 : d->nefc - row, n = 1;
  const int limit = cfi_minInt(CF_SCALAR_UNIT, nalike);
  while (n < limit && d->efc_type[row + n] != mjCNSTR_CONTACT_ELLIPTIC) {
    n++;
  }
  return n;
}


// units of all rows with their blocks and bounds
static cfUnits collectUnits(const cfDual* dual) {
  const int nefc = dual->d->nefc;
  const cfUnits units = {mj_stackAllocInt(dual->d, nefc),
                         mj_stackAllocNum(dual->d, (size_t)CF_BLOCK_MAX * nefc),
                         mj_stackAllocNum(dual->d, nefc), mj_stackAllocNum(dual->d, nefc)};
  for (int r = 0; r < nefc; r++) {
    cfi_boundForce(dual->d, r, units.lowest + r, units.highest + r);
  }
  for (int r = 0; r < nefc; r += units.size[r]) {
    units.size[r] = unitSize(dual, r);
    cfi_dualBlock(dual, r, units.size[r], units.block + (size_t)CF_BLOCK_MAX * r);
  }
  return units;
}


// all constraints once; returns the improvement
static mjtNum sweep(const cfDual* dual, const cfUnits* units) {
  const mjData* d = dual->d;
  mjtNum improvement = 0;
  for (int r = 0; r < d->nefc; r += units->size[r]) {
    if (d->efc_type[r] == mjCNSTR_CONTACT_ELLIPTIC) {
      improvement += sweepCone(dual, r, d->contact + d->efc_id[r], units->block + CF_BLOCK_MAX * r);
    } else if (units->size[r] == 1) {
      improvement += sweepRows(dual, r, units, 1);
    } else if (units->size[r] == CF_SCALAR_UNIT) {
      improvement += sweepUnit(dual, r, units);
    } else {
      improvement += sweepRows(dual, r, units, units->size[r]);
    }
  }
  return improvement;
}


static void solvePGS(const mjModel* m, mjData* d, cfStart* start, int island) {
  (void)start;
  (void)island;
  mj_markStack(d);
  cfDual dual = cfi_beginDual(m, d, /*without_R=*/false);
  cfDenseSweep dense;
  const bool is_dense = cfi_beginDenseSweep(&dense, &dual);
  const cfUnits units = is_dense ? (cfUnits){0} : collectUnits(&dual);
  cfi_dualState(&dual);

  int iteration = 0;
  while (iteration < m->opt.iterations) {
    mjtNum improvement =
        cfi_dualScale(m) * (is_dense ? cfi_sweepDense(&dense, d) : sweep(&dual, &units));
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
