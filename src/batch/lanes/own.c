// Model parameters that differ between the worlds of a group.
#include <stdint.h>
#include <string.h>

#include "base/assert.h"
#include "batch/batch.h"
#include "batch/lanes/lanes.h"
#include "model/flags.h"


// stages that cannot be done in lanes because of what the caller has set
static unsigned barredStages(const cfLaneGroup* g, const cfBatch* batch) {
  // constants of cameras follow from other parameters; rows are made with those of the model
  unsigned barred = CF_LANE_CAMERAS | CF_LANE_CONSTRAINT;
  for (int k = 0; k < batch->nparameter; k++) {
    const cfBatchParameter* p = batch->parameter + k;
    const bool is_fluid = !strcmp(p->name, "opt.density") || !strcmp(p->name, "opt.viscosity");
    if (p->is_derived) {
      continue;
    }
    if (!strcmp(p->name, "tendon_armature") && g->m->ntendon) {
      barred |= CF_LANE_INERTIA | CF_LANE_ACCELERATION | CF_LANE_INTEGRATION;
    }
    if (is_fluid || (!strncmp(p->name, "tendon_", 7) && g->m->ntendon)) {
      barred |= CF_LANE_PASSIVE | CF_LANE_ACCELERATION;
      barred |= g->m->ngravcomp ? CF_LANE_ACTUATION : 0;
      barred |= g->is_fast ? CF_LANE_INTEGRATION : 0;
    }
  }
  return barred;
}


// one parameter: values of the worlds, or the one that they share; a lane without a world has the
// latter
static void gatherParameter(mjtNum* lanes, const cfLaneGroup* g, const cfBatch* batch,
                            const char* name, const mjtNum* shared, const int* world) {
  mjtNum* source[CF_LANES_MAX];
  const cfBatchParameter* found = NULL;
  for (int k = 0; k < batch->nparameter && !found; k++) {
    found = strcmp(batch->parameter[k].name, name) ? NULL : batch->parameter + k;
  }
  const cfFieldInfo* info = NULL;
  if (!found) {
    const bool is_option = !strncmp(name, "opt.", 4);
    info = is_option ? cfi_findField(&cfi_optionFields, name + 4)
                     : cfi_findField(&cfi_modelFields, name);
  }
  const size_t bytes =
      found ? found->bytes
            : info->size * (size_t)(info->home == CF_HOME_VALUE ? info->length
                                                                : cfi_fieldCount(info, g->m, NULL));
  for (int w = 0; w < g->width; w++) {
    const void* own = found && world[w] >= 0
                          ? (const void*)(found->value + found->bytes * (size_t)world[w])
                          : (const void*)shared;
    source[w] = (mjtNum*)(uintptr_t)own;
  }
  batch->kernels->gatherNumbers(lanes, source, (int)(bytes / sizeof(mjtNum)));
}


unsigned cfi_gatherOwn(cfLaneGroup* g, const cfBatch* batch, const int* world) {
  CF_ASSERT(batch->parameter && batch->kernels->width == g->width);
  const mjModel* m = g->m;
#define CF_LANE_OWN(name) gatherParameter(g->own_##name, g, batch, #name, m->name, world);
#define CF_LANE_OWN_OPTION(name) \
  gatherParameter(g->own_##name, g, batch, "opt." #name, (const mjtNum*)&m->opt.name, world);
#include "tables/lanes_own.def"
  // damping may be that of one world alone
  g->is_damped =
      g->is_fast || (m->opt.integrator == mjINT_EULER && !cfi_disabled(m, mjDSBL_EULERDAMP) &&
                     !cfi_disabled(m, mjDSBL_DAMPER));
  return g->stages & ~barredStages(g, batch);
}
