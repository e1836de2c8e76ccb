// Steps of a group of worlds in lanes.
#include <setjmp.h>
#include <string.h>

#include "base/assert.h"
#include "base/memory.h"
#include "batch/batch.h"
#include "lanes/lanes.h"
#include "constraint/rnepost.h"
#include "math/scan.h"
#include "model/data.h"
#include "model/flags.h"
#include "pipeline/advance.h"


// ---------------------------------------- choice

// the widest kernels of this processor that leave no thread without a full group
static const cfLaneKernels* fittingKernels(const cfBatch* batch) {
  const int share = batch->nworld / cfi_batchThreads(batch);
  const cfLaneKernels* kernels = NULL;
  for (int width = CF_LANES_MAX; width > 1 && !kernels; width /= 2) {
    kernels = width <= share && width % 4 == 0 ? cfi_laneKernels(width) : NULL;
  }
  return kernels;
}


int cfi_batchChooseLanes(cfBatch* batch) {
  const int wanted = batch->options.nlane;
  if (wanted != 0 && wanted != 1 && wanted != 4 && wanted != 8) {
    return cfi_batchFail(batch, "%d worlds per register: expected 0, 1, 4 or 8", wanted);
  }
  if (wanted > 1 && !cfi_laneKernels(wanted)) {
    return cfi_batchFail(batch, "%d worlds per register: this processor cannot do that", wanted);
  }
  const bool may = wanted != 1 && !batch->is_persistent && cfi_laneStages(batch->model);
  batch->kernels = !may ? NULL : wanted ? cfi_laneKernels(wanted) : fittingKernels(batch);
  return batch->kernels ? cfi_batchMakeOrder(batch) : 1;
}


int cf_batchLanes(const cfBatch* batch) {
  return batch->kernels ? batch->kernels->width : 1;
}


// callbacks may read anything at any time: then worlds take whole steps one after the other
bool cfi_batchHasLanes(const cfBatch* batch) {
  return batch->kernels && cfi_laneSupport(cfi_featuresNow()) && cfi_laneKnowsJoints(batch);
}


int cfi_batchGroups(const cfBatch* batch) {
  const int width = cf_batchLanes(batch);
  return (batch->nplace + width - 1) / width;
}


// the first lane uses the data that the worker has anyway
int cfi_batchMakeLanes(cfBatchWorker* worker) {
  cfBatch* batch = worker->batch;
  if (!batch->kernels) {
    return 1;
  }
  worker->lanes = cfi_makeLanes(batch->model, batch->kernels, batch);
  if (!worker->lanes) {
    return cfi_batchFail(batch, "no memory for lanes");
  }
  worker->lanes->data[0] = worker->data;
  for (int w = 1; w < batch->kernels->width; w++) {
    worker->lanes->data[w] = mj_makeData(batch->model);
    if (!worker->lanes->data[w]) {
      return cfi_batchFail(batch, "no memory for the data of lanes");
    }
  }
  return 1;
}


void cfi_batchFreeLanes(cfBatchWorker* worker) {
  for (int w = 1; worker->lanes && w < worker->lanes->width; w++) {
    mj_deleteData(worker->lanes->data[w]);
  }
  cfi_freeLanes(worker->lanes);
}


// ---------------------------------------- a group

// worlds of the lanes; -1: the lane computes for nobody
typedef struct {
  cfBatchWorker* worker;
  cfLaneGroup* lanes;
  int world[CF_LANES_MAX];
  const cfLaneKernels* kernels;
  int live;         // lanes with a world
  unsigned stages;  // that these worlds allow
  unsigned done;
  unsigned barred;                     // stages that forces on bodies rule out
  bool is_current;                     // the state in lanes is that of the worlds, and good
  bool has_solution;                   // the solution in lanes is that of the worlds
  int lane;                            // that is being worked on
  unsigned solved;                     // bits of lanes whose rows were solved together
  unsigned made;                       // bits of lanes whose rows, if any, were made together
  int evaluation;                      // of Runge-Kutta
  mjtNum time[CF_LANES_MAX];           // at the beginning of the step
  int step;                            // of the job
  int seen[CF_LANES_MAX][mjNWARNING];  // warnings of good steps
} laneTask;

