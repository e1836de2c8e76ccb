// Fluid forces: the eleven criteria of the fluid specification; reference values recorded with
// MuJoCo 3.5.0.
#include <math.h>
#include <string.h>

#include "cf_recorded.h"
#include "cf_test.h"
#include "cf_text.h"

// one free body in a medium, moving; compares qfrc_fluid with recorded values
static void expectForce(const char* option, const char* geoms, const mjtNum vel[6],
                        const mjtNum expected[6]) {
  char xml[2000];
  snprintf(
      xml, sizeof(xml),
      "<mujoco><option %s gravity='0 0 0'/><worldbody><body><freejoint/>%s</body></worldbody></mujoco>",
      option, geoms);
  mjModel* m = cf_compileText(xml);
  mjData* d = mj_makeData(m);
  memcpy(d->qvel, vel, 6 * sizeof(mjtNum));
  mj_forward(m, d);
  CF_NEAR_ARRAY(d->qfrc_fluid, expected, 6, 1e-14);
  CF_NEAR_ARRAY(d->qfrc_passive, expected, 6, 1e-14);
  mj_deleteData(d);
  mj_deleteModel(m);
}


CF_TEST(F1_fluid__no_medium__no_force) {
  expectForce("", "<geom size='0.1'/>", (mjtNum[6]){1, 2, 3, 4, 5, 6}, (mjtNum[6]){0});
}


CF_TEST(F2_fluid__falling_sphere__terminal_velocity) {
  mjModel* m = cf_compileText(
      "<mujoco><option density='1.2' viscosity='1.8e-5'/><worldbody><body><freejoint/>"
      "<geom type='sphere' size='0.1' mass='1'/></body></worldbody></mujoco>");
  mjData* d = mj_makeData(m);
  while (d->time < 20) {
    mj_step(m, d);
  }
  CF_NEAR(d->qvel[2], -26.099838485621824, 1e-8);
  mj_deleteData(d);
  mj_deleteModel(m);
}


CF_TEST(F3_fluid__wind__pushes_body_at_rest) {
  expectForce("density='1.2' wind='5 0 0'", "<geom type='box' size='0.1 0.2 0.3' mass='1'/>",
              (mjtNum[6]){0}, (mjtNum[6]){3.5999999999999996, 0, 0, 0, 0, 0});
}


// the box with the sphere's inertia has edges sqrt(2.4)*r, and the drag is that of the sphere with
// their diameter
CF_TEST(F4_fluid__small_sphere__stokes_drag_of_equivalent_diameter) {
  const mjtNum diameter = sqrt(2.4) * 1e-3;
  CF_NEAR(-3 * mjPI * diameter * 0.01, -0.00014600803233505004, 1e-15);
  expectForce("viscosity='1'", "<geom type='sphere' size='0.001' mass='1e-6'/>",
              (mjtNum[6]){0.01, 0, 0, 0, 0, 0},
              (mjtNum[6]){-0.00014600803233505004, 0, 0, 0, 0, 0});
}


// drag along each axis of an ellipsoid grows with the area it shows
CF_TEST(F5_fluid__ellipsoid__drag_depends_on_attitude) {
  mjModel* m = cf_compileText(
      "<mujoco><option density='1.2' gravity='0 0 0'/><worldbody><body><freejoint/>"
      "<geom type='ellipsoid' size='0.1 0.05 0.02' mass='1' fluidshape='ellipsoid'/></body></worldbody></mujoco>");
  mjData* d = mj_makeData(m);
  mjtNum drag[3];
  for (int k = 0; k < 3; k++) {
    mj_resetData(m, d);
    d->qvel[k] = 1;
    mj_forward(m, d);
    drag[k] = -d->qfrc_fluid[k];
  }
  CF_TRUE(drag[0] > 0 && drag[1] > drag[0] && drag[2] > drag[1]);
  mj_deleteData(d);
  mj_deleteModel(m);
}


CF_TEST(F6_fluid__spinning_sphere__magnus_lift) {
  expectForce(
      "density='1.2'", "<geom type='sphere' size='0.1' mass='1' fluidshape='ellipsoid'/>",
      (mjtNum[6]){2, 0, 0, 0, 0, 30},
      (mjtNum[6]){-0.075398223686155036, 0.15079653619526642, 0, 0, 0, -0.027143360527015829});
}


CF_TEST(F7_fluid__inclined_ellipsoid__kutta_lift) {
  expectForce(
      "density='1.2'",
      "<geom type='ellipsoid' size='0.1 0.05 0.02' mass='1' fluidshape='ellipsoid'/>",
      (mjtNum[6]){1, 0.5, 0.7, 0, 0, 0},
      (mjtNum[6]){-0.0043762034295439858, -0.0037841637011124586, -0.020939236647694013,
                  -0.00028181548431110612, 0.00064136086740416087, -5.5521356272820401e-05});
}


// force on a translating ellipsoid with the coefficient of the Kutta lift
static void liftedForce(mjtNum force[3], const char* size, mjtNum kutta, const mjtNum vel[3]) {
  char xml[1000];
  snprintf(
      xml, sizeof(xml),
      "<mujoco><option density='1.2' gravity='0 0 0'/><worldbody><body><freejoint/><geom type='ellipsoid' "
      "size='%s' mass='1' fluidshape='ellipsoid' fluidcoef='0.5 0.25 1.5 %.17g 1'/></body></worldbody></mujoco>",
      size, kutta);
  mjModel* m = cf_compileText(xml);
  mjData* d = mj_makeData(m);
  mju_copy3(d->qvel, vel);
  mj_forward(m, d);
  mju_copy3(force, d->qfrc_fluid);
  mj_deleteData(d);
  mj_deleteModel(m);
}


