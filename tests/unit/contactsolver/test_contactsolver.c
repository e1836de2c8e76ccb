// Choice of the contact solver: MuJoCo's through the table bit by bit, plain models untouched,
// registered solvers, parameters of geoms and pairs, bad input, numbers that are not finite.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cortenforge/contact.h>
#include <cortenforge/cortenforge.h>
#include <mujoco/mujoco.h>

#include "cf_test.h"
#include "cf_text.h"
#include "contactsolver/contactsolver.h"

static const char scene_xml[] =
    "<mujoco><option timestep='0.005'/><worldbody>"
    "<geom name='floor' type='plane' size='5 5 .1'/>"
    "<body pos='0 0 .4'><freejoint/><geom name='a' type='box' size='.1 .1 .1'/></body>"
    "<body pos='.05 0 .7'><freejoint/><geom name='b' type='capsule' size='.05 .1' condim='6'/></body>"
    "<body pos='1 0 .6'><joint name='h' type='hinge' axis='0 1 0' range='-40 40' limited='true'"
    " frictionloss='.1'/><geom type='capsule' size='.05' fromto='0 0 0 .3 0 0'/></body>"
    "<body pos='1.5 0 .6'><joint name='k' type='slide' axis='0 0 1'/><geom size='.05'/></body>"
    "</worldbody>"
    "<contact><pair geom1='a' geom2='b' condim='4'/></contact>"
    "<equality><joint joint1='h' joint2='k'/></equality>"
    "<sensor><touch site='s' name='t'/></sensor>"
    "</mujoco>";


// the scene, with a site for its touch sensor
static mjModel* openScene(void) {
  char xml[2000];
  snprintf(xml, sizeof(xml), "%s", scene_xml);
  char* at = strstr(xml, "<geom name='a'");
  char tail[2000];
  snprintf(tail, sizeof(tail), "%s", at);
  snprintf(at, sizeof(xml) - (size_t)(at - xml), "<site name='s' type='box' size='.12 .12 .12'/>%s",
           tail);
  return cf_compileText(xml);
}


// ---------------------------------------- solvers of a program

static int nprepare, nsolve;


static void countPrepare(const cfContactProblem* p, void* workspace) {
  (void)p;
  *(int*)workspace = 42;
  nprepare++;
}


static size_t oneInt(const cfContactProblem* p) {
  (void)p;
  return sizeof(int);
}


// leaves every step to MuJoCo's solver
static cftContactResult delegate(const cfContactProblem* p, void* workspace) {
  nsolve += *(int*)workspace == 42;
  const cfContactSolver* lcp = cf_findContactSolver("lcp");
  return lcp->solve(p, NULL);
}


static const cfContactSolver delegating = {
    .name = "delegating", .workspace = oneInt, .prepare = countPrepare, .solve = delegate};


// every number the worst it can be, chosen by the parameter
static cftContactResult ruin(const cfContactProblem* p, void* workspace) {
  (void)workspace;
  for (int r = 0; r < p->d->nefc; r++) {
    p->force[r] = p->parameter[0] == 0 ? NAN : p->parameter[0] * INFINITY;
  }
  p->drift[0] = NAN;
  return CF_CONTACT_FORCES;
}

static const cfContactParameter ruin_parameter[] = {
    {"sign", 0, -1, 1, CF_CONTACT_MODEL, "-", "0: NaN, else the sign of infinity"}};
static const cfContactSolver ruining = {
    .name = "ruining", .nparameter = 1, .parameter = ruin_parameter, .solve = ruin};


// hands out what it sees of the parameters of contacts
static mjtNum seen[3][100];
static int nseen;

static cftContactResult look(const cfContactProblem* p, void* workspace) {
  (void)workspace;
  nseen = p->d->ncon;
  for (int i = 0; i < p->d->ncon && i < 100; i++) {
    for (int k = 0; k < 3; k++) {
      seen[k][i] = p->contact[3 * i + k];
    }
  }
  return CF_CONTACT_FORCES;
}

