// The contact solver that a specification chooses, and parameters of its geoms and pairs.
#include "base/assert.h"
#include "compile/draft.h"
#include "compile/phases.h"
#include "spec/specsolver.h"

// the words of a text into the model
static void setSolverValues(cfDraft* draft, const cfPart* part, const cfString* values,
                            mjtObj objtype, int id) {
  const char* text = cfi_text(values);
  for (cfSolverWord word; cfi_nextSolverWord(&text, "", &word);) {
    char error[1000] = "";
    const double value = cfi_solverWordValue(&word, objtype == mjOBJ_MODEL, error, sizeof(error));
    if (error[0] || !cf_setContactParameter(draft->model, word.solver, word.parameter, objtype, id,
                                            value, error, sizeof(error))) {
      cfi_fail(draft, part, "%s", error);
    }
  }
}


void cfi_chooseContactSolver(cfDraft* draft) {
  static const mjtObj types[2] = {mjOBJ_GEOM, mjOBJ_PAIR};
  const cfSpec* spec = draft->spec;
  char error[1000] = "";
  CF_ASSERT(draft->model != NULL);
  setSolverValues(draft, NULL, &spec->contact_values, mjOBJ_MODEL, 0);
  for (int k = 0; k < 2; k++) {
    const cfPartList* parts = cfi_parts(draft, types[k]);
    for (int i = 0; i < parts->count; i++) {
      const cfElement* origin = parts->item[i]->origin;
      if (origin && cfi_length(&origin->part.contact.values)) {
        setSolverValues(draft, parts->item[i], &origin->part.contact.values, types[k], i);
      }
    }
  }
  if (cfi_length(&spec->contact_solver) &&
      !cf_setContactSolver(draft->model, cfi_text(&spec->contact_solver), NULL, 0, error,
                           sizeof(error))) {
    cfi_fail(draft, NULL, "%s", error);
  }
}
