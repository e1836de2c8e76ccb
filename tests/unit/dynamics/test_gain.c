// Exchangeable models of actuators: MuJoCo's own to the bit, closed forms of the others, slopes,
// states, bad numbers.
#include <stdio.h>
#include <string.h>

#include <cortenforge/cortenforge.h>
#include <cortenforge/actuator.h>
#include <cortenforge/derivative.h>
#include <mujoco/mujoco.h>

#include "cf_guard.h"
#include "cf_test.h"
#include "cf_text.h"
#include "dynamics/gain.h"

typedef struct {
  mjModel* m;
  mjData* d;
} gainCase;


static gainCase openText(const char* xml) {
  gainCase c = {.m = cf_compileText(xml)};
  c.d = mj_makeData(c.m);
  return c;
}


// a body of 2 kg on a slide along x without gravity, and one actuator
static gainCase openSlide(const char* attributes) {
  char xml[2000];
  snprintf(
      xml, sizeof(xml),
      "<mujoco><option gravity='0 0 0'/><worldbody><body><joint name='x' type='slide' axis='1 0 0'/>"
      "<geom size='0.1' mass='2'/></body></worldbody><actuator>"
      "<general joint='x' gaintype='custom' %s/></actuator></mujoco>",
      attributes);
  return openText(xml);
}


static void closeCase(gainCase c) {
  mj_deleteData(c.d);
  mj_deleteModel(c.m);
}


static double drawOne(unsigned* seed) {
  *seed = *seed * 1664525u + 1013904223u;
  return (*seed >> 8) / 8388608.0 - 1;
}


static void drawNumbers(mjtNum* x, int n, double size, unsigned* seed) {
  for (int k = 0; k < n; k++) {
    x[k] = size * drawOne(seed);
  }
}


// ---------------------------------------- MuJoCo's gains

static const char* const plain_arm =
    "<mujoco><worldbody><body><joint name='a' axis='0 1 0' damping='.1'/><geom size='.05' pos='0 0 .3'/>"
    "<body pos='0 0 .6'><joint name='b' axis='0 1 0' damping='.1'/><geom size='.05' pos='0 0 .3'/></body>"
    "</body></worldbody><actuator>"
    "<general joint='a' gainprm='3'/>"
    "<general joint='b' gaintype='affine' gainprm='2 -1 -.5' biastype='affine' biasprm='.1 -1 -.2'/>"
    "<general joint='a' dyntype='filter' dynprm='.05' gaintype='affine' gainprm='1 .3 -.7' actearly='true'/>"
    "<general joint='b' dyntype='muscle' dynprm='.01 .04' gaintype='muscle' biastype='muscle' "
    "gainprm='.75 1.05 -1 200 .5 1.6 1.5 1.3 1.2' biasprm='.75 1.05 -1 200 .5 1.6 1.5 1.3 1.2' "
    "lengthrange='-3 3'/>"
    "<general joint='a' dyntype='integrator' gainprm='.5' biastype='affine' biasprm='0 -.5 0'/>"
    "</actuator></mujoco>";

static const char* const plain_model_of[] = {"fixed", "affine", "affine", "muscle", "fixed"};


static void chooseAll(mjModel* m) {
  for (int u = 0; u < m->nu; u++) {
    char error[500] = "";
    mjtNum param[mjNGAIN];
    mju_copy(param, m->actuator_gainprm + mjNGAIN * u, mjNGAIN);
    const cfGainModel* model = cf_gainModel(plain_model_of[u]);
    CF_TRUE(cf_setActuatorGain(m, u, model->name, param, model->nparameter, error, sizeof(error)));
    CF_EQ_INT(m->actuator_gaintype[u], mjGAIN_USER);
    CF_TRUE(cf_actuatorGain(m, u) == model);
  }
}


CF_TEST(gain__mujocos_gains_as_models__same_bits_with_every_integrator) {
  for (int integrator = mjINT_EULER; integrator <= mjINT_IMPLICITFAST; integrator++) {
    gainCase plain = openText(plain_arm), custom = openText(plain_arm);
    plain.m->opt.integrator = custom.m->opt.integrator = integrator;
    chooseAll(custom.m);
    unsigned seed = 7;
    for (int step = 0; step < 300; step++) {
      drawNumbers(plain.d->ctrl, (int)plain.m->nu, 1, &seed);
      mju_copy(custom.d->ctrl, plain.d->ctrl, (int)plain.m->nu);
      mj_step(plain.m, plain.d);
      mj_step(custom.m, custom.d);
      CF_EQ_BYTES(custom.d->actuator_force, plain.d->actuator_force, sizeof(mjtNum) * 5);
      CF_EQ_BYTES(custom.d->act, plain.d->act, sizeof(mjtNum) * (size_t)plain.m->na);
      CF_EQ_BYTES(custom.d->qvel, plain.d->qvel, sizeof(mjtNum) * 2);
    }
    closeCase(plain);
    closeCase(custom);
  }
}


CF_TEST(gain__no_model_or_taken_back__no_list_and_same_bits) {
  gainCase plain = openText(plain_arm), undone = openText(plain_arm);
  CF_TRUE(cfi_gainChoice(plain.m) == NULL);
  CF_TRUE(cf_actuatorGain(plain.m, 0) == NULL && cf_actuatorGain(plain.m, 99) == NULL);
  chooseAll(undone.m);
  CF_EQ_INT(cfi_gainChoice(undone.m)->count, 5);
  for (int u = 0; u < undone.m->nu; u++) {
    CF_TRUE(cf_setActuatorGain(undone.m, u, NULL, NULL, 0, NULL, 0));
  }
  CF_TRUE(cfi_gainChoice(undone.m) == NULL);
  CF_EQ_BYTES(undone.m->actuator_gaintype, plain.m->actuator_gaintype, sizeof(int) * 5);
  for (int step = 0; step < 50; step++) {
    plain.d->ctrl[step % 5] = undone.d->ctrl[step % 5] = sin(step);
    mj_step(plain.m, plain.d);
    mj_step(undone.m, undone.d);
  }
  CF_TRUE(cf_stateHash(plain.m, plain.d) == cf_stateHash(undone.m, undone.d));
  closeCase(plain);
  closeCase(undone);
}


// ---------------------------------------- slopes

