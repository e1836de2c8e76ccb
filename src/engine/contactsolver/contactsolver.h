// Contact solvers: the built-in ones, the choice of a model, and what the stage hands to them.
#ifndef CF_CONTACTSOLVER_CONTACTSOLVER_H
#define CF_CONTACTSOLVER_CONTACTSOLVER_H

#include <stdbool.h>

#include <cortenforge/contact.h>

#include "base/likely.h"
#include "model/extension.h"

extern const cfContactSolver cfi_contactLcp, cfi_contactXpbd, cfi_contactHuntCrossley;

// what a model has for one solver
typedef struct {
  const cfContactSolver* solver;
  mjtNum parameter[CF_CONTACT_PARAMETERS];
  mjtNum* own;  // (ngeom + npair) x nparameter: values of geoms and pairs, NaN where not set; NULL:
                // none is set
  bool solves_stiffness;  // the solver has the stiffness of flexes in its own matrix
} cfContactSetting;

// content of the slot of a model in which something was chosen or set
typedef struct {
  const cfContactSetting* active;  // NULL: MuJoCo's solver
  int ngeom, npair;
  int nsetting, room;
  cfContactSetting* setting;
} cfContactChoice;

static inline const cfContactChoice* cfi_contactChoice(const mjModel* m) {
  return cfi_modelExtension(m)->slot[CF_EXTENSION_SOLVER].content;
}

// the predefined pair that a contact belongs to, -1 if none
int cfi_pairOfContact(const mjModel* m, const mjContact* con);

// what replaces MuJoCo's solver; NULL: nothing
static inline const cfContactSetting* cfi_contactSetting(const mjModel* m) {
  const cfContactChoice* choice = cfi_contactChoice(m);
  return CF_SELDOM(choice) ? choice->active : NULL;
}

// True if the solver of a step has the stiffness of flexes in its own matrix.  Others work with the
// forces that pipeline/implicitflex.c finds.
static inline bool cfi_solvesStiffness(const mjModel* m) {
  const cfContactSetting* setting = cfi_contactSetting(m);
  return setting && setting->solves_stiffness;
}

// the choice in MJB files
extern const cfExtensionClass cfi_contactChoiceClass;
size_t cfi_packContactChoice(const mjModel* m, const void* content, char* buffer);
size_t cfi_unpackContactSolver(mjModel* m, int* last, const char* bytes, size_t nbyte, char* reason,
                               size_t nreason);

// solver of that name, or NULL and a message that names those which exist
const cfContactSolver* cfi_needContactSolver(const char* name, char* error, int nerror);

// what is wrong with a value of a parameter, in text; false if nothing is
bool cfi_isBadParameter(const cfContactSolver* solver, int k, mjtNum value, char* text, int ntext);

// why a solver cannot work with an integrator (mjtIntegrator), in text; false if it can
bool cfi_integratorConflict(const cfContactSolver* solver, int integrator, char* text, int ntext);

// why a solver cannot work with the interpolated flexes of a model and its integrator, in text;
// false if it can
bool cfi_gridConflict(const cfContactSolver* solver, const mjModel* m, char* text, int ntext);

// place of a parameter in the table of a solver, -1 if it has none of that name
int cfi_parameterIndex(const cfContactSolver* solver, const char* name);

#endif  // CF_CONTACTSOLVER_CONTACTSOLVER_H
