// Contacts by GJK in the fast tier on the CPU, against the engine.
#include "dice.h"
#include "modeltext.h"
#include "team/overlap.h"
#include "twin.h"

static const cfTeamTier* const tiers[] = {&cfi_teamDouble, &cfi_teamSingle};

// two free geoms of the types that GJK collides, over a plane
static mjModel* twoGeoms(const char* one, const char* two, mjtNum margin) {
  char xml[1200];
  snprintf(xml, sizeof(xml),
           "<mujoco><default><geom size='.11 .14 .07' margin='%g'/></default><worldbody>"
           "<geom type='plane' size='2 2 1' pos='0 0 -.2'/>"
           "<body><freejoint/><geom type='%s'/></body>"
           "<body><freejoint/><geom type='%s' size='.08 .1 .13'/></body></worldbody></mujoco>",
           margin, one, two);
  return compileText(xml);
}


static void placeAtRandom(const mjModel* m, mjData* d) {
  for (int body = 0; body < 2; body++) {
    for (int k = 0; k < 3; k++) {
      d->qpos[7 * body + k] = 0.12 * draw();
    }
    for (int k = 3; k < 7; k++) {
      d->qpos[7 * body + k] = draw();
    }
    mju_normalize4(d->qpos + 7 * body + 3);
  }
  mj_kinematics(m, d);
}


// largest difference of the contacts of one state; -1: their numbers differ
static mjtNum compareState(teamTwin* twin, mjData* d) {
  loadTwin(twin, d);
  mj_forward(twin->m, d);
  runTwin(twin, CF_TEAM_COLLIDE);
  CF_EQ_INT((int)ofTwin(twin, "trouble", 0), 0);
  if ((int)ofTwin(twin, "ncon", 0) != d->ncon) {
    return -1;
  }
  mjtNum worst = 0;
  for (int i = 0; i < d->ncon; i++) {
    const mjContact* con = d->contact + i;
    worst = fmax(worst, fabs(con->dist - ofTwin(twin, "con_dist", i)));
    for (int k = 0; k < 3; k++) {
      worst = fmax(worst, fabs(con->pos[k] - ofTwin(twin, "con_pos", 3 * i + k)));
    }
    for (int k = 0; k < 9; k++) {
      worst = fmax(worst, fabs(con->frame[k] - ofTwin(twin, "con_frame", 9 * i + k)));
    }
  }
  return worst;
}


CF_TEST(overlap__each_pair_of_types_at_random__as_the_engine) {
  static const char* const pairs[][2] = {
      {"sphere", "ellipsoid"},    {"capsule", "ellipsoid"},  {"capsule", "cylinder"},
      {"ellipsoid", "ellipsoid"}, {"ellipsoid", "cylinder"}, {"ellipsoid", "box"},
      {"cylinder", "cylinder"},   {"cylinder", "box"},       {"box", "cylinder"}};
  for (size_t n = 0; n < 2 * sizeof(pairs) / sizeof(pairs[0]); n++) {
    mjModel* m = twoGeoms(pairs[n / 2][0], pairs[n / 2][1], n % 2 ? 0.02 : 0);
    char reason[200] = "";
    CF_TRUE(cfi_teamAccepts(m, reason, sizeof(reason)));
    mjData* d = mj_makeData(m);
    for (int k = 0; k < 2; k++) {
      teamTwin twin = openTeamTwin(m, tiers[k], 20, 100, "con_pair con_dist con_pos con_frame");
      int contacts = 0, others = 0, far = 0;
      mjtNum worst = 0;
      for (int state = 0; state < 200; state++) {
        placeAtRandom(m, d);
        const mjtNum error = compareState(&twin, d);
        for (int i = 0; i < d->ncon; i++) {
          contacts += d->contact[i].geom[0] > 0;
        }
        others += error < 0;
        far += error > 1e-3;
        worst = k && error > 1e-3 ? worst : fmax(worst, error);
      }
      printf("%-9s %-9s %s: %d contacts, worst %.0e, %d others, %d far\n", pairs[n / 2][0],
             pairs[n / 2][1], k ? "single" : "double", contacts, worst, others, far);
      CF_TRUE(contacts > 50);
      CF_TRUE(others <= (k ? 2 : 0) && far <= (k ? 4 : 0));
      CF_TRUE(worst < (k ? 1e-3 : 1e-12));
      closeTeamTwin(&twin);
    }
    mj_deleteData(d);
    mj_deleteModel(m);
  }
}


// a tolerance that no curved pair reaches: the polytope grows until there is no room
CF_TEST(overlap__more_faces_than_room__world_left_open) {
  mjModel* m = twoGeoms("ellipsoid", "cylinder", 0);
  mjData* d = mj_makeData(m);
  m->opt.ccd_iterations = CF_OVERLAP_ITERATIONS;
  m->opt.ccd_tolerance = 1e-13;
  teamTwin twin = openTeamTwin(m, &cfi_teamDouble, 20, 100, NULL);
  int open = 0, found = 0;
  for (int state = 0; state < 40; state++) {
    placeAtRandom(m, d);
    d->qpos[2] = d->qpos[9] = 0;
    mj_forward(m, d);
    loadTwin(&twin, d);
    runTwin(&twin, CF_TEAM_COLLIDE);
    open += (int)ofTwin(&twin, "trouble", 0) == CF_TROUBLE_ROOM;
    found += d->ncon > 0;
  }
  CF_TRUE(found > 10 && open > 5);
  closeTeamTwin(&twin);
  mj_deleteData(d);
  mj_deleteModel(m);
}


CF_TEST(overlap__options_that_the_tier_has_not__refused_by_name) {
  mjModel* m = twoGeoms("cylinder", "box", 0);
  char reason[200] = "";
  m->opt.ccd_iterations = CF_OVERLAP_ITERATIONS + 1;
  CF_TRUE(!cfi_teamAccepts(m, reason, sizeof(reason)));
  CF_HAS_STR(reason, "iterations of GJK");
  m->opt.ccd_iterations = CF_OVERLAP_ITERATIONS;
  CF_TRUE(cfi_teamAccepts(m, reason, sizeof(reason)));
  m->opt.disableflags |= mjDSBL_NATIVECCD;
  CF_TRUE(!cfi_teamAccepts(m, reason, sizeof(reason)));
  CF_HAS_STR(reason, "libccd");
  mj_deleteModel(m);
}


CF_TEST_MAIN("overlap")
