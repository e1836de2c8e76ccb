// Closed forms on poses whose answer is known, and against recorded contacts of MuJoCo 3.5.0.
#include "collidetest.h"

static const double pi = 3.14159265358979323846;


static int collide(mjContact* con, const cfSolid* a, const cfSolid* b, mjtNum margin) {
  return cf_closedForm(a->type, b->type)(con, cf_view(a), cf_view(b), margin);
}


CF_TEST(planeSphere__sunk__depth_and_midpoint) {
  const cfSolid plane = cf_solidAt(mjGEOM_PLANE, 0, 0, 0, 1, 1, 1);
  const cfSolid ball = cf_solidAt(mjGEOM_SPHERE, 0.3, -0.2, 0.09, 0.1, 0, 0);
  mjContact con[1];
  CF_EQ_INT(collide(con, &plane, &ball, 0), 1);
  CF_NEAR(con->dist, -0.01, 1e-15);
  const mjtNum pos[3] = {0.3, -0.2, -0.005}, normal[3] = {0, 0, 1};
  CF_NEAR_ARRAY(con->pos, pos, 3, 1e-15);
  CF_NEAR_ARRAY(con->frame, normal, 3, 0);
}


CF_TEST(planeSphere__within_margin__positive_distance) {
  const cfSolid plane = cf_solidAt(mjGEOM_PLANE, 0, 0, 0, 1, 1, 1);
  const cfSolid ball = cf_solidAt(mjGEOM_SPHERE, 0, 0, 0.15, 0.1, 0, 0);
  mjContact con[1];
  CF_EQ_INT(collide(con, &plane, &ball, 0.04), 0);
  CF_EQ_INT(collide(con, &plane, &ball, 0.06), 1);
  CF_NEAR(con->dist, 0.05, 1e-15);
}


CF_TEST(planeCapsule__lying_flat__two_contacts_of_equal_depth) {
  const cfSolid plane = cf_solidAt(mjGEOM_PLANE, 0, 0, 0, 1, 1, 1);
  cfSolid capsule = cf_solidAt(mjGEOM_CAPSULE, 0, 0, 0.09, 0.1, 0.5, 0);
  cf_turn(&capsule, 1, pi / 2);
  mjContact con[2];
  CF_EQ_INT(collide(con, &plane, &capsule, 0), 2);
  CF_NEAR(con[0].dist, -0.01, 1e-15);
  CF_NEAR(con[1].dist, con[0].dist, 1e-15);
  CF_NEAR(con[0].pos[0], +0.5, 1e-15);
  CF_NEAR(con[1].pos[0], -0.5, 1e-15);

  // the tangent hint lies along the capsule
  CF_NEAR(fabs(con[0].frame[3]), 1, 1e-15);
}


CF_TEST(planeCylinder__standing__triangle_on_the_disk) {
  const cfSolid plane = cf_solidAt(mjGEOM_PLANE, 0, 0, 0, 1, 1, 1);
  const cfSolid cylinder = cf_solidAt(mjGEOM_CYLINDER, 0, 0, 0.29, 0.2, 0.3, 0);
  mjContact con[4];
  CF_EQ_INT(collide(con, &plane, &cylinder, 0), 3);
  for (int k = 0; k < 3; k++) {
    CF_NEAR(con[k].dist, -0.01, 1e-15);
    CF_NEAR(hypot(con[k].pos[0], con[k].pos[1]), 0.2, 1e-15);
  }
}


CF_TEST(planeCylinder__lying__both_ends_touch) {
  const cfSolid plane = cf_solidAt(mjGEOM_PLANE, 0, 0, 0, 1, 1, 1);
  cfSolid cylinder = cf_solidAt(mjGEOM_CYLINDER, 0, 0, 0.19, 0.2, 0.3, 0);
  cf_turn(&cylinder, 0, pi / 2);
  mjContact con[4];
  CF_EQ_INT(collide(con, &plane, &cylinder, 0), 2);
  CF_NEAR(con[0].dist, -0.01, 1e-15);
  CF_NEAR(fabs(con[0].pos[1] - con[1].pos[1]), 0.6, 1e-14);
}


