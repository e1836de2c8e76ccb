// What document 004 promises of the pipeline, each against its own formula; tests/criteria.txt
// numbers them.
#include <math.h>
#include <string.h>

#include <mujoco/mujoco.h>

#include "cf_test.h"
#include "cf_text.h"

typedef struct {
  mjModel* m;
  mjData* d;
} Rig;


static Rig openRig(const char* xml) {
  mjModel* m = cf_compileText(xml);
  return (Rig){m, mj_makeData(m)};
}


static void closeRig(Rig r) {
  mj_deleteData(r.d);
  mj_deleteModel(r.m);
}


static int idOf(Rig r, int type, const char* name) {
  const int id = mj_name2id(r.m, type, name);
  CF_TRUE(id >= 0);
  return id;
}

// ---------------------------------------- position and velocity

// a free body that carries a slide, that carries a hinge, that carries a ball
static const char chain[] =
    "<mujoco><worldbody><body name='free' pos='1 2 3'><freejoint/><geom size='.1'/>"
    "<body name='slide' pos='.3 0 0' euler='0 0 90'><joint name='s' type='slide' axis='0 1 0'/><geom size='.1'/>"
    "<body name='hinge' pos='0 .2 0'><joint name='h' axis='0 0 1' pos='.1 0 0'/><geom size='.1' pos='.2 0 .1'/>"
    "<body name='ball' pos='0 0 .4'><joint type='ball'/><geom type='box' size='.1 .2 .3' pos='.1 0 0'/>"
    "</body></body></body></body></worldbody></mujoco>";


static Rig openChain(void) {
  Rig r = openRig(chain);
  const mjtNum free[7] = {0.5, -0.2, 0.7, 0.8, 0, 0.6, 0}, axis[3] = {0.6, 0, 0.8};
  mju_copy(r.d->qpos, free, 7);
  r.d->qpos[7] = 0.25;
  r.d->qpos[8] = 0.9;
  mju_axisAngle2Quat(r.d->qpos + 9, axis, 1.2);
  for (int i = 0; i < r.m->nv; i++) {
    r.d->qvel[i] = 0.7 * sin(3 * i + 1);
  }
  mj_forward(r.m, r.d);
  return r;
}


static mjtNum* frame(Rig r, const char* body) {
  return r.d->xquat + 4 * idOf(r, mjOBJ_BODY, body);
}


static mjtNum* origin(Rig r, const char* body) {
  return r.d->xpos + 3 * idOf(r, mjOBJ_BODY, body);
}


// pos = parent's pos + parent's rotation * offset; quat = parent's * turn
static void expectFrame(Rig r, const char* body, const char* parent, const mjtNum offset[3],
                        const mjtNum turn[4]) {
  mjtNum pos[3], quat[4];
  mju_rotVecQuat(pos, offset, frame(r, parent));
  mju_addTo3(pos, origin(r, parent));
  mju_mulQuat(quat, frame(r, parent), turn);
  CF_NEAR_ARRAY(origin(r, body), pos, 3, 1e-14);
  CF_NEAR_ARRAY(frame(r, body), quat, 4, 1e-14);
}


CF_TEST(kinematics__joint_of_each_type__frame_of_its_formula) {
  Rig r = openChain();
  CF_NEAR_ARRAY(origin(r, "free"), r.d->qpos, 3, 0);
  CF_NEAR_ARRAY(frame(r, "free"), r.d->qpos + 3, 4, 1e-15);

  // a quarter turn takes the slide's axis to -x of the parent
  const mjtNum quarter[4] = {sqrt(0.5), 0, 0, sqrt(0.5)};
  expectFrame(r, "slide", "free", (mjtNum[3]){0.3 - 0.25, 0, 0}, quarter);

  // the hinge turns about a point beside the origin, which moves therefore
  const mjtNum c = cos(0.9), s = sin(0.9);
  expectFrame(r, "hinge", "slide", (mjtNum[3]){0.1 - 0.1 * c, 0.2 - 0.1 * s, 0},
              (mjtNum[4]){cos(0.45), 0, 0, sin(0.45)});
  expectFrame(r, "ball", "hinge", (mjtNum[3]){0, 0, 0.4}, r.d->qpos + 9);
  closeRig(r);
}


