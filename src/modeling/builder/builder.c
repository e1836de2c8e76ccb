// What a simulation shall be: wishes are remembered, mistakes too, until it is built.
#include "builder/builder.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cortenforge/derivative.h>

#include "base/assert.h"
#include "base/memory.h"
#include "base/nearest.h"


// is a line among those of a text
static bool hasLine(const char* text, const char* line) {
  const size_t n = strlen(line);
  for (const char* p = text; (p = strstr(p, line)) != NULL; p++) {
    if ((p == text || p[-1] == '\n') && (p[n] == '\n' || p[n] == '\0')) {
      return true;
    }
  }
  return false;
}


// what is wrong with every object that a wish concerns is said once
void cfi_noteComplaint(cfComplaints* complaints, const char* format, ...) {
  const size_t used = strlen(complaints->text), room = sizeof(complaints->text) - used;
  char line[sizeof(complaints->text)];
  va_list args;
  va_start(args, format);
  vsnprintf(line, sizeof(line), format, args);
  va_end(args);
  if (!hasLine(complaints->text, line)) {
    snprintf(complaints->text + used, room, "%s%s", used ? "\n" : "", line);
  }
}


const char* cfi_wishName(cftWish kind) {
  static const char* const names[] = {[CF_WISH_BENDING] = "bending",
                                      [CF_WISH_ELASTICITY] = "elasticity",
                                      [CF_WISH_GAIN] = "gain",
                                      [CF_WISH_SOLVER] = "contact solver"};
  return names[kind];
}


// ---------------------------------------- life

cfSimBuilder* cf_simBuilder(void) {
  cfSimBuilder* builder = cfi_tryMalloc(sizeof(cfSimBuilder));
  if (builder) {
    memset(builder, 0, sizeof(*builder));
  }
  return builder;
}


void cf_freeSimBuilder(cfSimBuilder* builder) {
  if (!builder) {
    return;
  }
  while (builder->wishes) {
    cfWish* wish = builder->wishes;
    builder->wishes = wish->next;
    mju_free(wish->object);
    mju_free(wish->model);
    mju_free(wish);
  }
  mju_free(builder->filename);
  mju_free(builder->xml);
  mj_deleteSpec(builder->spec);
  mj_deleteModel(builder->model);
  mju_free(builder);
}


// copy of a text; NULL of NULL, or without memory, which is a complaint
static char* keepText(cfSimBuilder* builder, const char* text) {
  if (!text) {
    return NULL;
  }
  const size_t bytes = strlen(text) + 1;
  char* copy = cfi_tryMalloc(bytes);
  if (copy) {
    memcpy(copy, text, bytes);
  } else {
    cfi_noteComplaint(&builder->complaints, "no memory");
  }
  return copy;
}


// ---------------------------------------- model

// may a model be given?  the second one is a mistake
static bool acceptSource(cfSimBuilder* builder, const void* source) {
  if (!source) {
    cfi_noteComplaint(&builder->complaints, "the model that is given is NULL");
  } else if (builder->nsource++) {
    cfi_noteComplaint(&builder->complaints, "a model is given twice: one simulation has one model");
  } else {
    return true;
  }
  return false;
}


cfSimBuilder* cf_withModelFile(cfSimBuilder* builder, const char* filename) {
  if (builder && acceptSource(builder, filename)) {
    builder->filename = keepText(builder, filename);
  }
  return builder;
}


cfSimBuilder* cf_withModelText(cfSimBuilder* builder, const char* xml) {
  if (builder && acceptSource(builder, xml)) {
    builder->xml = keepText(builder, xml);
  }
  return builder;
}


cfSimBuilder* cf_withSpec(cfSimBuilder* builder, const mjSpec* spec) {
  if (builder && acceptSource(builder, spec)) {
    builder->spec = mj_copySpec(spec);
    if (!builder->spec) {
      cfi_noteComplaint(&builder->complaints, "the specification cannot be copied");
    }
  }
  return builder;
}


cfSimBuilder* cf_withModel(cfSimBuilder* builder, const mjModel* m) {
  if (builder && acceptSource(builder, m)) {
    builder->model = mj_copyModel(NULL, m);
    if (!builder->model) {
      cfi_noteComplaint(&builder->complaints, "the model cannot be copied");
    }
  }
  return builder;
}


// ---------------------------------------- wishes

static bool sameObject(const char* a, const char* b) {
  return a && b ? strcmp(a, b) == 0 : a == b;
}


const cfWish* cfi_wishFor(const cfSimBuilder* builder, cftWish kind, const char* object) {
  const cfWish* for_all = NULL;
  CF_ASSERT(builder != NULL);
  for (const cfWish* wish = builder->wishes; wish; wish = wish->next) {
    if (wish->kind == kind && object && wish->object && strcmp(wish->object, object) == 0) {
      return wish;
    }
    for_all = wish->kind == kind && !wish->object ? wish : for_all;
  }
  return for_all;
}