static const cfContactParameter look_parameter[] = {{"mean", 1, 0, 10, CF_CONTACT_MEAN, "-", ""},
                                                    {"max", 2, 0, 10, CF_CONTACT_MAX, "-", ""},
                                                    {"min", 3, 0, 10, CF_CONTACT_MIN, "-", ""}};
static const cfContactSolver looking = {
    .name = "looking", .nparameter = 3, .parameter = look_parameter, .solve = look};


// wants more memory than there is
static size_t endless(const cfContactProblem* p) {
  (void)p;
  return (size_t)1 << 40;
}

static const cfContactSolver greedy = {.name = "greedy", .workspace = endless, .solve = look};


static void registerOnce(const cfContactSolver* solver) {
  if (!cf_findContactSolver(solver->name)) {
    CF_EQ_INT(cf_registerContactSolver(solver), 1);
  }
}


static void choose(mjModel* m, const char* name) {
  char error[300] = "";
  if (!cf_setContactSolver(m, name, NULL, 0, error, sizeof(error))) {
    CF_FAIL("%s\n", error);
  }
  CF_EQ_STR(cf_contactSolver(m)->name, name);
}


// ---------------------------------------- MuJoCo's solver

// all results of a step, by bits
static void expectEqualSteps(const mjModel* m, mjData* a, const mjModel* n, mjData* b, int nstep) {
  for (int k = 0; k < nstep; k++) {
    mj_step(m, a);
    mj_step(n, b);
    CF_TRUE(cf_stateHash(m, a) == cf_stateHash(n, b));
    CF_EQ_INT(a->nefc, b->nefc);
    CF_EQ_INT(memcmp(a->efc_force, b->efc_force, sizeof(mjtNum) * (size_t)a->nefc), 0);
    CF_EQ_INT(memcmp(a->efc_state, b->efc_state, sizeof(int) * (size_t)a->nefc), 0);
    CF_EQ_INT(memcmp(a->qfrc_constraint, b->qfrc_constraint, sizeof(mjtNum) * (size_t)m->nv), 0);
    CF_EQ_INT(memcmp(a->solver_niter, b->solver_niter, sizeof(a->solver_niter)), 0);
  }
}


CF_TEST(lcp__through_the_table__same_bits_with_pgs_cg_newton) {
  registerOnce(&delegating);
  for (int solver = mjSOL_PGS; solver <= mjSOL_NEWTON; solver++) {
    for (int cone = mjCONE_PYRAMIDAL; cone <= mjCONE_ELLIPTIC; cone++) {
      mjModel *plain = openScene(), *other = openScene();
      plain->opt.solver = other->opt.solver = solver;
      plain->opt.cone = other->opt.cone = cone;
      choose(other, "delegating");
      mjData *a = mj_makeData(plain), *b = mj_makeData(other);
      nprepare = nsolve = 0;
      expectEqualSteps(plain, a, other, b, 200);
      CF_EQ_INT(nprepare, nsolve);
      CF_TRUE(nsolve > 150);
      mj_deleteData(a);
      mj_deleteData(b);
      mj_deleteModel(plain);
      mj_deleteModel(other);
    }
  }
}


CF_TEST(plainModel__nothing_chosen__nothing_kept_and_same_bits_after_lcp_was_named) {
  mjModel *plain = openScene(), *named = openScene();
  CF_EQ_STR(cf_contactSolver(plain)->name, "lcp");
  choose(named, "lcp");

  // lcp has no entry of its own: mj_sizeModel, which counts what is kept, is the same
  CF_EQ_INT(mj_sizeModel(plain), mj_sizeModel(named));
  mjData *a = mj_makeData(plain), *b = mj_makeData(named);
  expectEqualSteps(plain, a, named, b, 200);
  mj_deleteData(a);
  mj_deleteData(b);
  mj_deleteModel(plain);
  mj_deleteModel(named);
}


