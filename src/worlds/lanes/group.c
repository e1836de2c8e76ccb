// Which models and processors have lanes, and the memory of a group.
#include <stdint.h>
#include <string.h>

#include "base/assert.h"
#include "base/memory.h"
#include "batch/batch.h"
#include "lanes/lanes.h"
#include "kinematics/tendonpath.h"
#include "model/flags.h"
#include "model/sensorkind.h"


// ---------------------------------------- processors

const cfLaneKernels* cfi_laneKernels(int width) {
#if defined(__x86_64__) && !defined(CF_NO_LANES)
  if (width == 8 && __builtin_cpu_supports("avx512f")) {
    return &cfi_lanes8;
  }
  if (width == 4 && __builtin_cpu_supports("avx2")) {
    return &cfi_lanes4;
  }
#endif
  return width == 1 ? &cfi_lanes1 : NULL;
}


const cfLaneKernels* cfi_ownLaneKernels(const cfLaneKernels* kernels) {
#if defined(__x86_64__) && !defined(CF_NO_LANES)
  if (kernels->width > 1) {
    return kernels->width == 8 ? &cfi_lanes8Own : &cfi_lanes4Own;
  }
#endif
  (void)kernels;
  return NULL;
}


// ---------------------------------------- models

unsigned cfi_laneStagesLeft(unsigned stages, bool is_lifted, bool is_fast) {
  const unsigned forces = CF_LANE_PASSIVE | CF_LANE_ACTUATION;
  if (is_lifted && !(stages & CF_LANE_PASSIVE)) {
    stages &= ~(unsigned)CF_LANE_ACTUATION;  // it may carry gravity compensation, a passive force
  }
  const bool has_forces = (stages & forces) == forces, has_inertia = stages & CF_LANE_INERTIA;
  if (!has_forces || !has_inertia) {
    stages &= ~(unsigned)CF_LANE_ACCELERATION;
  }
  if (!has_inertia || (is_fast && !has_forces)) {
    stages &= ~(unsigned)CF_LANE_INTEGRATION;
  }
  return stages;
}


unsigned cfi_laneStages(const mjModel* m) {
  const unsigned smooth = CF_LANE_FRAMES | CF_LANE_CAMERAS | CF_LANE_INERTIA | CF_LANE_MOTION |
                          CF_LANE_PASSIVE | CF_LANE_ACTUATION | CF_LANE_ACCELERATION |
                          CF_LANE_INTEGRATION;
  const bool is_fast = m->opt.integrator == mjINT_IMPLICITFAST;  // derivatives of forces
  return cfi_laneStagesLeft(cfi_laneSupport(cfi_featuresOf(m)) & smooth, m->ngravcomp, is_fast);
}


bool cfi_laneEulerIsDamped(const mjModel* m) {
  bool has = false;
  for (int i = 0; i < m->nv; i++) {
    has |= m->dof_damping[i] > 0;
  }
  return has && !cfi_disabled(m, mjDSBL_EULERDAMP) && !cfi_disabled(m, mjDSBL_DAMPER);
}


// ---------------------------------------- spare fields

// What sensors read, all together; nothing while they are disabled.
static int sensedNow(const mjModel* m) {
  return cfi_disabled(m, mjDSBL_SENSOR) ? FROM_NOTHING : cfi_sensorReads(m);
}


// True if a frame of a sensor is that of a camera.
static bool sensesCamera(const mjModel* m) {
  bool senses = false;
  for (int i = 0; i < m->nsensor; i++) {
    senses |= m->sensor_objtype[i] == mjOBJ_CAMERA || m->sensor_reftype[i] == mjOBJ_CAMERA;
  }
  return senses;
}


// frames of cameras are read by their sensors, composite inertias by the derivative of bias forces
static bool isSpareWanted(const mjModel* m, const cfBatch* batch, const char* name) {
  if (!batch || cfi_batchPart(batch, name)) {
    return true;
  }
  return (strncmp(name, "cam_", 4) == 0 && sensesCamera(m)) ||
         (strcmp(name, "crb") == 0 && m->opt.integrator == mjINT_IMPLICIT);
}


// ---------------------------------------- late fields

static bool wantsEnergy(const mjModel* m) {
  return cfi_enabled(m, mjENBL_ENERGY) || (cfi_sensorReads(m) & FROM_ENERGY);
}


