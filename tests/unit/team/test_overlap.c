// Contacts by GJK in the fast tier on the CPU, against the engine.
#include "dice.h"
#include "modeltext.h"
#include "team/overlap.h"
#include "twin.h"

static const cfTeamTier* const tiers[] = {&cfi_teamDouble, &cfi_teamSingle};

// meshes whose vertices are all compared, whose hull is small, and whose hull is walked over: their
// frames lie beside the middle of the box around them
static const char meshes[] =
    "<asset>"
    "<mesh name='gem' vertex='0 0 .15  .12 0 0  -.07 0 0  0 .1 0  0 -.09 0  .02 0 -.05'/>"
    "<mesh name='block' vertex='-.1 -.08 -.05  .1 -.08 -.05  .1 .08 -.05  -.1 .08 -.05"
    " -.08 -.09 .03  .08 -.09 .03  .08 .09 .03  -.08 .09 .03  .15 0 0  -.11 0 0  0 0 .08'/>"
    "<mesh name='stone' builtin='supersphere' params='9 .7 .5' scale='.11 .09 .14'/>"
    "</asset>";


// the attributes of a geom that is named by its type or its mesh
static const char* geomText(const char* name, char text[60]) {
  const bool is_mesh = strstr("gem block stone", name) != NULL;
  snprintf(text, 60, is_mesh ? "type='mesh' mesh='%s'" : "type='%s'", name);
  return text;
}


static void roundToSingle(mjtNum* x, int n) {
  for (int k = 0; k < n; k++) {
    x[k] = (float)x[k];
  }
}


// two free geoms of the types that GJK collides, over a plane; sizes are numbers of both precisions
static mjModel* twoGeoms(const char* one, const char* two, mjtNum margin) {
  char xml[2000], text[2][60];
  snprintf(xml, sizeof(xml),
           "<mujoco>%s<default><geom size='.11 .14 .07' margin='%g'/></default><worldbody>"
           "<geom type='plane' size='2 2 1' pos='0 0 -.2'/>"
           "<body><freejoint/><geom %s/></body>"
           "<body><freejoint/><geom %s size='.08 .1 .13'/></body></worldbody></mujoco>",
           meshes, margin, geomText(one, text[0]), geomText(two, text[1]));
  mjModel* m = compileText(xml);
  roundToSingle(m->geom_size, 3 * (int)m->ngeom);
  roundToSingle(m->geom_margin, (int)m->ngeom);
  return m;
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


// A mesh has a frame of its own in that of its body, whose pose may differ in the last bit, and the
// normal of a deep contact may be another one then: both collide the same poses
static void takePoses(teamTwin* twin, mjData* d) {
  const int ngeom = (int)twin->m->ngeom;
  CF_TRUE(differenceInTwin(twin, "geom_xpos", d->geom_xpos, 3 * ngeom) < 1e-6);
  CF_TRUE(differenceInTwin(twin, "geom_xmat", d->geom_xmat, 9 * ngeom) < 1e-6);
  if (twin->tier->real_bytes == 4) {
    roundToSingle(d->geom_xpos, 3 * ngeom);
    roundToSingle(d->geom_xmat, 9 * ngeom);
    mj_collision(twin->m, d);
  }
  setInTwin(twin, "geom_xpos", d->geom_xpos);
  setInTwin(twin, "geom_xmat", d->geom_xmat);
}


// largest difference of the contacts of one state; -1: their numbers differ
static mjtNum compareState(teamTwin* twin, mjData* d) {
  loadTwin(twin, d);
  mj_forward(twin->m, d);
  runTwin(twin, CF_TEAM_FORCES);
  if (twin->shape.nhull) {
    takePoses(twin, d);
  }
  twin->tier->stage(twin->plan, twin->world, CF_TEAM_COLLIDE);
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
  static const char* const pairs[][2] = {{"sphere", "ellipsoid"},
                                         {"capsule", "ellipsoid"},
                                         {"capsule", "cylinder"},
                                         {"ellipsoid", "ellipsoid"},
                                         {"ellipsoid", "cylinder"},
                                         {"ellipsoid", "box"},
                                         {"cylinder", "cylinder"},
                                         {"cylinder", "box"},
                                         {"box", "cylinder"},
                                         {"sphere", "gem"},
                                         {"block", "sphere"},
                                         {"sphere", "stone"},
                                         {"capsule", "gem"},
                                         {"capsule", "block"},
                                         {"stone", "capsule"},
                                         {"ellipsoid", "gem"},
                                         {"ellipsoid", "block"},
                                         {"ellipsoid", "stone"},
                                         {"gem", "cylinder"},
                                         {"cylinder", "block"},
                                         {"cylinder", "stone"},
                                         {"box", "gem"},
                                         {"block", "box"},
                                         {"box", "stone"},
                                         {"gem", "gem"},
                                         {"gem", "block"},
                                         {"stone", "gem"},
                                         {"block", "block"},
                                         {"block", "stone"},
                                         {"stone", "stone"}};
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
      CF_TRUE(!k || !twin.shape.nhull || (others == 0 && far == 0 && worst < 1e-6));
      closeTeamTwin(&twin);
    }
    mj_deleteData(d);
    mj_deleteModel(m);
  }
}