CF_TEST(switching__between_steps__back_to_lcp_has_the_bits_of_lcp) {
  registerOnce(&looking);
  mjModel *plain = openScene(), *other = openScene();
  mjData *a = mj_makeData(plain), *b = mj_makeData(other);
  expectEqualSteps(plain, a, other, b, 60);
  choose(other, "looking");
  mj_forward(other, b);
  CF_TRUE(mju_norm(b->efc_force, b->nefc) == 0);
  choose(other, "lcp");
  expectEqualSteps(plain, a, other, b, 100);
  mj_deleteData(a);
  mj_deleteData(b);
  mj_deleteModel(plain);
  mj_deleteModel(other);
}


// ---------------------------------------- parameters

static void setFor(mjModel* m, const char* name, mjtObj type, const char* object, mjtNum value) {
  char error[300] = "";
  const int id = type == mjOBJ_PAIR ? 0 : mj_name2id(m, type, object);
  if (!cf_setContactParameter(m, "looking", name, type, id, value, error, sizeof(error))) {
    CF_FAIL("%s\n", error);
  }
}


// index of the first contact between two geoms
static int contactBetween(const mjModel* m, const mjData* d, const char* g1, const char* g2) {
  const int a = mj_name2id(m, mjOBJ_GEOM, g1), b = mj_name2id(m, mjOBJ_GEOM, g2);
  for (int i = 0; i < d->ncon; i++) {
    const int* g = d->contact[i].geom;
    if ((g[0] == a && g[1] == b) || (g[0] == b && g[1] == a)) {
      return i;
    }
  }
  CF_FAIL("no contact between %s and %s\n", g1, g2);
  return 0;
}


CF_TEST(parameters__of_pair_geoms_and_model__the_nearest_wins) {
  registerOnce(&looking);
  mjModel* m = openScene();
  mjData* d = mj_makeData(m);
  d->qpos[2] = 0.099;
  d->qpos[7] = 0, d->qpos[9] = 0.24;
  mju_copy(d->qpos + 10, (mjtNum[4]){sqrt(0.5), 0, sqrt(0.5), 0}, 4);
  choose(m, "looking");
  mj_forward(m, d);
  const int floor = contactBetween(m, d, "floor", "a"), pair = contactBetween(m, d, "a", "b");
  CF_NEAR(seen[0][floor], 1, 0);
  CF_NEAR(seen[1][pair], 2, 0);

  setFor(m, "mean", mjOBJ_GEOM, "a", 5);
  setFor(m, "max", mjOBJ_GEOM, "a", 5);
  setFor(m, "min", mjOBJ_GEOM, "a", 5);
  setFor(m, "max", mjOBJ_GEOM, "floor", 7);
  setFor(m, "min", mjOBJ_GEOM, "floor", 7);
  setFor(m, "mean", mjOBJ_GEOM, "floor", 7);
  setFor(m, "max", mjOBJ_PAIR, NULL, 9);
  mj_forward(m, d);
  CF_NEAR(seen[0][floor], 6, 0);
  CF_NEAR(seen[1][floor], 7, 0);
  CF_NEAR(seen[2][floor], 5, 0);
  CF_NEAR(seen[0][pair], 5, 0);
  CF_NEAR(seen[1][pair], 9, 0);

  // priority decides alone
  m->geom_priority[mj_name2id(m, mjOBJ_GEOM, "a")] = 1;
  mj_forward(m, d);
  CF_NEAR(seen[0][floor], 5, 0);
  CF_NEAR(seen[1][floor], 5, 0);

  // a copy of the model has them all
  mjModel* copy = mj_copyModel(NULL, m);
  mj_deleteModel(m);
  CF_EQ_STR(cf_contactSolver(copy)->name, "looking");
  CF_NEAR(cf_contactParameter(copy, "looking", "max", mjOBJ_PAIR, 0), 9, 0);
  CF_TRUE(isnan(cf_contactParameter(copy, "looking", "min", mjOBJ_PAIR, 0)));
  mj_forward(copy, d);
  CF_NEAR(seen[1][pair], 9, 0);
  mj_deleteData(d);
  mj_deleteModel(copy);
}