// what is done with one world between lane stages; may end by an error
typedef void (*laneWorldTask)(laneTask* task, mjData* d);


static void endLane(laneTask* task, int w) {
  CF_ASSERT(task->live > 0 && task->world[w] >= 0);
  task->world[w] = -1;
  task->live--;
}


// model of the lane that is being worked on
static const mjModel* laneModel(const laneTask* task) {
  return task->lanes->model[task->lane];
}


// an error ends the world that raised it; the others go on
static void runLane(laneTask* task, laneWorldTask run, int w) {
  mjData* d = task->lanes->data[w];
  task->lane = w;
  if (!setjmp(task->worker->way_out)) {
    run(task, d);
  } else {
    cfi_batchNoteError(task->worker, task->world[w], d);
    endLane(task, w);
  }
}


static void forLanes(laneTask* task, laneWorldTask run) {
  for (int w = 0; w < task->lanes->width; w++) {
    if (task->world[w] >= 0) {
      runLane(task, run, w);
    }
  }
}


// row structure of the actuators' moments: that of scalar joints stays what it is
static void takeWorld(laneTask* task, mjData* d) {
  cfi_batchTakeInto(task->worker->batch, task->world[task->lane], d);
  if (task->stages & CF_LANE_ACTUATION) {
    mj_transmission(laneModel(task), d);
  }
}


static void disturbWorld(laneTask* task, mjData* d) {
  const cfBatch* batch = task->worker->batch;
  if (batch->options.noise_scale > 0) {
    const int world = task->world[task->lane];
    cfi_batchNoise(batch, laneModel(task), d, world, batch->status[world].nstep);
  }
}


static void beginStep(laneTask* task, mjData* d) {
  const mjModel* m = laneModel(task);
  disturbWorld(task, d);
  mj_checkPos(m, d);
  mj_checkVel(m, d);
  if (cfi_anyNonzero(d->xfrc_applied, 6 * (int)m->nbody)) {
    task->barred |= CF_LANE_ACCELERATION;
  }
}


// inputs of a step: all of them, or controls alone where the state is in lanes already
static void gatherStep(laneTask* task) {
  cfLaneGroup* g = task->lanes;
  if (!task->is_current) {
    task->barred = 0;
    forLanes(task, beginStep);
    task->kernels->gatherInputs(g);
  } else if (task->worker->batch->options.noise_scale > 0 || task->worker->batch->course) {
    mjtNum* control[CF_LANES_MAX];
    for (int w = 0; w < g->width; w++) {
      control[w] = g->data[w]->ctrl;
    }
    forLanes(task, disturbWorld);
    task->kernels->gatherNumbers(g->ctrl, control, (int)g->m->nu);
  }
  task->done = task->stages & ~task->barred;
}


// what a course says for this step: where that is more than controls, all inputs are new
static void driveWorld(laneTask* task, mjData* d) {
  const cfBatch* batch = task->worker->batch;
  cfi_courseDrive(batch, laneModel(task), d, task->world[task->lane], task->step);
}


static void recordWorld(laneTask* task, mjData* d) {
  const cfBatch* batch = task->worker->batch;
  cfi_courseRecord(batch, laneModel(task), d, task->world[task->lane], task->step);
}


// True if worlds do nothing by themselves but collision, rows and sensors.
static bool isAllInLanes(const laneTask* task) {
  const bool has_rows = !cfi_disabled(task->lanes->m, mjDSBL_CONSTRAINT);
  const unsigned all = CF_LANE_INERTIA | CF_LANE_PASSIVE | CF_LANE_ACTUATION |
                       CF_LANE_ACCELERATION | (has_rows ? CF_LANE_SOLVE : 0) | CF_LANE_INTEGRATION |
                       (task->lanes->stages & (CF_LANE_CONSTRAINT | CF_LANE_CAMERAS));
  return (task->done & all) == all;
}