CF_TEST(planeBox__resting__four_corners_in_binary_order) {
  const cfSolid plane = cf_solidAt(mjGEOM_PLANE, 0, 0, 0, 1, 1, 1);
  const cfSolid box = cf_solidAt(mjGEOM_BOX, 0, 0, 0.29, 0.1, 0.2, 0.3);
  mjContact con[4];
  CF_EQ_INT(collide(con, &plane, &box, 0), 4);
  for (int k = 0; k < 4; k++) {
    CF_NEAR(con[k].dist, -0.01, 1e-15);
    CF_NEAR(con[k].pos[0], k & 1 ? 0.1 : -0.1, 1e-15);
    CF_NEAR(con[k].pos[1], k & 2 ? 0.2 : -0.2, 1e-15);
  }
}


CF_TEST(sphereSphere__concentric__normal_orthogonal_to_both_z_axes) {
  const cfSolid a = cf_solidAt(mjGEOM_SPHERE, 0, 0, 0, 0.1, 0, 0);
  cfSolid b = a;
  cf_turn(&b, 0, 1);
  mjContact con[1];
  CF_EQ_INT(collide(con, &a, &b, 0), 1);
  CF_NEAR(con->dist, -0.2, 1e-15);
  CF_NEAR(fabs(con->frame[0]), 1, 1e-15);

  // parallel axes leave nothing to choose from
  CF_EQ_INT(collide(con, &a, &a, 0), 1);
  const mjtNum x[3] = {1, 0, 0};
  CF_NEAR_ARRAY(con->frame, x, 3, 0);
}


CF_TEST(sphereCapsule__beside_and_beyond__nearest_point_of_the_segment) {
  const cfSolid capsule = cf_solidAt(mjGEOM_CAPSULE, 0, 0, 0, 0.1, 0.5, 0);
  const cfSolid beside = cf_solidAt(mjGEOM_SPHERE, 0.25, 0, 0.2, 0.2, 0, 0);
  const cfSolid beyond = cf_solidAt(mjGEOM_SPHERE, 0, 0, 0.75, 0.2, 0, 0);
  mjContact con[1];
  CF_EQ_INT(collide(con, &beside, &capsule, 0), 1);
  CF_NEAR(con->dist, -0.05, 1e-15);
  CF_NEAR(con->frame[0], -1, 1e-15);
  CF_EQ_INT(collide(con, &beyond, &capsule, 0), 1);
  CF_NEAR(con->dist, -0.05, 1e-15);
  CF_NEAR(con->frame[2], -1, 1e-15);
}


CF_TEST(sphereCylinder__cap_mantle_rim__distance_of_each) {
  const cfSolid cylinder = cf_solidAt(mjGEOM_CYLINDER, 0, 0, 0, 0.2, 0.3, 0);
  mjContact con[1];

  const cfSolid cap = cf_solidAt(mjGEOM_SPHERE, 0.1, 0, 0.35, 0.1, 0, 0);
  CF_EQ_INT(collide(con, &cap, &cylinder, 0), 1);
  CF_NEAR(con->dist, -0.05, 1e-15);
  CF_NEAR(con->frame[2], -1, 1e-15);

  const cfSolid mantle = cf_solidAt(mjGEOM_SPHERE, 0.28, 0, 0.1, 0.1, 0, 0);
  CF_EQ_INT(collide(con, &mantle, &cylinder, 0), 1);
  CF_NEAR(con->dist, -0.02, 1e-15);
  CF_NEAR(con->frame[0], -1, 1e-15);

  const cfSolid rim = cf_solidAt(mjGEOM_SPHERE, 0.23, 0, 0.34, 0.1, 0, 0);
  CF_EQ_INT(collide(con, &rim, &cylinder, 0), 1);
  CF_NEAR(con->dist, -0.05, 1e-15);
  CF_NEAR(con->frame[0], -0.6, 1e-14);
  CF_NEAR(con->frame[2], -0.8, 1e-14);
}


