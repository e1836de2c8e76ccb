// Contact solvers that can be chosen by name.
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "contactsolver/contactsolver.h"

enum { CONTACT_SOLVERS_MAX = 64 };

// MuJoCo's comes first
static pthread_mutex_t solver_list_guard = PTHREAD_MUTEX_INITIALIZER;
static const cfContactSolver* solver_list[CONTACT_SOLVERS_MAX] = {&cfi_contactLcp, &cfi_contactXpbd,
                                                                  &cfi_contactHuntCrossley};
static int nsolver_list = 3;


const cfContactSolver* cf_contactSolverAt(int k) {
  pthread_mutex_lock(&solver_list_guard);
  const cfContactSolver* solver = k >= 0 && k < nsolver_list ? solver_list[k] : NULL;
  pthread_mutex_unlock(&solver_list_guard);
  return solver;
}


const cfContactSolver* cf_findContactSolver(const char* name) {
  const cfContactSolver* solver = NULL;
  for (int k = 0; name && (solver = cf_contactSolverAt(k)) && strcmp(solver->name, name) != 0;) {
    k++;
  }
  return name ? solver : NULL;
}


void cfi_contactSolverNames(char* text, size_t room) {
  CF_ASSERT(room > 0);
  size_t used = 0;
  text[0] = 0;
  const cfContactSolver* solver;
  for (int k = 0; used < room && (solver = cf_contactSolverAt(k)); k++) {
    used += (size_t)snprintf(text + used, room - used, "%s%s", k ? ", " : "", solver->name);
  }
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


// why a solver cannot be added; NULL if it can
static const char* solverFault(const cfContactSolver* solver) {
  if (!solver || !solver->name || !solver->name[0]) {
    return "a solver needs a name";
  }
  if (!solver->solve) {
    return "a solver needs the function solve";
  }
  if (cf_findContactSolver(solver->name)) {
    return "a solver of that name exists";
  }
  return parameterFault(solver);
}


int cf_registerContactSolver(const cfContactSolver* solver) {
  const char* reason = solverFault(solver);
  if (!reason) {
    pthread_mutex_lock(&solver_list_guard);
    if (nsolver_list < CONTACT_SOLVERS_MAX) {
      solver_list[nsolver_list++] = solver;
    } else {
      reason = "the list is full";
    }
    pthread_mutex_unlock(&solver_list_guard);
  }
  if (reason) {
    mju_warning("contact solver '%s' is not registered: %s",
                solver && solver->name ? solver->name : "", reason);
  }
  return !reason;
}


bool cfi_isBadParameter(const cfContactSolver* solver, int k, mjtNum value, char* text, int ntext) {
  CF_ASSERT_INDEX(k, solver->nparameter);
  const cfContactParameter* p = solver->parameter + k;
  if (value >= p->lower && value <= p->upper) {
    return false;
  }
  if (text && ntext > 0) {
    snprintf(text, (size_t)ntext,
             "parameter '%s' of contact solver '%s' is %g, allowed is %g to %g", p->name,
             solver->name, value, p->lower, p->upper);
  }
  return true;
}