// does a world have rows that were not solved in lanes
static bool isAnyAlone(const laneTask* task) {
  bool is_any = false;
  for (int w = 0; w < task->lanes->width; w++) {
    is_any |= task->world[w] >= 0 && !(task->solved >> w & 1) && task->lanes->data[w]->nefc > 0;
  }
  return is_any;
}


// cameras that nobody reads count as done
static unsigned stagesBehind(const laneTask* task) {
  return task->lanes->cameras_are_wanted ? task->done : task->done | CF_LANE_CAMERAS;
}


// position, velocity and forces; rows that can be solved in lanes are offered
static void beginForward(laneTask* task, mjData* d) {
  (void)d;
  const mjModel* m = laneModel(task);
  cfi_laneRest(task->lanes, task->lane, m, stagesBehind(task), task->evaluation == 0);
  if ((task->done & CF_LANE_SOLVE) && !(task->done & CF_LANE_CONSTRAINT)) {
    cfi_laneOffer(task->lanes, task->lane, m);
  }
}


// rows of one world that were not made in lanes
static void makeWorldRows(laneTask* task, mjData* d) {
  if (!(task->made >> task->lane & 1)) {
    cfi_laneOwnRows(laneModel(task), d, task->done);
  }
}


// lanes with a world, as bits
static unsigned liveLanes(const laneTask* task) {
  unsigned live = 0;
  for (int w = 0; w < task->lanes->width; w++) {
    live |= (unsigned)(task->world[w] >= 0) << w;
  }
  return live;
}


// rows of all worlds, in lanes or not
static void makeLaneRows(laneTask* task) {
  const unsigned alone = task->kernels->rows(task->lanes, liveLanes(task));
  task->made = ~alone;
  if (alone) {
    if (isAllInLanes(task)) {
      task->kernels->scatterLate(task->lanes, task->done);
    }
    forLanes(task, makeWorldRows);
  }
}


// a world that was not solved in lanes
static void solveWorld(laneTask* task, mjData* d, const mjModel* m) {
  if (task->solved >> task->lane & 1) {
    return;
  }
  if ((task->done & CF_LANE_CONSTRAINT) && (task->made >> task->lane & 1) && d->nefc) {
    cfi_laneOwnRows(m, d, task->done);
  }
  cfi_laneSolveAlone(m, d, task->done);
}


// what sensors of forces ask for, before they do
static void pushWorld(laneTask* task, mjData* d) {
  const mjModel* m = laneModel(task);
  solveWorld(task, d, m);
  cfi_externalForces(m, d);
}


static void finishForward(laneTask* task, mjData* d) {
  const mjModel* m = laneModel(task);
  solveWorld(task, d, m);
  cfi_laneAfterSolve(m, d, task->lanes->reactions_are_wanted);
  mj_checkAcc(m, d);
  if (!(task->done & CF_LANE_INTEGRATION)) {
    if (task->lanes->inner_reactions != REACTS_NOT) {
      cfi_rungeKuttaReacting(m, d, task->lanes->inner_reactions);
    } else {
      cfi_integrate(m, d, m->opt.integrator);
    }
  }
}


static void finishStep(laneTask* task, mjData* d) {
  const mjModel* m = laneModel(task);
  d->time += m->opt.timestep;
  memcpy(d->qacc_warmstart, d->qacc, sizeof(mjtNum) * (size_t)m->nv);
}


// evaluations of Runge-Kutta after the first one
static void beginEvaluation(laneTask* task, mjData* d) {
  const mjModel* m = laneModel(task);
  d->time += cfi_laneReach(task->evaluation) * m->opt.timestep;
  beginForward(task, d);
}


static void finishEvaluation(laneTask* task, mjData* d) {
  solveWorld(task, d, laneModel(task));
}


