// What the dual solvers (PGS, noslip) share: forces as unknowns, AR = J M^-1 J' + R as matrix.
#ifndef CF_SOLVER_DUAL_H
#define CF_SOLVER_DUAL_H

#include <stdbool.h>

#include <mujoco/mjdata.h>
#include <mujoco/mjmodel.h>

// largest block that is solved at once: an elliptic contact with condim 6
enum { CF_BLOCK_MAX = 6 };

typedef struct {
  const mjModel* m;
  mjData* d;
  bool is_sparse;
  bool without_R;        // noslip: leave the regularizer out
  mjtNum* diag_inverse;  // nefc: 1 / diagonal
  int* old_state;        // nefc
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

// state of every row from its force; keeps statistics of one iteration: improvement, active rows,
// changed rows
void cfi_dualStats(cfDual* dual, int iteration, mjtNum improvement);
void cfi_dualState(cfDual* dual);

// 1 / (mean inertia times number of dofs)
mjtNum cfi_dualScale(const mjModel* m);

// forces back to joint space: qfrc_constraint and qacc
void cfi_finishDual(const mjModel* m, mjData* d);

#endif  // CF_SOLVER_DUAL_H
