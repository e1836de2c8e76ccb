// The fast tier of worlds on a GPU: whether it serves, its plan in device memory, its launches.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "base/memory.h"
#include "batch/cuda.h"
#include "device/noise.h"
#include "math/libm.h"
#include "team/overlap.h"
#include "team/tier.h"

enum {
  TEAM_THREADS = 32,  // of a team
  TEAM_TOGETHER = 4,  // teams of a block
  TEAM_TRIALS = 3,    // of a lone world, to see how many contacts and rows it has
  TEAM_TRIAL_STEPS = 250,
  TEAM_SHARED_MOST = 226 * 1024,
  TEAM_ROOM = 120,              // percent of what the trial needed
  TEAM_SPARE = 16,              // times the room at most, for worlds that need more
  DEVICE_MULTIPROCESSORS = 16,  // cuDeviceGetAttribute
  FUNCTION_SHARED = 8,          // cuFuncSetAttribute: most dynamic shared memory of a block
  FUNCTION_CARVEOUT = 9,        // share of the cache that is shared memory, in percent
  TEAM_NAMES = 1000,
  TEAM_NAME = 40,           // of a kernel
  TEAM_PORTION = 64 << 20,  // bytes of parameters that are sent at a time
  TEAM_PARTS_MAX = 128,
};

// a plan with its room for contacts and rows, and the kernel that runs by it
typedef struct cfCudaTeam_ {
  struct cfCudaTeam_* spare;  // with more room, for the worlds that need it; NULL: there is none
  void *module, *kernel;
  cfDevicePointer block, part;
  cfDevicePointer room;  // for GJK; not of the spare
  cfDevicePointer open;  // counters and list of worlds that were left open; not of the spare
  int32_t* count;        // the counters on the host, in memory that the device writes
  cfTeamPart list[TEAM_PARTS_MAX];
  int npart;
  uint32_t time;
  unsigned int world_bytes;
  int is_lean, is_wide;  // which kernel; wide: sensors, parameters of worlds
  int teams;             // in a block

  // parameters of worlds; not of the spare
  mjModel* model;  // that of the first world, which the plan is made of; NULL: all have one
  cfTeamShape shape;
  int nparameter;       // when it was made
  cfDevicePointer own;  // what follows from them for each world
  size_t own_bytes;     // of a world
} cfCudaTeam;

// ---------------------------------------- capacities

static int largerOf(int a, int b) {
  return a > b ? a : b;
}


// contacts and rows that a lone world has in its first steps, with noise on its controls
static void trialTask(cfBatchWorker* worker, int world) {
  const mjModel* m = worker->batch->model;
  cfTeamShape* most = &worker->batch->cuda->trial;
  mjData* d = worker->data;
  const cfNoise noise = {0.5, 0.1, 1};
  const int nkey = m->nkey < TEAM_TRIALS ? (int)m->nkey : TEAM_TRIALS;
  for (int trial = 0; trial < TEAM_TRIALS + nkey; trial++) {
    if (trial < TEAM_TRIALS) {
      mj_resetData(m, d);
    } else {
      mj_resetDataKeyframe(m, d, trial - TEAM_TRIALS);
    }
    for (int k = 0; k < TEAM_TRIAL_STEPS; k++) {
      cfi_addNoise(&noise, m, d, world + trial, k);
      mj_step(m, d);
      most->ncon_max = largerOf(most->ncon_max, d->ncon);
      most->nefc_max = largerOf(most->nefc_max, d->nefc);
    }
  }
  mj_resetData(m, d);
}


static bool wantsSensors(const cfBatch* batch) {
  const cfBatchPart* part = cfi_batchPart(batch, "sensordata");
  return part && part->bytes;
}


// room with a reserve, some times over
static cfTeamShape shapeOfTrial(cfBatch* batch, const mjModel* m, int times) {
  const cfTeamShape* most = &batch->cuda->trial;
  const int ncon_max = times * (most->ncon_max * TEAM_ROOM / 100 + 4);
  const int nefc_max = times * (most->nefc_max * TEAM_ROOM / 100 + 8);
  cfTeamShape shape = cfi_teamShape(m, ncon_max, nefc_max);
  if (batch->nparameter) {
    const bool has_springs = cfi_batchParameter(batch, "jnt_stiffness") != NULL;
    shape = cfi_teamOwnShape(m, ncon_max, nefc_max, has_springs);
  }
  if (wantsSensors(batch)) {
    cfi_teamSenseShape(m, &shape);
  }
  return shape;
}


