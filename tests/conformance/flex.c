// Soft bodies against MuJoCo 3.5.0: the models of tests/data/flex with every integrator, solver and
// cone, dense and sparse rows, with and without the middle phase; rays, inverse dynamics, constants
// and scenes of some of them.
#include "steps.h"

#include "cf_compare.h"

static const stepsRun usual = {
    .solver = mjSOL_NEWTON, .jacobian = mjJAC_SPARSE, .compared = 12, .skipped = 25};


CF_TEST(flex__no_constraints_every_integrator__equals_reference) {
  CF_NEED_REFERENCE();
  for (int k = mjINT_EULER; k <= mjINT_IMPLICITFAST; k++) {
    stepsRun run = usual;
    run.integrator = k;
    run.disable = mjDSBL_CONSTRAINT;
    compareFolder("flex", run);
  }
}


CF_TEST(flex__equality_alone__equals_reference) {
  CF_NEED_REFERENCE();
  for (int k = mjJAC_DENSE; k <= mjJAC_SPARSE; k++) {
    stepsRun run = usual;
    run.jacobian = k;
    run.disable = mjDSBL_CONTACT;
    compareFolder("flex", run);
  }
}


CF_TEST(flex__contacts_with_every_solver_cone_and_jacobian__equal_reference) {
  CF_NEED_REFERENCE();
  for (int k = 0; k < 12; k++) {
    stepsRun run = usual;
    run.solver = k / 4;
    run.cone = k / 2 % 2;
    run.jacobian = k % 2;
    compareFolder("flex", run);
  }
}


CF_TEST(flex__contacts_with_implicit_integrators__equal_reference) {
  CF_NEED_REFERENCE();
  for (int k = mjINT_IMPLICIT; k <= mjINT_IMPLICITFAST; k++) {
    stepsRun run = usual;
    run.integrator = k;
    compareFolder("flex", run);
  }
}


CF_TEST(flex__other_paths_of_collision__equal_reference) {
  CF_NEED_REFERENCE();
  const int disable[3] = {mjDSBL_MIDPHASE, mjDSBL_NATIVECCD, mjDSBL_ISLAND};
  for (int k = 0; k < 3; k++) {
    stepsRun run = usual;
    run.disable = disable[k];
    compareFolder("flex", run);
  }
}


// rays from a shell around the flexes, every choice of what is shown
static void compareRays(const char* path) {
  cfTwins t = openRun(path, usual);
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
  cf_freeTwins(t);
}


CF_TEST(rayFlex__all_ways_to_show_a_flex__equals_reference) {
  CF_NEED_REFERENCE();
  compareRays(CF_SOURCE_DIR "/tests/data/flex/jelly.xml");
  compareRays(CF_SOURCE_DIR "/tests/data/flex/rope.xml");
  compareRays(CF_SOURCE_DIR "/tests/data/flex/curved.xml");
  compareRays(CF_SOURCE_DIR "/tests/data/flex/grids.xml");
}


// both at the same bent state, forwarded
static cfTwins openBentTwins(const char* path) {
  cfTwins t = openRun(path, usual);
  for (int i = 0; i < t.m->nv; i++) {
    t.ref_d->qvel[i] = 2 * sin(3.0 * i);
  }
  CF_REF(mj_step)(t.ref_m, t.ref_d);
  cf_passState(t);
  CF_REF(mj_forward)(t.ref_m, t.ref_d);
  mj_forward(t.m, t.d);
  return t;
}


