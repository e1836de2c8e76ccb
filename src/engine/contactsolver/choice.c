// Which contact solver a model uses, and its parameters: kept in the private block of the model.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "base/memory.h"
#include "contactsolver/contactsolver.h"
#include "contactsolver/field.h"
#include "contactsolver/huntlaw.h"
#include "flex/grid.h"
#include "flex/models.h"


// ---------------------------------------- content of the slot

static size_t ownBytes(const cfContactChoice* choice, const cfContactSolver* solver) {
  return sizeof(mjtNum) * (size_t)(choice->ngeom + choice->npair) * (size_t)solver->nparameter;
}


static void freeContactChoice(void* content) {
  cfContactChoice* choice = content;
  for (int k = 0; k < choice->nsetting; k++) {
    mju_free(choice->setting[k].own);
  }
  mju_free(choice->setting);
  mju_free(choice);
}


static void* copyContactChoice(const void* content) {
  const cfContactChoice* from = content;
  cfContactChoice* choice = cfi_tryMalloc(sizeof(cfContactChoice));
  cfContactSetting* setting = cfi_tryMalloc(sizeof(cfContactSetting) * (size_t)from->room);
  if (!choice || !setting) {
    mju_free(choice);
    mju_free(setting);
    return NULL;
  }
  *choice = *from;
  choice->setting = setting;
  choice->active = from->active ? setting + (from->active - from->setting) : NULL;
  choice->nsetting = 0;
  for (int k = 0; k < from->nsetting; k++) {
    const size_t bytes = ownBytes(from, from->setting[k].solver);
    setting[k] = from->setting[k];
    setting[k].own = from->setting[k].own ? cfi_tryMalloc(bytes) : NULL;
    choice->nsetting++;
    if (setting[k].own) {
      memcpy(setting[k].own, from->setting[k].own, bytes);
    } else if (from->setting[k].own) {
      freeContactChoice(choice);
      return NULL;
    }
  }
  return choice;
}


const cfExtensionClass cfi_contactChoiceClass = {.name = "contact solver",
                                                 .copy = copyContactChoice,
                                                 .free = freeContactChoice,
                                                 .pack = cfi_packContactChoice,
                                                 .unpackEntry = cfi_unpackContactSolver};


static cfContactChoice* openContactChoice(mjModel* m) {
  cfExtensionSlot* slot = cfi_modelExtension(m)->slot + CF_EXTENSION_SOLVER;
  if (!slot->content) {
    cfContactChoice* choice = cfi_tryMalloc(sizeof(cfContactChoice));
    if (!choice) {
      return NULL;
    }
    *choice = (cfContactChoice){.ngeom = (int)m->ngeom, .npair = (int)m->npair};
    *slot = (cfExtensionSlot){&cfi_contactChoiceClass, choice};
  }
  return slot->content;
}


static cfContactSetting* findSetting(const cfContactChoice* choice, const cfContactSolver* solver) {
  for (int k = 0; choice && k < choice->nsetting; k++) {
    if (choice->setting[k].solver == solver) {
      return choice->setting + k;
    }
  }
  return NULL;
}


// room for one more setting; false without memory
static bool growSettings(cfContactChoice* choice) {
  if (choice->nsetting < choice->room) {
    return true;
  }
  const int room = choice->room + 4;
  cfContactSetting* setting = cfi_tryMalloc(sizeof(cfContactSetting) * (size_t)room);
  if (!setting) {
    return false;
  }
  const ptrdiff_t active = choice->active ? choice->active - choice->setting : -1;
  if (choice->nsetting) {
    memcpy(setting, choice->setting, sizeof(cfContactSetting) * (size_t)choice->nsetting);
  }
  mju_free(choice->setting);
  choice->setting = setting;
  choice->room = room;
  choice->active = active < 0 ? NULL : setting + active;
  return true;
}


