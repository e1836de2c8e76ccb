// Threads that share a model, and threads that load models of their own: the same bits as one
// thread.  Run under ThreadSanitizer too.
#include <pthread.h>

#include "cf_test.h"

#include "scenes.h"

enum { STEPS = 60, NTHREAD = 4 };

// what a thread does: simulate a scene, with the model given or loaded by itself
typedef struct {
  const cfDeterministic* scene;
  const mjModel* m;
  uint64_t hash;
} cfSimulation;


static void* simulate(void* argument) {
  cfSimulation* job = argument;
  mjModel* own = job->m ? NULL : cf_loadScene(job->scene);
  const mjModel* m = job->m ? job->m : own;
  mjData* d = cf_startScene(m);
  cf_stepScene(m, d, 0, STEPS);
  job->hash = cf_stateHash(m, d);
  mj_deleteData(d);
  mj_deleteModel(own);
  return NULL;
}


// all jobs at once
static void simulateTogether(cfSimulation* job, int count) {
  pthread_t thread[NTHREAD];
  CF_TRUE(count <= NTHREAD);
  for (int k = 0; k < count; k++) {
    CF_EQ_INT(pthread_create(thread + k, NULL, simulate, job + k), 0);
  }
  for (int k = 0; k < count; k++) {
    CF_EQ_INT(pthread_join(thread[k], NULL), 0);
  }
}


static void expectAlike(const cfSimulation* job, int count, uint64_t hash) {
  for (int k = 0; k < count; k++) {
    if (job[k].hash != hash) {
      CF_FAIL("%s, thread %d: hash %016llx, expected %016llx\n", job[k].scene->name, k,
              (unsigned long long)job[k].hash, (unsigned long long)hash);
    }
  }
}


CF_TEST(step__one_model_in_four_threads__bits_of_one_thread) {
  for (int k = 0; k < CF_NSCENE; k++) {
    mjModel* m = cf_loadScene(cf_scenes + k);
    cfSimulation alone = {cf_scenes + k, m, 0}, job[NTHREAD];
    simulate(&alone);
    for (int t = 0; t < NTHREAD; t++) {
      job[t] = (cfSimulation){cf_scenes + k, m, 0};
    }
    simulateTogether(job, NTHREAD);
    expectAlike(job, NTHREAD, alone.hash);
    mj_deleteModel(m);
  }
}


CF_TEST(loadXML__four_threads_at_once__bits_of_one_thread) {
  for (int k = 0; k < CF_NSCENE; k++) {
    cfSimulation alone = {cf_scenes + k, NULL, 0}, job[NTHREAD];
    simulate(&alone);
    for (int t = 0; t < NTHREAD; t++) {
      job[t] = (cfSimulation){cf_scenes + k, NULL, 0};
    }
    simulateTogether(job, NTHREAD);
    expectAlike(job, NTHREAD, alone.hash);
  }
}

CF_TEST_MAIN("determinism/parallel")