// v = v of the parent + omega of the parent x lever + what the joint adds; the lever makes the
// Coriolis terms
CF_TEST(velocity__chain_of_all_joints__propagates_with_the_lever) {
  Rig r = openChain();
  const char* const names[] = {"free", "slide", "hinge", "ball"};
  mjtNum v[4][6];
  for (int k = 0; k < 4; k++) {
    mj_objectVelocity(r.m, r.d, mjOBJ_XBODY, idOf(r, mjOBJ_BODY, names[k]), v[k], 0);
  }
  mjtNum spin[3], axis[3], lever[3], swing[3], expected[3];
  mju_rotVecQuat(spin, r.d->qvel + 3, frame(r, "free"));
  CF_NEAR_ARRAY(v[0], spin, 3, 1e-14);
  CF_NEAR_ARRAY(v[0] + 3, r.d->qvel, 3, 1e-14);

  // slide
  mju_rotVecQuat(axis, (mjtNum[3]){0, 1, 0}, frame(r, "slide"));
  mju_sub3(lever, origin(r, "slide"), origin(r, "free"));
  mju_cross(swing, v[0], lever);
  mju_add3(expected, v[0] + 3, swing);
  mju_addToScl3(expected, axis, r.d->qvel[6]);
  CF_NEAR_ARRAY(v[1], v[0], 3, 1e-14);
  CF_NEAR_ARRAY(v[1] + 3, expected, 3, 1e-14);

  // hinge: the origin goes round the anchor
  const int hinge = idOf(r, mjOBJ_JOINT, "h");
  mju_scl3(spin, r.d->xaxis + 3 * hinge, r.d->qvel[7]);
  mju_add3(expected, v[1], spin);
  CF_NEAR_ARRAY(v[2], expected, 3, 1e-14);
  mju_sub3(lever, r.d->xanchor + 3 * hinge, origin(r, "slide"));
  mju_cross(swing, v[1], lever);
  mju_add3(expected, v[1] + 3, swing);
  mju_sub3(lever, origin(r, "hinge"), r.d->xanchor + 3 * hinge);
  mju_cross(swing, v[2], lever);
  mju_addTo3(expected, swing);
  CF_NEAR_ARRAY(v[2] + 3, expected, 3, 1e-14);

  // ball
  mju_rotVecQuat(spin, r.d->qvel + 8, frame(r, "ball"));
  mju_add3(expected, v[2], spin);
  CF_NEAR_ARRAY(v[3], expected, 3, 1e-14);
  closeRig(r);
}

// ---------------------------------------- actuators

static const char transmissions[] =
    "<mujoco><worldbody><body pos='0 0 1'><joint name='a' axis='0 1 0'/><joint name='b' type='slide' axis='1 0 0'/>"
    "<geom size='.1' pos='.2 0 0'/><site name='tip' pos='.3 .1 0' euler='10 20 30'/><site name='plain' pos='.3 .1 0'/></body>"
    "<body pos='1 0 .09'><freejoint/><geom name='pad' size='.1'/><site name='ref' pos='0 0 .2'/></body>"
    "<geom type='plane' size='2 2 1'/></worldbody>"
    "<tendon><fixed name='t'><joint joint='a' coef='2'/><joint joint='b' coef='-3'/></fixed></tendon>"
    "<actuator><motor joint='a' gear='5'/><motor tendon='t' gear='-2'/>"
    "<motor site='tip' gear='1 2 3 .1 .2 .3'/><motor site='plain' refsite='ref' gear='1 0 2 0 0 .5'/>"
    "<adhesion body='%s' gain='7' ctrlrange='0 1'/></actuator></mujoco>";


