// Worlds with shapes and frames of their own: as lone worlds of edited models, as compiled models.
#include <glob.h>

#include <cortenforge/batch.h>

#include "batch/batch.h"
#include "lanes/lanes.h"
#include "cf_forms.h"
#include "cf_test.h"
#include "cf_text.h"
#include "compile/constants.h"

enum { NWORLD = 6, STEPS = 60 };

static cfBatch* makeHeaps(const mjModel* m, int nlane, const char* outputs) {
  const cfBatchOptions options = {.nthread = 2, .nlane = nlane, .outputs = outputs, .ncontact = 40};
  cfBatch* batch = cf_makeBatch(m, NWORLD, &options, NULL, 0);
  CF_TRUE(batch);
  return batch;
}


// ---------------------------------------- bits

// a lone world of an edited model, after some steps; sensors behind its state
static void stepEdited(const mjModel* m, unsigned fields, int world, mjtNum* state) {
  mjModel* own = mj_copyModel(NULL, m);
  for (int k = 0; k < CF_NFORM; k++) {
    int count;
    if (fields >> k & 1) {
      cf_drawForms(cf_formArray(own, cf_form_fields[k].name, &count), m, cf_form_fields + k, world);
    }
  }
  mjData* d = mj_makeData(own);
  // relations of frames are the compiler's business; a frame that is taken for another where it is
  // the same has other last bits
  cfi_refitGeoms(own, m, d);
  cf_finishForms(own, d);
  mj_resetData(own, d);
  for (int k = 0; k < STEPS; k++) {
    mj_step(own, d);
  }
  mj_getState(own, d, state, mjSTATE_INTEGRATION);
  mju_copy(state + mj_stateSize(own, mjSTATE_INTEGRATION), d->sensordata, (int)own->nsensordata);
  mj_deleteData(d);
  mj_deleteModel(own);
}


static void compareHeaps(const mjModel* m, int nlane, unsigned fields) {
  cfBatch* batch = makeHeaps(m, nlane, "sensordata");
  for (int k = 0; k < CF_NFORM; k++) {
    if (fields >> k & 1) {
      cf_setForms(batch, cf_form_fields + k, NWORLD);
    }
  }
  CF_TRUE(cf_batchReset(batch, NULL, -1));
  CF_TRUE(cf_batchStep(batch, STEPS));
  CF_EQ_INT((int)cf_batchLost(batch), 0);
  const size_t nstate = (size_t)mj_stateSize(m, mjSTATE_INTEGRATION), ns = (size_t)m->nsensordata;
  mjtNum *mine = calloc(nstate + ns, sizeof(mjtNum)), *alone = calloc(nstate + ns, sizeof(mjtNum));
  for (int w = 0; w < NWORLD; w++) {
    CF_TRUE(cf_batchGetState(batch, mjSTATE_INTEGRATION, &w, 1, mine));
    CF_TRUE(cf_batchGet(batch, "sensordata", &w, 1, CF_ORDER_WORLD, mine + nstate));
    stepEdited(m, fields, w, alone);
    for (size_t k = 0; k < nstate + ns; k++) {
      if (memcmp(mine + k, alone + k, sizeof(mjtNum))) {
        CF_FAIL("%d lanes, fields %x: number %zu of world %d is %.17g, alone %.17g\n", nlane,
                fields, k, w, mine[k], alone[k]);
      }
    }
  }
  free(mine);
  free(alone);
  cf_freeBatch(batch);
}


static void compareAllLanes(unsigned fields) {
  mjModel* m = cf_loadHeap(NULL, true);
  compareHeaps(m, 1, fields);
  for (int width = 4; width <= 8; width *= 2) {
    if (cfi_laneKernels(width)) {
      compareHeaps(m, width, fields);
    }
  }
  mj_deleteModel(m);
}


CF_TEST(sizes__different_in_every_world__bits_of_a_lone_world_of_an_edited_model) {
  compareAllLanes(1);
}


