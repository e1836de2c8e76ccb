// The fast tier on the CPU against the engine: contacts, constraint rows, solver.
#include "cf_text.h"
#include "dice.h"
#include "modeltext.h"
#include "twin.h"

static const cfTeamTier* const tiers[] = {&cfi_teamDouble, &cfi_teamSingle};

static const char outputs[] =
    "con_pair con_dist con_pos con_frame efc_D efc_aref efc_force qacc qfrc_constraint";

static mjModel* loadModel(const char* name) {
  char path[500], error[500] = "";
  snprintf(path, sizeof(path), CF_SOURCE_DIR "/models/%s.xml", name);
  mjModel* m = mj_loadXML(path, NULL, error, sizeof(error));
  if (!m) {
    CF_FAIL("%s: %s\n", name, error);
  }

  // what is asked here is about constraints
  m->opt.solver = mjSOL_NEWTON;
  m->opt.enableflags &= ~mjENBL_ENERGY;
  m->opt.noslip_iterations = 0;
  return m;
}


// largest difference relative to the largest number, for arrays of any length
static mjtNum difference(const teamTwin* twin, const char* name, const mjtNum* expected, int n) {
  return n ? differenceInTwin(twin, name, expected, n) : 0;
}


typedef struct {
  mjtNum contacts, rows, qacc, force;  // worst relative differences
  int ncon, nefc, niter, states, other_counts, other_iterations;
} comparison;


static void keepLarger(mjtNum* worst, mjtNum value) {
  *worst = value > *worst || isnan(value) ? value : *worst;
}


static mjtNum compareContacts(const teamTwin* twin, const mjData* d) {
  mjtNum worst = 0;
  for (int i = 0; i < d->ncon; i++) {
    const mjContact* con = d->contact + i;
    keepLarger(&worst, fabs(con->dist - ofTwin(twin, "con_dist", i)));
    for (int k = 0; k < 3; k++) {
      keepLarger(&worst, fabs(con->pos[k] - ofTwin(twin, "con_pos", 3 * i + k)));
    }
    for (int k = 0; k < 9; k++) {
      keepLarger(&worst, fabs(con->frame[k] - ofTwin(twin, "con_frame", 9 * i + k)));
    }
  }
  return worst;
}


// relative row by row: D and aref differ much in size
static void compareRows(const teamTwin* twin, const mjData* d, comparison* c) {
  for (int r = 0; r < d->nefc; r++) {
    const mjtNum D = d->efc_D[r], aref = d->efc_aref[r];
    keepLarger(&c->rows, fabs(D - ofTwin(twin, "efc_D", r)) / D);
    keepLarger(&c->rows, fabs(aref - ofTwin(twin, "efc_aref", r)) / (100 + fabs(aref)));
  }
}


static void compareForward(teamTwin* twin, mjData* d, comparison* c) {
  const mjModel* m = twin->m;
  loadTwin(twin, d);
  mj_forward(m, d);
  runTwin(twin, CF_TEAM_SOLVE);
  CF_EQ_INT((int)ofTwin(twin, "trouble", 0), 0);
  c->states++;
  c->ncon += d->ncon;
  c->nefc += d->nefc;
  c->niter += d->nefc ? d->solver_niter[0] : 0;
  if ((int)ofTwin(twin, "ncon", 0) != d->ncon || (int)ofTwin(twin, "nefc", 0) != d->nefc) {
    c->other_counts++;
    return;
  }

  // single precision may see another feature of two boxes as the nearest
  const mjtNum contacts = compareContacts(twin, d);
  if (twin->tier->real_bytes == 4 && contacts > 1e-4) {
    c->other_counts++;
    return;
  }
  keepLarger(&c->contacts, contacts);
  int most = 0;
  for (int k = 0; k < mjNISLAND && d->nefc; k++) {
    most = d->solver_niter[k] > most ? d->solver_niter[k] : most;
  }
  c->other_iterations += (int)ofTwin(twin, "niter", 0) != most;
  compareRows(twin, d, c);
  keepLarger(&c->qacc, difference(twin, "qacc", d->qacc, (int)m->nv));
  keepLarger(&c->force, difference(twin, "qfrc_constraint", d->qfrc_constraint, (int)m->nv));
}


