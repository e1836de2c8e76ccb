// Models of actuators in files: cortenforge:gain_model and cortenforge:gain_params.
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "dynamics/gain.h"
#include "mjcf/number.h"
#include "mjcf/reader.h"
#include "mjcf/writer.h"

static const char gain_model[] = "cortenforge:gain_model",
                  gain_params[] = "cortenforge:gain_params";
static const char gain_blanks[] = " \t\r\n";


//---------------------------------- reading -------------------------------------------------------

// numbers in the order of the model's parameters; all of them must be there
static void readOrderedParameters(cfReader* r, const cfNode* node, const cfGainModel* model,
                                  const char* text, double* prm) {
  int count = 0;
  double value = 0;
  cftNumber status;
  while ((status = cfi_nextDouble(&text, &value)) == CF_NUMBER_OK) {
    if (count < mjNGAIN) {
      prm[count] = value;
    }
    count++;
  }
  char error[1000];
  if (status != CF_NUMBER_END) {
    cfi_error(r->report, node, "%s: number %d is not a number", gain_params, count + 1);
  } else if (count != model->nparameter &&
             !cfi_checkGainParameters(model, prm, count, error, sizeof(error))) {
    cfi_error(r->report, node, "%s: %s", gain_params, error);
  }
}

// one word "name=value"; `given` remembers which parameters have been named
static void readNamedParameter(cfReader* r, const cfNode* node, const cfGainModel* model,
                               const char* word, bool given[mjNGAIN], double* prm) {
  const char* equals = strchr(word, '=');
  const size_t length = equals ? (size_t)(equals - word) : strlen(word);
  int place = 0;
  while (place < model->nparameter && (strlen(model->parameter[place].name) != length ||
                                       strncmp(model->parameter[place].name, word, length) != 0)) {
    place++;
  }
  const char* cursor = equals ? equals + 1 : "";
  double value = 0;
  if (!equals) {
    cfi_error(r->report, node, "%s: '%s' is not of the form name=value, as others are", gain_params,
              word);
  } else if (place == model->nparameter) {
    char allowed[600] = "";
    for (int k = 0; k < model->nparameter; k++) {
      const size_t used = strlen(allowed);
      snprintf(allowed + used, sizeof(allowed) - used, "%s%s", k ? ", " : "",
               model->parameter[k].name);
    }
    cfi_error(r->report, node, "%s: gain model '%s' has no parameter '%.*s', but %s", gain_params,
              model->name, (int)length, word, allowed);
  } else if (cfi_nextDouble(&cursor, &value) != CF_NUMBER_OK || *cursor) {
    cfi_error(r->report, node, "%s: '%s' does not give a number", gain_params, word);
  } else if (given[place]) {
    cfi_error(r->report, node, "%s: parameter '%.*s' of gain model '%s' is given twice",
              gain_params, (int)length, word, model->name);
  } else {
    given[place] = true;
    prm[place] = value;
  }
}

static void readParameters(cfReader* r, const cfNode* node, const cfGainModel* model,
                           const char* text, double* prm) {
  if (!strchr(text, '=')) {
    readOrderedParameters(r, node, model, text, prm);
    return;
  }
  bool given[mjNGAIN] = {false};
  for (text += strspn(text, gain_blanks); *text; text += strspn(text, gain_blanks)) {
    char word[200];
    const size_t length = strcspn(text, gain_blanks);
    if (length < sizeof(word)) {
      memcpy(word, text, length);
      word[length] = 0;
      readNamedParameter(r, node, model, word, given, prm);
    } else {
      cfi_error(r->report, node, "%s: a word of %zu characters, at most %zu: '%.20s...'",
                gain_params, length, sizeof(word) - 1, text);
    }
    text += length;
  }
}

// a model of its own starts with its usual parameters, unless gainprm gives them
static void usualParameters(const cfGainModel* model, double* prm) {
  for (int k = 0; k < mjNGAIN; k++) {
    prm[k] = k < model->nparameter ? model->parameter[k].usual : 0;
  }
}

