// Values of the parameters of contact solvers as texts, both ways.
#ifndef CF_MJCF_SOLVERWORDS_H
#define CF_MJCF_SOLVERWORDS_H

#include "spec/specsolver.h"

// what is wrong with a word, for the model or for a geom or pair; the value, or NaN and a message
double cfi_solverWordValue(const cfSolverWord* word, bool is_model, char* error, int nerror);

// put the value of a parameter into a text; a word that says the same stays as it is
void cfi_setSolverValue(cfString* text, const cfContactSolver* solver, int k, double value);

#endif  // CF_MJCF_SOLVERWORDS_H
