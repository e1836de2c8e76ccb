// mj_geomDistance and mj_contactForce.
#include "collidetest.h"

CF_TEST(geomDistance__balls_apart_near_and_overlapping__signed_distance_and_points) {
  cfScene s = cf_sceneFromText(
      "<mujoco><worldbody><body><freejoint/><geom size=\".1\"/></body><body pos=\"1 0 "
      "0\"><freejoint/>"
      "<geom size=\".2\"/></body><body pos=\"1.3 0 0\"><freejoint/><geom "
      "size=\".15\"/></body></worldbody></mujoco>");
  mjtNum fromto[6];
  CF_NEAR(mj_geomDistance(s.m, s.d, 0, 1, 10, fromto), 0.7, 1e-14);
  const mjtNum expected[6] = {0.1, 0, 0, 0.8, 0, 0};
  CF_NEAR_ARRAY(fromto, expected, 6, 1e-14);
  CF_NEAR(mj_geomDistance(s.m, s.d, 1, 2, 10, NULL), -0.05, 1e-14);

  // farther than the limit: the limit, and no points
  CF_NEAR(mj_geomDistance(s.m, s.d, 0, 1, 0.5, fromto), 0.5, 0);
  for (int k = 0; k < 6; k++) {
    CF_NEAR(fromto[k], 0, 0);
  }
  cf_freeScene(s);
}


CF_TEST(geomDistance__geoms_swapped__points_swapped) {
  cfScene s = cf_sceneFromText(
      "<mujoco><worldbody><body><freejoint/><geom type=\"box\" size=\".1 .2 .3\"/></body><body "
      "pos=\"1 .1 .2\"><freejoint/>"
      "<geom size=\".2\"/></body></worldbody></mujoco>");
  mjtNum forward[6], backward[6];
  const mjtNum distance = mj_geomDistance(s.m, s.d, 0, 1, 10, forward);
  CF_NEAR(mj_geomDistance(s.m, s.d, 1, 0, 10, backward), distance, 0);
  CF_NEAR(distance, 0.7, 1e-14);
  CF_NEAR_ARRAY(forward, backward + 3, 3, 1e-15);
  CF_NEAR_ARRAY(forward + 3, backward, 3, 1e-15);
  CF_NEAR(forward[0], 0.1, 1e-14);
  cf_freeScene(s);
}


CF_TEST(geomDistance__pair_without_collider__the_limit) {
  cfScene s = cf_sceneFromText(
      "<mujoco><worldbody><geom type=\"plane\" size=\"1 1 1\"/><geom type=\"plane\" size=\"1 1 "
      "1\"/></worldbody></mujoco>");
  CF_NEAR(mj_geomDistance(s.m, s.d, 0, 1, 3, NULL), 3, 0);
  cf_freeScene(s);
}


// two bodies of all convex types; distance, normal and segment between them, near and far cutoffs
static const char two_clusters[] =
    "<mujoco><asset><mesh name=\"m\" vertex=\"0 0 0 .2 0 0 0 .3 0 0 0 .1 .2 .2 .2\"/></asset>"
    "<worldbody><body name=\"a\"><freejoint/><geom size=\".1\" pos=\".3 0 0\"/>"
    "<geom type=\"box\" size=\".1 .05 .2\" pos=\"-.3 0 .1\"/>"
    "<geom type=\"ellipsoid\" size=\".1 .05 .2\" pos=\"0 .4 0\"/>"
    "<geom type=\"mesh\" mesh=\"m\" pos=\"0 -.4 0\"/></body>"
    "<body name=\"b\"><freejoint/><geom type=\"capsule\" size=\".1 .2\" pos=\".3 0 0\"/>"
    "<geom type=\"cylinder\" size=\".1 .05\" pos=\"-.3 0 .1\"/>"
    "<geom type=\"box\" size=\".1 .05 .2\" pos=\"0 .4 0\"/>"
    "<geom type=\"mesh\" mesh=\"m\" pos=\"0 -.4 0\"/></body></worldbody><sensor>"
    "<distance body1=\"a\" body2=\"b\" cutoff=\"5\"/><normal body1=\"a\" body2=\"b\" cutoff=\"5\"/>"
    "<fromto body1=\"a\" body2=\"b\" cutoff=\"5\"/><distance body1=\"a\" body2=\"b\" "
    "cutoff=\".2\"/>"
    "<fromto body1=\"b\" body2=\"a\" cutoff=\".2\"/><distance body1=\"a\" "
    "body2=\"b\"/></sensor></mujoco>";

