// Model parameters that differ between the worlds of a group.
#include <stdint.h>
#include <string.h>

#include "base/assert.h"
#include "batch/batch.h"
#include "batch/lanes/lanes.h"
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


// may a tendon without rows in lanes get friction
static bool rubsElsewhere(const mjModel* m, const char* name) {
  bool rubs = false;
  for (int t = 0; t < m->ntendon && !strcmp(name, "tendon_frictionloss"); t++) {
    rubs |= cfi_treeOfTendon(m, t) < 0;
  }
  return rubs;
}


// stages that cannot be done in lanes because of what the caller has set
static unsigned barredStages(const cfLaneGroup* g, const cfBatch* batch) {
  unsigned barred = CF_LANE_CAMERAS;  // their constants follow from other parameters
  for (int k = 0; k < batch->nparameter; k++) {
    const cfBatchParameter* p = batch->parameter + k;
    const bool is_fluid = !strcmp(p->name, "opt.density") || !strcmp(p->name, "opt.viscosity");
    if (!p->is_set) {
      continue;
    }
    if (!strcmp(p->name, "geom_margin")) {
      barred |= CF_LANE_NEAR;
    }
    if (!strcmp(p->name, "tendon_armature") && g->m->ntendon) {
      barred |= CF_LANE_INERTIA | CF_LANE_ACCELERATION | CF_LANE_INTEGRATION;
    }
    barred |= rubsElsewhere(g->m, p->name) ? CF_LANE_CONSTRAINT : 0;
    if (is_fluid || (!strncmp(p->name, "tendon_", 7) && g->m->ntendon)) {
      barred |= CF_LANE_PASSIVE | CF_LANE_ACCELERATION;
      barred |= g->lifted ? CF_LANE_ACTUATION : 0;
      barred |= g->is_fast ? CF_LANE_INTEGRATION : 0;
    }
  }
  return barred;
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


// is one of these fields a parameter
static bool hasOwnField(const cfBatch* batch, const char* const* field, int n) {
  bool has = false;
  for (int k = 0; k < batch->nparameter; k++) {
    for (int i = 0; i < n; i++) {
      has |= !strcmp(batch->parameter[k].name, field[i]);
    }
  }
  return has;
}


// do contacts have parameters of their world
static bool hasOwnContacts(const cfBatch* batch) {
  static const char* const contacts[] = {"geom_solmix", "geom_solref", "geom_solimp",
                                         "geom_friction", "geom_gap"};
  return hasOwnField(batch, contacts, 5);
}


// do inertias, geoms or sites sit elsewhere on their bodies
static bool hasOwnFrames(const cfBatch* batch) {
  static const char* const frames[] = {"body_ipos", "body_iquat", "geom_pos",
                                       "geom_quat", "site_pos",   "site_quat"};
  return hasOwnField(batch, frames, 6);
}


bool cfi_laneKnowsJoints(const cfBatch* batch) {
  static const char* const joints[] = {"jnt_pos", "jnt_axis"};
  return !hasOwnField(batch, joints, 2);
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
  g->near.has_own_parameters = hasOwnContacts(batch);
  g->has_own_frames = hasOwnFrames(batch);
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
  return g->stages & ~(barredStages(g, batch) | undampedStages(g, batch, world));
}
