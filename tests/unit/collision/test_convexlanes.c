// Support points and planes in lanes: the bits of those that are computed one by one.
#include "collidetest.h"
#include "collision/convex/ccd.h"
#include "collision/convex/polytope.h"

static const char* const shapes_text =
    "<mujoco><worldbody>"
    "<body><freejoint/><geom type=\"box\" size=\".1 .2 .3\"/></body>"
    "<body><freejoint/><geom type=\"ellipsoid\" size=\".3 .1 .2\"/></body>"
    "<body><freejoint/><geom type=\"cylinder\" size=\".1 .2\"/></body>"
    "</worldbody></mujoco>";


// random, along an axis, or almost in a plane of the world
static void laneDirection(mjtNum dir[3], int trial) {
  for (int k = 0; k < 3; k++) {
    dir[k] = trial % 3 == 1 ? (int)cf_uniform(0, 3) - 1 : cf_uniform(-1, 1);
    if (trial % 3 == 2 && cf_uniform(0, 1) < 0.5) {
      dir[k] *= 1e-17;
    }
  }
  mju_normalize3(dir);
}


// places anywhere; every fourth shape stays as it stands
static void placeShapes(cfScene s, int trial) {
  for (int k = 0; k < 7 * 3; k++) {
    s.d->qpos[k] = trial % 4 ? cf_uniform(-1, 1) : (k % 7 == 3);
  }
  mj_kinematics(s.m, s.d);
}


CF_TEST(support__shapes_made_ready__bits_of_the_single_points) {
  cfScene s = cf_sceneFromText(shapes_text);
  for (int trial = 0; trial < 3000; trial++) {
    placeShapes(s, trial);
    for (int pair = 0; pair < 9; pair++) {
      const mjtNum margin = trial % 5 ? 0 : 0.01;
      cfConvex a = cfi_convexGeom(s.m, s.d, pair / 3, margin),
               b = cfi_convexGeom(s.m, s.d, pair % 3, margin);
      mjtNum dir[3], back[3];
      cfMinkowski single, lanes;
      laneDirection(dir, trial);
      mju_scl3(back, dir, -1);
      cfi_supportPair(&single, &a, &b, dir, back);
      cfi_readyConvex(&a);
      cfi_readyConvex(&b);
      CF_TRUE(a.is_ready && b.is_ready);
      cfi_supportPair(&lanes, &a, &b, dir, back);
      CF_TRUE(memcmp(single.p, lanes.p, 3 * sizeof(mjtNum)) == 0);
      CF_TRUE(memcmp(single.a, lanes.a, 3 * sizeof(mjtNum)) == 0);
      CF_TRUE(memcmp(single.b, lanes.b, 3 * sizeof(mjtNum)) == 0);
      CF_EQ_INT(single.ia, lanes.ia);
      CF_EQ_INT(single.ib, lanes.ib);
    }
  }
  cf_freeScene(s);
}


enum { LANE_FACES = 9, LANE_VERTICES = 12 };

// whole numbers make planes through the origin, and corners in line
CF_TEST(planes__faces_of_all_kinds__bits_of_the_single_planes) {
  int in_line = 0, through_origin = 0;
  for (int trial = 0; trial < 20000; trial++) {
    cfMinkowski vertex[LANE_VERTICES];
    cfEpaFace face[LANE_FACES];
    cfPolytope pt = {.vertex = vertex, .face = face, .max_faces = LANE_FACES};
    for (int k = 0; k < 3 * LANE_VERTICES; k++) {
      vertex[k / 3].p[k % 3] = trial % 2 ? cf_uniform(-1, 1) : (int)cf_uniform(0, 5) - 2;
    }
    const int count = 1 + trial % LANE_FACES;
    for (int k = 0; k < 3 * count; k++) {
      face[k / 3].vertex[k % 3] = (int)cf_uniform(0, LANE_VERTICES);
    }
    cfi_spanPlanes(&pt, 0, count);
    for (int k = 0; k < count; k++) {
      mjtNum foot[3];
      const int* v = face[k].vertex;
      if (cfi_projectOnPlane(foot, vertex[v[2]].p, vertex[v[1]].p, vertex[v[0]].p)) {
        CF_NEAR(face[k].square, 0, 0);
        in_line++;
      } else {
        const mjtNum square = mju_dot3(foot, foot);
        CF_TRUE(memcmp(foot, face[k].foot, sizeof(foot)) == 0);
        CF_TRUE(memcmp(&square, &face[k].square, sizeof(square)) == 0);
        through_origin += square == 0;
      }
    }
  }
  CF_TRUE(in_line > 1000 && through_origin > 1000);
}