CF_TEST(actuator__transmission_of_each_kind__length_velocity_and_force) {
  char xml[2000];
  snprintf(xml, sizeof(xml), transmissions, "world");
  Rig r = openRig(xml);
  r.d->qpos[0] = 0.4;
  r.d->qpos[1] = 0.1;
  for (int i = 0; i < r.m->nv; i++) {
    r.d->qvel[i] = 0.5 * cos(2 * i);
  }
  mj_forward(r.m, r.d);
  const mjtNum* v = r.d->qvel;
  CF_NEAR(r.d->actuator_length[0], 5 * 0.4, 1e-15);
  CF_NEAR(r.d->actuator_velocity[0], 5 * v[0], 1e-15);
  CF_NEAR(r.d->actuator_length[1], -2 * (2 * 0.4 - 3 * 0.1), 1e-15);
  CF_NEAR(r.d->actuator_velocity[1], -2 * (2 * v[0] - 3 * v[1]), 1e-15);

  // a site: gear times the velocity of the site in its own axes; no length
  mjtNum local[6];
  mj_objectVelocity(r.m, r.d, mjOBJ_SITE, idOf(r, mjOBJ_SITE, "tip"), local, 1);
  CF_NEAR(r.d->actuator_length[2], 0, 0);
  CF_NEAR(r.d->actuator_velocity[2],
          mju_dot3((mjtNum[3]){1, 2, 3}, local + 3) + mju_dot3((mjtNum[3]){0.1, 0.2, 0.3}, local),
          1e-14);

  // with a reference site the length is the gear times the pose seen from it
  mjtNum away[3];
  const int tip = idOf(r, mjOBJ_SITE, "plain"), ref = idOf(r, mjOBJ_SITE, "ref");
  mju_sub3(away, r.d->site_xpos + 3 * tip, r.d->site_xpos + 3 * ref);
  mju_mulMatTVec3(away, r.d->site_xmat + 9 * ref, away);
  mjtNum quat[2][4], turned[4], turn[3];
  mju_mat2Quat(quat[0], r.d->site_xmat + 9 * tip);
  mju_mat2Quat(quat[1], r.d->site_xmat + 9 * ref);
  mju_negQuat(turned, quat[1]);
  mju_mulQuat(turned, turned, quat[0]);
  mju_quat2Vel(turn, turned, 1);
  CF_NEAR(r.d->actuator_length[3], away[0] + 2 * away[2] + 0.5 * turn[2], 1e-13);

  // adhesion of the world: minus the mean of the normals of its contacts
  CF_EQ_INT(r.d->ncon, 1);
  CF_NEAR(fabs(r.d->actuator_velocity[4]), fabs(v[4]), 1e-14);

  // power of each force is that at its actuator
  for (int i = 0; i < r.m->nu; i++) {
    mju_zero(r.d->ctrl, (int)r.m->nu);
    r.d->ctrl[i] = 1;
    mj_fwdActuation(r.m, r.d);
    CF_TRUE(r.d->actuator_force[i] != 0);
    CF_NEAR(mju_dot(r.d->qfrc_actuator, v, (int)r.m->nv),
            r.d->actuator_force[i] * r.d->actuator_velocity[i], 1e-13);
  }
  closeRig(r);
}


// one slide with an actuator of the given attributes
static Rig openDriven(const char* actuator) {
  char xml[2000];
  snprintf(
      xml, sizeof(xml),
      "<mujoco><option timestep='.004' gravity='0 0 0'/><worldbody><body><joint name='j' type='slide' range='-1 1'/>"
      "<geom size='.1' mass='2'/></body></worldbody><actuator>%s</actuator></mujoco>",
      actuator);
  return openRig(xml);
}


CF_TEST(activation__each_dynamics__rate_and_next_value_of_its_formula) {
  static const struct {
    const char* attributes;
    mjtNum rate, gain;  // at act = 0.3, ctrl = 0.8; change of act = gain * rate
  } cases[] = {
      {"dyntype='integrator'", 0.8, 0.004},
      {"dyntype='filter' dynprm='.05'", (0.8 - 0.3) / 0.05, 0.004},
      {"dyntype='filterexact' dynprm='.05'", (0.8 - 0.3) / 0.05, 0.05 * 0.0768836536133642},
      {"dyntype='integrator' ctrlrange='-.5 .5' ctrllimited='true'", 0.5, 0.004},
  };
  CF_NEAR(1 - exp(-0.004 / 0.05), 0.0768836536133642, 1e-15);
  for (int k = 0; k < 4; k++) {
    char actuator[400];
    snprintf(actuator, sizeof(actuator), "<general joint='j' gainprm='3' %s/>",
             cases[k].attributes);
    Rig r = openDriven(actuator);
    r.d->act[0] = 0.3;
    r.d->ctrl[0] = 0.8;
    mj_step(r.m, r.d);
    CF_NEAR(r.d->act_dot[0], cases[k].rate, 1e-14);

    // the force is that of the activation before the step
    CF_NEAR(r.d->actuator_force[0], 3 * 0.3, 1e-15);
    CF_NEAR(r.d->act[0], 0.3 + cases[k].gain * cases[k].rate, 1e-15);
    closeRig(r);
  }
}


