// Contact solvers that can be chosen by name.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "base/catalog.h"
#include "contactsolver/contactsolver.h"

static const char* solverName(const void* solver) {
  return ((const cfContactSolver*)solver)->name;
}


// MuJoCo's comes first
static const void* const own_solvers[] = {&cfi_contactLcp, &cfi_contactXpbd,
                                          &cfi_contactHuntCrossley};
static cfCatalog contact_solvers = CF_CATALOG_INIT("contact solver", solverName, own_solvers);


const cfContactSolver* cf_contactSolverAt(int k) {
  return cfi_modelAt(&contact_solvers, k);
}


const cfContactSolver* cf_findContactSolver(const char* name) {
  return cfi_modelNamed(&contact_solvers, name);
}


const cfContactSolver* cfi_needContactSolver(const char* name, char* error, int nerror) {
  return cfi_needModel(&contact_solvers, name, error, nerror);
}


int cfi_parameterIndex(const cfContactSolver* solver, const char* name) {
  for (int k = 0; k < solver->nparameter; k++) {
    if (name && strcmp(solver->parameter[k].name, name) == 0) {
      return k;
    }
  }
  return -1;
}


// what is out of order in the parameters of a table; NULL if nothing is
static const char* parameterFault(const cfContactSolver* solver) {
  if (solver->nparameter < 0 || solver->nparameter > CF_CONTACT_PARAMETERS) {
    return "too many parameters";
  }
  if (solver->nparameter && !solver->parameter) {
    return "a table of parameters is missing";
  }
  for (int k = 0; k < solver->nparameter; k++) {
    const cfContactParameter* p = solver->parameter + k;
    if (!p->name || !p->name[0] || cfi_parameterIndex(solver, p->name) != k) {
      return "each parameter needs a name of its own";
    }
    if (!(p->lower <= p->initial && p->initial <= p->upper)) {
      return "the initial value of a parameter is not within its bounds";
    }
    if (p->share < CF_CONTACT_MODEL || p->share > CF_CONTACT_MIN) {
      return "unknown share of a parameter";
    }
  }
  return NULL;
}


int cf_registerContactSolver(const cfContactSolver* solver) {
  const char* fault = cfi_nameFault(&contact_solvers, solver);
  if (!fault) {
    fault = solver->solve ? parameterFault(solver) : "it needs the function solve";
  }
  return cfi_addModel(&contact_solvers, solver, fault);
}


// ---------------------------------------- values of parameters

// counts of the built-in solvers
static bool countsSomething(const cfContactSolver* solver, const cfContactParameter* p) {
  static const struct {
    const cfContactSolver* solver;
    const char* name;
  } counts[] = {{&cfi_contactXpbd, "substeps"}, {&cfi_contactXpbd, "iterations"}};
  for (size_t k = 0; k < sizeof(counts) / sizeof(counts[0]); k++) {
    if (counts[k].solver == solver && strcmp(counts[k].name, p->name) == 0) {
      return true;
    }
  }
  return p->unit && strcmp(p->unit, "count") == 0;
}


// is -1 a word for "not given"?
static bool mayBeMissing(const cfContactParameter* p) {
  return p->initial == -1 && p->lower == -1;
}


bool cfi_isBadParameter(const cfContactSolver* solver, int k, mjtNum value, char* text, int ntext) {
  CF_ASSERT_INDEX(k, solver->nparameter);
  const cfContactParameter* p = solver->parameter + k;
  const bool is_count = countsSomething(solver, p), is_gap = mayBeMissing(p) && value < 0;
  if (value >= p->lower && value <= p->upper && (!is_count || value == floor(value)) &&
      (!is_gap || value == -1)) {
    return false;
  }
  if (text && ntext > 0) {
    snprintf(text, (size_t)ntext,
             "parameter '%s' of contact solver '%s' is %g, allowed is %g to %g%s", p->name,
             solver->name, value, mayBeMissing(p) ? 0 : p->lower, p->upper,
             is_count          ? ", whole numbers"
             : mayBeMissing(p) ? ", or -1 for none given"
                               : "");
  }
  return true;
}


bool cfi_integratorConflict(const cfContactSolver* solver, int integrator, char* text, int ntext) {
  CF_ASSERT(solver != NULL);
  if (!solver->is_positional || integrator != mjINT_RK4) {
    return false;
  }
  if (text && ntext > 0) {
    snprintf(text, (size_t)ntext,
             "contact solver '%s' moves positions, which the stages of integrator RK4 do not "
             "allow: choose Euler, implicit or implicitfast",
             solver->name);
  }
  return true;
}
