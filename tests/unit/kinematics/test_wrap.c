// Inverse tendon wrapping.  The tests are numbered T1..T18; values recorded with MuJoCo 3.5.0.
#include "cf_test.h"

#include "cf_smooth.h"
#include "kinematics/wrap.h"

static const mjtNum kRadius = 0.15;


// length of the only tendon at the current qpos
static mjtNum tendonLength(cfCase c) {
  mj_fwdKinematics(c.m, c.d);
  return c.d->ten_length[0];
}


static mjtNum lengthAt(cfCase c, mjtNum qpos) {
  c.d->qpos[0] = qpos;
  return tendonLength(c);
}


// the point on the wrapping geom: second of the four points of the path
static const mjtNum* touchPoint(cfCase c) {
  CF_EQ_INT(c.d->ten_wrapnum[0], 4);
  return c.d->wrap_xpos + 3;
}


// |tangent * (sum of the unit vectors to both ends)|, zero where the path length is stationary
static mjtNum tangencyError(const mjtNum t[2], const mjtNum end[4]) {
  const mjtNum radius = hypot(t[0], t[1]);
  mjtNum sum[2] = {0, 0};
  for (int k = 0; k < 2; k++) {
    const mjtNum dx = t[0] - end[2 * k], dy = t[1] - end[2 * k + 1], length = hypot(dx, dy);
    sum[0] += dx / length;
    sum[1] += dy / length;
  }
  return fabs(-t[1] / radius * sum[0] + t[0] / radius * sum[1]);
}


// central difference of the length against ten_J
static void checkJacobian(cfCase c, mjtNum qpos) {
  const mjtNum eps = 1e-7;
  const mjtNum numeric = (lengthAt(c, qpos + eps) - lengthAt(c, qpos - eps)) / (2 * eps);
  lengthAt(c, qpos);
  CF_NEAR(c.d->ten_J[0], numeric, 1e-4 * fmax(fabs(numeric), 1));
}


// the model from its text, and a step with what comes after the kinematics
static void loadAndStep(const char* name) {
  char path[500], error[500] = "";
  snprintf(path, sizeof(path), "%s/tests/data/smooth/%s.xml", CF_SOURCE_DIR, name);
  mjModel* m = mj_loadXML(path, NULL, error, sizeof(error));
  if (!m) {
    CF_FAIL("%s\n", error);
  }
  CF_EQ_STR(error, "");
  mjData* d = mj_makeData(m);
  mj_step(m, d);
  CF_NEAR(d->time, m->opt.timestep, 0);
  CF_TRUE(isfinite(d->ten_length[0]) && d->ten_length[0] > 0);
  CF_EQ_INT(d->ten_wrapnum[0], 4);
  for (int i = 0; i < m->nv; i++) {
    CF_TRUE(isfinite(d->qpos[i]) && isfinite(d->qvel[i]) && isfinite(d->qacc[i]));
  }
  for (int k = 0; k < mjNWARNING; k++) {
    CF_EQ_INT(d->warning[k].number, 0);
  }
  mj_deleteData(d);
  mj_deleteModel(m);
}


CF_TEST(wrap__T1_side_site_inside_sphere__loads_and_steps) {
  loadAndStep("wrap_sphere_inside");
}


CF_TEST(wrap__T2_side_site_inside_cylinder__loads_and_steps) {
  loadAndStep("wrap_cylinder_inside");
}


