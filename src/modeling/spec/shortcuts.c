// Actuators by purpose: motor, servo, damper, cylinder, muscle, adhesion.  Each returns "" or a
// message.
#include <stdbool.h>
#include <string.h>

#include <mujoco/mujoco.h>

static void setTypes(mjsActuator* a, mjtDyn dyn, mjtGain gain, mjtBias bias) {
  a->dyntype = dyn;
  a->gaintype = gain;
  a->biastype = bias;
}

static int isSet(const double range[2]) {
  return range[0] != 0 || range[1] != 0;
}

static int isNegative(const double range[2]) {
  return range[0] < 0 || range[1] < 0;
}

const char* mjs_setToMotor(mjsActuator* actuator) {
  actuator->gainprm[0] = 1;
  setTypes(actuator, mjDYN_NONE, mjGAIN_FIXED, mjBIAS_NONE);
  return "";
}

// third bias parameter of a servo: minus the damping, or plus the damping ratio until compiled
static const char* setServoDamping(mjsActuator* actuator, const double* kv,
                                   const double* dampratio) {
  if (kv && dampratio) {
    return "kv and dampratio cannot both be defined";
  }
  if (kv && *kv < 0) {
    return "kv cannot be negative";
  }
  if (dampratio && *dampratio < 0) {
    return "dampratio cannot be negative";
  }
  if (kv) {
    actuator->biasprm[2] = -*kv;
  } else if (dampratio) {
    actuator->biasprm[2] = *dampratio;
  }
  return NULL;
}

const char* mjs_setToPosition(mjsActuator* actuator, double kp, double kv[1], double dampratio[1],
                              double timeconst[1], double inheritrange) {
  // force = kp*(ctrl - length) - kv*velocity
  actuator->gainprm[0] = kp;
  actuator->biasprm[1] = -kp;
  const char* problem = setServoDamping(actuator, kv, dampratio);
  if (problem) {
    return problem;
  }

  mjtDyn dynamics = actuator->dyntype;
  if (timeconst) {
    if (*timeconst < 0) {
      return "timeconst cannot be negative";
    }
    actuator->dynprm[0] = *timeconst;
    dynamics = *timeconst == 0 ? mjDYN_NONE : mjDYN_FILTEREXACT;
    actuator->dyntype = dynamics;
  }

  actuator->inheritrange = inheritrange;
  if (inheritrange > 0 && isSet(actuator->ctrlrange)) {
    return "ctrlrange and inheritrange cannot both be defined";
  }
  setTypes(actuator, dynamics, mjGAIN_FIXED, mjBIAS_AFFINE);
  return "";
}

const char* mjs_setToVelocity(mjsActuator* actuator, double kv) {
  const double feedback[mjNBIAS] = {[2] = -kv};
  setTypes(actuator, mjDYN_NONE, mjGAIN_FIXED, mjBIAS_AFFINE);
  memcpy(actuator->biasprm, feedback, sizeof(feedback));
  actuator->gainprm[0] = kv;
  return "";
}

const char* mjs_setToDamper(mjsActuator* actuator, double kv) {
  memset(actuator->gainprm, 0, sizeof(actuator->gainprm));
  actuator->gainprm[2] = -kv;
  actuator->ctrllimited = mjLIMITED_TRUE;
  setTypes(actuator, mjDYN_NONE, mjGAIN_AFFINE, mjBIAS_NONE);
  if (kv < 0) {
    return "damping coefficient cannot be negative";
  }
  return isNegative(actuator->ctrlrange) ? "damper control range cannot be negative" : "";
}

const char* mjs_setToCylinder(mjsActuator* actuator, double timeconst, double bias, double area,
                              double diameter) {
  actuator->dynprm[0] = timeconst;
  actuator->biasprm[0] = bias;
  actuator->gainprm[0] = diameter >= 0 ? mjPI / 4 * diameter * diameter : area;
  setTypes(actuator, mjDYN_FILTER, mjGAIN_FIXED, mjBIAS_AFFINE);
  return "";
}

const char* mjs_setToMuscle(mjsActuator* actuator, double timeconst[2], double tausmooth,
                            double range[2], double force, double scale, double lmin, double lmax,
                            double vmax, double fpmax, double fvmax) {
  // where the parameter still has the general default, it becomes the muscle's
  static const struct {
    double general, muscle;
  } dynamics[2] = {{1, 0.01}, {0, 0.04}},
    gain[9] = {{1, 0.75}, {0, 1.05}, {0, -1},  {0, 200}, {0, 0.5},
               {0, 1.6},  {0, 1.5},  {0, 1.3}, {0, 1.2}};
  const double given[9] = {range[0], range[1], force, scale, lmin, lmax, vmax, fpmax, fvmax};

  for (int i = 0; i < 2; i++) {
    double* value = &actuator->dynprm[i];
    *value = *value == dynamics[i].general ? dynamics[i].muscle : *value;
  }
  for (int i = 0; i < 9; i++) {
    double* value = &actuator->gainprm[i];
    *value = *value == gain[i].general ? gain[i].muscle : *value;
  }
  if (tausmooth < 0) {
    return "muscle tausmooth cannot be negative";
  }

  // negative means: not given
  actuator->dynprm[2] = tausmooth;
  for (int i = 0; i < 2; i++) {
    actuator->dynprm[i] = timeconst[i] >= 0 ? timeconst[i] : actuator->dynprm[i];
  }
  for (int i = 0; i < 9; i++) {
    actuator->gainprm[i] = given[i] >= 0 ? given[i] : actuator->gainprm[i];
    actuator->biasprm[i] = actuator->gainprm[i];
  }
  setTypes(actuator, mjDYN_MUSCLE, mjGAIN_MUSCLE, mjBIAS_MUSCLE);
  return "";
}

const char* mjs_setToAdhesion(mjsActuator* actuator, double gain) {
  actuator->gainprm[0] = gain;
  actuator->ctrllimited = mjLIMITED_TRUE;
  actuator->gaintype = mjGAIN_FIXED;
  actuator->biastype = mjBIAS_NONE;
  if (gain < 0) {
    return "adhesion gain cannot be negative";
  }
  return isNegative(actuator->ctrlrange) ? "adhesion control range cannot be negative" : "";
}

// a position servo whose set point is the integral of the control
const char* mjs_setToIntVelocity(mjsActuator* servo, double gain, double damping[1],
                                 double ratio[1], double filter[1], double range) {
  const bool is_double = isSet(servo->actrange) && range > 0;
  mjs_setToPosition(servo, gain, damping, ratio, filter, range);
  servo->actlimited = mjLIMITED_TRUE;
  servo->dyntype = mjDYN_INTEGRATOR;
  return is_double ? "actrange and inheritrange cannot both be defined" : "";
}
