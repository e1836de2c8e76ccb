// Values of the parameters of contact solvers as texts.
#include "mjcf/solverwords.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "contactsolver/contactsolver.h"
#include "mjcf/number.h"
#include "mjcf/output.h"


// names of the parameters that a geom or the model may set
static void parameterNames(const cfContactSolver* solver, bool is_model, char* text, size_t room) {
  size_t used = 0;
  text[0] = 0;
  for (int k = 0; k < solver->nparameter && used < room; k++) {
    if (is_model || solver->parameter[k].share != CF_CONTACT_MODEL) {
      used += (size_t)snprintf(text + used, room - used, "%s%s", used ? ", " : "",
                               solver->parameter[k].name);
    }
  }
}


double cfi_solverWordValue(const cfSolverWord* word, bool is_model, char* error, int nerror) {
  const cfContactSolver* solver = cf_findContactSolver(word->solver);
  if (!solver) {
    snprintf(error, (size_t)nerror, "'%s:%s': there is no contact solver of that name",
             word->solver, word->parameter);
    return NAN;
  }
  int k = 0;
  while (k < solver->nparameter && strcmp(solver->parameter[k].name, word->parameter) != 0) {
    k++;
  }
  const cfContactParameter* p = k < solver->nparameter ? solver->parameter + k : NULL;
  if (!p || (!is_model && p->share == CF_CONTACT_MODEL)) {
    char names[600];
    parameterNames(solver, is_model, names, sizeof(names));
    snprintf(error, (size_t)nerror, "contact solver '%s' has no parameter '%s' here, but %s",
             solver->name, word->parameter, names[0] ? names : "none");
    return NAN;
  }
  const char* cursor = word->value;
  double value = 0;
  if (cfi_nextDouble(&cursor, &value) != CF_NUMBER_OK || *cursor) {
    snprintf(error, (size_t)nerror,
             "parameter '%s' of contact solver '%s' is '%s', allowed is a number from %g to %g",
             p->name, solver->name, word->value, p->lower, p->upper);
    return NAN;
  }
  return cfi_isBadParameter(solver, k, value, error, nerror) ? NAN : value;
}


void cfi_setSolverValue(cfString* text, const cfContactSolver* solver, int k, double value) {
  CF_ASSERT_INDEX(k, solver->nparameter);
  const char *name = solver->parameter[k].name, *at = cfi_text(text);
  char error[1000], digits[CF_DOUBLE_TEXT];
  for (cfSolverWord word; cfi_nextSolverWord(&at, "", &word);) {
    if (strcmp(word.solver, solver->name) == 0 && strcmp(word.parameter, name) == 0 &&
        cfi_solverWordValue(&word, true, error, sizeof(error)) == value) {
      return;
    }
  }
  cfSolverWord word;
  cfi_doubleText(digits, value);
  cfi_fillSolverWord(&word, solver->name, name, digits);
  cfi_setSolverWord(text, &word);
}
