// Models of actuators without states of their own: MuJoCo's gains as models, and a spring in
// series.
#include "dynamics/gain.h"
#include "math/inline.h"
#include "math/muscle.h"

// ---------------------------------------- MuJoCo's gains, which multiply the activation

static mjtNum fixedForce(const cfGainView* view) {
  return view->param[0] * view->activation;
}


static mjtNum fixedSlope(const cfGainView* view) {
  (void)view;
  return 0;
}


static const cfGainParameter fixed_parameters[] = {
    {"gain", 1, -mjMAXVAL, mjMAXVAL, "N|Nm", "force per unit of activation"}};

const cfGainModel cfi_fixedGain = {.name = "fixed",
                                   .text = "MuJoCo's fixed gain",
                                   CF_GAIN_PARAMETERS(fixed_parameters),
                                   .force = fixedForce,
                                   .slope = fixedSlope};


static mjtNum affineForce(const cfGainView* view) {
  const mjtNum* c = view->param;
  return (c[0] + c[1] * view->length + c[2] * view->velocity) * view->activation;
}


static mjtNum affineSlope(const cfGainView* view) {
  return view->param[2] * view->activation;
}


static const cfGainParameter affine_parameters[] = {
    {"gain", 1, -mjMAXVAL, mjMAXVAL, "N|Nm", "force per unit of activation"},
    {"by_length", 0, -mjMAXVAL, mjMAXVAL, "N/m|Nm/rad", "what a unit of length adds to it"},
    {"by_velocity", 0, -mjMAXVAL, mjMAXVAL, "N s/m|Nm s/rad",
     "what a unit of velocity adds to it"}};

const cfGainModel cfi_affineGain = {.name = "affine",
                                    .text = "MuJoCo's gain affine in length and velocity",
                                    CF_GAIN_PARAMETERS(affine_parameters),
                                    .force = affineForce,
                                    .slope = affineSlope};


static mjtNum muscleForce(const cfGainView* view) {
  const mjModel* m = view->m;
  const int u = view->actuator;
  return mju_muscleGain(view->length, view->velocity, m->actuator_lengthrange + 2 * u,
                        m->actuator_acc0[u], view->param) *
         view->activation;
}


static mjtNum muscleSlope(const cfGainView* view) {
  const mjModel* m = view->m;
  const int u = view->actuator;
  return cfi_muscleGainSlope(view->length, view->velocity, m->actuator_lengthrange + 2 * u,
                             m->actuator_acc0[u], view->param) *
         view->activation;
}


static const cfGainParameter muscle_parameters[] = {
    {"range_lower", 0.75, -mjMAXVAL, mjMAXVAL, "-", "shortest length in units of the optimal one"},
    {"range_upper", 1.05, -mjMAXVAL, mjMAXVAL, "-", "longest length in units of the optimal one"},
    {"force", -1, -1, mjMAXVAL, "N", "peak force at rest, -1 to compute it from scale"},
    {"scale", 200, mjMINVAL, mjMAXVAL, "N", "factor for the computed peak force"},
    {"lmin", 0.5, -mjMAXVAL, 1, "-", "shortest active length"},
    {"lmax", 1.6, 1, mjMAXVAL, "-", "longest active length"},
    {"vmax", 1.5, mjMINVAL, mjMAXVAL, "1/s", "shortening velocity of zero force"},
    {"fpmax", 1.3, mjMINVAL, mjMAXVAL, "-", "passive force at lmax"},
    {"fvmax", 1.2, mjMINVAL, mjMAXVAL, "-", "active force at saturating lengthening"}};

const cfGainModel cfi_muscleGain = {.name = "muscle",
                                    .text = "MuJoCo's muscle",
                                    CF_GAIN_PARAMETERS(muscle_parameters),
                                    .force = muscleForce,
                                    .slope = muscleSlope};


// ---------------------------------------- a spring and a damper between motor and joint

// the motor follows the control: x = ctrl*gear, v = d(ctrl)/dt*gear;  k*(x - length) + d*(v - vel)
static mjtNum seriesElasticForce(const cfGainView* view) {
  const mjtNum stiffness = view->param[0], damping = view->param[1], gear = view->param[2];
  const mjtNum rate = (view->ctrl - view->previous_ctrl) / cfi_max(mjMINVAL, view->timestep);
  return stiffness * (view->ctrl * gear - view->length) + damping * (rate * gear - view->velocity);
}


static mjtNum seriesElasticSlope(const cfGainView* view) {
  return -view->param[1];
}


static const cfGainParameter series_elastic_parameters[] = {
    {"k_spring", 100, 0, mjMAXVAL, "N/m|Nm/rad", "stiffness of the spring"},
    {"damping", 0, 0, mjMAXVAL, "N s/m|Nm s/rad", "damping beside the spring"},
    {"gear_ratio", 1, -mjMAXVAL, mjMAXVAL, "-",
     "movement of the spring's end per unit of control"}};

const cfGainModel cfi_seriesElastic = {.name = "series_elastic",
                                       .text = "spring and damper between motor and joint",
                                       CF_GAIN_PARAMETERS(series_elastic_parameters),
                                       .keeps_ctrl = 1,
                                       .force = seriesElasticForce,
                                       .slope = seriesElasticSlope};