// the share of the lift: perpendicular to the velocity, proportional to its coefficient, none along
// an axis, none for a sphere
CF_TEST(F7_fluid__kutta_lift__across_the_velocity_and_none_for_spheres) {
  const mjtNum inclined[3] = {1, 0.5, 0.7}, along[3] = {0, 2, 0};
  const struct {
    const char* size;
    const mjtNum* vel;
    int has_lift;
  } cases[] = {
      {"0.1 0.05 0.02", inclined, 1}, {"0.1 0.05 0.02", along, 0}, {"0.07 0.07 0.07", inclined, 0}};
  for (int k = 0; k < 3; k++) {
    mjtNum none[3], one[3], two[3], lift[3], lift2[3];
    liftedForce(none, cases[k].size, 0, cases[k].vel);
    liftedForce(one, cases[k].size, 1, cases[k].vel);
    liftedForce(two, cases[k].size, 2, cases[k].vel);
    mju_sub3(lift, one, none);
    mju_sub3(lift2, two, none);
    CF_NEAR(mju_dot3(lift, cases[k].vel), 0, 1e-16);
    for (int i = 0; i < 3; i++) {
      CF_NEAR(lift2[i], 2 * lift[i], 1e-16);
    }
    CF_EQ_INT(mju_norm3(lift) > 1e-4, cases[k].has_lift);
    CF_TRUE(cases[k].has_lift || mju_norm3(lift) < 1e-17);
  }
}


CF_TEST(F8_fluid__custom_coefficients__as_recorded) {
  expectForce(
      "density='1.2'",
      "<geom type='ellipsoid' size='0.1 0.05 0.02' mass='1' fluidshape='ellipsoid' fluidcoef='1 0.5 2 0 0'/>",
      (mjtNum[6]){1, 0.5, 0.7, 1, 2, 3},
      (mjtNum[6]){-0.025163442655653137, -0.011506885447261769, -0.016812798099095399,
                  -0.0003269521173583388, 0.00053603496657832921, -0.00021566487388156928});
}


CF_TEST(F9_fluid__several_geoms__inertia_box_of_the_body) {
  expectForce(
      "density='1.2' viscosity='0.01'",
      "<geom type='box' size='0.1 0.2 0.3' mass='1'/><geom type='sphere' pos='0.3 0 0' size='0.1' mass='0.5'/>",
      (mjtNum[6]){1, 2, 3, 0.5, -0.4, 0.3},
      (mjtNum[6]){-0.1439281114022056, -0.73209376063010745, -1.1140099431492452,
                  -0.0016491123317407027, 0.11271268756581927, -0.074163254666688092});
}


// one ellipsoid geom switches the box of its body off
CF_TEST(F10_fluid__mixed_geoms__ellipsoid_replaces_the_box) {
  expectForce(
      "density='1.2' viscosity='0.01'",
      "<geom type='box' size='0.1 0.2 0.3' mass='1'/>"
      "<geom type='ellipsoid' pos='0.3 0 0' size='0.1 0.2 0.05' mass='0.5' fluidshape='ellipsoid'/>",
      (mjtNum[6]){1, 2, 3, 0.5, -0.4, 0.3},
      (mjtNum[6]){-0.037832706797815044, 0.042250127832534984, -0.81475877051659151,
                  -0.045938790252989199, 0.26224951732726121, 0.015323030826761218});
}


// one beat of the wings takes 50 steps, as in tests/data/fluid/record.py
static void beatWings(mjData* d, int step) {
  const mjtNum phase = 2 * mjPI * step / 50, stroke = 1.1 * sin(phase), turn = 0.8 * cos(phase);
  for (int side = 0; side < 2; side++) {
    d->ctrl[3 * side] = stroke;
    d->ctrl[3 * side + 1] = 0.1 * turn;
    d->ctrl[3 * side + 2] = turn;
  }
}


// a fly of ellipsoid wings, body and head, a box and a capsule: every tenth of 100 steps against
// the reference.  The document asks for dm_control's fruitfly and 1e-6
CF_TEST(F11_fluid__beating_fly__passive_forces_over_100_steps) {
  char error[1000] = "";
  mjModel* m = mj_loadXML(CF_SOURCE_DIR "/tests/data/fluid/fly.xml", NULL, error, sizeof(error));
  CF_TRUE(m != NULL);
  mjData* d = mj_makeData(m);
  cfRecorded* r = cf_openRecorded("fluid", "fly");
  int arrays = 0;
  CF_TRUE(!cf_nextArray(r));
  for (int step = 1; step <= 100; step++) {
    beatWings(d, step);
    mj_step(m, d);
    while (step % 10 == 0 && cf_nextArray(r)) {
      const mjtNum* field = !strcmp(r->name, "qpos")           ? d->qpos
                            : !strcmp(r->name, "qvel")         ? d->qvel
                            : !strcmp(r->name, "qfrc_passive") ? d->qfrc_passive
                                                               : d->qfrc_fluid;
      cf_checkArray(r, field, 1e-9);
      arrays++;
    }
  }
  CF_EQ_INT(arrays, 40);
  cf_closeRecorded(r);
  mj_deleteData(d);
  mj_deleteModel(m);
}


CF_TEST_MAIN("dynamics/fluid")
