// Which worlds of a batch are stepped together: those that had the same to do before.  A group
// takes the rows and iterations of its heaviest world, and constraints that all of its worlds have
// are made at once, so worlds side by side should be alike.

#include "base/assert.h"
#include "base/memory.h"
#include "base/sort.h"
#include "batch/batch.h"
#include "lanes/lanes.h"


int cfi_batchMakeOrder(cfBatch* batch) {
  const int n = batch->nworld;
  batch->place = cfi_tryMalloc(sizeof(cfBatchPlace) * (size_t)n);
  if (!batch->place) {
    return cfi_batchFail(batch, "no memory for the order of %d worlds", n);
  }
  for (int k = 0; k < n; k++) {
    batch->place[k] = (cfBatchPlace){.world = k};
  }
  return 1;
}


// geoms of all contacts in their order, as a number of 24 bits
static uint64_t contactPattern(const mjData* d) {
  uint64_t hash = 14695981039346656037ull;
  for (int k = 0; k < d->ncon; k++) {
    const int* geom = d->contact[k].geom;
    hash = (hash ^ ((uint64_t)(unsigned)geom[0] << 32 | (unsigned)geom[1])) * 1099511628211ull;
  }
  return hash >> 40;
}


// iterations of all islands
static int countIterations(const mjData* d) {
  const int n = d->nisland < 1 ? 1 : d->nisland < mjNISLAND ? d->nisland : mjNISLAND;
  int sum = 0;
  for (int k = 0; k < n; k++) {
    sum += d->solver_niter[k];
  }
  return sum;
}


void cfi_batchWeigh(cfBatchPlace* place, const mjData* d) {
  enum { MOST_ITERATIONS = 255 };
  const int niter = countIterations(d);
  CF_ASSERT(d->nefc >= 0 && niter >= 0);
  place->kind = (uint64_t)d->nefc << 32 | contactPattern(d) << 8 |
                (uint64_t)(niter < MOST_ITERATIONS ? niter : MOST_ITERATIONS);
}


// by rows, contacts and iterations; of worlds that are alike the one with the lower number first,
// so that the order does not depend on the one before
static int comparePlaces(const void* a, const void* b) {
  const cfBatchPlace *x = a, *y = b;
  if (x->kind != y->kind) {
    return x->kind < y->kind ? -1 : 1;
  }
  return (x->world > y->world) - (x->world < y->world);
}


// worlds that take no part in the call come last
void cfi_batchOrder(cfBatch* batch) {
  const uint64_t rests = (uint64_t)1 << 63;
  batch->nplace = 0;
  for (int k = 0; k < batch->nworld; k++) {
    cfBatchPlace* place = batch->place + k;
    const bool is_chosen =
        (!batch->mask || batch->mask[place->world]) && !batch->status[place->world].is_frozen;
    place->kind = is_chosen ? place->kind & ~rests : place->kind | rests;
    batch->nplace += is_chosen;
  }
  cfi_sort(batch->place, (size_t)batch->nworld, sizeof(cfBatchPlace), comparePlaces);
}