static void expectRefused(mjModel* m, const char* name, const mjtNum* values, int n,
                          const char* phrase) {
  char error[500] = "";
  CF_EQ_INT(cf_setContactSolver(m, name, values, n, error, sizeof(error)), 0);
  CF_HAS_STR(error, phrase);
  CF_EQ_STR(cf_contactSolver(m)->name, "lcp");
  CF_EQ_INT(cf_setContactSolver(m, name, values, n, NULL, 0), 0);
}


CF_TEST(choice__bad_input__message_and_model_as_it_was) {
  registerOnce(&looking);
  mjModel* m = openScene();
  const mjtNum bad[4] = {1, 11, 3, 4}, nan_value[1] = {NAN};
  expectRefused(m, "no_such", NULL, 0, "unknown contact solver 'no_such'; known are lcp");
  expectRefused(m, "looking", bad, 2, "parameter 'max' of contact solver 'looking' is 11");
  expectRefused(m, "looking", nan_value, 1, "allowed is 0 to 10");
  expectRefused(m, "looking", bad, 4, "has 3 parameters, 4 are given");
  expectRefused(m, "lcp", bad, 1, "has 0 parameters");

  char error[500] = "";
  CF_EQ_INT(cf_setContactParameter(m, "looking", "max", mjOBJ_GEOM, 99, 1, error, 500), 0);
  CF_HAS_STR(error, "no such geom");
  CF_EQ_INT(cf_setContactParameter(m, "looking", "most", mjOBJ_GEOM, 0, 1, error, 500), 0);
  CF_HAS_STR(error, "has no parameter 'most'; it has mean, max, min");
  CF_EQ_INT(cf_setContactParameter(m, NULL, "most", mjOBJ_GEOM, 0, 1, error, 500), 0);
  CF_TRUE(isnan(cf_contactParameter(m, "looking", "most", mjOBJ_MODEL, 0)));
  CF_TRUE(isnan(cf_contactParameter(m, "looking", "max", mjOBJ_GEOM, -1)));
  mj_deleteModel(m);
}


static int nwarning;
static char last_warning[1000];

static void countWarning(const char* text) {
  snprintf(last_warning, sizeof(last_warning), "%s", text);
  nwarning++;
}


CF_TEST(registration__incomplete_or_twice__refused_with_a_warning) {
  static const cfContactParameter twin[2] = {{"a", 0, 0, 1, CF_CONTACT_MODEL, "-", ""},
                                             {"a", 0, 0, 1, CF_CONTACT_MODEL, "-", ""}};
  static const cfContactParameter above[1] = {{"a", 2, 0, 1, CF_CONTACT_MODEL, "-", ""}};
  static const cfContactParameter below[1] = {{"a", -1, 0, 1, CF_CONTACT_MODEL, "-", ""}};
  static const cfContactParameter nameless[1] = {{"", 0, 0, 1, CF_CONTACT_MODEL, "-", ""}};
  static const cfContactParameter shared[1] = {{"a", 0, 0, 1, (cftContactShare)4, "-", ""}};
  static char names[CF_CONTACT_PARAMETERS + 1][8];
  static cfContactParameter many[CF_CONTACT_PARAMETERS + 1];
  for (int k = 0; k <= CF_CONTACT_PARAMETERS; k++) {
    snprintf(names[k], sizeof(names[k]), "p%d", k);
    many[k] = (cfContactParameter){names[k], 0, 0, 1, CF_CONTACT_MODEL, "-", ""};
  }
  const struct {
    cfContactSolver solver;
    const char* reason;
  } bad[] = {
      {{.name = "lcp", .solve = look}, "of that name"},
      {{.name = "", .solve = look}, "name"},
      {{.name = "x"}, "solve"},
      {{.name = "x", .solve = look, .nparameter = 2, .parameter = twin}, "name of its own"},
      {{.name = "x", .solve = look, .nparameter = 1, .parameter = nameless}, "name of its own"},
      {{.name = "x", .solve = look, .nparameter = 1, .parameter = above}, "bounds"},
      {{.name = "x", .solve = look, .nparameter = 1, .parameter = below}, "bounds"},
      {{.name = "x", .solve = look, .nparameter = 1, .parameter = shared}, "share"},
      {{.name = "x", .solve = look, .nparameter = -1, .parameter = twin}, "too many"},
      {{.name = "x", .solve = look, .nparameter = CF_CONTACT_PARAMETERS + 1, .parameter = many},
       "too many"},
      {{.name = "x", .solve = look, .nparameter = 1}, "missing"}};
  enum { NBAD = sizeof(bad) / sizeof(bad[0]) };
  void (*const before)(const char*) = mju_user_warning;
  mju_user_warning = countWarning;
  nwarning = 0;
  CF_EQ_INT(cf_registerContactSolver(NULL), 0);
  for (int k = 0; k < NBAD; k++) {
    CF_EQ_INT(cf_registerContactSolver(&bad[k].solver), 0);
    CF_HAS_STR(last_warning, bad[k].reason);
  }
  CF_EQ_INT(nwarning, NBAD + 1);
  CF_TRUE(cf_findContactSolver("x") == NULL);
  CF_TRUE(cf_contactSolverAt(-1) == NULL && cf_contactSolverAt(1000) == NULL);
  mju_user_warning = before;
}


