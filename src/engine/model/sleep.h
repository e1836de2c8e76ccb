// Putting trees to sleep and waking them.  The index lists are in model/awake.h.
#ifndef CF_MODEL_SLEEP_H
#define CF_MODEL_SLEEP_H

#include <mujoco/mjdata.h>
#include <mujoco/mjmodel.h>

#include "model/awake.h"

// tree_asleep of a tree that has just moved: counts up to -1, then the tree may sleep
enum { CF_FULLY_AWAKE = -(1 + mjMINAWAKE) };

// refresh the awake lists in a step
static inline void cfi_updateSleep(const mjModel* m, mjData* d) {
  cfi_updateAwake(m, d, /*static_awake=*/false);
}

// smallest tree of the sleeping cycle that contains tree, -1 if it is in none
int cfi_sleepCycle(const int* tree_asleep, int ntree, int tree);

// wake a tree with its whole cycle, setting tree_asleep to countdown; an awake tree only gets the
// longer countdown.  Returns the number of trees woken.
int cfi_wakeTree(int* tree_asleep, int ntree, int tree, int countdown);

// Each wakes sleeping trees for one reason and returns how many woke; the caller then refreshes the
// lists and recomputes what it had skipped.  Reads tree_asleep, tree_awake; writes tree_asleep.
int cfi_wake(const mjModel* m, mjData* d);           // user changed velocity, force or position
int cfi_wakeCollision(const mjModel* m, mjData* d);  // contact with an awake tree
int cfi_wakeTendon(const mjModel* m, mjData* d);     // limited tendon pulled by an awake tree
int cfi_wakeEquality(const mjModel* m, mjData* d);   // active equality with an awake tree

// count down slow trees and put to sleep islands whose trees are all ready; zeroes their qvel and
// qacc.  Returns the number of trees that fell asleep.
int cfi_sleep(const mjModel* m, mjData* d);

#endif  // CF_MODEL_SLEEP_H
