// Life of mjData: make, copy, reset, state vectors, keyframes, extension, names, printing.
#include "cf_guard.h"
#include "cf_models.h"
#include "cf_test.h"

#include <unistd.h>

#include "model/data.h"
#include "model/layout.h"
#include "model/names.h"


// every array of the buffer gets values that tell it apart
static void fillData(const mjModel* m, mjData* d, double seed) {
  for (int k = 0; k < cfi_dataFields.count; k++) {
    const cfFieldInfo* field = cfi_dataFields.field + k;
    if (cfi_fieldInArena(field) || field->type != CF_TYPE_mjtNum) {
      continue;
    }
    mjtNum* array = cfi_arrayOf(field, d);
    for (mjtSize e = 0; e < cfi_fieldCount(field, m, d); e++) {
      array[e] = seed + k + 0.001 * (double)e;
    }
  }
  d->time = seed;
}


static void expectEqualData(const mjModel* m, const mjData* a, const mjData* b) {
  for (int k = 0; k < cfi_dataFields.count; k++) {
    const cfFieldInfo* field = cfi_dataFields.field + k;
    void *x = cfi_arrayOf(field, a), *y = cfi_arrayOf(field, b);
    mjtSize bytes = 0;
    CF_TRUE(cfi_arrayBytes(field, m, a, &bytes));
    CF_TRUE((x == NULL) == (y == NULL));
    // addresses of what plugins keep are not copied
    if (x && bytes && field->type != CF_TYPE_uintptr_t && memcmp(x, y, (size_t)bytes)) {
      CF_FAIL("%s differs\n", field->name);
    }
  }
}


static char impossible_text[200];

static void keepImpossible(const char* message) {
  snprintf(impossible_text, sizeof(impossible_text), "%s", message);
}

CF_TEST(makeData__impossible_sizes__warning_and_no_data) {
  char error[200];
  mjSpec* spec = mj_parseXMLString(
      "<mujoco><worldbody><body><joint/><geom size='1'/></body></worldbody></mujoco>", NULL, error,
      sizeof(error));
  mjModel* m = mj_compile(spec, NULL);
  CF_TRUE(m != NULL);
  m->nq = -5;
  mju_user_warning = keepImpossible;
  mjData* d = mj_makeData(m);
  mju_user_warning = NULL;
  CF_TRUE(d == NULL);
  CF_EQ_STR(impossible_text, "Invalid data: qpos too large.");
  m->nq = 1;
  mj_deleteModel(m);
  mj_deleteSpec(spec);
}

CF_TEST(copy__data__every_array_and_scalar_equal) {
  for (int k = 0; k < CF_NMODEL - 1; k++) {
    mjModel* m = cf_loadTestModel(cf_model_names[k]);
    mjData* d = mj_makeData(m);
    fillData(m, d, 5);
    d->solver_niter[3] = 17;
    mjData* copy = mj_copyData(NULL, m, d);
    expectEqualData(m, d, copy);
    CF_EQ_INT(copy->solver_niter[3], 17);
    CF_TRUE(copy->buffer != d->buffer && copy->arena != d->arena && copy->contact == copy->arena);
    fillData(m, d, 6);
    CF_TRUE(mj_copyData(copy, m, d) == copy);
    expectEqualData(m, d, copy);
    CF_TRUE(mjv_copyData(copy, m, d) == copy);
    CF_TRUE(mj_copyData(d, m, d) == d);
    mj_markStack(d);
    CF_RAISES(mj_copyData(copy, m, d), "stack is in use");
    mj_freeStack(d);
    mj_deleteData(copy);
    mj_deleteData(d);
    mj_deleteModel(m);
  }
  mjModel *small = cf_loadTestModel("empty"), *large = cf_loadTestModel("rig");
  mjData *a = mj_makeData(small), *b = mj_makeData(large);
  CF_RAISES(mj_copyData(a, large, b), "different size");
  mj_deleteData(a);
  mj_deleteData(b);
  mj_deleteModel(small);
  mj_deleteModel(large);
  mj_deleteData(NULL);
}