// ---------------------------------------- files

// an entry of a section: name, one value, whether it is the one in use
static size_t packEntry(char* bytes, const char* name, int nname, int nvalue, int place, int k,
                        mjtNum value) {
  const int32_t entry[4] = {nname, nvalue, 1, 0}, where[2] = {place, k};
  size_t used = strlen(name);
  memcpy(bytes, entry, sizeof(entry));
  memcpy(bytes + 16, name, used);
  used += 16;
  memcpy(bytes + used, where, sizeof(where));
  memcpy(bytes + used + 8, &value, sizeof(value));
  return used + 16;
}


CF_TEST(file__section_that_does_not_fit__refused_with_a_reason) {
  mjModel* m = openScene();
  const int geoms = (int)(m->ngeom + m->npair);
  char long_name[251] = "";
  memset(long_name, 'x', sizeof(long_name) - 1);
  const struct {
    const char* name;
    int nname, nvalue, place, k;
    mjtNum value;
    const char* reason;
  } bad[] = {{"xpbd", 0, 1, -1, 0, 4, "does not fit"},
             {"xpbd", -4, 1, -1, 0, 4, "does not fit"},
             {"xpbd", 100, 1, -1, 0, 4, "does not fit"},
             {"xpbd", 4, 2, -1, 0, 4, "does not fit"},
             {"xpbd", 4, -1, -1, 0, 4, "does not fit"},
             {long_name, 250, 1, -1, 0, 4, "does not fit"},
             {"gone", 4, 1, -1, 0, 4, "unknown contact solver 'gone'"},
             {"xpbd", 4, 1, -1, 8, 4, "has no value 8"},
             {"xpbd", 4, 1, -1, -1, 4, "has no value -1"},
             {"xpbd", 4, 1, -2, 0, 4, "of object -2"},
             {"xpbd", 4, 1, geoms, 2, 0, "of object"},
             {"xpbd", 4, 1, 0, 0, 4, "one of the whole model"},
             {"xpbd", 4, 1, -1, 0, 0, "allowed is 1 to 1000"},
             {"xpbd", 4, 1, -1, 0, 2.5, "is 2.5, allowed is 1 to 1000, whole numbers"},
             {"xpbd", 4, 1, -1, 2, -0.5, "is -0.5, allowed is 0 to 1e+10, or -1 for none given"},
             {"hunt_crossley", 13, 1, -1, 2, -0.5, "or -1 for none given"},
             {"xpbd", 4, 1, -1, 0, NAN, "allowed is 1 to 1000"}};
  for (size_t k = 0; k < sizeof(bad) / sizeof(bad[0]); k++) {
    char bytes[400], reason[300] = "";
    int last = -1;
    const size_t nbyte = packEntry(bytes, bad[k].name, bad[k].nname, bad[k].nvalue, bad[k].place,
                                   bad[k].k, bad[k].value);
    CF_EQ_INT(cfi_unpackContactSolver(m, &last, bytes, nbyte, reason, sizeof(reason)), 0);
    CF_HAS_STR(reason, bad[k].reason);
    CF_EQ_STR(cf_contactSolver(m)->name, "lcp");
    CF_EQ_INT(cfi_unpackContactSolver(m, &last, bytes, 9, reason, sizeof(reason)), 0);
  }

  // the last geom or pair, and the model
  char bytes[100], reason[300] = "";
  int last = -1;
  size_t nbyte = packEntry(bytes, "xpbd", 4, 1, geoms - 1, 2, 1e-3);
  CF_EQ_INT(cfi_unpackContactSolver(m, &last, bytes, nbyte, reason, sizeof(reason)), nbyte);
  CF_NEAR(cf_contactParameter(m, "xpbd", "compliance", mjOBJ_PAIR, (int)m->npair - 1), 1e-3, 0);

  // a solver comes once, and so does each of its values, in the order of objects and parameters
  CF_EQ_INT(cfi_unpackContactSolver(m, &last, bytes, nbyte, reason, sizeof(reason)), 0);
  CF_EQ_STR(reason, "solver 'xpbd' comes twice");
  mj_deleteModel(m);
  m = openScene();
  memcpy(bytes + nbyte, bytes + nbyte - 16, 16);
  bytes[4] = 2;
  CF_EQ_INT(cfi_unpackContactSolver(m, &last, bytes, nbyte + 16, reason, sizeof(reason)), 0);
  CF_HAS_STR(reason, "comes twice");
  mj_deleteModel(m);
  m = openScene();
  nbyte = packEntry(bytes, "xpbd", 4, 1, -1, 0, 9);
  CF_EQ_INT(cfi_unpackContactSolver(m, &last, bytes, nbyte, reason, sizeof(reason)), nbyte);
  CF_NEAR(cf_contactParameter(m, "xpbd", "substeps", mjOBJ_MODEL, 0), 9, 0);
  CF_EQ_STR(cf_contactSolver(m)->name, "xpbd");
  mj_deleteModel(m);
}


