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


// ---------------------------------------- soft bodies with models of ours

static const char soft_text[] =
    "<mujoco><option timestep='.002'/><worldbody><geom type='plane' size='1 1 .1'/>"
    "<flexcomp name='a' type='grid' dim='2' count='4 4 1' spacing='.1 .1 .1' pos='0 0 .1'"
    " mass='.5' radius='.01' bending_model='bridson' elasticity_model='neo_hookean'"
    " implicit_stiffness='true'><elasticity young='1e7' poisson='.3' thickness='.01'"
    " elastic2d='both'/><contact selfcollide='none' internal='false'/></flexcomp>"
    "<flexcomp name='b' type='grid' dim='3' count='3 3 3' spacing='.1 .1 .1' pos='1 0 .12'"
    " mass='1' radius='.01' elasticity_model='stable_neo_hookean'>"
    "<elasticity young='1e4' poisson='.3' damping='.001'/>"
    "<contact selfcollide='none' internal='false'/></flexcomp></worldbody></mujoco>";


typedef struct {
  const mjModel* m;
  uint64_t hash;
} softRun;


static void* runSoft(void* argument) {
  softRun* run = argument;
  mjData* d = mj_makeData(run->m);
  for (int k = 0; k < STEPS; k++) {
    mj_step(run->m, d);
  }
  CF_TRUE(d->ncon > 0);
  run->hash = cf_stateHash(run->m, d);
  mj_deleteData(d);
  return NULL;
}


CF_TEST(step__soft_bodies_with_models_of_ours_in_two_threads__bits_of_one_thread) {
  char error[500] = "";
  mjSpec* spec = mj_parseXMLString(soft_text, NULL, error, sizeof(error));
  mjModel* m = spec ? mj_compile(spec, NULL) : NULL;
  if (!m) {
    CF_FAIL("%s %s\n", error, spec ? mjs_getError(spec) : "");
  }
  softRun alone = {m, 0}, both[2] = {{m, 0}, {m, 0}};
  pthread_t thread[2];
  runSoft(&alone);
  for (int k = 0; k < 2; k++) {
    CF_EQ_INT(pthread_create(thread + k, NULL, runSoft, both + k), 0);
  }
  for (int k = 0; k < 2; k++) {
    CF_EQ_INT(pthread_join(thread[k], NULL), 0);
    CF_TRUE(both[k].hash == alone.hash);
  }
  mj_deleteModel(m);
  mj_deleteSpec(spec);
}


CF_TEST_MAIN("determinism/parallel")