CF_TEST(muscle__activation__time_constants_grow_and_shrink_with_it) {
  const mjtNum sharp[3] = {0.01, 0.04, 0}, smooth[3] = {0.01, 0.04, 0.2}, act = 0.6;
  const mjtNum up = 0.01 * (0.5 + 1.5 * act), down = 0.04 / (0.5 + 1.5 * act);
  CF_NEAR(mju_muscleDynamics(0.9, act, sharp), 0.3 / up, 1e-12);
  CF_NEAR(mju_muscleDynamics(0.1, act, sharp), -0.5 / down, 1e-12);
  CF_NEAR(mju_muscleDynamics(7, act, sharp), 0.4 / up, 1e-12);
  const mjtNum x = 0.05 / 0.2 + 0.5, blend = x * x * x * (6 * x * x - 15 * x + 10);
  CF_NEAR(mju_muscleDynamics(0.65, act, smooth), 0.05 / (down + (up - down) * blend), 1e-12);
}


CF_TEST(muscle__curves__values_at_their_joints) {
  // range 0 to 1 over a length range of the same: norm_len is the length
  const mjtNum prm[9] = {0, 1, 1, 200, 0.5, 1.6, 1.5, 1.3, 1.2}, range[2] = {0, 1};
  CF_NEAR(mju_muscleGain(1, 0, range, 1, prm), -1, 1e-15);
  CF_NEAR(mju_muscleGain(0.5, 0, range, 1, prm), 0, 1e-15);
  CF_NEAR(mju_muscleGain(1.6, 0, range, 1, prm), 0, 1e-15);
  CF_NEAR(mju_muscleGain(0.75, 0, range, 1, prm), -0.5, 1e-15);
  CF_NEAR(mju_muscleGain(1.3, 0, range, 1, prm), -0.5, 1e-15);
  CF_NEAR(mju_muscleGain(1, -1.5, range, 1, prm), 0, 1e-15);
  CF_NEAR(mju_muscleGain(1, -0.75, range, 1, prm), -0.25, 1e-15);
  CF_NEAR(mju_muscleGain(1, 9, range, 1, prm), -1.2, 1e-15);
  CF_NEAR(mju_muscleBias(0.9, range, 1, prm), 0, 0);
  CF_NEAR(mju_muscleBias(1.3, range, 1, prm), -0.5 * 1.3, 1e-15);
  CF_NEAR(mju_muscleBias(1.6, range, 1, prm), -1.3 * (0.5 + 1), 1e-14);

  // a negative peak is scale over the acceleration of a unit force
  mjtNum automatic[9];
  mju_copy(automatic, prm, 9);
  automatic[2] = -1;
  CF_NEAR(mju_muscleGain(1, 0, range, 4, automatic), -200.0 / 4, 1e-13);
}


// gear 3 on a slide of mass 2: a unit of force accelerates by 3/2; range of lengths is the joint's
// times the gear
CF_TEST(muscle__constants_of_the_compiler__acceleration_and_range_of_lengths) {
  Rig r = openDriven("<muscle joint='j' gear='3' scale='300'/>");
  CF_NEAR(r.m->actuator_acc0[0], 1.5, 1e-14);

  // the ends are where the joint rests when it is pulled, a little beyond its soft limits
  CF_NEAR(r.m->actuator_lengthrange[0], -3, 0.005);
  CF_NEAR(r.m->actuator_lengthrange[1], 3, 0.005);
  r.d->act[0] = 0.5;
  mj_forward(r.m, r.d);

  // at the middle of the range: 0.75 + 0.5 * (1.05 - 0.75) = 0.9
  const mjtNum gain = mju_muscleGain(0, 0, r.m->actuator_lengthrange, 1.5, r.m->actuator_gainprm);
  CF_NEAR(r.d->actuator_force[0], 0.5 * gain, 1e-12);
  CF_TRUE(gain < -100 && gain >= -200);
  closeRig(r);
}