// what is wrong with the attributes as they stand together; NULL if nothing is
static const char* gainConflict(const cfNode* node, const mjsActuator* actuator, bool has_model) {
  const char* type = cfi_attribute(node, "gaintype");
  const bool is_custom = type && strcmp(type, "custom") == 0;
  if ((cfi_attribute(node, gain_model) || cfi_attribute(node, gain_params)) &&
      strcmp(node->tag, "general") != 0) {
    return "only a general actuator can have a gain model";
  }
  if (cfi_attribute(node, gain_params) && cfi_attribute(node, "gainprm")) {
    return "cortenforge:gain_params and gainprm both give the parameters of the gain model";
  }
  if (cfi_attribute(node, gain_model) && actuator->gaintype != mjGAIN_USER) {
    return "cortenforge:gain_model needs gaintype=\"custom\"";
  }
  if (!has_model && (is_custom || cfi_attribute(node, gain_params))) {
    return is_custom ? "gaintype=\"custom\" needs cortenforge:gain_model"
                     : "cortenforge:gain_params needs cortenforge:gain_model";
  }
  return NULL;
}

void cfi_readGain(cfReader* r, const cfNode* node, mjsActuator* actuator) {
  const char* name = cfi_attribute(node, gain_model);
  const char* params = cfi_attribute(node, gain_params);
  cfString* chosen = &cfi_element(actuator->element)->part.actuator.gain_model;
  const char* conflict = gainConflict(node, actuator, name || cfi_length(chosen));
  if (conflict) {
    cfi_error(r->report, node, "%s", conflict);
    return;
  }
  if (!name && !params) {
    return;
  }
  char error[1000];
  const cfGainModel* model =
      cfi_findGainModel(name ? name : cfi_text(chosen), error, sizeof(error));
  if (!model) {
    cfi_error(r->report, node, "%s: %s", gain_model, error);
    return;
  }
  if (strcmp(cfi_text(chosen), model->name) != 0 && !cfi_attribute(node, "gainprm")) {
    usualParameters(model, actuator->gainprm);
  }
  cfi_assignString(chosen, model->name);
  if (params) {
    readParameters(r, node, model, params, actuator->gainprm);
  }
  if (!cfi_checkGainParameters(model, actuator->gainprm, model->nparameter, error, sizeof(error))) {
    cfi_error(r->report, node, "%s: %s", gain_params, error);
  }
}

//---------------------------------- writing -------------------------------------------------------

// a model that the class gives as well is not repeated, its parameters are where they differ
void cfi_writeGain(cfWriter* w, const cfElement* e, const cfElement* base) {
  const cfString *chosen = &e->part.actuator.gain_model, *given = &base->part.actuator.gain_model;
  const mjsActuator *actuator = e->attr, *other = base->attr;
  const cfGainModel* model = cfi_writtenGain(e);
  if (!model) {
    return;
  }
  const bool is_new = strcmp(cfi_text(chosen), cfi_text(given)) != 0;
  const size_t bytes = sizeof(double) * (size_t)model->nparameter;
  if (is_new || other->gaintype != mjGAIN_USER) {
    cfi_writeText(&w->out, "gaintype", "custom");
  }
  if (is_new) {
    cfi_writeText(&w->out, gain_model, cfi_text(chosen));
  }
  if (model->nparameter && (is_new || memcmp(actuator->gainprm, other->gainprm, bytes) != 0)) {
    cfi_writeDoubles(&w->out, gain_params, actuator->gainprm, model->nparameter);
  }
}

const cfGainModel* cfi_writtenGain(const cfElement* e) {
  CF_ASSERT(e->head.elemtype == mjOBJ_ACTUATOR);
  const cfString* chosen = &e->part.actuator.gain_model;
  const bool is_user = ((const mjsActuator*)e->attr)->gaintype == mjGAIN_USER;
  return is_user && cfi_length(chosen) ? cf_gainModel(cfi_text(chosen)) : NULL;
}
