// Islands: sets of trees that constraints couple, and the numbering of dofs and rows by island.
#ifndef CF_CONSTRAINT_ISLAND_H
#define CF_CONSTRAINT_ISLAND_H

#include <stdbool.h>

#include <mujoco/mjdata.h>
#include <mujoco/mjmodel.h>

// one island that holds every dof: its numbering is that of the model, and its copies of the rows
// are the rows themselves
static inline bool cfi_isWholeIsland(const mjModel* m, const mjData* d) {
  return d->nisland == 1 && d->nidof == m->nv;
}

// island of each tree (-1: unconstrained) numbered by first tree, and a tree of each row
int cfi_labelTrees(const mjModel* m, mjData* d, int* tree_island, int* row_tree);

// copy inertia and rows into island order
void cfi_copyIslandInertia(const mjModel* m, mjData* d);
void cfi_copyIslandRows(const mjModel* m, mjData* d);

#endif  // CF_CONSTRAINT_ISLAND_H