CF_TEST(actuator__affine_gain_and_bias__force_within_its_range) {
  Rig r = openDriven(
      "<general joint='j' gear='2' gaintype='affine' gainprm='1 2 3' biastype='affine' biasprm='4 5 6' "
      "ctrlrange='-1 1' forcerange='-40 30'/>");
  r.d->qpos[0] = 0.25;
  r.d->qvel[0] = -0.5;
  const mjtNum length = 0.5, velocity = -1;
  for (int k = -3; k <= 3; k++) {
    r.d->ctrl[0] = k * 0.5;
    mj_forward(r.m, r.d);
    const mjtNum ctrl = mju_clip(k * 0.5, -1, 1);
    const mjtNum force = (1 + 2 * length + 3 * velocity) * ctrl + 4 + 5 * length + 6 * velocity;
    CF_NEAR(r.d->actuator_force[0], force, 1e-14);
    CF_NEAR(r.d->qfrc_actuator[0], 2 * force, 1e-14);
  }
  r.m->actuator_biasprm[0] = 1000;
  mj_forward(r.m, r.d);
  CF_NEAR(r.d->actuator_force[0], 30, 0);
  closeRig(r);
}

// ---------------------------------------- dynamics

// gravity: torque of what hangs on a joint; gyroscopic: omega x (I omega)
CF_TEST(bias__at_rest_and_spinning__weight_of_the_subtree_and_gyroscopic_torque) {
  Rig r = openChain();
  mju_zero(r.d->qvel, (int)r.m->nv);
  mj_forward(r.m, r.d);
  const int hinge = idOf(r, mjOBJ_JOINT, "h"), body = idOf(r, mjOBJ_BODY, "hinge");
  mjtNum weight[3] = {0, 0, 9.81 * r.m->body_subtreemass[body]}, lever[3], torque[3];
  mju_sub3(lever, r.d->subtree_com + 3 * body, r.d->xanchor + 3 * hinge);
  mju_cross(torque, lever, weight);
  CF_NEAR(r.d->qfrc_bias[7], mju_dot3(torque, r.d->xaxis + 3 * hinge), 1e-11);
  CF_NEAR(r.d->qfrc_bias[2], 9.81 * r.m->body_subtreemass[1], 1e-10);
  closeRig(r);

  r = openRig(
      "<mujoco><option gravity='0 0 0'/><worldbody><body><freejoint/><geom type='box' size='.1 .2 .3'/></body>"
      "</worldbody></mujoco>");
  const mjtNum omega[3] = {1, -2, 0.5};
  mju_copy3(r.d->qvel + 3, omega);
  mj_forward(r.m, r.d);
  mjtNum momentum[3], gyro[3];
  mju_rotVecQuat(momentum, omega, r.m->body_iquat + 4);
  for (int k = 0; k < 3; k++) {
    momentum[k] = omega[k] * 1000 * 8 * 0.1 * 0.2 * 0.3 / 3 *
                  (0.01 * ((k != 0) + 4 * (k != 1) + 9 * (k != 2)));
  }
  mju_cross(gyro, omega, momentum);
  CF_NEAR_ARRAY(r.d->qfrc_bias + 3, gyro, 3, 1e-12);
  closeRig(r);
}


CF_TEST(passive__springs_and_dampers_of_joints_and_tendons__with_a_dead_band) {
  Rig r = openRig(
      "<mujoco><worldbody><body><joint name='j' type='slide' stiffness='20' springref='.1' damping='3'/>"
      "<geom size='.1'/></body><body pos='1 0 0'><joint name='k' type='slide'/><geom size='.1'/></body></worldbody>"
      "<tendon><fixed stiffness='50' damping='4' springlength='.2 .4'><joint joint='k' coef='2'/></fixed></tendon>"
      "</mujoco>");
  const mjtNum position[3] = {0.05, 0.15, 0.3}, stretch[3] = {0.2 - 0.1, 0, 0.4 - 0.6};
  for (int k = 0; k < 3; k++) {
    r.d->qpos[0] = r.d->qpos[1] = position[k];
    r.d->qvel[0] = r.d->qvel[1] = 0.5;
    mj_forward(r.m, r.d);
    CF_NEAR(r.d->qfrc_passive[0], -20 * (position[k] - 0.1) - 3 * 0.5, 1e-13);
    CF_NEAR(r.d->qfrc_passive[1], 2 * (50 * stretch[k] - 4 * 2 * 0.5), 1e-13);
  }
  closeRig(r);
}


