// Normals of ellipsoids at contact points of the legacy collider.
#include <math.h>

#include <mujoco/mujoco.h>

#include "cf_test.h"
#include "collision/convex/mpr.h"

static const mjtNum origin[3] = {0}, upright[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1},
                    size[3] = {0.3, 0.2, 0.15};

static cfConvex shapeOf(int type) {
  return (cfConvex){.type = type, .pos = origin, .mat = upright, .size = size};
}


// outward normal of the ellipsoid where a ray from p along n leaves it
static void normalAtExit(mjtNum normal[3], const mjtNum p[3], const mjtNum n[3]) {
  mjtNum a = 0, b = 0, c = -1;
  for (int k = 0; k < 3; k++) {
    const mjtNum weight = 1 / (size[k] * size[k]);
    a += n[k] * n[k] * weight;
    b += n[k] * p[k] * weight;
    c += p[k] * p[k] * weight;
  }
  const mjtNum x = (-b + sqrt(b * b - a * c)) / a;
  for (int k = 0; k < 3; k++) {
    normal[k] = (p[k] + x * n[k]) / (size[k] * size[k]);
  }
  mju_normalize3(normal);
}


CF_TEST(fixNormal__point_inside_an_ellipsoid__normal_of_the_point_above_it) {
  const cfConvex ellipsoid = shapeOf(mjGEOM_ELLIPSOID), box = shapeOf(mjGEOM_BOX);
  for (int trial = 0; trial < 100; trial++) {
    mjtNum up[3] = {cos(trial), sin(2 * trial), cos(3 * trial)}, expected[3];
    mjContact con = {.frame = {up[0] + .2, up[1] - .1, up[2] + .1}};
    mju_normalize3(up);
    for (int k = 0; k < 3; k++) {
      con.pos[k] = .8 * up[k] * size[k];
    }
    cfi_fixNormal(&con, &ellipsoid, &box);
    CF_NEAR(mju_norm3(con.frame), 1, 1e-12);
    normalAtExit(expected, con.pos, con.frame);
    CF_NEAR_ARRAY(con.frame, expected, 3, 2e-6);
    CF_TRUE(mju_dot3(con.frame, con.pos) > 0);

    // the same from the other side
    mjContact turned = {.frame = {-up[0] - .2, -up[1] + .1, -up[2] - .1}};
    mju_copy3(turned.pos, con.pos);
    cfi_fixNormal(&turned, &box, &ellipsoid);
    mju_scl3(expected, con.frame, -1);
    CF_NEAR_ARRAY(turned.frame, expected, 3, 4e-6);
  }
}


CF_TEST_MAIN("fixnormal")
