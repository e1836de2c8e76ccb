// Model parameters that differ between the worlds of a group.
#include <stdint.h>
#include <string.h>

#include "base/assert.h"
#include "batch/batch.h"
#include "lanes/lanes.h"
#include "math/inline.h"
#include "model/flags.h"

// a parameter that lanes read
typedef struct {
  const char* name;
  size_t offset;  // of its pointer in the group
} laneOwnField;

static const laneOwnField own_fields[] = {
#define CF_LANE_OWN(name) {#name, offsetof(cfLaneGroup, own_##name)},
#define CF_LANE_OWN_OPTION(name) {"opt." #name, offsetof(cfLaneGroup, own_##name)},
#include "tables/lanes_own.def"
};


// how worlds with values of their own of a field are stepped, the column `lanes` of worlds.def
typedef enum {
  OWN_READ,
  OWN_CONTACTS,
  OWN_FRAMES,
  OWN_FRICTION,
  OWN_PASSIVE,
  OWN_INERTIA,
  OWN_NEAR,
  OWN_STEP,
} laneOwnUse;

static laneOwnUse laneUseOf(const char* name) {
  static const struct {
    const char* name;
    laneOwnUse use;
  } list[] = {
#define CF_WORLD_FIELD(name, kind, lanes) {#name, OWN_##lanes},
#define CF_WORLD_OPTION(name, lanes) {"opt." #name, OWN_##lanes},
#include "tables/worlds.def"
  };
  for (size_t k = 0; k < sizeof(list) / sizeof(list[0]); k++) {
    if (!strcmp(list[k].name, name)) {
      return list[k].use;
    }
  }
  return OWN_READ;  // it follows from others
}


// True if a tendon without rows in lanes may get friction.
static bool rubsElsewhere(const mjModel* m) {
  bool rubs = false;
  for (int t = 0; t < m->ntendon; t++) {
    rubs |= cfi_treeOfTendon(m, t) < 0;
  }
  return rubs;
}


// Stages that are left to the worlds because of a parameter.
static unsigned barredBy(const cfLaneGroup* g, const cfBatchParameter* p) {
  switch (p->is_set && p->bytes ? laneUseOf(p->name) : OWN_READ) {
    case OWN_FRICTION:
      return rubsElsewhere(g->m) ? CF_LANE_CONSTRAINT : 0;
    case OWN_PASSIVE:
      return CF_LANE_PASSIVE;
    case OWN_INERTIA:
      return CF_LANE_INERTIA;
    case OWN_NEAR:
      return CF_LANE_NEAR;
    default:
      return 0;
  }
}


// Stages that are still done in lanes, given what the caller has set.
static unsigned allowedStages(const cfLaneGroup* g, const cfBatch* batch) {
  unsigned barred = CF_LANE_CAMERAS;  // their constants follow from other parameters
  for (int k = 0; k < batch->nparameter; k++) {
    barred |= barredBy(g, batch->parameter + k);
  }
  return cfi_laneStagesLeft(g->stages & ~barred, g->lifted != 0, g->is_fast);
}


void cfi_laneLifts(cfLaneGroup* g) {
  g->lifted = 0;
  for (int w = 0; w < g->width; w++) {
    const mjModel* m = g->model[w];
    CF_ASSERT(m && m->nbody == g->m->nbody);
    bool lifts = false;
    for (int b = 1; b < m->nbody && m->ngravcomp; b++) {
      lifts |= m->body_gravcomp[b] != 0;
    }
    lifts &= !cfi_disabled(m, mjDSBL_GRAVITY) && cfi_norm3(m->opt.gravity) != 0;
    g->lifted |= (unsigned)lifts << w;
  }
}


// True if worlds have values of their own of a field with this use.
static bool hasOwnUse(const cfBatch* batch, laneOwnUse use) {
  bool has = false;
  for (int k = 0; k < batch->nparameter; k++) {
    has |= laneUseOf(batch->parameter[k].name) == use;
  }
  return has;
}


bool cfi_laneKnowsJoints(const cfBatch* batch) {
  return !hasOwnUse(batch, OWN_STEP);
}