static void runTrial(cfBatch* batch) {
  const int world = 0;
  batch->cuda->trial = (cfTeamShape){0};
  cfi_batchRun(batch, trialTask, &world, 1);
  mj_resetData(batch->model, batch->worker->data);
}

// ---------------------------------------- fields of records

static int refuseTier(cfBatch* batch, const char* what, const char* name) {
  snprintf(batch->tier_reason, sizeof(batch->tier_reason), "%s%s", what, name);
  return 0;
}


// has the tier an array of this name; of what a step reads from the step before it is then loaded
static bool isTeamState(const char* name) {
  static const char* const list[] = {
#define CF_TEAM_WORLD(type, name, count, first, last, doc) #name,
#include "tables/team_world.def"
#undef CF_TEAM_WORLD
  };
  for (size_t k = 0; k < sizeof(list) / sizeof(list[0]); k++) {
    if (strcmp(list[k], name) == 0) {
      return true;
    }
  }
  return false;
}


// name in the fast tier of a field that is kept
static const char* nameInTeam(const char* name) {
  return strcmp(name, "solver_niter") == 0 ? "niter" : name;
}


// does the tier have to do with this part of the records
static bool isTeamPart(const cfBatchPart* part) {
  return part->bytes && (isTeamState(part->info->name) || !part->is_carried);
}


// names of the outputs: their arrays stay until the step ends
static void nameOutputs(const cfBatch* batch, char names[TEAM_NAMES]) {
  size_t at = 0;
  names[0] = 0;
  for (int k = 0; k < batch->npart; k++) {
    const char* name = nameInTeam(batch->part[k].info->name);
    if (isTeamPart(batch->part + k) && at + strlen(name) + 2 < TEAM_NAMES) {
      at += (size_t)snprintf(names + at, TEAM_NAMES - at, "%s ", name);
    }
  }
}


static int listParts(cfBatch* batch, cfCudaTeam* team, const cfTeamTier* tier,
                     const cfTeamShape* shape, const void* plan) {
  for (int k = 0; k < batch->npart; k++) {
    const cfBatchPart* part = batch->part + k;
    const char* name = part->info->name;
    cfTeamPart p = {.offset = (uint32_t)part->offset};
    if (!isTeamPart(part)) {
      continue;
    }
    // the array of this name is another one there
    if (strcmp(name, "cacc") == 0) {
      return refuseTier(batch, "output ", name);
    }
    const bool is_known = tier->find(batch->model, shape, plan, nameInTeam(name), &p);
    p.is_byte = strcmp(name, "eq_active") == 0;
    const size_t width = p.is_byte ? 1 : p.is_int ? sizeof(int) : sizeof(mjtNum);
    const size_t bytes = (size_t)p.count * width;
    if (!is_known || bytes > part->bytes || (!p.is_int && bytes != part->bytes) ||
        team->npart == TEAM_PARTS_MAX) {
      return refuseTier(batch, "output ", name);
    }
    p.is_loaded = part->is_carried;
    p.is_stored =
        !p.is_byte && strcmp(name, "qfrc_applied") != 0 && strcmp(name, "xfrc_applied") != 0;
    team->list[team->npart++] = p;
  }
  return 1;
}

// ---------------------------------------- opening

static const cfTeamTier* tierOf(const cfBatch* batch) {
  return batch->options.precision == CF_PRECISION_SINGLE ? &cfi_teamSingle : &cfi_teamDouble;
}


static int sendBlock(cfBatch* batch, cfDevicePointer to, const void* from, size_t bytes,
                     const char* what) {
  const cfCuda* c = batch->cuda;
  return cfi_cudaCheck(batch, c->driver->cuMemcpyHtoDAsync_v2(to, from, bytes, c->stream), what) &&
         cfi_cudaWait(batch);
}


// name of the kernel, or of its plan in constant memory
static const char* nameOfKernel(const cfBatch* batch, const cfCudaTeam* team, bool is_plan,
                                char name[TEAM_NAME]) {
  const char* kind = team->shape.has_convex ? "Convex" : team->is_lean ? "Lean" : "";
  snprintf(name, TEAM_NAME, "cf_team%s%s%s%s",
           tierOf(batch) == &cfi_teamSingle ? "Single" : "Double", kind,
           team->is_wide && !team->shape.has_convex ? "Wide" : "", is_plan ? "Plan" : "");
  return name;
}


