// Trees whose dofs may be nudged at the same time: no force on one depends on the other, nor do
// forces on a third depend on both.
#ifndef CF_FINITEDIFF_TREEGROUPS_H
#define CF_FINITEDIFF_TREEGROUPS_H

#include <stdbool.h>

#include <mujoco/mjdata.h>
#include <mujoco/mjmodel.h>

typedef struct {
  int ntree, ngroup;
  int* group;        // ntree: which group a tree is in
  int *adr, *count;  // ntree: its neighbors
  int* neighbor;
  bool is_coupled;  // anything may depend on anything: one tree at a time, all rows
} cfTreeGroups;

// groups of the trees of a model with the contacts and constraints of d; memory on the stack of d
void cfi_groupTrees(cfTreeGroups* g, const mjModel* m, mjData* d);

#endif  // CF_FINITEDIFF_TREEGROUPS_H