// forces from outside, then those between bodies
static void reactLanes(laneTask* task) {
  const bool is_pulled = task->barred & CF_LANE_ACCELERATION;
  const bool is_known = task->has_solution && (task->done & CF_LANE_CONSTRAINT) && !is_pulled;
  if (is_known) {
    // worlds without rows have no forces of contacts
    task->kernels->external(task->lanes, liveLanes(task) & task->lanes->newton.lanes);
  } else {
    forLanes(task, pushWorld);
    task->solved = ~0u;
  }
  cfi_laneReact(task->lanes, task->kernels, is_known);
}


// Worlds without rows whose smooth acceleration is in lanes, as bits; they count as solved.
static unsigned bareLanes(const laneTask* task) {
  unsigned bare = 0;
  for (int w = 0; w < task->lanes->width && (task->done & CF_LANE_ACCELERATION); w++) {
    mjData* d = task->lanes->data[w];
    if (task->world[w] >= 0 && !(task->solved >> w & 1) && !d->nefc) {
      CF_ASSERT(!(task->lanes->newton.lanes >> w & 1));
      memset(d->solver_niter, 0, sizeof(d->solver_niter));
      bare |= 1u << w;
    }
  }
  return bare;
}


// Rows of all worlds that are solved in lanes, and worlds without rows.
static void solveLanes(laneTask* task) {
  cfLaneGroup* g = task->lanes;
  task->solved = g->newton.lanes ? cfi_laneSolve(g, task->kernels, task->done) : 0;
  const unsigned bare = bareLanes(task);
  if (bare) {
    task->kernels->bare(g, bare);
    task->solved |= bare;
  }
  if (task->solved) {
    task->kernels->scatterResults(g);
  }
  task->has_solution = !(liveLanes(task) & ~task->solved);
}


// what is between the smooth stages and the integrator: the rows of all worlds, then their forces
static void forwardLanes(laneTask* task, laneWorldTask begin, laneWorldTask finish) {
  cfLaneGroup* g = task->lanes;
  g->newton.lanes = 0;
  const bool may_touch = !cfi_disabled(g->m, mjDSBL_CONTACT | mjDSBL_CONSTRAINT);
  if (may_touch && isAllInLanes(task) && !((task->done & CF_LANE_NEAR) && g->near.is_all_known)) {
    task->kernels->scatterGeoms(g);
  }
  forLanes(task, begin);
  if (task->done & CF_LANE_CONSTRAINT) {
    makeLaneRows(task);
  }
  solveLanes(task);
  if (isAllInLanes(task) && isAnyAlone(task)) {
    task->kernels->scatterLate(g, task->done);
  }
  const bool is_last = task->evaluation == CF_LANE_EVALUATIONS - 1;
  if (task->evaluation == 0 ? g->reactions_are_wanted : g->has_last_reactions && is_last) {
    reactLanes(task);
  }
  forLanes(task, finish);
}


// all stages at the state in lanes, which has no bad controls that the first evaluation had not
static void evaluateLanes(laneTask* task) {
  const cfLaneKernels* kernels = task->kernels;
  cfLaneGroup* g = task->lanes;
  for (int w = 0; w < g->width; w++) {
    g->data[w]->time = task->time[w];
  }
  const unsigned stages = task->done & ~(unsigned)CF_LANE_MOMENTUM;  // for sensors
  kernels->scatterState(g);
  kernels->smooth(g, stages);
  kernels->scatter(g, stages, !isAllInLanes(task));
  forwardLanes(task, beginEvaluation, finishEvaluation);
}


static void rungeKuttaLanes(laneTask* task) {
  const cfLaneKernels* kernels = task->kernels;
  cfLaneGroup* g = task->lanes;
  for (int w = 0; w < g->width; w++) {
    task->time[w] = g->data[w]->time;
  }
  for (task->evaluation = 0; task->evaluation < CF_LANE_EVALUATIONS; task->evaluation++) {
    if (task->evaluation) {
      evaluateLanes(task);
    }
    kernels->gatherResults(g, task->done, !task->has_solution);
    kernels->rungeKutta(g, task->evaluation);
  }
  for (int w = 0; w < g->width; w++) {
    g->data[w]->time = task->time[w];
  }
}