static const char no_memory[] = "no memory for the plan of the fast tier";


// the plan into constant memory, its arrays into global memory
static int sendPlan(cfBatch* batch, cfCudaTeam* team, const mjModel* m, const cfTeamShape* shape,
                    const char* names, void* plan) {
  cfCuda* c = batch->cuda;
  const cfTeamTier* tier = tierOf(batch);
  const size_t bytes = tier->plan(m, shape, names, NULL, NULL, 0);
  char name[TEAM_NAME];
  char* block = cfi_tryMalloc(bytes + 1);
  uint64_t place = 0;
  size_t place_bytes = 0;
  int is_good = block && cfi_cudaAllocate(batch, &team->block, bytes, "the plan of the fast tier");
  if (!block || (is_good && !tier->plan(m, shape, names, plan, block, team->block))) {
    is_good = cfi_batchFail(batch, no_memory);
  }
  if (is_good) {
    nameOfKernel(batch, team, true, name);
    is_good = cfi_cudaCheck(
                  batch, c->driver->cuModuleGetGlobal_v2(&place, &place_bytes, team->module, name),
                  "the plan of the fast tier") &&
              (place_bytes == tier->model_bytes ||
               cfi_batchFail(batch, "the fast tier belongs to another version of the library")) &&
              sendBlock(batch, place, plan, tier->model_bytes, "the plan of the fast tier") &&
              sendBlock(batch, team->block, block, bytes, "the plan of the fast tier");
  }
  mju_free(block);
  return is_good;
}


static int findKernel(cfBatch* batch, cfCudaTeam* team) {
  cfCuda* c = batch->cuda;
  char name[TEAM_NAME];
  nameOfKernel(batch, team, false, name);
  return cfi_cudaCheck(batch, c->driver->cuModuleGetFunction(&team->kernel, team->module, name),
                       name) &&
         cfi_cudaCheck(batch,
                       c->driver->cuFuncSetAttribute(team->kernel, FUNCTION_SHARED,
                                                     team->teams * (int)team->world_bytes),
                       "shared memory of the fast tier") &&
         cfi_cudaCheck(batch, c->driver->cuFuncSetAttribute(team->kernel, FUNCTION_CARVEOUT, 100),
                       "shared memory of the fast tier");
}


// Teams of a block begin each stage together, so that its instructions are fetched once for all of
// them.  They are four, one for each scheduler of a multiprocessor; few worlds are spread over all
// multiprocessors instead
static int teamsOfBlock(const cfBatch* batch, size_t bytes) {
  const cfCuda* c = batch->cuda;
  int count = 1;
  c->driver->cuDeviceGetAttribute(&count, DEVICE_MULTIPROCESSORS, c->device);
  const bool are_few = batch->nworld < TEAM_TOGETHER * count;
  return are_few || TEAM_TOGETHER * bytes > TEAM_SHARED_MOST ? 1 : TEAM_TOGETHER;
}


// everything but the choice; 0 with a reason or an error
static int openTeam(cfBatch* batch, cfCudaTeam* team, const mjModel* m, const cfTeamShape* shape,
                    void* plan) {
  const cfTeamTier* tier = tierOf(batch);
  const cfBatchPart* time = cfi_batchPart(batch, "time");
  char names[TEAM_NAMES];
  nameOutputs(batch, names);
  tier->plan(m, shape, names, plan, NULL, 0);
  const size_t bytes = tier->worldBytes(plan);
  CF_ASSERT(time);
  if (bytes > TEAM_SHARED_MOST) {
    return refuseTier(batch, "a world that is larger than shared memory", "");
  }
  team->world_bytes = (unsigned int)bytes;
  team->is_lean = shape->is_lean;
  team->is_wide = batch->nparameter > 0 || shape->nsensor > 0;
  team->shape = *shape;
  team->teams = teamsOfBlock(batch, bytes);
  team->time = (uint32_t)time->offset;
  if (!listParts(batch, team, tier, shape, plan)) {
    return 0;
  }
  if (!cfi_cudaLoadTeam(batch, &team->module) || !sendPlan(batch, team, m, shape, names, plan) ||
      !findKernel(batch, team) ||
      !cfi_cudaAllocate(batch, &team->part, sizeof(team->list), "the list of fields") ||
      !sendBlock(batch, team->part, team->list, sizeof(team->list), "the list of fields")) {
    return refuseTier(batch, batch->error, "");
  }
  return 1;
}


