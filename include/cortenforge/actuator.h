// Actuators beyond MuJoCo: exchangeable models of how controls become forces, chosen per actuator.
//
// MuJoCo computes force = gain*input + bias with a gain that is fixed, affine or a muscle's.  An
// actuator whose type of gain is mjGAIN_USER may have a model instead: the model returns the force,
// its slope, and advances states of its own.  Built in are `fixed`, `affine` and `muscle`
// (MuJoCo's, to the bit), `series_elastic`, `dc_motor` and `pneumatic`; docs/actuators.md has their
// equations. A program adds its own by registering a table of functions.
//
// Everything that a model works with lies where MuJoCo's functions find it: its parameters are the
// first numbers of `actuator_gainprm`, its states are activations (`actuator_actadr`).  Keyframes,
// mj_getState, mj_copyData and mjd_transitionFD need nothing special, and parameters may be changed
// in the arrays of the model between steps.  Without our library the actuator is one of MuJoCo's
// user-defined ones.
#ifndef CORTENFORGE_ACTUATOR_H_
#define CORTENFORGE_ACTUATOR_H_

#include <mujoco/mujoco.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A parameter of a model.  Its place in the list is its place in `actuator_gainprm`.  Where -1 is
/// both the usual value and the lower bound, it stands for "not given": nothing else below zero is
/// allowed then.
typedef struct cfGainParameter_ {
  const char* name;
  mjtNum usual;         // value where none is given
  mjtNum lower, upper;  // allowed values, both included
  const char* unit;
  const char* text;  // what it is, in a few words
} cfGainParameter;

/// An actuator as its model sees it.
typedef struct cfGainView_ {
  const mjModel* m;
  const mjData* d;
  int actuator;          // id of the actuator
  const mjtNum* param;   // parameters, in the order of the model's list
  const mjtNum* state;   // the model's own states, NULL if it has none
  mjtNum length;         // actuator_length
  mjtNum velocity;       // actuator_velocity
  mjtNum ctrl;           // control, delayed and clamped as the model says
  mjtNum activation;     // what MuJoCo's gains multiply: activation where there is one, else ctrl
  mjtNum previous_ctrl;  // `ctrl` of the step before, if `keeps_ctrl`; in the first step `ctrl`
  mjtNum timestep;
  mjtByte is_early;  // actearly: the force is that of the states one step ahead
  mjtByte is_stiff;  // see `speed`: the integrator takes the slope implicitly
} cfGainView;

/// A model of an actuator: a constant table of functions.
///
/// Functions read the view and write nothing but their results.  A number that is not finite counts
/// as a warning (mjWARN_BADCTRL): such a force is zero, such a state stays as it was.  A table that
/// is registered must stay where it is.
typedef struct cfGainModel_ {
  const char* name;
  const char* text;                  // what it is, in a few words
  int nparameter;                    // at most mjNGAIN
  const cfGainParameter* parameter;  // NULL if there are none
  int nstate;                        // states of its own
  mjtByte keeps_ctrl;                // two more activations hold the control of the last step

  /// Force of the actuator; MuJoCo's bias is added to it.
  mjtNum (*force)(const cfGainView* view);

  /// Derivative of the force by velocity, for the implicit integrators.
  mjtNum (*slope)(const cfGainView* view);

  /// Derivatives of the states by time.  NULL: zero.
  void (*rate)(const cfGainView* view, mjtNum* rate);

  /// States one step later.  NULL: state + timestep*rate.  Not used by RK4 if there is a rate.
  void (*advance)(const cfGainView* view, mjtNum* next);

  /// How fast forces, states and what they drive change together, 1/s; `lightness` is acceleration
  /// of the actuator's length per force.  NULL for models that are never stiff.  With it every
  /// integrator takes the slope implicitly (RK4 only where speed*timestep > 2) and says `is_stiff`:
  /// the force is then that of the states one step ahead, the slope counts what velocity does to
  /// them, and rates change a state by no more than one step of `advance` would.
  mjtNum (*speed)(const cfGainView* view, mjtNum lightness);
} cfGainModel;

/// Add a model to those that can be chosen by name.
///
/// @return 1; 0 with a warning if a model of that name exists or something is missing
/// @note Call it before models are loaded that name it.  Safe to call from several threads.
MJAPI int cf_registerGainModel(const cfGainModel* model);

/// Return the model of that name, NULL if there is none; number k of the list, NULL behind its end.
MJAPI const cfGainModel* cf_gainModel(const char* name);
MJAPI const cfGainModel* cf_gainModelAt(int k);

/// Choose the model of one actuator, starting with the next step.
///
/// @param m       its type of gain becomes mjGAIN_USER
/// @param u       id of the actuator
/// @param name    of a model; NULL restores the type of gain that was there before the first choice
/// @param param   its parameters; NULL for the usual values
/// @param nparam  their number, which must be the model's
/// @param error   receives a message when the result is 0; may be NULL
/// @return 1, or 0 and `m` as it was: unknown name, actuator out of range or run by a plugin, wrong
///         number of parameters, value out of bounds, activations that are not those which the
///         states of the model need (their number is fixed when a model is compiled)
/// @note Not to be called while another thread steps with the same `m`.
MJAPI int cf_setActuatorGain(mjModel* m, int u, const char* name, const mjtNum* param, int nparam,
                             char* error, int nerror);

/// Return the model that an actuator uses; NULL if it uses none or is out of range.
MJAPI const cfGainModel* cf_actuatorGain(const mjModel* m, int u);

/// The same before compilation, where the states of any model find room.
MJAPI int cf_setSpecGain(mjsActuator* actuator, const char* name, const mjtNum* param, int nparam,
                         char* error, int nerror);

/// Return the name of the model of an actuator of a specification; empty if it has none.
MJAPI const char* cf_specGain(const mjsActuator* actuator);

#ifdef __cplusplus
}
#endif

#endif  // CORTENFORGE_ACTUATOR_H_
