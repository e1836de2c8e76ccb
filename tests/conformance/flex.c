// Soft bodies against MuJoCo 3.5.0: the models of tests/data/flex with every integrator, solver and
// cone, dense and sparse rows, with and without the middle phase.  Each step starts from the
// reference's state; every real array of mjData, the rows and the contacts are compared.
#include "cf_test.h"

#include <dirent.h>
#include <stdbool.h>

#include <mujoco/mjxmacro.h>
#include <mujoco/mujoco.h>

#include "cf_reference.h"

enum { STEPS_PER_RUN = 12, SKIPPED_STEPS = 25 };
static const double allowed = 1e-8;

// options of one run
typedef struct {
  int integrator, solver, cone, jacobian;
  int disable, enable;
} flexRun;

// one model in both libraries
typedef struct {
  const char* path;
  flexRun run;
  mjModel *ref_m, *m;
  mjData *ref_d, *d;
  int step;
} flexTwins;


static flexTwins openFlex(const char* path, flexRun run) {
  char error[500] = "";
  flexTwins t = {.path = path, .run = run};
  t.ref_m = CF_REF(mj_loadXML)(path, NULL, error, sizeof(error));
  if (!t.ref_m) {
    CF_FAIL("%s: %s\n", path, error);
  }
  t.ref_m->opt.integrator = run.integrator;
  t.ref_m->opt.solver = run.solver;
  t.ref_m->opt.cone = run.cone;
  if (run.solver == mjSOL_CG) {
    // what rounding does to many steps along conjugate directions is not specified
    t.ref_m->opt.iterations = 5;
  }
  t.ref_m->opt.jacobian = run.jacobian;
  t.ref_m->opt.disableflags |= run.disable;
  t.ref_m->opt.enableflags |= run.enable | mjENBL_ENERGY;

  const int size = (int)CF_REF(mj_sizeModel)(t.ref_m);
  void* buffer = malloc((size_t)size);
  CF_REF(mj_saveModel)(t.ref_m, NULL, buffer, size);
  t.m = mj_loadModelBuffer(buffer, size);
  free(buffer);
  CF_TRUE(t.m);
  t.ref_d = CF_REF(mj_makeData)(t.ref_m);
  t.d = mj_makeData(t.m);
  return t;
}


static void closeFlex(flexTwins t) {
  CF_REF(mj_deleteData)(t.ref_d);
  CF_REF(mj_deleteModel)(t.ref_m);
  mj_deleteData(t.d);
  mj_deleteModel(t.m);
}


static void complain(const flexTwins* t, const char* what, double error) {
  CF_FAIL(
      "%s: integrator %d solver %d cone %d jacobian %d disable %d enable %d step %d: %s differs by %g\n",
      t->path, t->run.integrator, t->run.solver, t->run.cone, t->run.jacobian, t->run.disable,
      t->run.enable, t->step, what, error);
}


// largest difference of two arrays relative to their largest number
static double flexArrayError(const mjtNum* a, const mjtNum* b, long n) {
  double scale = 1e-6, error = 0;
  for (long i = 0; i < n; i++) {
    const double gap = fabs(a[i] - b[i]);
    scale = fmax(scale, fabs(a[i]));
    error = gap <= error ? error : isnan(gap) ? INFINITY : gap;
  }
  return error / scale;
}


static void compareContacts(const flexTwins* t) {
  if (t->ref_d->ncon != t->d->ncon) {
    complain(t, "ncon", t->d->ncon - t->ref_d->ncon);
  }
  for (int k = 0; k < t->d->ncon; k++) {
    const mjContact *a = t->ref_d->contact + k, *b = t->d->contact + k;
    for (int side = 0; side < 2; side++) {
      if (a->geom[side] != b->geom[side] || a->flex[side] != b->flex[side] ||
          a->elem[side] != b->elem[side] || a->vert[side] != b->vert[side]) {
        complain(t, "contact ids", k);
      }
    }
    if (a->dim != b->dim || a->exclude != b->exclude || a->efc_address != b->efc_address) {
      complain(t, "contact integers", k);
    }
    const double error = fmax(
        fmax(flexArrayError(a->pos, b->pos, 3), flexArrayError(a->frame, b->frame, 9)),
        fmax(fabs(a->dist - b->dist),
             flexArrayError(&a->includemargin, &b->includemargin, 1 + 5 + 2 * mjNREF + mjNIMP)));
    if (!(error <= allowed)) {
      complain(t, "contact", error);
    }
  }
}


static void compareRow(const flexTwins* t, const char* name, const mjtNum* a, const mjtNum* b,
                       long n) {
  const double error = flexArrayError(a, b, n);
  if (!(error <= allowed)) {
    complain(t, name, error);
  }
}


