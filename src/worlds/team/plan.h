// The plan of a model for one precision: its arrays converted, the places of a world's arrays.
// Included once per precision, on the host alone.
#include <string.h>

#include "base/memory.h"
#include "math/scalar.h"
#include "model/flags.h"
#include "model/hullstart.h"

enum { PLAN_ALIGNMENT = 16 };

#define planRoom CF_TEAM_NAME(planRoom)

// ---------------------------------------- places in a world

// an array of a world while places are found
typedef struct {
  const char* name;
  size_t bytes, place;
  int first, last;
  bool is_placed;
} planRoom;

enum {
#define CF_TEAM_WORLD(type, name, count, first, last, doc) PLAN_WORLD_##name,
#include "tables/team_world.def"
  PLAN_WORLD_COUNT
};


CF_TEAM_FN size_t planAligned(size_t bytes) {
  return (bytes + PLAN_ALIGNMENT - 1) / PLAN_ALIGNMENT * PLAN_ALIGNMENT;
}


// is a name in a list that is separated by spaces and commas
static bool planNames(const char* list, const char* name) {
  const size_t length = strlen(name);
  for (const char* at = list; at && (at = strstr(at, name)); at += length) {
    const bool begins = at == list || strchr(" ,\t\n", at[-1]);
    if (begins && (!at[length] || strchr(" ,\t\n", at[length]))) {
      return true;
    }
  }
  return false;
}


// the array that is to be placed next: the one that lives longest, the largest of those
static int planNext(const planRoom* room, int count) {
  int best = -1;
  for (int k = 0; k < count; k++) {
    const int longer =
        best < 0 ? 1 : room[k].last - room[k].first - room[best].last + room[best].first;
    if (!room[k].is_placed && (longer > 0 || (longer == 0 && room[k].bytes > room[best].bytes))) {
      best = k;
    }
  }
  return best;
}


// the lowest place where no array lies that is in use at the same time
static size_t planPlace(const planRoom* room, int count, int k) {
  size_t place = 0;
  for (int other = 0; other < count; other++) {
    const planRoom *a = room + k, *b = room + other;
    const bool meet = b->is_placed && a->first <= b->last && b->first <= a->last;
    if (meet && place < b->place + b->bytes && b->place < place + a->bytes) {
      place = b->place + b->bytes;
      other = -1;  // look at all of them again
    }
  }
  return place;
}


// arrays that sensors read stay until then
static void planForSensors(planRoom* room, int count, int needs) {
  static const struct {
    int needs;
    const char* names;
  } list[] = {
      {FROM_FRAMES | FROM_MOMENTUM, "xpos xquat"},
      {FROM_VELOCITY | FROM_CENTERS | FROM_MOMENTUM, "cvel subtree_com xipos"},
      {FROM_ACCELERATION, "cdof cdof_dot cacc"},
      {FROM_FORCES, "cinert cfrc eq_block"},
      {FROM_CONTACTS, "con_pair con_pos con_frame con_block blk_head blk_row efc_force"},
      {FROM_LIMITS, "blk_head blk_row blk_J blk_chain J efc_block efc_force"},
  };
  for (size_t k = 0; k < sizeof(list) / sizeof(list[0]); k++) {
    for (int i = 0; needs & list[k].needs && i < count; i++) {
      const bool is_read = planNames(list[k].names, room[i].name);
      room[i].last = is_read && room[i].last < CF_TEAM_SENSE ? CF_TEAM_SENSE : room[i].last;
    }
  }
}


