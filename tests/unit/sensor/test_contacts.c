// Touch and contact sensors: Newton's law, what is picked and in which order, recorded values.
#include "cf_sensor.h"
#include "cf_text.h"

#include "sensor/sensor.h"

// a block on the floor, pushed off center; it rests, so that the floor's wrench is known from the
// acceleration
static const char block[] =
    "<mujoco><option gravity='1 .5 -9'/><worldbody>"
    "<geom name='floor' type='plane' size='2 2 .1' condim='6' friction='1 .3 .2'/>"
    "<body name='block' pos='0 0 .0995'><freejoint/>"
    "<geom name='block' type='box' size='.3 .2 .1' mass='2' condim='6' friction='1 .3 .2'/>"
    "<site name='half' type='box' size='.1 .3 .2' pos='.3 0 0'/>"
    "<site name='whole' type='box' size='.4 .3 .2'/></body>"
    "<body name='cap' pos='2 2 2'><freejoint/><geom name='cap' size='.1'/></body></worldbody>"
    "<sensor>"
    "<contact name='net' body1='world' body2='block' reduce='netforce' data='found force torque pos'/>"
    "<contact name='reaction' body1='block' body2='world' reduce='netforce' data='found force torque pos'/>"
    "<contact name='each' geom1='floor' geom2='block' num='4' data='found force torque dist pos normal tangent'/>"
    "<contact name='flipped' geom1='block' geom2='floor' num='4' data='found force torque dist pos normal tangent'/>"
    "<contact name='nearest' geom1='block' num='3' reduce='mindist' data='dist'/>"
    "<contact name='strongest' geom1='block' num='3' reduce='maxforce' data='force'/>"
    "<contact name='spare' geom1='block' num='6' data='found'/>"
    "<contact name='absent' body1='cap' num='2' data='found force'/>"
    "<contact name='zone' site='half' num='4' data='found'/>"
    "<touch name='half' site='half'/><touch name='whole' site='whole'/></sensor></mujoco>";


static cfSensorCase openBlock(void) {
  cfSensorCase c = cf_sensorsOf(cf_compileText(block));
  const mjtNum push[6] = {0.4, -0.3, -3, 0.2, 0.3, 0.25};
  mju_copy(c.d->xfrc_applied + 6, push, 6);
  mju_axisAngle2Quat(c.d->qpos + 3, (mjtNum[3]){0.6, 0.8, 0}, 0.0005);
  mj_forward(c.m, c.d);
  CF_EQ_INT(c.d->ncon, 4);
  return c;
}


// mass times acceleration and inertia times angular acceleration, less gravity and the push, is the
// floor's wrench
CF_TEST(contact__netforce__obeys_newton_and_euler) {
  cfSensorCase c = openBlock();
  const mjtNum *net = cf_sensed(c, "net"), *qacc = c.d->qacc, *push = c.d->xfrc_applied + 6;
  mjtNum force[3], torque[3], arm[3], moment[3], alpha[3];
  CF_EQ_INT(net[0], 4);
  for (int k = 0; k < 3; k++) {
    force[k] = 2 * (qacc[k] - c.m->opt.gravity[k]) - push[k];
    alpha[k] = c.m->body_inertia[3 + k] * qacc[3 + k];
  }
  mju_rotVecQuat(torque, alpha, c.d->xquat + 4);
  mju_subFrom3(torque, push + 3);

  // the sensor's torque is about its own point
  mju_sub3(arm, net + 7, c.d->xipos + 3);
  mju_cross(moment, arm, net + 1);
  mju_addTo3(moment, net + 4);
  CF_NEAR_ARRAY(net + 1, force, 3, 1e-9);
  CF_NEAR_ARRAY(moment, torque, 3, 1e-9);
  CF_TRUE(mju_norm3(net + 4) > 0.05);
  cf_closeSensors(c);
}


// centroid of the contact points, weighted by the size of their forces
CF_TEST(contact__netforce__acts_at_the_weighted_centroid) {
  cfSensorCase c = openBlock();
  mjtNum sum[3] = {0}, total = 0;
  for (int k = 0; k < c.d->ncon; k++) {
    mjtNum force[6];
    mj_contactForce(c.m, c.d, k, force);
    mju_addToScl3(sum, c.d->contact[k].pos, mju_norm3(force));
    total += mju_norm3(force);
  }
  mju_scl3(sum, sum, 1 / total);
  CF_NEAR_ARRAY(cf_sensed(c, "net") + 7, sum, 3, 1e-12);
  cf_closeSensors(c);
}


CF_TEST(contact__netforce_of_exchanged_sides__is_the_reaction) {
  cfSensorCase c = openBlock();
  const mjtNum *net = cf_sensed(c, "net"), *reaction = cf_sensed(c, "reaction");
  for (int k = 1; k < 7; k++) {
    CF_NEAR(reaction[k], -net[k], 1e-12);
  }
  CF_NEAR_ARRAY(reaction + 7, net + 7, 3, 0);
  cf_closeSensors(c);
}