static void compareScenes(cfTwins t, int flags) {
  mjvScene theirs, ours;
  mjvOption opt;
  mjvPerturb pert;
  mjvCamera cam;
  mjv_defaultOption(&opt);
  mjv_defaultPerturb(&pert);
  mjv_defaultCamera(&cam);
  CF_REF(mjv_defaultScene)(&theirs);
  mjv_defaultScene(&ours);
  CF_REF(mjv_makeScene)(t.ref_m, &theirs, 5000);
  mjv_makeScene(t.m, &ours, 5000);
  opt.flags[mjVIS_FLEXVERT] = flags & 1;
  opt.flags[mjVIS_FLEXEDGE] = flags >> 1 & 1;
  opt.flags[mjVIS_FLEXFACE] = flags >> 2 & 1;
  opt.flags[mjVIS_FLEXSKIN] = flags >> 3 & 1;
  opt.flags[mjVIS_CONTACTPOINT] = opt.flags[mjVIS_CONTACTFORCE] = 1;
  CF_REF(mjv_updateScene)(t.ref_m, t.ref_d, &opt, &pert, &cam, mjCAT_ALL, &theirs);
  mjv_updateScene(t.m, t.d, &opt, &pert, &cam, mjCAT_ALL, &ours);
  CF_EQ_INT(ours.ngeom, theirs.ngeom);
  for (int f = 0; f < theirs.nflex; f++) {
    const int adr = theirs.flexfaceadr[f], used = theirs.flexfaceused[f];
    CF_EQ_INT(ours.flexfaceused[f], used);
    CF_NEAR_ARRAY(ours.flexface + 9 * adr, theirs.flexface + 9 * adr, 9 * used, 1e-6);
    CF_NEAR_ARRAY(ours.flexnormal + 9 * adr, theirs.flexnormal + 9 * adr, 9 * used, 1e-4);
  }
  CF_NEAR_ARRAY(ours.flexvert, theirs.flexvert, 3 * t.m->nflexvert, 1e-6);
  CF_REF(mjv_freeScene)(&theirs);
  mjv_freeScene(&ours);
}


// inverse dynamics, constants of the model, what a viewer draws
static void compareRest(const char* path) {
  cfTwins t = openBentTwins(path);
  const mjModel *a = t.ref_m, *b = t.m;
  for (int flags = 1; flags < 16; flags++) {
    compareScenes(t, flags);
  }
  for (int i = 0; i < b->nv; i++) {
    t.ref_d->qacc[i] = t.d->qacc[i] = 1000 * cos(0.5 * i);
  }
  CF_REF(mj_inverse)(t.ref_m, t.ref_d);
  mj_inverse(t.m, t.d);
  CF_NEAR(cf_worstWritten(b, t.d, t.ref_d, CF_WRITTEN_BY(INVERSE)).error, 0, CF_TOLERANCE_STEP);
  CF_REF(mj_setConst)(t.ref_m, t.ref_d);
  mj_setConst(t.m, t.d);
  CF_EQ_INT(cf_differingModels(b, a, CF_TOLERANCE_MODEL), 0);
  cf_freeTwins(t);
}


CF_TEST(flex__inverse_constants_and_scenes__equal_reference) {
  CF_NEED_REFERENCE();
  compareRest(CF_SOURCE_DIR "/tests/data/flex/cloth.xml");
  compareRest(CF_SOURCE_DIR "/tests/data/flex/curved.xml");
  compareRest(CF_SOURCE_DIR "/tests/data/flex/jelly.xml");
  compareRest(CF_SOURCE_DIR "/tests/data/flex/rope.xml");
  compareRest(CF_SOURCE_DIR "/tests/data/flex/grids.xml");
  compareRest(CF_SOURCE_DIR "/tests/data/flex/strain.xml");
  compareRest(CF_SOURCE_DIR "/tests/data/flex/bodies.xml");
}


CF_TEST(flex__sleeping_allowed__equals_reference) {
  CF_NEED_REFERENCE();
  // trees of flexes with constraints of their own cannot sleep: MuJoCo says so
  stepsRun run = usual;
  run.enable = mjENBL_SLEEP;
  compareSteps(CF_SOURCE_DIR "/tests/data/flex/jelly.xml", run);
  compareSteps(CF_SOURCE_DIR "/tests/data/flex/rope.xml", run);
  compareSteps(CF_SOURCE_DIR "/tests/data/flex/cloth.xml", run);
  compareSteps(CF_SOURCE_DIR "/tests/data/flex/grids.xml", run);
}


CF_TEST_MAIN("conformance/flex")
