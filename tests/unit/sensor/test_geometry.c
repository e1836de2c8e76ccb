// Distances between geoms, containment in sites; with views.xml also projections and rays of every
// kind of camera.
#include "cf_sensor.h"
#include "cf_text.h"

// two balls of radius 0.1, centers 1 apart along x; a body of two balls
static const char balls[] =
    "<mujoco><worldbody>"
    "<geom name='a' size='.1'/><body name='pair' pos='1 0 0'><geom name='b' size='.1'/>"
    "<geom name='c' size='.1' pos='0 .8 0'/><site name='s' pos='0 .3 0'/></body>"
    "<site name='ball' type='sphere' size='.31' pos='1 0 0'/><site name='low' type='sphere' size='.29' pos='1 0 0'/>"
    "</worldbody><sensor>"
    "<distance name='ab' geom1='a' geom2='b' cutoff='2'/><normal name='nab' geom1='a' geom2='b' cutoff='2'/>"
    "<fromto name='fab' geom1='a' geom2='b' cutoff='2'/><fromto name='fba' geom1='b' geom2='a' cutoff='2'/>"
    "<distance name='short' geom1='a' geom2='b' cutoff='.5'/><normal name='nshort' geom1='a' geom2='b' cutoff='.5'/>"
    "<fromto name='fshort' geom1='a' geom2='b' cutoff='.5'/><distance name='body' geom1='a' body2='pair' cutoff='2'/>"
    "<fromto name='fbody' body1='pair' geom2='a' cutoff='2'/>"
    "<insidesite name='in' site='ball' objtype='site' objname='s'/>"
    "<insidesite name='out' site='low' objtype='site' objname='s'/>"
    "</sensor></mujoco>";


CF_TEST(distance__two_balls__gap_normal_and_segment) {
  cfSensorCase c = cf_sensorsOf(cf_compileText(balls));
  mj_forward(c.m, c.d);
  CF_NEAR(cf_sensed(c, "ab")[0], 0.8, 1e-12);
  CF_NEAR_ARRAY(cf_sensed(c, "nab"), ((mjtNum[3]){1, 0, 0}), 3, 1e-12);
  CF_NEAR_ARRAY(cf_sensed(c, "fab"), ((mjtNum[6]){0.1, 0, 0, 0.9, 0, 0}), 6, 1e-12);
  CF_NEAR_ARRAY(cf_sensed(c, "fba"), ((mjtNum[6]){0.9, 0, 0, 0.1, 0, 0}), 6, 1e-12);

  // a body is as near as its nearest geom
  CF_NEAR(cf_sensed(c, "body")[0], 0.8, 1e-12);
  CF_NEAR_ARRAY(cf_sensed(c, "fbody"), ((mjtNum[6]){0.9, 0, 0, 0.1, 0, 0}), 6, 1e-12);
  cf_closeSensors(c);
}


CF_TEST(distance__beyond_the_cutoff__shows_the_cutoff_and_no_direction) {
  cfSensorCase c = cf_sensorsOf(cf_compileText(balls));
  mj_forward(c.m, c.d);
  const mjtNum nothing[6] = {0};
  CF_NEAR(cf_sensed(c, "short")[0], 0.5, 0);
  CF_NEAR_ARRAY(cf_sensed(c, "nshort"), nothing, 3, 0);
  CF_NEAR_ARRAY(cf_sensed(c, "fshort"), nothing, 6, 0);
  cf_closeSensors(c);
}


CF_TEST(insidesite__point__one_inside_zero_outside) {
  cfSensorCase c = cf_sensorsOf(cf_compileText(balls));
  mj_forward(c.m, c.d);
  CF_NEAR(cf_sensed(c, "in")[0], 1, 0);
  CF_NEAR(cf_sensed(c, "out")[0], 0, 0);
  cf_closeSensors(c);
}


CF_TEST(views__cameras_rays_distances_and_zones__as_recorded) {
  cf_checkRecordedSensors("views", 1e-8);
}


CF_TEST_MAIN("sensor/geometry")
