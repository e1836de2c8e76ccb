// Values of parameters that no model can have: ranges of numbers, sizes and frames.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "batch/batch.h"
#include "compile/solids.h"

// ---------------------------------------- ranges

typedef enum { RANGE_ANY, RANGE_FINITE, RANGE_NOT_NEGATIVE, RANGE_POSITIVE } numberRange;

static const struct {
  const char* name;
  numberRange range;
} number_ranges[] = {
#define CF_WORLD_RANGE(field, numbers) {#field, RANGE_##numbers},
#define CF_WORLD_OPTION_RANGE(field, numbers) {"opt." #field, RANGE_##numbers},
#include "tables/worlds.def"
};


static numberRange rangeOf(const char* name) {
  for (size_t k = 0; k < sizeof(number_ranges) / sizeof(number_ranges[0]); k++) {
    if (strcmp(number_ranges[k].name, name) == 0) {
      return number_ranges[k].range;
    }
  }
  return RANGE_ANY;
}


// what is wrong with a number; NULL: nothing
static const char* troubleOf(mjtNum x, numberRange range) {
  if (isnan(x)) {
    return "is not a number";
  }
  if (range >= RANGE_FINITE && !isfinite(x)) {
    return "is infinite";
  }
  if (range == RANGE_NOT_NEGATIVE && x < 0) {
    return "is negative";
  }
  return range == RANGE_POSITIVE && x <= 0 ? "is not positive" : NULL;
}


// some would spoil the constants that follow from them
int cfi_batchChecksNumbers(cfBatch* batch, const char* name, size_t count, const char* values) {
  const numberRange range = rangeOf(name);
  for (size_t k = 0; k < count; k++) {
    mjtNum x;
    memcpy(&x, values + k * sizeof(x), sizeof(x));
    const char* trouble = troubleOf(x, range);
    if (trouble) {
      return cfi_batchFail(batch, "'%s': value %zu %s", name, k, trouble);
    }
  }
  return 1;
}


// ---------------------------------------- sizes and frames

// numbers of one object: those of a world and those of the model
typedef struct {
  const mjModel* m;
  int id;
  const mjtNum *value, *shared;
  int n;
} ownNumbers;

// NULL: they are good
typedef const char* (*numberTest)(const ownNumbers* x);

static const double UNIT_SLACK = 1e-6;  // of the square of a length


static bool isSameAsShared(const ownNumbers* x) {
  return !memcmp(x->value, x->shared, sizeof(mjtNum) * (size_t)x->n);
}


static const char* testSize(int type, const mjtNum size[3]) {
  static const char* const text[3] = {"size 0 must be positive", "size 1 must be positive",
                                      "size 2 must be positive"};
  const int bad = cfi_badSize(type, size);
  return bad < 0 ? NULL : text[bad];
}


static const char* testGeomSize(const ownNumbers* x) {
  const int type = x->m->geom_type[x->id];
  if (type == mjGEOM_MESH || type == mjGEOM_HFIELD || type == mjGEOM_SDF) {
    return isSameAsShared(x) ? NULL : "its size is that of its asset, which worlds share";
  }
  return testSize(type, x->value);
}


static const char* testSiteSize(const ownNumbers* x) {
  return testSize(x->m->site_type[x->id], x->value);
}


static const char* testUnit(const ownNumbers* x) {
  return fabs(mju_dot(x->value, x->value, x->n) - 1) < UNIT_SLACK || isSameAsShared(x)
             ? NULL
             : "its length must be 1";
}


// rows of the inertia matrix of a simple body have no room for more than their diagonal
static const char* testSimple(const ownNumbers* x, int body) {
  return x->m->body_simple[body] && !isSameAsShared(x)
             ? "the compiler took the inertia of its body for diagonal; a change needs another model"
             : NULL;
}


static const char* testInertial(const ownNumbers* x) {
  return testSimple(x, x->id);
}


