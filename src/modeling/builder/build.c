// From wishes to a simulation: the model, then its exchangeable parts, then what must go together.
#include <stdio.h>
#include <string.h>

#include <cortenforge/flex.h>
#include <cortenforge/actuator.h>

#include "base/assert.h"
#include "base/memory.h"
#include "base/nearest.h"
#include "builder/builder.h"
#include "contactsolver/contactsolver.h"
#include "flex/models.h"
#include "model/data.h"
#include "spec/spec.h"

struct cfSim_ {
  mjModel* m;
  mjData* d;
};

enum { REASON_BYTES = 1200 };


// ---------------------------------------- actuators

// the model of an actuator, before compilation where there is a specification
static void applyGain(cfComplaints* complaints, const cfWish* wish, mjsActuator* actuator,
                      mjModel* m, int u) {
  CF_ASSERT(wish->kind == CF_WISH_GAIN && !actuator == !!m);
  char reason[REASON_BYTES] = "";
  const mjtNum* param = wish->nparam >= 0 ? wish->param : NULL;
  const int is_done =
      actuator ? cf_setSpecGain(actuator, wish->model, param, wish->nparam, reason, sizeof(reason))
               : cf_setActuatorGain(m, u, wish->model, param, wish->nparam, reason, sizeof(reason));
  if (!is_done) {
    // the reason names a model that does not exist
    const bool is_known = cf_gainModel(wish->model) != NULL;
    cfi_noteComplaint(complaints, "%s%s%s%s", is_known ? "gain '" : "", is_known ? wish->model : "",
                      is_known ? "': " : "", reason);
  }
}


static void applySpecGains(const cfSimBuilder* builder, mjSpec* spec, cfComplaints* complaints) {
  mjsElement* e = mjs_firstElement(spec, mjOBJ_ACTUATOR);
  for (; e; e = mjs_nextElement(spec, e)) {
    const char* name = mjs_getString(mjs_getName(e));
    const cfWish* wish = cfi_wishFor(builder, CF_WISH_GAIN, name);
    if (wish && mjs_asActuator(e)->plugin.active) {
      cfi_noteComplaint(complaints, "gain '%s' is chosen for actuator '%s', which a plugin runs",
                        wish->model, name);
    } else if (wish) {
      applyGain(complaints, wish, mjs_asActuator(e), NULL, 0);
    }
  }
}


static void applyModelGains(const cfSimBuilder* builder, mjModel* m, cfComplaints* complaints) {
  for (int u = 0; u < m->nu; u++) {
    const cfWish* wish = cfi_wishFor(builder, CF_WISH_GAIN, mj_id2name(m, mjOBJ_ACTUATOR, u));
    if (wish) {
      applyGain(complaints, wish, NULL, m, u);
    }
  }
}


// ---------------------------------------- flexes

static bool chooseFlex(mjModel* m, int f, cftWish kind, const char* model, char* reason) {
  const int room = reason ? REASON_BYTES : 0;
  return kind == CF_WISH_BENDING ? cf_setFlexBending(m, f, model, reason, room)
                                 : cf_setFlexElasticity(m, f, model, reason, room);
}


// surfaces that will have a model of bending are compiled with hinges, where they can be stiff
static void prepareHinges(const cfSimBuilder* builder, mjSpec* spec) {
  const char* preset = builder->preset ? builder->preset->bending : NULL;
  mjsElement* e = mjs_firstElement(spec, mjOBJ_FLEX);
  for (; e; e = mjs_nextElement(spec, e)) {
    const mjsFlex* flex = mjs_asFlex(e);
    const cfWish* wish = cfi_wishFor(builder, CF_WISH_BENDING, mjs_getString(mjs_getName(e)));
    const char* model = wish ? wish->model : preset;
    const bool is_usual = !model || strcmp(model, "cotangent") == 0;
    if (!is_usual && flex->dim == 2 && flex->young > 0 && flex->thickness > 0) {
      cfi_element(e)->part.flex.needs_hinges = 1;
    }
  }
}


static void noteFlex(const mjModel* m, int f, cftWish kind, const char* reason,
                     cfComplaints* complaints) {
  const char* name = mj_id2name(m, mjOBJ_FLEX, f);
  cfi_noteComplaint(complaints, "%s of flex %d%s%s%s: %s", cfi_wishName(kind), f, name ? " ('" : "",
                    name ? name : "", name ? "')" : "", reason);
}


