// Exchangeable models of actuators: which actuator has one, and what the stages ask them.
//
// A model with no such actuator has no list: stages find that out once, and the loops over its
// actuators know nothing of models.
//
// Activations of an actuator with a model, from actuator_actadr on:
//
//   nstate own states | last control, 1 once there is one (if keeps_ctrl) | activation of dyntype
#ifndef CF_DYNAMICS_GAIN_H
#define CF_DYNAMICS_GAIN_H

#include <stdbool.h>

#include <cortenforge/actuator.h>
#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "model/awake.h"
#include "model/extension.h"
#include "model/flags.h"

// members of the table of a model, from the array of its parameters
#define CF_GAIN_PARAMETERS(list) .nparameter = sizeof(list) / sizeof((list)[0]), .parameter = (list)

extern const cfGainModel cfi_fixedGain, cfi_affineGain, cfi_muscleGain;  // MuJoCo's
extern const cfGainModel cfi_seriesElastic;
extern const cfGainModel cfi_dcMotor;
extern const cfGainModel cfi_pneumatic;

typedef struct {
  const cfGainModel* model;  // NULL: none
  int former;                // type of gain before a model was chosen
  int listed;                // entry k: actuator that is the k-th with a model
} cfGainUse;

typedef struct {
  int nu;
  int count;  // actuators with a model
  cfGainUse use[];
} cfGainChoice;

extern const cfExtensionClass cfi_gainChoiceClass;

// actuators with a model, NULL if there are none
const cfGainChoice* cfi_gainChoice(const mjModel* m);

// activations that belong to a model: its states and what it keeps
static inline int cfi_gainStates(const cfGainModel* model) {
  return model->nstate + 2 * (model->keeps_ctrl != 0);
}

// is there no objection to the parameters?  if there is, the message says why
bool cfi_checkGainParameters(const cfGainModel* model, const mjtNum* param, int nparam, char* error,
                             int nerror);

// model of that name, or NULL and a message that names those which exist
const cfGainModel* cfi_findGainModel(const char* name, char* error, int nerror);

// stage ACTUATION: rates of states into act_dot; forces added to those in actuator_force
void cfi_gainRates(const cfGainChoice* choice, const mjModel* m, mjData* d, const mjtNum* ctrl);
void cfi_addGainForces(const cfGainChoice* choice, const mjModel* m, mjData* d, const mjtNum* ctrl);

// derivative of the force by velocity, 0 without a model
mjtNum cfi_gainForceSlope(const mjModel* m, mjData* d, int u);

// force of an actuator with a model before all limits
mjtNum cfi_unlimitedForce(const mjModel* m, mjData* d, int u);

// slope of a model that every integrator takes implicitly, before all limits; 0 for others, for
// actuators that do not act, or where it is not negative
mjtNum cfi_stiffSlope(const mjModel* m, mjData* d, int u);

// integrators: activations that belong to models one step later, computed into next[na] before
// anything of d moves, stored when the activations have; with `by_rate` the states that have a rate
// stay what the integrator made of them
void cfi_nextGainStates(const cfGainChoice* choice, const mjModel* m, mjData* d, mjtNum* next);
void cfi_storeGainStates(const cfGainChoice* choice, const mjModel* m, mjData* d,
                         const mjtNum* next, bool by_rate);

// does sleeping hide everything that this actuator drives?
static inline bool cfi_isActuatorAsleep(const mjModel* m, const mjData* d, int u) {
  CF_ASSERT_INDEX(u, m->nu);
  return cfi_enabled(m, mjENBL_SLEEP) && cfi_sleepState(m, d, mjOBJ_ACTUATOR, u) == mjS_ASLEEP;
}

// actuation.c: the control as an actuator sees it, delayed and clamped; all of them, and the first
// actuator whose control is bad, which makes all of them zero, or -1
mjtNum cfi_actuatorControl(const mjModel* m, const mjData* d, int u);
int cfi_actuatorControls(const mjModel* m, const mjData* d, mjtNum* ctrl);

#endif  // CF_DYNAMICS_GAIN_H
