// Contact solvers in files: cortenforge:solver on <option>, and parameters on <option>, <geom> and
// <pair>, as cortenforge:SOLVER_PARAMETER for the solvers that are built in and as words of
// cortenforge:solver_params for any.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "contactsolver/contactsolver.h"
#include "mjcf/reader.h"
#include "mjcf/solverwords.h"
#include "mjcf/writer.h"

static const char solver_attribute[] = "cortenforge:solver",
                  solver_params[] = "cortenforge:solver_params";


// name of the attribute of a parameter
static const char* parameterAttribute(char* text, size_t room, const char* solver,
                                      const char* parameter) {
  snprintf(text, room, "cortenforge:%s_%s", solver, parameter);
  return text;
}

//---------------------------------- reading -------------------------------------------------------

// parameters of one element: where they go, and which ones it has given so far
typedef struct {
  cfString* text;
  cfString given;
  bool is_model;
} solverValues;

static void takeSolverWord(cfReader* r, const cfNode* node, const char* attribute,
                           const cfSolverWord* word, solverValues* values) {
  char error[1000];
  if (isnan(cfi_solverWordValue(word, values->is_model, error, sizeof(error)))) {
    cfi_error(r->report, node, "%s: %s", attribute, error);
  } else if (cfi_hasSolverWord(&values->given, word->solver, word->parameter)) {
    cfi_error(r->report, node, "%s: parameter '%s' of contact solver '%s' is given twice",
              attribute, word->parameter, word->solver);
  } else {
    cfi_setSolverWord(&values->given, word);
    cfi_setSolverWord(values->text, word);
  }
}

// parameters of an element into its text; solver is that of words which name none
static void readSolverValues(cfReader* r, const cfNode* node, const char* solver, bool is_model,
                             cfString* text) {
  const cfContactSolver* known;
  solverValues values = {.text = text, .is_model = is_model};
  cfi_initString(&values.given);
  for (int k = 0; (known = cf_contactSolverAt(k)); k++) {
    for (int i = 0; i < known->nparameter; i++) {
      char attribute[CF_SOLVER_WORD];
      cfSolverWord word;
      parameterAttribute(attribute, sizeof(attribute), known->name, known->parameter[i].name);
      const char* value = cfi_attribute(node, attribute);
      if (value) {
        cfi_fillSolverWord(&word, known->name, known->parameter[i].name, value);
        takeSolverWord(r, node, attribute, &word, &values);
      }
    }
  }
  const char* words = cfi_attribute(node, solver_params);
  for (cfSolverWord word; words && cfi_nextSolverWord(&words, solver, &word);) {
    takeSolverWord(r, node, solver_params, &word, &values);
  }
  cfi_freeString(&values.given);
}

void cfi_readContactValues(cfReader* r, const cfNode* node, mjsElement* element) {
  CF_ASSERT(element->elemtype == mjOBJ_GEOM || element->elemtype == mjOBJ_PAIR);
  readSolverValues(r, node, "", false, &cfi_element(element)->part.contact.values);
}

void cfi_readContactSolver(cfReader* r, const cfNode* node) {
  cfSpec* spec = cfi_spec(r->spec);
  const char* name = cfi_attribute(node, solver_attribute);
  char error[1000];
  if (name && !cfi_needContactSolver(name, error, sizeof(error))) {
    cfi_error(r->report, node, "%s: %s", solver_attribute, error);
  } else if (name) {
    cfi_assignString(&spec->contact_solver, name);
  }
  readSolverValues(r, node, cfi_text(&spec->contact_solver), true, &spec->contact_values);
  const cfContactSolver* chosen = cf_findContactSolver(cfi_text(&spec->contact_solver));
  if (chosen && cfi_integratorConflict(chosen, r->spec->option.integrator, error, sizeof(error))) {
    cfi_error(r->report, node, "%s", error);
  }
}

//---------------------------------- writing -------------------------------------------------------

// solvers whose parameters have attributes of their own
static bool hasAttributes(const char* solver) {
  return strcmp(solver, "xpbd") == 0 || strcmp(solver, "hunt_crossley") == 0;
}

static void writeSolverValues(cfWriter* w, const cfString* values) {
  const char* text = cfi_text(values);
  const size_t room = strlen(text) + 1;
  char* others = calloc(room, 1);
  if (!others) {
    mju_error("no memory for parameters of a contact solver");
    return;
  }
  size_t used = 0;
  for (cfSolverWord word; cfi_nextSolverWord(&text, "", &word);) {
    char attribute[3 * CF_SOLVER_WORD];
    if (hasAttributes(word.solver)) {
      parameterAttribute(attribute, sizeof(attribute), word.solver, word.parameter);
      cfi_writeText(&w->out, attribute, word.value);
    } else {
      used += (size_t)snprintf(others + used, room - used, "%s%s:%s=%s", used ? " " : "",
                               word.solver, word.parameter, word.value);
    }
  }
  if (used) {
    cfi_writeText(&w->out, solver_params, others);
  }
  free(others);
}

// what the class gives as well is not repeated
void cfi_writeContactValues(cfWriter* w, const cfElement* e, const cfElement* base) {
  const cfString* values = &e->part.contact.values;
  if (strcmp(cfi_text(values), cfi_text(&base->part.contact.values)) != 0) {
    writeSolverValues(w, values);
  }
}

void cfi_writeContactSolver(cfWriter* w) {
  if (cfi_length(&w->spec->contact_solver)) {
    cfi_writeText(&w->out, solver_attribute, cfi_text(&w->spec->contact_solver));
  }
  writeSolverValues(w, &w->spec->contact_values);
}