// states on the way of a random motion
static comparison compareMotion(const mjModel* m, const cfTeamTier* tier, int states, int steps) {
  comparison c = {0};
  teamTwin twin[2];  // matrices as lower triangles where dofs are few, and of the pattern of M
  for (int k = 0; k < 2; k++) {
    twin_keeps_pattern = k;
    twin[k] = openTeamTwin(m, tier, 60, 300, outputs);
  }
  mjData* d = mj_makeData(m);
  for (int k = 0; k < states; k++) {
    if (k % 10 == 0) {
      mj_resetDataKeyframe(m, d, m->nkey > 0 && k % 20 == 0 ? 0 : -1);
      for (int i = 0; i < m->nv; i++) {
        d->qvel[i] = draw();
      }
      mj_integratePos(m, d->qpos, d->qvel, 0.1);
    }
    for (int step = 0; step < steps; step++) {
      for (int u = 0; u < m->nu; u++) {
        d->ctrl[u] = draw();
      }
      mj_step(m, d);
    }
    compareForward(twin + k % 2, d, &c);
  }
  mj_deleteData(d);
  closeTeamTwin(twin);
  closeTeamTwin(twin + 1);
  return c;
}


// every number within its bound; single precision may take another number of iterations
static void expectClose(const char* name, const cfTeamTier* tier, const comparison* c) {
  const bool is_double = tier->real_bytes == 8;
  printf(
      "%-22s %s: %.1f contacts, %.1f rows, %.1f iterations; contacts differ in %d states, iterations "
      "in %d; contacts %.0e rows %.0e qacc %.0e force %.0e\n",
      name, is_double ? "double" : "single", (double)c->ncon / c->states,
      (double)c->nefc / c->states, (double)c->niter / c->states, c->other_counts,
      c->other_iterations, c->contacts, c->rows, c->qacc, c->force);
  CF_TRUE(c->other_counts <= (is_double ? 0 : c->states / 10));
  CF_TRUE(c->other_iterations <= (is_double ? c->states / 4 : c->states));
  CF_TRUE(c->contacts < (is_double ? 1e-11 : 1e-4));
  CF_TRUE(c->rows < (is_double ? 1e-10 : 1e-2));
  CF_TRUE(c->qacc < (is_double ? 1e-10 : 2e-2));
  CF_TRUE(c->force < (is_double ? 1e-10 : 2e-2));
}


CF_TEST(constraints__models_in_motion__as_the_engine) {
  static const char* const names[] = {"humanoid",
                                      "stack",
                                      "grasp",
                                      "robots/hopper",
                                      "robots/planar_runner",
                                      "robots/biped",
                                      "robots/quadruped",
                                      "robots/ant",
                                      "robots/hand",
                                      "contacts/condim",
                                      "contacts/dominoes",
                                      "contacts/pairs_excludes",
                                      "contacts/priority",
                                      "contacts/cradle",
                                      "contacts/margin_gap",
                                      "contacts/many_geoms",
                                      "contacts/masks",
                                      "joints/ball_limits",
                                      "joints/hinge_limits",
                                      "joints/compound",
                                      "options/newton",
                                      "islands/clusters",
                                      "equality/joint_curves",
                                      "equality/delta",
                                      "equality/four_bar_press",
                                      "robots/arm_gripper",
                                      "robots/mesh_quadruped",
                                      "assets/mesh_builtin",
                                      "contacts/on_mesh",
                                      "contacts/on_plane"};
  for (size_t n = 0; n < sizeof(names) / sizeof(names[0]); n++) {
    mjModel* m = loadModel(names[n]);
    char reason[200] = "";
    CF_TRUE(cfi_teamAccepts(m, reason, sizeof(reason)));
    for (int k = 0; k < 2; k++) {
      const comparison c = compareMotion(m, tiers[k], 30, 20);
      expectClose(names[n], tiers[k], &c);
    }
    mj_deleteModel(m);
  }
}


