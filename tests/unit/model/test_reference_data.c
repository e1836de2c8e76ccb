// mjData after make, reset and keyframe reset against the reference, array by array.
#include "cf_test.h"

#include <mujoco/mujoco.h>

#include "cf_reference.h"
#include "tables/fields.h"

#pragma GCC diagnostic ignored "-Wpedantic"

static int differences;


// scalars that both libraries must agree on
static void compareScalars(const char* file, const char* when, const mjModel* m, const mjData* d,
                           const mjData* ref) {
  for (int k = 0; k < cfi_dataScalars.count; k++) {
    const cfFieldInfo* field = cfi_dataScalars.field + k;
    const char* name = field->name;

    // addresses, high-water marks that depend on how much scratch a stage takes, iterations of the
    // solver behind trees that start asleep, and the compilation signature, which a binary file
    // does not carry
    if (!strcmp(name, "pbase") || !strcmp(name, "threadpool") || !strcmp(name, "buffer") ||
        !strcmp(name, "arena") || !strncmp(name, "maxuse", 6) || !strcmp(name, "timer") ||
        !strcmp(name, "parena") || !strncmp(name, "solver", 6) || !strcmp(name, "signature")) {
      continue;
    }

    // behind a forward pass, feet that touch the floor at a distance of zero are contacts or not by
    // rounding
    if (!strcmp(name, "ncon") && (m->opt.enableflags & mjENBL_SLEEP)) {
      continue;
    }
    size_t bytes = field->size * (size_t)cfi_fieldCount(field, NULL, NULL);
    if (memcmp((const char*)d + field->offset, (const char*)ref + field->offset, bytes)) {
      printf("%s: after %s, %s differs\n", file, when, name);
      differences++;
    }
  }
}


// largest difference of two arrays of numbers, infinite for NaN in one of them
static double worst(const mjtNum* a, const mjtNum* b, mjtSize count) {
  double most = 0;
  for (mjtSize k = 0; k < count; k++) {
    double error = fabs(a[k] - b[k]) / (1 + fabs(b[k]));
    most = error > most || isnan(error) ? (isnan(error) ? INFINITY : error) : most;
  }
  return most;
}


static void compareArrays(const char* file, const char* when, const mjModel* m, const mjData* d,
                          const mjData* ref) {
  // a forward pass is behind the data of models with sleep
  double tolerance = m->opt.enableflags & mjENBL_SLEEP ? 1e-8 : 0;
  for (int k = 0; k < cfi_dataFields.count; k++) {
    const cfFieldInfo* field = cfi_dataFields.field + k;
    const void *ours = cfi_fieldElements(field, d), *theirs = cfi_fieldElements(field, ref);
    if (cfi_fieldInArena(field)) {
      continue;
    }
    if (!strcmp(field->name, "plugin_data")) {
      continue;
    }
    mjtSize count = cfi_fieldCount(field, m, d);
    int differs = field->type == CF_TYPE_mjtNum
                      ? worst(ours, theirs, count) > tolerance
                      : count && memcmp(ours, theirs, field->size * (size_t)count);
    if (differs) {
      printf("%s: after %s, %s differs\n", file, when, field->name);
      differences++;
    }
  }
}


static void compareAll(const char* file, const char* when, const mjModel* m, const mjData* d,
                       const mjData* ref) {
  CF_EQ_INT(d->nbuffer, ref->nbuffer);
  CF_EQ_INT(d->narena, ref->narena);
  compareScalars(file, when, m, d, ref);
  compareArrays(file, when, m, d, ref);
}


// our model from the reference's bytes
static mjModel* handOver(const mjModel* ref_model) {
  int nbyte = (int)CF_REF(mj_sizeModel)(ref_model);
  char* bytes = malloc((size_t)nbyte);
  CF_REF(mj_saveModel)(ref_model, NULL, bytes, nbyte);
  mjModel* m = mj_loadModelBuffer(bytes, nbyte);

  // and back, byte for byte
  if (m) {
    char* again = malloc((size_t)nbyte);
    CF_EQ_INT(mj_sizeModel(m), nbyte);
    mj_saveModel(m, NULL, again, nbyte);
    CF_TRUE(!memcmp(bytes, again, (size_t)nbyte));
    free(again);
  }
  free(bytes);
  return m;
}


static void compareModel(const char* file, int extra_enable) {
  char error[500];
  mjModel* ref_model = CF_REF(mj_loadXML)(file, NULL, error, sizeof(error));
  if (!ref_model) {
    return;
  }
  ref_model->opt.enableflags |= extra_enable;
  mjModel* m = handOver(ref_model);
  if (!m) {
    printf("%s: rejected\n", file);
    differences++;
    CF_REF(mj_deleteModel)(ref_model);
    return;
  }
  mjData *d = mj_makeData(m), *ref = CF_REF(mj_makeData)(ref_model);
  compareAll(file, "make", m, d, ref);
  for (int key = -1; key <= m->nkey; key++) {
    mj_resetDataKeyframe(m, d, key);
    CF_REF(mj_resetDataKeyframe)(ref_model, ref, key);
    compareAll(file, "keyframe reset", m, d, ref);
  }
  mj_resetDataDebug(m, d, 0x5A);
  CF_REF(mj_resetDataDebug)(ref_model, ref, 0x5A);
  compareAll(file, "debug reset", m, d, ref);
  mj_deleteData(d);
  mj_deleteModel(m);
  CF_REF(mj_deleteData)(ref);
  CF_REF(mj_deleteModel)(ref_model);
}


// every model of the shared folder's list
static int compareCorpus(int extra_enable) {
  CF_NEED_REFERENCE();
  CF_NEED_SHARED();
  const char* shared = cf_sharedFolder();
  char path[2000], line[1000];
  snprintf(path, sizeof(path), "%s/models/MANIFEST.csv", shared);
  FILE* list = fopen(path, "r");
  CF_TRUE(list != NULL);
  const char* only = getenv("CF_ONLY");
  int count = 0;
  while (fgets(line, sizeof(line), list)) {
    char* comma = strchr(line, ',');
    if (!comma || strncmp(comma, ",ok", 3)) {
      continue;
    }
    *comma = 0;
    snprintf(path, sizeof(path), "%s/models/%s", shared, line);
    if (!only || strstr(path, only)) {
      compareModel(path, extra_enable);
      count++;
    }
  }
  fclose(list);
  return count;
}


CF_TEST(data__made_and_reset__equals_reference) {
  differences = 0;
  int count = compareCorpus(0);
  printf("%d models compared\n", count);
  CF_TRUE(count > 100);
  CF_EQ_INT(differences, 0);
}


// the same with the sleep flag set on every model
CF_TEST(data__made_with_sleep__equals_reference) {
  differences = 0;
  CF_TRUE(compareCorpus(mjENBL_SLEEP) > 100);
  CF_EQ_INT(differences, 0);
}


CF_TEST_MAIN("model/reference_data")