// True if worlds make rows by themselves.
static bool makesRowsAlone(const mjModel* m) {
  return !cfi_hasLaneRows(m) && !cfi_disabled(m, mjDSBL_CONSTRAINT);
}


// True if a frame of bodies is read: by rows, cameras, sensors.
static bool readsBodies(const mjModel* m, const cfBatch* batch, const char* name) {
  static const char* const pictures[] = {"cam_xpos", "cam_xmat", "light_xpos", "light_xdir"};
  const bool is_quat = !strcmp(name, "xquat");
  bool reads = makesRowsAlone(m);
  for (int k = 0; k < 4; k++) {
    reads |= isSpareWanted(m, batch, pictures[k]);
  }
  for (int i = 0; i < m->nsensor && !is_quat; i++) {
    reads |= m->sensor_objtype[i] == mjOBJ_XBODY || m->sensor_reftype[i] == mjOBJ_XBODY;
  }
  return reads || (cfi_sensorReads(m) & (FROM_WORLD | (is_quat ? FROM_TURNS : 0)));
}


// True if a sensor reads frames of geoms, or of inertias of bodies.
static bool sensesFrames(const mjModel* m, int object) {
  bool senses = false;
  for (int i = 0; i < m->nsensor; i++) {
    const int reads = cfi_typeReads(m->sensor_type[i]);
    const bool has_object = m->sensor_objtype[i] == object || m->sensor_reftype[i] == object;
    senses |= (reads & FROM_WORLD) || ((reads & FROM_FRAMES) && has_object);
  }
  return senses;
}


// True if a world reads a late field although all its stages are done in lanes: inertia for copies
// of several islands, axes and centers of mass for rows and some sensors, velocities and frames of
// bodies and what actuators do for sensors, frames of geoms for predefined pairs
static bool isLateWanted(const mjModel* m, const cfBatch* batch, const char* name, unsigned by) {
  if (!batch || cfi_batchPart(batch, name) || wantsEnergy(m)) {
    return true;
  }
  const int reads = cfi_sensorReads(m);
  const bool has_spatial = (cfi_featuresOf(m) >> CF_HAS_SPATIAL_TENDONS & 1) != 0;
  if (!strcmp(name, "cdof") || !strcmp(name, "subtree_com")) {
    const bool reads_centers =
        (reads & (FROM_CENTERS | FROM_WORLD)) || cfi_batchWantsReactions(batch);
    return makesRowsAlone(m) || has_spatial || (name[0] == 's' && reads_centers);
  }
  if (!strcmp(name, "xpos") || !strcmp(name, "xquat") || !strcmp(name, "xmat")) {
    return readsBodies(m, batch, name);
  }
  if (!strncmp(name, "geom_", 5)) {
    return m->npair || has_spatial || sensesFrames(m, mjOBJ_GEOM);
  }
  if (!strcmp(name, "xipos") || !strcmp(name, "ximat")) {
    return sensesFrames(m, mjOBJ_BODY);
  }
  if (by == CF_LANE_REACTION) {
    const int own = strcmp(name, "cfrc_int") ? FROM_ACCELERATION : FROM_FORCES;
    return (reads & (own | FROM_WORLD)) != 0;
  }
  if (by == CF_LANE_INERTIA) {
    return m->ntree > 1 && !cfi_disabled(m, mjDSBL_ISLAND) && makesRowsAlone(m);
  }
  return (by == CF_LANE_ACTUATION && (reads & (FROM_ACTUATION | FROM_WORLD))) ||
         (!strcmp(name, "cvel") && (reads & (FROM_VELOCITY | FROM_WORLD)));
}


// ---------------------------------------- memory

enum { LANE_ALIGN = 64 };

// a place in the block of a group; the first pass, without a block, counts
typedef struct {
  char* block;
  size_t used;
} laneSpace;


static mjtNum* takeSpace(laneSpace* space, mjtSize count, int width) {
  const size_t bytes = sizeof(mjtNum) * (size_t)width * (size_t)count;
  mjtNum* place = space->block ? (mjtNum*)(void*)(space->block + space->used) : NULL;
  space->used += (bytes + LANE_ALIGN - 1) / LANE_ALIGN * LANE_ALIGN;
  return place;
}


typedef enum { LANE_FIELD_INPUT, LANE_FIELD_STAGE, LANE_FIELD_RESULT } laneFieldKind;

