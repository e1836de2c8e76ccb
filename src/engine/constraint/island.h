// Islands: sets of trees that constraints couple, and the numbering of dofs and rows by island.
#ifndef CF_CONSTRAINT_ISLAND_H
#define CF_CONSTRAINT_ISLAND_H

#include <stdbool.h>

#include <mujoco/mjdata.h>
#include <mujoco/mjmodel.h>

#include "base/likely.h"
#include "model/deal.h"

// one island that holds every dof: its numbering is that of the model, and its copies of the rows
// are the rows themselves
static inline bool cfi_isWholeIsland(const mjModel* m, const mjData* d) {
  return d->nisland == 1 && d->nidof == m->nv;
}

// island of each tree (-1: unconstrained) numbered by first tree, and a tree of each row
int cfi_labelTrees(const mjModel* m, mjData* d, int* tree_island, int* row_tree);

// copy inertia and rows of all islands into island order.  With jar, and where threads do it, they
// go on to the reference and to cfi_residualsOfIsland: true if they did
bool cfi_copyIslands(const mjModel* m, mjData* d, mjtNum* jar);

// mj_island with the same
bool cfi_islandAhead(const mjModel* m, mjData* d, mjtNum* jar);

// islands dealt to threads, each to that of its first tree: those from first[k] to first[k+1] - 1
// to thread k.  nthread is 0, and nothing dealt, where there is no pool or too little to do
typedef struct {
  int nthread;
  int first[CF_DEAL_THREADS + 1];
} cfIslandDeal;

// would it pay to have islands solved by several threads?
bool cfi_islandsWorthThreads(const mjData* d);

void cfi_dealIslandsToPool(cfIslandDeal* dealt, const mjModel* m, const mjData* d);

static inline void cfi_dealIslands(cfIslandDeal* dealt, const mjModel* m, const mjData* d) {
  dealt->nthread = 0;
  if (CF_SELDOM(d->threadpool) && d->nisland > 1) {
    cfi_dealIslandsToPool(dealt, m, d);
  }
}

// res(rows of the island) = J*vec, sparse rows; the bits of the product with all rows
void cfi_mulIslandRows(const mjModel* m, const mjData* d, int island, mjtNum* res,
                       const mjtNum* vec);

// mj_referenceConstraint of an island
void cfi_referenceOfIsland(const mjModel* m, mjData* d, int island);

// residuals of the rows of an island: efc_b at qacc_smooth, and jar at qacc_warmstart unless it is
// NULL
void cfi_residualsOfIsland(const mjModel* m, mjData* d, int island, mjtNum* jar);

// mj_referenceConstraint on the threads that have the islands; false, and nothing done, where they
// are not dealt
bool cfi_shareReference(const mjModel* m, mjData* d);

#endif  // CF_CONSTRAINT_ISLAND_H
