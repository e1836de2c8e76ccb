// Who is awake: index lists derived from tree_asleep, and the sleep state of any object.
#ifndef CF_MODEL_AWAKE_H
#define CF_MODEL_AWAKE_H

#include <stdbool.h>

#include <mujoco/mjdata.h>
#include <mujoco/mjmodel.h>

#include "base/likely.h"


// true when the sleep flag is set and at least one tree sleeps, so that stages have to skip
static inline bool cfi_someAsleep(const mjModel* m, const mjData* d) {
  return CF_SELDOM((m->opt.enableflags & mjENBL_SLEEP) && d->ntree_awake < m->ntree);
}

// recompute {tree,body}_awake, the three awake index lists and their counts from tree_asleep;
// static_awake lists bodies that hang on the world as awake instead of static (used at reset)
void cfi_updateAwake(const mjModel* m, mjData* d, bool static_awake);

// state of one object of type mjtObj: awake, asleep or static
mjtSleepState cfi_sleepState(const mjModel* m, const mjData* d, mjtObj type, int id);

// type of the objects that an equality joins; `given` where it may join several types
static inline mjtObj cfi_equalityObject(int equality, mjtObj given) {
  const bool is_flex = equality == mjEQ_FLEX || equality == mjEQ_FLEXVERT;
  return equality == mjEQ_JOINT    ? mjOBJ_JOINT
         : equality == mjEQ_TENDON ? mjOBJ_TENDON
                                   : (is_flex ? mjOBJ_FLEX : given);
}

#endif  // CF_MODEL_AWAKE_H