CF_TEST(wrap__T3_inside_sphere__single_point_on_the_surface) {
  const mjtNum center[3] = {0, 0, 0}, side[3] = {0.05, 0, 0};
  const mjtNum eye[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  const mjtNum x0[3] = {0.3, 0, 0.15}, x1[3] = {0.3, 0, -0.15};
  const cfWrapObject sphere = {center, eye, kRadius, mjWRAP_SPHERE, side};
  mjtNum p[2][3];

  CF_NEAR(cfi_wrap(p, x0, x1, &sphere), 0, 0);
  CF_NEAR_ARRAY(p[0], p[1], 3, 0);
  CF_NEAR(sqrt(p[0][0] * p[0][0] + p[0][1] * p[0][1] + p[0][2] * p[0][2]), kRadius, 1e-10);
}


CF_TEST(wrap__T4_inside_sphere__length_is_two_straight_parts) {
  cfCase c = cf_openCase("wrap_sphere_inside");
  const mjtNum length = tendonLength(c), *x = c.d->wrap_xpos;
  CF_NEAR(length, mju_dist3(x, x + 3) + mju_dist3(x + 6, x + 9), 1e-15);
  cf_closeCase(c);
}


CF_TEST(wrap__T5_known_geometry__newton_finds_the_tangent_point) {
  const mjtNum end[4] = {2, 0, 1.5, 1.5 * sqrt(3.0)};
  mjtNum t[2];
  CF_NEAR(cfi_wrapInside(t, end, 1), 0, 0);
  CF_NEAR(hypot(t[0], t[1]), 1, 1e-10);
  CF_TRUE(tangencyError(t, end) < 1e-8);
}


CF_TEST(wrap__T6_sphere__reference_values) {
  cfCase c = cf_openCase("wrap_sphere_inside");
  CF_NEAR(tendonLength(c), 0.424264068711929, 1e-12);
  CF_NEAR_ARRAY(touchPoint(c), ((mjtNum[]){0.15, 0, 0}), 3, 1e-9);
  cf_closeCase(c);
}


CF_TEST(wrap__T7_cylinder__reference_values) {
  cfCase c = cf_openCase("wrap_cylinder_inside");
  CF_NEAR(tendonLength(c), 0.538516480713450, 1e-12);
  CF_NEAR_ARRAY(touchPoint(c), ((mjtNum[]){0.15, 0, 0}), 3, 1e-9);
  cf_closeCase(c);
}


CF_TEST(wrap__T8_side_site_sweeps_through_the_surface__finite_and_as_reference) {
  cfCase c = cf_openCase("wrap_sphere_sweep");
  for (int k = -50; k <= 50; k++) {
    const mjtNum length = lengthAt(c, 0.001 * k);
    CF_TRUE(isfinite(length) && length > 0);
  }
  CF_NEAR(lengthAt(c, -0.04), 0.397761312300161, 1e-12);
  CF_NEAR(lengthAt(c, -0.02), 0.410539632911676, 1e-12);
  CF_NEAR(lengthAt(c, -0.01), 0.300166620396073, 1e-12);
  CF_NEAR(lengthAt(c, 0.00), 0.300000000000000, 1e-12);
  CF_NEAR(lengthAt(c, 0.04), 0.302654919008431, 1e-12);
  cf_closeCase(c);
}


CF_TEST(wrap__T9_side_site_outside__wraps_around_on_its_side) {
  const mjtNum center[3] = {0, 0, 0}, eye[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  const mjtNum x0[3] = {-1, 0.01, 0}, x1[3] = {1, 0.01, 0};
  const mjtNum above[3] = {0, 1, 0}, below[3] = {0, -1, 0};
  cfWrapObject sphere = {center, eye, 0.5, mjWRAP_SPHERE, above};
  mjtNum p[2][3];

  CF_TRUE(cfi_wrap(p, x0, x1, &sphere) > 0);
  CF_TRUE(p[0][1] > 0 && p[1][1] > 0);
  sphere.side = below;
  CF_TRUE(cfi_wrap(p, x0, x1, &sphere) > 0);
  CF_TRUE(p[0][1] < 0 && p[1][1] < 0);
}


CF_TEST(wrap__T10_sphere__jacobian_is_finite_difference) {
  cfCase c = cf_openCase("wrap_sphere_inside");
  for (int k = -2; k <= 2; k++) {
    checkJacobian(c, 0.05 * k);
  }
  cf_closeCase(c);
}


CF_TEST(wrap__T11_straight_line_crosses_circle__no_wrap) {
  const mjtNum end[4] = {2, 0.1, -2, 0.1};
  mjtNum t[2];
  CF_NEAR(cfi_wrapInside(t, end, 1), -1, 0);
}


CF_TEST(wrap__T12_end_on_circle__no_wrap) {
  const mjtNum end[4] = {1, 0, 1, 2};
  mjtNum t[2];
  CF_NEAR(cfi_wrapInside(t, end, 1), -1, 0);
}


CF_TEST(wrap__T13_ends_barely_outside__fallback_on_the_circle) {
  const mjtNum a = 5e-5, r = 1 + 1e-9;
  const mjtNum end[4] = {r, 0, r * cos(a), r * sin(a)};
  mjtNum t[2];
  CF_NEAR(cfi_wrapInside(t, end, 1), 0, 0);
  CF_NEAR(hypot(t[0], t[1]), 1, 1e-10);
}


CF_TEST(wrap__T14_side_site_on_the_surface__outside_wrap) {
  cfCase c = cf_openCase("wrap_sphere_sweep");
  const mjtNum length = lengthAt(c, -0.01);
  CF_TRUE(isfinite(length) && length > 0);
  CF_EQ_INT(c.d->ten_wrapnum[0], 2);
  cf_closeCase(c);
}


CF_TEST(wrap__T15_cylinder_with_height__tangency_and_interpolated_height) {
  cfCase c = cf_openCase("wrap_cylinder_height");
  CF_NEAR(tendonLength(c), 0.542346519424661, 1e-9);
  const mjtNum* t = touchPoint(c);
  CF_NEAR_ARRAY(t, ((mjtNum[]){0.148607047563419, -0.020394739872909, 0.117656368532109}), 3, 1e-9);

  const mjtNum end[4] = {0.3, 0.05, 0.3, -0.15};
  const mjtNum l0 = hypot(t[0] - end[0], t[1] - end[1]), l1 = hypot(t[0] - end[2], t[1] - end[3]);
  CF_TRUE(tangencyError(t, end) < 1e-8);
  CF_NEAR(t[2], 0.3 - 0.4 * l0 / (l0 + l1), 1e-14);
  cf_closeCase(c);
}


CF_TEST(wrap__T16_side_site_far_along_the_axis__outside_wrap) {
  cfCase c = cf_openCase("wrap_cylinder_far_side");
  CF_NEAR(tendonLength(c), 0.412310562561766, 1e-12);
  CF_EQ_INT(c.d->ten_wrapnum[0], 2);
  cf_closeCase(c);
}


CF_TEST(wrap__T17_cylinder__jacobian_is_finite_difference) {
  cfCase c = cf_openCase("wrap_cylinder_height");
  for (int k = -2; k <= 2; k++) {
    checkJacobian(c, 0.05 * k);
  }
  cf_closeCase(c);
}


CF_TEST(wrap__T18_side_site_at_center__as_anywhere_inside) {
  cfCase c = cf_openCase("wrap_sphere_center");
  CF_NEAR(tendonLength(c), 0.424264068711929, 1e-12);
  CF_NEAR_ARRAY(touchPoint(c), ((mjtNum[]){0.15, 0, 0}), 3, 1e-9);
  cf_closeCase(c);
}


CF_TEST_MAIN("kinematics/wrap")