CF_TEST(shapes_and_frames__different_in_every_world__bits_of_a_lone_world_of_an_edited_model) {
  for (int k = 1; k < CF_NFORM; k++) {
    compareAllLanes(1u << k);
  }
  compareAllLanes((1u << CF_NFORM) - 1);
}


// ---------------------------------------- contacts of compiled models

// sizes of a world by the geoms of the list
static void sizesOfWorld(const mjModel* m, int world, mjtNum (*size)[3]) {
  mjtNum* all = calloc((size_t)(3 * m->ngeom), sizeof(mjtNum));
  cf_drawForms(all, m, cf_form_fields, world);
  for (int k = 0; k < CF_NHEAP; k++) {
    mju_copy3(size[k], all + 3 * mj_name2id(m, mjOBJ_GEOM, cf_heap_names[k]));
  }
  free(all);
}


CF_TEST(sizes__different_in_every_world__contacts_of_a_model_compiled_with_them) {
  mjModel* m = cf_loadHeap(NULL, true);
  int total = 0;
  for (int nlane = 1; nlane <= 4; nlane += 3) {
    cfBatch* batch = makeHeaps(m, nlane, "contact ncon");
    cf_setForms(batch, cf_form_fields, NWORLD);
    CF_TRUE(cf_batchStep(batch, STEPS) && cf_batchForward(batch));
    for (int w = 0; w < NWORLD; w++) {
      mjtNum size[CF_NHEAP][3];
      sizesOfWorld(m, w, size);
      mjModel* compiled = cf_loadHeap(size, true);
      mjData* d = mj_makeData(compiled);
      mjContact found[40];
      int ncon;
      CF_TRUE(cf_batchGet(batch, "qpos", &w, 1, CF_ORDER_WORLD, d->qpos));
      mj_forward(compiled, d);
      CF_TRUE(cf_batchGet(batch, "ncon", &w, 1, CF_ORDER_WORLD, &ncon));
      CF_TRUE(cf_batchGet(batch, "contact", &w, 1, CF_ORDER_WORLD, found));
      CF_EQ_INT(ncon, d->ncon);
      for (int c = 0; c < ncon; c++) {
        CF_EQ_INT(found[c].geom[0], d->contact[c].geom[0]);
        CF_EQ_INT(found[c].geom[1], d->contact[c].geom[1]);
        CF_NEAR(found[c].dist, d->contact[c].dist, 1e-12);
        CF_NEAR_ARRAY(found[c].pos, d->contact[c].pos, 3, 1e-12);
      }
      total += ncon;
      mj_deleteData(d);
      mj_deleteModel(compiled);
    }
    cf_freeBatch(batch);
  }
  CF_TRUE(total > 4 * NWORLD);
  mj_deleteModel(m);
}


// ---------------------------------------- closed form

// a ball at rest: the force of its one row, aref / R, carries its weight, so it lies deeper than
// its radius by g (1 - d) / (d^2 k), whatever the radius
CF_TEST(balls__of_different_radius__come_to_rest_at_their_radius) {
  mjModel* m = cf_compileText(
      "<mujoco><option timestep='0.002'/><default><geom condim='1' solref='.01 1' "
      "solimp='.9 .9 .001'/></default><worldbody><geom type='plane' size='5 5 .1'/>"
      "<body pos='0 0 .12'><freejoint/><geom size='.1' mass='2'/></body></worldbody></mujoco>");
  const mjtNum radius[NWORLD] = {.1, .05, .08, .11, .2, .37}, d = 0.9, time = 0.01;
  const mjtNum stiffness = 1 / (d * d * time * time), depth = 9.81 * (1 - d) / (d * d * stiffness);
  for (int nlane = 1; nlane <= 4; nlane += 3) {
    cfBatch* batch = makeHeaps(m, nlane, "");
    mjtNum size[NWORLD][6], qpos[NWORLD][7];
    for (int w = 0; w < NWORLD; w++) {
      mju_copy(size[w], m->geom_size, 6);
      size[w][3] = radius[w];
    }
    CF_TRUE(cf_batchSet(batch, "geom_size", NULL, NWORLD, CF_ORDER_WORLD, size));
    CF_TRUE(cf_batchStep(batch, 2000));
    CF_TRUE(cf_batchGet(batch, "qpos", NULL, NWORLD, CF_ORDER_WORLD, qpos));
    for (int w = 0; w < NWORLD; w++) {
      CF_NEAR(qpos[w][2], radius[w] - depth, 1e-9);
    }
    cf_freeBatch(batch);
  }
  mj_deleteModel(m);
}