static void closeTeam(cfBatch* batch, cfCudaTeam* team) {
  const cfCuda* c = batch->cuda;
  if (!team) {
    return;
  }
  closeTeam(batch, team->spare);
  const cfDevicePointer memory[] = {team->block, team->part, team->room, team->open, team->own};
  for (size_t k = 0; k < sizeof(memory) / sizeof(memory[0]); k++) {
    if (memory[k]) {
      c->driver->cuMemFree_v2(memory[k]);
    }
  }
  if (team->count) {
    c->driver->cuMemFreeHost(team->count);
  }
  if (team->module) {
    c->driver->cuModuleUnload(team->module);
  }
  mj_deleteModel(team->model);
  mju_free(team);
}


// a team with some times the room of the trial; NULL and a reason: it cannot be
static cfCudaTeam* makeTeam(cfBatch* batch, const mjModel* m, int times) {
  const cfTeamShape shape = shapeOfTrial(batch, m, times);
  void* plan = cfi_tryMalloc(tierOf(batch)->model_bytes);
  cfCudaTeam* team = cfi_tryMalloc(sizeof(cfCudaTeam));
  if (!plan || !team || shape.npair < 0) {
    mju_free(plan);
    mju_free(team);
    refuseTier(batch, no_memory, "");
    return NULL;
  }
  *team = (cfCudaTeam){0};
  const int is_good = openTeam(batch, team, m, &shape, plan);
  mju_free(plan);
  if (!is_good) {
    closeTeam(batch, team);
  }
  return is_good ? team : NULL;
}


// the team, one with more room for worlds that need it, and the list of those
static int makeTeams(cfBatch* batch, const mjModel* m) {
  cfCuda* c = batch->cuda;
  void* count = NULL;
  c->team = makeTeam(batch, m, 1);
  if (!c->team) {
    return 0;
  }
  for (int times = TEAM_SPARE; times > 1 && !c->team->spare; times -= times > 4 ? 2 : 1) {
    c->team->spare = makeTeam(batch, m, times);
  }
  if (c->team->shape.has_convex &&
      !cfi_cudaAllocate(batch, &c->team->room, CF_OVERLAP_BYTES * (size_t)batch->nworld,
                        "room for contacts by GJK")) {
    return refuseTier(batch, batch->error, "");
  }
  if (!cfi_cudaAllocate(batch, &c->team->open,
                        sizeof(int32_t) * (size_t)(CF_TEAM_OPEN_LIST + batch->nworld),
                        "a list of worlds") ||
      !cfi_cudaCheck(batch,
                     c->driver->cuMemAllocHost_v2(&count, sizeof(int32_t) * CF_TEAM_OPEN_LIST),
                     "memory for counters")) {
    return refuseTier(batch, batch->error, "");
  }
  c->team->count = count;
  batch->tier_reason[0] = 0;
  return 1;
}


static bool hasCollidingMesh(const mjModel* m) {
  for (int g = 0; g < m->ngeom; g++) {
    if (m->geom_type[g] == mjGEOM_MESH && (m->geom_contype[g] || m->geom_conaffinity[g])) {
      return true;
    }
  }
  return false;
}


// has it all that model and outputs need, and is it worth while
static int allowsTeam(cfBatch* batch) {
  char reason[300] = "";
  const char* foreign = wantsSensors(batch) ? cfi_teamForeignSensor(batch->model) : NULL;
  if (batch->options.tier == CF_TIER_BASE) {
    return refuseTier(batch, "the base tier was asked for", "");
  }
  if (!cfi_teamAccepts(batch->model, reason, sizeof(reason))) {
    return refuseTier(batch, reason, "");
  }
  if (foreign) {
    return refuseTier(batch, "output sensordata: ", foreign);
  }
  if (batch->options.tier == CF_TIER_AUTO && tierOf(batch) == &cfi_teamDouble &&
      hasCollidingMesh(batch->model)) {
    return refuseTier(batch, "meshes in double precision are faster in the base tier", "");
  }
  return 1;
}


void cfi_cudaTryTeam(cfBatch* batch) {
  batch->cuda->may_team = allowsTeam(batch);
  if (batch->cuda->may_team) {
    runTrial(batch);
  }
}


int cfi_cudaOpenTeam(cfBatch* batch) {
  if (batch->cuda->may_team && makeTeams(batch, batch->model)) {
    return 1;
  }
  batch->cuda->may_team = false;
  cfi_cudaCloseTeam(batch);
  batch->error[0] = 0;
  return batch->options.tier != CF_TIER_FAST ||
         cfi_batchFail(batch, "not in the fast tier: %s", batch->tier_reason);
}


