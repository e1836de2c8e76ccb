// Models of actuators in a specification.
#include <stdio.h>
#include <string.h>

#include "dynamics/gain.h"
#include "spec/spec.h"

int cf_setSpecGain(mjsActuator* actuator, const char* name, const mjtNum* param, int nparam,
                   char* error, int nerror) {
  cfString* chosen = &cfi_element(actuator->element)->part.actuator.gain_model;
  if (!name) {
    cfi_assignString(chosen, "");
    return 1;
  }
  const cfGainModel* model = cfi_findGainModel(name, error, nerror);
  if (!model || (param && !cfi_checkGainParameters(model, param, nparam, error, nerror))) {
    return 0;
  }
  cfi_assignString(chosen, model->name);
  actuator->gaintype = mjGAIN_USER;
  for (int k = 0; k < mjNGAIN; k++) {
    const bool is_used = k < model->nparameter;
    actuator->gainprm[k] = !is_used ? 0 : param ? param[k] : model->parameter[k].usual;
  }
  return 1;
}

const char* cf_specGain(const mjsActuator* actuator) {
  return actuator->gaintype == mjGAIN_USER
             ? cfi_text(&cfi_element(actuator->element)->part.actuator.gain_model)
             : "";
}

int cfi_activationCount(const cfElement* e) {
  const mjsActuator* actuator = e->attr;
  const cfGainModel* model = cf_gainModel(cf_specGain(actuator));
  const int own = model ? cfi_gainStates(model) : 0;
  if (actuator->dyntype == mjDYN_NONE || actuator->dyntype == mjDYN_USER) {
    const int usual = own ? own : actuator->dyntype == mjDYN_USER;
    return actuator->actdim > usual ? actuator->actdim : usual;
  }
  return actuator->actdim > own + 1 ? actuator->actdim : own + 1;
}
