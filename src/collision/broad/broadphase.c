// Broad phase: pairs with static bodies, pairs of overlapping boxes, filters, order.
#include "collision/broad/broad.h"
#include "collision/narrow/pair.h"
#include "math/inline.h"
#include "model/flags.h"

static bool masksMatch(int contype1, int conaffinity1, int contype2, int conaffinity2) {
  return ((contype1 & conaffinity2) | (contype2 & conaffinity1)) != 0;
}


static int moverContype(const mjModel* m, int mover) {
  const int nbody = (int)m->nbody;
  return mover < nbody ? m->body_contype[mover] : m->flex_contype[mover - nbody];
}


static int moverConaffinity(const mjModel* m, int mover) {
  const int nbody = (int)m->nbody;
  return mover < nbody ? m->body_conaffinity[mover] : m->flex_conaffinity[mover - nbody];
}


// masks as they are now, and as they were compiled where they have changed since
static bool maskedPair(const mjModel* m, const cfMover* a, const cfMover* b) {
  if (!masksMatch(a->contype, a->conaffinity, b->contype, b->conaffinity)) {
    return true;
  }
  return (a->has_new_bits || b->has_new_bits) &&
         !masksMatch(moverContype(m, a->id), moverConaffinity(m, a->id), moverContype(m, b->id),
                     moverConaffinity(m, b->id));
}


// bodies welded together, both at rest, or parent and child; flexes (weld -1) are never kept apart
static bool keptApart(const cfMover* a, const cfMover* b, bool filter_parent) {
  if (a->weld < 0 || b->weld < 0) {
    return false;
  }
  if (a->weld == b->weld) {
    return true;
  }
  if ((a->is_asleep && (b->is_asleep || !b->weld)) || (b->is_asleep && !a->weld)) {
    return true;
  }

  // children of the world collide with it
  return filter_parent && a->weld && b->weld &&
         (a->weld_parent == b->weld || b->weld_parent == a->weld);
}


// two single geoms whose bounding spheres are apart
static bool farApart(const mjModel* m, const mjData* d, const cfMover* a, const cfMover* b) {
  return a->geom >= 0 && b->geom >= 0 &&
         cfi_spheresApart(m, d, a->geom, b->geom, cfi_geomMargin(m, a->geom, b->geom));
}


static bool hasPlane(const mjModel* m, int body) {
  for (int g = m->body_geomadr[body]; g < m->body_geomadr[body] + m->body_geomnum[body]; g++) {
    if (m->geom_type[g] == mjGEOM_PLANE) {
      return true;
    }
  }
  return false;
}


// the world's geoms and static planes are paired with everything that moves and is awake
static void pairStatic(cfPairList* list, const cfMoverTable* t, const mjModel* m,
                       const cfMover* body) {
  for (int i = 0; i < t->n; i++) {
    const cfMover* other = t->mover + i;
    if (other->weld == 0 || other->is_asleep || maskedPair(m, body, other) ||
        farApart(m, list->d, body, other)) {
      continue;
    }
    cfi_addPair(list, cfi_minInt(body->id, other->id), cfi_maxInt(body->id, other->id));
  }
}


static void pairStaticBodies(cfPairList* list, const cfMoverTable* t, const mjModel* m) {
  if (m->body_geomnum[0] && (m->body_contype[0] || m->body_conaffinity[0])) {
    const cfMover world = cfi_describeBody(m, 0);
    pairStatic(list, t, m, &world);
  }
  for (int i = 0; i < t->n; i++) {
    const cfMover* body = t->mover + i;
    if (body->weld == 0 && hasPlane(m, body->id)) {
      pairStatic(list, t, m, body);
    }
  }
}


// boxes that overlap, as ids of movers that pass the filters
static void pairMoving(cfPairList* list, const cfMoverTable* t, const mjModel* m) {
  const bool filter_parent = !cfi_disabled(m, mjDSBL_FILTERPARENT);
  cfPairList boxes = {.d = list->d};
  cfi_sweepBoxes(&boxes, t);
  for (int k = 0; k < boxes.n; k++) {
    const cfMover* a = t->mover + cfi_pairFirst(boxes.key[k]);
    const cfMover* b = t->mover + cfi_pairSecond(boxes.key[k]);
    if (!keptApart(a, b, filter_parent) && !maskedPair(m, a, b) && !farApart(m, list->d, a, b)) {
      cfi_addPair(list, a->id, b->id);
    }
  }
}


// drop repeated pairs (a static plane's body is in the sweep too) and excluded ones; both lists are sorted
static void dropExcluded(cfPairList* list, const mjModel* m) {
  int kept = 0, next = 0;
  for (int k = 0; k < list->n; k++) {
    const uint64_t key = list->key[k];
    if (kept && key == list->key[kept - 1]) {
      continue;
    }
    const unsigned int signature =
        ((unsigned int)cfi_pairFirst(key) << 16) + (unsigned int)cfi_pairSecond(key);
    while (next < m->nexclude && (unsigned int)m->exclude_signature[next] < signature) {
      next++;
    }
    if (next == m->nexclude || (unsigned int)m->exclude_signature[next] != signature) {
      list->key[kept++] = key;
    }
  }
  list->n = kept;
}


static bool allAsleep(const cfMoverTable* t) {
  bool asleep = t->some_asleep;
  for (int i = 0; i < t->n && asleep; i++) {
    asleep = t->mover[i].is_asleep || t->mover[i].weld == 0;
  }
  return asleep;
}


cfPairList cfi_broadphase(const mjModel* m, mjData* d) {
  cfPairList list = {.d = d};
  cfMoverTable t = cfi_listMovers(m, d);
  if (allAsleep(&t)) {
    return list;
  }
  pairStaticBodies(&list, &t, m);
  if (cfi_boundMovers(&t, m, d)) {
    pairMoving(&list, &t, m);
  }
  cfi_sortPairs(&list, (int)(m->nbody + m->nflex));
  dropExcluded(&list, m);
  return list;
}
