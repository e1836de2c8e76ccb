#include "spec/specsolver.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"

static const char solver_blanks[] = " \t\r\n";


bool cfi_nextSolverWord(const char** text, const char* solver, cfSolverWord* word) {
  CF_ASSERT(text && *text);
  const char* start = *text + strspn(*text, solver_blanks);
  const size_t length = strcspn(start, solver_blanks);
  *text = start + length;
  if (length == 0) {
    return false;
  }
  const size_t head = strcspn(start, ":="), name_end = strcspn(start, "=");
  const bool has_solver = head < length && start[head] == ':';
  const size_t from = has_solver ? head + 1 : 0, end = name_end < length ? name_end : length;
  const size_t value = end < length ? end + 1 : length;
  snprintf(word->solver, CF_SOLVER_WORD, "%.*s", has_solver ? (int)head : CF_SOLVER_WORD - 1,
           has_solver ? start : solver);
  snprintf(word->parameter, CF_SOLVER_WORD, "%.*s", end > from ? (int)(end - from) : 0,
           start + from);
  snprintf(word->value, CF_SOLVER_WORD, "%.*s", (int)(length - value), start + value);
  return true;
}


void cfi_setSolverWord(cfString* text, const cfSolverWord* word) {
  const size_t room = strlen(cfi_text(text)) + 3 * CF_SOLVER_WORD + 4;
  char* next = malloc(room);
  if (!next) {
    mju_error("no memory for parameters of a contact solver");
    return;
  }
  size_t used = 0;
  const char* at = cfi_text(text);
  next[0] = 0;
  for (cfSolverWord old; cfi_nextSolverWord(&at, "", &old);) {
    if (strcmp(old.solver, word->solver) != 0 || strcmp(old.parameter, word->parameter) != 0) {
      used += (size_t)snprintf(next + used, room - used, "%s:%s=%s ", old.solver, old.parameter,
                               old.value);
    }
  }
  snprintf(next + used, room - used, "%s:%s=%s", word->solver, word->parameter, word->value);
  cfi_assignString(text, next);
  free(next);
}


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
  char* end = NULL;
  const double value = strtod(word->value, &end);
  if (!word->value[0] || *end || !(value >= p->lower && value <= p->upper)) {
    snprintf(error, (size_t)nerror,
             "%s of contact solver '%s' is '%s', allowed is a number from %g to %g", p->name,
             solver->name, word->value, p->lower, p->upper);
    return NAN;
  }
  return value;
}