void cfi_cudaCloseTeam(cfBatch* batch) {
  closeTeam(batch, batch->cuda->team);
  batch->cuda->team = NULL;
}

// ---------------------------------------- parameters of worlds

// what follows from the parameters of a world, into its place of the portion
static void ownTask(cfBatchWorker* worker, int world) {
  cfCuda* c = worker->batch->cuda;
  const cfCudaTeam* team = c->team;
  const mjModel* m = cfi_batchWorldModel(worker, world);
  const char* foreign = cfi_teamForeignWorld(m, team->model);
  char* place = c->own_portion + team->own_bytes * (size_t)(world - c->own_first);
  if (!foreign && !tierOf(worker->batch)->own(m, &team->shape, place)) {
    foreign = no_memory;
  }
  if (foreign) {
    atomic_store(&c->own_foreign, foreign);
  }
}


// worlds from `first` on
static int sendPortion(cfBatch* batch, int* world, int first, int count) {
  cfCuda* c = batch->cuda;
  const cfCudaTeam* team = c->team;
  for (int k = 0; k < count; k++) {
    world[k] = first + k;
  }
  c->own_first = first;
  const int failed = cfi_batchRun(batch, ownTask, world, count);
  const char* foreign = atomic_load(&c->own_foreign);
  if (failed || foreign) {
    return refuseTier(batch, "", foreign ? foreign : "parameters");
  }
  return sendBlock(batch, team->own + team->own_bytes * (size_t)first, c->own_portion,
                   team->own_bytes * (size_t)count, "parameters of worlds") ||
         refuseTier(batch, batch->error, "");
}


// the parameters of all worlds, in portions
static int sendOwn(cfBatch* batch) {
  cfCuda* c = batch->cuda;
  const size_t bytes = c->team->own_bytes, most = TEAM_PORTION / bytes + 1;
  const int portion = most < (size_t)batch->nworld ? (int)most : batch->nworld;
  int* world = cfi_tryMalloc(sizeof(int) * (size_t)portion);
  c->own_portion = cfi_tryMalloc(bytes * (size_t)portion);
  atomic_store(&c->own_foreign, NULL);
  int is_good = (world && c->own_portion) || refuseTier(batch, "no memory for parameters", "");
  for (int first = 0; is_good && first < batch->nworld; first += portion) {
    const int left = batch->nworld - first;
    is_good = sendPortion(batch, world, first, left < portion ? left : portion);
  }
  mju_free(world);
  mju_free(c->own_portion);
  return is_good;
}


// a team for worlds with parameters, planned by those of the first one
static int makeOwnTeams(cfBatch* batch) {
  cfCuda* c = batch->cuda;
  cfi_cudaCloseTeam(batch);
  const mjModel* first = cfi_batchWorldModel(batch->worker, 0);
  if (first->opt.timestep != batch->model->opt.timestep) {
    return refuseTier(batch, "timesteps of worlds", "");
  }
  mjModel* m = mj_copyModel(NULL, first);
  if (!m) {
    return refuseTier(batch, no_memory, "");
  }
  if (!makeTeams(batch, m)) {
    mj_deleteModel(m);
    return 0;
  }
  cfCudaTeam* team = c->team;
  team->model = m;
  team->nparameter = batch->nparameter;
  team->own_bytes = tierOf(batch)->own(m, &team->shape, NULL);
  return cfi_cudaAllocate(batch, &team->own, team->own_bytes * (size_t)batch->nworld,
                          "parameters of worlds") ||
         refuseTier(batch, batch->error, "");
}


int cfi_cudaOwnTeam(cfBatch* batch) {
  cfCuda* c = batch->cuda;
  if (!c->may_team) {
    return 1;
  }
  const bool is_there = c->team && c->team->own && c->team->nparameter == batch->nparameter;
  if ((is_there && sendOwn(batch)) || (makeOwnTeams(batch) && sendOwn(batch))) {
    return 1;
  }
  cfi_cudaCloseTeam(batch);
  batch->error[0] = 0;
  c->has_new_parameters = batch->options.tier == CF_TIER_FAST;  // refused again by the next call
  return batch->options.tier != CF_TIER_FAST ||
         cfi_batchFail(batch, "not in the fast tier: %s", batch->tier_reason);
}