// a preset, and a wish for all, go to the flexes that can have their models; a wish that none can
// have is a mistake, of which the first flex tells the reason
static void applyFlexes(const cfSimBuilder* builder, mjModel* m, cftWish kind, const char* preset,
                        cfComplaints* complaints) {
  CF_ASSERT(kind == CF_WISH_BENDING || kind == CF_WISH_ELASTICITY);
  char first[REASON_BYTES] = "";
  const cfWish* for_all = cfi_wishFor(builder, kind, NULL);
  int refusing = -1, nserved = 0;
  for (int f = 0; f < m->nflex; f++) {
    const cfWish* wish = cfi_wishFor(builder, kind, mj_id2name(m, mjOBJ_FLEX, f));
    const char* model = wish ? wish->model : preset;
    char reason[REASON_BYTES] = "";
    if (!model || chooseFlex(m, f, kind, model, reason)) {
      nserved += wish && wish == for_all;
    } else if (wish && wish->object) {
      noteFlex(m, f, kind, reason, complaints);
    } else {
      chooseFlex(m, f, kind, NULL, NULL);
      if (wish && refusing < 0) {
        refusing = f;
        snprintf(first, sizeof(first), "%s", reason);
      }
    }
  }
  if (for_all && !nserved && refusing >= 0) {
    noteFlex(m, refusing, kind, first, complaints);
  } else if (for_all && !nserved && m->nflex > 0) {
    cfi_noteComplaint(complaints,
                      "%s '%s' is chosen for all flexes that are not named, but each is",
                      cfi_wishName(kind), for_all->model);
  }
}


// ---------------------------------------- what must go together

// the object that may have been meant, as a part of a message
static const char* similarObject(const mjModel* m, mjtObj type, mjtSize count, const char* name,
                                 char hint[CF_WORD_MAX + 20]) {
  cfNearest nearest = {"", 0};
  for (int k = 0; k < (int)count; k++) {
    const char* candidate = mj_id2name(m, type, k);
    cfi_tryWord(&nearest, name, candidate ? candidate : "", candidate ? strlen(candidate) : 0);
  }
  return cfi_suggestion(nearest.text, hint);
}


// objects that are wished for and are not there
static void checkObjects(const cfSimBuilder* builder, const mjModel* m, cfComplaints* complaints) {
  for (const cfWish* wish = builder->wishes; wish; wish = wish->next) {
    const bool is_gain = wish->kind == CF_WISH_GAIN;
    const mjtObj type = is_gain ? mjOBJ_ACTUATOR : mjOBJ_FLEX;
    const char* what = is_gain ? "actuator" : "flex";
    if (wish->kind == CF_WISH_SOLVER) {
      continue;
    }
    if (wish->object && mj_name2id(m, type, wish->object) < 0) {
      char hint[CF_WORD_MAX + 20];
      cfi_noteComplaint(complaints,
                        "%s '%s' is chosen for %s '%s', which the model does not have%s",
                        cfi_wishName(wish->kind), wish->model, what, wish->object,
                        similarObject(m, type, is_gain ? m->nu : m->nflex, wish->object, hint));
    } else if (!wish->object && (is_gain ? m->nu : m->nflex) == 0) {
      cfi_noteComplaint(complaints, "%s '%s' is chosen, but the model has no %s",
                        cfi_wishName(wish->kind), wish->model, what);
    }
  }
}


// a preset that says MuJoCo, or one that says nothing about this model
static void checkPreset(const cfSimBuilder* builder, const mjModel* m, cfComplaints* complaints) {
  const cfPreset* preset = builder->preset;
  CF_ASSERT(m != NULL && complaints != NULL);
  for (const cfWish* wish = builder->wishes; preset && wish; wish = wish->next) {
    const char* own = wish->kind == CF_WISH_BENDING      ? preset->bending
                      : wish->kind == CF_WISH_ELASTICITY ? preset->elasticity
                                                         : preset->solver;
    if (preset->is_plain && wish->kind != CF_WISH_GAIN && strcmp(wish->model, own) != 0) {
      cfi_noteComplaint(complaints, "preset '%s', but %s is '%s'", preset->name,
                        cfi_wishName(wish->kind), wish->model);
    }
  }
  if (preset && !preset->is_plain && strcmp(preset->solver, "lcp") == 0 && m->nflex == 0) {
    cfi_noteComplaint(complaints, "preset '%s' is about flexes, but the model has none",
                      preset->name);
  }
}


static void checkTogether(const cfSimBuilder* builder, const mjModel* m, cfComplaints* complaints) {
  char reason[REASON_BYTES] = "";
  const cfContactSolver* solver = cf_contactSolver(m);
  if (cfi_integratorConflict(solver, m->opt.integrator, reason, sizeof(reason)) ||
      cfi_gridConflict(solver, m, reason, sizeof(reason))) {
    cfi_noteComplaint(complaints, "%s", reason);
  }
  if (cfi_hasImplicitFlexes(m) && m->opt.integrator == mjINT_RK4) {
    cfi_noteComplaint(complaints,
                      "a flex has implicit stiffness, which integrator RK4 does not know: choose "
                      "Euler, implicit or implicitfast");
  }
  for (int u = 0; builder->preset && builder->preset->is_plain && u < m->nu; u++) {
    if (cf_actuatorGain(m, u)) {
      const char* name = mj_id2name(m, mjOBJ_ACTUATOR, u);
      cfi_noteComplaint(complaints, "preset '%s', but actuator %d%s%s%s has gain model '%s'",
                        builder->preset->name, u, name ? " ('" : "", name ? name : "",
                        name ? "')" : "", cf_actuatorGain(m, u)->name);
    }
  }
}


// ---------------------------------------- model

static bool isBinary(const char* filename) {
  const size_t length = strlen(filename);
  return length >= 4 && strcmp(filename + length - 4, ".mjb") == 0;
}