// welds of bodies that share joints and of bodies of two trees, dry friction, a cylinder on a plane
static const char welded_xml[] =
    "<mujoco><option cone='elliptic' impratio='3'/>"
    "<default><geom size='.05 .1' contype='0'/></default>"
    "<worldbody><geom type='plane' size='5 5 1' contype='1'/>"
    "<body name='a' pos='0 0 1'><joint type='ball'/><geom type='capsule'/>"
    "  <body name='b' pos='.3 0 0'><joint axis='0 1 0' frictionloss='.3'/><geom type='capsule'/>"
    "    <body name='c' pos='.3 0 0'><joint axis='1 0 1' frictionloss='2'/><geom type='box' size='.1 .1 .1'/>"
    "    </body></body></body>"
    "<body name='d' pos='.9 .4 .6'><freejoint/><geom type='cylinder'/></body>"
    "<body name='e' pos='0 .9 .1'><freejoint/><geom type='cylinder' condim='6'/></body>"
    "<body name='f' pos='.5 .9 .2'><freejoint/><geom size='.1' condim='4'/></body></worldbody>"
    "<equality><weld body1='a' body2='c' relpose='.6 .1 0 1 .1 0 0' torquescale='.7'/>"
    "<weld body1='d' body2='c'/><connect body1='b' body2='d' anchor='.1 .2 .3'/>"
    "<weld body1='d' active='false'/></equality></mujoco>";

CF_TEST(constraints__welds_and_dry_friction__as_the_engine) {
  char error[500] = "";
  mjSpec* spec = mj_parseXMLString(welded_xml, NULL, error, sizeof(error));
  mjModel* m = spec ? mj_compile(spec, NULL) : NULL;
  CF_EQ_STR(error, "");
  CF_TRUE(cfi_teamAccepts(m, error, sizeof(error)));
  for (int k = 0; k < 2; k++) {
    const comparison c = compareMotion(m, tiers[k], 40, 20);
    expectClose("welded", tiers[k], &c);
    CF_TRUE(c.nefc > 17 * c.states);
  }
  mj_deleteModel(m);
  mj_deleteSpec(spec);
}


// the first dof of a model has its place in the list of dofs too
CF_TEST(constraints__limit_of_the_first_joint__as_the_engine) {
  mjModel* m = compileText(
      "<mujoco><worldbody><body><joint axis='0 1 0' range='-10 10'/>"
      "<geom type='capsule' size='.05' fromto='0 0 0 .5 0 0'/>"
      "<body pos='.5 0 0'><joint axis='0 1 0' range='-10 10'/>"
      "<geom type='capsule' size='.05' fromto='0 0 0 .5 0 0'/></body></body></worldbody></mujoco>");
  mjData* d = mj_makeData(m);
  for (int k = 0; k < 4; k++) {
    comparison c = {0};
    teamTwin twin = openTeamTwin(m, tiers[k % 2], 2, 10, outputs);
    d->qpos[0] = k < 2 ? 0.2 : -0.19;
    d->qvel[0] = 0.3;
    compareForward(&twin, d, &c);
    CF_EQ_INT(c.nefc, 1);
    CF_TRUE(k >= 2 || d->qfrc_constraint[0] != 0);
    CF_TRUE(c.other_counts == 0 && c.rows < (k % 2 ? 1e-5 : 1e-12));
    CF_TRUE(c.qacc < (k % 2 ? 1e-5 : 1e-12) && c.force < (k % 2 ? 1e-5 : 1e-12));
    closeTeamTwin(&twin);
  }
  mj_deleteData(d);
  mj_deleteModel(m);
}


