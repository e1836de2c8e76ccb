// Limits of ball joints: a cone around the rest pose.  Names give the criterion of the source
// document.
#include <math.h>
#include <string.h>

#include <mujoco/mujoco.h>

#include "cf_test.h"
#include "cf_text.h"

typedef struct {
  mjModel* m;
  mjData* d;
} Case;

static const mjtNum X[3] = {1, 0, 0}, Y[3] = {0, 1, 0}, Z[3] = {0, 0, 1};


static mjtNum degrees(mjtNum angle) {
  return angle * mjPI / 180;
}


// one ball joint with the given joint attributes
static Case openBall(const char* attributes) {
  char xml[1000];
  snprintf(xml, sizeof(xml),
           "<mujoco><option gravity='0 0 0' timestep='0.001'/><worldbody><body>"
           "<joint type='ball' %s/><geom type='sphere' size='0.1' "
           "mass='1'/></body></worldbody></mujoco>",
           attributes);
  mjModel* m = cf_compileText(xml);
  return (Case){m, mj_makeData(m)};
}


static void closeCase(Case c) {
  mj_deleteData(c.d);
  mj_deleteModel(c.m);
}


static void rotate(Case c, int jnt, const mjtNum axis[3], mjtNum angle) {
  mju_axisAngle2Quat(c.d->qpos + c.m->jnt_qposadr[jnt], axis, degrees(angle));
}


static int limitRows(const mjData* d) {
  int count = 0;
  for (int r = 0; r < d->nefc; r++) {
    count += d->efc_type[r] == mjCNSTR_LIMIT_JOINT;
  }
  return count;
}


static mjtNum angleOf(const mjtNum quat[4]) {
  mjtNum unit[4], axis[3];
  mju_copy4(unit, quat);
  mju_normalize4(unit);
  mju_quat2Vel(axis, unit, 1);
  return mju_norm3(axis) * 180 / mjPI;
}


// rows of one joint rotated by an angle about an axis
static int rowsAt(const char* attributes, const mjtNum axis[3], mjtNum angle) {
  Case c = openBall(attributes);
  rotate(c, 0, axis, angle);
  mj_forward(c.m, c.d);
  int count = limitRows(c.d);
  closeCase(c);
  return count;
}


// distance and Jacobian of the only row
static void checkRow(const char* attributes, const mjtNum axis[3], mjtNum angle, mjtNum distance,
                     const mjtNum jacobian[3], mjtNum tolerance) {
  Case c = openBall(attributes);
  rotate(c, 0, axis, angle);
  mj_forward(c.m, c.d);
  CF_EQ_INT(c.d->nefc, 1);
  CF_NEAR(c.d->efc_pos[0], degrees(distance), tolerance);
  CF_NEAR_ARRAY(c.d->efc_J, jacobian, 3, tolerance);
  closeCase(c);
}


CF_TEST(T1_ballLimit__axis_and_angle__distance_and_direction) {
  const mjtNum oblique[3] = {0.6, 0.8, 0}, minus_oblique[3] = {-0.6, -0.8, 0};
  checkRow("range='0 45'", Z, 90, -45, (const mjtNum[3]){0, 0, -1}, 1e-10);
  checkRow("range='0 45'", oblique, 50, -5, minus_oblique, 1e-10);
  checkRow("range='0 45'", Y, 180, -135, (const mjtNum[3]){0, -1, 0}, 1e-10);
  CF_EQ_INT(rowsAt("range='0 1'", X, 0), 0);
}


CF_TEST(T1b_ballLimit__almost_no_rotation__no_row) {
  Case c = openBall("range='0 1'");
  const mjtNum quat[4] = {1, 1e-15, 1e-15, 1e-15};
  mju_copy4(c.d->qpos, quat);
  mj_forward(c.m, c.d);
  CF_EQ_INT(c.d->nefc, 0);
  closeCase(c);
}


CF_TEST(T2_ballLimit__beyond_the_cone__one_row) {
  Case c = openBall("limited='true' range='0 45'");
  CF_EQ_INT(c.m->jnt_limited[0], 1);
  CF_NEAR(c.m->jnt_range[1], degrees(45), 1e-12);
  closeCase(c);
  CF_EQ_INT(rowsAt("limited='true' range='0 45'", X, 60), 1);
}


CF_TEST(T3_ballLimit__velocity__row_is_J_times_qvel) {
  const mjtNum axis[3] = {0.6, 0.8, 0}, vel[3] = {1, 2, 0.5};
  Case c = openBall("range='0 45'");
  rotate(c, 0, axis, 50);
  mju_copy3(c.d->qvel, vel);
  mj_forward(c.m, c.d);
  CF_EQ_INT(c.d->nefc, 1);
  CF_NEAR(c.d->efc_vel[0], -2.2, 1e-12);
  CF_NEAR(c.d->efc_pos[0], degrees(-5), 1e-12);
  closeCase(c);
}


