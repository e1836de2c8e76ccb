// Islands on the threads of a pool: each stays with the thread of its first tree.
#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "constraint/island.h"
#include "constraint/product.h"

// rows times dofs of all islands: below this the threads of a pool are not worth waking, some 30
// microseconds of one
enum { WORTH_THREADS = 4000 };


bool cfi_islandsWorthThreads(const mjData* d) {
  mjtSize work = 0;
  for (int island = 0; island < d->nisland; island++) {
    work += (mjtSize)d->island_nefc[island] * d->island_nv[island];
  }
  return work >= WORTH_THREADS;
}


// islands are numbered by their first trees, so those of a thread follow each other
void cfi_dealIslandsToPool(cfIslandDeal* dealt, const mjModel* m, const mjData* d) {
  cfDeal deal;
  if (!mj_isSparse(m) || !cfi_islandsWorthThreads(d) || !cfi_dealBodies(&deal, m, d)) {
    return;
  }
  dealt->nthread = deal.nthread;
  int thread = 0;
  dealt->first[0] = 0;
  for (int island = 0; island < d->nisland; island++) {
    const int tree = d->map_itree2tree[d->island_itreeadr[island]];
    const int owner = cfi_runOf(&deal, m->tree_bodyadr[tree]) / CF_DEAL_RUNS;
    CF_ASSERT(owner >= thread && owner < deal.nthread);
    while (thread < owner) {
      dealt->first[++thread] = island;
    }
  }
  while (thread < deal.nthread) {
    dealt->first[++thread] = d->nisland;
  }
}


// rows of an island that follow each other in efc_ are taken together: rows with equal columns are
// always among them
void cfi_mulIslandRows(const mjModel* m, const mjData* d, int island, mjtNum* res,
                       const mjtNum* vec) {
  const cfJacobian J = cfi_jacobian(m, d);
  CF_ASSERT(J.colind);
  const int *row = d->map_iefc2efc + d->island_iefcadr[island], n = d->island_nefc[island];
  for (int k = 0, end; k < n; k = end) {
    const int first = row[k];
    end = k + 1;
    while (end < n && row[end] == row[end - 1] + 1) {
      end++;
    }
    const cfJacobian part = {
        J.val, end - k, J.ncol, J.rownnz + first, J.rowadr + first, J.colind, J.rowsuper + first};
    cfi_mulJacobian(res + first, &part, vec);
  }
}


void cfi_referenceOfIsland(const mjModel* m, mjData* d, int island) {
  cfi_mulIslandRows(m, d, island, d->efc_vel, d->qvel);
  const int* row = d->map_iefc2efc + d->island_iefcadr[island];
  for (int k = 0; k < d->island_nefc[island]; k++) {
    cfi_setReference(d, row[k]);
  }
}


void cfi_residualsOfIsland(const mjModel* m, mjData* d, int island, mjtNum* jar) {
  const int *row = d->map_iefc2efc + d->island_iefcadr[island], n = d->island_nefc[island];
  cfi_mulIslandRows(m, d, island, d->efc_b, d->qacc_smooth);
  for (int k = 0; k < n; k++) {
    d->efc_b[row[k]] -= d->efc_aref[row[k]];
  }
  if (jar) {
    cfi_mulIslandRows(m, d, island, jar, d->qacc_warmstart);
    for (int k = 0; k < n; k++) {
      jar[row[k]] -= d->efc_aref[row[k]];
    }
  }
}


typedef struct {
  const mjModel* m;
  mjData* d;
} islandCall;


static void referenceOfIsland(void* context, int island) {
  const islandCall* call = context;
  cfi_referenceOfIsland(call->m, call->d, island);
}


bool cfi_shareReference(const mjModel* m, mjData* d) {
  cfIslandDeal deal;
  cfi_dealIslands(&deal, m, d);
  if (deal.nthread) {
    islandCall call = {m, d};
    cfi_poolDeal((mjThreadPool*)d->threadpool, deal.nthread, deal.first, referenceOfIsland, &call);
  }
  return deal.nthread > 0;
}