// every model with and without actearly, dynamics in front where there are no states
static const char* const slope_cases[] = {
    "cortenforge:gain_model='fixed' cortenforge:gain_params='3'",
    "cortenforge:gain_model='affine' cortenforge:gain_params='2 -1 -.5'",
    "cortenforge:gain_model='affine' cortenforge:gain_params='2 -1 -.5' dyntype='filter' actearly='true'",
    "cortenforge:gain_model='muscle' cortenforge:gain_params='force=20' lengthrange='-3 3'",
    "cortenforge:gain_model='series_elastic' cortenforge:gain_params='1000 10 50'",
    "cortenforge:gain_model='series_elastic' cortenforge:gain_params='1000 10 50' actearly='true'",
    "cortenforge:gain_model='dc_motor' cortenforge:gain_params='2 .003 .4 .5 3 .02'",
    "cortenforge:gain_model='dc_motor' cortenforge:gain_params='2 .003 .4 .5 3 .02' actearly='true'",
    "cortenforge:gain_model='dc_motor' cortenforge:gain_params='2 0 .4 .5 3 .02'",
    "cortenforge:gain_model='dc_motor' cortenforge:gain_params='2 .01 .4 .5 3 0' dyntype='filter'",
    "cortenforge:gain_model='pneumatic'",
    "cortenforge:gain_model='pneumatic' actearly='true'",
    "cortenforge:gain_model='pneumatic' cortenforge:gain_params='volume=1e-3 exponent=1.4' actearly='true'",
};
enum { NSLOPE = sizeof(slope_cases) / sizeof(slope_cases[0]) };


static mjtNum forceAt(gainCase c, mjtNum velocity) {
  c.d->qvel[0] = velocity;
  mj_forward(c.m, c.d);
  return c.d->actuator_force[0];
}


CF_TEST(gain__every_model__slope_is_the_difference_quotient) {
  unsigned seed = 11;
  for (int k = 0; k < NSLOPE; k++) {
    gainCase c = openSlide(slope_cases[k]);
    bool is_pneumatic = strstr(slope_cases[k], "pneumatic") != NULL;
    for (int trial = 0; trial < 20; trial++) {
      drawNumbers(c.d->act, (int)c.m->na, is_pneumatic ? 1e5 : 1, &seed);
      drawNumbers(c.d->ctrl, 1, 1, &seed);
      c.d->qpos[0] = 0.05 * drawOne(&seed);
      const mjtNum v = 0.5 * drawOne(&seed), eps = 1e-5;
      const mjtNum quotient = (forceAt(c, v + eps) - forceAt(c, v - eps)) / (2 * eps);
      const mjtNum force = forceAt(c, v), slope = cfi_gainForceSlope(c.m, c.d, 0);
      CF_NEAR(slope, quotient, 1e-6 * (1 + fabs(slope)) + 1e-9 * fabs(force));

      // the implicit integrators see it
      c.m->opt.integrator = mjINT_IMPLICIT;
      mj_forward(c.m, c.d);
      mj_implicit(c.m, c.d);
      CF_NEAR(c.d->qDeriv[0], slope, 1e-9 * (1 + fabs(slope)));
    }
    closeCase(c);
  }
}


// ---------------------------------------- series elastic

CF_TEST(seriesElastic__one_slide__spring_and_damper_between_motor_and_joint) {
  gainCase c =
      openSlide("cortenforge:gain_model='series_elastic' cortenforge:gain_params='1000 10 50'");
  CF_EQ_INT(c.m->na, 2);
  c.d->qpos[0] = 0.3;
  c.d->qvel[0] = -0.7;
  c.d->ctrl[0] = 0.01;

  // the first step knows of no movement of the motor
  mj_forward(c.m, c.d);
  CF_NEAR(c.d->actuator_force[0], 1000 * (0.5 - 0.3) + 10 * (0 + 0.7), 1e-11);
  mj_step(c.m, c.d);
  CF_NEAR(c.d->act[0], 0.01, 0);
  CF_NEAR(c.d->act[1], 1, 0);

  // from then on its speed comes from the last control
  c.d->ctrl[0] = 0.0102;
  mj_forward(c.m, c.d);
  const double rate = (0.0102 - 0.01) / c.m->opt.timestep;
  const double force = 1000 * (0.0102 * 50 - c.d->qpos[0]) + 10 * (rate * 50 - c.d->qvel[0]);
  CF_NEAR(c.d->actuator_force[0], force, 1e-10);
  mj_step(c.m, c.d);
  mj_forward(c.m, c.d);
  CF_NEAR(c.d->actuator_force[0], 1000 * (0.0102 * 50 - c.d->qpos[0]) + 10 * (0 - c.d->qvel[0]),
          1e-10);

  // after a reset there is no last control
  mj_resetData(c.m, c.d);
  c.d->ctrl[0] = 0.02;
  mj_forward(c.m, c.d);
  CF_NEAR(c.d->actuator_force[0], 1000, 1e-10);
  closeCase(c);
}


CF_TEST(seriesElastic__step_of_the_control__response_of_a_damped_oscillator) {
  gainCase c =
      openSlide("cortenforge:gain_model='series_elastic' cortenforge:gain_params='200 8 2'");
  c.m->opt.integrator = mjINT_RK4;
  c.d->ctrl[0] = 0.25;
  const double zeta = 8 / (2 * sqrt(200 * 2.0)), omega = sqrt(200 / 2.0);
  const double ringing = omega * sqrt(1 - zeta * zeta);
  for (int step = 0; step < 500; step++) {
    mj_step(c.m, c.d);
    const double t = c.d->time, fade = exp(-zeta * omega * t);
    const double x =
        0.5 * (1 - fade * (cos(ringing * t) + zeta * omega / ringing * sin(ringing * t)));
    CF_NEAR(c.d->qpos[0], x, 1e-8);
  }
  closeCase(c);
}


// ---------------------------------------- motor

CF_TEST(dcMotor__held__current_rises_with_the_electrical_time_constant_to_stall_torque) {
  // L/R = 1 ms is half a step: the current is exact all the same
  gainCase c = openSlide(
      "cortenforge:gain_model='dc_motor' cortenforge:gain_params='2 .002 .05 .05 20 .001'");
  c.m->opt.disableflags |= mjDSBL_CONTACT;
  c.d->ctrl[0] = 12;
  for (int step = 1; step <= 20; step++) {
    mj_step(c.m, c.d);
    c.d->qpos[0] = c.d->qvel[0] = 0;
    CF_NEAR(c.d->act[0], 6 * (1 - exp(-c.d->time / 0.001)), 1e-12);
  }
  mj_forward(c.m, c.d);
  CF_NEAR(c.d->actuator_force[0], 20 * 0.05 * 12 / 2, 1e-10);
  closeCase(c);
}