CF_TEST(T4_ballLimit__free_joint__has_no_limit) {
  mjModel* m = cf_compileText(
      "<mujoco><option gravity='0 0 0'/><worldbody><body><freejoint/><geom size='0.1'/></body>"
      "</worldbody></mujoco>");
  m->jnt_limited[0] = 1;
  m->jnt_range[1] = 0.5;
  mjData* d = mj_makeData(m);
  d->qpos[0] = 2;  // beyond the range, should it be taken for that of a slide
  mju_axisAngle2Quat(d->qpos + 3, X, degrees(120));
  mj_forward(m, d);
  CF_EQ_INT(limitRows(d), 0);

  // turned further, and as a whole step
  mju_axisAngle2Quat(d->qpos + 3, Y, degrees(170));
  mj_step(m, d);
  CF_EQ_INT(limitRows(d), 0);
  CF_EQ_INT(d->nefc, 0);
  mj_deleteData(d);
  mj_deleteModel(m);
}


// the text of the document: MuJoCo has no limits on free joints and ignores or refuses them by name
CF_TEST(T4b_ballLimit__free_joint_with_a_range_in_the_text__no_row) {
  mjModel* m = cf_compileText(
      "<mujoco><option gravity='0 0 0'/><worldbody><body><joint type='free' limited='true' range='0 0.5'/>"
      "<geom size='0.1'/></body></worldbody></mujoco>");
  mjData* d = mj_makeData(m);
  d->qpos[0] = 2;
  mju_axisAngle2Quat(d->qpos + 3, X, degrees(120));
  mj_step(m, d);
  CF_EQ_INT(limitRows(d), 0);
  mj_deleteData(d);
  mj_deleteModel(m);
}


CF_TEST(T5_ballLimit__inside_or_on_the_cone__no_row) {
  CF_EQ_INT(rowsAt("range='0 45'", Y, 30), 0);
  CF_EQ_INT(rowsAt("range='0 45'", X, 44.9999999), 0);
}


// the row is there when the distance is below the margin, not at it: with the limit set to the very
// angle that the joint has, and to the numbers on either side
CF_TEST(T5b_ballLimit__exactly_on_the_cone__no_row) {
  for (int side = -1; side <= 1; side++) {
    Case c = openBall("range='0 45'");
    rotate(c, 0, X, 45);
    mjtNum axis[3];
    mju_quat2Vel(axis, c.d->qpos, 1);
    const mjtNum angle = mju_norm3(axis);
    c.m->jnt_range[1] = side ? nextafter(angle, side * 10) : angle;
    mj_forward(c.m, c.d);
    CF_EQ_INT(limitRows(c.d), side < 0);
    closeCase(c);
  }
}


CF_TEST(T6_ballLimit__unlimited__no_row) {
  CF_EQ_INT(rowsAt("limited='false' range='0 45'", X, 170), 0);
}


// steps from a rotation; returns the final angle in degrees
static mjtNum settle(const char* attributes, const mjtNum axis[3], mjtNum angle, mjtNum vel,
                     int steps) {
  Case c = openBall(attributes);
  rotate(c, 0, axis, angle);
  c.d->qvel[0] = vel;
  for (int k = 0; k < steps; k++) {
    mj_step(c.m, c.d);
  }
  mjtNum final = angleOf(c.d->qpos);
  closeCase(c);
  return final;
}


CF_TEST(T7_ballLimit__pushed_for_half_a_second__stays_near_the_limit) {
  CF_TRUE(settle("range='0 30'", X, 35, 2, 500) < 32);
}


CF_TEST(T8_ballLimit__more_than_half_a_turn__wraps) {
  checkRow("range='0 150'", Z, 200, -10, (const mjtNum[3]){0, 0, 1}, 1e-10);
}


CF_TEST(T9_ballLimit__radians__not_converted_twice) {
  mjModel* m = cf_compileText(
      "<mujoco><compiler angle='radian'/><worldbody><body><joint type='ball' limited='true' "
      "range='0 0.7853981633974483'/><geom size='0.1'/></body></worldbody></mujoco>");
  CF_NEAR(m->jnt_range[1], mjPI / 4, 1e-15);

  // the cone that acts is the same
  mjData* d = mj_makeData(m);
  mju_axisAngle2Quat(d->qpos, X, degrees(44));
  mj_step(m, d);
  CF_EQ_INT(limitRows(d), 0);
  mju_axisAngle2Quat(d->qpos, X, degrees(60));
  mju_zero(d->qvel, 3);
  mj_step(m, d);
  CF_EQ_INT(limitRows(d), 1);
  CF_NEAR(d->efc_pos[0], degrees(-15), 1e-12);
  mj_deleteData(d);
  mj_deleteModel(m);
}


