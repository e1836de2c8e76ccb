// Lane stages write the bits of the scalar stages, field by field, for every width and model.
#include <glob.h>

#include <cortenforge/batch.h>
#include <cortenforge/cortenforge.h>

#include "batch/batch.h"
#include "lanes/lanes.h"
#include "cf_test.h"
#include "cf_text.h"
#include "pipeline/advance.h"
#include "tables/fields.h"

enum { STATES = 3 };

static const char* const lane_patterns[] = {"models/*.xml", "models/*/*.xml"};
static const int widths[] = {1, 4, 8};


// states that differ between lanes: positions a few steps away from the start, velocities, controls
static void spreadLanes(const mjModel* m, mjData* d, int lane, int round) {
  mj_resetData(m, d);
  for (int i = 0; i < m->nv; i++) {
    d->qvel[i] = 0.4 * sin(1.7 * i + lane + 3 * round);
    d->qfrc_applied[i] = 0.01 * cos(i + lane);
  }
  for (int i = 0; i < m->nu; i++) {
    d->ctrl[i] = 2 * sin(i + 0.6 * lane);
  }
  for (int i = 0; i < m->na; i++) {
    d->act[i] = 0.5 + 0.5 * sin(i + 0.3 * lane);
  }
  for (int i = 0; i < 3 * m->nmocap; i++) {
    d->mocap_pos[i] += 0.01 * sin(i + lane);
  }
  mj_integratePos(m, d->qpos, d->qvel, 0.2 * round);
}


// every field that the stages of a group write, bit by bit
static void expectFields(const cfLaneGroup* g, unsigned stages, mjData* const* alone,
                         const char* path) {
  for (int k = 0; k < g->nfield; k++) {
    const cfLaneField* f = g->field + k;
    for (int w = 0; w < g->width && (f->stage & stages); w++) {
      mjtNum *mine, *other;
      memcpy(&mine, (char*)g->data[w] + f->offset, sizeof(mine));
      memcpy(&other, (char*)alone[w] + f->offset, sizeof(other));
      for (int i = 0; i < f->count; i++) {
        if (memcmp(mine + i, other + i, sizeof(mjtNum)) != 0) {
          const char* name = "?";
          for (int n = 0; n < cfi_dataFields.count; n++) {
            name =
                cfi_dataFields.field[n].offset == f->offset ? cfi_dataFields.field[n].name : name;
          }
          CF_FAIL("%s: width %d, lane %d: %s[%d] is %.17g, expected %.17g\n", path, g->width, w,
                  name, i, mine[i], other[i]);
        }
      }
    }
  }
}


// contacts of the pairs that lanes say come near; returns their number
static int expectContacts(const cfLaneGroup* g, mjData* const* alone, const char* path) {
  int count = 0;
  for (int w = 0; w < g->width && (g->stages & CF_LANE_NEAR); w++) {
    const cfNearPairs near = cfi_laneNear(&g->near, w);
    mjData* d = g->data[w];
    cfi_collideNear(g->m, d, &near);
    if (d->ncon != alone[w]->ncon) {
      CF_FAIL("%s: width %d, lane %d: %d contacts, expected %d\n", path, g->width, w, d->ncon,
              alone[w]->ncon);
    }
    for (int i = 0; i < d->ncon; i++) {
      const mjContact *mine = d->contact + i, *other = alone[w]->contact + i;
      CF_EQ_BYTES(mine->geom, other->geom, sizeof(mine->geom));
      CF_EQ_BYTES(mine->pos, other->pos, sizeof(mine->pos));
      CF_EQ_BYTES(mine->frame, other->frame, sizeof(mine->frame));
    }
    count += d->ncon;
  }
  return count;
}


static int compareStages(const mjModel* m, const cfLaneKernels* kernels, const char* path) {
  cfLaneGroup* g = cfi_makeLanes(m, kernels, NULL);
  CF_TRUE(g);
  mjData* alone[CF_LANES_MAX];
  int ncon = 0;
  for (int w = 0; w < g->width; w++) {
    g->data[w] = mj_makeData(m);
    alone[w] = mj_makeData(m);
  }
  for (int round = 0; round < STATES; round++) {
    for (int w = 0; w < g->width; w++) {
      spreadLanes(m, g->data[w], w, round);
      spreadLanes(m, alone[w], w, round);
      mj_forward(m, alone[w]);
      mj_rne(m, alone[w], 0, alone[w]->qfrc_bias);  // without what tendons add later
      if (g->is_damped && (g->stages & CF_LANE_INTEGRATION)) {
        cfi_integrate(m, alone[w], m->opt.integrator);
      }
    }
    kernels->gatherInputs(g);
    const unsigned done = kernels->smooth(g, g->stages);
    CF_EQ_INT(done, g->stages);
    kernels->scatter(g, done, true);
    expectFields(g, g->is_damped ? done : done & ~(unsigned)CF_LANE_INTEGRATION, alone, path);
    ncon += expectContacts(g, alone, path);
  }
  for (int w = 0; w < g->width; w++) {
    mj_deleteData(g->data[w]);
    mj_deleteData(alone[w]);
  }
  cfi_freeLanes(g);
  return ncon;
}


