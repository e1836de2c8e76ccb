// The same bits: over runs, forks, saved and loaded models, and numbers of threads.
#include "cf_test.h"
#include "cf_threads.h"

#include "scenes.h"

enum { STEPS = CF_SANITIZED ? 40 : 120, HALF = STEPS / 2 };


static uint64_t runScene(const mjModel* m, int nthread) {
  mjData* d = cf_startScene(m);
  mjThreadPool* pool = nthread ? mju_threadPoolCreate((size_t)nthread) : NULL;
  if (pool) {
    mju_bindThreadPool(d, pool);
    cf_keepThreads(d);
  }
  cf_stepScene(m, d, 0, STEPS);
  const uint64_t hash = cf_stateHash(m, d);
  mj_deleteData(d);
  if (pool) {
    mju_threadPoolDestroy(pool);
  }
  return hash;
}


static void expectHash(const char* scene, const char* what, uint64_t actual, uint64_t expected) {
  if (actual != expected) {
    CF_FAIL("%s, %s: hash %016llx, expected %016llx\n", scene, what, (unsigned long long)actual,
            (unsigned long long)expected);
  }
}


CF_TEST(stateHash__one_bit_changed__another_hash) {
  mjModel* m = cf_loadScene(cf_scenes + 0);
  mjData* d = cf_startScene(m);
  cf_stepScene(m, d, 0, 3);
  const uint64_t before = cf_stateHash(m, d);
  CF_TRUE(cf_stateHash(m, d) == before);
  mjtNum* const array[] = {&d->time, d->qpos, d->qvel, d->qacc};
  for (int k = 0; k < 4; k++) {
    const mjtNum value = *array[k];
    *array[k] = nextafter(value, 1e9);
    CF_TRUE(cf_stateHash(m, d) != before);
    *array[k] = value;
  }
  CF_TRUE(cf_stateHash(m, d) == before);
  mj_deleteData(d);
  mj_deleteModel(m);
}


CF_TEST(step__three_runs_of_every_scene__same_hash) {
  for (int k = 0; k < CF_NSCENE; k++) {
    uint64_t hash = 0;
    for (int run = 0; run < 3; run++) {
      mjModel* m = cf_loadScene(cf_scenes + k);
      const uint64_t now = runScene(m, 0);
      expectHash(cf_scenes[k].name, "again", now, run ? hash : now);
      hash = now;
      mj_deleteModel(m);
    }
  }
}


CF_TEST(step__data_reset_and_reused__same_hash) {
  for (int k = 0; k < CF_NSCENE; k++) {
    mjModel* m = cf_loadScene(cf_scenes + k);
    const uint64_t fresh = runScene(m, 0);
    mjData* d = cf_startScene(m);
    cf_stepScene(m, d, 0, HALF);
    mj_resetData(m, d);
    if (m->nkey) {
      mj_resetDataKeyframe(m, d, 0);
    }
    cf_stepScene(m, d, 0, STEPS);
    expectHash(cf_scenes[k].name, "after reset", cf_stateHash(m, d), fresh);
    mj_deleteData(d);
    mj_deleteModel(m);
  }
}


CF_TEST(copyData__fork_in_the_middle__both_end_alike) {
  for (int k = 0; k < CF_NSCENE; k++) {
    mjModel* m = cf_loadScene(cf_scenes + k);
    mjData* d = cf_startScene(m);
    cf_stepScene(m, d, 0, HALF);
    mjData* fork = mj_copyData(NULL, m, d);
    cf_stepScene(m, d, HALF, STEPS);
    cf_stepScene(m, fork, HALF, STEPS);
    expectHash(cf_scenes[k].name, "fork", cf_stateHash(m, fork), cf_stateHash(m, d));
    expectHash(cf_scenes[k].name, "whole run", cf_stateHash(m, d), runScene(m, 0));
    mj_deleteData(fork);
    mj_deleteData(d);
    mj_deleteModel(m);
  }
}


// model and state through memory, as a program that is ended and started again
static mjModel* saveAndLoad(const mjModel* m) {
  const int size = (int)mj_sizeModel(m);
  void* buffer = malloc((size_t)size);
  mj_saveModel(m, NULL, buffer, size);
  mjModel* loaded = mj_loadModelBuffer(buffer, size);
  free(buffer);
  CF_TRUE(loaded != NULL);
  return loaded;
}


CF_TEST(saveAndLoad__continued__same_hash) {
  for (int k = 0; k < CF_NSCENE; k++) {
    mjModel* m = cf_loadScene(cf_scenes + k);

    // which trees sleep is not part of a state vector
    if (m->opt.enableflags & mjENBL_SLEEP) {
      mj_deleteModel(m);
      continue;
    }
    mjData* d = cf_startScene(m);
    cf_stepScene(m, d, 0, HALF);
    mjtNum* state = malloc(sizeof(mjtNum) * (size_t)mj_stateSize(m, mjSTATE_INTEGRATION));
    mj_getState(m, d, state, mjSTATE_INTEGRATION);

    mjModel* loaded = saveAndLoad(m);
    mjData* later = mj_makeData(loaded);
    mj_setState(loaded, later, state, mjSTATE_INTEGRATION);
    cf_stepScene(loaded, later, HALF, STEPS);
    expectHash(cf_scenes[k].name, "loaded", cf_stateHash(loaded, later), runScene(m, 0));

    free(state);
    mj_deleteData(later);
    mj_deleteModel(loaded);
    mj_deleteData(d);
    mj_deleteModel(m);
  }
}


CF_TEST(islands__pools_of_1_2_3_8_threads__same_hash) {
  static const int threads[] = {1, 2, 3, 8};
  for (int k = 0; k < CF_NSCENE; k++) {
    mjModel* m = cf_loadScene(cf_scenes + k);
    const uint64_t alone = runScene(m, 0);
    for (int n = 0; n < 4; n++) {
      expectHash(cf_scenes[k].name, "threads", runScene(m, threads[n]), alone);
    }
    mj_deleteModel(m);
  }
}

CF_TEST_MAIN("determinism")