static void compareRows(const flexTwins* t) {
  const mjData *a = t->ref_d, *b = t->d;
  if (a->nefc != b->nefc || a->nJ != b->nJ || a->nisland != b->nisland) {
    complain(t, "nefc, nJ or nisland", b->nefc - a->nefc);
  }
  if (a->nefc) {
    compareRow(t, "efc_J", a->efc_J, b->efc_J, a->nJ);
    compareRow(t, "efc_pos", a->efc_pos, b->efc_pos, a->nefc);
    compareRow(t, "efc_D", a->efc_D, b->efc_D, a->nefc);
    compareRow(t, "efc_vel", a->efc_vel, b->efc_vel, a->nefc);
    compareRow(t, "efc_aref", a->efc_aref, b->efc_aref, a->nefc);
    compareRow(t, "efc_force", a->efc_force, b->efc_force, a->nefc);
    if (memcmp(a->efc_type, b->efc_type, sizeof(int) * (size_t)a->nefc) ||
        memcmp(a->efc_id, b->efc_id, sizeof(int) * (size_t)a->nefc)) {
      complain(t, "efc_type or efc_id", 0);
    }
  }
}


static void compareFlex(const flexTwins* t) {
  const mjModel* m = t->m;
  MJDATA_POINTERS_PREAMBLE(m)
#define X(type, name, nr, nc)                                                          \
  if (!strcmp(#type, "mjtNum") && strcmp(#name, "actuator_moment")) {                  \
    const double error = flexArrayError((const mjtNum*)(const void*)t->ref_d->name,    \
                                        (const mjtNum*)(const void*)t->d->name,        \
                                        sizeof(type) == 8 ? (long)(m->nr) * (nc) : 0); \
    if (!(error <= allowed)) {                                                         \
      complain(t, #name, error);                                                       \
    }                                                                                  \
  }
  compareContacts(t);
  compareRows(t);
  MJDATA_POINTERS
#undef X
  compareRow(t, "energy", t->ref_d->energy, t->d->energy, 2);
}


static void runFlex(const char* path, flexRun run) {
  flexTwins t = openFlex(path, run);
  const int size = mj_stateSize(t.m, mjSTATE_INTEGRATION);
  mjtNum* state = malloc(sizeof(mjtNum) * (size_t)size);
  for (int i = 0; i < t.m->nv; i++) {
    t.ref_d->qvel[i] = 0.3 * sin(3.0 * i);
  }
  for (int k = 0; k < STEPS_PER_RUN + SKIPPED_STEPS; k++) {
    const bool is_compared = k < STEPS_PER_RUN / 2 || k >= SKIPPED_STEPS + STEPS_PER_RUN / 2;
    t.step = k;
    CF_REF(mj_getState)(t.ref_m, t.ref_d, state, mjSTATE_INTEGRATION);
    CF_REF(mj_step)(t.ref_m, t.ref_d);
    if (is_compared) {
      mj_setState(t.m, t.d, state, mjSTATE_INTEGRATION);
      mj_step(t.m, t.d);
      compareFlex(&t);
    }
  }
  free(state);
  closeFlex(t);
}


static void forAllFlexModels(flexRun run) {
  const char* only = getenv("CF_ONLY");
  const char* folder = CF_SOURCE_DIR "/tests/data/flex";
  DIR* dir = opendir(folder);
  CF_TRUE(dir);
  for (struct dirent* entry; (entry = readdir(dir));) {
    const char* extension = strrchr(entry->d_name, '.');
    if (extension && !strcmp(extension, ".xml") && (!only || strstr(entry->d_name, only))) {
      char path[500];
      snprintf(path, sizeof(path), "%s/%.200s", folder, entry->d_name);
      runFlex(path, run);
    }
  }
  closedir(dir);
}


static const flexRun usual = {mjINT_EULER, mjSOL_NEWTON, mjCONE_PYRAMIDAL, mjJAC_SPARSE, 0, 0};


CF_TEST(flex__no_constraints_every_integrator__equals_reference) {
  for (int k = mjINT_EULER; cf_referenceOpen() && k <= mjINT_IMPLICITFAST; k++) {
    flexRun run = usual;
    run.integrator = k;
    run.disable = mjDSBL_CONSTRAINT;
    forAllFlexModels(run);
  }
}


CF_TEST(flex__equality_alone__equals_reference) {
  for (int k = mjJAC_DENSE; cf_referenceOpen() && k <= mjJAC_SPARSE; k++) {
    flexRun run = usual;
    run.jacobian = k;
    run.disable = mjDSBL_CONTACT;
    forAllFlexModels(run);
  }
}


CF_TEST(flex__contacts_with_every_solver_cone_and_jacobian__equal_reference) {
  for (int k = 0; cf_referenceOpen() && k < 12; k++) {
    flexRun run = usual;
    run.solver = k / 4;
    run.cone = k / 2 % 2;
    run.jacobian = k % 2;
    forAllFlexModels(run);
  }
}


CF_TEST(flex__contacts_with_implicit_integrators__equal_reference) {
  for (int k = mjINT_IMPLICIT; cf_referenceOpen() && k <= mjINT_IMPLICITFAST; k++) {
    flexRun run = usual;
    run.integrator = k;
    forAllFlexModels(run);
  }
}


CF_TEST(flex__other_paths_of_collision__equal_reference) {
  const int disable[3] = {mjDSBL_MIDPHASE, mjDSBL_NATIVECCD, mjDSBL_ISLAND};
  for (int k = 0; cf_referenceOpen() && k < 3; k++) {
    flexRun run = usual;
    run.disable = disable[k];
    forAllFlexModels(run);
  }
}


// rays from a shell around the flexes, every choice of what is shown
static void compareRays(const char* path) {
  flexTwins t = openFlex(path, usual);
  int hits = 0;
  for (int i = 0; i < t.m->nv; i++) {
    t.ref_d->qvel[i] = t.d->qvel[i] = 0.3 * sin(3.0 * i);
  }
  CF_REF(mj_step)(t.ref_m, t.ref_d);
  CF_REF(mj_forward)(t.ref_m, t.ref_d);
  mj_step(t.m, t.d);
  mj_forward(t.m, t.d);
  for (int k = 0; k < 2000; k++) {
    const int f = k % (int)t.m->nflex;
    const mjtNum* aim =
        t.d->flexvert_xpos + 3 * (t.m->flex_vertadr[f] + (k * 7) % t.m->flex_vertnum[f]);
    const mjtNum from[3] = {sin(1.0 * k), sin(2.0 * k + 1), cos(3.0 * k)};
    const mjtNum vec[3] = {aim[0] - from[0] + 0.01 * sin(0.3 * k), aim[1] - from[1],
                           aim[2] - from[2] + 0.02 * cos(0.7 * k)};
    const mjtByte flag[4] = {k & 1, k >> 1 & 1, k >> 2 & 1, k >> 3 & 1};
    int vertex[2] = {-1, -1};
    mjtNum normal[2][3];
    const mjtNum theirs = CF_REF(mj_rayFlex)(t.ref_m, t.ref_d, k >> 4 & 1, flag[0], flag[1],
                                             flag[2], flag[3], f, from, vec, vertex, normal[0]);
    const mjtNum ours = mj_rayFlex(t.m, t.d, k >> 4 & 1, flag[0], flag[1], flag[2], flag[3], f,
                                   from, vec, vertex + 1, normal[1]);
    CF_NEAR(ours, theirs, 1e-9);
    CF_EQ_INT(vertex[1], vertex[0]);
    CF_NEAR_ARRAY(normal[1], normal[0], 3, 1e-8);
    hits += ours >= 0;
  }
  CF_TRUE(hits > 400);
  closeFlex(t);
}


CF_TEST(rayFlex__all_ways_to_show_a_flex__equals_reference) {
  if (cf_referenceOpen()) {
    compareRays(CF_SOURCE_DIR "/tests/data/flex/jelly.xml");
    compareRays(CF_SOURCE_DIR "/tests/data/flex/rope.xml");
    compareRays(CF_SOURCE_DIR "/tests/data/flex/curved.xml");
    compareRays(CF_SOURCE_DIR "/tests/data/flex/grids.xml");
  }
}


// both at the same bent state, forwarded
static flexTwins openBentTwins(const char* path) {
  flexTwins t = openFlex(path, usual);
  for (int i = 0; i < t.m->nv; i++) {
    t.ref_d->qvel[i] = 2 * sin(3.0 * i);
  }
  CF_REF(mj_step)(t.ref_m, t.ref_d);
  const int size = mj_stateSize(t.m, mjSTATE_INTEGRATION);
  mjtNum* state = malloc(sizeof(mjtNum) * (size_t)size);
  CF_REF(mj_getState)(t.ref_m, t.ref_d, state, mjSTATE_INTEGRATION);
  mj_setState(t.m, t.d, state, mjSTATE_INTEGRATION);
  free(state);
  CF_REF(mj_forward)(t.ref_m, t.ref_d);
  mj_forward(t.m, t.d);
  return t;
}


static void compareScenes(flexTwins* t, int flags) {
  mjvScene theirs, ours;
  mjvOption opt;
  mjvPerturb pert;
  mjvCamera cam;
  mjv_defaultOption(&opt);
  mjv_defaultPerturb(&pert);
  mjv_defaultCamera(&cam);
  CF_REF(mjv_defaultScene)(&theirs);
  mjv_defaultScene(&ours);
  CF_REF(mjv_makeScene)(t->ref_m, &theirs, 5000);
  mjv_makeScene(t->m, &ours, 5000);
  opt.flags[mjVIS_FLEXVERT] = flags & 1;
  opt.flags[mjVIS_FLEXEDGE] = flags >> 1 & 1;
  opt.flags[mjVIS_FLEXFACE] = flags >> 2 & 1;
  opt.flags[mjVIS_FLEXSKIN] = flags >> 3 & 1;
  opt.flags[mjVIS_CONTACTPOINT] = opt.flags[mjVIS_CONTACTFORCE] = 1;
  CF_REF(mjv_updateScene)(t->ref_m, t->ref_d, &opt, &pert, &cam, mjCAT_ALL, &theirs);
  mjv_updateScene(t->m, t->d, &opt, &pert, &cam, mjCAT_ALL, &ours);
  CF_EQ_INT(ours.ngeom, theirs.ngeom);
  for (int f = 0; f < theirs.nflex; f++) {
    const int adr = theirs.flexfaceadr[f], used = theirs.flexfaceused[f];
    CF_EQ_INT(ours.flexfaceused[f], used);
    CF_NEAR_ARRAY(ours.flexface + 9 * adr, theirs.flexface + 9 * adr, 9 * used, 1e-6);
    CF_NEAR_ARRAY(ours.flexnormal + 9 * adr, theirs.flexnormal + 9 * adr, 9 * used, 1e-4);
  }
  CF_NEAR_ARRAY(ours.flexvert, theirs.flexvert, 3 * t->m->nflexvert, 1e-6);
  CF_REF(mjv_freeScene)(&theirs);
  mjv_freeScene(&ours);
}


// inverse dynamics, constants of the model, what a viewer draws
static void compareRest(const char* path) {
  flexTwins t = openBentTwins(path);
  const mjModel *a = t.ref_m, *b = t.m;
  for (int flags = 1; flags < 16; flags++) {
    compareScenes(&t, flags);
  }
  for (int i = 0; i < b->nv; i++) {
    t.ref_d->qacc[i] = t.d->qacc[i] = 1000 * cos(0.5 * i);
  }
  CF_REF(mj_inverse)(t.ref_m, t.ref_d);
  mj_inverse(t.m, t.d);
  compareRow(&t, "qfrc_inverse", t.ref_d->qfrc_inverse, t.d->qfrc_inverse, b->nv);
  CF_REF(mj_setConst)(t.ref_m, t.ref_d);
  mj_setConst(t.m, t.d);
  compareRow(&t, "flexedge_length0", a->flexedge_length0, b->flexedge_length0, b->nflexedge);
  compareRow(&t, "flexedge_invweight0", a->flexedge_invweight0, b->flexedge_invweight0,
             b->nflexedge);
  compareRow(&t, "flex_vertmetric", a->flex_vertmetric, b->flex_vertmetric, 4 * b->nflexvert);
  compareRow(&t, "body_invweight0", a->body_invweight0, b->body_invweight0, 2 * b->nbody);
  CF_EQ_BYTES(b->flexedge_J_colind, a->flexedge_J_colind, sizeof(int) * (size_t)b->nJfe);
  CF_EQ_BYTES(b->flexvert_J_colind, a->flexvert_J_colind, 2 * sizeof(int) * (size_t)b->nJfv);
  closeFlex(t);
}


CF_TEST(flex__inverse_constants_and_scenes__equal_reference) {
  if (cf_referenceOpen()) {
    compareRest(CF_SOURCE_DIR "/tests/data/flex/cloth.xml");
    compareRest(CF_SOURCE_DIR "/tests/data/flex/curved.xml");
    compareRest(CF_SOURCE_DIR "/tests/data/flex/jelly.xml");
    compareRest(CF_SOURCE_DIR "/tests/data/flex/rope.xml");
    compareRest(CF_SOURCE_DIR "/tests/data/flex/grids.xml");
    compareRest(CF_SOURCE_DIR "/tests/data/flex/strain.xml");
    compareRest(CF_SOURCE_DIR "/tests/data/flex/bodies.xml");
  }
}


CF_TEST(flex__sleeping_allowed__equals_reference) {
  // trees of flexes with constraints of their own cannot sleep: MuJoCo says so
  if (cf_referenceOpen()) {
    flexRun run = usual;
    run.enable = mjENBL_SLEEP;
    runFlex(CF_SOURCE_DIR "/tests/data/flex/jelly.xml", run);
    runFlex(CF_SOURCE_DIR "/tests/data/flex/rope.xml", run);
    runFlex(CF_SOURCE_DIR "/tests/data/flex/cloth.xml", run);
    runFlex(CF_SOURCE_DIR "/tests/data/flex/grids.xml", run);
  }
}


CF_TEST_MAIN("conformance/flex")
