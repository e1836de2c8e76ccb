// Bad numbers in the arrays of a model: whatever a program writes into them, a step ends, leaves
// the stack empty, and a model that is repaired runs as before.
#include <stdbool.h>

#include <cortenforge/cortenforge.h>

#include "cf_guard.h"
#include "cf_test.h"
#include "tables/fields.h"

enum { NSTEP = 3 };


static mjModel* loadModel(const char* name) {
  char path[1000], error[1000] = "";
  snprintf(path, sizeof(path), "%s/models/%s.xml", CF_SOURCE_DIR, name);
  mjModel* m = mj_loadXML(path, NULL, error, sizeof(error));
  if (!m) {
    CF_FAIL("cannot load %s: %s\n", path, error);
  }
  return m;
}


static void stepAndRead(void* argument) {
  void** pair = argument;
  const mjModel* m = pair[0];
  mjData* d = pair[1];
  mj_resetDataKeyframe(m, d, 0);
  for (int k = 0; k < NSTEP; k++) {
    mj_step(m, d);
  }
  mj_rnePostConstraint(m, d);
  mj_inverse(m, d);
}


// a few steps from the start; their hash. A tree that cannot sleep as the model asks is an error
static uint64_t runModel(mjModel* m, mjData* d) {
  void* pair[2] = {m, d};
  if (!cf_tryCall(stepAndRead, pair)) {
    CF_EQ_INT(d->pstack, 0);
  }
  return cf_stateHash(m, d);
}


// first and last element of one array in turn
static int spoilArray(mjModel* m, mjData* d, const cfFieldInfo* field) {
  static const mjtNum bad[] = {NAN, INFINITY, -INFINITY, 1e300, -1e300, 5e-324, 0, -1};
  const mjtSize count = cfi_fieldCount(field, m, NULL);
  mjtNum* x = (mjtNum*)(uintptr_t)cfi_fieldElements(field, m);
  int runs = 0;
  for (int end = 0; end < (count > 1 ? 2 : (int)count); end++) {
    mjtNum* element = x + (end ? count - 1 : 0);
    const mjtNum value = *element;
    // under sanitizers half of the values, others for the next array
    static size_t start;
    for (size_t k = CF_SANITIZED ? start++ % 2 : 0; k < sizeof(bad) / sizeof(bad[0]);
         k += 1 + CF_SANITIZED) {
      *element = bad[k];
      runModel(m, d);
      runs++;
    }
    *element = value;
  }
  return runs;
}


// fresh data at the end: what is left of bad runs in old data is the user's
static void expectRepaired(mjModel* m, uint64_t expected) {
  mjData* d = mj_makeData(m);
  CF_TRUE(runModel(m, d) == expected);
  mj_deleteData(d);
}


static int spoilModel(const char* name) {
  mjModel* m = loadModel(name);
  mjData* d = mj_makeData(m);
  const uint64_t good = runModel(m, d);
  int runs = 0;
  for (int k = 0; k < cfi_modelFields.count; k++) {
    const cfFieldInfo* field = cfi_modelFields.field + k;
    if (field->type == CF_TYPE_mjtNum) {
      runs += spoilArray(m, d, field);
    }
  }
  expectRepaired(m, good);
  mj_deleteData(d);
  mj_deleteModel(m);
  return runs;
}


CF_TEST(badModel__every_real_array_of_ten_models__steps_end) {
  const char* const name[] = {"humanoid", "stack", "chain",    "muscles", "car",
                              "loops",    "fluid", "sleepers", "grasp",   "terrain"};
  cf_guardClear();
  for (int k = 0; k < 10; k++) {
    printf("%s: %d runs\n", name[k], spoilModel(name[k]));
  }
  mju_user_warning = NULL;
}

CF_TEST_MAIN("robust/bad_model")
