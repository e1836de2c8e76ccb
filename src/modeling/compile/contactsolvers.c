// The contact solver that a specification chooses, and parameters of its geoms and pairs.
#include <math.h>

#include "base/assert.h"
#include "compile/draft.h"
#include "compile/phases.h"
#include "contactsolver/contactsolver.h"
#include "mjcf/solverwords.h"

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
  const char* name = cfi_text(&spec->contact_solver);
  const cfContactSolver* solver =
      name[0] ? cfi_needContactSolver(name, error, sizeof(error)) : NULL;
  if (solver &&
      !cfi_integratorConflict(solver, draft->model->opt.integrator, error, sizeof(error))) {
    cf_setContactSolver(draft->model, name, NULL, 0, error, sizeof(error));
  }
  if (error[0]) {
    cfi_fail(draft, NULL, "%s", error);
  }
}


//---------------------------------- back into the specification -----------------------------------

// values that an object has of its own; those of the model where they are not the initial ones
static void solverValuesBack(const mjModel* m, mjtObj objtype, int id, cfString* text) {
  const cfContactSolver* solver;
  for (int n = 0; (solver = cf_contactSolverAt(n)); n++) {
    for (int k = 0; k < solver->nparameter; k++) {
      const cfContactParameter* p = solver->parameter + k;
      const double value = cf_contactParameter(m, solver->name, p->name, objtype, id);
      const bool is_usual = objtype == mjOBJ_MODEL && value == p->initial;
      if (!isnan(value) && (!is_usual || cfi_hasSolverWord(text, solver->name, p->name))) {
        cfi_setSolverValue(text, solver, k, value);
      }
    }
  }
}


void cfi_contactSolverBack(cfSpec* spec, const mjModel* m) {
  const char* name = cf_contactSolver(m)->name;
  const bool is_default = cf_contactSolver(m) == cf_contactSolverAt(0);
  if (!is_default || cfi_length(&spec->contact_solver)) {
    cfi_assignString(&spec->contact_solver, name);
  }
  solverValuesBack(m, mjOBJ_MODEL, 0, &spec->contact_values);
}


void cfi_contactValuesBack(const mjModel* m, cfElement* e, int id) {
  CF_ASSERT(e->head.elemtype == mjOBJ_GEOM || e->head.elemtype == mjOBJ_PAIR);
  solverValuesBack(m, e->head.elemtype, id, &e->part.contact.values);
}