CF_TEST(sphereBox__center_inside__leaves_through_the_nearest_face) {
  const cfSolid box = cf_solidAt(mjGEOM_BOX, 0, 0, 0, 0.5, 0.6, 0.7);
  const cfSolid ball = cf_solidAt(mjGEOM_SPHERE, -0.4, 0.1, 0, 0.2, 0, 0);
  mjContact con[1];
  CF_EQ_INT(collide(con, &ball, &box, 0), 1);
  CF_NEAR(con->dist, -0.3, 1e-15);
  CF_NEAR(con->frame[0], 1, 1e-15);
}


CF_TEST(sphereBox__box_of_no_size__contact_with_a_unit_normal) {
  const cfSolid box = cf_solidAt(mjGEOM_BOX, 0, 0, 0, 0, 0, 0);
  const cfSolid ball = cf_solidAt(mjGEOM_SPHERE, 0, 0, 0, 0.2, 0, 0);
  mjContact con[1];
  CF_EQ_INT(collide(con, &ball, &box, 0), 1);
  CF_NEAR(con->dist, -0.2, 1e-15);
  CF_NEAR(con->frame[0], 1, 0);
}


CF_TEST(capsuleCapsule__crossed__one_contact_at_the_crossing) {
  const cfSolid a = cf_solidAt(mjGEOM_CAPSULE, 0, 0, 0, 0.1, 0.5, 0);
  cfSolid b = cf_solidAt(mjGEOM_CAPSULE, 0.19, 0, 0.1, 0.1, 0.5, 0);
  cf_turn(&b, 0, pi / 2);
  mjContact con[2];
  CF_EQ_INT(collide(con, &a, &b, 0), 1);
  CF_NEAR(con->dist, -0.01, 1e-15);
  const mjtNum pos[3] = {0.095, 0, 0.1};
  CF_NEAR_ARRAY(con->pos, pos, 3, 1e-14);
}


CF_TEST(capsuleCapsule__parallel__two_contacts) {
  const cfSolid a = cf_solidAt(mjGEOM_CAPSULE, 0, 0, 0, 0.1, 0.5, 0);
  const cfSolid b = cf_solidAt(mjGEOM_CAPSULE, 0.19, 0, 0.3, 0.1, 0.5, 0);
  mjContact con[2];
  CF_EQ_INT(collide(con, &a, &b, 0), 2);
  CF_NEAR(con[0].pos[2], 0.5, 1e-15);
  CF_NEAR(con[1].pos[2], -0.2, 1e-15);
}


CF_TEST(capsuleBox__lying_on_top__two_contacts) {
  const cfSolid box = cf_solidAt(mjGEOM_BOX, 0, 0, 0, 0.5, 0.5, 0.5);
  cfSolid capsule = cf_solidAt(mjGEOM_CAPSULE, 0, 0, 0.59, 0.1, 0.3, 0);
  cf_turn(&capsule, 1, pi / 2);
  mjContact con[2];
  CF_EQ_INT(collide(con, &capsule, &box, 0), 2);
  CF_NEAR(con[0].dist, -0.01, 1e-14);
  CF_NEAR(con[1].dist, -0.01, 1e-14);
  CF_NEAR(fabs(con[0].pos[0] - con[1].pos[0]), 0.6, 1e-14);
}


CF_TEST(boxBox__stacked_and_turned__octagon) {
  const cfSolid a = cf_solidAt(mjGEOM_BOX, 0, 0, 0, 0.5, 0.5, 0.5);
  cfSolid b = cf_solidAt(mjGEOM_BOX, 0, 0, 0.99, 0.5, 0.5, 0.5);
  cf_turn(&b, 2, pi / 4);
  mjContact con[mjMAXCONPAIR];
  int n = collide(con, &a, &b, 0);
  n = cfi_pruneBoxBox(con, n, cf_view(&a), cf_view(&b), 0);
  CF_EQ_INT(n, 8);
  for (int k = 0; k < n; k++) {
    CF_NEAR(con[k].dist, -0.01, 1e-14);
    CF_NEAR(con[k].frame[2], 1, 1e-15);
    CF_NEAR(con[k].pos[2], 0.495, 1e-14);
  }
}