// in contact order, force in the contact's frame, axes as they are in mjData
CF_TEST(contact__no_reduction__shows_the_contacts_as_they_are) {
  cfSensorCase c = openBlock();
  for (int k = 0; k < 4; k++) {
    const mjtNum* slot = cf_sensed(c, "each") + 17 * k;
    const mjContact* con = c.d->contact + k;
    mjtNum force[6];
    mj_contactForce(c.m, c.d, k, force);
    CF_NEAR(slot[0], 4, 0);
    CF_NEAR_ARRAY(slot + 1, force, 6, 0);
    CF_NEAR(slot[7], con->dist, 0);
    CF_NEAR_ARRAY(slot + 8, con->pos, 3, 0);
    CF_NEAR_ARRAY(slot + 11, con->frame, 6, 0);
    CF_TRUE(slot[1] > 0);
  }
  cf_closeSensors(c);
}


// the other way round: normal and first tangent turn, so do force and torque along the third axis
CF_TEST(contact__flipped__turns_the_frame_by_half_a_turn) {
  cfSensorCase c = openBlock();
  const int sign[17] = {1, 1, 1, -1, 1, 1, -1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1};
  for (int i = 0; i < 4 * 17; i++) {
    CF_NEAR(cf_sensed(c, "flipped")[i], sign[i % 17] * cf_sensed(c, "each")[i], 0);
  }
  cf_closeSensors(c);
}


CF_TEST(contact__reductions__pick_in_order) {
  cfSensorCase c = openBlock();
  const mjtNum *near = cf_sensed(c, "nearest"), *strong = cf_sensed(c, "strongest");
  mjtNum least = 1, most = 0;
  for (int k = 0; k < 4; k++) {
    mjtNum force[6];
    mj_contactForce(c.m, c.d, k, force);
    least = mju_min(least, c.d->contact[k].dist);
    most = mju_max(most, mju_norm3(force));
  }
  CF_NEAR(near[0], least, 0);
  CF_TRUE(near[0] < near[1] && near[1] < near[2]);
  CF_NEAR(mju_norm3(strong), most, 1e-12);
  CF_TRUE(mju_norm3(strong) > mju_norm3(strong + 3) &&
          mju_norm3(strong + 3) > mju_norm3(strong + 6));
  cf_closeSensors(c);
}


CF_TEST(contact__more_slots_than_contacts__fills_with_zeros) {
  cfSensorCase c = openBlock();
  const mjtNum expected[6] = {4, 4, 4, 4, 0, 0}, nothing[8] = {0};
  CF_NEAR_ARRAY(cf_sensed(c, "spare"), expected, 6, 0);
  CF_NEAR_ARRAY(cf_sensed(c, "absent"), nothing, 8, 0);
  cf_closeSensors(c);
}


// the zone covers the two corners at +x: two contacts, and their normal forces
CF_TEST(touch__zone__adds_the_normal_forces_inside) {
  cfSensorCase c = openBlock();
  mjtNum half = 0, whole = 0;
  for (int k = 0; k < 4; k++) {
    mjtNum force[6];
    mj_contactForce(c.m, c.d, k, force);
    half += c.d->contact[k].pos[0] > 0 ? force[0] : 0;
    whole += force[0];
  }
  CF_NEAR_ARRAY(cf_sensed(c, "zone"), ((mjtNum[4]){2, 2, 0, 0}), 4, 0);
  CF_NEAR(cf_sensed(c, "half")[0], half, 1e-12);
  CF_NEAR(cf_sensed(c, "whole")[0], whole, 1e-12);
  CF_TRUE(half > 0.1 && whole > half + 0.1);
  cf_closeSensors(c);
}


CF_TEST(contact__field_sizes__add_up) {
  CF_EQ_INT(cfi_contactDataSize(0), 0);
  CF_EQ_INT(cfi_contactDataSize(1 << mjCONDATA_FOUND), 1);
  CF_EQ_INT(cfi_contactDataSize(1 << mjCONDATA_TORQUE | 1 << mjCONDATA_DIST), 4);
  CF_EQ_INT(cfi_contactDataSize((1 << mjNCONDATA) - 1), 17);
}


CF_TEST(contact__every_selection_and_reduction__as_recorded) {
  cf_checkRecordedSensors("contacts", 1e-8);
}


// twelve balls in a row that press on the floor and on each other
static const char row_of_balls[] =
    "<mujoco><worldbody><geom type='plane' size='5 5 .1'/><site name='floor' type='box' size='9 9 1'/>"
    "<replicate count='12' offset='.19 0 0'><body pos='0 0 .095'><freejoint/><geom size='.1'/>"
    "<site name='skin' size='.11'/></body></replicate></worldbody><sensor><touch site='skin11'/>"
    "<touch site='skin00'/><touch site='skin01'/><touch site='skin02'/><touch site='skin03'/>"
    "<touch site='skin04'/><touch site='skin05'/><touch site='floor'/><touch site='skin06'/></sensor>"
    "</mujoco>";


// with many touch sensors contacts are listed by body; a single sensor looks at all of them
CF_TEST(touch__many_sensors_and_contacts__each_as_if_it_were_alone) {
  cfSensorCase c = cf_sensorsOf(cf_compileText(row_of_balls));
  mj_forward(c.m, c.d);
  CF_TRUE(c.d->ncon >= 23 && c.m->nsensor >= 8);
  for (int i = 0; i < c.m->nsensor; i++) {
    mjtNum alone;
    cfi_computeSensor(c.m, c.d, i, &alone);
    CF_EQ_BYTES(c.d->sensordata + i, &alone, sizeof(alone));
    CF_TRUE(alone > 0);
  }
  CF_TRUE(c.d->pstack == 0);
  cf_closeSensors(c);
}


CF_TEST_MAIN("sensor/contacts")
