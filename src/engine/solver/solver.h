// Constraint solvers: one class each, chosen by m->opt.solver.
#ifndef CF_SOLVER_SOLVER_H
#define CF_SOLVER_SOLVER_H

#include <stdbool.h>

#include <mujoco/mjdata.h>
#include <mujoco/mjmodel.h>

// what is known at the starting point d->qacc
typedef struct {
  mjtNum* jar;        // nefc: J*qacc - aref
  mjtNum* Ma;         // nv: M*qacc
  mjtNum row_cost;    // cost of the rows, if they are evaluated
  bool is_evaluated;  // state and force of all rows are those at qacc, cone Hessians included
  bool is_stale;  // jar and Ma hold NaN of dofs that a solver may not look at: compute them anew
} cfStart;

// a solver of the constraint problem
typedef struct {
  const char* name;
  bool by_island;  // can solve islands one by one
  bool is_primal;  // unknowns are accelerations, not forces
  // solve an island, or everything if island is -1.  Reads qacc as starting point; writes qacc,
  // qfrc_constraint, force and state of the rows, and statistics
  void (*solve)(const mjModel* m, mjData* d, cfStart* start, int island);
} cfSolverClass;

extern const cfSolverClass cfi_solverPGS, cfi_solverCG, cfi_solverNewton;

// solve the rows of this step, of which there are some, by the solver of the options.
// reads: efc_ and island arrays, qacc_smooth, qfrc_smooth, qacc_warmstart, M, qLD.
// writes: efc_b, efc_force, efc_state, qfrc_constraint, qacc, i... copies, solver statistics
// known: residual and M*qacc at qacc_warmstart, efc_b being known too; or NULL
void cfi_solveRows(const mjModel* m, mjData* d, const cfStart* known);

// does the solver of the options ask for residuals at qacc_warmstart
bool cfi_startsWarm(const mjModel* m);

// friction without slip, on top of the forces that a solver has found
void cfi_solveNoslip(const mjModel* m, mjData* d);

#endif  // CF_SOLVER_SOLVER_H