// a world whose numbers are bad is lost
static void endStep(laneTask* task) {
  for (int w = 0; w < task->lanes->width; w++) {
    if (task->world[w] >= 0) {
      const mjData* d = task->lanes->data[w];
      cfWorldStatus* status = task->worker->batch->status + task->world[w];
      status->nstep++;
      if (cfi_badNumbers(d)) {
        cfi_batchGatherLost(status, task->lanes->model[w], d, task->seen[w]);
        endLane(task, w);
      } else {
        cfi_batchSeeWarnings(task->seen[w], d);
      }
    }
  }
}


static void stepLanes(laneTask* task) {
  const cfLaneKernels* kernels = task->kernels;
  cfLaneGroup* g = task->lanes;
  if (task->worker->batch->course) {
    forLanes(task, driveWorld);
    task->is_current &= cfi_courseIsControl(task->worker->batch);
  }
  gatherStep(task);
  task->done = kernels->smooth(g, task->done);
  kernels->scatter(g, task->done, !isAllInLanes(task));
  task->evaluation = 0;
  forwardLanes(task, beginForward, finishForward);
  if (task->done & CF_LANE_INTEGRATION) {
    if (g->m->opt.integrator == mjINT_RK4) {
      rungeKuttaLanes(task);
    } else {
      kernels->gatherResults(g, task->done, !task->has_solution);
      kernels->integrate(g);
    }
    kernels->scatterState(g);
    forLanes(task, finishStep);
  }
  task->is_current = (task->done & CF_LANE_INTEGRATION) && kernels->isGood(g);
  if (task->worker->batch->course) {
    forLanes(task, recordWorld);
  }
  endStep(task);
}


static void chooseKernels(laneTask* task) {
  const cfBatch* batch = task->worker->batch;
  task->kernels = batch->kernels;
  task->stages = task->lanes->stages;
  if (batch->parameter) {
    task->kernels = cfi_ownLaneKernels(batch->kernels);
    task->stages = cfi_gatherOwn(task->lanes, batch, task->world);
  }
  const unsigned rows = CF_LANE_SOLVE | CF_LANE_CONSTRAINT;
  const bool has_cones = task->lanes->m->opt.cone == mjCONE_ELLIPTIC;
  const bool has_solver =
      (task->stages & CF_LANE_INERTIA) && (!has_cones || (task->stages & CF_LANE_CONSTRAINT));
  task->stages &= has_solver ? ~0u : ~rows;
}


void cfi_batchStepGroup(cfBatchWorker* worker, int group) {
  cfBatch* batch = worker->batch;
  laneTask task = {.worker = worker, .lanes = worker->lanes};
  const int width = task.lanes->width;
  CF_ASSERT(group >= 0 && group * width < batch->nplace);
  cfBatchPlace* place = batch->place + group * width;
  for (int w = 0; w < width; w++) {
    const int world = group * width + w < batch->nplace ? place[w].world : -1;
    const bool is_live = world >= 0 && !batch->status[world].is_frozen;
    task.world[w] = is_live ? world : -1;
    task.live += is_live;
    if (is_live) {
      cfi_batchEnter(batch->status + world);
    }
  }
  chooseKernels(&task);
  forLanes(&task, takeWorld);
  for (task.step = 0; task.step < batch->nstep && task.live; task.step++) {
    stepLanes(&task);
  }
  for (int w = 0; w < width; w++) {
    if (task.world[w] >= 0) {
      cfWorldStatus* status = batch->status + task.world[w];
      cfi_batchGatherWarnings(status, task.lanes->data[w]);
      cfi_batchWeigh(place + w, task.lanes->data[w]);
      cfi_batchPutFrom(batch, task.world[w], task.lanes->data[w], true);
      cfi_batchLeave(status);
    }
  }
}
