// Which models actuators use: the list of those that can be chosen, and the choice of each actuator
// in the private block of the model.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "base/catalog.h"
#include "base/likely.h"
#include "base/memory.h"
#include "dynamics/gain.h"
#include "model/extension.h"


// ---------------------------------------- models that can be chosen

static const char* gainName(const void* model) {
  return ((const cfGainModel*)model)->name;
}


static const void* const own_gains[] = {&cfi_fixedGain,     &cfi_affineGain, &cfi_muscleGain,
                                        &cfi_seriesElastic, &cfi_dcMotor,    &cfi_pneumatic};
static cfCatalog gain_models = CF_CATALOG_INIT("gain model", gainName, own_gains);


const cfGainModel* cf_gainModelAt(int k) {
  return cfi_modelAt(&gain_models, k);
}


const cfGainModel* cf_gainModel(const char* name) {
  return cfi_modelNamed(&gain_models, name);
}


const cfGainModel* cfi_findGainModel(const char* name, char* error, int nerror) {
  return cfi_needModel(&gain_models, name, error, nerror);
}


// are names, values and bounds of the parameters in order?
static bool hasSoundParameters(const cfGainModel* model) {
  for (int k = 0; k < model->nparameter; k++) {
    const cfGainParameter* p = model->parameter + k;
    if (!p->name || !p->name[0] || strpbrk(p->name, "= \t\r\n") ||
        !(p->lower <= p->usual && p->usual <= p->upper)) {
      return false;
    }
  }
  return true;
}


// why a model cannot be added, its name aside; NULL if it can
static const char* gainObjection(const cfGainModel* model) {
  if (!model->force || !model->slope) {
    return "it needs force and slope";
  }
  if (model->nparameter < 0 || model->nparameter > mjNGAIN ||
      (model->nparameter && !model->parameter)) {
    return "it has at most 10 parameters, described in a list";
  }
  if (!hasSoundParameters(model)) {
    return "a parameter has a name without blanks and a usual value within its bounds";
  }
  if (model->nstate < 0 || model->nstate > 1000 ||
      (model->nstate && !model->rate && !model->advance)) {
    return "states (at most 1000) need rate or advance";
  }
  return NULL;
}


int cf_registerGainModel(const cfGainModel* model) {
  const char* fault = cfi_nameFault(&gain_models, model);
  return cfi_addModel(&gain_models, model, fault ? fault : gainObjection(model));
}


// ---------------------------------------- parameters

static void setMessage(char* error, int nerror, const char* text) {
  if (error && nerror > 0) {
    snprintf(error, (size_t)nerror, "%s", text);
  }
}


// "resistance, inductance, ..."
static void listParameters(const cfGainModel* model, char* text, size_t room) {
  size_t used = 0;
  text[0] = 0;
  for (int k = 0; k < model->nparameter && used < room; k++) {
    used +=
        (size_t)snprintf(text + used, room - used, "%s%s", k ? ", " : "", model->parameter[k].name);
  }
}


bool cfi_checkGainParameters(const cfGainModel* model, const mjtNum* param, int nparam, char* error,
                             int nerror) {
  char text[1000];
  if (nparam != model->nparameter) {
    char names[600];
    listParameters(model, names, sizeof(names));
    snprintf(text, sizeof(text), "gain model '%s' has %d parameters (%s), got %d", model->name,
             model->nparameter, names, nparam);
    setMessage(error, nerror, text);
    return false;
  }
  for (int k = 0; k < nparam; k++) {
    const cfGainParameter* p = model->parameter + k;
    const bool may_miss = p->usual == -1 && p->lower == -1;
    if (!(p->lower <= param[k] && param[k] <= p->upper) ||
        (may_miss && param[k] < 0 && param[k] != -1)) {
      snprintf(text, sizeof(text), "%s of gain model '%s' must be between %g and %g%s, got %g",
               p->name, model->name, may_miss ? 0 : p->lower, p->upper,
               may_miss ? ", or -1 for none given" : "", param[k]);
      setMessage(error, nerror, text);
      return false;
    }
  }
  return true;
}


// ---------------------------------------- choice of a model

static size_t gainChoiceBytes(int nu) {
  return sizeof(cfGainChoice) + sizeof(cfGainUse) * (size_t)nu;
}


static void* copyGainChoice(const void* content) {
  return cfi_tryCopy(content, gainChoiceBytes(((const cfGainChoice*)content)->nu));
}


static cfExtensionSlot* gainSlot(const mjModel* m) {
  return cfi_modelExtension(m)->slot + CF_EXTENSION_GAIN;
}


const cfGainChoice* cfi_gainChoice(const mjModel* m) {
  const cfGainChoice* choice = gainSlot(m)->content;
  CF_ASSERT(!choice || choice->nu == m->nu);
  return CF_SELDOM(choice) && choice->count ? choice : NULL;
}


static cfGainChoice* gainChoiceOf(mjModel* m) {
  cfExtensionSlot* slot = gainSlot(m);
  if (!slot->content) {
    const int nu = (int)m->nu;
    cfGainChoice* choice = cfi_tryMalloc(gainChoiceBytes(nu));
    if (!choice) {
      return NULL;
    }
    memset(choice, 0, gainChoiceBytes(nu));
    choice->nu = nu;
    *slot = (cfExtensionSlot){&cfi_gainChoiceClass, choice};
  }
  return slot->content;
}