CF_TEST(dcMotor__free_with_friction__steady_speed_and_current_of_the_equations) {
  // V = R i + Ke w, Kt i = b w
  gainCase c = openSlide(
      "cortenforge:gain_model='dc_motor' cortenforge:gain_params='2 .002 .05 .06 100 .0001'");
  c.d->ctrl[0] = 12;
  for (int step = 0; step < 20000; step++) {
    mj_step(c.m, c.d);
  }
  const double speed = 12 / (0.06 + 2 * 0.0001 / 0.05);
  CF_NEAR(100 * c.d->qvel[0], speed, 1e-8);
  CF_NEAR(c.d->act[0], 0.0001 * speed / 0.05, 1e-10);
  closeCase(c);
}


CF_TEST(dcMotor__no_inductance__speed_approaches_no_load_exponentially) {
  gainCase c =
      openSlide("cortenforge:gain_model='dc_motor' cortenforge:gain_params='2 0 .05 .05 20 0'");
  c.m->opt.integrator = mjINT_RK4;
  c.d->ctrl[0] = 12;
  const double tau = 2 * 2 / (0.05 * 0.05 * 20 * 20), limit = 12 / (0.05 * 20);
  for (int step = 0; step < 2000; step++) {
    mj_step(c.m, c.d);
    CF_NEAR(c.d->qvel[0], limit * (1 - exp(-c.d->time / tau)), 1e-9);
  }
  closeCase(c);
}


// the motor of docs/actuators.md on joints of every weight, with every integrator and timestep
static const char stiff_motor[] =
    "cortenforge:gain_model='dc_motor' "
    "cortenforge:gain_params='resistance=0.6 inductance=4e-4 gear=40'";

CF_TEST(dcMotor__gear_of_forty__stable_with_every_integrator_and_reaches_its_speed) {
  static const double masses[] = {1e-3, 0.02, 0.5, 2, 30, 1000}, steps[] = {1e-3, 2e-3, 0.01, 0.05};
  for (int k = 0; k < 4 * 6 * 4 * 2; k++) {
    char text[500];
    snprintf(text, sizeof(text), "%s %s", stiff_motor, k / 96 ? "actearly='true'" : "");
    gainCase c = openSlide(text);
    c.m->opt.integrator = k % 4;
    c.m->opt.timestep = steps[k / 24 % 4];
    c.m->body_mass[1] = masses[k / 4 % 6];
    mj_setConst(c.m, c.d);
    c.d->ctrl[0] = 24;

    // rate of the slow mode: gear^2*Kt*Ke/(R*mass)
    const double speed = 24.0 / 40, rate = 1600 / (0.6 * masses[k / 4 % 6]);
    for (double t = 0; t < 12 / rate + 30 * c.m->opt.timestep; t += c.m->opt.timestep) {
      mj_step(c.m, c.d);
      CF_TRUE(c.d->qvel[0] > -0.01 * speed && c.d->qvel[0] < 2 * speed);
      CF_TRUE(fabs(c.d->act[0]) <= 41);
    }
    CF_NEAR(c.d->qvel[0] / speed, 1, 1e-3);
    closeCase(c);
  }
}


// the same on a slide of 2 kg with 50 N at most: by the range of the actuator, of its joint, of its
// tendon.  It may be geared the other way round
static gainCase openLimited(int limit, int integrator, mjtNum timestep) {
  static const char* const joint[3] = {"", "actuatorfrcrange='-50 50'", ""};
  static const char* const target[3] = {"joint='x' forcerange='-50 50'", "joint='x' gear='-1'",
                                        "tendon='t'"};
  char xml[2000];
  snprintf(
      xml, sizeof(xml),
      "<mujoco><option gravity='0 0 0' timestep='%g'/><worldbody><body><joint name='x' type='slide' %s/>"
      "<geom size='0.1' mass='2'/></body></worldbody><tendon>"
      "<fixed name='t' actuatorfrclimited='true' actuatorfrcrange='-50 50'><joint joint='x' coef='1'/></fixed>"
      "</tendon><actuator><general %s gaintype='custom' %s/></actuator></mujoco>",
      timestep, joint[limit], target[limit], stiff_motor);
  gainCase c = openText(xml);
  c.m->opt.integrator = integrator;
  return c;
}


// all of the allowed force until the motor has its speed; then none, without a chatter between the
// limits
CF_TEST(dcMotor__limited_force__is_what_acts_until_the_speed_is_reached) {
  static const double steps[2] = {0.002, 0.017};
  for (int k = 0; k < 2 * 3 * 5; k++) {
    const int limit = k / 2 % 3;
    const mjtNum h = steps[k % 2], sign = limit == 1 ? -1 : 1, speed = sign * 37.0 / 40;
    gainCase c = openLimited(limit, k / 6, h);
    c.d->ctrl[0] = 37;
    mj_step(c.m, c.d);
    CF_NEAR(c.d->qvel[0], sign * h * 25, 1e-12);
    while (c.d->time < 1) {
      CF_TRUE(sign * (c.d->qvel[0] - speed) < 1e-3);  // the current lags
      mj_step(c.m, c.d);
    }
    CF_NEAR(c.d->qvel[0], speed, 1e-8);
    CF_NEAR(c.d->qfrc_actuator[0], 0, 1e-4);
    closeCase(c);
  }
}


