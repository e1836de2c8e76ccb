// Binary models: round trip, and everything that can be wrong with a file.
#include "cf_guard.h"
#include "cf_models.h"
#include "cf_test.h"

#include <sys/stat.h>
#include <unistd.h>

#include "model/layout.h"
#include "model/mjb.h"
#include "model/model.h"


CF_TEST(mjb__round_trip__byte_identical) {
  for (int k = 0; k < CF_NMODEL; k++) {
    size_t nbyte;
    char* bytes = cf_readTestFile(cf_model_names[k], &nbyte);
    mjModel* m = mj_loadModelBuffer(bytes, (int)nbyte);
    CF_TRUE(m != NULL);
    CF_EQ_INT(mj_sizeModel(m), nbyte);
    char* again = malloc(nbyte);
    mj_saveModel(m, NULL, again, (int)nbyte);
    CF_EQ_BYTES(again, bytes, nbyte);

    // through a file
    char path[] = "/tmp/cf_mjbXXXXXX";
    close(mkstemp(path));
    mj_saveModel(m, path, NULL, 0);
    struct stat info;
    stat(path, &info);
    CF_EQ_INT(info.st_size, nbyte);
    mjModel* from_file = mj_loadModel(path, NULL);
    CF_TRUE(from_file != NULL);
    memset(again, 0, nbyte);
    mj_saveModel(from_file, NULL, again, (int)nbyte);
    CF_EQ_BYTES(again, bytes, nbyte);
    unlink(path);
    mj_deleteModel(from_file);
    mj_deleteModel(m);
    free(again);
    free(bytes);
  }
}


CF_TEST(mjb__copy__equal_model) {
  for (int k = 0; k < CF_NMODEL; k++) {
    mjModel* m = cf_loadTestModel(cf_model_names[k]);
    mjModel* copy = mj_copyModel(NULL, m);
    int nbyte = (int)mj_sizeModel(m);
    char *a = malloc((size_t)nbyte), *b = malloc((size_t)nbyte);
    mj_saveModel(m, NULL, a, nbyte);
    mj_saveModel(copy, NULL, b, nbyte);
    CF_EQ_BYTES(a, b, (size_t)nbyte);
    CF_TRUE(copy->buffer != m->buffer);
    CF_TRUE(mj_copyModel(copy, m) == copy);
    mj_deleteModel(copy);
    mj_deleteModel(m);
    free(a);
    free(b);
  }
  mjModel *small = cf_loadTestModel("empty"), *large = cf_loadTestModel("rig");
  CF_RAISES(mj_copyModel(small, large), "different buffer size");
  mj_deleteModel(small);
  mj_deleteModel(large);
}


CF_TEST(mjb__every_truncation__null_and_message) {
  size_t nbyte;
  char* bytes = cf_readTestFile("sleepers", &nbyte);
  for (size_t cut = 0; cut < nbyte; cut += cut < 1000 ? 1 : 97) {
    // an exact allocation: the sanitizer sees a read past the end
    char* part = malloc(cut + 1);
    memcpy(part, bytes, cut);
    char* exact = realloc(part, cut ? cut : 1);
    cf_guardClear();
    CF_TRUE(mj_loadModelBuffer(exact, (int)cut) == NULL);
    CF_EQ_INT(cf_warning_count, 1);
    CF_HAS_STR(cf_warning_text, cut < 20 ? "incomplete header" : "Truncated model file");
    free(exact);
  }
  char* longer = malloc(nbyte + 1);
  memcpy(longer, bytes, nbyte);
  longer[nbyte] = 0;
  cf_guardClear();
  CF_TRUE(mj_loadModelBuffer(longer, (int)nbyte + 1) == NULL);
  CF_HAS_STR(cf_warning_text, "too large");
  CF_TRUE(mj_loadModelBuffer(NULL, 10) == NULL);
  free(longer);
  free(bytes);
}


CF_TEST(mjb__foreign_header__message_says_what) {
  static const char* const phrase[5] = {
      "missing header ID", "floating point precision", "number of sizes",
      "MuJoCo version: found 3005001, expected 3005000", "number of pointers"};
  size_t nbyte;
  char* bytes = cf_readTestFile("empty", &nbyte);
  for (int k = 0; k < 5; k++) {
    char* changed = malloc(nbyte);
    memcpy(changed, bytes, nbyte);
    int value;
    memcpy(&value, changed + 4 * k, 4);
    value++;
    memcpy(changed + 4 * k, &value, 4);
    cf_guardClear();
    CF_TRUE(mj_loadModelBuffer(changed, (int)nbyte) == NULL);
    CF_HAS_STR(cf_warning_text, phrase[k]);
    free(changed);
  }
  cf_guardClear();
  CF_TRUE(mj_loadModel("/no/such/file.mjb", NULL) == NULL);
  CF_HAS_STR(cf_warning_text, "Error opening file");
  CF_TRUE(mj_loadModel(CF_SOURCE_DIR "/tests/data/mjb/rig.xml", NULL) == NULL);
  CF_HAS_STR(cf_warning_text, "missing header ID");
  free(bytes);
}