// ---------------------------------------- steps

bool cfi_cudaHasTeam(const cfBatch* batch) {
  return batch->cuda->team != NULL;
}


static void* teamPointer(cfDevicePointer address) {
  void* pointer;
  memcpy(&pointer, &address, sizeof(pointer));
  return pointer;
}


// the first launch: all worlds; the second: `count` open ones
static int launchTeam(cfBatch* batch, cfCudaTeam* team, int nstep, int count, bool is_again) {
  const cfCuda* c = batch->cuda;
  const cfBatchOptions* options = &batch->options;
  const mjtNum h = batch->model->opt.timestep;
  const mjtNum keep =
      cfi_exp(-h / (options->noise_rate > mjMINVAL ? options->noise_rate : mjMINVAL));
  cfTeamJob job = {.record = teamPointer(c->record),
                   .stride = batch->stride,
                   .part = teamPointer(team->part),
                   .status = teamPointer(c->status),
                   .timestep = h,
                   .noise_keep = keep,
                   .noise_scale = options->noise_scale * sqrt(1 - keep * keep),
                   .seed = options->seed,
                   .time = team->time,
                   .npart = team->npart,
                   .nstep = nstep,
                   .open = teamPointer(c->team->open),
                   .end = count,
                   .is_again = is_again,
                   .own = c->team->own ? c->team->own - team->block : 0,
                   .own_bytes = c->team->own ? c->team->own_bytes : 0,
                   .has_forms = c->team->own && cfi_batchHasForms(batch),
                   .room = teamPointer(c->team->room)};
  void* arguments[] = {&job};
  const unsigned int teams = (unsigned int)team->teams;
  CF_ASSERT(nstep >= 0);
  return cfi_cudaCheck(
      batch,
      c->driver->cuLaunchKernel(team->kernel, ((unsigned int)count + teams - 1) / teams, 1, 1,
                                teams * TEAM_THREADS, 1, 1, teams * team->world_bytes, c->stream,
                                arguments, NULL),
      "a launch of the fast tier");
}


// have the counters of worlds that the launches left open so far sent
static int askForOpen(cfBatch* batch) {
  const cfCuda* c = batch->cuda;
  return cfi_cudaCheck(
      batch,
      c->driver->cuMemcpyDtoHAsync_v2(c->team->count, c->team->open,
                                      sizeof(int32_t) * CF_TEAM_OPEN_LIST, c->stream),
      "open worlds");
}


int cfi_cudaStepTeam(cfBatch* batch, int nstep) {
  const cfCuda* c = batch->cuda;
  return cfi_cudaCheck(batch,
                       c->driver->cuMemsetD8Async(c->team->open, 0,
                                                  sizeof(int32_t) * CF_TEAM_OPEN_LIST, c->stream),
                       "open worlds") &&
         launchTeam(batch, c->team, nstep, batch->nworld, false) && askForOpen(batch);
}


int cfi_cudaFinishTeam(cfBatch* batch, int nstep, int* left) {
  const cfCudaTeam* team = batch->cuda->team;
  int is_good = cfi_cudaWait(batch);
  *left = is_good ? team->count[0] : 0;
  batch->cuda->opened[0] += *left;
  if (*left && team->spare) {
    is_good = launchTeam(batch, team->spare, nstep, *left, true) && askForOpen(batch) &&
              cfi_cudaWait(batch);
    *left = is_good ? team->count[1] : 0;
  }
  batch->cuda->opened[1] += *left;
  return is_good;
}


size_t cfi_cudaTeamBytes(const cfBatch* batch) {
  const cfCudaTeam* team = batch->cuda->team;
  return team ? team->world_bytes + team->own_bytes : 0;
}


int64_t cf_batchOpened(cfBatch* batch, int64_t* by_base) {
  const cfCuda* c = batch->cuda;
  if (by_base) {
    *by_base = 0;
  }
  if (!c || !cfi_cudaSettle(batch)) {
    return 0;
  }
  if (by_base) {
    *by_base = c->opened[1];
  }
  return c->opened[0];
}


cftTier cf_batchTier(const cfBatch* batch, const char** reason) {
  const bool is_fast = batch->cuda && cfi_cudaHasTeam(batch);
  if (reason) {
    *reason = is_fast ? "" : batch->cuda ? batch->tier_reason : "worlds are on the CPU";
  }
  return is_fast ? CF_TIER_FAST : CF_TIER_BASE;
}
