// Actuators: transmission target, ranges, activation, muscle parameters.
#include "base/assert.h"
#include "compile/phases.h"
#include "compile/plugins.h"
#include "dynamics/gain.h"

//---------------------------------- transmission --------------------------------------------------

static const cfPart* findSite(cfDraft* draft, const cfActuatorDraft* actuator, const void* name,
                              const char* role) {
  const cfPart* site = cfi_findPart(draft, mjOBJ_SITE, cfi_text(name));
  if (!site) {
    cfi_failUnknown(draft, &actuator->part, mjOBJ_SITE, cfi_text(name),
                    "%s site '%s' not found for actuator %d", role, cfi_text(name),
                    actuator->part.id);
  }
  return site;
}


// second object of slider-cranks and of site transmissions with a reference; writes trnid[1]
static void resolveSecond(cfDraft* draft, cfActuatorDraft* actuator) {
  const mjsActuator* attr = &actuator->attr;
  const cfPart* part = &actuator->part;
  actuator->trnid[1] = -1;
  if (attr->trntype == mjTRN_SITE && !cfi_isEmptyString(attr->refsite)) {
    actuator->trnid[1] = findSite(draft, actuator, attr->refsite, "reference")->id;
  }
  if (attr->trntype == mjTRN_SLIDERCRANK) {
    if (cfi_isEmptyString(attr->slidersite)) {
      cfi_fail(draft, part, "missing base site for slider-crank '%s' (id = %d)", part->name,
               part->id);
    }
    actuator->trnid[1] = findSite(draft, actuator, attr->slidersite, "base")->id;
    if (attr->cranklength <= 0) {
      cfi_fail(draft, part, "crank length must be positive in actuator '%s' (id = %d)", part->name,
               part->id);
    }
  }
}


// object that the actuator acts on; writes trnid
static const cfPart* resolveTarget(cfDraft* draft, cfActuatorDraft* actuator) {
  static const mjtObj kind_of[] = {
      [mjTRN_JOINT] = mjOBJ_JOINT,      [mjTRN_JOINTINPARENT] = mjOBJ_JOINT,
      [mjTRN_SLIDERCRANK] = mjOBJ_SITE, [mjTRN_TENDON] = mjOBJ_TENDON,
      [mjTRN_SITE] = mjOBJ_SITE,        [mjTRN_BODY] = mjOBJ_BODY,
  };
  const mjsActuator* attr = &actuator->attr;
  const cfPart* part = &actuator->part;
  const char* name = cfi_text(attr->target);
  if (!name[0]) {
    cfi_fail(draft, part, "missing transmission target for actuator");
  }
  if ((int)attr->trntype < mjTRN_JOINT || attr->trntype > mjTRN_BODY) {
    cfi_fail(draft, part, "invalid transmission type in actuator");
  }
  resolveSecond(draft, actuator);
  const cfPart* target = cfi_findPart(draft, kind_of[attr->trntype], name);
  if (!target) {
    cfi_failUnknown(draft, part, kind_of[attr->trntype], name,
                    kind_of[attr->trntype] == mjOBJ_JOINT
                        ? "unknown transmission target '%s' for actuator id = %d"
                        : "transmission target '%s' not found in actuator %d",
                    name, part->id);
  }
  actuator->trnid[0] = target->id;
  return target;
}


//---------------------------------- ranges --------------------------------------------------------

// the range of a scalar joint or tendon that the actuator drives
static const double* rangeOfTarget(cfDraft* draft, const cfActuatorDraft* actuator,
                                   const cfPart* target) {
  const int type = actuator->attr.trntype;
  if (type == mjTRN_TENDON) {
    return ((const cfTendonDraft*)target)->attr.range;
  }
  if (type != mjTRN_JOINT) {
    cfi_fail(draft, &actuator->part,
             "inheritrange can only be used with joint and tendon transmission, actuator");
  }
  const mjsJoint* joint = &((const cfJointDraft*)target)->attr;
  if (!cfi_isScalarJoint((int)joint->type)) {
    cfi_fail(draft, &actuator->part,
             "inheritrange can only be used with hinge and slide joints, actuator");
  }
  return joint->range;
}