// a world that needs more room than it has says so and has no rows
CF_TEST(constraints__too_little_room__trouble) {
  mjModel* m = loadModel("stack");
  mjData* d = mj_makeData(m);
  mj_forward(m, d);
  static const int room[3][2] = {{3, 300}, {60, 9}, {60, 300}};
  CF_TRUE(d->ncon > 3 && d->nefc > 9);
  for (int k = 0; k < 3; k++) {
    teamTwin twin = openTeamTwin(m, &cfi_teamDouble, room[k][0], room[k][1], outputs);
    loadTwin(&twin, d);
    runTwin(&twin, CF_TEAM_SOLVE);
    CF_EQ_INT((int)ofTwin(&twin, "trouble", 0), k < 2 ? CF_TROUBLE_ROOM : 0);
    CF_TRUE(ofTwin(&twin, "ncon", 0) <= room[k][0] && ofTwin(&twin, "nefc", 0) <= room[k][1]);
    closeTeamTwin(&twin);
  }
  mj_deleteData(d);
  mj_deleteModel(m);
}


CF_TEST(equalities__of_sites__refused_by_name) {
  static const char* const kinds[2] = {"connect", "weld"};
  for (int k = 0; k < 2; k++) {
    for (int sites = 0; sites < 2; sites++) {
      char xml[1000], reason[200] = "";
      snprintf(
          xml, sizeof(xml),
          "<mujoco><worldbody><site name='x'/><body name='a'><freejoint/><geom size='.1'/>"
          "<site name='y'/></body><body name='b' pos='1 0 0'><freejoint/><geom size='.1'/></body>"
          "</worldbody><equality><%s %s/></equality></mujoco>",
          kinds[k], sites ? "site1='x' site2='y'" : "body1='a' body2='b' anchor='0 0 0'");
      mjModel* m = cf_compileText(xml);
      CF_EQ_INT(cfi_teamAccepts(m, reason, sizeof(reason)), !sites);
      CF_TRUE(!sites || strstr(reason, "equality constraints of sites"));
      mj_deleteModel(m);
    }
  }
}


// allocations until one fails; -1: none does
static int allocations_left = -1;

static void* shortMalloc(size_t size) {
  return allocations_left >= 0 && allocations_left-- == 0 ? NULL : malloc(size);
}


// each allocation in turn fails: there is no plan, and nobody takes a plan without rows for one
CF_TEST(plan__no_memory__no_plan) {
  mjModel* m = loadModel("robots/arm_gripper");
  const cfTeamTier* tier = &cfi_teamDouble;
  const cfTeamShape shape = cfi_teamShape(m, 20, 60);
  const size_t bytes = tier->plan(m, &shape, NULL, NULL, NULL, 0);
  char *block = malloc(bytes), *plan = malloc(tier->model_bytes);
  mju_user_malloc = shortMalloc;
  mju_user_free = free;
  int failed = 0, own_failed = 0;
  for (; failed < 50; failed++) {
    allocations_left = failed;
    if (tier->plan(m, &shape, NULL, plan, block, (uint64_t)(uintptr_t)block)) {
      break;
    }
  }
  for (; own_failed < 50; own_failed++) {
    allocations_left = own_failed;
    if (tier->own(m, &shape, block)) {
      break;
    }
  }
  allocations_left = 0;
  const cfTeamShape unknown = cfi_teamShape(m, 20, 60);
  allocations_left = -1;
  mju_user_malloc = NULL;
  mju_user_free = NULL;
  CF_EQ_INT(failed, 7);
  CF_EQ_INT(own_failed, 3);
  CF_EQ_INT(unknown.npair, -1);
  free(plan);
  free(block);
  mj_deleteModel(m);
}


CF_TEST_MAIN("constraints")
