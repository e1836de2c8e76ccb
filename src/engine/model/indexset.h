// Sets of objects to visit: everything, or the awake ones.
#ifndef CF_MODEL_INDEXSET_H
#define CF_MODEL_INDEXSET_H

#include <stddef.h>

#include <mujoco/mujoco.h>

#include "base/likely.h"
#include "model/flags.h"

// ascending object ids; index NULL stands for first, first+1, ..., count of them
typedef struct {
  const int* index;
  int count, first;
} cfIndexSet;


static inline int cfi_at(cfIndexSet s, int k) {
  return CF_SELDOM(s.index) ? s.index[k] : s.first + k;
}


// the list where sleeping hides something, the identity otherwise
static inline cfIndexSet cfi_awakeSet(const mjModel* m, cfIndexSet awake, bool hides, mjtSize all) {
  if (cfi_enabled(m, mjENBL_SLEEP) && hides) {
    return awake;
  }
  return (cfIndexSet){NULL, (int)all, 0};
}


// bodies that are awake or static, world included
static inline cfIndexSet cfi_awakeBodies(const mjModel* m, const mjData* d) {
  cfIndexSet awake = {d->body_awake_ind, d->nbody_awake, 0};
  return cfi_awakeSet(m, awake, d->nbody_awake < m->nbody, m->nbody);
}


// bodies whose parent is awake or static; the world, which has no parent, is only in the identity
static inline cfIndexSet cfi_awakeParents(const mjModel* m, const mjData* d) {
  cfIndexSet awake = {d->parent_awake_ind, d->nparent_awake, 0};
  return cfi_awakeSet(m, awake, d->nbody_awake < m->nbody, m->nbody);
}


// degrees of freedom of awake trees
static inline cfIndexSet cfi_awakeDofs(const mjModel* m, const mjData* d) {
  cfIndexSet awake = {d->dof_awake_ind, d->nv_awake, 0};
  return cfi_awakeSet(m, awake, d->nv_awake < m->nv, m->nv);
}

#endif  // CF_MODEL_INDEXSET_H