// number of widths that ran: all of them, or with a sanitizer the one whose turn it is
static int compareWidths(const char* path, size_t turn, unsigned* seen, int* ncon) {
  char error[500] = "";
  mjModel* m = mj_loadXML(path, NULL, error, sizeof(error));
  int count = 0;
  const unsigned stages = m && m->nv <= 200 ? cfi_laneStages(m) : 0;
  const size_t nwidth = sizeof(widths) / sizeof(widths[0]);
  for (size_t k = 0; k < nwidth && stages; k++) {
    const cfLaneKernels* kernels = cfi_laneKernels(widths[k]);
    if (kernels && (!CF_SANITIZED || turn % nwidth == k)) {
      *ncon += compareStages(m, kernels, path);
      count++;
    }
  }
  *seen |= stages;
  mj_deleteModel(m);
  return count;
}


CF_TEST(stages__of_every_small_model__have_the_bits_of_the_scalar_stages) {
  int count = 0, ncon = 0;
  unsigned seen = 0;
  for (size_t k = 0; k < sizeof(lane_patterns) / sizeof(lane_patterns[0]); k++) {
    glob_t found;
    CF_EQ_INT(glob(lane_patterns[k], 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++) {
      count += compareWidths(found.gl_pathv[i], i, &seen, &ncon);
    }
    globfree(&found);
  }
  CF_TRUE(count > (CF_SANITIZED ? 25 : 80));
  CF_TRUE(ncon > (CF_SANITIZED ? 300 : 1000));
  CF_EQ_INT(seen, 2 * CF_LANE_INTEGRATION - 1);
}

// ---------------------------------------- whole steps

// sanitizers take ten times as long, and look for something else
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { LONG_WORLDS = 5, LONG_STEPS = 50 };
#else
enum { LONG_WORLDS = 5, LONG_STEPS = 1000 };
#endif


static void compareLongRun(const char* path, int nlane) {
  char error[500] = "";
  mjModel* m = mj_loadXML(path, NULL, error, sizeof(error));
  const cfBatchOptions options = {
      .nthread = 1, .nlane = nlane, .noise_scale = 0.3, .noise_rate = 0.1, .seed = 7};
  const cfBatchOptions plain = {
      .nthread = 1, .nlane = 1, .noise_scale = 0.3, .noise_rate = 0.1, .seed = 7};
  cfBatch* lanes = cf_makeBatch(m, LONG_WORLDS, &options, error, sizeof(error));
  cfBatch* alone = cf_makeBatch(m, LONG_WORLDS, &plain, error, sizeof(error));
  CF_TRUE(lanes && alone);
  CF_EQ_INT(cf_batchLanes(lanes), nlane);
  CF_EQ_INT(cf_batchLanes(alone), 1);
  CF_TRUE(cf_batchStep(lanes, LONG_STEPS) && cf_batchStep(alone, LONG_STEPS));
  CF_EQ_INT(cf_batchLost(lanes), 0);
  mjData *d = mj_makeData(m), *other = mj_makeData(m);
  const int size = mj_stateSize(m, mjSTATE_INTEGRATION);
  mjtNum* state = calloc((size_t)size, sizeof(mjtNum));
  for (int w = 0; w < LONG_WORLDS; w++) {
    CF_TRUE(cf_batchGetState(lanes, mjSTATE_INTEGRATION, &w, 1, state));
    mj_setState(m, d, state, mjSTATE_INTEGRATION);
    CF_TRUE(cf_batchGetState(alone, mjSTATE_INTEGRATION, &w, 1, state));
    mj_setState(m, other, state, mjSTATE_INTEGRATION);
    CF_TRUE(d->time > 0.9 * LONG_STEPS * m->opt.timestep);
    CF_TRUE(cf_stateHash(m, d) == cf_stateHash(m, other));
  }
  free(state);
  mj_deleteData(d);
  mj_deleteData(other);
  cf_freeBatch(lanes);
  cf_freeBatch(alone);
  mj_deleteModel(m);
}


CF_TEST(worlds__after_a_thousand_steps__have_the_hash_of_a_lone_world) {
  static const char* const patterns[] = {"models/humanoid.xml", "models/robots/*.xml"};
  for (size_t k = 0; k < sizeof(patterns) / sizeof(patterns[0]); k++) {
    glob_t found;
    CF_EQ_INT(glob(patterns[k], 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++) {
      for (int nlane = 4; nlane <= 8; nlane *= 2) {
        if (cfi_laneKernels(nlane)) {
          compareLongRun(found.gl_pathv[i], nlane);
        }
      }
    }
    globfree(&found);
  }
}


// ---------------------------------------- order

enum { MIXED_WORLDS = 21, MIXED_STEPS = 2 * CF_BATCH_PIECE + 3 };

// humanoids that begin at different heights: worlds have none, one or more contacts
static cfBatch* dropWorlds(const mjModel* m, int nthread, int nlane) {
  const cfBatchOptions options = {
      .nthread = nthread, .nlane = nlane, .noise_scale = 0.3, .noise_rate = 0.1, .seed = 3};
  char error[500] = "";
  cfBatch* batch = cf_makeBatch(m, MIXED_WORLDS, &options, error, sizeof(error));
  CF_TRUE(batch);
  mjtNum* qpos = calloc((size_t)m->nq, sizeof(mjtNum));
  for (int w = 0; w < MIXED_WORLDS; w++) {
    CF_TRUE(cf_batchGet(batch, "qpos", &w, 1, CF_ORDER_WORLD, qpos));
    qpos[2] += 0.05 * (8 * w % MIXED_WORLDS) - 0.1;
    CF_TRUE(cf_batchSet(batch, "qpos", &w, 1, CF_ORDER_WORLD, qpos));
  }
  free(qpos);
  return batch;
}


// every world has one place, and places are in order
static void expectOrder(cfBatch* batch) {
  bool has_place[MIXED_WORLDS] = {false};
  int nkind = 1, nmoved = 0;
  cfi_batchOrder(batch);
  for (int k = 0; k < MIXED_WORLDS; k++) {
    const cfBatchPlace* place = batch->place + k;
    CF_TRUE(place->world >= 0 && place->world < MIXED_WORLDS && !has_place[place->world]);
    has_place[place->world] = true;
    nmoved += place->world != k;
    if (k) {
      CF_TRUE(place->kind >= place[-1].kind);
      CF_TRUE(place->kind > place[-1].kind || place->world > place[-1].world);
      nkind += place->kind != place[-1].kind;
    }
  }
  CF_TRUE(nkind > 3 && nmoved > 3);
}


// in one call that is longer than a piece, on one thread and on two
CF_TEST(worlds__that_change_places__have_the_bits_of_lone_worlds) {
  mjModel* m = mj_loadXML("models/humanoid.xml", NULL, NULL, 0);
  cfBatch* alone = dropWorlds(m, 1, 1);
  CF_TRUE(!alone->place && cf_batchStep(alone, MIXED_STEPS));
  const int size = mj_stateSize(m, mjSTATE_INTEGRATION);
  const size_t bytes = sizeof(mjtNum) * (size_t)size * MIXED_WORLDS;
  mjtNum *expected = malloc(bytes), *actual = malloc(bytes);
  CF_TRUE(cf_batchGetState(alone, mjSTATE_INTEGRATION, NULL, MIXED_WORLDS, expected));
  for (int run = 0; run < 4; run++) {
    const int nlane = run % 2 ? 8 : 4;
    if (cfi_laneKernels(nlane)) {
      cfBatch* lanes = dropWorlds(m, 1 + run / 2, nlane);
      CF_TRUE(cf_batchStep(lanes, MIXED_STEPS));
      CF_TRUE(cf_batchGetState(lanes, mjSTATE_INTEGRATION, NULL, MIXED_WORLDS, actual));
      CF_EQ_BYTES(actual, expected, bytes);
      for (int w = 0; w < MIXED_WORLDS; w++) {
        CF_EQ_INT((int)lanes->status[w].nstep, MIXED_STEPS);
      }
      expectOrder(lanes);
      cf_freeBatch(lanes);
    }
  }
  free(expected);
  free(actual);
  cf_freeBatch(alone);
  mj_deleteModel(m);
}


// rows come first, then the geoms that touch, then iterations
CF_TEST(kind__of_worlds__tells_rows_contacts_and_iterations_apart) {
  mjModel* m = mj_loadXML("models/humanoid.xml", NULL, NULL, 0);
  mjData* d = mj_makeData(m);
  for (int k = 0; k < 100; k++) {
    mj_step(m, d);
  }
  CF_TRUE(d->ncon > 1 && d->nefc > 0);
  cfBatchPlace first = {.world = 0}, other = {.world = 1};
  cfi_batchWeigh(&first, d);
  cfi_batchWeigh(&other, d);
  CF_TRUE(first.kind == other.kind);
  d->solver_niter[0] += 1;
  cfi_batchWeigh(&other, d);
  CF_EQ_INT((int)(other.kind - first.kind), 1);
  d->solver_niter[0] = 100000;
  cfi_batchWeigh(&other, d);
  CF_TRUE(other.kind > first.kind && other.kind >> 8 == first.kind >> 8);
  d->contact[0].geom[1]++;
  cfi_batchWeigh(&other, d);
  CF_TRUE(other.kind >> 8 != first.kind >> 8 && other.kind >> 32 == first.kind >> 32);
  d->nefc++;
  cfi_batchWeigh(&other, d);
  CF_EQ_INT((int)((other.kind >> 32) - (first.kind >> 32)), 1);
  mj_deleteData(d);
  mj_deleteModel(m);
}


// ---------------------------------------- solver

// far from rest, with a starting point that is no help
static void throwWorlds(const mjModel* m, cfBatch* batch, int round) {
  const size_t nv = (size_t)m->nv;
  mjtNum* value = calloc(nv * LONG_WORLDS, sizeof(mjtNum));
  for (size_t k = 0; k < nv * LONG_WORLDS; k++) {
    value[k] = 6 * sin(1.3 * (mjtNum)k + round);
  }
  CF_TRUE(cf_batchSet(batch, "qvel", NULL, LONG_WORLDS, CF_ORDER_WORLD, value));
  for (size_t k = 0; k < nv * LONG_WORLDS; k++) {
    value[k] = 300 * sin(2.1 * (mjtNum)k + 2 * round);
  }
  CF_TRUE(cf_batchSet(batch, "qacc_warmstart", NULL, LONG_WORLDS, CF_ORDER_WORLD, value));
  free(value);
}


// records of iterations behind the last one are those of other worlds
static void forgetOldRecords(cfBatch* batch, mjSolverStat* stat, size_t count) {
  int niter[LONG_WORLDS][mjNISLAND];
  CF_TRUE(cf_batchGet(batch, "solver_niter", NULL, LONG_WORLDS, CF_ORDER_WORLD, niter));
  for (size_t w = 0; w < LONG_WORLDS; w++) {
    for (size_t k = 0; k < count; k++) {
      const size_t island = k / mjNSOLVER, iteration = k % mjNSOLVER;
      if (iteration >= (size_t)niter[w][island]) {
        memset(stat + w * count + k, 0, sizeof(*stat));
      }
    }
  }
}


// forces of the rows and what the solver says about its way; returns the iterations
static int expectSolution(cfBatch* const batch[2], const char* path, int nlane) {
  static const char* const names[] = {"qacc",    "qfrc_constraint", "solver_niter",
                                      "nisland", "sensordata",      "solver"};
  int niter = 0;
  for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++) {
    cfBatchField field;
    CF_TRUE(cf_batchField(batch[0], names[k], &field));
    const size_t size = (size_t)field.count * (size_t)field.nbyte * LONG_WORLDS;
    char *mine = calloc(size + 1, 1), *other = calloc(size + 1, 1);
    CF_TRUE(cf_batchGet(batch[0], names[k], NULL, LONG_WORLDS, CF_ORDER_WORLD, mine));
    CF_TRUE(cf_batchGet(batch[1], names[k], NULL, LONG_WORLDS, CF_ORDER_WORLD, other));
    if (strcmp(names[k], "solver") == 0) {
      forgetOldRecords(batch[0], (mjSolverStat*)(void*)mine, mjNISLAND * mjNSOLVER);
      forgetOldRecords(batch[1], (mjSolverStat*)(void*)other, mjNISLAND * mjNSOLVER);
    }
    if (memcmp(mine, other, size) != 0) {
      CF_FAIL("%s: %s of %d lanes differs from that of lone worlds\n", path, names[k], nlane);
    }
    for (int w = 0; w < LONG_WORLDS && strcmp(names[k], "solver_niter") == 0; w++) {
      niter += ((const int*)(void*)mine)[w * mjNISLAND];
    }
    free(mine);
    free(other);
  }
  return niter;
}


static int compareSolver(const mjModel* m, const char* path, int nlane) {
  cfBatch* batch[2];
  for (int k = 0; k < 2; k++) {
    const cfBatchOptions options = {
        .nthread = 1,
        .nlane = k ? 1 : nlane,
        .outputs = "qacc qfrc_constraint solver_niter nisland sensordata solver"};
    batch[k] = cf_makeBatch(m, LONG_WORLDS, &options, NULL, 0);
    CF_TRUE(batch[k]);
  }
  int niter = 0;
  for (int round = 0; round < STATES; round++) {
    for (int k = 0; k < 2; k++) {
      throwWorlds(m, batch[k], round);
      CF_TRUE(cf_batchStep(batch[k], 3));
    }
    niter += expectSolution(batch, path, nlane);
  }
  cf_freeBatch(batch[0]);
  cf_freeBatch(batch[1]);
  return niter;
}


CF_TEST(rows__of_worlds_that_are_thrown_about__are_solved_as_in_a_lone_world) {
  int niter = 0, nmade = 0;
  for (size_t k = 0; k < sizeof(lane_patterns) / sizeof(lane_patterns[0]); k++) {
    glob_t found;
    CF_EQ_INT(glob(lane_patterns[k], 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i += CF_SANITIZED ? 4 : 1) {
      mjModel* m = mj_loadXML(found.gl_pathv[i], NULL, NULL, 0);
      nmade += m && cfi_laneStages(m) && cfi_hasLaneRows(m);
      for (int nlane = 4; m && nlane <= 8; nlane *= 2) {
        if (cfi_laneStages(m) && cfi_hasLaneSolver(m) && cfi_laneKernels(nlane)) {
          niter += compareSolver(m, found.gl_pathv[i], nlane);
        }
      }
      mj_deleteModel(m);
    }
    globfree(&found);
  }
  CF_TRUE(niter > (CF_SANITIZED ? 50 : 300) || !cfi_laneKernels(4));
  CF_TRUE(nmade > (CF_SANITIZED ? 3 : 12));  // models whose rows are made in lanes
}


// worlds of a group at rest after a few steps: rows in lanes, none of them left to its world
static void expectRowsInLanes(const mjModel* m, const cfLaneKernels* kernels, int nisland) {
  cfLaneGroup* g = cfi_makeLanes(m, kernels, NULL);
  CF_TRUE(g);
  const unsigned all = (1u << g->width) - 1;
  mjData* alone = mj_makeData(m);
  for (int k = 0; k < 60; k++) {
    mj_step(m, alone);
  }
  mj_forward(m, alone);
  for (int w = 0; w < g->width; w++) {
    g->data[w] = mj_copyData(NULL, m, alone);
  }
  kernels->gatherInputs(g);
  kernels->scatter(g, kernels->smooth(g, g->stages), true);
  for (int w = 0; w < g->width; w++) {
    mj_collision(m, g->data[w]);
  }
  CF_EQ_INT(kernels->rows(g, all), 0);
  CF_EQ_INT(g->newton.lanes, all);
  CF_EQ_INT(g->newton.nisland, nisland);
  for (int w = 0; w < g->width; w++) {
    CF_EQ_INT(g->data[w]->nefc, alone->nefc);
    CF_EQ_INT(g->data[w]->nisland, alone->nisland);
    CF_EQ_INT(g->data[w]->nidof, alone->nidof);
    for (int k = 0; k < alone->ncon; k++) {
      CF_EQ_INT(g->data[w]->contact[k].efc_address, alone->contact[k].efc_address);
      CF_TRUE(g->data[w]->contact[k].mu == alone->contact[k].mu);
    }
    mj_deleteData(g->data[w]);
  }
  mj_deleteData(alone);
  cfi_freeLanes(g);
}


CF_TEST(rows__of_a_runner_and_of_an_arm_with_objects__are_made_in_lanes) {
  mjModel* runner = mj_loadXML("models/robots/planar_runner.xml", NULL, NULL, 0);
  mjModel* arm = mj_loadXML("models/robots/arm_gripper.xml", NULL, NULL, 0);
  CF_TRUE(runner && arm && arm->opt.cone == mjCONE_ELLIPTIC);
  for (size_t k = 0; k < sizeof(widths) / sizeof(widths[0]); k++) {
    if (cfi_laneKernels(widths[k])) {
      expectRowsInLanes(runner, cfi_laneKernels(widths[k]), 0);
      expectRowsInLanes(arm, cfi_laneKernels(widths[k]), 3);
    }
  }
  mj_deleteModel(runner);
  mj_deleteModel(arm);
}


// two trees with tendons beyond their ranges and with friction; a third that nothing touches
static const char* const tendon_model =
    "<mujoco><option timestep='0.002'/><worldbody>"
    "<body><joint name='a' axis='0 1 0'/><geom type='capsule' fromto='0 0 0 0 0 -.3' size='.02'/>"
    "<body pos='0 0 -.3'><joint name='b' axis='0 1 0' range='-40 2' margin='.1'/>"
    "<geom type='capsule' size='.02' fromto='0 0 0 .3 0 0'/></body></body>"
    "<body pos='2 0 0'><joint name='c' axis='0 1 0' frictionloss='.1'/>"
    "<geom type='capsule' fromto='0 0 0 .3 0 0' size='.02'/>"
    "<body pos='.3 0 0'><joint name='e' type='slide' axis='1 0 0'/><geom size='.05'/></body></body>"
    "<body pos='4 0 0'><freejoint/><geom size='.1'/></body>"
    "</worldbody><tendon>"
    "<fixed limited='true' range='.1 .5' frictionloss='.2'><joint joint='a' coef='.5'/>"
    "<joint joint='b' coef='-.7'/></fixed>"
    "<fixed limited='true' range='-.5 .01' margin='.3' solimplimit='.8 .9 .01 .5 3'>"
    "<joint joint='c' coef='-1.5'/><joint joint='e' coef='2'/></fixed>"
    "<fixed frictionloss='.3'><joint joint='e' coef='-1'/></fixed>"
    "%s</tendon></mujoco>";


static mjModel* loadTendons(const char* more) {
  char xml[4000];
  snprintf(xml, sizeof(xml), tendon_model, more);
  return cf_compileText(xml);
}


CF_TEST(rows__of_fixed_tendons__are_made_in_lanes_and_solved_as_in_a_lone_world) {
  mjModel* m = loadTendons("");
  CF_TRUE(m && cfi_hasLaneRows(m));
  for (size_t k = 0; k < sizeof(widths) / sizeof(widths[0]); k++) {
    if (cfi_laneKernels(widths[k])) {
      expectRowsInLanes(m, cfi_laneKernels(widths[k]), 2);
    }
    if (widths[k] > 1 && cfi_laneKernels(widths[k])) {
      CF_TRUE(compareSolver(m, "tendons", widths[k]) > 0);
    }
  }
  mj_deleteModel(m);
}


// a tendon between trees couples their islands, one with a coefficient of zero may have no row
CF_TEST(rows__of_tendons_between_trees_or_without_joints__are_left_to_the_worlds) {
  static const char* const more[] = {
      "<fixed limited='true' range='0 .1'><joint joint='a' coef='1'/><joint joint='c' coef='1'/>"
      "</fixed>",
      "<fixed limited='true' range='0 .1'><joint joint='a' coef='0'/></fixed>"};
  for (size_t k = 0; k < sizeof(more) / sizeof(more[0]); k++) {
    mjModel* m = loadTendons(more[k]);
    CF_TRUE(m && !cfi_hasLaneRows(m));
    CF_TRUE(!cfi_laneKernels(4) || compareSolver(m, "tendons", 4) > 0);
    mj_deleteModel(m);
  }
}


// ---------------------------------------- sensors

// a box with a leg and a ball on the floor, and one sensor
static const char* const sensor_model =
    "<mujoco><worldbody><geom name='floor' type='plane' size='2 2 .1'/>"
    "<camera name='eye' pos='0 -2 1'/>"
    "<body name='box' pos='0 0 .12' euler='10 20 30'><freejoint/><geom name='box' type='box'"
    " size='.1 .07 .05' pos='.01 .02 0'/><site name='top' pos='.02 .01 .05' euler='5 0 40'/>"
    "<body name='leg' pos='.1 0 0'><joint name='knee' axis='0 1 0' range='-20 40'/>"
    "<geom name='leg' type='capsule' fromto='0 0 0 .2 0 0' size='.03'/>"
    "<site name='toe' type='sphere' pos='.2 0 0' size='.05'/></body></body>"
    "<body name='ball' pos='.41 0 .09'><freejoint/><geom name='ball' size='.1'/>"
    "<site name='rim' pos='0 0 .1'/></body>"
    "</worldbody><actuator><motor name='knee' joint='knee' gear='2'/></actuator>"
    "<sensor><%s/></sensor></mujoco>";

static const char* const sensors[] = {
    "touch site='toe'",
    "accelerometer site='toe'",
    "velocimeter site='top'",
    "gyro site='toe'",
    "force site='toe'",
    "force site='rim'",
    "torque site='toe'",
    "magnetometer site='top'",
    "rangefinder site='top'",
    "jointpos joint='knee'",
    "jointvel joint='knee'",
    "actuatorpos actuator='knee'",
    "actuatorvel actuator='knee'",
    "actuatorfrc actuator='knee'",
    "jointactuatorfrc joint='knee'",
    "framepos objtype='body' objname='leg'",
    "framepos objtype='xbody' objname='leg'",
    "framepos objtype='geom' objname='ball' reftype='xbody' refname='leg'",
    "framequat objtype='site' objname='toe'",
    "framequat objtype='geom' objname='leg' reftype='body' refname='box'",
    "framexaxis objtype='body' objname='leg'",
    "frameyaxis objtype='geom' objname='leg'",
    "framezaxis objtype='xbody' objname='box' reftype='geom' refname='leg'",
    "framelinvel objtype='geom' objname='leg'",
    "framelinvel objtype='site' objname='toe' reftype='body' refname='ball'",
    "frameangvel objtype='xbody' objname='leg'",
    "framelinacc objtype='body' objname='leg'",
    "frameangacc objtype='geom' objname='ball'",
    "framepos objtype='camera' objname='eye' reftype='geom' refname='ball'",
    "subtreecom body='box'",
    "subtreelinvel body='box'",
    "subtreeangmom body='box'",
    "distance geom1='ball' geom2='leg' cutoff='9'",
    "fromto geom1='ball' body2='box' cutoff='9'",
    "insidesite site='toe' objtype='geom' objname='ball'",
    "e_potential",
    "e_kinetic",
    "clock",
};


// worlds with this sensor in lanes and one after the other
static void compareSensor(const char* sensor, int nlane) {
  char xml[4000];
  snprintf(xml, sizeof(xml), sensor_model, sensor);
  mjModel* m = cf_compileText(xml);
  CF_TRUE(cfi_hasLaneRows(m));
  cfBatch* batch[2];
  for (int k = 0; k < 2; k++) {
    const cfBatchOptions options = {.nthread = 1, .nlane = k ? 1 : nlane};
    batch[k] = cf_makeBatch(m, LONG_WORLDS, &options, NULL, 0);
    CF_TRUE(batch[k]);
    throwWorlds(m, batch[k], 1);
  }
  const size_t n = (size_t)m->nsensordata;
  mjtNum* value = calloc(2 * n * LONG_WORLDS, sizeof(mjtNum));
  for (int step = 0; step < 40; step++) {
    for (int k = 0; k < 2; k++) {
      CF_TRUE(cf_batchStep(batch[k], 1 + step % 3));
      CF_TRUE(cf_batchGet(batch[k], "sensordata", NULL, LONG_WORLDS, CF_ORDER_WORLD,
                          value + (size_t)k * n * LONG_WORLDS));
    }
    if (memcmp(value, value + n * LONG_WORLDS, sizeof(mjtNum) * n * LONG_WORLDS) != 0) {
      CF_FAIL("%s: differs from that of lone worlds in step %d\n", sensor, step);
    }
  }
  free(value);
  cf_freeBatch(batch[0]);
  cf_freeBatch(batch[1]);
  mj_deleteModel(m);
}


// what nobody reads is not handed to the worlds: each sensor by itself has to get what it reads
CF_TEST(sensors__alone_in_their_model__read_the_same_as_in_a_lone_world) {
  for (size_t k = 0; k < sizeof(sensors) / sizeof(sensors[0]); k++) {
    for (int nlane = 4; nlane <= 8; nlane *= 2) {
      if (cfi_laneKernels(nlane)) {
        compareSensor(sensors[k], nlane);
      }
    }
  }
}


// a ball on a box on the floor: contacts push both ways, in every world at every step
static const char* const pile_model =
    "<mujoco><option cone='%s'/><worldbody><geom type='plane' size='2 2 .1'/>"
    "<body pos='0 0 .099'><freejoint/><geom type='box' pos='.01 0 0' size='.2 .2 .1'/><site name='box'/></body>"
    "<body pos='.02 .01 .298'><freejoint/><geom pos='.01 0 0' size='.1' condim='4'/><site name='ball'/></body>"
    "</worldbody><sensor><force site='ball'/><torque site='ball'/><force site='box'/>"
    "<accelerometer site='ball'/></sensor></mujoco>";


static void comparePile(const char* cone, int nlane) {
  char xml[2000];
  snprintf(xml, sizeof(xml), pile_model, cone);
  mjModel* m = cf_compileText(xml);
  CF_TRUE(m && cfi_hasLaneRows(m));
  const size_t n = (size_t)m->nv * LONG_WORLDS, nout = 6 * (size_t)m->nbody * LONG_WORLDS;
  mjtNum *qvel = calloc(n, sizeof(mjtNum)), *out = calloc(2 * nout, sizeof(mjtNum));
  for (size_t k = 0; k < n; k++) {
    qvel[k] = 0.01 * sin(1.3 * (mjtNum)k);
  }
  const char* const names[] = {"sensordata", "cfrc_ext"};
  for (int i = 0; i < 2; i++) {
    for (int k = 0; k < 2; k++) {
      const cfBatchOptions options = {
          .nthread = 1, .nlane = k ? 1 : nlane, .outputs = "sensordata cfrc_ext"};
      cfBatch* batch = cf_makeBatch(m, LONG_WORLDS, &options, NULL, 0);
      CF_TRUE(batch && cf_batchSet(batch, "qvel", NULL, LONG_WORLDS, CF_ORDER_WORLD, qvel));
      CF_TRUE(cf_batchStep(batch, 50));
      CF_TRUE(
          cf_batchGet(batch, names[i], NULL, LONG_WORLDS, CF_ORDER_WORLD, out + (size_t)k * nout));
      cf_freeBatch(batch);
    }
    CF_EQ_BYTES(out, out + nout, sizeof(mjtNum) * nout);
  }
  free(qvel);
  free(out);
  mj_deleteModel(m);
}


CF_TEST(forces__of_contacts_between_bodies_that_move__are_those_of_a_lone_world) {
  for (int nlane = 4; nlane <= 8; nlane *= 2) {
    if (cfi_laneKernels(nlane)) {
      comparePile("pyramidal", nlane);
      comparePile("elliptic", nlane);
    }
  }
}


// ---------------------------------------- choice and trouble

CF_TEST(width__not_asked_for__gives_every_thread_a_full_group) {
  mjModel* m = mj_loadXML("models/robots/cartpole.xml", NULL, NULL, 0);
  const int expected[][2] = {{1, 1}, {3, 1}, {8, 4}, {15, 4}, {64, 8}};
  for (size_t k = 0; k < sizeof(expected) / sizeof(expected[0]); k++) {
    const cfBatchOptions options = {.nthread = 2};
    cfBatch* batch = cf_makeBatch(m, expected[k][0], &options, NULL, 0);
    const int most = cfi_laneKernels(8) ? 8 : cfi_laneKernels(4) ? 4 : 1;
    CF_EQ_INT(cf_batchLanes(batch), expected[k][1] < most ? expected[k][1] : most);
    cf_freeBatch(batch);
  }
  mj_deleteModel(m);
}


CF_TEST(width__not_known__message) {
  mjModel* m = mj_loadXML("models/robots/cartpole.xml", NULL, NULL, 0);
  const cfBatchOptions options = {.nlane = 3};
  char error[200] = "";
  CF_TRUE(!cf_makeBatch(m, 4, &options, error, sizeof(error)));
  CF_HAS_STR(error, "3 worlds per register: expected 0, 1, 4 or 8");
  mj_deleteModel(m);
}


// a world with a bad control and one that is pushed leave the bits of the others alone
CF_TEST(worlds__pushed_or_with_bad_controls__step_as_a_lone_world) {
  mjModel* m = mj_loadXML("models/robots/planar_runner.xml", NULL, NULL, 0);
  m->opt.disableflags |= mjDSBL_CLAMPCTRL;  // or no control is bad
  const cfBatchOptions options = {.nlane = cfi_laneKernels(4) ? 4 : 1};
  cfBatch* batch = cf_makeBatch(m, LONG_WORLDS, &options, NULL, 0);
  mjData* d[LONG_WORLDS];
  mjtNum* ctrl = calloc((size_t)m->nu, sizeof(mjtNum));
  mjtNum* push = calloc(6 * (size_t)m->nbody, sizeof(mjtNum));
  for (int w = 0; w < LONG_WORLDS; w++) {
    d[w] = mj_makeData(m);
    ctrl[0] = w == 1 ? 2 * mjMAXVAL : 0.1 * w;
    push[6 * (m->nbody - 1)] = w == 2 ? 30 : 0;
    memcpy(d[w]->ctrl, ctrl, sizeof(mjtNum) * (size_t)m->nu);
    memcpy(d[w]->xfrc_applied, push, sizeof(mjtNum) * 6 * (size_t)m->nbody);
    CF_TRUE(cf_batchSet(batch, "ctrl", &w, 1, CF_ORDER_WORLD, ctrl));
    CF_TRUE(cf_batchSet(batch, "xfrc_applied", &w, 1, CF_ORDER_WORLD, push));
  }
  CF_TRUE(cf_batchStep(batch, 20));
  mjtNum* qpos = calloc((size_t)m->nq, sizeof(mjtNum));
  for (int w = 0; w < LONG_WORLDS; w++) {
    for (int k = 0; k < 20; k++) {
      mj_step(cf_batchModel(batch), d[w]);
    }
    CF_TRUE(cf_batchGet(batch, "qpos", &w, 1, CF_ORDER_WORLD, qpos));
    CF_EQ_BYTES(qpos, d[w]->qpos, sizeof(mjtNum) * (size_t)m->nq);
    mj_deleteData(d[w]);
  }
  free(qpos);
  free(ctrl);
  free(push);
  cf_freeBatch(batch);
  mj_deleteModel(m);
}

CF_TEST_MAIN("batch/lanes")
