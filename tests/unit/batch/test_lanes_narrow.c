// Contacts that are found in lanes have the bits of the scalar colliders, for all pairs of geoms
// that have a form in lanes, in worlds that are equal, alike or have nothing in common.
#include <stddef.h>

#include "lanes/lanes.h"
#include "cf_test.h"
#include "cf_text.h"

enum { POSES = 60 };

static const char* const geoms[] = {
    "type='plane' size='1 1 1'",     "type='sphere' size='.1'",
    "type='capsule' size='.06 .1'",  "type='ellipsoid' size='.1 .07 .05'",
    "type='cylinder' size='.08 .1'", "type='box' size='.1 .08 .06'",
};
enum { NGEOM = sizeof(geoms) / sizeof(geoms[0]) };

// how much of the pose of each world is its own
static const mjtNum spreads[] = {0, 1e-3, 0.3, 1};


static mjModel* twoGeoms(int first, int second, const char* extra) {
  char xml[1000];
  snprintf(xml, sizeof(xml),
           "<mujoco><option %s/><worldbody>%s<geom %s/>%s"
           "<body pos='.1 0 .1'><freejoint/><geom %s margin='.01'/></body></worldbody></mujoco>",
           extra, first ? "<body><freejoint/>" : "", geoms[first], first ? "</body>" : "",
           geoms[second]);
  return cf_compileText(xml);
}


// some number from -1 to 1
static mjtNum draw(int* counter) {
  const mjtNum x = 43758.5453 * sin(12.9898 * ++*counter);
  return 2 * (x - floor(x)) - 1;
}


// every second pose lies flat, so that faces and edges are parallel
static void drawPose(int* counter, mjtNum pose[7], bool is_flat) {
  for (int k = 0; k < 7; k++) {
    pose[k] = draw(counter) * (k < 3 ? 0.2 : 1);
  }
  if (is_flat) {
    pose[4] = pose[5] = 0;
    pose[2] = 0.12 + 0.1 * pose[2];
  }
}


// bodies of one world: the pose that all share, moved by a share of its own
static void placeBodies(const mjModel* m, mjData* d, const mjtNum* shared, const mjtNum* own,
                        mjtNum spread) {
  for (int k = 0; k < m->nq; k++) {
    d->qpos[k] = (1 - spread) * shared[k] + spread * own[k];
  }
  for (int k = 3; k < m->nq; k += 7) {
    mju_normalize4(d->qpos + k);
  }
}


static void expectSameContacts(const mjModel* m, const mjData* d, const mjData* alone, int width) {
  if (d->ncon != alone->ncon) {
    CF_FAIL("types %d and %d, width %d: %d contacts, expected %d\n", m->geom_type[0],
            m->geom_type[1], width, d->ncon, alone->ncon);
  }
  for (int i = 0; i < d->ncon; i++) {
    const mjContact *mine = d->contact + i, *other = alone->contact + i;
    CF_EQ_BYTES(mine, other, offsetof(mjContact, H));
    CF_EQ_BYTES(mine->geom, other->geom, sizeof(mine->geom));
    CF_EQ_INT(mine->exclude, other->exclude);
    CF_EQ_INT(mine->efc_address, other->efc_address);
  }
}


static cfLaneGroup* makeGroup(const mjModel* m, const cfLaneKernels* kernels) {
  cfLaneGroup* g = cfi_makeLanes(m, kernels, NULL);
  CF_TRUE(g && (g->stages & CF_LANE_NEAR));
  for (int w = 0; w < g->width; w++) {
    g->data[w] = mj_makeData(m);
  }
  return g;
}


static void freeGroup(cfLaneGroup* g) {
  for (int w = 0; w < g->width; w++) {
    mj_deleteData(g->data[w]);
  }
  cfi_freeLanes(g);
}


// worlds where they are; found: contacts that came from lanes, all contacts
static void compareWorlds(const mjModel* m, const cfLaneKernels* kernels, cfLaneGroup* g,
                          mjData* alone, int found[2]) {
  kernels->gatherInputs(g);
  kernels->scatter(g, kernels->smooth(g, g->stages), true);
  for (int w = 0; w < g->width; w++) {
    const cfNearPairs near = cfi_laneNear(&g->near, w);
    cfi_collideNear(m, g->data[w], &near);
    mju_copy(alone->qpos, g->data[w]->qpos, (int)m->nq);
    mj_kinematics(m, alone);
    mj_comPos(m, alone);
    mj_collision(m, alone);
    expectSameContacts(m, g->data[w], alone, g->width);
    const bool is_known = g->near.nhit && (g->near.known[0] >> w & 1);
    found[0] += is_known ? alone->ncon : 0;
    found[1] += alone->ncon;
  }
}


// worlds of all lanes at poses around a common one
static void comparePoses(const mjModel* m, const cfLaneKernels* kernels, int found[2]) {
  int counter = 1000 * (8 * m->geom_type[0] + m->geom_type[1]);
  cfLaneGroup* g = makeGroup(m, kernels);
  mjData* alone = mj_makeData(m);
  for (int round = 0; round < POSES; round++) {
    mjtNum shared[14], own[14];
    drawPose(&counter, shared, round & 1);
    drawPose(&counter, shared + 7, round & 1);
    for (int w = 0; w < g->width; w++) {
      drawPose(&counter, own, round & 1);
      drawPose(&counter, own + 7, round & 1);
      placeBodies(m, g->data[w], shared, own, spreads[round / 2 % 4]);
    }
    compareWorlds(m, kernels, g, alone, found);
  }
  mj_deleteData(alone);
  freeGroup(g);
}


