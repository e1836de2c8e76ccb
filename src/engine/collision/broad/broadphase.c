// Broad phase: pairs with static bodies, pairs of overlapping boxes, filters, order.
#include "base/assert.h"
#include "collision/broad/broad.h"
#include "collision/broad/filter.h"
#include "math/inline.h"
#include "model/flags.h"

static int moverContype(const mjModel* m, int mover) {
  const int nbody = (int)m->nbody;
  return mover < nbody ? m->body_contype[mover] : m->flex_contype[mover - nbody];
}


static int moverConaffinity(const mjModel* m, int mover) {
  const int nbody = (int)m->nbody;
  return mover < nbody ? m->body_conaffinity[mover] : m->flex_conaffinity[mover - nbody];
}


bool cfi_compiledMasksMatch(const mjModel* m, int mover1, int mover2) {
  return cfi_masksMatch(moverContype(m, mover1), moverConaffinity(m, mover1),
                        moverContype(m, mover2), moverConaffinity(m, mover2));
}


static bool hasPlane(const mjModel* m, int body) {
  CF_ASSERT_INDEX(body, m->nbody);
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
    if (other->weld == 0 || other->is_asleep || !cfi_masksAllow(m, body, other) ||
        cfi_farApart(m, list->d, body, other)) {
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


// drop repeated pairs (a static plane's body is in the sweep too) and excluded ones; both lists are
// sorted
static void dropExcluded(cfPairList* list, const mjModel* m) {
  int kept = 0, next = 0;
  for (int k = 0; k < list->n; k++) {
    const uint64_t key = list->key[k];
    CF_ASSERT(k == 0 || list->key[k - 1] <= key);
    CF_ASSERT(cfi_pairFirst(key) < cfi_pairSecond(key));
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
  if (cfi_enabled(m, mjENBL_SLEEP) && m->ntree > 0 && d->ntree_awake == 0 && m->nflex == 0) {
    return list;
  }
  cfMoverTable t = cfi_listMovers(m, d);
  if (allAsleep(&t)) {
    return list;
  }
  pairStaticBodies(&list, &t, m);
  if (cfi_isFew(m, &t)) {
    cfi_pairFew(&list, &t, m, d);
  } else if (cfi_boundMovers(&t, m, d)) {
    cfi_sweepMovers(&list, &t, m);
  }
  cfi_sortPairs(&list, (int)(m->nbody + m->nflex));
  dropExcluded(&list, m);
  return list;
}