CF_TEST(reset__after_changes__equal_to_fresh) {
  for (int k = 0; k < CF_NMODEL - 1; k++) {
    mjModel* m = cf_loadTestModel(cf_model_names[k]);
    mjData *d = mj_makeData(m), *fresh = mj_makeData(m);
    fillData(m, d, 3);
    d->ncon = 2;
    d->parena = 2 * sizeof(mjContact);
    d->warning[0].number = 4;
    mj_resetData(m, d);
    expectEqualData(m, d, fresh);
    CF_NEAR(d->time, 0, 0);
    CF_EQ_INT(d->ncon, 0);
    CF_EQ_INT(d->warning[0].number, 0);
    mj_deleteData(fresh);
    mj_deleteData(d);
    mj_deleteModel(m);
  }
}


CF_TEST(reset__debug_value__outputs_filled_inputs_clean) {
  mjModel* m = cf_loadTestModel("rig");
  mjData* d = mj_makeData(m);
  mj_resetDataDebug(m, d, 0xFF);
  CF_TRUE(isnan(d->xpos[0]) && isnan(d->qfrc_smooth[0]) && isnan(d->sensordata[0]));
  CF_NEAR(d->qvel[0], 0, 0);
  CF_NEAR(d->ctrl[0], 0, 0);
  CF_NEAR_ARRAY(d->qpos, m->qpos0, m->nq, 0);
  mj_deleteData(d);
  mj_deleteModel(m);
}


CF_TEST(reset__history__samples_before_time_zero) {
  mjModel* m = cf_loadTestModel("rig");
  mjData* d = mj_makeData(m);
  int u = mj_name2id(m, mjOBJ_ACTUATOR, "motor"), n = m->actuator_history[2 * u];
  CF_EQ_INT(n, 6);
  const mjtNum* ring = d->history + m->actuator_historyadr[u];
  CF_NEAR(ring[1], n - 1, 0);
  for (int k = 0; k < n; k++) {
    CF_NEAR(ring[2 + k], -(n - k) * m->opt.timestep, 1e-15);
    CF_NEAR(ring[2 + n + k], 0, 0);
  }
  m->opt.timestep = 0;
  CF_RAISES(mj_resetData(m, d), "positive timestep");
  CF_RAISES(mj_makeData(m), "positive timestep");
  mj_deleteData(d);
  mj_deleteModel(m);
}


CF_TEST(state__every_set_of_bits__round_trip) {
  mjModel* m = cf_loadTestModel("rig");
  mjData *d = mj_makeData(m), *other = mj_makeData(m);
  fillData(m, d, 2);
  d->eq_active[0] = 1;
  int full = (1 << mjNSTATE) - 1, nfull = mj_stateSize(m, full);
  mjtNum *all = malloc(sizeof(mjtNum) * (size_t)nfull),
         *part = malloc(sizeof(mjtNum) * (size_t)nfull),
         *taken = malloc(sizeof(mjtNum) * (size_t)nfull);
  mj_getState(m, d, all, full);
  CF_NEAR(all[0], 2, 0);
  int total = 0;
  for (int k = 0; k < mjNSTATE; k++) {
    total += mj_stateSize(m, 1 << k);
  }
  CF_EQ_INT(total, nfull);
  CF_EQ_INT(mj_stateSize(m, mjSTATE_XFRC_APPLIED), 6 * m->nbody);
  for (int sig = 0; sig <= full; sig += 1 + sig / 40) {
    int n = mj_stateSize(m, sig);
    mj_getState(m, d, part, sig);
    mj_extractState(m, all, full, taken, sig);
    CF_NEAR_ARRAY(taken, part, n, 0);
    mj_resetData(m, other);
    mj_setState(m, other, part, sig);
    mj_getState(m, other, taken, sig);
    CF_NEAR_ARRAY(taken, part, n, 0);
    mj_resetData(m, other);
    mj_copyState(m, d, other, sig);
    mj_getState(m, other, taken, sig);
    CF_NEAR_ARRAY(taken, part, n, 0);
  }
  CF_RAISES(mj_stateSize(m, -1), "signature");
  CF_RAISES(mj_stateSize(m, full + 1), "signature");
  CF_RAISES(mj_extractState(m, all, mjSTATE_QPOS, taken, mjSTATE_QVEL), "subset");
  CF_RAISES(mj_extractState(m, all, -1, taken, 0), "mj_extractState: invalid srcsig -1 < 0");
  CF_RAISES(mj_getState(m, d, all, -1), "mj_getState: invalid state signature -1 < 0");
  free(all);
  free(part);
  free(taken);
  mj_deleteData(d);
  mj_deleteData(other);
  mj_deleteModel(m);
}


