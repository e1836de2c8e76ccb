// From a specification that was read to a model: compiled within limits, saved, loaded, stepped.
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mujoco/mujoco.h>

#include "text.h"

enum { STEP_SHARE = 8, SIDE_MAX = 64, COUNT_MAX = 100, ARENA_BYTES = 1 << 20 };

static char last_warning[200];
static jmp_buf on_error;


void cf_noteWarning(const char* message) {
  snprintf(last_warning, sizeof(last_warning), "%s", message);
}

static void limit(int* value, int most) {
  *value = *value > most ? most : *value;
}


// sizes that are legal but take minutes or gigabytes
static void limitSizes(mjSpec* spec) {
  int* counts[] = {&spec->nuserdata,
                   &spec->nuser_body,
                   &spec->nuser_jnt,
                   &spec->nuser_geom,
                   &spec->nuser_site,
                   &spec->nuser_cam,
                   &spec->nuser_tendon,
                   &spec->nuser_actuator,
                   &spec->nuser_sensor,
                   &spec->nkey,
                   &spec->njmax,
                   &spec->nconmax,
                   &spec->option.iterations,
                   &spec->option.ls_iterations,
                   &spec->option.noslip_iterations,
                   &spec->option.ccd_iterations,
                   &spec->option.sdf_iterations,
                   &spec->option.sdf_initpoints};
  for (size_t k = 0; k < sizeof(counts) / sizeof(counts[0]); k++) {
    limit(counts[k], COUNT_MAX);
  }
  spec->memory = spec->memory > ARENA_BYTES ? ARENA_BYTES : spec->memory;
  spec->nstack = spec->nstack > ARENA_BYTES ? ARENA_BYTES : spec->nstack;
  mjLROpt* range = &spec->compiler.LRopt;
  range->inttotal = range->inttotal > 0.1 ? 0.1 : range->inttotal;
  range->interval = range->interval > 0.05 ? 0.05 : range->interval;
  range->timestep = range->timestep < 1e-3 ? 1e-3 : range->timestep;
}


static void limitElements(mjSpec* spec) {
  for (mjsElement* e = mjs_firstElement(spec, mjOBJ_TEXTURE); e; e = mjs_nextElement(spec, e)) {
    limit(&mjs_asTexture(e)->width, SIDE_MAX);
    limit(&mjs_asTexture(e)->height, 6 * SIDE_MAX);
  }
  for (mjsElement* e = mjs_firstElement(spec, mjOBJ_HFIELD); e; e = mjs_nextElement(spec, e)) {
    limit(&mjs_asHField(e)->nrow, SIDE_MAX);
    limit(&mjs_asHField(e)->ncol, SIDE_MAX);
  }
  for (mjsElement* e = mjs_firstElement(spec, mjOBJ_CAMERA); e; e = mjs_nextElement(spec, e)) {
    limit(mjs_asCamera(e)->resolution, SIDE_MAX);
    limit(mjs_asCamera(e)->resolution + 1, SIDE_MAX);
  }
  for (mjsElement* e = mjs_firstElement(spec, mjOBJ_SENSOR); e; e = mjs_nextElement(spec, e)) {
    limit(&mjs_asSensor(e)->nsample, COUNT_MAX);
  }
  for (mjsElement* e = mjs_firstElement(spec, mjOBJ_ACTUATOR); e; e = mjs_nextElement(spec, e)) {
    limit(&mjs_asActuator(e)->nsample, COUNT_MAX);
  }
}


static void errorJump(const char* message) {
  (void)message;
  longjmp(on_error, 1);
}


// two steps; the library may raise an error, such as a small arena being full
static void step(const mjModel* m) {
  mjData* d = mj_makeData(m);
  mju_user_error = errorJump;
  if (d && setjmp(on_error) == 0) {
    mj_step(m, d);
    mj_step(m, d);
  }
  mju_user_error = NULL;
  mj_deleteData(d);
}


// what compiles can be saved and is accepted again
static void saveAndLoad(const mjModel* m, unsigned choice) {
  int bytes = (int)mj_sizeModel(m);
  void* buffer = malloc((size_t)bytes);
  mj_saveModel(m, NULL, buffer, bytes);
  mjModel* again = mj_loadModelBuffer(buffer, bytes);
  if (!again) {
    fprintf(stderr, "compiled model is not accepted as a binary: %s\n", last_warning);
    abort();
  }
  if (again && choice % STEP_SHARE == 0) {
    step(again);
  }
  mj_deleteModel(again);
  free(buffer);
}


void cf_limitSpec(mjSpec* spec) {
  limitSizes(spec);
  limitElements(spec);
}


void cf_compileLimited(mjSpec* spec, unsigned choice) {
  cf_limitSpec(spec);
  mjModel* m = mj_compile(spec, NULL);
  if (m) {
    saveAndLoad(m, choice);
    mj_deleteModel(m);
  }
}
