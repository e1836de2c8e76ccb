#include "model/deal.h"

#include "base/assert.h"
#include "model/flags.h"

// below this many dofs or bodies a round is done before another thread has noticed
enum { WORTH_DEALING = 64 };


static int dealThreads(const mjModel* m, const mjData* d) {
  if (m->nv < WORTH_DEALING || m->nbody < WORTH_DEALING || m->ntree < 2 ||
      cfi_enabled(m, mjENBL_SLEEP)) {
    return 1;
  }
  const int size = (int)cfi_poolSize((mjThreadPool*)d->threadpool);
  return size < CF_DEAL_THREADS ? size : CF_DEAL_THREADS;
}


// runs of about as many bodies, each beginning with a child of the world
bool cfi_dealToPool(cfDeal* deal, const mjModel* m, const mjData* d) {
  const int nthread = dealThreads(m, d), nrun = nthread * CF_DEAL_RUNS;
  if (nthread < 2) {
    return false;
  }
  const int nbody = (int)m->nbody;
  int nfull = 0;
  deal->nthread = nthread;
  deal->nrun = nrun;
  deal->body[0] = 1;
  for (int k = 1; k <= nrun; k++) {
    const int aim = 1 + (int)((int64_t)(nbody - 1) * k / nrun);
    deal->body[k] = k < nrun ? m->body_rootid[aim] : nbody;
    CF_ASSERT(deal->body[k] >= deal->body[k - 1]);
    nfull += deal->body[k] > deal->body[k - 1];
  }
  for (int t = 0; t <= nthread; t++) {
    deal->first[t] = t * CF_DEAL_RUNS;
  }
  return nfull > 1;
}


int cfi_runOf(const cfDeal* deal, int body) {
  CF_ASSERT(body > 0 && body < deal->body[deal->nrun]);
  int run = 0;
  while (body >= deal->body[run + 1]) {
    run++;
  }
  return run;
}


// the first dof of a body or of those after it
static int nextDof(const mjModel* m, int body) {
  for (; body < m->nbody; body++) {
    if (m->body_dofnum[body]) {
      return m->body_dofadr[body];
    }
  }
  return (int)m->nv;
}


cfIndexSet cfi_runDofs(const mjModel* m, cfIndexSet bodies) {
  const int first = nextDof(m, bodies.first), end = nextDof(m, bodies.first + bodies.count);
  CF_ASSERT(first <= end && end <= m->nv);
  return (cfIndexSet){NULL, end - first, first};
}


int cfi_endJoint(const mjModel* m, cfIndexSet bodies) {
  for (int body = bodies.first + bodies.count; body < m->nbody; body++) {
    if (m->body_jntnum[body]) {
      return m->body_jntadr[body];
    }
  }
  return (int)m->njnt;
}


cfIndexSet cfi_runJoints(const mjModel* m, cfIndexSet bodies) {
  const int first = cfi_endJoint(m, (cfIndexSet){NULL, 0, bodies.first});
  const int end = cfi_endJoint(m, bodies);
  CF_ASSERT(first <= end && end <= m->njnt);
  return (cfIndexSet){NULL, end - first, first};
}
