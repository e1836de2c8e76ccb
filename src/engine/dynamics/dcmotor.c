// A direct-current motor with a gear: the state is the current i of its winding.
//
//   L di/dt = V - R i - Ke w,   w = gear*velocity,   force = gear*(Kt i - b w)
//
// V is the activation (the control where there is no dyntype).  The electrical time constant L/R is
// often shorter than a time step: the current is advanced by the solution of the equation for V and
// w of this step.  Without inductance the current follows at once and the state repeats it.
//
// Current and joint act on each other faster still: with a gear of 40 a motor turns its joint
// within a fraction of a step.  So the force is that of the current one step ahead, whose slope
// over the velocity the integrators take implicitly.  With s = 1 - exp(-h R/L), A = h/mass*gear*Kt
// and B = s*Ke*gear/R, one step of current and velocity is the matrix
//
//   [ 1 - s              -B        ]
//   [ A(1 - s)/(1 + AB)   1/(1 + AB) ]     of determinant 1 - s: stable for every h
#include <math.h>

#include "dynamics/gain.h"
#include "math/inline.h"
#include "math/libm.h"

enum { RESISTANCE, INDUCTANCE, TORQUE_CONSTANT, BACK_EMF, MOTOR_GEAR, MOTOR_FRICTION };


// current that would flow if nothing changed any more
static mjtNum steadyCurrent(const cfGainView* view) {
  const mjtNum* p = view->param;
  const mjtNum emf = p[BACK_EMF] * p[MOTOR_GEAR] * view->velocity;
  return (view->activation - emf) / cfi_max(mjMINVAL, p[RESISTANCE]);
}


// share of the way to the steady current that is made in one step
static mjtNum currentShare(const cfGainView* view) {
  const mjtNum* p = view->param;
  return p[INDUCTANCE] > 0 ? -cfi_expm1(-view->timestep * p[RESISTANCE] / p[INDUCTANCE]) : 1;
}


static mjtNum nextCurrent(const cfGainView* view) {
  const mjtNum current = view->state[0];
  return current + (steadyCurrent(view) - current) * currentShare(view);
}


static bool isCurrentAhead(const cfGainView* view) {
  return view->is_early || view->is_stiff || !(view->param[INDUCTANCE] > 0);
}


static mjtNum dcMotorForce(const cfGainView* view) {
  const mjtNum *p = view->param, gear = p[MOTOR_GEAR];
  const mjtNum current = isCurrentAhead(view) ? nextCurrent(view) : view->state[0];
  return gear * (p[TORQUE_CONSTANT] * current - p[MOTOR_FRICTION] * gear * view->velocity);
}


static mjtNum dcMotorSlope(const cfGainView* view) {
  const mjtNum *p = view->param, gear = p[MOTOR_GEAR];
  const mjtNum by_velocity =
      isCurrentAhead(view)
          ? -p[BACK_EMF] * gear / cfi_max(mjMINVAL, p[RESISTANCE]) * currentShare(view)
          : 0;
  return gear * (p[TORQUE_CONSTANT] * by_velocity - p[MOTOR_FRICTION] * gear);
}


// where the current is ahead: what brings the state there in one step
static void dcMotorRate(const cfGainView* view, mjtNum* rate) {
  const mjtNum* p = view->param;
  const mjtNum missing = steadyCurrent(view) - view->state[0];
  const bool is_slow = p[INDUCTANCE] > 0 && !view->is_stiff;
  rate[0] = is_slow ? missing * p[RESISTANCE] / p[INDUCTANCE]
                    : missing * currentShare(view) / cfi_max(mjMINVAL, view->timestep);
}


// sum of the speeds of the winding, of both together, and of friction
static mjtNum dcMotorSpeed(const cfGainView* view, mjtNum lightness) {
  const mjtNum* p = view->param;
  const mjtNum light = lightness * p[MOTOR_GEAR] * p[MOTOR_GEAR];
  const mjtNum coupling = light * p[TORQUE_CONSTANT] * p[BACK_EMF];
  const mjtNum friction = light * p[MOTOR_FRICTION];
  return p[INDUCTANCE] > 0
             ? p[RESISTANCE] / p[INDUCTANCE] + sqrt(coupling / p[INDUCTANCE]) + friction
             : coupling / cfi_max(mjMINVAL, p[RESISTANCE]) + friction;
}


static void dcMotorAdvance(const cfGainView* view, mjtNum* next) {
  next[0] = nextCurrent(view);
}


static const cfGainParameter dc_motor_parameters[] = {
    [RESISTANCE] = {"resistance", 1, 1e-9, mjMAXVAL, "Ohm", "resistance of the winding"},
    [INDUCTANCE] = {"inductance", 0, 0, mjMAXVAL, "H", "inductance of the winding"},
    [TORQUE_CONSTANT] = {"torque_constant", 1, 0, mjMAXVAL, "Nm/A", "torque per unit of current"},
    [BACK_EMF] = {"back_emf", 1, 0, mjMAXVAL, "V s/rad", "voltage per unit of motor speed"},
    [MOTOR_GEAR] = {"gear", 1, -mjMAXVAL, mjMAXVAL, "-",
                    "turns of the motor per turn of the joint"},
    [MOTOR_FRICTION] = {"friction", 0, 0, mjMAXVAL, "Nm s/rad", "viscous friction of the motor"}};

const cfGainModel cfi_dcMotor = {.name = "dc_motor",
                                 .text = "direct-current motor driven by a voltage",
                                 CF_GAIN_PARAMETERS(dc_motor_parameters),
                                 .nstate = 1,
                                 .force = dcMotorForce,
                                 .slope = dcMotorSlope,
                                 .rate = dcMotorRate,
                                 .advance = dcMotorAdvance,
                                 .speed = dcMotorSpeed};
