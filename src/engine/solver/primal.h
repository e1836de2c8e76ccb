// What the primal solvers (CG, Newton) share: accelerations as unknowns, descent on
//   cost(a) = (a - a_smooth)' M (a - a_smooth) / 2  +  s(J*a - aref).
#ifndef CF_SOLVER_PRIMAL_H
#define CF_SOLVER_PRIMAL_H

#include <stdbool.h>

#include <mujoco/mjdata.h>
#include <mujoco/mjmodel.h>

#include "constraint/product.h"
#include "constraint/rowupdate.h"
#include "math/sparse.h"
#include "solver/fillcount.h"
#include "solver/solver.h"
#include "solver/treeldl.h"

// one problem: all rows, or those of an island
typedef struct {
  const mjModel* m;
  mjData* d;
  int island;  // -1: everything
  int nv;
  cfRowSet rows;
  cfJacobian J;

  // inertia and its factor, compressed rows
  const mjtNum *M, *LD, *LDiagInv;
  cfPattern M_pattern;

  bool M_is_diagonal;

  // the same dense, if the method has made it: diagonal, and rows left of it padded with zeros
  const mjtNum *M_rows, *M_diagonal;
  int M_stride;

  // smooth forces and accelerations
  const mjtNum *frc_smooth, *acc_smooth;

  // result, valid for the current iterate
  mjtNum *acc, *frc_constraint, *force;
  int* state;

  // current iterate and direction
  mjtNum* jar;     // nefc: J*acc - aref
  mjtNum* Ma;      // nv: M*acc
  mjtNum* grad;    // nv: gradient of the cost
  mjtNum* search;  // nv: direction; padded with zeros to a multiple of four
  mjtNum* Jv;      // nefc: J*search
  mjtNum* Mv;      // nv: M*search, padded to a multiple of four
  int* old_state;  // nefc: before the last move
  mjtNum* line;    // 3 x nefc: scratch of the line search
  void* cones;     // scratch of the line search for elliptic contacts
  mjtNum row_cost, gauss_cost;
  mjtNum scale;  // makes improvement and gradient independent of units
  int ncone;     // rows in the middle zone of a cone
  int nline;     // evaluations in the last line search
  mjtNum line_slope;
  cfFillCount fill;  // of a sparse problem that was made dense
} cfPrimal;

// how a primal method finds its directions
typedef struct {
  mjtNum dense_from;  // small sparse problems are made dense when this part of J or more is stored
  bool wants_cones;   // needs Hessians of elliptic cones
  // first direction, given grad
  void (*begin)(cfPrimal* p, void* state);
  // next direction, given grad at the new point and old_state
  void (*next)(cfPrimal* p, void* state);
  // rank-one changes that the last move makes, for the statistics
  int (*countUpdates)(const cfPrimal* p);
  // nonzeros kept
  int (*countNonzeros)(const cfPrimal* p, const void* state);
} cfPrimalMethod;

// run a method on an island; state is scratch of the method
void cfi_solvePrimal(const mjModel* m, mjData* d, cfStart* start, int island,
                     const cfPrimalMethod* method, void* state);

// bytes that p->cones needs
size_t cfi_lineConeBytes(int nefc);

// exact line search along p->search: fills Jv and Mv, returns the step, 0 for none
mjtNum cfi_lineSearch(cfPrimal* p);

// make M dense: rows of cfi_treeStride(nv) numbers, and its diagonal
static inline void cfi_expandInertia(cfPrimal* p, mjtNum* rows, mjtNum* diagonal) {
  p->M_stride = cfi_treeStride(p->nv);
  cfi_expandTree(rows, diagonal, p->M, &p->M_pattern, p->M_stride);
  p->M_rows = rows;
  p->M_diagonal = diagonal;
}

// M*search
static inline void cfi_mulInertia(cfPrimal* p) {
  if (p->M_is_diagonal) {
    const mjtNum* diagonal = p->M + p->M_pattern.rowadr[0];
    for (int i = 0; i < p->nv; i++) {
      p->Mv[i] = diagonal[i] * p->search[i];
    }
  } else if (p->M_rows) {
    cfi_mulTree(p->Mv, p->M_rows, p->M_diagonal, p->search, p->nv, p->M_stride);
  } else {
    cfi_mulSymVecSparse(p->Mv, p->M, p->search, p->M_pattern);
  }
}

#endif  // CF_SOLVER_PRIMAL_H
