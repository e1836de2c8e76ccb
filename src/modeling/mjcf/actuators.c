// Actuators: general ones and the shortcuts that fill in gain, bias and dynamics.
#include "mjcf/reader.h"

#include <string.h>

#include "base/assert.h"

// which attribute names the target of which transmission
static const struct {
  const char* attribute;
  mjtTrn type;
} targets[] = {{"joint", mjTRN_JOINT},   {"jointinparent", mjTRN_JOINTINPARENT},
               {"tendon", mjTRN_TENDON}, {"cranksite", mjTRN_SLIDERCRANK},
               {"site", mjTRN_SITE},     {"body", mjTRN_BODY}};
enum { TARGETS = sizeof(targets) / sizeof(targets[0]) };

static void readTransmission(cfReader* r, const cfNode* node, mjsActuator* actuator) {
  int count = 0;
  for (int i = 0; i < TARGETS; i++) {
    const char* name = cfi_attribute(node, targets[i].attribute);
    if (name) {
      mjs_setString(actuator->target, name);
      actuator->trntype = targets[i].type;
      count++;
    }
  }
  const mjtTrn type = actuator->trntype;
  const bool is_open = type == mjTRN_UNDEFINED;
  if (count > 1) {
    cfi_error(r->report, node, "actuator can have at most one of transmission target");
  }
  if ((cfi_attribute(node, "cranklength") || cfi_attribute(node, "slidersite")) && !is_open &&
      type != mjTRN_SLIDERCRANK) {
    cfi_error(r->report, node,
              "cranklength and slidersite can only be used in slidercrank transmission");
  }
  if (cfi_attribute(node, "refsite") && !is_open && type != mjTRN_SITE) {
    cfi_error(r->report, node, "refsite can only be used with site transmission");
  }
}

//---------------------------------- shortcuts -----------------------------------------------------
// Each returns "" or a message, as the mjs_setTo functions do.

// everything is said by the fields
static const char* readGeneral(cfReader* r, const cfNode* node, mjsActuator* actuator) {
  (void)r;
  (void)node;
  (void)actuator;
  return "";
}

static const char* readMotor(cfReader* r, const cfNode* node, mjsActuator* actuator) {
  (void)r;
  (void)node;
  return mjs_setToMotor(actuator);
}

// position and integrated-velocity servos
static const char* readServo(cfReader* r, const cfNode* node, mjsActuator* actuator) {
  double kp = actuator->gainprm[0], inheritrange = actuator->inheritrange;
  double kv, dampratio, timeconst;
  cfi_readDouble(r, node, "kp", &kp);
  cfi_readDouble(r, node, "inheritrange", &inheritrange);
  double* has_kv = cfi_readDouble(r, node, "kv", &kv) ? &kv : NULL;
  double* has_ratio = cfi_readDouble(r, node, "dampratio", &dampratio) ? &dampratio : NULL;
  double* has_time = cfi_readDouble(r, node, "timeconst", &timeconst) ? &timeconst : NULL;
  const bool is_position = strcmp(node->tag, "position") == 0;
  return is_position
             ? mjs_setToPosition(actuator, kp, has_kv, has_ratio, has_time, inheritrange)
             : mjs_setToIntVelocity(actuator, kp, has_kv, has_ratio, has_time, inheritrange);
}

static const char* readVelocity(cfReader* r, const cfNode* node, mjsActuator* actuator) {
  double kv = actuator->gainprm[0];
  cfi_readDouble(r, node, "kv", &kv);
  return mjs_setToVelocity(actuator, kv);
}

static const char* readDamper(cfReader* r, const cfNode* node, mjsActuator* actuator) {
  double kv = 0;
  cfi_readDouble(r, node, "kv", &kv);
  return mjs_setToDamper(actuator, kv);
}

static const char* readCylinder(cfReader* r, const cfNode* node, mjsActuator* actuator) {
  double timeconst = actuator->dynprm[0], area = actuator->gainprm[0], diameter = -1;

  // three numbers must be given, of which the first counts
  double bias[3] = {actuator->biasprm[0], 0, 0};
  cfi_readDouble(r, node, "timeconst", &timeconst);
  cfi_readNumbers(r, node, "bias", bias, 3, true);
  cfi_readDouble(r, node, "area", &area);
  cfi_readDouble(r, node, "diameter", &diameter);
  return mjs_setToCylinder(actuator, timeconst, bias[0], area, diameter);
}

static const char* readMuscle(cfReader* r, const cfNode* node, mjsActuator* actuator) {
  double timeconst[2] = {-1, -1}, range[2] = {-1, -1}, tausmooth = actuator->dynprm[2];
  static const char* const names[] = {"force", "scale", "lmin", "lmax", "vmax", "fpmax", "fvmax"};
  double value[7];
  cfi_readNumbers(r, node, "timeconst", timeconst, 2, true);
  cfi_readDouble(r, node, "tausmooth", &tausmooth);
  cfi_readNumbers(r, node, "range", range, 2, true);
  for (int i = 0; i < 7; i++) {
    value[i] = -1;
    cfi_readDouble(r, node, names[i], &value[i]);
  }
  return mjs_setToMuscle(actuator, timeconst, tausmooth, range, value[0], value[1], value[2],
                         value[3], value[4], value[5], value[6]);
}

static const char* readAdhesion(cfReader* r, const cfNode* node, mjsActuator* actuator) {
  double gain = actuator->gainprm[0];
  cfi_readDouble(r, node, "gain", &gain);
  return mjs_setToAdhesion(actuator, gain);
}

static const char* readByPlugin(cfReader* r, const cfNode* node, mjsActuator* actuator) {
  cfi_readPlugin(r, node, &actuator->plugin);
  return "";
}

static const struct {
  const char* tag;
  const char* (*read)(cfReader*, const cfNode*, mjsActuator*);
} shortcuts[] = {{"general", readGeneral},   {"motor", readMotor},       {"position", readServo},
                 {"velocity", readVelocity}, {"intvelocity", readServo}, {"damper", readDamper},
                 {"cylinder", readCylinder}, {"muscle", readMuscle},     {"adhesion", readAdhesion},
                 {"plugin", readByPlugin}};
enum { SHORTCUTS = sizeof(shortcuts) / sizeof(shortcuts[0]) };

void cfi_finishActuator(cfReader* r, const cfNode* node, void* attr) {
  mjsActuator* actuator = attr;
  cfi_readGain(r, node, actuator);
  readTransmission(r, node, actuator);
  for (int i = 0; i < SHORTCUTS; i++) {
    if (strcmp(shortcuts[i].tag, node->tag) == 0) {
      const char* problem = shortcuts[i].read(r, node, actuator);
      if (problem[0]) {
        cfi_error(r->report, node, "%s", problem);
      }
    }
  }
}

void cfi_readActuators(cfReader* r, const cfNode* section) {
  for (const cfNode* node = section->first; node; node = node->next) {
    if (node->tag_id >= 0) {
      cfi_readElement(r, node, mjs_addActuator(r->spec, cfi_readClass(r, node))->element);
    }
  }
}