CF_TEST(T10_ballLimit__range_in_either_order__larger_value_counts) {
  for (int order = 0; order < 2; order++) {
    Case c = openBall("range='0 45'");
    c.m->jnt_range[0] = order ? degrees(45) : 0;
    c.m->jnt_range[1] = order ? 0 : degrees(45);
    rotate(c, 0, X, 60);
    mj_forward(c.m, c.d);
    CF_EQ_INT(limitRows(c.d), 1);
    CF_NEAR(c.d->efc_pos[0], degrees(-15), 1e-12);
    closeCase(c);
  }
}


// the compiler never swaps the two numbers.  MuJoCo 3.5.0 refuses them in this order where the
// joint is limited, and keeps them as written where it is not: then, with the limit switched on,
// the larger one is the angle of the cone
CF_TEST(T21_ballLimit__reversed_range_in_the_text__stored_as_written_or_refused) {
  const char* text =
      "<mujoco><compiler angle='radian'/><option gravity='0 0 0'/><worldbody><body><joint type='ball' limited='%s' "
      "range='0.7853981633974483 0'/><geom size='0.1' mass='1'/></body></worldbody></mujoco>";
  char xml[1000], error[1000] = "";
  snprintf(xml, sizeof(xml), text, "true");
  mjSpec* spec = mj_parseXMLString(xml, NULL, error, sizeof(error));
  CF_TRUE(spec != NULL);
  CF_TRUE(mj_compile(spec, NULL) == NULL);
  CF_HAS_STR(mjs_getError(spec), "range[0] should be 0 in ball joint");
  mj_deleteSpec(spec);

  snprintf(xml, sizeof(xml), text, "false");
  mjModel* m = cf_compileText(xml);
  Case c = {m, mj_makeData(m)};
  CF_NEAR(m->jnt_range[0], degrees(45), 1e-15);
  CF_NEAR(m->jnt_range[1], 0, 0);
  rotate(c, 0, X, 60);
  mj_forward(c.m, c.d);
  CF_EQ_INT(limitRows(c.d), 0);
  m->jnt_limited[0] = 1;
  mj_forward(c.m, c.d);
  CF_EQ_INT(limitRows(c.d), 1);
  CF_NEAR(c.d->efc_pos[0], degrees(-15), 1e-12);
  closeCase(c);
}


// a chain of joints, each with a geom
static Case openChain(const char* joint1, const char* joint2, const char* joint3) {
  char xml[2000];
  snprintf(
      xml, sizeof(xml),
      "<mujoco><option gravity='0 0 0' timestep='0.001'/><worldbody><body>%s"
      "<geom size='0.1' mass='0.5' contype='0'/><body pos='0.2 0 0'>%s<geom size='0.1' mass='0.5' "
      "contype='0'/>%s%s%s</body></body></worldbody></mujoco>",
      joint1, joint2, joint3 ? "<body pos='0.2 0 0'>" : "", joint3 ? joint3 : "",
      joint3 ? "<geom size='0.1' mass='0.5' contype='0'/></body>" : "");
  mjModel* m = cf_compileText(xml);
  return (Case){m, mj_makeData(m)};
}


CF_TEST(T11_ballLimit__three_balls__only_the_violated_one) {
  Case c = openChain("<joint type='ball' range='0 30'/>", "<joint type='ball' range='0 90'/>",
                     "<joint type='ball'/>");
  rotate(c, 0, X, 50);
  rotate(c, 1, Y, 45);
  rotate(c, 2, Z, 170);
  mj_forward(c.m, c.d);
  CF_EQ_INT(limitRows(c.d), 1);
  CF_EQ_INT(c.d->efc_id[0], 0);
  closeCase(c);
}


CF_TEST(T12_ballLimit__hinge_and_ball__a_row_each) {
  Case c = openChain("<joint range='-30 30'/>", "<joint type='ball' range='0 45'/>", NULL);
  c.d->qpos[0] = degrees(40);
  rotate(c, 1, Y, 60);
  mj_forward(c.m, c.d);
  CF_EQ_INT(limitRows(c.d), 2);
  CF_EQ_INT(c.d->efc_id[0], 0);
  CF_EQ_INT(c.d->efc_id[1], 1);
  const mjtNum J[8] = {-1, 0, 0, 0, 0, 0, -1, 0};
  CF_NEAR_ARRAY(c.d->efc_J, J, 8, 1e-12);
  closeCase(c);
}