// do the activations of a compiled actuator fit the model?
static bool fitsActivations(const mjModel* m, int u, const cfGainModel* model, char* error,
                            int nerror) {
  const int own = cfi_gainStates(model), have = m->actuator_actnum[u];
  const bool is_user = m->actuator_dyntype[u] == mjDYN_USER;
  const int driven = m->actuator_dyntype[u] != mjDYN_NONE && !is_user;
  if (have == own + driven || (is_user && (have == own + 1 || !own))) {
    return true;
  }
  char text[300];
  snprintf(text, sizeof(text),
           "gain model '%s' needs %d activations, actuator %d has %d; choose it before compiling",
           model->name, own + driven, u, have);
  setMessage(error, nerror, text);
  return false;
}


// put a model, or none, into the choice of an actuator and make its list anew
static void enterGain(cfGainChoice* choice, mjModel* m, int u, const cfGainModel* model) {
  cfGainUse* use = choice->use + u;
  if (model && !use->model) {
    use->former = m->actuator_gaintype[u];
  }
  if (model || use->model) {
    m->actuator_gaintype[u] = model ? mjGAIN_USER : use->former;
  }
  use->model = model;
  choice->count = 0;
  for (int k = 0; k < choice->nu; k++) {
    if (choice->use[k].model) {
      choice->use[choice->count++].listed = k;
    }
  }
}


int cf_setActuatorGain(mjModel* m, int u, const char* name, const mjtNum* param, int nparam,
                       char* error, int nerror) {
  if (u < 0 || u >= m->nu || m->actuator_plugin[u] >= 0) {
    setMessage(error, nerror, "there is no such actuator, or it is run by a plugin");
    return 0;
  }
  const cfGainModel* model = name ? cfi_findGainModel(name, error, nerror) : NULL;
  if (name && (!model || !fitsActivations(m, u, model, error, nerror) ||
               (param && !cfi_checkGainParameters(model, param, nparam, error, nerror)))) {
    return 0;
  }
  cfGainChoice* choice = gainChoiceOf(m);
  if (!choice) {
    setMessage(error, nerror, "no memory for the choice of a gain model");
    return 0;
  }
  for (int k = 0; model && k < mjNGAIN; k++) {
    const bool is_used = k < model->nparameter;
    m->actuator_gainprm[mjNGAIN * u + k] = !is_used ? 0
                                           : param  ? param[k]
                                                    : model->parameter[k].usual;
  }
  enterGain(choice, m, u, model);
  return 1;
}


const cfGainModel* cf_actuatorGain(const mjModel* m, int u) {
  const cfGainChoice* choice = cfi_gainChoice(m);
  return choice && u >= 0 && u < m->nu ? choice->use[u].model : NULL;
}


// ---------------------------------------- choices in a file
//
// For each actuator with a model, in their order: int32 actuator, bytes of the name; name.
// Parameters and states are in the arrays of the model.

enum { GAIN_ENTRY_BYTES = 8 };


static size_t packGains(const mjModel* m, const void* content, char* buffer) {
  const cfGainChoice* choice = content;
  CF_ASSERT(choice->nu == m->nu);
  (void)m;
  size_t total = 0;
  for (int k = 0; k < choice->count; k++) {
    const char* name = choice->use[choice->use[k].listed].model->name;
    const int32_t entry[2] = {choice->use[k].listed, (int32_t)strlen(name)};
    if (buffer) {
      memcpy(buffer + total, entry, GAIN_ENTRY_BYTES);
      memcpy(buffer + total + GAIN_ENTRY_BYTES, name, (size_t)entry[1]);
    }
    total += GAIN_ENTRY_BYTES + (size_t)entry[1];
  }
  return total;
}


// one entry at the front of the bytes; the bytes it takes, 0 and a reason
static size_t unpackGain(mjModel* m, int* last, const char* bytes, size_t nbyte, char* reason,
                         size_t nreason) {
  int32_t entry[2] = {0, 0};
  if (nbyte >= GAIN_ENTRY_BYTES) {
    memcpy(entry, bytes, GAIN_ENTRY_BYTES);
  }
  if (entry[1] < 1 || entry[1] > CF_MODEL_NAME_MAX || (size_t)entry[1] > nbyte - GAIN_ENTRY_BYTES) {
    snprintf(reason, nreason, "an entry does not fit in its section");
    return 0;
  }
  if (entry[0] <= *last || entry[0] >= m->nu || m->actuator_gaintype[entry[0]] != mjGAIN_USER) {
    snprintf(reason, nreason, "there is no user-defined actuator %d, or it comes twice",
             (int)entry[0]);
    return 0;
  }
  *last = entry[0];
  char name[CF_MODEL_NAME_MAX + 1];
  memcpy(name, bytes + GAIN_ENTRY_BYTES, (size_t)entry[1]);
  name[entry[1]] = 0;
  mjtNum param[mjNGAIN];
  mju_copy(param, m->actuator_gainprm + mjNGAIN * entry[0], mjNGAIN);
  const cfGainModel* model = cfi_findGainModel(name, reason, (int)nreason);
  const bool is_chosen = model && cf_setActuatorGain(m, entry[0], name, param, model->nparameter,
                                                     reason, (int)nreason);
  return is_chosen ? GAIN_ENTRY_BYTES + (size_t)entry[1] : 0;
}


const cfExtensionClass cfi_gainChoiceClass = {.name = "gain models",
                                              .copy = copyGainChoice,
                                              .free = mju_free,
                                              .pack = packGains,
                                              .unpackEntry = unpackGain};
