// Sensors that show a number of mjData: joints, tendons, actuators, limits, energy, time.
#include "cf_sensor.h"
#include "cf_text.h"

// a slider of mass 2 in gravity 10 with its own limits, a fixed tendon of twice its travel, two
// motors on that tendon
static const char slider[] =
    "<mujoco><option gravity='0 0 -10'/><worldbody><body>"
    "<joint name='z' type='slide' axis='0 0 1' range='-.1 .2'/><geom size='.1' mass='2'/></body>"
    "<body pos='1 0 0'><joint name='ball' type='ball'/><geom size='.1' mass='2'/></body></worldbody>"
    "<tendon><fixed name='t' range='-1 .3' limited='true'><joint joint='z' coef='2'/></fixed></tendon>"
    "<actuator><motor name='m' joint='z' gear='3'/><motor name='p' tendon='t'/><motor name='q' tendon='t' gear='5'/></actuator>"
    "<sensor><jointpos name='pos' joint='z'/><jointvel name='vel' joint='z'/>"
    "<tendonpos name='tpos' tendon='t'/><tendonvel name='tvel' tendon='t'/>"
    "<actuatorpos name='apos' actuator='m'/><actuatorvel name='avel' actuator='q'/><actuatorfrc name='afrc' actuator='m'/>"
    "<jointactuatorfrc name='jfrc' joint='z'/><tendonactuatorfrc name='tfrc' tendon='t'/>"
    "<ballquat name='quat' joint='ball'/><ballangvel name='ang' joint='ball'/>"
    "<jointlimitpos name='lpos' joint='z'/><jointlimitvel name='lvel' joint='z'/><jointlimitfrc name='lfrc' joint='z'/>"
    "<tendonlimitpos name='tlpos' tendon='t'/><tendonlimitvel name='tlvel' tendon='t'/>"
    "<tendonlimitfrc name='tlfrc' tendon='t'/>"
    "<e_potential name='epot'/><e_kinetic name='ekin'/><clock name='clock'/></sensor></mujoco>";


static cfSensorCase openSlider(mjtNum pos, mjtNum vel) {
  cfSensorCase c = cf_sensorsOf(cf_compileText(slider));
  c.d->qpos[0] = pos;
  c.d->qvel[0] = vel;
  c.d->time = 1.25;
  mju_copy(c.d->ctrl, (mjtNum[3]){0.5, 0.25, -1}, 3);
  mju_copy(c.d->qpos + 1, (mjtNum[4]){0, 3, 0, 4}, 4);
  mju_copy(c.d->qvel + 1, (mjtNum[3]){0.1, 0.2, 0.3}, 3);
  mj_forward(c.m, c.d);
  return c;
}


CF_TEST(scalars__joint_tendon_actuator__positions_velocities_forces) {
  cfSensorCase c = openSlider(0.05, 0.7);
  CF_NEAR(cf_sensed(c, "pos")[0], 0.05, 0);
  CF_NEAR(cf_sensed(c, "vel")[0], 0.7, 0);
  CF_NEAR(cf_sensed(c, "tpos")[0], 0.1, 1e-15);
  CF_NEAR(cf_sensed(c, "tvel")[0], 1.4, 1e-15);
  CF_NEAR(cf_sensed(c, "apos")[0], 0.15, 1e-15);
  CF_NEAR(cf_sensed(c, "avel")[0], 7, 1e-14);
  CF_NEAR(cf_sensed(c, "afrc")[0], 0.5, 0);

  // 3 * 0.5 by the joint's motor, 2 * (0.25 - 5) through the tendon
  CF_NEAR(cf_sensed(c, "jfrc")[0], 1.5 - 9.5, 1e-14);
  CF_NEAR(cf_sensed(c, "tfrc")[0], 0.25 - 1, 1e-15);
  cf_closeSensors(c);
}


CF_TEST(scalars__ball__unit_quaternion_and_local_velocity) {
  cfSensorCase c = openSlider(0, 0);
  CF_NEAR_ARRAY(cf_sensed(c, "quat"), ((mjtNum[4]){0, 0.6, 0, 0.8}), 4, 1e-15);
  CF_NEAR_ARRAY(cf_sensed(c, "ang"), ((mjtNum[3]){0.1, 0.2, 0.3}), 3, 0);
  cf_closeSensors(c);
}


CF_TEST(scalars__limits_not_reached__show_zero) {
  cfSensorCase c = openSlider(0.05, 0.7);
  const char* names[6] = {"lpos", "lvel", "lfrc", "tlpos", "tlvel", "tlfrc"};
  CF_EQ_INT(c.d->nefc, 0);
  for (int k = 0; k < 6; k++) {
    CF_NEAR(cf_sensed(c, names[k])[0], 0, 0);
  }
  cf_closeSensors(c);
}


// 0.02 below the joint's lower limit: distance and velocity count away from it, the force pushes
// back
CF_TEST(scalars__joint_limit_passed__distance_velocity_force) {
  cfSensorCase c = openSlider(-0.12, -0.3);
  CF_EQ_INT(c.d->nefc, 1);
  CF_NEAR(cf_sensed(c, "lpos")[0], -0.02, 1e-15);
  CF_NEAR(cf_sensed(c, "lvel")[0], -0.3, 1e-15);
  CF_NEAR(cf_sensed(c, "lfrc")[0], 2 * (c.d->qacc[0] + 10) - cf_sensed(c, "jfrc")[0], 1e-10);
  CF_TRUE(cf_sensed(c, "lfrc")[0] > 10);
  CF_NEAR(cf_sensed(c, "tlpos")[0], 0, 0);
  cf_closeSensors(c);
}


// the tendon, twice 0.17, is 0.04 too long; the joint is not at its limit of 0.2
CF_TEST(scalars__tendon_limit_passed__distance_velocity_force) {
  cfSensorCase c = openSlider(0.17, 0.5);
  CF_EQ_INT(c.d->nefc, 1);
  CF_NEAR(cf_sensed(c, "tlpos")[0], -0.04, 1e-15);
  CF_NEAR(cf_sensed(c, "tlvel")[0], -1, 1e-15);
  CF_NEAR(-2 * cf_sensed(c, "tlfrc")[0], 2 * (c.d->qacc[0] + 10) - cf_sensed(c, "jfrc")[0], 1e-10);
  CF_TRUE(cf_sensed(c, "tlfrc")[0] > 1);
  CF_NEAR(cf_sensed(c, "lfrc")[0], 0, 0);
  cf_closeSensors(c);
}


// m g h and m v^2 / 2 + I w^2 / 2 (sphere: 0.4 m r^2), also where the energy flag is off
CF_TEST(scalars__energy_and_clock__as_by_hand) {
  cfSensorCase c = openSlider(0.05, 0.7);
  CF_NEAR(cf_sensed(c, "epot")[0], 2 * 10 * 0.05, 1e-12);
  CF_NEAR(cf_sensed(c, "ekin")[0], 0.49 + 0.5 * 0.4 * 2 * 0.01 * 0.14, 1e-12);
  CF_NEAR(cf_sensed(c, "clock")[0], 1.25, 0);
  cf_closeSensors(c);
}


CF_TEST(scalars__every_type_with_cutoffs__as_recorded) {
  cf_checkRecordedSensors("scalars", 1e-8);
}


CF_TEST_MAIN("sensor/scalars")
