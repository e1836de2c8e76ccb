// Worlds in lanes against MuJoCo, what their time is spent on, and why stages leave the lanes.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cortenforge/batch.h>

#include "backend/features.h"
#include "batch/batch.h"
#include "lanes/lanes.h"
#include "table.h"

// seconds of all worlds for one block, and the hash of where they end
static double runWorlds(const course* c, cfBatch* batch, uint64_t* hash) {
  if (!cf_batchSetState(batch, mjSTATE_INTEGRATION, NULL, WORLDS, c->state)) {
    stop("lanes", cf_batchError(batch));
  }
  const double start = secondsNow();
  if (!cf_batchStep(batch, c->nstep)) {
    stop("lanes", cf_batchError(batch));
  }
  const double seconds = secondsNow() - start;
  const int nq = (int)c->m->nq, nv = (int)c->m->nv;
  mjtNum* x = (mjtNum*)malloc(sizeof(mjtNum) * (size_t)(nq + nv));
  *hash = 0;
  for (int w = 0; w < WORLDS; w++) {
    mjtNum* v = x + nq;
    cf_batchGetState(batch, mjSTATE_QPOS, &w, 1, x);
    cf_batchGetState(batch, mjSTATE_QVEL, &w, 1, v);
    *hash = hashNumbers(hashNumbers(*hash, x, nq), v, nv);
  }
  free(x);
  return seconds;
}


// ---------------------------------------- shares

// The kernels of a batch, wrapped by functions that add up their time.
static const cfLaneKernels* inner;
static double seconds_in_lanes, seconds_of_moves;

#define TIMED(sum, call)               \
  do {                                 \
    const double start = secondsNow(); \
    call;                              \
    sum += secondsNow() - start;       \
  } while (0)


static unsigned timedSmooth(cfLaneGroup* g, unsigned stages) {
  unsigned done;
  TIMED(seconds_in_lanes, done = inner->smooth(g, stages));
  return done;
}


static unsigned timedRows(cfLaneGroup* g, unsigned live) {
  unsigned alone;
  TIMED(seconds_in_lanes, alone = inner->rows(g, live));
  return alone;
}


static unsigned timedNewton(cfLaneGroup* g) {
  unsigned solved;
  TIMED(seconds_in_lanes, solved = inner->newton(g));
  return solved;
}


static void timedBare(cfLaneGroup* g, unsigned lanes) {
  TIMED(seconds_in_lanes, inner->bare(g, lanes));
}


static void timedExternal(cfLaneGroup* g, unsigned lanes) {
  TIMED(seconds_in_lanes, inner->external(g, lanes));
}


static void timedReaction(cfLaneGroup* g) {
  TIMED(seconds_in_lanes, inner->reaction(g));
}


static void timedIntegrate(cfLaneGroup* g) {
  TIMED(seconds_in_lanes, inner->integrate(g));
}


static void timedRungeKutta(cfLaneGroup* g, int evaluation) {
  TIMED(seconds_in_lanes, inner->rungeKutta(g, evaluation));
}


static void timedGatherNumbers(mjtNum* lanes, mjtNum* const* world, int n) {
  TIMED(seconds_of_moves, inner->gatherNumbers(lanes, world, n));
}


static void timedGatherInputs(cfLaneGroup* g) {
  TIMED(seconds_of_moves, inner->gatherInputs(g));
}


static void timedGatherResults(cfLaneGroup* g, unsigned done, bool with_solution) {
  TIMED(seconds_of_moves, inner->gatherResults(g, done, with_solution));
}


static void timedScatter(cfLaneGroup* g, unsigned stages, bool with_late) {
  TIMED(seconds_of_moves, inner->scatter(g, stages, with_late));
}


static void timedScatterLate(cfLaneGroup* g, unsigned stages) {
  TIMED(seconds_of_moves, inner->scatterLate(g, stages));
}


static void timedScatterGeoms(cfLaneGroup* g) {
  TIMED(seconds_of_moves, inner->scatterGeoms(g));
}


static void timedScatterState(cfLaneGroup* g) {
  TIMED(seconds_of_moves, inner->scatterState(g));
}


static void timedScatterResults(cfLaneGroup* g) {
  TIMED(seconds_of_moves, inner->scatterResults(g));
}