// numbers of one parameter: those of the worlds, or the ones that they share where it was not set
// (`place` is -1) or a lane has no world
static void gatherParameter(cfLaneGroup* g, const cfBatch* batch, int field, int place,
                            const int* world) {
  const char* name = own_fields[field].name;
  const bool is_option = !strncmp(name, "opt.", 4);
  const cfFieldInfo* info = is_option ? cfi_findField(&cfi_optionFields, name + 4)
                                      : cfi_findField(&cfi_modelFields, name);
  const void* shared = cfi_batchShared(batch, name, info);
  const cfBatchParameter* found = place < 0 ? NULL : batch->parameter + place;
  const mjtSize count =
      info->home == CF_HOME_VALUE ? info->length : cfi_fieldCount(info, g->m, NULL);
  mjtNum *source[CF_LANES_MAX], *lanes;
  CF_ASSERT(!found || found->bytes == sizeof(mjtNum) * (size_t)count);
  for (int w = 0; w < g->width; w++) {
    const void* own = found && world[w] >= 0
                          ? (const void*)(found->value + found->bytes * (size_t)world[w])
                          : shared;
    source[w] = (mjtNum*)(uintptr_t)own;
  }
  memcpy(&lanes, (char*)g + own_fields[field].offset, sizeof(lanes));
  batch->kernels->gatherNumbers(lanes, source, (int)count);
}


// parameters that were set since the last time, or of which others follow; those that were not are
// gathered once
static void lookUpParameters(cfLaneGroup* g, const cfBatch* batch, const int* world) {
  for (int i = 0; i < CF_LANE_OWN_FIELDS; i++) {
    g->own_place[i] = -1;
    for (int k = 0; k < batch->nparameter && g->own_place[i] < 0; k++) {
      g->own_place[i] = strcmp(batch->parameter[k].name, own_fields[i].name) ? -1 : k;
    }
    if (g->own_place[i] < 0) {
      gatherParameter(g, batch, i, -1, world);
    }
  }
  g->near.has_own_parameters = hasOwnUse(batch, OWN_CONTACTS);
  g->has_own_frames = hasOwnUse(batch, OWN_FRAMES);
  g->nlooked = batch->nparameter;
}


// factors of Euler that somebody looks at are left to the worlds where some do not write them
static unsigned undampedStages(const cfLaneGroup* g, const cfBatch* batch, const int* world) {
  const bool is_seen = cfi_batchPart(batch, "qH") || cfi_batchPart(batch, "qHDiagInv");
  bool is_left = false;
  for (int w = 0; w < g->width && is_seen && g->m->opt.integrator == mjINT_EULER; w++) {
    is_left |= world[w] >= 0 && !cfi_laneEulerIsDamped(g->model[w]);
  }
  return is_left ? CF_LANE_INTEGRATION : 0;
}


unsigned cfi_gatherOwn(cfLaneGroup* g, const cfBatch* batch, const int* world) {
  CF_ASSERT(batch->parameter && batch->kernels->width == g->width);
  const mjModel* m = g->m;
  if (g->nlooked != batch->nparameter) {
    lookUpParameters(g, batch, world);
  }
  for (int i = 0; i < CF_LANE_OWN_FIELDS; i++) {
    if (g->own_place[i] >= 0) {
      gatherParameter(g, batch, i, g->own_place[i], world);
    }
  }
  for (int w = 0; w < g->width; w++) {
    g->model[w] = m;
    if (world[w] >= 0) {
      cfi_batchPointModel(g->own_model + w, batch, world[w]);
      g->model[w] = g->own_model + w;
    }
  }
  cfi_laneLifts(g);
  cfi_laneFriction(g);
  // damping may be that of one world alone
  g->is_damped =
      g->is_fast || (m->opt.integrator == mjINT_EULER && !cfi_disabled(m, mjDSBL_EULERDAMP) &&
                     !cfi_disabled(m, mjDSBL_DAMPER));
  return allowedStages(g, batch) & ~undampedStages(g, batch, world);
}