// two motors on one limited joint, a third on a tendon over two joints: none of them throws the arm
CF_TEST(dcMotor__shared_limits__speed_stays_bounded) {
  static const char* const target[4] = {"joint='a'", "joint='a'", "tendon='t'",
                                        "tendon='t' forcerange='-3 3'"};
  char xml[4000], *p = xml;
  p += sprintf(
      p,
      "<mujoco><option timestep='.005'/><worldbody>"
      "<body><joint name='a' axis='0 1 0' actuatorfrcrange='-4 4' actuatorgravcomp='true'/>"
      "<geom type='capsule' size='.03' fromto='0 0 0 .3 0 0'/>"
      "<body pos='.3 0 0' gravcomp='1'><joint name='b' axis='0 1 0' actuatorfrcrange='-6 6'/>"
      "<geom type='capsule' size='.03' fromto='0 0 0 .3 0 0'/></body></body></worldbody><tendon>"
      "<fixed name='t' actuatorfrclimited='true' actuatorfrcrange='-5 5'><joint joint='a' coef='1'/>"
      "<joint joint='b' coef='-.7'/></fixed></tendon><actuator>");
  for (int k = 0; k < 4; k++) {
    p += sprintf(p, "<general %s gaintype='custom' %s/>", target[k], stiff_motor);
  }
  sprintf(p, "</actuator></mujoco>");
  for (int integrator = 0; integrator < 5; integrator++) {
    gainCase c = openText(xml);
    c.m->opt.integrator = integrator;
    for (int k = 0; k < 1000; k++) {
      for (int u = 0; u < 4; u++) {
        c.d->ctrl[u] = 24 * sin(0.01 * k + u);
      }
      mj_step(c.m, c.d);
      CF_TRUE(fabs(c.d->qvel[0]) < 20 && fabs(c.d->qvel[1]) < 40);
      CF_TRUE(fabs(c.d->qfrc_actuator[0]) <= 4 && fabs(c.d->qfrc_actuator[1]) <= 6);
    }
    for (int w = 0; w < mjNWARNING; w++) {
      CF_EQ_INT(c.d->warning[w].number, 0);
    }
    closeCase(c);
  }
}


// rotor held by a stop: torque of a motor that stands
CF_TEST(dcMotor__pressed_against_a_stop__stall_torque) {
  for (int integrator = 0; integrator < 4; integrator++) {
    char xml[900];
    snprintf(xml, sizeof(xml),
             "<mujoco><option gravity='0 0 0'/><worldbody><body><joint name='x' type='slide' "
             "axis='1 0 0' range='-1 .01' limited='true'/><geom size='.1' mass='2'/></body>"
             "</worldbody><actuator><general joint='x' gaintype='custom' %s/></actuator></mujoco>",
             stiff_motor);
    gainCase c = openText(xml);
    c.m->opt.integrator = integrator;
    c.d->ctrl[0] = 1.5;
    for (int k = 0; k < 2000; k++) {
      mj_step(c.m, c.d);
    }
    CF_NEAR(c.d->act[0], 2.5, 1e-4);
    CF_NEAR(c.d->qfrc_constraint[0], -100, 0.01);
    CF_NEAR(c.d->qvel[0], 0, 1e-6);
    closeCase(c);
  }
}


// in the end a small step tells what the equations say; large ones come near
CF_TEST(dcMotor__smaller_steps__the_motion_of_the_equations) {
  double at[4][3];
  for (int k = 0; k < 12; k++) {
    gainCase c = openSlide(stiff_motor);
    c.m->opt.integrator = k / 3;
    c.m->opt.timestep = (double[3]){1e-3, 1e-4, 1e-5}[k % 3];
    c.d->ctrl[0] = 24;
    while (c.d->time < 0.004 - 1e-9) {
      mj_step(c.m, c.d);
    }
    at[k / 3][k % 3] = c.d->qvel[0];
    closeCase(c);
  }
  const double exact = at[1][2];  // RK4, order 4
  for (int i = 0; i < 4; i++) {
    CF_NEAR(at[i][1] / exact, 1, i == 1 ? 1e-4 : 0.1);
    CF_NEAR(at[i][2] / exact, 1, 0.01);
    CF_TRUE(fabs(at[i][2] - exact) <= fabs(at[i][1] - exact));
  }
}


// motors on both joints of an arm and on a tendon over both: implicit together
CF_TEST(dcMotor__arm_with_motors_on_joints_and_tendon__stable_and_at_rest_where_held) {
  for (int integrator = 0; integrator < 4; integrator++) {
    char xml[2500];
    snprintf(xml, sizeof(xml),
             "<mujoco><worldbody><body><joint name='a' axis='0 1 0' damping='.01'/>"
             "<geom type='capsule' fromto='0 0 0 0 0 -.3' size='.02' mass='.2'/>"
             "<body pos='0 0 -.3'><joint name='b' axis='0 1 0'/>"
             "<geom type='capsule' fromto='0 0 0 0 0 -.3' size='.02' mass='.1'/></body></body>"
             "<body pos='1 0 0'><joint name='c' type='slide' axis='0 0 1'/>"
             "<geom size='.05' mass='.01'/></body></worldbody>"
             "<tendon><fixed name='t'><joint joint='a' coef='1'/><joint joint='b' coef='-.5'/>"
             "<joint joint='c' coef='.3'/></fixed></tendon><actuator>"
             "<general joint='a' gaintype='custom' %s/><general joint='b' gaintype='custom' %s/>"
             "<general tendon='t' gaintype='custom' %s/></actuator></mujoco>",
             stiff_motor, stiff_motor, stiff_motor);
    gainCase c = openText(xml);
    c.m->opt.integrator = integrator;
    c.d->qpos[0] = 1;
    c.d->qpos[1] = -0.7;
    for (int k = 0; k < 3000; k++) {
      c.d->ctrl[0] = k < 500 ? 24 * sin(k) : 0;
      c.d->ctrl[2] = k < 500 ? 12 : 0;
      mj_step(c.m, c.d);
      CF_TRUE(mju_norm(c.d->qvel, 3) < 5);
    }
    // shorted windings let the arm sink slowly
    CF_TRUE(mju_norm(c.d->qvel, 2) < 0.05);
    CF_EQ_INT(c.d->warning[mjWARN_BADQACC].number, 0);
    closeCase(c);
  }
}


// beside a motor, columns of other actuators have its slope in the matrix of the step, too
CF_TEST(dcMotor__beside_another_actuator__transition_matrices_are_those_of_differences) {
  for (int integrator = 0; integrator < 4; integrator++) {
    if (integrator == mjINT_RK4) {
      continue;  // mjd_transitionFD does not know it
    }
    char xml[1200];
    snprintf(xml, sizeof(xml),
             "<mujoco><worldbody><body><joint name='a' axis='0 1 0' damping='.3'/>"
             "<geom type='capsule' fromto='0 0 0 0 0 -.3' size='.02' mass='2'/></body></worldbody>"
             "<actuator><motor joint='a' gear='3'/><general joint='a' gaintype='custom' %s/>"
             "</actuator></mujoco>",
             stiff_motor);
    gainCase c = openText(xml);
    c.m->opt.integrator = integrator;
    c.d->qpos[0] = 0.3;
    c.d->qvel[0] = 0.1;
    c.d->ctrl[0] = 2;
    mjtNum A[2][9], B[2][6];
    mj_forward(c.m, c.d);
    mjd_transitionFD(c.m, c.d, 1e-6, 1, A[0], B[0], NULL, NULL);
    cf_transition(c.m, c.d, NULL, A[1], B[1]);
    CF_NEAR_ARRAY(A[1], A[0], 9, 1e-7);
    CF_NEAR_ARRAY(B[1], B[0], 6, 1e-7);
    closeCase(c);
  }
}


