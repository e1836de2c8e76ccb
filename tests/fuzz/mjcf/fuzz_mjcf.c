// Fuzz target: any text.  Parse, save, parse what was saved, copy; a share of the inputs is compiled, saved as a binary
// model, loaded again and stepped.  Nothing may crash, leak or hang.  The input's bytes decide.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mujoco/mujoco.h>

#include "mutate.h"
#include "roll.h"

enum { COMPILE_SHARE = 4, STEP_SHARE = 8, SIDE_MAX = 64, COUNT_MAX = 100, ARENA_BYTES = 1 << 20 };

size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned seed);
int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);


static void quiet(const char* message) {
  (void)message;
}


// replicate multiplies: keep it small
static int isHuge(const char* text) {
  long product = 1;
  for (const char* p = strstr(text, "count"); p; p = strstr(p + 1, "count")) {
    const char* digit = p + strcspn(p, "0123456789");
    long value = strtol(digit, NULL, 10);
    product *= value > 1 ? (value > 1000 ? 1000 : value) : 1;
    if (product > 200) {
      return 1;
    }
  }
  return 0;
}


static void saveAndParse(const mjSpec* spec) {
  enum { ROOM = 1 << 22 };
  static char text[ROOM];
  char error[1000];
  if (mj_saveXMLString(spec, text, ROOM, error, sizeof(error)) != 0) {
    return;
  }
  mjSpec* again = mj_parseXMLString(text, NULL, error, sizeof(error));
  mj_deleteSpec(again);
}


//---------------------------------- compilation ---------------------------------------------------

static void limit(int* value, int most) {
  *value = *value > most ? most : *value;
}


// sizes that are legal but take minutes or gigabytes
static void limitSizes(mjSpec* spec) {
  int* counts[] = {&spec->nuserdata,  &spec->nuser_body,   &spec->nuser_jnt,      &spec->nuser_geom,   &spec->nuser_site,
                   &spec->nuser_cam,  &spec->nuser_tendon, &spec->nuser_actuator, &spec->nuser_sensor, &spec->nkey,
                   &spec->njmax,      &spec->nconmax,
                   &spec->option.iterations,     &spec->option.ls_iterations,  &spec->option.noslip_iterations,
                   &spec->option.ccd_iterations, &spec->option.sdf_iterations, &spec->option.sdf_initpoints};
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


static void step(const mjModel* m) {
  mjData* d = mj_makeData(m);
  if (d) {
    mj_step(m, d);
    mj_step(m, d);
    mj_deleteData(d);
  }
}


// what compiles can be saved and is accepted again
static void saveAndLoad(const mjModel* m, unsigned choice) {
  int bytes = (int)mj_sizeModel(m);
  void* buffer = malloc((size_t)bytes);
  mj_saveModel(m, NULL, buffer, bytes);
  mjModel* again = mj_loadModelBuffer(buffer, bytes);
  if (!again) {
    fprintf(stderr, "compiled model is not accepted as a binary\n");
    abort();
  }
  if (choice % STEP_SHARE == 0) {
    step(again);
  }
  mj_deleteModel(again);
  free(buffer);
}


static void compile(mjSpec* spec, unsigned choice) {
  limitSizes(spec);
  limitElements(spec);
  mjModel* m = mj_compile(spec, NULL);
  if (m) {
    saveAndLoad(m, choice);
    mj_deleteModel(m);
  }
}


//---------------------------------- entry ---------------------------------------------------------

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  char error[2000];
  mju_user_warning = quiet;
  const unsigned hash = cf_hashBytes(data, size);
  char* text = (char*)malloc(size + 1);
  memcpy(text, data, size);
  text[size] = 0;
  mjSpec* spec = isHuge(text) ? NULL : mj_parseXMLString(text, NULL, error, sizeof(error));
  if (spec) {
    if (hash % COMPILE_SHARE == 0) {
      compile(spec, hash >> 8);
    }
    saveAndParse(spec);
    mj_deleteSpec(mj_copySpec(spec));
    mj_deleteSpec(spec);
  }
  free(text);
  return 0;
}


// mostly mutations that know the grammar, sometimes plain ones
size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned seed) {
  size_t changed = seed % 8 ? cf_mutateMjcf(data, size, max_size, seed) : 0;
  return changed ? changed : LLVMFuzzerMutate(data, size, max_size);
}