static const char* testInertialTurn(const ownNumbers* x) {
  const char* trouble = testUnit(x);
  return trouble ? trouble : testSimple(x, x->id);
}


static const char* testAnchor(const ownNumbers* x) {
  return testSimple(x, x->m->jnt_bodyid[x->id]);
}


static const char* testAxis(const ownNumbers* x) {
  const char* trouble = testUnit(x);
  return trouble ? trouble : testSimple(x, x->m->jnt_bodyid[x->id]);
}


static const char* testNothing(const ownNumbers* x) {
  (void)x;
  return NULL;
}


// numbers that are not finite are refused in all of these
static const struct {
  const char *name, *object;
  mjtObj type;
  int n;
  numberTest test;
} value_tests[] = {
    {"geom_size", "geom", mjOBJ_GEOM, 3, testGeomSize},
    {"geom_pos", "geom", mjOBJ_GEOM, 3, testNothing},
    {"geom_quat", "geom", mjOBJ_GEOM, 4, testUnit},
    {"geom_margin", "geom", mjOBJ_GEOM, 1, testNothing},
    {"geom_gap", "geom", mjOBJ_GEOM, 1, testNothing},
    {"site_size", "site", mjOBJ_SITE, 3, testSiteSize},
    {"site_pos", "site", mjOBJ_SITE, 3, testNothing},
    {"site_quat", "site", mjOBJ_SITE, 4, testUnit},
    {"body_ipos", "body", mjOBJ_BODY, 3, testInertial},
    {"body_iquat", "body", mjOBJ_BODY, 4, testInertialTurn},
    {"jnt_pos", "joint", mjOBJ_JOINT, 3, testAnchor},
    {"jnt_axis", "joint", mjOBJ_JOINT, 3, testAxis},
    {"cam_pos", "camera", mjOBJ_CAMERA, 3, testNothing},
    {"cam_quat", "camera", mjOBJ_CAMERA, 4, testUnit},
    {"light_pos", "light", mjOBJ_LIGHT, 3, testNothing},
    {"light_dir", "light", mjOBJ_LIGHT, 3, testUnit},
    {"pair_margin", "pair", mjOBJ_PAIR, 1, testNothing},
    {"pair_gap", "pair", mjOBJ_PAIR, 1, testNothing},
};


static const char* testNumbers(const ownNumbers* x, numberTest test) {
  for (int k = 0; k < x->n; k++) {
    if (!isfinite(x->value[k])) {
      return "it must be finite";
    }
  }
  return test(x);
}


// all objects of one world
static int checkWorldValues(cfBatch* batch, const cfBatchParameter* p, size_t row, int world) {
  const int n = value_tests[row].n;
  const mjtNum* shared = cfi_batchShared(batch, p->name, p->info);
  const mjtNum* value = (const mjtNum*)(const void*)(p->value + p->bytes * (size_t)world);
  const int count = (int)(p->bytes / sizeof(mjtNum)) / n;
  for (int id = 0; id < count; id++) {
    const ownNumbers x = {batch->model, id, value + n * id, shared + n * id, n};
    const char* trouble = testNumbers(&x, value_tests[row].test);
    if (trouble) {
      const char* name = mj_id2name(batch->model, value_tests[row].type, id);
      return cfi_batchFail(batch, "%s %d '%s' of world %d: %s", value_tests[row].object, id,
                           name ? name : "", world, trouble);
    }
  }
  return 1;
}


int cfi_batchChecksValues(cfBatch* batch, const char* name, const int* world, int nworld) {
  const cfBatchParameter* p = cfi_batchParameter(batch, name);
  CF_ASSERT(p);
  for (size_t row = 0; row < sizeof(value_tests) / sizeof(value_tests[0]); row++) {
    for (int place = 0; !strcmp(value_tests[row].name, name) && place < nworld; place++) {
      if (!checkWorldValues(batch, p, row, world ? world[place] : place)) {
        return 0;
      }
    }
  }
  return 1;
}