// ---------------------------------------- pneumatic

CF_TEST(pneumatic__held__pressure_fills_with_the_rate_of_the_valve) {
  gainCase c = openSlide("cortenforge:gain_model='pneumatic' cortenforge:gain_params='valve=30'");
  c.d->ctrl[0] = 0.5;
  for (int step = 0; step < 50; step++) {
    mj_step(c.m, c.d);
    c.d->qpos[0] = c.d->qvel[0] = 0;
    CF_NEAR(c.d->act[0], 3e5 * (1 - exp(-30 * c.d->time)), 1e-8);
  }
  mj_forward(c.m, c.d);
  CF_NEAR(c.d->actuator_force[0], 1e-3 * c.d->act[0], 1e-10);
  closeCase(c);
}


// largest relative change of (p + ambient)*V^n while a mass bounces on a closed chamber
static double gasDrift(double exponent, double timestep, int integrator) {
  char text[200];
  snprintf(
      text, sizeof(text),
      "cortenforge:gain_model='pneumatic' cortenforge:gain_params='valve=0 volume=2e-4 exponent=%g'",
      exponent);
  gainCase c = openSlide(text);
  c.m->opt.integrator = integrator;
  c.m->opt.timestep = timestep;
  c.d->qvel[0] = -1.2;
  const double before = 101325 * pow(2e-4, exponent);
  double worst = 0, shortest = 0;
  while (c.d->time < 1) {
    mj_step(c.m, c.d);
    const double now = (c.d->act[0] + 101325) * pow(2e-4 + 1e-3 * c.d->qpos[0], exponent);
    worst = fmax(worst, fabs(now / before - 1));
    shortest = fmin(shortest, c.d->qpos[0]);
  }
  CF_TRUE(shortest < -0.05);
  closeCase(c);
  return worst;
}


CF_TEST(pneumatic__closed_chamber__gas_law_isothermal_and_adiabatic) {
  CF_TRUE(gasDrift(1, 1e-3, mjINT_RK4) < 1e-8);
  CF_TRUE(gasDrift(1.4, 1e-3, mjINT_RK4) < 1e-8);

  // a step of first order, whose error does not add up
  const double coarse = gasDrift(1.4, 1e-3, mjINT_EULER), fine = gasDrift(1.4, 2.5e-4, mjINT_EULER);
  CF_TRUE(coarse < 0.05);
  CF_NEAR(coarse / fine, 4, 0.5);
}


// ---------------------------------------- integrators, derivatives, inverse

CF_TEST(gain__implicit_integrators__stiff_damping_is_stable_and_explicit_is_not) {
  // damping*h/mass = 10: an explicit step overshoots ninefold each time; that of a motor is
  // implicit in every integrator
  static const char* const stiff[] = {
      "cortenforge:gain_model='series_elastic' cortenforge:gain_params='0 10000 1'",
      "cortenforge:gain_model='dc_motor' cortenforge:gain_params='1 0 100 100 1 0'"};
  for (int k = 0; k < 2; k++) {
    for (int integrator = mjINT_IMPLICIT; integrator <= mjINT_IMPLICITFAST; integrator++) {
      gainCase c = openSlide(stiff[k]);
      c.m->opt.integrator = integrator;
      c.d->qvel[0] = 1;
      mj_step(c.m, c.d);
      CF_NEAR(c.d->qvel[0], 1 / 11.0, 1e-12);
      for (int step = 0; step < 10; step++) {
        mj_step(c.m, c.d);
      }
      CF_TRUE(fabs(c.d->qvel[0]) < 1e-8);
      closeCase(c);
    }
    gainCase c = openSlide(stiff[k]);
    c.d->qvel[0] = 1;
    mj_step(c.m, c.d);
    CF_NEAR(c.d->qvel[0], k ? 1 / 11.0 : -9, 1e-11);
    closeCase(c);
  }
}


CF_TEST(gain__inverse_dynamics__gives_back_the_force_of_the_model) {
  for (int k = 0; k < NSLOPE; k++) {
    for (int integrator = mjINT_EULER; integrator <= mjINT_IMPLICITFAST; integrator++) {
      if (integrator == mjINT_RK4) {
        continue;
      }
      gainCase c = openSlide(slope_cases[k]);
      c.m->opt.integrator = integrator;
      c.m->opt.enableflags |= mjENBL_INVDISCRETE;
      c.d->qpos[0] = 0.02;
      c.d->qvel[0] = 0.3;
      c.d->ctrl[0] = 0.4;
      mj_step(c.m, c.d);
      mjData* d = mj_copyData(NULL, c.m, c.d);
      mj_forward(c.m, d);
      mj_step(c.m, c.d);
      d->qacc[0] = (c.d->qvel[0] - d->qvel[0]) / c.m->opt.timestep;
      mj_inverse(c.m, d);
      CF_NEAR(d->qfrc_inverse[0], d->actuator_force[0], 1e-8 * (1 + fabs(d->actuator_force[0])));
      mj_deleteData(d);
      closeCase(c);
    }
  }
}


// far beyond a limit, at it in the course of a step, and within
CF_TEST(dcMotor__limited_force__inverse_dynamics_gives_it_back) {
  static const int integrators[4] = {mjINT_EULER, mjINT_IMPLICIT, mjINT_IMPLICITFAST,
                                     CF_INTEGRATOR_SPRING_DAMPER};
  for (int k = 0; k < 4 * 3; k++) {
    gainCase c = openLimited(k % 3, integrators[k / 3], 0.002);
    c.m->opt.enableflags |= mjENBL_INVDISCRETE;
    for (int step = 0; step < 30; step++) {
      c.d->ctrl[0] = 15;
      mj_step(c.m, c.d);
      mjData* d = mj_copyData(NULL, c.m, c.d);
      mj_forward(c.m, d);
      mj_step(c.m, c.d);
      d->qacc[0] = (c.d->qvel[0] - d->qvel[0]) / c.m->opt.timestep;
      mj_inverse(c.m, d);
      CF_NEAR(d->qfrc_inverse[0], d->qfrc_actuator[0], 1e-7);
      mj_deleteData(d);
    }
    closeCase(c);
  }
}