// is the same thing wished for already?  in another way, it is a contradiction
static bool isWished(cfSimBuilder* builder, const cfWish* wanted) {
  for (const cfWish* wish = builder->wishes; wish; wish = wish->next) {
    if (wish->kind != wanted->kind || !sameObject(wish->object, wanted->object)) {
      continue;
    }
    const bool is_same = strcmp(wish->model, wanted->model) == 0 &&
                         wish->nparam == wanted->nparam &&
                         memcmp(wish->param, wanted->param, sizeof(wish->param)) == 0;
    if (!is_same) {
      cfi_noteComplaint(&builder->complaints, "%s%s%s%s is chosen twice: '%s' and '%s'%s",
                        cfi_wishName(wish->kind), wish->object ? " of '" : "",
                        wish->object ? wish->object : "", wish->object ? "'" : "", wish->model,
                        wanted->model,
                        strcmp(wish->model, wanted->model) ? "" : " with other parameters");
    }
    return true;
  }
  return false;
}


static cfSimBuilder* addWish(cfSimBuilder* builder, cftWish kind, const char* object,
                             const char* model, const mjtNum* param, int nparam) {
  if (!builder) {
    return NULL;
  }
  cfWish wish = {.kind = kind, .nparam = param ? nparam : -1};
  if (!model) {
    cfi_noteComplaint(&builder->complaints, "%s is chosen without a name", cfi_wishName(kind));
    return builder;
  }
  if (param && (nparam < 0 || nparam > CF_CONTACT_PARAMETERS)) {
    cfi_noteComplaint(&builder->complaints, "%s '%s' is given %d parameters", cfi_wishName(kind),
                      model, nparam);
    return builder;
  }
  if (!param && nparam > 0) {
    cfi_noteComplaint(&builder->complaints, "%s '%s' is given %d parameters, but no values",
                      cfi_wishName(kind), model, nparam);
    return builder;
  }
  for (int k = 0; k < wish.nparam; k++) {
    wish.param[k] = param[k];
  }
  wish.object = keepText(builder, object);
  wish.model = keepText(builder, model);
  cfWish* kept = wish.model && !isWished(builder, &wish) ? cfi_tryMalloc(sizeof(wish)) : NULL;
  if (!kept) {
    mju_free(wish.object);
    mju_free(wish.model);
    return builder;
  }
  *kept = wish;
  kept->next = builder->wishes;
  builder->wishes = kept;
  return builder;
}


cfSimBuilder* cf_withBending(cfSimBuilder* builder, const char* flex, const char* model) {
  return addWish(builder, CF_WISH_BENDING, flex, model, NULL, 0);
}


cfSimBuilder* cf_withElasticity(cfSimBuilder* builder, const char* flex, const char* model) {
  return addWish(builder, CF_WISH_ELASTICITY, flex, model, NULL, 0);
}


cfSimBuilder* cf_withGain(cfSimBuilder* builder, const char* actuator, const char* model,
                          const mjtNum* param, int nparam) {
  return addWish(builder, CF_WISH_GAIN, actuator, model, param, nparam);
}


cfSimBuilder* cf_withContactSolver(cfSimBuilder* builder, const char* name, const mjtNum* param,
                                   int nparam) {
  return addWish(builder, CF_WISH_SOLVER, NULL, name, param, nparam);
}


// ---------------------------------------- options and presets

cfSimBuilder* cf_withIntegrator(cfSimBuilder* builder, int integrator) {
  if (!builder) {
    return NULL;
  }
  if (integrator < mjINT_EULER || integrator > CF_INTEGRATOR_SPRING_DAMPER) {
    cfi_noteComplaint(&builder->complaints, "there is no integrator %d", integrator);
  } else if (builder->has_integrator && builder->integrator != integrator) {
    cfi_noteComplaint(&builder->complaints, "integrator is chosen twice: %d and %d",
                      builder->integrator, integrator);
  }
  builder->has_integrator = true;
  builder->integrator = integrator;
  return builder;
}


cfSimBuilder* cf_withTimestep(cfSimBuilder* builder, mjtNum timestep) {
  if (!builder) {
    return NULL;
  }
  if (!(timestep > 0) || mju_isBad(timestep)) {
    cfi_noteComplaint(&builder->complaints, "timestep must be positive, got %g", timestep);
  } else if (builder->has_timestep && builder->timestep != timestep) {
    cfi_noteComplaint(&builder->complaints, "timestep is chosen twice: %g and %g",
                      builder->timestep, timestep);
  }
  builder->has_timestep = true;
  builder->timestep = timestep;
  return builder;
}


static const cfPreset presets[] = {{"mujoco", "cotangent", "linear", "lcp", true},
                                   {"animation", "bridson", "linear", "xpbd", false},
                                   {"softbody", "cotangent", "neo_hookean", "lcp", false}};
enum { NPRESET = sizeof(presets) / sizeof(presets[0]) };


cfSimBuilder* cf_withPreset(cfSimBuilder* builder, const char* name) {
  if (!builder) {
    return NULL;
  }
  const cfPreset* found = NULL;
  cfNearest nearest = {"", 0};
  for (int k = 0; k < NPRESET; k++) {
    found = name && strcmp(presets[k].name, name) == 0 ? presets + k : found;
    cfi_tryWord(&nearest, name ? name : "", presets[k].name, strlen(presets[k].name));
  }
  if (!found) {
    char hint[CF_WORD_MAX + 20];
    cfi_noteComplaint(&builder->complaints,
                      "unknown preset '%s'; known are mujoco, animation, softbody%s",
                      name ? name : "", cfi_suggestion(nearest.text, hint));
  } else if (builder->preset && builder->preset != found) {
    cfi_noteComplaint(&builder->complaints, "preset is chosen twice: '%s' and '%s'",
                      builder->preset->name, found->name);
  }
  builder->preset = found;
  return builder;
}