// position-like actuators may take over the range of their target, scaled about its middle
static void inheritRange(cfDraft* draft, cfActuatorDraft* actuator, const cfPart* target) {
  mjsActuator* attr = &actuator->attr;
  if (attr->inheritrange <= 0 || attr->gaintype != mjGAIN_FIXED ||
      attr->biastype != mjBIAS_AFFINE || attr->gainprm[0] != -attr->biasprm[1]) {
    return;
  }
  double* range = NULL;
  if (attr->dyntype == mjDYN_NONE || attr->dyntype == mjDYN_FILTEREXACT) {
    range = attr->ctrlrange;
  } else if (attr->dyntype == mjDYN_INTEGRATOR) {
    range = attr->actrange;
  } else {
    cfi_fail(draft, &actuator->part,
             "inheritrange only available for position and intvelocity actuators");
  }
  const double* from = rangeOfTarget(draft, actuator, target);
  if (from[0] == from[1]) {
    cfi_fail(draft, &actuator->part,
             "inheritrange used but target '%s' has no range defined in actuator %d", target->name,
             actuator->part.id);
  }
  double middle = 0.5 * (from[1] + from[0]),
         radius = 0.5 * (from[1] - from[0]) * attr->inheritrange;
  range[0] = middle - radius;
  range[1] = middle + radius;
}


static bool resolveRangeOf(cfDraft* draft, const cfPart* part, int limited, const double range[2],
                           const char* trouble) {
  const bool is_limited = cfi_isLimited(limited, range);
  if (is_limited && range[0] >= range[1]) {
    cfi_fail(draft, part, "%s; the first number must be less than the second", trouble);
  }
  return is_limited;
}


static void resolveRanges(cfDraft* draft, cfActuatorDraft* actuator) {
  const mjsActuator* attr = &actuator->attr;
  const cfPart* part = &actuator->part;
  cfi_checkLimited(draft, part, "actuator", "force", attr->forcelimited, attr->forcerange);
  cfi_checkLimited(draft, part, "actuator", "ctrl", attr->ctrllimited, attr->ctrlrange);
  cfi_checkLimited(draft, part, "actuator", "act", attr->actlimited, attr->actrange);
  actuator->is_forcelimited = resolveRangeOf(draft, part, attr->forcelimited, attr->forcerange,
                                             "invalid force range for actuator");
  actuator->is_ctrllimited = resolveRangeOf(draft, part, attr->ctrllimited, attr->ctrlrange,
                                            "invalid control range for actuator");
  actuator->is_actlimited = resolveRangeOf(draft, part, attr->actlimited, attr->actrange,
                                           "invalid actrange for actuator");
  if (actuator->is_actlimited && attr->dyntype == mjDYN_NONE) {
    cfi_fail(draft, part, "actrange specified but dyntype is 'none' in actuator");
  }
}


//---------------------------------- activation and muscles ----------------------------------------

static void resolveActivation(cfDraft* draft, cfActuatorDraft* actuator) {
  mjsActuator* attr = &actuator->attr;
  const bool is_stateful = attr->dyntype != mjDYN_NONE;
  if (!attr->plugin.active) {
    if (attr->actdim > 1 && attr->dyntype != mjDYN_USER) {
      cfi_fail(draft, &actuator->part, "actdim > 1 is only allowed for dyntype 'user' in actuator");
    }
    if (attr->actdim == 1 && !is_stateful) {
      cfi_fail(draft, &actuator->part, "invalid actdim 1 in stateless actuator");
    }
    if (attr->actdim == 0 && is_stateful) {
      cfi_fail(draft, &actuator->part, "invalid actdim 0 in stateful actuator");
    }
  }
  if (attr->actdim < 0) {
    attr->actdim = is_stateful;
  }
}


// activations of a user-defined actuator: the states of its model, and at most one behind them that
// the user advances
static void resolveUserStates(cfDraft* draft, cfActuatorDraft* actuator, const cfGainModel* model,
                              int own) {
  mjsActuator* attr = &actuator->attr;
  if (attr->actdim >= 0 && (attr->actdim < own || attr->actdim > own + 1)) {
    cfi_fail(draft, &actuator->part,
             "gain model '%s' needs actdim %d, or %d with an activation of the user's; got %d",
             model->name, own, own + 1, attr->actdim);
  }
  attr->actdim = attr->actdim < 0 ? own : attr->actdim;
}


