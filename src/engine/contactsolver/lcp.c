// MuJoCo's formulation as one of the contact solvers: PGS, CG or Newton, as the options say.
//
// Models that choose nothing do not come here, the stage calls the rows' solver at once; this table
// is for programs whose own solver leaves some steps to it.
#include "base/assert.h"
#include "contactsolver/contactsolver.h"
#include "math/dense.h"
#include "solver/solver.h"

static cftContactResult solveLcp(const cfContactProblem* problem, void* workspace) {
  (void)workspace;
  CF_ASSERT(problem->d->nefc > 0);
  cfi_solveRows(problem->m, problem->d, NULL);
  cfi_copy(problem->force, problem->d->efc_force, problem->d->nefc);
  return CF_CONTACT_COMPLETE;
}


const cfContactSolver cfi_contactLcp = {.name = "lcp", .knows_stiffness = 1, .solve = solveLcp};