CF_TEST(keyframe__set_and_reset__state_comes_back) {
  mjModel* m = cf_loadTestModel("rig");
  mjData* d = mj_makeData(m);
  mj_resetDataKeyframe(m, d, 1);
  CF_NEAR(d->qpos[4], -1, 0);
  CF_NEAR(d->act[2], 0.3, 0);
  CF_NEAR(d->mocap_pos[2], 2, 0);
  CF_NEAR(d->mocap_quat[1], 1, 0);
  d->time = 9;
  d->qvel[3] = 4;
  mj_setKeyframe(m, d, 0);
  mj_resetData(m, d);
  CF_NEAR(d->mocap_pos[1], 1, 0);
  mj_resetDataKeyframe(m, d, 0);
  CF_NEAR(d->time, 9, 0);
  CF_NEAR(d->qvel[3], 4, 0);
  mj_resetDataKeyframe(m, d, 99);
  CF_NEAR(d->time, 0, 0);
  CF_RAISES(mj_setKeyframe(m, d, 2), "keyframe");
  CF_RAISES(mj_setKeyframe(m, d, -1), "keyframe");
  mj_deleteData(d);
  mj_deleteModel(m);
}

static int contents;


static void* copyContent(const void* content) {
  contents++;
  int* copy = malloc(sizeof(int));
  *copy = *(const int*)content + 1;
  return copy;
}


static void freeContent(void* content) {
  contents--;
  free(content);
}


CF_TEST(extension__copied_and_freed_with_its_owner) {
  static const cfExtensionClass kind = {.name = "test", .copy = copyContent, .free = freeContent};
  mjModel* m = cf_loadTestModel("rig");
  mjData* d = mj_makeData(m);
  CF_EQ_INT((uintptr_t)cfi_modelExtension(m) % 64, 0);
  int* content = malloc(sizeof(int));
  *content = 10;
  contents = 1;
  cfi_modelExtension(m)->slot[CF_EXTENSION_BUILDER] = (cfExtensionSlot){&kind, content};
  mjModel* copy = mj_copyModel(NULL, m);
  CF_EQ_INT(*(int*)cfi_modelExtension(copy)->slot[CF_EXTENSION_BUILDER].content, 11);
  mj_copyModel(copy, m);
  CF_EQ_INT(contents, 2);
  mj_deleteModel(copy);
  mj_deleteModel(m);
  CF_EQ_INT(contents, 0);
  m = cf_loadTestModel("rig");
  content = malloc(sizeof(int));
  contents = 1;
  cfi_dataExtension(d)->slot[CF_EXTENSION_SOLVER] = (cfExtensionSlot){&kind, content};
  mjData* twin = mj_copyData(NULL, m, d);
  CF_EQ_INT(contents, 2);
  mj_resetData(m, d);
  CF_TRUE(cfi_dataExtension(d)->slot[CF_EXTENSION_SOLVER].content == content);
  mj_deleteData(twin);
  mj_deleteData(d);
  CF_EQ_INT(contents, 0);
  mj_deleteModel(m);
}