static mjModel* compileSpec(const cfSimBuilder* builder, mjSpec* spec, cfComplaints* complaints) {
  applySpecGains(builder, spec, complaints);
  prepareHinges(builder, spec);
  mjModel* m = mj_compile(spec, NULL);
  if (!m) {
    cfi_noteComplaint(complaints, "%s", mjs_getError(spec));
  }
  return m;
}


// a model of its own for the simulation, with the models of its actuators
static mjModel* obtainModel(const cfSimBuilder* builder, cfComplaints* complaints) {
  char reason[REASON_BYTES] = "";
  mjModel* m = NULL;
  mjSpec* spec = NULL;
  if (builder->model) {
    m = mj_copyModel(NULL, builder->model);
  } else if (builder->filename && isBinary(builder->filename)) {
    m = mj_loadModel(builder->filename, NULL);
    snprintf(reason, sizeof(reason), "cannot load '%s'", builder->filename);
  } else if (builder->spec) {
    spec = mj_copySpec(builder->spec);
  } else if (builder->filename) {
    spec = mj_parseXML(builder->filename, NULL, reason, sizeof(reason));
  } else {
    spec = mj_parseXMLString(builder->xml, NULL, reason, sizeof(reason));
  }
  if (m) {
    applyModelGains(builder, m, complaints);
  } else if (spec) {
    m = compileSpec(builder, spec, complaints);
  } else {
    cfi_noteComplaint(complaints, "%s", reason[0] ? reason : "no memory for the model");
  }
  mj_deleteSpec(spec);
  return m;
}


static void applyParts(const cfSimBuilder* builder, mjModel* m, cfComplaints* complaints) {
  const cfPreset none = {0}, *preset = builder->preset ? builder->preset : &none;
  const cfWish* solver = cfi_wishFor(builder, CF_WISH_SOLVER, NULL);
  const char* name = solver ? solver->model : preset->solver;
  char reason[REASON_BYTES] = "";
  m->opt.integrator = builder->has_integrator ? builder->integrator : m->opt.integrator;
  m->opt.timestep = builder->has_timestep ? builder->timestep : m->opt.timestep;
  checkObjects(builder, m, complaints);
  applyFlexes(builder, m, CF_WISH_BENDING, preset->bending, complaints);
  applyFlexes(builder, m, CF_WISH_ELASTICITY, preset->elasticity, complaints);
  const cfContactSolver* found = name ? cf_findContactSolver(name) : NULL;
  if (found && cfi_integratorConflict(found, m->opt.integrator, reason, sizeof(reason))) {
    cfi_noteComplaint(complaints, "%s", reason);
  } else if (name &&
             !cf_setContactSolver(m, name, solver && solver->nparam >= 0 ? solver->param : NULL,
                                  solver && solver->nparam >= 0 ? solver->nparam : 0, reason,
                                  sizeof(reason))) {
    cfi_noteComplaint(complaints, "%s%s", found ? "contact solver: " : "", reason);
  }
  checkPreset(builder, m, complaints);
  checkTogether(builder, m, complaints);
}


// ---------------------------------------- simulation

// nothing is left of a simulation that has complaints
static cfSim* settle(mjModel* m, cfComplaints* complaints) {
  cfSim* sim = complaints->text[0] ? NULL : cfi_tryMalloc(sizeof(cfSim));
  mjData* d = sim ? mj_makeData(m) : NULL;
  if (!d) {
    if (!complaints->text[0]) {
      cfi_noteComplaint(complaints, "no memory for the simulation");
    }
    mj_deleteModel(m);
    mju_free(sim);
    return NULL;
  }
  *sim = (cfSim){m, d};
  return sim;
}


cfSim* cf_build(const cfSimBuilder* builder, char* error, int nerror) {
  cfComplaints complaints = {""};
  cfSim* sim = NULL;
  if (!builder) {
    cfi_noteComplaint(&complaints, "there is no builder");
  } else {
    complaints = builder->complaints;
    if (!builder->nsource) {
      cfi_noteComplaint(&complaints, "no model is given");
    }
  }
  if (!complaints.text[0]) {
    mjModel* m = obtainModel(builder, &complaints);
    if (m) {
      applyParts(builder, m, &complaints);
      sim = settle(m, &complaints);
    }
  }
  CF_ASSERT(!sim == (complaints.text[0] != 0));
  if (error && nerror > 0) {
    snprintf(error, (size_t)nerror, "%s", complaints.text);
  }
  return sim;
}


void cf_freeSim(cfSim* sim) {
  if (sim) {
    mj_deleteData(sim->d);
    mj_deleteModel(sim->m);
    mju_free(sim);
  }
}


// a reset starts the counts anew, and the time
int cf_simStep(cfSim* sim) {
  const int bad = cfi_badNumbers(sim->d);
  const mjtNum time = sim->d->time;
  mj_step(sim->m, sim->d);
  return cfi_badNumbers(sim->d) == bad && sim->d->time > time;
}


mjModel* cf_simModel(cfSim* sim) {
  return sim->m;
}


mjData* cf_simData(cfSim* sim) {
  return sim->d;
}