static mjtNum* addLaneField(cfLaneGroup* g, laneSpace* space, const char* name, unsigned by,
                            laneFieldKind kind) {
  const cfFieldInfo* info = cfi_findField(&cfi_dataFields, name);
  CF_ASSERT(info && info->type == CF_TYPE_mjtNum);
  const mjtSize count = cfi_fieldCount(info, g->m, NULL);
  cfLaneField* f = g->field + g->nfield++;
  *f = (cfLaneField){
      takeSpace(space, count, g->width), info->offset, (int)count, by, kind == LANE_FIELD_INPUT,
      kind == LANE_FIELD_RESULT,         false};
  return f->lanes;
}


// a spare field that nobody reads belongs to no stage, so that it stays in the group
static unsigned spareStage(const cfLaneGroup* g, const cfBatch* batch, const char* name,
                           unsigned by) {
  return isSpareWanted(g->m, batch, name) ? by : 0;
}


// numbers of a parameter per world
static mjtSize ownCount(const mjModel* m, const cfFieldTable* table, const char* name) {
  const cfFieldInfo* info = cfi_findField(table, name);
  CF_ASSERT(info && info->type == CF_TYPE_mjtNum);
  return info->home == CF_HOME_VALUE ? info->length : cfi_fieldCount(info, m, NULL);
}


// Newton's method on all rows or an island, where the model has it in lanes
static void layOutNewton(cfLaneGroup* g, cfLaneNewton* n, laneSpace* space, bool has) {
  const mjtSize nv = has ? g->m->nv : 0, nrow = has ? CF_LANE_MOST_ROWS + 8 : 0;
  const mjtSize ncone = has && g->m->opt.cone == mjCONE_ELLIPTIC ? CF_LANE_MOST_ROWS * g->width : 0;
  mjtNum** const of_rows[] = {&n->D,   &n->R,     &n->loss, &n->aref,
                              &n->jar, &n->start, &n->Jv,   &n->force};
  mjtNum** const of_dofs[] = {&n->Ma, &n->grad, &n->search, &n->Mv, &n->inverse};
  mjtNum** const triangle[] = {&n->H, &n->L, &n->spare};
  unsigned char** const bits[] = {&n->quad,  &n->low,    &n->old_quad,  &n->old_low,
                                  &n->built, &n->middle, &n->old_middle};
  for (int k = 0; k < 8; k++) {
    *of_rows[k] = takeSpace(space, nrow, g->width);
  }
  for (int k = 0; k < 5; k++) {
    *of_dofs[k] = takeSpace(space, nv, g->width);
  }
  for (int k = 0; k < 7; k++) {
    *bits[k] = (unsigned char*)takeSpace(space, nrow / 8, 1);
  }
  for (int k = 0; k < 3; k++) {
    *triangle[k] = takeSpace(space, nv * (nv + 1) / 2, g->width);
  }
  n->J = takeSpace(space, nrow * nv, g->width);
  n->line = takeSpace(space, 3 * nrow, g->width);
  n->column = (uint64_t*)takeSpace(space, nrow / 4, 1);
  n->filled = (uint64_t*)takeSpace(space, has ? CF_LANE_DOFS : 0, 1);
  n->zeros = takeSpace(space, nv, 1);
  n->cone_line = takeSpace(space, CF_LANE_CONE_LINE * (ncone / 3), g->width);
}


// constraints one by one, and one of several islands
static void layOutParts(cfLaneGroup* g, laneSpace* space) {
  const mjModel* m = g->m;
  const bool has = cfi_hasLaneRows(m);
  const bool has_parts = has && m->ntree > 1 && !cfi_disabled(m, mjDSBL_ISLAND);
  const bool keeps = has && (has_parts || m->opt.cone == mjCONE_ELLIPTIC);
  const size_t block = (sizeof(cfLaneBlock) + sizeof(mjtNum) - 1) / sizeof(mjtNum);
  g->newton.keeps_blocks = keeps;
  g->newton.block = (cfLaneBlock*)(void*)takeSpace(
      space, keeps ? (mjtSize)block * CF_LANE_MOST_ROWS : 0, g->width);
  layOutNewton(g, &g->part.newton, space, has_parts);
  mjtNum** const of_dofs[] = {&g->part.acc, &g->part.acc_smooth, &g->part.frc_smooth,
                              &g->part.frc_constraint};
  for (int k = 0; k < 4; k++) {
    *of_dofs[k] = takeSpace(space, has_parts ? m->nv : 0, g->width);
  }
  g->part.colind = (int*)(void*)takeSpace(space, has_parts ? m->nC / 2 + 1 : 0, 1);
}