CF_TEST(names__every_object__found_both_ways) {
  for (int model = 0; model < CF_NMODEL; model++) {
    mjModel* m = cf_loadTestModel(cf_model_names[model]);
    for (int k = 0; k < CF_NNAMETYPE; k++) {
      int type = cfi_nameTypes[k].type;
      for (int id = 0; id < cfi_nameCount(m, k); id++) {
        const char* name = mj_id2name(m, type, id);
        if (name) {
          CF_EQ_INT(mj_name2id(m, type, name), id);
        }
      }
      CF_EQ_INT(mj_name2id(m, type, "no such thing"), -1);
      CF_TRUE(mj_id2name(m, type, -1) == NULL);
      CF_TRUE(mj_id2name(m, type, (int)cfi_nameCount(m, k)) == NULL);
    }

    // the compiler's map is what our own filling gives
    int* before = malloc(sizeof(int) * (size_t)m->nnames_map + 1);
    memcpy(before, m->names_map, sizeof(int) * (size_t)m->nnames_map);
    cfi_fillNameMap(m);
    CF_EQ_BYTES(m->names_map, before, sizeof(int) * (size_t)m->nnames_map);
    free(before);
    mj_deleteModel(m);
  }
  mjModel* m = cf_loadTestModel("rig");
  CF_EQ_INT(mj_name2id(m, mjOBJ_XBODY, "lower"), mj_name2id(m, mjOBJ_BODY, "lower"));
  CF_EQ_INT(mj_name2id(m, mjOBJ_UNKNOWN, "lower"), -1);
  CF_EQ_INT(mj_name2id(m, 12345, "lower"), -1);
  CF_EQ_INT(mj_name2id(m, mjOBJ_BODY, NULL), -1);
  CF_TRUE(mj_id2name(m, mjOBJ_DOF, 0) == NULL);
  mj_deleteModel(m);
}


static int fileContains(const char* path, const char* phrase) {
  FILE* file = fopen(path, "r");
  char* text = calloc(1, 4000000);
  size_t n = fread(text, 1, 3999999, file);
  text[n] = 0;
  fclose(file);
  int found = strstr(text, phrase) != NULL;
  free(text);
  return found;
}


CF_TEST(print__model_and_data__fields_and_format) {
  char path[] = "/tmp/cf_printXXXXXX";
  close(mkstemp(path));
  for (int k = 0; k < CF_NMODEL - 1; k++) {
    mjModel* m = cf_loadTestModel(cf_model_names[k]);
    mjData* d = mj_makeData(m);
    mj_printModel(m, path);
    CF_TRUE(fileContains(path, "BODY 0:") && fileContains(path, "body_parentid"));
    CF_TRUE(fileContains(path, "timestep") && fileContains(path, "meaninertia"));
    mj_printData(m, d, path);
    CF_TRUE(fileContains(path, "SIZES") && fileContains(path, "XPOS"));
    mj_deleteData(d);
    mj_deleteModel(m);
  }
  mjModel* m = cf_loadTestModel("rig");
  mjData* d = mj_makeData(m);
  mj_printFormattedModel(m, path, "%.5f");
  CF_TRUE(fileContains(path, "0.00500") && fileContains(path, "upper"));
  mj_printFormattedData(m, d, path, "%11.4e");
  CF_TRUE(fileContains(path, "1.0000e+00"));
  cf_guardClear();
  mj_printModel(m, "/no/such/folder/x.txt");
  CF_HAS_STR(cf_warning_text, "Could not open file");
  mj_markStack(d);
  CF_RAISES(mj_printData(m, d, path), "stack is in use");
  mj_freeStack(d);
  unlink(path);
  mj_deleteData(d);
  mj_deleteModel(m);
}

CF_TEST_MAIN("model/data")
