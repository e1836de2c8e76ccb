// Bodies dealt to the threads of a pool: runs that hang together at the world alone, so that every
// stage that works tree by tree can be shared, and a tree stays with one thread.
#ifndef CF_MODEL_DEAL_H
#define CF_MODEL_DEAL_H

#include <stdbool.h>

#include <mujoco/mjdata.h>
#include <mujoco/mjmodel.h>

#include "base/likely.h"
#include "base/threads.h"
#include "model/indexset.h"

// several runs for each thread, so that who is done early finds something to take over
enum { CF_DEAL_THREADS = 16, CF_DEAL_RUNS = 8, CF_RUNS_MAX = CF_DEAL_THREADS * CF_DEAL_RUNS };

// which runs there are follows from the model and the number of threads alone
typedef struct {
  int nthread, nrun;
  int body[CF_RUNS_MAX + 1];       // where each run begins
  int first[CF_DEAL_THREADS + 1];  // the first run of each thread
} cfDeal;

// false where nothing is to be shared: few bodies, one tree, or trees that may sleep; or no pool
bool cfi_dealToPool(cfDeal* deal, const mjModel* m, const mjData* d);

static inline bool cfi_dealBodies(cfDeal* deal, const mjModel* m, const mjData* d) {
  return CF_SELDOM(d->threadpool) && cfi_dealToPool(deal, m, d);
}

// run of a body, which is not the world
int cfi_runOf(const cfDeal* deal, int body);

static inline cfIndexSet cfi_runBodies(const cfDeal* deal, int run) {
  return (cfIndexSet){NULL, deal->body[run + 1] - deal->body[run], deal->body[run]};
}

// dofs, and joints, of the bodies of a run
cfIndexSet cfi_runDofs(const mjModel* m, cfIndexSet bodies);
cfIndexSet cfi_runJoints(const mjModel* m, cfIndexSet bodies);
int cfi_endJoint(const mjModel* m, cfIndexSet bodies);

// do jobs 0 to nrun - 1 on the threads they are dealt to
static inline void cfi_forRuns(const cfDeal* deal, const mjData* d, cfLoopJob job, void* context) {
  cfi_poolDeal((mjThreadPool*)d->threadpool, deal->nthread, deal->first, job, context);
}

#endif  // CF_MODEL_DEAL_H