CF_TEST(gain__transition_matrices__see_states_and_controls_of_models) {
  // state: x, v, last control, whether there is one
  gainCase c =
      openSlide("cortenforge:gain_model='series_elastic' cortenforge:gain_params='100 6 3'");
  const double h = c.m->opt.timestep;
  c.d->ctrl[0] = 0.1;
  mj_step(c.m, c.d);
  mjtNum A[16], B[4];
  mjd_transitionFD(c.m, c.d, 1e-6, 1, A, B, NULL, NULL);
  CF_NEAR(A[4], -h * 100 / 2, 1e-8);   // v by x
  CF_NEAR(A[5], 1 - h * 6 / 2, 1e-8);  // v by v
  CF_NEAR(A[6], -6 * 3 / 2.0, 1e-8);   // v by last control
  CF_NEAR(A[10], 0, 1e-12);            // last control by itself
  CF_NEAR(B[1], (h * 100 + 6) * 3 / 2, 1e-8);
  CF_NEAR(B[2], 1, 1e-9);
  closeCase(c);

  c = openSlide("cortenforge:gain_model='dc_motor' cortenforge:gain_params='2 .01 .4 .5 3 0'");
  mjd_transitionFD(c.m, c.d, 1e-6, 1, A, B, NULL, NULL);
  const double share = 1 - exp(-h * 2 / 0.01);
  CF_NEAR(A[7], -0.5 * 3 / 2 * share, 1e-9);  // current by v
  CF_NEAR(A[8], 1 - share, 1e-9);             // current by itself
  const double force = h * 3 * 0.4 / 2, back = share * 0.5 * 3 / 2, inner = 1 + force * back;
  CF_NEAR(A[4], 1 / inner, 1e-9);                    // v by v
  CF_NEAR(A[5], force * (1 - share) / inner, 1e-9);  // v by current
  CF_NEAR(B[1], force * share / 2 / inner, 1e-9);    // v by control
  CF_NEAR(B[2], share / 2, 1e-9);
  closeCase(c);
}


CF_TEST(gain__rungeKutta__order_four_with_states) {
  double last[3];
  for (int k = 0; k < 3; k++) {
    gainCase c =
        openSlide("cortenforge:gain_model='dc_motor' cortenforge:gain_params='2 .05 2 2 1 .1'");
    c.m->opt.integrator = mjINT_RK4;
    c.m->opt.timestep = 0.005 / (1 << k);
    c.d->ctrl[0] = 5;
    while (c.d->time < 0.2 - 1e-9) {
      mj_step(c.m, c.d);
    }
    last[k] = c.d->qvel[0];
    closeCase(c);
  }
  CF_NEAR((last[0] - last[1]) / (last[1] - last[2]), 16, 3);
}


// ---------------------------------------- states

static const char* const mixed_arm =
    "<mujoco><worldbody><body><joint name='a' axis='0 1 0' damping='.1'/><geom size='.05' pos='0 0 .3'/>"
    "<body pos='0 0 .6'><joint name='b' axis='0 1 0' damping='.1'/><geom size='.05' pos='0 0 .3'/></body>"
    "</body></worldbody><actuator>"
    "<general joint='a' gaintype='custom' cortenforge:gain_model='series_elastic' "
    "cortenforge:gain_params='5 .1 1' delay='.006' nsample='8' ctrllimited='true' ctrlrange='-1 1'/>"
    "<motor joint='a'/>"
    "<general joint='b' gaintype='custom' cortenforge:gain_model='dc_motor' dyntype='filter' dynprm='.02' "
    "cortenforge:gain_params='resistance=2 inductance=.01'/>"
    "<general joint='b' gaintype='custom' cortenforge:gain_model='pneumatic' biastype='affine' cortenforge:gain_params='volume=1e-2' "
    "biasprm='.5 0 -.1'/></actuator></mujoco>";


static void driveArm(gainCase c, int from, int to) {
  for (int step = from; step < to; step++) {
    for (int u = 0; u < c.m->nu; u++) {
      c.d->ctrl[u] = sin(0.05 * step + u) * (u == 3 ? 1e-4 : 2);
    }
    mj_step(c.m, c.d);
  }
}


CF_TEST(gain__state_saved_and_restored__same_bits) {
  for (int integrator = mjINT_EULER; integrator <= mjINT_IMPLICITFAST; integrator++) {
    gainCase c = openText(mixed_arm);
    c.m->opt.integrator = integrator;
    CF_EQ_INT(c.m->na, 2 + 2 + 1);
    driveArm(c, 0, 40);
    mjtNum state[100];
    CF_TRUE(mj_stateSize(c.m, mjSTATE_INTEGRATION) <= 100);
    mj_getState(c.m, c.d, state, mjSTATE_INTEGRATION);
    mjData* copy = mj_copyData(NULL, c.m, c.d);
    driveArm(c, 40, 90);
    const uint64_t expected = cf_stateHash(c.m, c.d);
    CF_EQ_INT(c.d->warning[mjWARN_BADCTRL].number, 0);
    mj_resetData(c.m, c.d);
    mj_setState(c.m, c.d, state, mjSTATE_INTEGRATION);
    driveArm(c, 40, 90);
    CF_TRUE(cf_stateHash(c.m, c.d) == expected);
    driveArm((gainCase){c.m, copy}, 40, 90);
    CF_TRUE(cf_stateHash(c.m, copy) == expected);
    mj_deleteData(copy);

    // a copy of the model is chosen the same
    gainCase other = {.m = mj_copyModel(NULL, c.m)};
    other.d = mj_makeData(other.m);
    mj_setState(other.m, other.d, state, mjSTATE_INTEGRATION);
    driveArm(other, 40, 90);
    CF_TRUE(cf_stateHash(other.m, other.d) == expected);
    closeCase(other);
    closeCase(c);
  }
}


CF_TEST(gain__delayed_and_clamped_control__is_what_the_model_sees_and_keeps) {
  gainCase c = openText(mixed_arm);
  c.d->ctrl[0] = 7;
  for (int step = 0; step < 2; step++) {
    mj_step(c.m, c.d);
    CF_NEAR(c.d->act[0], 0, 0);
    CF_NEAR(c.d->act[1], 1, 0);
  }
  for (int step = 0; step < 5; step++) {
    mj_step(c.m, c.d);
  }
  CF_NEAR(c.d->act[0], 1, 0);
  closeCase(c);
}


