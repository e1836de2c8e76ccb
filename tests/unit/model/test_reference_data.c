// mjData after make, reset and keyframe reset against the reference, array by array.
#include "cf_test.h"

#include <mujoco/mujoco.h>

#include "cf_twins.h"

static int differences;


// a forward pass is behind the data of models with sleep; otherwise nothing was computed
static void compareAll(const char* file, const char* when, cfTwins t) {
  const cfDifference worst = cf_worstTwin(t);
  if (worst.error > (t.m->opt.enableflags & mjENBL_SLEEP ? CF_TOLERANCE_STEP : 0)) {
    printf("%s: after %s, %s differs by %g\n", file, when, worst.field, worst.error);
    differences++;
  }
}


// our model writes the bytes that it was read from
static void compareBytes(cfTwins t) {
  const int size = (int)CF_REF(mj_sizeModel)(t.ref_m);
  char *theirs = malloc((size_t)size), *ours = malloc((size_t)size);
  CF_EQ_INT(mj_sizeModel(t.m), size);
  CF_REF(mj_saveModel)(t.ref_m, NULL, theirs, size);
  mj_saveModel(t.m, NULL, ours, size);
  CF_TRUE(!memcmp(theirs, ours, (size_t)size));
  free(theirs);
  free(ours);
}


static void compareModel(const char* file, int extra_enable) {
  mjModel* ref_model = cf_readReference(file);
  if (!ref_model) {
    return;
  }
  ref_model->opt.enableflags |= extra_enable;
  const cfTwins t = cf_makeTwins(ref_model);
  if (!t.m) {
    printf("%s: rejected\n", file);
    differences++;
    cf_freeTwins(t);
    return;
  }
  compareBytes(t);
  compareAll(file, "make", t);
  for (int key = -1; key <= t.m->nkey; key++) {
    mj_resetDataKeyframe(t.m, t.d, key);
    CF_REF(mj_resetDataKeyframe)(t.ref_m, t.ref_d, key);
    compareAll(file, "keyframe reset", t);
  }
  mj_resetDataDebug(t.m, t.d, 0x5A);
  CF_REF(mj_resetDataDebug)(t.ref_m, t.ref_d, 0x5A);
  compareAll(file, "debug reset", t);
  cf_freeTwins(t);
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