CF_TEST(boxBox__edges_crossed__one_contact) {
  cfSolid a = cf_solidAt(mjGEOM_BOX, 0, 0, 0, 0.5, 0.5, 0.5);
  cfSolid b = cf_solidAt(mjGEOM_BOX, 0, 0, 2 * 0.5 * sqrt(2) - 0.01, 0.5, 0.5, 0.5);
  cf_turn(&a, 0, pi / 4);
  cf_turn(&b, 1, pi / 4);
  mjContact con[mjMAXCONPAIR];
  int n = collide(con, &a, &b, 0);
  n = cfi_pruneBoxBox(con, n, cf_view(&a), cf_view(&b), 0);
  CF_EQ_INT(n, 1);
  CF_NEAR(con->dist, -0.01, 1e-12);
  CF_NEAR(con->frame[2], 1, 1e-12);
}


// contacts of a recorded pose through the table, as the driver sees them
static int collideRecorded(mjContact* con, const mjModel* m, mjData* d, mjtNum margin) {
  int n = mjCOLLISIONFUNC[m->geom_type[0]][m->geom_type[1]](m, d, con, 0, 1, margin);
  if (m->geom_type[0] == mjGEOM_BOX && m->geom_type[1] == mjGEOM_BOX) {
    n = cfi_pruneBoxBox(con, n, cfi_viewGeom(m, d, 0), cfi_viewGeom(m, d, 1), margin);
  }
  return n;
}


// text of a model with two geoms of given types
static mjModel* pairModel(int type1, int type2) {
  static const char* const name[] = {"plane",     "hfield",   "sphere", "capsule",
                                     "ellipsoid", "cylinder", "box"};
  char text[1000];
  snprintf(
      text, sizeof(text),
      "<mujoco><worldbody><body>%s<geom type=\"%s\" size=\".1 .1 .1\"/></body><body><freejoint/>"
      "<geom type=\"%s\" size=\".1 .1 .1\"/></body></worldbody></mujoco>",
      type1 == mjGEOM_PLANE ? "" : "<freejoint/>", name[type1], name[type2]);
  return cf_modelFromText(text);
}


static void readNumbers(FILE* file, mjtNum* number, int n) {
  for (int k = 0; k < n; k++) {
    if (fscanf(file, "%lf", number + k) != 1) {
      CF_FAIL("recorded file ends early\n");
    }
  }
}


CF_TEST(colliders__recorded_poses__contacts_of_the_reference) {
  FILE* file = fopen(CF_SOURCE_DIR "/tests/data/collision/contacts.txt", "r");
  CF_TRUE(file != NULL);
  int type1, type2, poses = 0;
  char head[200];
  CF_TRUE(fgets(head, sizeof(head), file) != NULL);
  while (fscanf(file, "%d %d", &type1, &type2) == 2) {
    mjtNum margin, number[7];
    mjModel* m = pairModel(type1, type2);
    mjData* d = mj_makeData(m);
    readNumbers(file, &margin, 1);
    readNumbers(file, m->geom_size, 6);
    for (int g = 0; g < 2; g++) {
      readNumbers(file, d->geom_xpos + 3 * g, 3);
      readNumbers(file, d->geom_xmat + 9 * g, 9);
    }
    readNumbers(file, number, 1);
    mjContact con[mjMAXCONPAIR];
    CF_EQ_INT(collideRecorded(con, m, d, margin), (int)number[0]);
    for (int k = 0, n = (int)number[0]; k < n; k++) {
      readNumbers(file, number, 7);
      CF_NEAR(con[k].dist, number[0], 1e-10);
      CF_NEAR_ARRAY(con[k].pos, number + 1, 3, 1e-10);
      CF_NEAR_ARRAY(con[k].frame, number + 4, 3, 1e-10);
    }
    poses++;
    mj_deleteData(d);
    mj_deleteModel(m);
  }
  fclose(file);
  CF_EQ_INT(poses, 120);
}


CF_TEST_MAIN("collision/narrow")
