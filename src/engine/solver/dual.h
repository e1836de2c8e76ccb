// What the dual solvers (PGS, noslip) share: forces as unknowns, AR = J M^-1 J' + R as matrix.
#ifndef CF_SOLVER_DUAL_H
#define CF_SOLVER_DUAL_H

#include <stdbool.h>

#include <mujoco/mjdata.h>
#include <mujoco/mjmodel.h>

#include "math/simd/lane.h"

// largest block that is solved at once: an elliptic contact with condim 6
enum { CF_BLOCK_MAX = 6 };

typedef struct {
  const mjModel* m;
  mjData* d;
  bool is_sparse;
  bool without_R;        // noslip: leave the regularizer out
  mjtNum* diag_inverse;  // nefc: 1 / diagonal
  mjtNum* gathered;      // nefc: forces at the columns of a sparse row; NULL when dense
} cfDual;

// scratch and inverse diagonal; mark and free the stack around it
cfDual cfi_beginDual(const mjModel* m, mjData* d, bool without_R);

// b + AR*force for n rows; sparse: rows with the same columns
void cfi_dualResidual(const cfDual* dual, int row, int n, mjtNum* res);

// n x n diagonal block of AR
void cfi_dualBlock(const cfDual* dual, int row, int n, mjtNum* block);

// cost difference of changing n forces from old; a change for the worse is undone and counts zero
static inline mjtNum cfi_dualChange(const mjtNum* block, mjtNum* force, const mjtNum* old,
                                    const mjtNum* res, const int n) {
  mjtNum linear = 0, quadratic = 0, delta[CF_BLOCK_MAX];
  for (int i = 0; i < n; i++) {
    delta[i] = force[i] - old[i];
    linear += delta[i] * res[i];
  }
  for (int i = 0; i < n; i++) {
    mjtNum sum = 0;
    for (int j = 0; j < n; j++) {
      sum += block[i * n + j] * delta[j];
    }
    quadratic += sum * delta[i];
  }
  mjtNum change = 0.5 * quadratic + linear;
  if (change > 1e-10) {
    for (int i = 0; i < n; i++) {
      force[i] = old[i];
    }
    return 0;
  }
  return change;
}

// four scalar rows: their part of AR by rows, inverse diagonal, bounds of forces
typedef struct {
  const mjtNum *block[4], *inverse, *lowest, *highest;
} cfScalarFour;

// a force within its bounds, and what its change brings; a change for the worse is not made
static inline mjtNum cfi_stepScalar(const cfScalarFour* four, const int k, mjtNum old, mjtNum res,
                                    mjtNum* improvement) {
  mjtNum next = old - res * four->inverse[k];
  next = next < four->lowest[k] ? four->lowest[k] : next;
  next = next > four->highest[k] ? four->highest[k] : next;
  const mjtNum delta = next - old;
  const mjtNum change = 0.5 * (four->block[k][k] * delta * delta) + delta * res;
  const bool is_worse = change > 1e-10;
  *improvement -= is_worse ? 0 : change;
  return is_worse ? old : next;
}

// four scalar rows in turn, given their residuals; forces are written as one vector, which others
// read as one.  Returns the improvement
static inline mjtNum cfi_sweepFour(mjtNum* force, cfLane residuals, const cfScalarFour* four) {
  const mjtNum *r1 = four->block[1], *r2 = four->block[2], *r3 = four->block[3];
  mjtNum res[4], old[4], improvement = 0;
  cfi_laneStore(res, residuals);
  cfi_laneStore(old, cfi_laneLoad(force));
  const mjtNum f0 = cfi_stepScalar(four, 0, old[0], res[0], &improvement), d0 = f0 - old[0];
  res[1] += r1[0] * d0;
  const mjtNum f1 = cfi_stepScalar(four, 1, old[1], res[1], &improvement), d1 = f1 - old[1];
  res[2] += r2[0] * d0;
  res[2] += r2[1] * d1;
  const mjtNum f2 = cfi_stepScalar(four, 2, old[2], res[2], &improvement), d2 = f2 - old[2];
  res[3] += r3[0] * d0;
  res[3] += r3[1] * d1;
  res[3] += r3[2] * d2;
  const mjtNum f3 = cfi_stepScalar(four, 3, old[3], res[3], &improvement);
  cfi_laneStore(force, cfi_laneSet(f0, f1, f2, f3));
  return improvement;
}

// state of every row from its force; keeps statistics of one iteration: improvement, active rows,
// changed rows
void cfi_dualStats(cfDual* dual, int iteration, mjtNum improvement);
void cfi_dualState(cfDual* dual);

// 1 / (mean inertia times number of dofs)
mjtNum cfi_dualScale(const mjModel* m);

// forces back to joint space: qfrc_constraint and qacc
void cfi_finishDual(const mjModel* m, mjData* d);

#endif  // CF_SOLVER_DUAL_H
