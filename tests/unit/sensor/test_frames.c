// Frame sensors, inertial sensors, interaction forces, subtrees: by hand on a turntable and a
// pendulum, then as recorded.
#include "cf_sensor.h"
#include "cf_text.h"

// a table turns about z with 2 rad/s; 0.5 out on it a block of mass 3 whose site is turned by 90
// degrees about z
static const char table[] =
    "<mujoco><option gravity='0 0 -10' magnetic='1 2 3'/><worldbody>"
    "<site name='fixed' pos='.5 0 0'/><camera name='cam' pos='0 0 1' euler='0 0 90'/>"
    "<body name='table'><joint axis='0 0 1'/><geom type='cylinder' size='1 .1' mass='5'/>"
    "<body name='block' pos='.5 0 .2'><geom name='block' size='.1' mass='3'/><site name='s' euler='0 0 90'/></body></body>"
    "</worldbody><sensor>"
    "<accelerometer name='acc' site='s'/><velocimeter name='vel' site='s'/><gyro name='gyro' site='s'/>"
    "<force name='force' site='s'/><torque name='torque' site='s'/><magnetometer name='mag' site='s'/>"
    "<framepos name='pos' objtype='site' objname='s'/>"
    "<framepos name='posref' objtype='site' objname='fixed' reftype='site' refname='s'/>"
    "<framequat name='quat' objtype='site' objname='s'/>"
    "<framequat name='quatref' objtype='xbody' objname='table' reftype='site' refname='s'/>"
    "<framexaxis name='x' objtype='site' objname='s'/><frameyaxis name='y' objtype='site' objname='s'/>"
    "<framezaxis name='z' objtype='site' objname='s'/>"
    "<framexaxis name='xref' objtype='xbody' objname='world' reftype='site' refname='s'/>"
    "<framelinvel name='lin' objtype='site' objname='s'/><frameangvel name='ang' objtype='site' objname='s'/>"
    "<framelinvel name='linref' objtype='site' objname='fixed' reftype='site' refname='s'/>"
    "<frameangvel name='angref' objtype='site' objname='fixed' reftype='site' refname='s'/>"
    "<framelinacc name='lacc' objtype='geom' objname='block'/><frameangacc name='aacc' objtype='geom' objname='block'/>"
    "<subtreecom name='com' body='table'/><subtreelinvel name='slin' body='table'/>"
    "<subtreeangmom name='smom' body='table'/></sensor></mujoco>";


static cfSensorCase openTable(void) {
  cfSensorCase c = cf_sensorsOf(cf_compileText(table));
  c.d->qvel[0] = 2;
  mj_forward(c.m, c.d);
  return c;
}


// centripetal 2*2*0.5 = 2 towards the axis (-x, in site axes +y), gravity as 10 upwards; speed 1
// along y (site x)
CF_TEST(inertial__turntable__accelerometer_velocimeter_gyro_magnetometer) {
  cfSensorCase c = openTable();
  CF_NEAR_ARRAY(cf_sensed(c, "acc"), ((mjtNum[3]){0, 2, 10}), 3, 1e-12);
  CF_NEAR_ARRAY(cf_sensed(c, "vel"), ((mjtNum[3]){1, 0, 0}), 3, 1e-12);
  CF_NEAR_ARRAY(cf_sensed(c, "gyro"), ((mjtNum[3]){0, 0, 2}), 3, 1e-12);
  CF_NEAR_ARRAY(cf_sensed(c, "mag"), ((mjtNum[3]){2, -1, 3}), 3, 1e-12);
  cf_closeSensors(c);
}


// what the block exerts on the table: its weight in magnitude and direction, and the reaction to 3
// * 2 towards the axis
CF_TEST(interaction__turntable__carries_the_block) {
  cfSensorCase c = openTable();
  CF_NEAR_ARRAY(cf_sensed(c, "force"), ((mjtNum[3]){0, 6, 30}), 3, 1e-12);
  CF_NEAR_ARRAY(cf_sensed(c, "torque"), ((mjtNum[3]){0, 0, 0}), 3, 1e-12);

  // and with a couple on the block
  c.d->xfrc_applied[6 * 2 + 3] = 0.7;
  mj_forward(c.m, c.d);
  CF_NEAR_ARRAY(cf_sensed(c, "torque"), ((mjtNum[3]){0, 0.7, 0}), 3, 1e-12);
  cf_closeSensors(c);
}