// ---------------------------------------- what is refused

static void expectRefused(cfBatch* batch, const char* name, int world, const mjtNum* value,
                          const char* reason) {
  CF_TRUE(!cf_batchSet(batch, name, &world, 1, CF_ORDER_WORLD, value));
  CF_EQ_STR(cf_batchError(batch), reason);
}


CF_TEST(sizes__that_no_model_can_have__refused_by_name_and_taken_back) {
  mjModel* m = cf_compileText(
      "<mujoco><asset><mesh name='wedge' vertex='0 0 0 1 0 0 0 1 0 0 0 1'/></asset><worldbody>"
      "<geom type='plane' size='5 5 .1'/><geom name='rock' type='mesh' mesh='wedge'/>"
      "<body><freejoint/><geom name='bar' type='capsule' size='.1 .2'/></body></worldbody></mujoco>");
  cfBatch* batch = cf_makeBatch(m, 3, NULL, NULL, 0);
  mjtNum size[9], back[9];
  const struct {
    int place;
    mjtNum value;
    const char* reason;
  } bad[] = {
      {6, 0, "'geom_size': geom 2 'bar' of world 1: size 0 must be positive"},
      {7, -.1, "'geom_size': geom 2 'bar' of world 1: size 1 must be positive"},
      {7, INFINITY, "'geom_size': geom 2 'bar' of world 1: it must be finite"},
      {7, NAN, "'geom_size': value 7 is not a number"},
      {2, 0, "'geom_size': geom 0 '' of world 1: size 2 must be positive"},
      {3, .1,
       "'geom_size': geom 1 'rock' of world 1: its size is that of its asset, which worlds "
       "share"},
  };
  for (size_t k = 0; k < sizeof(bad) / sizeof(bad[0]); k++) {
    mju_copy(size, m->geom_size, 9);
    size[bad[k].place] = bad[k].value;
    expectRefused(batch, "geom_size", 1, size, bad[k].reason);
    const int world = 1;
    CF_TRUE(cf_batchGet(batch, "geom_size", &world, 1, CF_ORDER_WORLD, back));
    CF_EQ_BYTES(back, m->geom_size, sizeof(back));
  }
  mju_copy(size, m->geom_size, 9);
  size[0] = 0;  // a plane without end
  size[6] = .3;
  CF_TRUE(cf_batchSet(batch, "geom_size", NULL, 1, CF_ORDER_WORLD, size));
  cf_freeBatch(batch);
  mj_deleteModel(m);
}


CF_TEST(frames__that_no_model_can_have__refused_by_name) {
  mjModel* m = cf_loadHeap(NULL, true);
  cfBatch* batch = makeHeaps(m, 1, NULL);
  mjtNum value[200];
  mju_copy(value, m->geom_quat, 4 * (int)m->ngeom);
  value[4 * 2] = 2;
  expectRefused(batch, "geom_quat", 2, value,
                "'geom_quat': geom 2 'ball' of world 2: its length must be 1");
  mju_copy(value, m->body_ipos, 3 * (int)m->nbody);
  value[3] = 0.1;
  CF_TRUE(m->body_simple[1]);
  expectRefused(batch, "body_ipos", 0, value,
                "'body_ipos': body 1 '' of world 0: the compiler took the inertia of its body for "
                "diagonal; a change needs another model");
  mju_copy(value, m->jnt_axis, 3 * (int)m->njnt);
  mju_zero3(value + 3 * mj_name2id(m, mjOBJ_JOINT, "hinge"));
  expectRefused(batch, "jnt_axis", 1, value,
                "'jnt_axis': joint 3 'hinge' of world 1: its length must be 1");
  CF_TRUE(cf_batchStep(batch, 2));
  cf_freeBatch(batch);
  mj_deleteModel(m);
}