static void printShares(const scene* s, const course* c, cfBatch* batch) {
  inner = batch->kernels;
  cfLaneKernels timed = *inner;
  timed.smooth = timedSmooth;
  timed.rows = timedRows;
  timed.newton = timedNewton;
  timed.bare = timedBare;
  timed.external = timedExternal;
  timed.reaction = timedReaction;
  timed.integrate = timedIntegrate;
  timed.rungeKutta = timedRungeKutta;
  timed.gatherNumbers = timedGatherNumbers;
  timed.gatherInputs = timedGatherInputs;
  timed.gatherResults = timedGatherResults;
  timed.scatter = timedScatter;
  timed.scatterLate = timedScatterLate;
  timed.scatterGeoms = timedScatterGeoms;
  timed.scatterState = timedScatterState;
  timed.scatterResults = timedScatterResults;
  double all = 0;
  uint64_t hash;
  seconds_in_lanes = seconds_of_moves = 0;
  batch->kernels = &timed;
  for (int round = 0; round < table.rounds; round++) {
    all += runWorlds(c, batch, &hash);
  }
  batch->kernels = inner;
  const double in = 100 * seconds_in_lanes / all, moved = 100 * seconds_of_moves / all;
  printNote("lanes", s->name, "shares",
            "%.1f %% in lanes, %.1f %% moving data, %.1f %% world by world", in, moved,
            100 - in - moved);
}


// ---------------------------------------- reasons

static const struct {
  unsigned stage;
  const char* name;
} stages[] = {
    {CF_LANE_FRAMES, "frames"},
    {CF_LANE_CAMERAS, "cameras and lights"},
    {CF_LANE_INERTIA, "inertia"},
    {CF_LANE_MOTION, "velocities and bias forces"},
    {CF_LANE_PASSIVE, "passive forces"},
    {CF_LANE_ACTUATION, "actuation"},
    {CF_LANE_ACCELERATION, "accelerations"},
    {CF_LANE_INTEGRATION, "integration"},
    {CF_LANE_NEAR, "search of near geoms"},
    {CF_LANE_SOLVE, "solver"},
    {CF_LANE_MOMENTUM, "momentum of subtrees"},
    {CF_LANE_REACTION, "forces between bodies"},
    {CF_LANE_CONSTRAINT, "constraint rows"},
};


static void printStages(const scene* s, unsigned left, const char* why) {
  char text[400] = "";
  for (size_t k = 0; k < sizeof(stages) / sizeof(*stages); k++) {
    if (left & stages[k].stage) {
      const size_t used = strlen(text);
      snprintf(text + used, sizeof(text) - used, "%s%s", used ? ", " : "", stages[k].name);
    }
  }
  printNote("lanes", s->name, "outside", "%s: %s", left == CF_LANE_ALL ? "the whole step" : text,
            why);
}


// stages that a model has outside of lanes, by the features that rule them out
static void printReasons(const scene* s, const mjModel* m) {
  const unsigned smooth = CF_LANE_INERTIA | CF_LANE_PASSIVE | CF_LANE_ACTUATION |
                          CF_LANE_ACCELERATION | CF_LANE_INTEGRATION;
  const cfFeatureSet features = cfi_featuresOf(m);
  for (int k = 0; k < CF_NFEATURE; k++) {
    if (features >> k & 1 && cfi_features[k].lanes != CF_LANE_ALL) {
      printStages(s, CF_LANE_ALL & ~cfi_features[k].lanes, cfi_features[k].reason);
    }
  }
  const unsigned support = cfi_laneSupport(features);
  const unsigned followed = support & ~cfi_laneStages(m) & smooth;
  if (followed) {
    printStages(s, followed, "they need what another stage leaves outside");
  }
}


// ---------------------------------------- lines

static cfBatch* makeWorlds(const scene* s, const course* c) {
  char error[500] = "";
  cfBatchOptions options;
  cf_defaultBatchOptions(&options);
  options.nthread = 1;
  options.outputs = s->is_file ? "sensordata" : options.outputs;
  cfBatch* batch = cf_makeBatch(c->m, WORLDS, &options, error, sizeof(error));
  if (!batch) {
    stop(s->name, error);
  }
  return batch;
}


void benchLanes(const scene* s) {
  course c = makeCourse(s, WORLDS);
  mjData *d = mj_makeData(c.m), *other = reference.makeData(c.other);
  pace ours = {0}, theirs = {0};
  compare(&c, &theirs, other, true, &ours, d, NULL);
  cfBatch* batch = makeWorlds(s, &c);
  pace worlds = ours;
  worlds.seconds = INFINITY;
  for (int round = 0; round < table.rounds; round++) {
    const double seconds = runWorlds(&c, batch, &worlds.hash) / (WORLDS * c.nstep);
    worlds.seconds = fmin(worlds.seconds, seconds);
  }
  char how[32];
  snprintf(how, sizeof(how), "%d lanes", cf_batchLanes(batch));
  printRow("lanes", s->name, how, &worlds, theirs.seconds);
  expectHash("lanes", s, worlds.hash, ours.hash);
  if (batch->kernels) {
    printShares(s, &c, batch);
  }
  printReasons(s, c.m);
  cf_freeBatch(batch);
  mj_deleteData(d);
  reference.deleteData(other);
  freeCourse(&c);
}