// what the model has for a solver, with the initial values if it had nothing; NULL without memory
static cfContactSetting* openSetting(mjModel* m, const cfContactSolver* solver) {
  cfContactChoice* choice = openContactChoice(m);
  cfContactSetting* setting = findSetting(choice, solver);
  if (setting || !choice || !growSettings(choice)) {
    return setting;
  }
  setting = choice->setting + choice->nsetting++;
  *setting =
      (cfContactSetting){.solver = solver, .solves_stiffness = solver == &cfi_contactHuntCrossley};
  for (int k = 0; k < solver->nparameter; k++) {
    setting->parameter[k] = solver->parameter[k].initial;
  }
  return setting;
}


// ---------------------------------------- choose and set

// message for what cannot be done; 0
static int refuseSolver(char* error, int nerror, const char* text, const char* detail) {
  if (error && nerror > 0) {
    snprintf(error, (size_t)nerror, text, detail);
  }
  return 0;
}


static int refuseParameter(char* error, int nerror, const cfContactSolver* solver,
                           const char* name) {
  char text[1000];
  int used = snprintf(text, sizeof(text), "contact solver '%s' has no parameter '%%s'; it has%s",
                      solver->name, solver->nparameter ? "" : " none");
  for (int k = 0; k < solver->nparameter && used < (int)sizeof(text); k++) {
    used += snprintf(text + used, sizeof(text) - (size_t)used, "%s %s", k ? "," : "",
                     solver->parameter[k].name);
  }
  return refuseSolver(error, nerror, text, name ? name : "");
}


bool cfi_gridConflict(const cfContactSolver* solver, const mjModel* m, char* text, int ntext) {
  const bool is_implicit =
      m->opt.integrator == mjINT_IMPLICIT || m->opt.integrator == mjINT_IMPLICITFAST;
  CF_ASSERT(solver != NULL);
  for (int f = 0; f < m->nflex && is_implicit && solver->is_positional; f++) {
    if (cfi_hasGridForces(m, f)) {
      refuseSolver(text, ntext,
                   "contact solver '%s' does not know the stiffness of interpolated flexes, which "
                   "integrators implicit and implicitfast take implicitly: choose integrator "
                   "Euler, or contact solver 'lcp' or 'hunt_crossley'",
                   solver->name);
      return true;
    }
  }
  return false;
}


int cf_setContactSolver(mjModel* m, const char* name, const mjtNum* parameter, int nparameter,
                        char* error, int nerror) {
  const cfContactSolver* solver =
      name ? cfi_needContactSolver(name, error, nerror) : &cfi_contactLcp;
  if (!solver) {
    return 0;
  }
  const int count = parameter ? nparameter : 0;
  if (count < 0 || count > solver->nparameter) {
    char text[200];
    snprintf(text, sizeof(text), "contact solver '%%s' has %d parameters, %d are given",
             solver->nparameter, count);
    return refuseSolver(error, nerror, text, solver->name);
  }
  for (int k = 0; k < count; k++) {
    if (cfi_isBadParameter(solver, k, parameter[k], error, nerror)) {
      return 0;
    }
  }

  if (!solver->knows_stiffness && cfi_hasImplicitFlexes(m)) {
    return refuseSolver(error, nerror,
                        "contact solver '%s' does not know implicit stiffness, which a flex of "
                        "this model has; 'lcp' and 'hunt_crossley' do",
                        solver->name);
  }
  if (cfi_gridConflict(solver, m, error, nerror)) {
    return 0;
  }

  cfContactSetting* setting = solver == &cfi_contactLcp ? NULL : openSetting(m, solver);
  if (setting) {
    memcpy(setting->parameter, parameter ? parameter : setting->parameter,
           sizeof(mjtNum) * (size_t)count);
  } else if (solver != &cfi_contactLcp) {
    return refuseSolver(error, nerror, "no memory for contact solver '%s'", solver->name);
  }
  cfContactChoice* choice = cfi_modelExtension(m)->slot[CF_EXTENSION_SOLVER].content;
  if (choice) {
    choice->active = setting;
  }
  char conflict[300];
  if (cfi_integratorConflict(solver, m->opt.integrator, conflict, sizeof(conflict))) {
    mju_warning("%s; a step of this model becomes one of Euler", conflict);
  }
  cfi_modelExtension(m)->stiff_free = solver->knows_stiffness ? NULL : solver->name;
  return 1;
}