static void comparePair(int first, int second, const char* extra, int found[2]) {
  mjModel* m = twoGeoms(first, second, extra);
  CF_TRUE(m);
  for (int width = 4; width <= 8; width += 4) {
    const cfLaneKernels* kernels = cfi_laneKernels(width);
    if (kernels) {
      comparePoses(m, kernels, found);
    }
  }
  mj_deleteModel(m);
}


CF_TEST(contacts__of_all_pairs_of_shapes__have_the_bits_of_the_scalar_colliders) {
  for (int first = 0; first < NGEOM; first++) {
    for (int second = first ? first : 1; second < NGEOM; second++) {
      int found[2] = {0, 0};
      comparePair(first, second, "", found);
      CF_TRUE(found[1] > 50 || !cfi_laneKernels(4));
    }
  }
}


CF_TEST(contacts__by_closed_forms_in_similar_worlds__are_found_in_lanes) {
  static const int pair[][2] = {{0, 1}, {0, 2}, {0, 5}, {1, 1}, {1, 2}};
  for (size_t k = 0; k < sizeof(pair) / sizeof(pair[0]); k++) {
    int found[2] = {0, 0};
    comparePair(pair[k][0], pair[k][1], "", found);
    CF_TRUE(2 * found[0] >= found[1] || !cfi_laneKernels(4));
  }
  // parallel capsules and boxes on their edges are left to the worlds
  int capsules[2] = {0, 0}, boxes[2] = {0, 0};
  comparePair(2, 2, "", capsules);
  comparePair(5, 5, "", boxes);
  CF_TRUE(10 * capsules[0] >= capsules[1] || !cfi_laneKernels(4));
  CF_TRUE(2 * boxes[0] >= boxes[1] || !cfi_laneKernels(4));
}


// worlds that have nothing in common walk and expand side by side all the same; one world alone in
// which the geoms are near is left to itself
CF_TEST(contacts__by_gjk_in_any_worlds__are_found_in_lanes) {
  static const int pair[][2] = {{1, 3}, {2, 3}, {2, 4}, {3, 3}, {3, 4}, {3, 5}, {4, 4}, {4, 5}};
  for (size_t k = 0; k < sizeof(pair) / sizeof(pair[0]); k++) {
    int found[2] = {0, 0};
    comparePair(pair[k][0], pair[k][1], "", found);
    CF_TRUE(10 * found[0] > 9 * found[1] || !cfi_laneKernels(4));
  }
}


CF_TEST(contacts__with_many_iterations_or_other_ways_to_find_them__are_left_to_the_worlds) {
  static const char* const extra[] = {"ccd_iterations='100'", "ccd_iterations='12'",
                                      "ccd_tolerance='1e-3'"};
  for (int k = 0; k < 3; k++) {
    int found[2] = {0, 0};
    comparePair(4, 5, extra[k], found);
    CF_TRUE((k == 0) == (found[0] == 0) || !cfi_laneKernels(4));
  }
}


// a beam over a post, level but for some hundred thousandths of a turn.  GJK takes what is apart by
// less than its tolerance for touching, and EPA finds a wrong depth in some of these poses; bodies
// that have trees never ask it then, since the boxes around their geoms are apart
CF_TEST(contacts__that_the_boxes_of_bodies_rule_out__are_not_found_in_lanes) {
  mjModel* m = cf_compileText(
      "<mujoco><worldbody><body pos='-.09 0 .0175'><geom type='cylinder' size='.01 .0175'/>"
      "<geom type='sphere' size='.001' pos='0 0 -9'/></body>"
      "<body pos='0 0 .03'><joint axis='0 1 0'/><joint axis='0 0 1' pos='-.09 0 0'/>"
      "<geom type='box' size='.1 .02 .005' pos='0 0 .01'/>"
      "<geom type='sphere' size='.001' pos='0 0 9'/></body></worldbody></mujoco>");
  CF_TRUE(m);
  int found[2] = {0, 0}, counter = 0;
  for (int width = 4; width <= 8; width += 4) {
    const cfLaneKernels* kernels = cfi_laneKernels(width);
    cfLaneGroup* g = kernels ? makeGroup(m, kernels) : NULL;
    mjData* alone = mj_makeData(m);
    for (int round = 0; g && round < 100 * POSES; round++) {
      for (int w = 0; w < width; w++) {
        g->data[w]->qpos[0] = 4e-5 * draw(&counter);
        g->data[w]->qpos[1] = 3 * draw(&counter);
      }
      compareWorlds(m, kernels, g, alone, found);
    }
    mj_deleteData(alone);
    if (g) {
      freeGroup(g);
    }
  }
  CF_TRUE(found[1] > POSES || !cfi_laneKernels(4));
  mj_deleteModel(m);
}

CF_TEST_MAIN("batch/lanes/narrow")