CF_TEST(gain__disabled_group_or_actuation__no_force_and_states_rest) {
  gainCase c = openSlide(
      "cortenforge:gain_model='dc_motor' cortenforge:gain_params='inductance=.1' group='2'");
  c.d->ctrl[0] = 1;
  mj_step(c.m, c.d);
  const mjtNum current = c.d->act[0];
  CF_TRUE(current > 0);
  c.m->opt.disableactuator = 1 << 2;
  mj_step(c.m, c.d);
  CF_NEAR(c.d->act[0], current, 0);
  CF_NEAR(c.d->actuator_force[0], 0, 0);
  c.m->opt.disableactuator = 0;
  c.m->opt.disableflags = mjDSBL_ACTUATION;
  mj_step(c.m, c.d);
  CF_NEAR(c.d->act[0], current, 0);
  closeCase(c);
}


CF_TEST(gain__limits__activations_and_forces_stay_in_range) {
  gainCase c = openSlide(
      "cortenforge:gain_model='dc_motor' cortenforge:gain_params='inductance=.01' "
      "actlimited='true' actrange='-2 2' forcelimited='true' forcerange='-1.5 1.5'");
  c.d->ctrl[0] = 100;
  for (int step = 0; step < 20; step++) {
    mj_step(c.m, c.d);
  }
  CF_NEAR(c.d->act[0], 2, 0);
  CF_NEAR(c.d->actuator_force[0], 1.5, 0);
  closeCase(c);
}


// ---------------------------------------- models of a program

static mjtNum bad_number;
static int calls;

static mjtNum oddForce(const cfGainView* view) {
  calls++;
  return view->ctrl > 0 ? bad_number : view->param[0] * view->state[1];
}


static mjtNum oddSlope(const cfGainView* view) {
  return view->ctrl > 0 ? bad_number : 0;
}


static void oddRate(const cfGainView* view, mjtNum* rate) {
  rate[0] = view->ctrl > 0 ? bad_number : 1;
  rate[1] = 2;
}


static const cfGainParameter odd_parameters[] = {{"size", 3, 0, 10, "N", "what it is"}};
static const cfGainModel odd = {.name = "odd",
                                .nparameter = 1,
                                .parameter = odd_parameters,
                                .nstate = 2,
                                .force = oddForce,
                                .slope = oddSlope,
                                .rate = oddRate};


static mjtNum forbiddenGain(const mjModel* m, const mjData* d, int u) {
  (void)m, (void)d;
  CF_FAIL("callback called for actuator %d\n", u);
  return 0;
}


CF_TEST(gain__model_of_a_program__force_states_and_no_callbacks) {
  CF_TRUE(cf_gainModel("odd") || cf_registerGainModel(&odd));
  gainCase c = openSlide("cortenforge:gain_model='odd'");
  CF_EQ_INT(c.m->na, 2);
  mjcb_act_gain = mjcb_act_dyn = forbiddenGain;
  for (int step = 0; step < 10; step++) {
    mj_step(c.m, c.d);
  }
  mjcb_act_gain = mjcb_act_dyn = NULL;
  CF_NEAR(c.d->act[0], c.d->time, 1e-15);
  CF_NEAR(c.d->act[1], 2 * c.d->time, 1e-15);
  CF_NEAR(c.d->actuator_force[0], 3 * 2 * (c.d->time - c.m->opt.timestep), 1e-14);
  closeCase(c);
}


CF_TEST(gain__bad_numbers_of_a_model__counted_warnings_and_a_sane_step) {
  const mjtNum bad[] = {NAN, INFINITY, -INFINITY};
  CF_TRUE(cf_gainModel("odd") || cf_registerGainModel(&odd));
  for (int k = 0; k < 3; k++) {
    for (int integrator = mjINT_EULER; integrator <= mjINT_IMPLICITFAST; integrator++) {
      gainCase c = openSlide("cortenforge:gain_model='odd'");
      c.m->opt.integrator = integrator;
      bad_number = bad[k];
      cf_guardClear();
      c.d->ctrl[0] = 1;
      c.d->qvel[0] = 0.5;
      for (int step = 0; step < 5; step++) {
        mj_step(c.m, c.d);
      }
      CF_EQ_INT(cf_warning_count, 1);
      CF_HAS_STR(cf_warning_text,
                 "gain model 'odd' returned a rate that is not finite at ACTUATOR 0");
      CF_TRUE(c.d->warning[mjWARN_BADCTRL].number >= 10);
      CF_EQ_INT(c.d->warning[mjWARN_BADQACC].number, 0);
      CF_NEAR(c.d->qvel[0], 0.5, 0);
      CF_NEAR(c.d->act[0], 0, 0);
      CF_NEAR(c.d->act[1], 2 * c.d->time, 1e-15);
      mju_user_warning = NULL;
      closeCase(c);
    }
  }
}


CF_TEST(gain__bad_control__zero_for_models_too) {
  gainCase c = openText(mixed_arm);
  driveArm(c, 0, 10);
  cf_guardClear();
  for (int u = 0; u < c.m->nu; u++) {
    c.d->ctrl[u] = u == 1 ? NAN : 0.5;
  }
  mj_step(c.m, c.d);
  CF_EQ_INT(c.d->warning[mjWARN_BADCTRL].number, 1);
  CF_EQ_INT(c.d->warning[mjWARN_BADQACC].number, 0);
  mju_user_warning = NULL;
  closeCase(c);
}


// ---------------------------------------- files

static mjModel* throughBuffer(const mjModel* m) {
  const mjtSize bytes = mj_sizeModel(m);
  char* buffer = malloc((size_t)bytes);
  mj_saveModel(m, NULL, buffer, (int)bytes);
  mjModel* loaded = mj_loadModelBuffer(buffer, (int)bytes);
  free(buffer);
  return loaded;
}


