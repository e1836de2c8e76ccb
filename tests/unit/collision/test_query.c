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