// every size field, with values that do not fit
CF_TEST(mjb__every_size__wrong_values_refused) {
  const mjtSize bad[] = {
      -1, -2, INT64_MIN, INT64_MAX, INT32_MAX, (mjtSize)1 << 40, (mjtSize)1 << 60};
  size_t nbyte;
  char* bytes = cf_readTestFile("sleepers", &nbyte);
  for (int k = 0; k < cfi_modelSizes.count; k++) {
    const char* name = cfi_modelSizes.field[k].name;
    for (size_t j = 0; j < sizeof(bad) / sizeof(bad[0]); j++) {
      char* changed = malloc(nbyte);
      memcpy(changed, bytes, nbyte);
      memcpy(changed + 20 + 8 * k, &bad[j], 8);
      cf_guardClear();
      mjModel* m = mj_loadModelBuffer(changed, (int)nbyte);

      // limits that may be unset, and memory that is only asked for by mj_makeData
      int may_pass = ((!strcmp(name, "njmax") || !strcmp(name, "nconmax")) && bad[j] == -1) ||
                     (!strcmp(name, "narena") && bad[j] > 0);
      if (m && !may_pass) {
        CF_FAIL("%s = %lld is accepted\n", name, (long long)bad[j]);
      }
      CF_TRUE(m || cf_warning_count == 1);
      mj_deleteModel(m);
      free(changed);
    }
  }
  free(bytes);
}


// arrays whose elements are no references: any value is fine
static int isFree(const char* name) {
  static const char* const free_names[] = {
      "jnt_group",        "geom_group",        "site_group",        "tendon_group",
      "actuator_group",   "flex_group",        "skin_group",        "geom_contype",
      "geom_conaffinity", "geom_priority",     "body_contype",      "body_conaffinity",
      "flex_contype",     "flex_conaffinity",  "flex_priority",     "flex_activelayers",
      "flex_passive",     "flex_elemlayer",    "cam_output",        "cam_resolution",
      "bvh_depth",        "oct_depth",         "eq_objtype",        "sensor_reftype",
      "sensor_refid",     "sensor_objid",      "sensor_objtype",    "sensor_intprm",
      "actuator_trnid",   "wrap_objid",        "actuator_history",  "actuator_historyadr",
      "sensor_history",   "sensor_historyadr", "mesh_facetexcoord", "flex_elemtexcoord",
      "flex_texcoordadr", "tuple_objid",       "flex_condim"};
  for (size_t k = 0; k < sizeof(free_names) / sizeof(free_names[0]); k++) {
    if (!strcmp(name, free_names[k])) {
      return 1;
    }
  }
  return 0;
}


// every element of every index array, far out of its range
CF_TEST(mjb__every_index__wrong_values_refused) {
  for (int model = 0; model < CF_NMODEL; model++) {
    size_t nbyte;
    char* bytes = cf_readTestFile(cf_model_names[model], &nbyte);
    mjModel* m = mj_loadModelBuffer(bytes, (int)nbyte);
    mjtSize position = (mjtSize)nbyte;
    for (int k = cfi_modelFields.count - 1; k >= 0; k--) {
      const cfFieldInfo* field = cfi_modelFields.field + k;
      mjtSize size = 0;
      cfi_arrayBytes(field, m, NULL, &size);
      position -= size;
      mjtSize count = field->type == CF_TYPE_int ? size / 4 : 0;
      for (mjtSize e = 0; e < count && !isFree(field->name); e += 1 + count / 5) {
        const int bad[2] = {-1234567, 123456789};
        for (int j = 0; j < 2; j++) {
          int old;
          memcpy(&old, bytes + position + 4 * e, 4);
          memcpy(bytes + position + 4 * e, &bad[j], 4);
          cf_guardClear();
          mjModel* loaded = mj_loadModelBuffer(bytes, (int)nbyte);
          if (loaded) {
            CF_FAIL("%s: %s[%lld] = %d is accepted\n", cf_model_names[model], field->name,
                    (long long)e, bad[j]);
          }
          CF_EQ_INT(cf_warning_count, 1);
          CF_HAS_STR(cf_warning_text, "Invalid model: ");
          memcpy(bytes + position + 4 * e, &old, 4);
        }
      }
    }
    mj_deleteModel(m);
    free(bytes);
  }
}


CF_TEST(mjb__bad_reference__message_names_array_index_and_range) {
  mjModel* m = cf_loadTestModel("rig");
  m->site_bodyid[1] = 77;
  int nbyte = (int)mj_sizeModel(m);
  char* bytes = malloc((size_t)nbyte);
  mj_saveModel(m, NULL, bytes, nbyte);
  cf_guardClear();
  CF_TRUE(mj_loadModelBuffer(bytes, nbyte) == NULL);
  CF_EQ_STR(cf_warning_text,
            "Invalid model: site_bodyid[1] out of bounds: it is 77, expected 0 to 7");
  mj_deleteModel(m);
  free(bytes);
}


