// Camera sensors: pixels of a point, rays of sites and pixels.
#include "cf_sensor.h"
#include "cf_text.h"

#include "sensor/sensor.h"

// camera at the origin, looking along -z; 90 degrees over 100 rows: focal length 50 pixels.  The
// lens is 8 x 3 mm, focal lengths 4 and 6 mm: 100 and 200 pixels; projection ignores the principal
// point, rays do not
static const char views[] =
    "<mujoco><worldbody>"
    "<camera name='eye' fovy='90' resolution='200 100'/>"
    "<camera name='lens' resolution='200 100' sensorsize='.008 .003' focal='.004 .006' principal='.0004 .0006'/>"
    "<camera name='turned' pos='0 0 -2' euler='0 180 0' fovy='90' resolution='200 100'/>"
    "<camera name='four' fovy='90' resolution='2 2'/>"
    "<camera name='flat' fovy='4' projection='orthographic' resolution='2 2'/>"
    "<camera name='shifted' resolution='2 2' sensorsize='.02 .02' focal='.01 .01' principal='.005 0'/>"
    "<body pos='0 0 -2.5'><geom name='wall' type='box' size='5 5 .5'/></body>"
    "<site name='point' pos='.1 .2 -1'/><site name='level' pos='.1 .2 0'/>"
    "<site name='aim' pos='.3 .4 -1' euler='180 0 0'/><site name='slant' euler='150 0 0'/><site name='sky'/>"
    "</worldbody><sensor>"
    "<camprojection name='eye' site='point' camera='eye'/><camprojection name='lens' site='point' camera='lens'/>"
    "<camprojection name='turned' site='point' camera='turned'/><camprojection name='level' site='level' camera='eye'/>"
    "<rangefinder name='aim' site='aim' data='dist dir origin point normal depth'/>"
    "<rangefinder name='slant' site='slant' data='dist point'/>"
    "<rangefinder name='sky' site='sky' data='dist dir origin point normal depth'/>"
    "<rangefinder name='four' camera='four' data='dist point depth'/>"
    "<rangefinder name='flat' camera='flat' data='dist dir origin point normal depth'/>"
    "<rangefinder name='shifted' camera='shifted' data='point'/>"
    "</sensor></mujoco>";


static cfSensorCase openViews(void) {
  cfSensorCase c = cf_sensorsOf(cf_compileText(views));
  mj_forward(c.m, c.d);
  return c;
}


// x = cx + f X/Z to the right, y = cy - f Y/Z down
CF_TEST(camprojection__point_in_front__has_the_pixel_of_the_pinhole) {
  cfSensorCase c = openViews();
  CF_NEAR_ARRAY(cf_sensed(c, "eye"), ((mjtNum[2]){105, 40}), 2, 1e-12);
  CF_NEAR_ARRAY(cf_sensed(c, "lens"), ((mjtNum[2]){100 + 100 * 0.1, 50 - 200 * 0.2}), 2, 1e-5);
  CF_NEAR_ARRAY(cf_sensed(c, "turned"), ((mjtNum[2]){95, 40}), 2, 1e-12);
  cf_closeSensors(c);
}


// no depth: divided by the smallest number instead
CF_TEST(camprojection__point_beside_the_camera__is_far_out_and_finite) {
  cfSensorCase c = openViews();
  CF_NEAR(cf_sensed(c, "level")[0] * mjMINVAL, -50 * 0.1, 1e-12);
  CF_NEAR(cf_sensed(c, "level")[1] * mjMINVAL, 50 * 0.2, 1e-12);
  cf_closeSensors(c);
}


CF_TEST(rangefinder__site__shows_the_hit_in_all_fields) {
  cfSensorCase c = openViews();
  const mjtNum hit[14] = {1, 0, 0, -1, 0.3, 0.4, -1, 0.3, 0.4, -2, 0, 0, 1, 1};
  CF_NEAR_ARRAY(cf_sensed(c, "aim"), hit, 14, 1e-12);

  // 30 degrees off: 2 / cos
  const mjtNum slant = 2 / sqrt(0.75);
  CF_NEAR_ARRAY(cf_sensed(c, "slant"), ((mjtNum[4]){slant, 0, -slant / 2, -2}), 4, 1e-12);
  cf_closeSensors(c);
}


// nothing hit: distance and depth -1, everything but the origin zero
CF_TEST(rangefinder__nothing_hit__minus_one) {
  cfSensorCase c = openViews();
  const mjtNum miss[14] = {-1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1};
  CF_NEAR_ARRAY(cf_sensed(c, "sky"), miss, 14, 0);
  cf_closeSensors(c);
}


// 2 x 2 pixels of a right angle: centers at half the focal length; top row first, left to right
CF_TEST(rangefinder__perspective_camera__one_ray_per_pixel) {
  cfSensorCase c = openViews();
  const int side[4][2] = {{-1, 1}, {1, 1}, {-1, -1}, {1, -1}};
  for (int k = 0; k < 4; k++) {
    const mjtNum expected[5] = {2 * sqrt(1.5), side[k][0], side[k][1], -2, 2};
    CF_NEAR_ARRAY(cf_sensed(c, "four") + 5 * k, expected, 5, 1e-12);
  }
  cf_closeSensors(c);
}


// focal length one pixel; for rays the principal point counts from the corner of the image: (0.5,
// 0) pixels
CF_TEST(rangefinder__principal_point__shifts_the_rays) {
  cfSensorCase c = openViews();
  const mjtNum *left = cf_sensed(c, "shifted"), *right = left + 3;
  CF_NEAR(right[0] - left[0], 2, 1e-6);
  CF_NEAR(left[0], 0, 1e-6);
  CF_NEAR(left[1], -1, 1e-6);
  CF_NEAR(left[3 * 2 + 1], -3, 1e-6);
  cf_closeSensors(c);
}


// four units high: rays one unit off the axis
CF_TEST(rangefinder__orthographic_camera__parallel_rays) {
  cfSensorCase c = openViews();
  const int side[4][2] = {{-1, 1}, {1, 1}, {-1, -1}, {1, -1}};
  for (int k = 0; k < 4; k++) {
    const mjtNum x = side[k][0], y = side[k][1];
    const mjtNum expected[14] = {2, 0, 0, -1, x, y, 0, x, y, -2, 0, 0, 1, 2};
    CF_NEAR_ARRAY(cf_sensed(c, "flat") + 14 * k, expected, 14, 1e-12);
  }
  cf_closeSensors(c);
}


CF_TEST(rangefinder__field_sizes__add_up) {
  CF_EQ_INT(cfi_rayDataSize(0), 0);
  CF_EQ_INT(cfi_rayDataSize(1 << mjRAYDATA_DIST), 1);
  CF_EQ_INT(cfi_rayDataSize(1 << mjRAYDATA_NORMAL | 1 << mjRAYDATA_DEPTH), 4);
  CF_EQ_INT(cfi_rayDataSize((1 << mjNRAYDATA) - 1), 14);
}


CF_TEST_MAIN("sensor/camera")
