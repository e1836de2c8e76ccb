// Filters of pairs of movers.
#ifndef CF_COLLISION_BROAD_FILTER_H
#define CF_COLLISION_BROAD_FILTER_H

#include "collision/broad/broad.h"
#include "collision/narrow/pair.h"

static inline bool cfi_masksMatch(int contype1, int conaffinity1, int contype2, int conaffinity2) {
  return ((contype1 & conaffinity2) | (contype2 & conaffinity1)) != 0;
}


// masks as the compiler collected them
bool cfi_compiledMasksMatch(const mjModel* m, int mover1, int mover2);

// masks as they are now, and as they were compiled where they have changed since
static inline bool cfi_masksAllow(const mjModel* m, const cfMover* a, const cfMover* b) {
  return cfi_masksMatch(a->contype, a->conaffinity, b->contype, b->conaffinity) &&
         (!(a->has_new_bits | b->has_new_bits) || cfi_compiledMasksMatch(m, a->id, b->id));
}


// bodies welded together, both at rest, or parent and child; flexes (weld -1) are never kept apart
static inline bool cfi_keptApart(const cfMover* a, const cfMover* b, bool filter_parent) {
  if (a->weld == b->weld) {
    return a->weld >= 0;
  }
  if ((a->is_asleep | b->is_asleep) &&
      ((a->is_asleep && (b->is_asleep || !b->weld)) || (b->is_asleep && !a->weld))) {
    return true;
  }

  // children of the world collide with it
  return filter_parent && a->weld > 0 && b->weld > 0 &&
         (a->weld_parent == b->weld || b->weld_parent == a->weld);
}


// two single geoms whose bounding spheres are apart
static inline bool cfi_farApart(const mjModel* m, const mjData* d, const cfMover* a,
                                const cfMover* b) {
  return a->geom >= 0 && b->geom >= 0 &&
         cfi_spheresApart(m, d, a->geom, b->geom, cfi_geomMargin(m, a->geom, b->geom));
}

#endif  // CF_COLLISION_BROAD_FILTER_H
