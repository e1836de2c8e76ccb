// Constraint rows written by several threads: each writes those of the trees that are dealt to it.
//
// Sparse rows are as many as were planned, so that each block knows its place beforehand.  A
// contact goes to the thread of its first body that moves.  What couples trees otherwise, and what
// asks who came first, is written by the caller before.
#include <mujoco/mujoco.h>

#include "base/arena.h"
#include "base/assert.h"
#include "constraint/rows.h"
#include "model/deal.h"

// fewer blocks are written before another thread has noticed
enum { WORTH_SHARING_ROWS = 64 };

typedef struct {
  cfRowPlan* plan;
  const cfDeal* deal;
  const int* order;            // blocks by run
  int first[CF_RUNS_MAX + 1];  // in order: where the blocks of a run begin
} sharedBlocks;


// the body that says who writes a block, 0 if the caller does
static int leadingBody(const mjModel* m, const mjData* d, const cfRowBlock* block) {
  switch (block->type) {
    case mjCNSTR_FRICTION_DOF:
      return m->dof_bodyid[block->id];
    case mjCNSTR_LIMIT_JOINT:
      return m->jnt_bodyid[block->id];
    case mjCNSTR_CONTACT_FRICTIONLESS:
    case mjCNSTR_CONTACT_PYRAMIDAL:
    case mjCNSTR_CONTACT_ELLIPTIC: {
      const int* geom = d->contact[block->id].geom;
      if (geom[0] < 0 || geom[1] < 0) {
        return 0;
      }
      const int body = m->geom_bodyid[geom[0]];
      return m->body_treeid[body] >= 0 ? body : m->geom_bodyid[geom[1]];
    }
    default:
      return 0;
  }
}


// rows and numbers of every block, in their order
static void placeBlocks(cfRowPlan* plan) {
  mjData* d = plan->d;
  d->nefc = 0;
  int adr = 0;
  for (int k = 0; k < plan->nblock; k++) {
    cfRowBlock* block = plan->block + k;
    block->row = d->nefc;
    block->adr = adr;
    cfi_countRows(d, block->type, block->nrow);
    adr += block->nrow * block->nnz;
  }
  CF_ASSERT(adr == d->nJ);
  plan->is_placed = true;
}


// blocks of each run one behind the other; those without are behind all others.  run: scratch
static int orderBlocks(sharedBlocks* shared, int* run, int* order) {
  const cfRowPlan* plan = shared->plan;
  const int nrun = shared->deal->nrun;
  int next[CF_RUNS_MAX + 1] = {0};
  for (int k = 0; k < plan->nblock; k++) {
    const int body = leadingBody(plan->m, plan->d, plan->block + k);
    run[k] = body ? cfi_runOf(shared->deal, body) : nrun;
    next[run[k]]++;
  }
  int sum = 0;
  for (int r = 0; r <= nrun; r++) {
    const int count = next[r];
    shared->first[r] = next[r] = sum;
    sum += count;
  }
  for (int k = 0; k < plan->nblock; k++) {
    order[next[run[k]]++] = k;
  }
  shared->order = order;
  return shared->first[nrun];
}


static void writeBlock(cfRowPlan* plan, cfRowBlock* block) {
  cfi_fillBlock(plan, block);
  cfi_weighBlock(plan->m, plan->d, block);
}


// scratch of a thread: dofs and moves of two bodies
static size_t chainBytes(const mjModel* m) {
  return 2 * sizeof(int) * (size_t)m->nv;
}


static void writeRun(void* context, int run) {
  const sharedBlocks* shared = context;
  cfRowPlan own = *shared->plan;
  mj_markStack(own.d);
  int* index = mj_stackAllocByte(own.d, chainBytes(own.m), sizeof(int));
  own.chain = cfi_makePairChain(index, index + own.m->nv);
  for (int k = shared->first[run]; k < shared->first[run + 1]; k++) {
    cfRowBlock* block = own.block + shared->order[k];
    writeBlock(&own, block);

    // while the columns of both are at hand
    if (k > shared->first[run] && shared->order[k - 1] == shared->order[k] - 1) {
      block[-1].alike = cfi_nextIsAlike(own.d, block - 1);
    }
  }
  mj_freeStack(own.d);
}


bool cfi_shareRows(cfRowPlan* plan) {
  const mjModel* m = plan->m;
  mjData* d = plan->d;
  cfDeal deal;
  const size_t lists = 2 * sizeof(int) * (size_t)plan->nblock;
  if (!plan->is_sparse || plan->nblock < WORTH_SHARING_ROWS || !cfi_dealBodies(&deal, m, d) ||
      !cfi_stackFits(d, lists + chainBytes(m) + 256, sizeof(int))) {
    return false;
  }
  int* list = mj_stackAllocByte(d, lists, sizeof(int));
  sharedBlocks shared = {.plan = plan, .deal = &deal};
  placeBlocks(plan);
  for (int k = orderBlocks(&shared, list, list + plan->nblock); k < plan->nblock; k++) {
    writeBlock(plan, plan->block + shared.order[k]);
  }
  cfi_forRuns(&deal, d, writeRun, &shared);
  return true;
}