static mjtNum* addLateField(cfLaneGroup* g, laneSpace* space, const cfBatch* batch,
                            const char* name, unsigned by) {
  mjtNum* lanes = addLaneField(g, space, name, by, LANE_FIELD_STAGE);
  g->field[g->nfield - 1].is_late = !isLateWanted(g->m, batch, name, by);
  return lanes;
}


// all fields and scratch
static void layOutLanes(cfLaneGroup* g, laneSpace* space, const cfBatch* batch) {
  const mjModel* m = g->m;
  g->nfield = 0;
#define CF_LANE_INPUT(name) g->name = addLaneField(g, space, #name, 0, LANE_FIELD_INPUT);
#define CF_LANE_OUTPUT(name, by) \
  g->name = addLaneField(g, space, #name, CF_LANE_##by, LANE_FIELD_STAGE);
#define CF_LANE_LATE(name, by) g->name = addLateField(g, space, batch, #name, CF_LANE_##by);
#define CF_LANE_SPARE(name, by) \
  g->name =                     \
      addLaneField(g, space, #name, spareStage(g, batch, #name, CF_LANE_##by), LANE_FIELD_STAGE);
#define CF_LANE_RESULT(name) g->name = addLaneField(g, space, #name, 0, LANE_FIELD_RESULT);
#include "tables/lanes.def"
  g->half = takeSpace(space, 2 * m->njnt, g->width);
  g->body_acc = takeSpace(space, 6 * m->nbody, g->width);
  g->body_force = takeSpace(space, 6 * m->nbody, g->width);
  g->external = takeSpace(space, 6 * m->nbody, g->width);
  g->geom_box = takeSpace(space, 6 * m->ngeom, g->width);
  g->polytope = takeSpace(space, 9 * CF_LANE_VERTICES + 4 * CF_LANE_FACES, g->width);
  g->control = takeSpace(space, m->nu, g->width);
  g->damped = takeSpace(space, m->nv, g->width);
  g->slope = takeSpace(space, m->nv, g->width);
  const mjtSize stages = m->opt.integrator == mjINT_RK4;  // memory for those who need it
  g->start_qpos = takeSpace(space, stages * m->nq, g->width);
  g->start_qvel = takeSpace(space, stages * m->nv, g->width);
  g->start_act = takeSpace(space, stages * m->na, g->width);
  g->mean_qvel = takeSpace(space, stages * m->nv, g->width);
  g->mean_qacc = takeSpace(space, stages * m->nv, g->width);
  g->mean_act = takeSpace(space, stages * m->na, g->width);
#define CF_LANE_OWN(name) \
  g->own_##name = takeSpace(space, ownCount(m, &cfi_modelFields, #name), g->width);
#define CF_LANE_OWN_OPTION(name) \
  g->own_##name = takeSpace(space, ownCount(m, &cfi_optionFields, #name), g->width);
#include "tables/lanes_own.def"
  g->tendon_row = takeSpace(space, m->ntendon * m->nv, 1);
  g->friction = (unsigned char*)takeSpace(space, (m->nv + m->ntendon) / 8 + 1, 1);
  layOutNewton(g, &g->newton, space, cfi_hasLaneSolver(m));
  layOutParts(g, space);
}


// as mj_tendon fills dense rows: a joint listed twice has its last coefficient
static void fillTendonRows(cfLaneGroup* g) {
  const mjModel* m = g->m;
  for (int t = 0; t < m->ntendon; t++) {
    const int end = cfi_isFixedTendon(m, t) ? m->tendon_adr[t] + m->tendon_num[t] : 0;
    for (int w = m->tendon_adr[t]; w < end; w++) {
      g->tendon_row[(mjtSize)t * m->nv + m->jnt_dofadr[m->wrap_objid[w]]] = m->wrap_prm[w];
    }
  }
}


// elliptic cones are solved where their rows were made; contacts of a world then lack their Hessian
static void chooseSolver(cfLaneGroup* g, const cfBatch* batch) {
  const bool has_cones = g->m->opt.cone == mjCONE_ELLIPTIC;
  const bool has_rows =
      batch && cfi_hasLaneRows(g->m) && !(has_cones && cfi_batchPart(batch, "contact"));
  g->stages |= cfi_hasLaneSolver(g->m) && (has_rows || !has_cones) ? CF_LANE_SOLVE : 0;
  g->stages |= has_rows ? CF_LANE_CONSTRAINT : 0;
}


// Runge-Kutta with delayed sensors computes reactions world by world: what those sensors enter at
// the end of a step depends on whether others have asked for reactions at its beginning
static void chooseReactions(cfLaneGroup* g, const cfBatch* batch) {
  const bool wants_first = batch && batch->wants_reactions && !g->has_last_reactions;
  const bool is_inner = g->m->opt.integrator == mjINT_RK4 && g->m->nhistory > 0;
  const bool senses = sensedNow(g->m) & (FROM_ACCELERATION | FROM_FORCES);
  g->reactions_are_wanted = !is_inner && (senses || wants_first);
  g->inner_reactions = g->has_last_reactions     ? REACTS_LAST
                       : is_inner && wants_first ? REACTS_FIRST
                                                 : REACTS_NOT;
}


// stages whose results nobody reads are left out
static void chooseStages(cfLaneGroup* g, const cfBatch* batch) {
  static const char* const pictures[] = {"cam_xpos", "cam_xmat", "light_xpos", "light_xdir"};
  bool has_pictures = false;
  for (int k = 0; k < 4; k++) {
    has_pictures |= isSpareWanted(g->m, batch, pictures[k]);
  }
  g->stages = cfi_laneStages(g->m);
  g->stages &= has_pictures ? ~0u : ~(unsigned)CF_LANE_CAMERAS;
  g->cameras_are_wanted = has_pictures;
  // the derivative itself is not written in lanes
  const bool has_derivative = batch && cfi_batchPart(batch, "qDeriv");
  g->stages &= has_derivative ? ~(unsigned)CF_LANE_INTEGRATION : ~0u;
  g->has_last_reactions = batch && batch->has_last_reactions;
  chooseReactions(g, batch);
  g->external_is_wanted = !batch || cfi_batchPart(batch, "cfrc_ext");
  g->stages |= sensedNow(g->m) & FROM_MOMENTUM ? CF_LANE_MOMENTUM : 0;
  chooseSolver(g, batch);
  g->records_are_wanted = !batch || cfi_batchPart(batch, "solver");
  g->stages |= cfi_listCandidates(&g->near, g->m, batch) ? CF_LANE_NEAR : 0;
  g->qM_is_wanted = (g->stages & CF_LANE_INERTIA) && isSpareWanted(g->m, batch, "qM");
}


cfLaneGroup* cfi_makeLanes(const mjModel* m, const cfLaneKernels* kernels, const cfBatch* batch) {
  static const int most = 64;
  CF_ASSERT(kernels && kernels->width <= CF_LANES_MAX);
  cfLaneGroup* g = cfi_tryMalloc(sizeof(*g));
  cfLaneField* field = cfi_tryMalloc(sizeof(cfLaneField) * (size_t)most);
  mjModel* own_model = cfi_tryMalloc(sizeof(mjModel) * (size_t)kernels->width);
  if (!g || !field || !own_model) {
    mju_free(g);
    mju_free(field);
    mju_free(own_model);
    return NULL;
  }
  memset(g, 0, sizeof(*g));
  g->m = m;
  g->width = kernels->width;
  g->field = field;
  g->own_model = own_model;
  for (int w = 0; w < g->width; w++) {
    g->model[w] = m;
  }
  laneSpace space = {NULL, 0};
  layOutLanes(g, &space, batch);
  CF_ASSERT(g->nfield <= most);
  g->memory = cfi_tryMalloc(space.used + LANE_ALIGN);
  if (!g->memory) {
    cfi_freeLanes(g);
    return NULL;
  }
  memset(g->memory, 0, space.used + LANE_ALIGN);
  space = (laneSpace){
      (char*)g->memory + (LANE_ALIGN - (uintptr_t)g->memory % LANE_ALIGN) % LANE_ALIGN, 0};
  layOutLanes(g, &space, batch);
  chooseStages(g, batch);
  g->is_fast = m->opt.integrator == mjINT_IMPLICITFAST;
  g->is_damped = g->is_fast || (m->opt.integrator == mjINT_EULER && cfi_laneEulerIsDamped(m));
  fillTendonRows(g);
  cfi_laneLifts(g);
  cfi_laneFriction(g);
  return g;
}


void cfi_freeLanes(cfLaneGroup* g) {
  if (g) {
    cfi_freeCandidates(&g->near);
    mju_free(g->memory);
    mju_free(g->field);
    mju_free(g->own_model);
    mju_free(g);
  }
}
