// Parameters of contact solvers in a specification: one text per geom, pair and specification, of
// words "solver:parameter=value" separated by blanks.
#ifndef CF_SPEC_SPECSOLVER_H
#define CF_SPEC_SPECSOLVER_H

#include <stdbool.h>

#include <cortenforge/contact.h>

#include "spec/spec.h"

enum { CF_SOLVER_WORD = 300 };

// one word, taken apart
typedef struct {
  char solver[CF_SOLVER_WORD], parameter[CF_SOLVER_WORD], value[CF_SOLVER_WORD];
} cfSolverWord;

// take the next word of a text; false at its end.  Parts that a word lacks are empty, the solver is
// that of the argument where the word names none
bool cfi_nextSolverWord(const char** text, const char* solver, cfSolverWord* word);

// a word of three texts; blanks around the value do not count
void cfi_fillSolverWord(cfSolverWord* word, const char* solver, const char* parameter,
                        const char* value);

// does a text have a word for a parameter?
bool cfi_hasSolverWord(const cfString* text, const char* solver, const char* parameter);

// put a word into a text, in the place of one for the same parameter
void cfi_setSolverWord(cfString* text, const cfSolverWord* word);

#endif  // CF_SPEC_SPECSOLVER_H