// the last of two objects of every kind, in every field
CF_TEST(forms__last_object_is_infinite__refused_by_its_number) {
  static const struct {
    const char *field, *object;
    int n, count;
  } list[] = {
      {"geom_size", "geom", 3, 2},   {"geom_pos", "geom", 3, 2},    {"geom_quat", "geom", 4, 2},
      {"geom_margin", "geom", 1, 2}, {"geom_gap", "geom", 1, 2},    {"site_size", "site", 3, 2},
      {"site_pos", "site", 3, 2},    {"site_quat", "site", 4, 2},   {"body_ipos", "body", 3, 3},
      {"body_iquat", "body", 4, 3},  {"jnt_pos", "joint", 3, 2},    {"jnt_axis", "joint", 3, 2},
      {"cam_pos", "camera", 3, 2},   {"cam_quat", "camera", 4, 2},  {"light_pos", "light", 3, 2},
      {"light_dir", "light", 3, 2},  {"pair_margin", "pair", 1, 2}, {"pair_gap", "pair", 1, 2}};
  mjModel* m = cf_compileText(
      "<mujoco><worldbody><light/><light/><camera/><camera/><site/><site/>"
      "<body><joint/><geom name='a' size='.1' pos='1 0 0'/></body>"
      "<body><joint/><geom name='b' size='.1' pos='1 0 0'/></body></worldbody>"
      "<contact><pair geom1='a' geom2='b'/><pair geom1='a' geom2='b'/></contact></mujoco>");
  cfBatch* batch = cf_makeBatch(m, 2, NULL, NULL, 0);
  for (size_t k = 0; k < sizeof(list) / sizeof(list[0]); k++) {
    mjtNum value[12];
    const int world = 1, last = list[k].n * list[k].count - 1;
    char reason[200];
    CF_TRUE(cf_batchGet(batch, list[k].field, &world, 1, CF_ORDER_WORLD, value));
    value[last] = INFINITY;
    CF_TRUE(!cf_batchSet(batch, list[k].field, &world, 1, CF_ORDER_WORLD, value));
    snprintf(reason, sizeof(reason), "'%s': %s %d '", list[k].field, list[k].object,
             list[k].count - 1);
    CF_HAS_STR(cf_batchError(batch), reason);
    CF_HAS_STR(cf_batchError(batch), "it must be finite");
  }
  cf_freeBatch(batch);
  mj_deleteModel(m);
}


// ---------------------------------------- bounds

// bytes of what follows from shapes and frames
static void expectBounds(const mjModel* m, const mjModel* expected, const char* path) {
  int nodes = 0;
  for (int i = 0; i < m->nbody; i++) {
    nodes += m->body_bvhnum[i];
  }
  const bool same =
      !memcmp(m->geom_rbound, expected->geom_rbound, sizeof(mjtNum) * (size_t)m->ngeom) &&
      !memcmp(m->geom_aabb, expected->geom_aabb, 6 * sizeof(mjtNum) * (size_t)m->ngeom) &&
      !memcmp(m->bvh_aabb, expected->bvh_aabb, 6 * sizeof(mjtNum) * (size_t)nodes) &&
      !memcmp(m->body_margin, expected->body_margin, sizeof(mjtNum) * (size_t)m->nbody) &&
      !memcmp(m->geom_sameframe, expected->geom_sameframe, (size_t)m->ngeom) &&
      !memcmp(m->site_sameframe, expected->site_sameframe, (size_t)m->nsite) &&
      !memcmp(m->body_sameframe, expected->body_sameframe, (size_t)m->nbody);
  if (!same) {
    CF_FAIL("%s: bounds differ\n", path);
  }
}


