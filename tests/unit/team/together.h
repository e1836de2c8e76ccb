// A team of threads of the CPU beside the engine.  A test defines CF_TEAM_WIDTH and what else its
// stages are compiled with, and includes this.
#define CF_TEAM_THREADS
#include "team/stages.h"

#include "team/plan.h"

#include "twin.h"

static const cfTeamTier wide = CF_TEAM_TIER;

typedef struct {
  teamTwin* twin;
  int thread;
} member;


static void* takeStep(void* argument) {
  const member* one = argument;
  const cfTeam t = {.m = one->twin->plan, .world = one->twin->world, .thread = one->thread};
  stepWorld(&t, true, true);
  return NULL;
}


static void stepTogether(teamTwin* twin) {
  pthread_t thread[CF_TEAM_WIDTH];
  member list[CF_TEAM_WIDTH];
  for (int k = 0; k < CF_TEAM_WIDTH; k++) {
    list[k] = (member){twin, k};
    CF_EQ_INT(pthread_create(thread + k, NULL, takeStep, list + k), 0);
  }
  for (int k = 0; k < CF_TEAM_WIDTH; k++) {
    pthread_join(thread[k], NULL);
  }
}


// one step from each of several states
static void compareSteps(const char* name, int states, mjtNum tolerance) {
  char path[500], error[500] = "";
  snprintf(path, sizeof(path), CF_SOURCE_DIR "/models/%s.xml", name);
  mjModel* m = mj_loadXML(path, NULL, error, sizeof(error));
  if (!m) {
    CF_FAIL("%s: %s\n", name, error);
  }
  cfTeamExchange exchange = {.nhere = 0};
  team_exchange = &exchange;
  cfi_mutexInit(&exchange.mutex);
  cfi_conditionInit(&exchange.all_here);
  teamTwin twin = openTeamTwin(m, &wide, 40, 150, NULL);
#ifdef CF_TEAM_LEAN
  CF_TRUE(twin.shape.is_lean);
#endif
  mjData* d = mj_makeData(m);
  int rows = 0;
  for (int k = 0; k < states; k++) {
    for (int u = 0; u < m->nu; u++) {
      d->ctrl[u] = sin(0.7 * k * (u + 1));
    }
    for (int step = 0; step < 20; step++) {
      mj_step(m, d);
    }
    loadTwin(&twin, d);
    mj_step(m, d);
    stepTogether(&twin);
    rows += d->nefc;
    CF_TRUE(differenceInTwin(&twin, "qpos", d->qpos, (int)m->nq) < tolerance);
    CF_TRUE(differenceInTwin(&twin, "qvel", d->qvel, (int)m->nv) < tolerance);
  }
  CF_TRUE(rows > 0);
  cfi_conditionDestroy(&exchange.all_here);
  cfi_mutexDestroy(&exchange.mutex);
  mj_deleteData(d);
  closeTeamTwin(&twin);
  mj_deleteModel(m);
}