CF_TEST(frame__absolute__pose_and_velocity_in_the_world) {
  cfSensorCase c = openTable();
  const mjtNum r = sqrt(0.5);
  CF_NEAR_ARRAY(cf_sensed(c, "pos"), ((mjtNum[3]){0.5, 0, 0.2}), 3, 1e-15);
  CF_NEAR_ARRAY(cf_sensed(c, "quat"), ((mjtNum[4]){r, 0, 0, r}), 4, 1e-15);
  CF_NEAR_ARRAY(cf_sensed(c, "x"), ((mjtNum[3]){0, 1, 0}), 3, 1e-15);
  CF_NEAR_ARRAY(cf_sensed(c, "y"), ((mjtNum[3]){-1, 0, 0}), 3, 1e-15);
  CF_NEAR_ARRAY(cf_sensed(c, "z"), ((mjtNum[3]){0, 0, 1}), 3, 1e-15);
  CF_NEAR_ARRAY(cf_sensed(c, "lin"), ((mjtNum[3]){0, 1, 0}), 3, 1e-12);
  CF_NEAR_ARRAY(cf_sensed(c, "ang"), ((mjtNum[3]){0, 0, 2}), 3, 1e-12);
  CF_NEAR_ARRAY(cf_sensed(c, "lacc"), ((mjtNum[3]){-2, 0, 10}), 3, 1e-12);
  CF_NEAR_ARRAY(cf_sensed(c, "aacc"), ((mjtNum[3]){0, 0, 0}), 3, 1e-12);
  cf_closeSensors(c);
}


// a fixed point straight below: seen from the site it moves backwards with its speed, and turns
// backwards
CF_TEST(frame__relative__as_seen_from_the_moving_reference) {
  cfSensorCase c = openTable();
  const mjtNum r = sqrt(0.5);
  CF_NEAR_ARRAY(cf_sensed(c, "posref"), ((mjtNum[3]){0, 0, -0.2}), 3, 1e-15);
  CF_NEAR_ARRAY(cf_sensed(c, "quatref"), ((mjtNum[4]){r, 0, 0, -r}), 4, 1e-15);
  CF_NEAR_ARRAY(cf_sensed(c, "xref"), ((mjtNum[3]){0, -1, 0}), 3, 1e-15);
  CF_NEAR_ARRAY(cf_sensed(c, "linref"), ((mjtNum[3]){-1, 0, 0}), 3, 1e-12);
  CF_NEAR_ARRAY(cf_sensed(c, "angref"), ((mjtNum[3]){0, 0, -2}), 3, 1e-12);
  cf_closeSensors(c);
}


// com at 3/8 of the arm; angular momentum about it: cylinder, ball and both masses about the common
// com
CF_TEST(subtree__turntable__com_velocity_and_angular_momentum) {
  cfSensorCase c = openTable();
  const mjtNum x = 3 * 0.5 / 8, own = 5 * 0.5 + 0.4 * 3 * 0.01,
               orbit = 5 * x * x + 3 * (0.5 - x) * (0.5 - x);
  CF_NEAR_ARRAY(cf_sensed(c, "com"), ((mjtNum[3]){x, 0, 3 * 0.2 / 8}), 3, 1e-15);
  CF_NEAR_ARRAY(cf_sensed(c, "slin"), ((mjtNum[3]){0, 2 * x, 0}), 3, 1e-12);
  CF_NEAR(cf_sensed(c, "smom")[2], 2 * (own + orbit), 1e-12);
  cf_closeSensors(c);
}


CF_TEST(frame__every_object_and_reference__as_recorded) {
  cf_checkRecordedSensors("frames", 1e-8);
}


CF_TEST_MAIN("sensor/frames")
