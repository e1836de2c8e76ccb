// An extension as a library of its own: a motor that saturates, and nothing else.
#include <math.h>

#include <cortenforge/actuator.h>
#include <mujoco/mujoco.h>

static mjtNum motorForce(const cfGainView* v) {
  return v->param[0] * tanh(v->ctrl) - v->param[1] * v->velocity;
}


static mjtNum motorSlope(const cfGainView* v) {
  return -v->param[1];
}


static const cfGainParameter parameters[] = {{"peak", 10, 0, 1e6, "Nm", "largest torque"},
                                             {"drag", 0.1, 0, 1e6, "Nm s/rad", "viscous friction"}};
static const cfGainModel soft_motor = {.name = "soft_motor",
                                       .text = "a motor that saturates",
                                       .nparameter = 2,
                                       .parameter = parameters,
                                       .force = motorForce,
                                       .slope = motorSlope};

mjPLUGIN_LIB_INIT {
  cf_registerGainModel(&soft_motor);
}