// everything edited back to what the compiler had: its bounds, bit by bit
static void refitAll(const mjModel* m, const char* path) {
  mjModel *other = mj_copyModel(NULL, m), *own = mj_copyModel(NULL, m);
  mjData* d = mj_makeData(m);
  for (int g = 0; g < m->ngeom; g++) {
    other->geom_size[3 * g] += m->geom_type[g] == mjGEOM_MESH ? 0 : 1;
    other->geom_pos[3 * g] += 1;
    other->geom_margin[g] += 1;
  }
  for (int s = 0; s < m->nsite; s++) {
    other->site_pos[3 * s] += 1;
  }
  for (int i = 0; i < m->nbody; i++) {
    other->body_ipos[3 * i] += 1;
    for (int k = 0; k < 6 * m->body_bvhnum[i]; k++) {
      own->bvh_aabb[6 * m->body_bvhadr[i] + k] = -1;
    }
  }
  cfi_refitGeoms(own, other, d);
  expectBounds(own, m, path);
  cfi_refitGeoms(own, m, d);
  expectBounds(own, m, path);
  mj_deleteData(d);
  mj_deleteModel(own);
  mj_deleteModel(other);
}


CF_TEST(bounds__refitted_in_every_model__those_of_the_compiler) {
  static const char* const patterns[] = {"models/*.xml", "models/*/*.xml"};
  int count = 0;
  for (int k = 0; k < 2; k++) {
    glob_t found;
    CF_EQ_INT(glob(patterns[k], 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i += CF_SANITIZED ? 4 : 1) {
      mjModel* m = mj_loadXML(found.gl_pathv[i], NULL, NULL, 0);
      if (m && !m->nhfield) {
        refitAll(m, found.gl_pathv[i]);
        count++;
      }
      mj_deleteModel(m);
    }
    globfree(&found);
  }
  CF_TRUE(count > 20);
}


// boxes of meshes are many: worlds have none of their own where nobody asks for them
CF_TEST(world__with_sizes_and_meshes__has_no_trees_of_meshes) {
  mjModel* m = mj_loadXML("models/robots/mesh_quadruped.xml", NULL, NULL, 0);
  cfBatch* batch = cf_makeBatch(m, NWORLD, NULL, NULL, 0);
  const mjtSize before = cf_batchWorldBytes(batch);
  cf_setForms(batch, cf_form_fields, NWORLD);
  CF_TRUE(cf_batchWorldBytes(batch) - before < 48 * m->nbvhstatic);
  CF_TRUE(cf_batchStep(batch, 5));
  cf_freeBatch(batch);
  mj_deleteModel(m);
}


// distance fields of meshes ask for the boxes of theirs
CF_TEST(world__with_sizes_and_a_distance_field_of_a_mesh__has_its_trees) {
  mjModel* m = cf_compileText(
      "<mujoco><asset><mesh name='m' vertex='0 0 0 1 0 0 0 1 0 0 0 1'/></asset><worldbody>"
      "<geom type='sdf' mesh='m'/><body><freejoint/><geom size='.1'/></body></worldbody></mujoco>");
  cfBatch* batch = cf_makeBatch(m, 2, NULL, NULL, 0);
  const mjtSize before = cf_batchWorldBytes(batch);
  CF_TRUE(m->nplugin == 0 && m->nbvhstatic > m->body_bvhnum[0] + m->body_bvhnum[1]);
  cf_setForms(batch, cf_form_fields, 2);
  const mjtSize with_trees = cf_batchWorldBytes(batch) - before;
  cf_freeBatch(batch);
  for (int g = 0; g < m->ngeom; g++) {
    m->geom_type[g] = m->geom_type[g] == mjGEOM_SDF ? mjGEOM_MESH : m->geom_type[g];
  }
  batch = cf_makeBatch(m, 2, NULL, NULL, 0);
  cf_setForms(batch, cf_form_fields, 2);
  CF_TRUE(cf_batchWorldBytes(batch) - before < with_trees);
  cf_freeBatch(batch);
  mj_deleteModel(m);
}

CF_TEST_MAIN("batch/forms")