CF_TEST(callback__not_a_number_or_infinite__counted_and_state_stays_finite) {
  registerOnce(&ruining);
  void (*const before)(const char*) = mju_user_warning;
  mju_user_warning = countWarning;
  for (int sign = -1; sign <= 1; sign++) {
    mjModel* m = openScene();
    mjData* d = mj_makeData(m);
    const mjtNum value = sign;
    CF_EQ_INT(cf_setContactSolver(m, "ruining", &value, 1, NULL, 0), 1);
    for (int k = 0; k < 100; k++) {
      mj_step(m, d);
      CF_TRUE(d->time > 0);
    }
    CF_TRUE(d->warning[mjWARN_BADQACC].number > 50);
    CF_EQ_INT(d->warning[mjWARN_BADQPOS].number, 0);
    for (int i = 0; i < m->nq; i++) {
      CF_TRUE(isfinite(d->qpos[i]));
    }
    mj_deleteData(d);
    mj_deleteModel(m);
  }
  mju_user_warning = before;
}

CF_TEST(workspace__larger_than_the_arena__counted_and_no_forces) {
  registerOnce(&greedy);
  void (*const before)(const char*) = mju_user_warning;
  mju_user_warning = countWarning;
  mjModel* m = openScene();
  mjData* d = mj_makeData(m);
  choose(m, "greedy");
  nseen = -1;
  for (int k = 0; k < 100; k++) {
    mj_step(m, d);
  }
  CF_TRUE(d->warning[mjWARN_CNSTRFULL].number > 50);
  CF_EQ_INT(nseen, -1);
  CF_TRUE(d->nefc > 0);
  CF_TRUE(mju_norm(d->efc_force, d->nefc) == 0);
  CF_TRUE(mju_norm(d->qfrc_constraint, (int)m->nv) == 0);
  mj_deleteData(d);
  mj_deleteModel(m);
  mju_user_warning = before;
}

CF_TEST_MAIN("contactsolver/contactsolver")