// place of an object among the values of geoms and pairs, -1 if there is no such object
static int ownPlace(const mjModel* m, mjtObj objtype, int id) {
  if (objtype == mjOBJ_GEOM && id >= 0 && id < m->ngeom) {
    return id;
  }
  return objtype == mjOBJ_PAIR && id >= 0 && id < m->npair ? (int)m->ngeom + id : -1;
}


// values of geoms and pairs, none of them set yet; false without memory
static bool openOwn(const cfContactChoice* choice, cfContactSetting* setting) {
  if (!setting->own) {
    const size_t bytes = ownBytes(choice, setting->solver);
    setting->own = cfi_tryMalloc(bytes ? bytes : 1);
    for (size_t k = 0; setting->own && k < bytes / sizeof(mjtNum); k++) {
      setting->own[k] = NAN;
    }
  }
  return setting->own != NULL;
}


// True if the geom, or both of the pair, have a pressure field.
static bool canHaveField(const mjModel* m, mjtObj objtype, int id) {
  return objtype == mjOBJ_GEOM
             ? cfi_hasField(m, id)
             : cfi_hasField(m, m->pair_geom1[id]) && cfi_hasField(m, m->pair_geom2[id]);
}


int cf_setContactParameter(mjModel* m, const char* solver, const char* parameter, mjtObj objtype,
                           int id, mjtNum value, char* error, int nerror) {
  const cfContactSolver* found = cfi_needContactSolver(solver, error, nerror);
  if (!found) {
    return 0;
  }
  const int k = cfi_parameterIndex(found, parameter);
  if (k < 0) {
    return refuseParameter(error, nerror, found, parameter);
  }
  if (cfi_isBadParameter(found, k, value, error, nerror)) {
    return 0;
  }
  const int place = ownPlace(m, objtype, id);
  if (objtype != mjOBJ_MODEL && place < 0) {
    return refuseSolver(error, nerror, "there is no such geom or pair%s", "");
  }
  if (objtype != mjOBJ_MODEL && found->parameter[k].share == CF_CONTACT_MODEL) {
    return refuseSolver(error, nerror, "parameter '%s' is one of the whole model", parameter);
  }

  if (objtype != mjOBJ_MODEL && value > 0 && found == &cfi_contactHuntCrossley &&
      k == HUNT_MODULUS && !canHaveField(m, objtype, id)) {
    return refuseSolver(error, nerror,
                        "a geom without a pressure field has no '%s': fields have planes, spheres, "
                        "capsules, ellipsoids, cylinders, boxes and meshes with a convex hull",
                        parameter);
  }

  cfContactSetting* setting = openSetting(m, found);
  if (!setting || (objtype != mjOBJ_MODEL && !openOwn(cfi_contactChoice(m), setting))) {
    return refuseSolver(error, nerror, "no memory for contact solver '%s'", found->name);
  }
  if (objtype == mjOBJ_MODEL) {
    setting->parameter[k] = value;
  } else {
    setting->own[(size_t)place * (size_t)found->nparameter + (size_t)k] = value;
  }
  return 1;
}


// ---------------------------------------- ask

mjtNum cf_contactParameter(const mjModel* m, const char* solver, const char* parameter,
                           mjtObj objtype, int id) {
  const cfContactSolver* found = cf_findContactSolver(solver);
  const int k = found ? cfi_parameterIndex(found, parameter) : -1;
  if (k < 0) {
    return NAN;
  }
  const cfContactSetting* setting = findSetting(cfi_contactChoice(m), found);
  if (objtype == mjOBJ_MODEL) {
    return setting ? setting->parameter[k] : found->parameter[k].initial;
  }
  const int place = ownPlace(m, objtype, id);
  const bool is_set = setting && setting->own && place >= 0;
  return is_set ? setting->own[(size_t)place * (size_t)found->nparameter + (size_t)k] : NAN;
}


const cfContactSolver* cf_contactSolver(const mjModel* m) {
  const cfContactSetting* setting = cfi_contactSetting(m);
  return setting ? setting->solver : &cfi_contactLcp;
}