// meshes near a plane, some of them flat on it, some in each other: how many have how many contacts
// with it
static void countOnPlane(const mjModel* m, const cfTeamTier* tier, int found[5]) {
  mjData* d = mj_makeData(m);
  teamTwin twin = openTeamTwin(m, tier, 20, 100, "con_pair con_dist con_pos con_frame");
  for (int state = 0; state < 200; state++) {
    placeAtRandom(m, d);
    for (int body = 0; body < 2; body++) {
      mjtNum* qpos = d->qpos + 7 * body;
      qpos[0] = state % 4 ? body : 0;
      qpos[2] = -0.14 + 0.06 * draw();
      if (state % 2) {
        const mjtNum flat[4] = {1, 0.01 * draw(), 0.01 * draw(), draw()};
        mju_copy4(qpos + 3, flat);
        mju_normalize4(qpos + 3);
      }
    }
    const mjtNum error = compareState(&twin, d);
    CF_TRUE(error >= 0 && error < (tier->real_bytes == 8 ? 1e-12 : 1e-5));
    int count[3] = {0, 0, 0};
    for (int i = 0; i < d->ncon; i++) {
      count[d->contact[i].geom[0] == 0 ? d->contact[i].geom[1] : 0]++;
    }
    CF_TRUE(count[1] <= 3 && count[2] <= 3 && (state % 4 == 0 || count[0] == 0));
    found[count[1]]++;
    found[count[2]]++;
    found[4] += count[0];
  }
  closeTeamTwin(&twin);
  mj_deleteData(d);
}


CF_TEST(overlap__meshes_on_a_plane__as_the_engine) {
  static const char* const pairs[][2] = {{"gem", "block"}, {"stone", "block"}};
  int found[5] = {0, 0, 0, 0, 0};
  for (int n = 0; n < 8; n++) {
    mjModel* m = twoGeoms(pairs[n % 2][0], pairs[n % 2][1], n & 4 ? 0.02 : 0);
    for (int mesh = 0; n & 2 && mesh < m->nmesh; mesh++) {
      m->mesh_graphadr[mesh] = -1;  // all vertices are looked at, as where there is no hull
    }
    for (int k = 0; k < 2; k++) {
      countOnPlane(m, tiers[k], found);
    }
    mj_deleteModel(m);
  }
  printf("%d apart, %d with one contact, %d with two, %d with three, %d with each other\n",
         found[0], found[1], found[2], found[3], found[4]);
  for (int k = 0; k < 5; k++) {
    CF_TRUE(found[k] > 100);
  }
}


// meshes that are only seen are no reason for another tier, and the plan has none of them
CF_TEST(overlap__meshes_that_collide_with_nothing__not_in_the_plan) {
  mjModel* m = twoGeoms("stone", "box", 0);
  char reason[200] = "";
  const cfTeamShape with = cfi_teamShape(m, 4, 8);
  CF_EQ_INT(with.nhull, 1);
  CF_EQ_INT(with.nhullvert, m->mesh_vertnum[2]);
  CF_TRUE(with.has_convex && with.nhullgraph > 0 && !with.is_lean);
  m->geom_contype[1] = m->geom_conaffinity[1] = 0;
  m->body_contype[1] = m->body_conaffinity[1] = 0;
  m->opt.disableflags |= mjDSBL_NATIVECCD;  // which would be refused where GJK is needed
  CF_TRUE(cfi_teamAccepts(m, reason, sizeof(reason)));
  const cfTeamShape without = cfi_teamShape(m, 4, 8);
  CF_EQ_INT(without.nhull + without.nhullvert + without.nhullgraph + without.has_convex, 0);
  mj_deleteModel(m);
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