CF_TEST(T13_ballLimit__force__reaches_the_joint) {
  Case c = openBall("range='0 30'");
  rotate(c, 0, X, 60);
  mj_forward(c.m, c.d);
  const mjtNum force = c.d->efc_force[0];
  CF_NEAR_ARRAY(c.d->qfrc_constraint, ((mjtNum[3]){-force, 0, 0}), 3, 1e-9 * force);

  // one free row: the force is what makes the reference acceleration, less the row's softness
  const mjtNum smooth = mju_dot3(c.d->efc_J, c.d->qacc_smooth);
  const mjtNum diagonal = 1 / c.m->body_inertia[3];
  CF_NEAR(force, (c.d->efc_aref[0] - smooth) / (diagonal + c.d->efc_R[0]), 1e-6 * force);

  // sensors of the joint see it
  closeCase(c);
  mjModel* m = cf_compileText(
      "<mujoco><option gravity='0 0 0'/><worldbody><body><joint name='j' type='ball' range='0 30'/>"
      "<geom size='0.1' mass='1'/></body></worldbody><sensor><jointlimitfrc joint='j'/><jointlimitpos joint='j'/>"
      "</sensor></mujoco>");
  mjData* d = mj_makeData(m);
  mju_axisAngle2Quat(d->qpos, X, degrees(60));
  mj_forward(m, d);
  CF_NEAR(d->sensordata[0], force, 1e-9 * force);
  CF_NEAR(d->sensordata[1], degrees(-30), 1e-12);
  mj_deleteData(d);
  mj_deleteModel(m);
}


CF_TEST(T14_ballLimit__cone_of_no_size__locks_the_joint) {
  checkRow("limited='true' range='0 0'", Y, 20, -20, (const mjtNum[3]){0, -1, 0}, 1e-10);
  CF_TRUE(settle("limited='true' range='0 0'", Y, 20, 0, 200) < 5);
}


CF_TEST(T15_ballLimit__near_half_a_turn__still_holds) {
  checkRow("range='0 170'", X, 175, -5, (const mjtNum[3]){-1, 0, 0}, 1e-10);
  CF_TRUE(settle("range='0 170'", X, 175, 0, 200) < 173);
}


CF_TEST(T16_ballLimit__small_violation__precise) {
  checkRow("range='0 45'", Z, 45.5, -0.5, (const mjtNum[3]){0, 0, -1}, 1e-12);
}


// distance, Jacobian and force with qpos multiplied by a factor
static void rowOfScaled(mjtNum factor, mjtNum row[5]) {
  Case c = openBall("range='0 45'");
  rotate(c, 0, X, 60);
  mju_scl(c.d->qpos, c.d->qpos, factor, 4);
  mj_forward(c.m, c.d);
  CF_EQ_INT(c.d->nefc, 1);
  row[0] = c.d->efc_pos[0];
  mju_copy3(row + 1, c.d->efc_J);
  row[4] = c.d->efc_force[0];
  closeCase(c);
}


CF_TEST(T17_T20_ballLimit__negative_or_unnormalized_quaternion__same_row) {
  mjtNum plain[5], negative[5], scaled[5];
  rowOfScaled(1, plain);
  rowOfScaled(-1, negative);
  rowOfScaled(1.05, scaled);
  CF_NEAR_ARRAY(negative, plain, 5, 1e-9);
  CF_NEAR_ARRAY(scaled, plain, 5, 1e-9);
}


CF_TEST(T18_ballLimit__two_violations__two_rows) {
  Case c =
      openChain("<joint type='ball' range='0 30'/>", "<joint type='ball' range='0 45'/>", NULL);
  rotate(c, 0, X, 50);
  rotate(c, 1, Y, 60);
  mj_forward(c.m, c.d);
  CF_EQ_INT(limitRows(c.d), 2);
  const mjtNum J[12] = {-1, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, 0};
  CF_NEAR_ARRAY(c.d->efc_J, J, 12, 1e-12);
  CF_NEAR(c.d->efc_pos[0], degrees(-20), 1e-12);
  CF_NEAR(c.d->efc_pos[1], degrees(-15), 1e-12);
  closeCase(c);
}


CF_TEST(T19_ballLimit__direction_of_velocity__sign_of_efc_vel) {
  for (int sign = -1; sign <= 1; sign += 2) {
    Case c = openBall("range='0 45'");
    rotate(c, 0, X, 60);
    c.d->qvel[0] = 2 * sign;
    mj_forward(c.m, c.d);
    CF_NEAR(c.d->efc_vel[0], -2 * sign, 1e-12);
    closeCase(c);
  }
}


CF_TEST(T22_ballLimit__margin__activates_before_the_limit) {
  CF_EQ_INT(rowsAt("range='0 45'", X, 44.5), 0);
  CF_EQ_INT(rowsAt("range='0 45'", X, 45.5), 1);
  CF_EQ_INT(rowsAt("range='0 45' margin='0.02'", X, 44.5), 1);
  CF_EQ_INT(rowsAt("range='0 45' margin='0.005'", X, 44.5), 0);
}

CF_TEST_MAIN("constraint/ball_limit")