CF_TEST(gain__binary_file__keeps_models_and_states) {
  gainCase c = openText(mixed_arm);
  gainCase loaded = {.m = throughBuffer(c.m)};
  CF_TRUE(loaded.m != NULL);
  loaded.d = mj_makeData(loaded.m);
  CF_EQ_INT(cfi_gainChoice(loaded.m)->count, 3);
  driveArm(c, 0, 30);
  driveArm(loaded, 0, 30);
  CF_TRUE(cf_stateHash(loaded.m, loaded.d) == cf_stateHash(c.m, c.d));
  closeCase(loaded);
  for (int u = 0; u < c.m->nu; u++) {
    CF_TRUE(cf_setActuatorGain(c.m, u, NULL, NULL, 0, NULL, 0));
  }
  loaded.m = throughBuffer(c.m);
  CF_TRUE(cfi_gainChoice(loaded.m) == NULL);
  mj_deleteModel(loaded.m);
  closeCase(c);
}


CF_TEST(gain__foreign_section_of_a_file__refused_with_a_reason) {
  static const struct {
    int actuator, length;
    const char *name, *reason;
  } bad[] = {{0, 0, "", "does not fit"},
             {0, 500, "series_elastic", "does not fit"},
             {0, 100, "series_elastic", "does not fit"},
             {0, 15, "series_elastic", "does not fit"},
             {0, -4, "series_elastic", "does not fit"},
             {-1, 14, "series_elastic", "no user-defined actuator -1"},
             {4, 14, "series_elastic", "no user-defined actuator 4"},
             {1, 5, "fixed", "no user-defined actuator 1"},
             {0, 7, "unknown", "unknown gain model 'unknown'"},
             {2, 14, "series_elastic", "needs 3 activations, actuator 2 has 2"}};
  gainCase c = openText(mixed_arm);
  for (size_t k = 0; k < sizeof(bad) / sizeof(bad[0]); k++) {
    char bytes[100] = "", reason[300] = "";
    const int32_t entry[2] = {bad[k].actuator, bad[k].length};
    memcpy(bytes, entry, sizeof(entry));
    memcpy(bytes + 8, bad[k].name, strlen(bad[k].name));
    const size_t nbyte = 8 + strlen(bad[k].name);
    CF_TRUE(!cfi_unpackEntries(&cfi_gainChoiceClass, c.m, bytes, nbyte, reason, sizeof(reason)));
    CF_HAS_STR(reason, bad[k].reason);
    CF_TRUE(!cfi_unpackEntries(&cfi_gainChoiceClass, c.m, bytes, 5, reason, sizeof(reason)));
  }

  // twice the same actuator
  char bytes[100], reason[300] = "";
  const void* choice = cfi_gainChoice(c.m);
  const size_t nbyte = cfi_gainChoiceClass.pack(c.m, choice, bytes);
  CF_EQ_INT(nbyte, 3 * 8 + 14 + 8 + 9);
  CF_TRUE(cfi_unpackEntries(&cfi_gainChoiceClass, c.m, bytes, nbyte, reason, sizeof(reason)));
  memcpy(bytes + 22, bytes, 22);
  CF_TRUE(!cfi_unpackEntries(&cfi_gainChoiceClass, c.m, bytes, 44, reason, sizeof(reason)));
  CF_HAS_STR(reason, "comes twice");
  closeCase(c);
}


// ---------------------------------------- refusals

static void expectRefusal(mjModel* m, int u, const char* name, const mjtNum* param, int nparam,
                          const char* phrase) {
  char error[500] = "";
  const int before = m->actuator_gaintype[u < 0 || u >= m->nu ? 0 : u];
  CF_EQ_INT(cf_setActuatorGain(m, u, name, param, nparam, error, sizeof(error)), 0);
  CF_HAS_STR(error, phrase);
  CF_EQ_INT(m->actuator_gaintype[u < 0 || u >= m->nu ? 0 : u], before);
  CF_EQ_INT(cf_setActuatorGain(m, u, name, param, nparam, NULL, 0), 0);
}


CF_TEST(gain__what_cannot_be_chosen__message_and_model_as_it_was) {
  gainCase c = openText(plain_arm);
  const mjtNum param[6] = {-1, 0, 0, 0, 0, 0}, broken[1] = {NAN};
  expectRefusal(
      c.m, 0, "hydraulic", NULL, 0,
      "unknown gain model 'hydraulic'; known are fixed, affine, muscle, series_elastic, dc_motor, pneumatic");
  expectRefusal(c.m, -1, "fixed", NULL, 0, "no such actuator");
  expectRefusal(c.m, 5, "fixed", NULL, 0, "no such actuator");
  expectRefusal(c.m, 0, "fixed", param, 3, "'fixed' has 1 parameters (gain), got 3");
  expectRefusal(c.m, 0, "fixed", broken, 1, "gain of gain model 'fixed' must be between");
  expectRefusal(c.m, 0, "dc_motor", param, 6, "needs 1 activations, actuator 0 has 0");
  expectRefusal(c.m, 2, "series_elastic", NULL, 0, "needs 3 activations, actuator 2 has 1");
  closeCase(c);
  c = openSlide("cortenforge:gain_model='dc_motor'");
  expectRefusal(c.m, 0, "dc_motor", param, 6,
                "resistance of gain model 'dc_motor' must be between 1e-09 and");
  CF_TRUE(cf_setActuatorGain(c.m, 0, "pneumatic", NULL, 0, NULL, 0));
  CF_EQ_STR(cf_actuatorGain(c.m, 0)->name, "pneumatic");
  CF_NEAR(c.m->actuator_gainprm[2], 101325, 0);
  closeCase(c);
}


CF_TEST(gain__what_cannot_be_registered__warning) {
  const cfGainModel bad[] = {{.name = NULL, .force = oddForce, .slope = oddSlope},
                             {.name = "fixed", .force = oddForce, .slope = oddSlope},
                             {.name = "x", .slope = oddSlope},
                             {.name = "x", .force = oddForce},
                             {.name = "x", .force = oddForce, .slope = oddSlope, .nparameter = 11},
                             {.name = "x", .force = oddForce, .slope = oddSlope, .nparameter = 1},
                             {.name = "x", .force = oddForce, .slope = oddSlope, .nstate = 1},
                             {.name = "x", .force = oddForce, .slope = oddSlope, .nstate = -1}};
  for (size_t k = 0; k < sizeof(bad) / sizeof(bad[0]); k++) {
    cf_guardClear();
    CF_EQ_INT(cf_registerGainModel(bad + k), 0);
    CF_EQ_INT(cf_warning_count, 1);
    CF_HAS_STR(cf_warning_text, "is not registered");
  }
  CF_EQ_INT(cf_registerGainModel(NULL), 0);
  mju_user_warning = NULL;
}


CF_TEST_MAIN("dynamics/gain")