CF_TEST(acceleration__smooth_forces__inertia_times_it_is_their_sum) {
  Rig r = openChain();
  for (int i = 0; i < r.m->nv; i++) {
    r.d->qfrc_applied[i] = sin(5 * i);
  }
  mj_forward(r.m, r.d);
  mjtNum product[20], sum[20];
  mj_mulM(r.m, r.d, product, r.d->qacc_smooth);
  for (int i = 0; i < r.m->nv; i++) {
    sum[i] =
        r.d->qfrc_applied[i] + r.d->qfrc_actuator[i] + r.d->qfrc_passive[i] - r.d->qfrc_bias[i];
  }
  CF_NEAR_ARRAY(product, sum, (int)r.m->nv, 1e-10);
  closeRig(r);
}

// ---------------------------------------- integration

// velocities first, then positions with the new ones; quaternions by the exponential map
CF_TEST(euler__joint_of_each_type__new_position_of_the_new_velocity) {
  Rig r = openChain();
  r.m->opt.timestep = 0.01;
  mjtNum start[20], vel[20], quat[4], spin[4];
  mju_copy(start, r.d->qpos, (int)r.m->nq);
  mj_forward(r.m, r.d);
  for (int i = 0; i < r.m->nv; i++) {
    vel[i] = r.d->qvel[i] + 0.01 * r.d->qacc[i];
  }
  mj_step(r.m, r.d);
  CF_NEAR_ARRAY(r.d->qvel, vel, (int)r.m->nv, 1e-13);
  for (int k = 0; k < 3; k++) {
    CF_NEAR(r.d->qpos[k], start[k] + 0.01 * vel[k], 1e-14);
  }
  CF_NEAR(r.d->qpos[7], start[7] + 0.01 * vel[6], 1e-14);
  CF_NEAR(r.d->qpos[8], start[8] + 0.01 * vel[7], 1e-14);
  for (int ball = 0; ball < 2; ball++) {
    const int q = ball ? 9 : 3, dof = ball ? 8 : 3;
    mjtNum axis[3];
    const mjtNum angle = 0.01 * mju_norm3(vel + dof);
    mju_copy3(axis, vel + dof);
    mju_normalize3(axis);
    mju_axisAngle2Quat(spin, axis, angle);
    mju_mulQuat(quat, start + q, spin);
    CF_NEAR_ARRAY(r.d->qpos + q, quat, 4, 1e-13);
    CF_NEAR(mju_norm(r.d->qpos + q, 4), 1, 1e-15);
  }
  closeRig(r);
}


// a linear system with its filter: one step of order four is the Taylor polynomial of the
// exponential
CF_TEST(rungeKutta__oscillator_with_activation__taylor_polynomial_of_order_four) {
  Rig r = openRig(
      "<mujoco><option timestep='.05' integrator='RK4' gravity='0 0 0'/><worldbody><body>"
      "<joint name='j' type='slide' stiffness='8' damping='.6'/><geom size='.1' mass='2'/></body></worldbody>"
      "<actuator><general joint='j' dyntype='filter' dynprm='.3' gainprm='5'/></actuator></mujoco>");
  mjtNum x[3] = {0.2, -0.4, 0.7}, sum[3], term[3];
  r.d->qpos[0] = x[0];
  r.d->qvel[0] = x[1];
  r.d->act[0] = x[2];
  const mjtNum rate[9] = {0, 1, 0, -4, -0.3, 2.5, 0, 0, -1 / 0.3};
  mju_copy3(sum, x);
  mju_copy3(term, x);
  for (int k = 1; k <= 4; k++) {
    mju_mulMatVec3(term, rate, term);
    mju_scl3(term, term, 0.05 / k);
    mju_addTo3(sum, term);
  }
  mj_step(r.m, r.d);
  CF_NEAR(r.d->qpos[0], sum[0], 1e-14);
  CF_NEAR(r.d->qvel[0], sum[1], 1e-14);
  CF_NEAR(r.d->act[0], sum[2], 1e-14);
  closeRig(r);
}


// the document clamps every muscle; MuJoCo 3.5.0 clamps where actrange says so
CF_TEST(muscle__step_with_a_range__activation_stays_between_zero_and_one) {
  Rig r = openDriven(
      "<general joint='j' dyntype='muscle' dynprm='.0005 .0005' actrange='0 1' actlimited='true'/>");
  for (int up = 0; up < 2; up++) {
    r.d->act[0] = up ? 0.99 : 0.01;
    r.d->ctrl[0] = up;
    mj_step(r.m, r.d);
    CF_NEAR(r.d->act[0], up, 0);
  }
  closeRig(r);
}

CF_TEST_MAIN("pipeline/architecture")
