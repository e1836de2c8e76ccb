// Contact solvers of a model in MJB files.
//
// For each solver that the model has values for, in their order: int32 bytes of the name, count of
// values, 1 if it is the one in use, 0; name; values.  A value is int32 place (-1 the model, then
// geoms, then pairs), int32 parameter, double.
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "base/catalog.h"
#include "contactsolver/contactsolver.h"

enum { SOLVER_ENTRY_BYTES = 16, SOLVER_VALUE_BYTES = 16 };


// ---------------------------------------- writing

typedef struct {
  char* buffer;  // NULL: only counts
  size_t used;
} solverWriter;


static void putSolverBytes(solverWriter* w, const void* bytes, size_t nbyte) {
  if (w->buffer) {
    memcpy(w->buffer + w->used, bytes, nbyte);
  }
  w->used += nbyte;
}


static void putSolverValue(solverWriter* w, int place, int k, mjtNum value) {
  const int32_t where[2] = {place, k};
  putSolverBytes(w, where, sizeof(where));
  putSolverBytes(w, &value, sizeof(value));
}


// values of geoms and pairs that are set; writes them if there is a writer
static int ownValues(const cfContactChoice* choice, const cfContactSetting* s, solverWriter* w) {
  const int n = s->solver->nparameter, all = s->own ? (choice->ngeom + choice->npair) * n : 0;
  int count = 0;
  for (int i = 0; i < all; i++) {
    if (!isnan(s->own[i])) {
      count++;
      if (w) {
        putSolverValue(w, i / n, i % n, s->own[i]);
      }
    }
  }
  return count;
}


size_t cfi_packContactChoice(const mjModel* m, const void* content, char* buffer) {
  const cfContactChoice* choice = content;
  CF_ASSERT(choice->ngeom == m->ngeom && choice->npair == m->npair);
  (void)m;
  solverWriter w = {buffer, 0};
  for (int k = 0; k < choice->nsetting; k++) {
    const cfContactSetting* s = choice->setting + k;
    const int32_t entry[4] = {(int32_t)strlen(s->solver->name),
                              s->solver->nparameter + ownValues(choice, s, NULL),
                              choice->active == s, 0};
    putSolverBytes(&w, entry, sizeof(entry));
    putSolverBytes(&w, s->solver->name, (size_t)entry[0]);
    for (int i = 0; i < s->solver->nparameter; i++) {
      putSolverValue(&w, -1, i, s->parameter[i]);
    }
    ownValues(choice, s, &w);
  }
  return w.used;
}


// ---------------------------------------- reading

// a value, which stands behind the one at `before` in the order of objects and parameters
static bool unpackSolverValue(mjModel* m, const cfContactSolver* solver, const char* bytes,
                              const char* before, char* reason, size_t nreason) {
  CF_ASSERT(solver != NULL && bytes != NULL);
  int32_t where[2], last[2];
  mjtNum value;
  memcpy(where, bytes, sizeof(where));
  memcpy(&value, bytes + sizeof(where), sizeof(value));
  if (before) {
    memcpy(last, before, sizeof(last));
    if (where[0] < last[0] || (where[0] == last[0] && where[1] <= last[1])) {
      snprintf(reason, nreason, "solver '%s': value %d of object %d comes twice", solver->name,
               (int)where[1], (int)where[0]);
      return false;
    }
  }
  if (where[1] < 0 || where[1] >= solver->nparameter || where[0] < -1 ||
      where[0] >= m->ngeom + m->npair) {
    snprintf(reason, nreason, "solver '%s' has no value %d of object %d", solver->name,
             (int)where[1], (int)where[0]);
    return false;
  }
  const bool is_pair = where[0] >= m->ngeom;
  const mjtObj objtype = where[0] < 0 ? mjOBJ_MODEL : is_pair ? mjOBJ_PAIR : mjOBJ_GEOM;
  const int id = is_pair ? where[0] - (int)m->ngeom : where[0];
  return cf_setContactParameter(m, solver->name, solver->parameter[where[1]].name, objtype, id,
                                value, reason, (int)nreason);
}


// has an entry before this one told of the solver?
static bool isUnpacked(const mjModel* m, const cfContactSolver* solver) {
  const cfContactChoice* choice = cfi_contactChoice(m);
  for (int k = 0; choice && k < choice->nsetting; k++) {
    if (choice->setting[k].solver == solver) {
      return true;
    }
  }
  return false;
}


size_t cfi_unpackContactSolver(mjModel* m, int* last, const char* bytes, size_t nbyte, char* reason,
                               size_t nreason) {
  int32_t entry[4] = {0};
  if (nbyte >= SOLVER_ENTRY_BYTES) {
    memcpy(entry, bytes, SOLVER_ENTRY_BYTES);
  }
  const size_t rest = nbyte - SOLVER_ENTRY_BYTES;
  if (entry[0] < 1 || entry[0] > CF_MODEL_NAME_MAX || entry[1] < 0 || (size_t)entry[0] > rest ||
      (size_t)entry[1] > (rest - (size_t)entry[0]) / SOLVER_VALUE_BYTES) {
    snprintf(reason, nreason, "an entry does not fit in its section");
    return 0;
  }
  char name[CF_MODEL_NAME_MAX + 1];
  memcpy(name, bytes + SOLVER_ENTRY_BYTES, (size_t)entry[0]);
  name[entry[0]] = 0;
  const cfContactSolver* solver = cfi_needContactSolver(name, reason, (int)nreason);
  if (!solver) {
    return 0;
  }
  if (isUnpacked(m, solver)) {
    snprintf(reason, nreason, "solver '%s' comes twice", name);
    return 0;
  }
  size_t at = SOLVER_ENTRY_BYTES + (size_t)entry[0];
  for (int32_t k = 0; k < entry[1]; k++, at += SOLVER_VALUE_BYTES) {
    if (!unpackSolverValue(m, solver, bytes + at, k ? bytes + at - SOLVER_VALUE_BYTES : NULL,
                           reason, nreason)) {
      return 0;
    }
  }
  (void)last;
  const bool is_active = entry[2] != 0;
  return !is_active || cf_setContactSolver(m, name, NULL, 0, reason, (int)nreason) ? at : 0;
}