// a model of the actuator puts its states before the activation of dyntype; returns their number
static int resolveGain(cfDraft* draft, cfActuatorDraft* actuator) {
  mjsActuator* attr = &actuator->attr;
  const cfPart* part = &actuator->part;
  const cfString* name = &part->origin->part.actuator.gain_model;
  if (attr->gaintype != mjGAIN_USER || !cfi_length(name) || attr->plugin.active) {
    return 0;
  }
  char error[1000];
  const cfGainModel* model = cfi_findGainModel(cfi_text(name), error, sizeof(error));
  if (!model ||
      !cfi_checkGainParameters(model, attr->gainprm, model->nparameter, error, sizeof(error))) {
    cfi_fail(draft, part, "%s", error);
  }
  if (model == &cfi_muscleGain && attr->lengthrange[0] >= attr->lengthrange[1] &&
      draft->compiler->LRopt.mode < mjLRMODE_MUSCLEUSER) {
    cfi_fail(draft, part,
             "gain model 'muscle' needs lengthrange, or compiler lengthrange mode "
             "\"muscleuser\" or \"all\"");
  }
  const int own = cfi_gainStates(model);
  if (own && attr->dyntype == mjDYN_FILTEREXACT) {
    cfi_fail(draft, part, "gain model '%s' has states: dyntype can be filter, not filterexact",
             model->name);
  }
  if (own && attr->dyntype == mjDYN_NONE) {
    attr->dyntype = mjDYN_USER;
  }
  if (own && attr->dyntype == mjDYN_USER) {
    resolveUserStates(draft, actuator, model, own);
  }
  return own;
}


// activations with those of a model, which dynamics other than the user's leave out of actdim
static void resolveStates(cfDraft* draft, cfActuatorDraft* actuator, int own) {
  mjsActuator* attr = &actuator->attr;
  const bool is_behind = own && attr->dyntype != mjDYN_USER;
  if (is_behind && attr->actdim == own + 1) {
    attr->actdim = -1;
  }
  resolveActivation(draft, actuator);
  attr->actdim += is_behind ? own : 0;
}


// muscle parameters: range0, range1, force, scale, lmin, lmax, vmax, fpmax, fvmax
static void checkMuscle(cfDraft* draft, const cfPart* part, const double* prm) {
  CF_ASSERT(part && prm);
  if (prm[0] >= prm[1]) {
    cfi_fail(draft, part, "range[0]<range[1] required in muscle");
  }
  if (prm[4] >= 1 || prm[5] <= 1) {
    cfi_fail(draft, part, "lmin<1<lmax required in muscle");
  }
  if (prm[3] <= 0 || prm[6] <= 0 || prm[7] <= 0 || prm[8] <= 0) {
    cfi_fail(draft, part, "positive scale, vmax, fpmax, fvmax required in muscle '%s' (id = %d)",
             part->name, part->id);
  }
}


// samples are counted in a floating-point number of at least 24 bits
static void checkHistory(cfDraft* draft, const cfActuatorDraft* actuator) {
  const mjsActuator* attr = &actuator->attr;
  if (attr->delay > 0 && attr->nsample <= 0) {
    cfi_fail(draft, &actuator->part, "setting delay > 0 without a history buffer");
  }
  if (attr->nsample > 1 << 24) {
    cfi_fail(draft, &actuator->part, "at most 2^24 samples in history buffer, got %d",
             attr->nsample);
  }
}


static void compileActuator(cfDraft* draft, cfPart* part) {
  CF_ASSERT(part->type == mjOBJ_ACTUATOR);
  cfActuatorDraft* actuator = (cfActuatorDraft*)part;
  mjsActuator* attr = &actuator->attr;
  cfi_checkUser(draft, part, attr->userdata, "actuator");
  inheritRange(draft, actuator, resolveTarget(draft, actuator));
  const int own = resolveGain(draft, actuator);
  resolveRanges(draft, actuator);
  resolveStates(draft, actuator, own);
  if (attr->gaintype == mjGAIN_MUSCLE) {
    checkMuscle(draft, part, attr->gainprm);
  }
  if (attr->biastype == mjBIAS_MUSCLE) {
    checkMuscle(draft, part, attr->biasprm);
  }
  if (attr->plugin.active) {
    actuator->plugin = cfi_usePlugin(draft, part, &attr->plugin);
  }
  checkHistory(draft, actuator);
}


void cfi_chooseGainModels(cfDraft* draft) {
  mjModel* m = draft->model;
  const cfPartList* actuators = cfi_parts(draft, mjOBJ_ACTUATOR);
  for (int i = 0; i < actuators->count; i++) {
    const cfPart* part = actuators->item[i];
    const cfGainModel* model = cf_gainModel(cfi_text(&part->origin->part.actuator.gain_model));
    if (m->actuator_gaintype[i] != mjGAIN_USER || m->actuator_plugin[i] >= 0 || !model) {
      continue;
    }
    char error[500];
    mjtNum param[mjNGAIN];
    mju_copy(param, m->actuator_gainprm + mjNGAIN * i, mjNGAIN);
    if (!cf_setActuatorGain(m, i, model->name, param, model->nparameter, error, sizeof(error))) {
      cfi_fail(draft, part, "%s", error);
    }
  }
}


void cfi_compileActuators(cfDraft* draft) {
  cfi_guardList(draft, compileActuator, mjOBJ_ACTUATOR);
}