// fewer than no iterations are none: such a model is loaded and steps
CF_TEST(mjb__negative_iterations__as_none) {
  for (int solver = mjSOL_PGS; solver <= mjSOL_NEWTON; solver++) {
    for (int flags = 0; flags <= mjDSBL_NATIVECCD; flags += mjDSBL_NATIVECCD) {
      mjModel* m = cf_loadTestModel("shapes");
      m->opt.solver = solver;
      m->opt.disableflags |= flags;
      m->opt.iterations = m->opt.ls_iterations = m->opt.noslip_iterations = -1;
      m->opt.ccd_iterations = m->opt.sdf_iterations = m->opt.sdf_initpoints = -7;
      int nbyte = (int)mj_sizeModel(m);
      char* bytes = malloc((size_t)nbyte);
      mj_saveModel(m, NULL, bytes, nbyte);
      mjModel* again = mj_loadModelBuffer(bytes, nbyte);
      CF_TRUE(again != NULL);
      mjData* d = mj_makeData(again);
      mj_step(again, d);
      mj_step(again, d);
      CF_TRUE(d->time > 0);
      mj_deleteData(d);
      mj_deleteModel(again);
      mj_deleteModel(m);
      free(bytes);
    }
  }
}


CF_TEST(save__small_buffer__error) {
  mjModel* m = cf_loadTestModel("empty");
  char buffer[100];
  CF_RAISES(mj_saveModel(m, NULL, buffer, sizeof(buffer)), "outside model buffer");
  mj_deleteModel(m);
}


CF_TEST(save__no_room_on_disk__warning_and_old_file_stays) {
  mjModel* m = cf_loadTestModel("rig");
  cf_guardClear();
  mj_saveModel(m, "/no/such/folder/x.mjb", NULL, 0);
  CF_HAS_STR(cf_warning_text, "Could not write file");
  if (!access("/dev/full", W_OK)) {
    mj_saveModel(m, "/dev/full", NULL, 0);
    CF_HAS_STR(cf_warning_text, "No space left");
  }

  // a folder in the way: the partial file is gone, the folder stays
  char path[] = "/tmp/cf_dirXXXXXX", inner[100], listing[200];
  CF_TRUE(mkdtemp(path) != NULL);
  snprintf(inner, sizeof(inner), "%s/model.mjb", path);
  mkdir(inner, 0700);
  snprintf(listing, sizeof(listing), "%s/keep", inner);
  fclose(fopen(listing, "w"));
  cf_guardClear();
  mj_saveModel(m, inner, NULL, 0);
  CF_EQ_INT(cf_warning_count, 1);
  unlink(listing);
  CF_EQ_INT(rmdir(inner), 0);
  CF_EQ_INT(rmdir(path), 0);
  mj_deleteModel(m);
}


CF_TEST(newModel__sizes__zeroed_arrays_with_defaults) {
  mjModel sizes = {.nq = 7, .nv = 6, .nbody = 2, .njnt = 1, .nnames = 5, .nuser_body = 2};
  mjModel* m = cfi_newModel(&sizes);
  CF_TRUE(m != NULL);
  CF_EQ_INT(m->nnames_map, 2 * (2 + 1));
  CF_NEAR(m->opt.timestep, 0.002, 0);
  CF_NEAR(m->stat.extent, 2, 0);
  CF_EQ_INT(m->vis.global.offwidth, 640);
  CF_NEAR(m->body_user[3], 0, 0);
  CF_EQ_INT((uintptr_t)m->qpos0 % 64, 0);
  mj_deleteModel(m);
  cf_guardClear();
  sizes.nbody = 0;
  CF_TRUE(cfi_newModel(&sizes) == NULL);
  CF_HAS_STR(cf_warning_text, "nbody == 0");
  mj_deleteModel(NULL);
}

CF_TEST(mjb__flex_without_the_nodes_of_its_grid__refused) {
  mjModel* m = cf_loadTestModel("cloth");
  CF_TRUE(m->nflex > 0 && m->flex_interp[0] == 0 && m->flex_nodenum[0] != 8);
  m->flex_interp[0] = 1;
  const int nbyte = (int)mj_sizeModel(m);
  char* bytes = malloc((size_t)nbyte);
  mj_saveModel(m, NULL, bytes, nbyte);
  cf_guardClear();
  CF_TRUE(!mj_loadModelBuffer(bytes, nbyte));
  CF_HAS_STR(cf_warning_text, "flex_nodenum");
  free(bytes);
  mj_deleteModel(m);
}


CF_TEST_MAIN("model/mjb")
