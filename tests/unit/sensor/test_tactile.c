// The tactile sensor: pressure by depth, sliding along the tangents.
#include "cf_sensor.h"
#include "cf_text.h"

// a plate of 2 x 2 vertices under a finger that is pressed flat onto a big box
static const char finger[] =
    "<mujoco><asset><mesh name='plate' builtin='plate' params='2 2' scale='.3 .5 .2'/></asset><worldbody>"
    "<geom name='table' type='box' size='2 2 1' pos='0 0 -1'/>"
    "<body pos='0 0 .15'><freejoint/><geom type='box' size='.3 .5 .2' mass='1'/>"
    "<geom name='skin' type='mesh' mesh='plate' mass='0' contype='0' conaffinity='0'/></body></worldbody>"
    "<sensor><tactile name='skin' geom='skin' mesh='plate'/></sensor></mujoco>";


// depth 0.05 is half of depth plus the saturation depth of 0.05 (the plate bulges a little); at
// rest nothing slides
CF_TEST(tactile__flat_on_a_box__same_pressure_at_every_vertex) {
  cfSensorCase c = cf_sensorsOf(cf_compileText(finger));
  CF_EQ_INT(c.m->nsensordata, 3 * 4);
  mj_forward(c.m, c.d);
  for (int k = 0; k < 4; k++) {
    CF_NEAR(cf_sensed(c, "skin")[k], -0.5, 1e-3);
    CF_NEAR(cf_sensed(c, "skin")[4 + k], 0, 1e-12);
    CF_NEAR(cf_sensed(c, "skin")[8 + k], 0, 1e-12);
  }
  cf_closeSensors(c);
}


// the tangents of this mesh are the finger's y and z: the speed along x shows nowhere
CF_TEST(tactile__sliding__shows_the_speeds_along_the_tangents) {
  cfSensorCase c = cf_sensorsOf(cf_compileText(finger));
  c.d->qvel[0] = 0.3;
  c.d->qvel[1] = -0.4;
  c.d->qvel[2] = 0.2;
  mj_forward(c.m, c.d);
  for (int k = 0; k < 4; k++) {
    CF_NEAR(cf_sensed(c, "skin")[4 + k], 0.4, 1e-6);
    CF_NEAR(cf_sensed(c, "skin")[8 + k], 0.2, 1e-6);
  }
  cf_closeSensors(c);
}


CF_TEST(tactile__no_contact__feels_nothing) {
  cfSensorCase c = cf_sensorsOf(cf_compileText(finger));
  c.d->qpos[2] = 1;
  mju_fill(c.d->sensordata, 7, c.m->nsensordata);
  mj_forward(c.m, c.d);
  for (int k = 0; k < 12; k++) {
    CF_NEAR(c.d->sensordata[k], 0, 0);
  }
  cf_closeSensors(c);
}


CF_TEST(tactile__curved_skin_on_ball_box_and_capsule__as_recorded) {
  cf_checkRecordedSensors("tactile", 1e-8);
}


CF_TEST_MAIN("sensor/tactile")