CF_TEST_MAIN("convexlanes")


// a box over cells of flat ground: touching is no contact, whatever the cells are; what sinks in
// has its depth in prisms that lie under it, and less in those at its rim
CF_TEST(hfield__box_exactly_on_flat_ground__no_contact_until_it_sinks) {
  cfScene s = cf_sceneFromText(
      "<mujoco><asset><hfield name=\"h\" nrow=\"10\" ncol=\"10\" size=\"1 1 .1 .01\"/></asset>"
      "<worldbody><geom type=\"hfield\" hfield=\"h\"/><body><joint type=\"slide\" axis=\"1 0 0\"/>"
      "<joint type=\"slide\" axis=\"0 1 0\"/><joint type=\"slide\" axis=\"0 0 1\"/><joint "
      "axis=\"0 0 1\"/><geom pos=\"0 0 .25\" size=\".3 .3 .25\" type=\"box\"/></body></worldbody>"
      "</mujoco>");
  for (int trial = 0; trial < 400; trial++) {
    const bool is_on_grid = trial % 2;
    for (int k = 0; k < 2; k++) {
      s.d->qpos[k] = is_on_grid ? (int)cf_uniform(-3, 3) / 9.0 : cf_uniform(-.5, .5);
    }
    s.d->qpos[3] = trial % 3 ? 0 : cf_uniform(-3, 3);
    for (int depth = 0; depth < 2; depth++) {
      s.d->qpos[2] = -0.0009765625 * depth;
      mj_kinematics(s.m, s.d);
      mj_collision(s.m, s.d);
      CF_TRUE(depth || s.d->ncon == 0);
      int nfull = 0;
      for (int c = 0; c < s.d->ncon; c++) {
        const mjContact* con = s.d->contact + c;
        CF_TRUE(con->dist < 0 && con->dist > -0.0009765625 - 1e-12);
        nfull += con->dist < -0.0009765625 + 1e-12 && con->frame[2] > 1 - 1e-12;
      }
      CF_TRUE(!depth || nfull > 4);
    }
  }
  cf_freeScene(s);
}


// shapes one inside of the other, off center by whole steps: GJK often ends on a triangle through
// the origin, and EPA has to start from it
CF_TEST(contact__deep_overlap_in_steps_of_a_grid__never_missed) {
  cfScene s = cf_sceneFromText(
      "<mujoco><worldbody><body><freejoint/><geom type=\"cylinder\" size=\".25 .25\"/></body>"
      "<body><freejoint/><geom type=\"box\" size=\".25 .25 .25\"/></body></worldbody></mujoco>");
  for (int k = 0; k < 125; k++) {
    const int step[3] = {k % 5 - 2, k / 5 % 5 - 2, k / 25 - 2};
    const int square = step[0] * step[0] + step[1] * step[1] + step[2] * step[2];
    for (int i = 0; i < 3; i++) {
      s.d->qpos[i] = 0.125 * step[i];
    }
    mj_kinematics(s.m, s.d);
    mj_collision(s.m, s.d);
    if (square > 0 && square <= 5) {
      CF_TRUE(s.d->ncon > 0 && s.d->contact[0].dist < -0.1);
    }
  }
  cf_freeScene(s);
}
