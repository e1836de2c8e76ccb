// A world of the fast tier on the CPU, beside an mjData.
#include <cortenforge/cortenforge.h>

#include "cf_test.h"
#include "team/tier.h"

typedef struct {
  const mjModel* m;
  const cfTeamTier* tier;
  cfTeamShape shape;
  void *plan, *world;
  char* block;
} teamTwin;


static const char* const twin_state[] = {"qpos",         "qvel",         "act",           "ctrl",
                                         "qfrc_applied", "xfrc_applied", "qacc_warmstart"};


// matrices of the pattern of M for small models too
static bool twin_keeps_pattern;


// sensors are asked for
static bool twin_senses;


// outputs: names of arrays that are not to be overwritten by others before the step ends
static teamTwin openTeamTwin(const mjModel* m, const cfTeamTier* tier, int ncon_max, int nefc_max,
                             const char* outputs) {
  teamTwin twin = {.m = m, .tier = tier, .shape = cfi_teamShape(m, ncon_max, nefc_max)};
  if (twin_keeps_pattern) {
    twin.shape.is_dense = twin.shape.is_lean = 0;
  }
  if (twin_senses) {
    cfi_teamSenseShape(m, &twin.shape);
  }
  const size_t bytes = tier->plan(m, &twin.shape, outputs, NULL, NULL, 0);
  twin.plan = malloc(tier->model_bytes);
  twin.block = malloc(bytes + 1);
  tier->plan(m, &twin.shape, outputs, twin.plan, twin.block, (uint64_t)(uintptr_t)twin.block);
  twin.world = malloc(tier->worldBytes(twin.plan));
  memset(twin.world, 0xcd, tier->worldBytes(twin.plan));
  return twin;
}


static void closeTeamTwin(teamTwin* twin) {
  free(twin->plan);
  free(twin->block);
  free(twin->world);
}


static cfTeamPart partOfTwin(const teamTwin* twin, const char* name) {
  cfTeamPart part = {0};
  if (!twin->tier->find(twin->m, &twin->shape, twin->plan, name, &part)) {
    CF_FAIL("a world has no array %s\n", name);
  }
  return part;
}


static void setInTwin(teamTwin* twin, const char* name, const mjtNum* value) {
  const cfTeamPart part = partOfTwin(twin, name);
  char* place = (char*)twin->world + part.place;
  for (int k = 0; k < part.count; k++) {
    if (part.is_int) {
      ((int*)(void*)place)[k] = (int)value[k];
    } else if (twin->tier->real_bytes == 8) {
      ((double*)(void*)place)[k] = value[k];
    } else {
      ((float*)(void*)place)[k] = (float)value[k];
    }
  }
}


// k-th number of an array
static mjtNum ofTwin(const teamTwin* twin, const char* name, int k) {
  const cfTeamPart part = partOfTwin(twin, name);
  const char* place = (const char*)twin->world + part.place;
  CF_TRUE(k >= 0 && k < part.count);
  if (part.is_int) {
    return ((const int*)(const void*)place)[k];
  }
  return twin->tier->real_bytes == 8 ? ((const double*)(const void*)place)[k]
                                     : (mjtNum)((const float*)(const void*)place)[k];
}


// the state and the inputs of an mjData
static void loadTwin(teamTwin* twin, const mjData* d) {
  const mjtNum* const value[] = {d->qpos,         d->qvel,         d->act,           d->ctrl,
                                 d->qfrc_applied, d->xfrc_applied, d->qacc_warmstart};
  const mjtNum none = 0;
  for (size_t k = 0; k < sizeof(value) / sizeof(value[0]); k++) {
    setInTwin(twin, twin_state[k], value[k]);
  }
  const cfTeamPart active = partOfTwin(twin, "eq_active");
  for (int k = 0; k < active.count; k++) {
    ((int*)(void*)((char*)twin->world + active.place))[k] = d->eq_active[k];
  }
  setInTwin(twin, "trouble", &none);
  setInTwin(twin, "clock", &d->time);
}


// stages of a step up to and including one
static inline void runTwin(teamTwin* twin, cftTeamStage last) {
  for (int stage = CF_TEAM_KINEMATICS; stage <= (int)last && stage < CF_TEAM_ALL; stage++) {
    twin->tier->stage(twin->plan, twin->world, (cftTeamStage)stage);
  }
}


// largest difference of an array, relative to 1 + the largest value
static inline mjtNum differenceInTwin(const teamTwin* twin, const char* name,
                                      const mjtNum* expected, int n) {
  mjtNum most = 0, scale = 1;
  for (int k = 0; k < n; k++) {
    const mjtNum error = fabs(ofTwin(twin, name, k) - expected[k]);
    most = error > most || isnan(error) ? error : most;
    scale = fabs(expected[k]) > scale ? fabs(expected[k]) : scale;
  }
  return most / scale;
}