// places of all arrays; the bytes of a world
static size_t planWorld(const mjModel* m, const cfTeamShape* s, const char* outputs,
                        cfTeamPlaces* places) {
  const int CF_TEAM_PATTERN = s->is_dense ? CF_TEAM_FORCES : CF_TEAM_INTEGRATE;
  planRoom room[PLAN_WORLD_COUNT];
  int count = 0;
  size_t end = 0;
#define CF_TEAM_WORLD(type, name, size, first, last, doc)                                    \
  room[count++] = (planRoom){#name,                                                          \
                             planAligned(sizeof(type) * (size_t)(size)),                     \
                             0,                                                              \
                             CF_TEAM_##last == CF_TEAM_ALL ? CF_TEAM_LOAD : CF_TEAM_##first, \
                             CF_TEAM_##last,                                                 \
                             false};
#include "tables/team_world.def"
  for (int k = 0; k < count; k++) {
    if (planNames(outputs, room[k].name)) {
      room[k].last = CF_TEAM_ALL;
    }
  }
  planForSensors(room, count, s->sensor_needs);
  for (int k; (k = planNext(room, count)) >= 0;) {
    room[k].place = planPlace(room, count, k);
    room[k].is_placed = true;
    const size_t last = room[k].place + room[k].bytes;
    end = last > end ? last : end;
  }
#define CF_TEAM_WORLD(type, name, size, first, last, doc) \
  places->name = (int)room[PLAN_WORLD_##name].place;
#include "tables/team_world.def"
  return end;
}

// ---------------------------------------- arrays of the model

// bodies by their depth
static void planLevels(const mjModel* m, const cfTeamShape* s, int* adr, int* body) {
  int place = 0;
  for (int level = 0; level < s->nlevel; level++) {
    adr[level] = place;
    for (int i = 1; i < m->nbody; i++) {
      if (cfi_teamDepth(m, i) == level + 1) {
        body[place++] = i;
      }
    }
  }
  adr[s->nlevel] = place;
  CF_ASSERT(place == m->nbody - 1);
}


// children of bodies, trees
static void planTree(const mjModel* m, int* adr, int* child, int* root, int* end) {
  int place = 0, tree = -1;
  for (int i = 0; i < m->nbody; i++) {
    adr[i] = place;
    for (int k = i + 1; k < m->nbody; k++) {
      if (m->body_parentid[k] == i) {
        child[place++] = k;
      }
    }
    if (i && m->body_parentid[i] == 0) {
      root[++tree] = i;
    }
    if (i) {
      end[tree] = i + 1;
    }
  }
  adr[m->nbody] = place;
}


// dofs on the way to bodies, descendants of dofs, rows of M
static void planChains(const mjModel* m, int* last, int* row, int* up, int* end) {
  for (int i = 0; i < m->nbody; i++) {
    const int parent = m->body_parentid[i];
    last[i] = m->body_dofnum[i] ? m->body_dofadr[i] + m->body_dofnum[i] - 1 : i ? last[parent] : -1;
  }
  for (int i = 0; i < m->nv; i++) {
    end[i] = i + 1;
    for (int k = m->M_rowadr[i]; k < m->M_rowadr[i] + m->M_rownnz[i]; k++) {
      row[k] = i;
      up[k] = m->M_rowadr[m->M_colind[k]];
      end[m->M_colind[k]] = i + 1;
    }
  }
}


// numbers of a lower triangle by rows
static void planTriangle(int chain, int* triangle) {
  int place = 0;
  for (int a = 0; a < chain; a++) {
    for (int b = 0; b <= a; b++) {
      triangle[place++] = a * 65536 + b;
    }
  }
}


// place of a dof in its joint; the three axes of a rotation are moved by what comes before all
// three
static void planDofs(const mjModel* m, int* local, int* before) {
  for (int i = 0; i < m->nv; i++) {
    const int joint = m->dof_jntid[i], first = m->jnt_dofadr[joint], type = m->jnt_type[joint];
    local[i] = i - first;
    before[i] = type == mjJNT_FREE && local[i] >= 3 ? first + 3 : first;
  }
}


static void planActuators(const mjModel* m, int* joint, int* tendon, int* acts, int* clamps) {
  const bool is_clamping = !cfi_disabled(m, mjDSBL_CLAMPCTRL);
  for (int u = 0; u < m->nu; u++) {
    tendon[u] = cfi_teamActuatorTendon(m, u);
    joint[u] = tendon[u] < 0 ? m->actuator_trnid[2 * u] : -1;
    acts[u] = !cfi_actuatorDisabled(m, u);
    clamps[u] = is_clamping && m->actuator_ctrllimited[u];
  }
}


static void planLift(const mjModel* m, cfReal* lift) {
  for (int i = 0; i < m->nbody; i++) {
    lift[i] = (cfReal)(m->ngravcomp ? m->body_mass[i] * m->body_gravcomp[i] : 0);
  }
}


// what noise on controls is about and relative to, as device/noise.h has it
static void planNoise(const mjModel* m, cfReal* middle, cfReal* half) {
  for (int u = 0; u < m->nu; u++) {
    const mjtNum* range = m->actuator_ctrlrange + 2 * u;
    const bool is_limited = m->actuator_ctrllimited[u];
    middle[u] = (cfReal)(is_limited ? 0.5 * (range[0] + range[1]) : 0);
    half[u] = (cfReal)(is_limited ? 0.5 * (range[1] - range[0]) : 1);
  }
}


CF_TEAM_FN void planNumbers(cfReal* to, const mjtNum* from, int n) {
  for (int k = 0; k < n; k++) {
    to[k] = (cfReal)from[k];
  }
}


// an array that is being filled: the plan holds the address that the stages will use
#define CF_PLAN(name) ((void*)(block + ((const char*)plan->name - (const char*)(uintptr_t)address)))
#define CF_PLAN_SET(name, k, value) \
  (((cfTeamKind_##name*)CF_PLAN(name))[k] = (cfTeamKind_##name)(value))

#include "team/planrows.h"


// Tolerance of the solver; single precision cannot tell less than 1e-5.
static mjtNum planTolerance(const mjModel* m) {
  const bool is_single = sizeof(cfReal) < sizeof(mjtNum);
  return is_single && m->opt.tolerance < 1e-5 ? 1e-5 : m->opt.tolerance;
}


// Slope of a regularized cone per friction.
static mjtNum planConeScale(const mjModel* m) {
  return sqrt(1 / cfi_max(m->opt.impratio, mjMINVAL));
}


// where sensors sit on their bodies
static void planSensorFrames(const mjModel* m, const cfTeamShape* s, const cfTeamModel* plan,
                             char* block, uint64_t address) {
  for (int i = 0; i < s->nsensor; i++) {
    const cfTeamSensor sensor = cfi_teamSensor(m, i);
    planNumbers((cfReal*)CF_PLAN(sensor_pos) + 3 * i, sensor.pos, 3);
    planNumbers((cfReal*)CF_PLAN(sensor_quat) + 4 * i, sensor.quat, 4);
    planNumbers((cfReal*)CF_PLAN(sensor_refpos) + 3 * i, sensor.refpos, 3);
    planNumbers((cfReal*)CF_PLAN(sensor_refquat) + 4 * i, sensor.refquat, 4);
    planNumbers((cfReal*)CF_PLAN(sensor_size) + 3 * i, sensor.size, 3);
  }
}


// what worlds may have of their own, but for copies; false: there is no memory
static bool planOwnMade(const mjModel* m, const cfTeamShape* s, const cfTeamModel* plan,
                        char* block, uint64_t address) {
  cfReal* value = CF_PLAN(own_values);
#define CF_TEAM_VALUE(type, name, number, doc) value[CF_TEAM_VALUE_##name] = (cfReal)(number);
#include "tables/team_model.def"
  planLift(m, CF_PLAN(body_lift));
  planNoise(m, CF_PLAN(noise_middle), CF_PLAN(noise_half));
  planSensorFrames(m, s, plan, block, address);
  return planPairs(m, s, plan, block, address) && planLimited(m, s, plan, block, address) &&
         planEqual(m, s, plan, block, address);
}


// lists of dofs of tendons, what actuators drive and what tendons couple; false: no memory
static bool planDrives(const mjModel* m, const cfTeamShape* s, const cfTeamModel* plan, char* block,
                       uint64_t address) {
  for (int i = 0; i < m->ntendon; i++) {
    int num;
    CF_PLAN_SET(tendon_chain, i, cfi_teamTendonChain(m, i, &num));
    CF_PLAN_SET(tendon_chainnum, i, num);
  }
  mjtNum* coef = cfi_tryMalloc(sizeof(mjtNum) * (size_t)(s->ndrive + s->ncouple) + 1);
  if (coef) {
    cfi_teamDrives(m, CF_PLAN(dof_actadr), CF_PLAN(dof_act), coef);
    planNumbers(CF_PLAN(dof_actcoef), coef, s->ndrive);
  }
  if (coef && s->ncouple) {
    cfi_teamCouples(m, s->is_drawn, CF_PLAN(couple_adr), CF_PLAN(couple_source), coef);
    planNumbers(CF_PLAN(couple_coef), coef, s->ncouple);
  }
  mju_free(coef);
  return coef != NULL;
}


static void planSensors(const mjModel* m, const cfTeamShape* s, const cfTeamModel* plan,
                        char* block, uint64_t address) {
  for (int i = 0; i < s->nsensor; i++) {
    const cfTeamSensor sensor = cfi_teamSensor(m, i);
    CF_PLAN_SET(sensor_type, i, sensor.type);
    CF_PLAN_SET(sensor_adr, i, sensor.adr);
    CF_PLAN_SET(sensor_dim, i, sensor.dim);
    CF_PLAN_SET(sensor_clamp, i, sensor.clamp);
    CF_PLAN_SET(sensor_body, i, sensor.body);
    CF_PLAN_SET(sensor_end, i, sensor.end);
    CF_PLAN_SET(sensor_refbody, i, sensor.refbody);
    CF_PLAN_SET(sensor_object, i, sensor.object);
    CF_PLAN_SET(sensor_shape, i, sensor.shape);
  }
}


// false: there is no memory
static bool planMade(const mjModel* m, const cfTeamShape* s, const cfTeamModel* plan, char* block,
                     uint64_t address) {
  planLevels(m, s, CF_PLAN(level_adr), CF_PLAN(level_body));
  planTree(m, CF_PLAN(child_adr), CF_PLAN(child_body), CF_PLAN(root_body), CF_PLAN(root_end));
  planChains(m, CF_PLAN(body_last), CF_PLAN(M_rowind), CF_PLAN(M_uprow), CF_PLAN(dof_end));
  planTriangle(s->chain, CF_PLAN(triangle));
  planDofs(m, CF_PLAN(dof_local), CF_PLAN(dof_before));
  planActuators(m, CF_PLAN(actuator_trnjnt), CF_PLAN(actuator_tendon), CF_PLAN(actuator_acts),
                CF_PLAN(actuator_ctrllimited));
  planSensors(m, s, plan, block, address);
  planSymmetric(m, CF_PLAN(sym_adr), CF_PLAN(sym_dof), CF_PLAN(sym_M));
  return planDrives(m, s, plan, block, address) && planPairNames(m, s, plan, block, address) &&
         planLimitNames(m, s, plan, block, address) && planEqualNames(m, s, plan, block, address);
}


// copies of arrays of mjModel in this precision
#define CF_PLAN_COPY(type, name, size)              \
  {                                                 \
    type* to = CF_PLAN(name);                       \
    for (int64_t k = 0; k < (int64_t)(size); k++) { \
      to[k] = (type)m->name[k];                     \
    }                                               \
  }
#define CF_PLAN_MAKE(type, name, size)

static void planCopies(const mjModel* m, const cfTeamModel* plan, char* block, uint64_t address) {
#define CF_TEAM_ARRAY(type, name, count, origin, doc) CF_PLAN_##origin(type, name, count)
#define CF_TEAM_OWN(type, name, count, origin, doc)
#include "tables/team_model.def"
}


static void planOwnCopies(const mjModel* m, const cfTeamShape* s, const cfTeamModel* plan,
                          char* block, uint64_t address) {
#define CF_TEAM_OWN(type, name, count, origin, doc) CF_PLAN_##origin(type, name, count)
#include "tables/team_model.def"
}


// places of the arrays that worlds may have of their own: the beginning of the block
static size_t planOwnPlaces(const mjModel* m, const cfTeamShape* s, cfTeamModel* plan,
                            uint64_t address) {
  size_t bytes = 0;
#define CF_TEAM_OWN(type, name, count, origin, doc)       \
  plan->name = (const type*)(uintptr_t)(address + bytes); \
  bytes += planAligned(sizeof(type) * (size_t)(count));
#include "tables/team_model.def"
  return bytes;
}


static size_t planOwn(const mjModel* m, const cfTeamShape* s, char* to) {
  cfTeamModel plan;
  memset(&plan, 0, sizeof(plan));
  const uint64_t address = (uint64_t)(uintptr_t)to;
  const size_t bytes = planOwnPlaces(m, s, &plan, address);
  if (to) {
    planOwnCopies(m, s, &plan, to, address);
  }
  return to && !planOwnMade(m, s, &plan, to, address) ? 0 : bytes;
}


static size_t planModel(const mjModel* m, const cfTeamShape* s, const char* outputs, void* result,
                        char* block, uint64_t address) {
  cfTeamModel local, *plan = result ? result : &local;
  memset(plan, 0, sizeof(*plan));
  size_t bytes = planOwnPlaces(m, s, plan, address);
#define CF_TEAM_NUMBER(type, name, value, doc) plan->name = (type)(value);
#define CF_TEAM_OWN(type, name, count, origin, doc)
#define CF_TEAM_ARRAY(type, name, count, origin, doc)     \
  plan->name = (const type*)(uintptr_t)(address + bytes); \
  bytes += planAligned(sizeof(type) * (size_t)(count));
#include "tables/team_model.def"
  plan->world_bytes = (int)planWorld(m, s, outputs, &plan->at);
  if (block) {
    planOwnCopies(m, s, plan, block, address);
    planCopies(m, plan, block, address);
    if (!planOwnMade(m, s, plan, block, address) || !planMade(m, s, plan, block, address)) {
      return 0;
    }
  }
  return bytes;
}

// ---------------------------------------- for the host

static size_t planWorldBytes(const void* plan) {
  return (size_t)((const cfTeamModel*)plan)->world_bytes;
}


static bool planFind(const mjModel* m, const cfTeamShape* s, const void* plan, const char* wanted,
                     cfTeamPart* part) {
  const cfTeamPlaces* at = &((const cfTeamModel*)plan)->at;
#define CF_TEAM_WORLD(type, name, size, first, last, doc) \
  if (strcmp(wanted, #name) == 0) {                       \
    part->place = (uint32_t)at->name;                     \
    part->count = (int)(size);                            \
    part->is_int = strcmp(#type, "int") == 0;             \
    return true;                                          \
  }
#include "tables/team_world.def"
  return false;
}


static void planRunStage(const void* plan, char* world, cftTeamStage stage) {
  static void (*const stages[])(const cfTeam*) = {
      NULL, cfi_teamKinematics, cfi_teamInertia,  cfi_teamForces, cfi_teamCollide, cfi_teamRows,
      NULL, cfi_teamSense,      cfi_teamIntegrate};
  const cfTeam t = {.m = plan, .world = world};
  CF_ASSERT(stage > CF_TEAM_LOAD && stage <= CF_TEAM_ALL);
  if (stage == CF_TEAM_ALL) {
    cfi_teamStep(&t, true, true);
  } else if (stage == CF_TEAM_SOLVE) {
    cfi_teamSolve(&t, true);
  } else {
    stages[stage](&t);
  }
}

static void planRun(const void* plan, char* memory, const cfTeamJob* job, int place) {
  const cfTeam t = {.m = plan, .world = memory};
  cfi_teamRun(&t, job, place, true);
}

#define CF_TEAM_TIER                                                                   \
  {                                                                                    \
    sizeof(cfReal), sizeof(cfTeamModel), planModel, planWorldBytes, planOwn, planFind, \
        planRunStage, planRun                                                          \
  }