// the nearest of all pairs, each measured alone
static mjtNum bruteNearest(const mjModel* m, const mjData* d, int body1, int body2, mjtNum cutoff,
                           mjtNum segment[6]) {
  mjtNum nearest = cutoff;
  mju_zero(segment, 6);
  for (int i = 0; i < m->body_geomnum[body1]; i++) {
    for (int j = 0; j < m->body_geomnum[body2]; j++) {
      mjtNum fromto[6];
      const mjtNum dist = mj_geomDistance(m, d, m->body_geomadr[body1] + i,
                                          m->body_geomadr[body2] + j, cutoff, fromto);
      if (dist < nearest) {
        nearest = dist;
        mju_copy(segment, fromto, 6);
      }
    }
  }
  return nearest;
}


CF_TEST(distance_sensors__random_clusters__nearest_of_all_pairs) {
  cfScene s = cf_sceneFromText(two_clusters);
  for (int trial = 0; trial < 2000; trial++) {
    for (int k = 0; k < 14; k++) {
      s.d->qpos[k] = cf_uniform(-1, 1);
    }
    mj_normalizeQuat(s.m, s.d->qpos);
    mj_kinematics(s.m, s.d);
    mj_sensorPos(s.m, s.d);
    mjtNum segment[6], normal[3];
    CF_NEAR(s.d->sensordata[0], bruteNearest(s.m, s.d, 1, 2, 5, segment), 0);
    CF_NEAR_ARRAY(s.d->sensordata + 4, segment, 6, 0);
    mju_sub3(normal, segment + 3, segment);
    mju_normalize3(normal);
    CF_NEAR_ARRAY(s.d->sensordata + 1, normal, 3, 1e-15);
    CF_NEAR(s.d->sensordata[10], mju_max(-.2, bruteNearest(s.m, s.d, 1, 2, .2, segment)), 0);
    bruteNearest(s.m, s.d, 2, 1, .2, segment);
    CF_NEAR_ARRAY(s.d->sensordata + 11, segment, 6, 0);
    CF_NEAR(s.d->sensordata[17], bruteNearest(s.m, s.d, 1, 2, 0, segment), 0);
  }
  cf_freeScene(s);
}


// a contact with made-up forces
static cfScene pressedBall(int cone) {
  char text[1000];
  snprintf(text, sizeof(text),
           "<mujoco><option cone=\"%s\"/><worldbody><geom type=\"plane\" size=\"1 1 1\"/><body "
           "pos=\"0 0 .099\"><freejoint/>"
           "<geom size=\".1\" condim=\"3\"/></body></worldbody></mujoco>",
           cone == mjCONE_ELLIPTIC ? "elliptic" : "pyramidal");
  return cf_sceneFromText(text);
}


CF_TEST(contactForce__elliptic__rows_as_they_are) {
  cfScene s = pressedBall(mjCONE_ELLIPTIC);
  mjtNum force[3] = {5, 1, -2}, result[6], expected[6] = {5, 1, -2, 0, 0, 0};
  CF_EQ_INT(s.d->ncon, 1);
  s.d->contact->efc_address = 0;
  s.d->efc_force = force;
  mj_contactForce(s.m, s.d, 0, result);
  CF_NEAR_ARRAY(result, expected, 6, 0);
  s.d->efc_force = NULL;
  cf_freeScene(s);
}


CF_TEST(contactForce__pyramidal__edges_decoded) {
  cfScene s = pressedBall(mjCONE_PYRAMIDAL);
  mjtNum force[4] = {1, 2, 3, 5}, result[6];
  s.d->contact->efc_address = 0;
  s.d->efc_force = force;
  mj_contactForce(s.m, s.d, 0, result);
  const mjtNum* mu = s.d->contact->friction;
  const mjtNum expected[6] = {11, mu[0] * (1 - 2), mu[1] * (3 - 5), 0, 0, 0};
  CF_NEAR_ARRAY(result, expected, 6, 1e-15);
  s.d->efc_force = NULL;
  cf_freeScene(s);
}


CF_TEST(contactForce__no_such_or_inactive_contact__zero) {
  cfScene s = pressedBall(mjCONE_PYRAMIDAL);
  mjtNum result[6];
  const int ids[3] = {-1, 0, 7};
  for (int k = 0; k < 3; k++) {
    for (int i = 0; i < 6; i++) {
      result[i] = 9;
    }
    mj_contactForce(s.m, s.d, ids[k], result);
    for (int i = 0; i < 6; i++) {
      CF_NEAR(result[i], 0, 0);
    }
  }
  cf_freeScene(s);
}


CF_TEST_MAIN("collision/query")
