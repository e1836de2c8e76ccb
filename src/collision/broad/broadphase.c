// Broad phase: pairs with static bodies, pairs of overlapping boxes, filters, order.
#include <stdbool.h>

#include "collision/broad/broad.h"
#include "math/inline.h"
#include "model/flags.h"

// what decides about a pair besides geometry
typedef struct {
  const mjModel* m;
  const mjData* d;
  bool filter_parent;
  bool some_asleep;
} pairFilter;


static bool isAsleep(const pairFilter* f, int body) {
  return f->some_asleep && f->d->body_awake[body] == mjS_ASLEEP;
}


// neither welded together, nor both at rest, nor parent and child
static bool bodiesMayCollide(const pairFilter* f, int b1, int b2) {
  const mjModel* m = f->m;
  const int weld1 = m->body_weldid[b1], weld2 = m->body_weldid[b2];
  if (weld1 == weld2) {
    return false;
  }

  const bool rest1 = isAsleep(f, b1), rest2 = isAsleep(f, b2);
  if ((rest1 && (rest2 || !weld2)) || (rest2 && !weld1)) {
    return false;
  }

  // children of the world collide with it
  if (f->filter_parent && weld1 && weld2) {
    return m->body_weldid[m->body_parentid[weld1]] != weld2 &&
           m->body_weldid[m->body_parentid[weld2]] != weld1;
  }
  return true;
}


static bool masksMatch(int contype1, int conaffinity1, int contype2, int conaffinity2) {
  return (contype1 & conaffinity2) || (contype2 & conaffinity1);
}


// is the signature in a sorted list
static bool hasSignature(const int* list, int n, unsigned int signature) {
  int low = 0, high = n;
  while (low < high) {
    const int middle = (low + high) / 2;
    if ((unsigned int)list[middle] < signature) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low < n && (unsigned int)list[low] == signature;
}


static int moverContype(const mjModel* m, int mover) {
  return mover < m->nbody ? m->body_contype[mover] : m->flex_contype[mover - m->nbody];
}


static int moverConaffinity(const mjModel* m, int mover) {
  return mover < m->nbody ? m->body_conaffinity[mover] : m->flex_conaffinity[mover - m->nbody];
}


// masks collected by the compiler, and excluded pairs; ids ascending
static bool moversMayCollide(const mjModel* m, int lower, int higher) {
  if (!masksMatch(moverContype(m, lower), moverConaffinity(m, lower), moverContype(m, higher),
                  moverConaffinity(m, higher))) {
    return false;
  }
  return !m->nexclude || !hasSignature(m->exclude_signature, m->nexclude,
                                       ((unsigned int)lower << 16) + (unsigned int)higher);
}


static bool hasPlane(const mjModel* m, int body) {
  for (int g = m->body_geomadr[body]; g < m->body_geomadr[body] + m->body_geomnum[body]; g++) {
    if (m->geom_type[g] == mjGEOM_PLANE) {
      return true;
    }
  }
  return false;
}


// the world's geoms and static planes are paired with everything that moves and is awake.
// masks in the table are unions over geoms as they are now, not as they were compiled
static void pairStatic(cfPairList* list, const pairFilter* f, const cfBounds* b, int body) {
  const mjModel* m = f->m;
  int contype = 0, conaffinity = 0;
  for (int g = m->body_geomadr[body]; g < m->body_geomadr[body] + m->body_geomnum[body]; g++) {
    contype |= m->geom_contype[g];
    conaffinity |= m->geom_conaffinity[g];
  }
  for (int i = 0; i < b->n; i++) {
    const int other = b->id[i];
    if (other < m->nbody && (!m->body_weldid[other] || isAsleep(f, other))) {
      continue;
    }
    const int lower = cfi_minInt(body, other), higher = cfi_maxInt(body, other);
    if (masksMatch(contype, conaffinity, b->contype[i], b->conaffinity[i]) &&
        moversMayCollide(m, lower, higher)) {
      cfi_addPair(list, lower, higher);
    }
  }
}


static void pairStaticBodies(cfPairList* list, const pairFilter* f, const cfBounds* b) {
  const mjModel* m = f->m;
  if (m->body_geomnum[0] && (m->body_contype[0] || m->body_conaffinity[0])) {
    pairStatic(list, f, b, 0);
  }
  for (int i = 0; i < b->n && b->id[i] < m->nbody; i++) {
    if (!m->body_weldid[b->id[i]] && hasPlane(m, b->id[i])) {
      pairStatic(list, f, b, b->id[i]);
    }
  }
}


// boxes that overlap, as ids of movers that pass the filters
static void pairMoving(cfPairList* list, const pairFilter* f, const cfBounds* b) {
  const mjModel* m = f->m;
  cfPairList boxes = {.d = list->d};
  cfi_sweepBounds(&boxes, b);
  for (int k = 0; k < boxes.n; k++) {
    const int i = cfi_pairFirst(boxes.key[k]), j = cfi_pairSecond(boxes.key[k]);
    const int lower = b->id[i], higher = b->id[j];
    if (masksMatch(b->contype[i], b->conaffinity[i], b->contype[j], b->conaffinity[j]) &&
        (higher >= m->nbody || bodiesMayCollide(f, lower, higher)) &&
        moversMayCollide(m, lower, higher)) {
      cfi_addPair(list, lower, higher);
    }
  }
}


// a static plane's body is in the sweep too
static void dropRepeated(cfPairList* list) {
  int kept = 0;
  for (int k = 0; k < list->n; k++) {
    if (!kept || list->key[k] != list->key[kept - 1]) {
      list->key[kept++] = list->key[k];
    }
  }
  list->n = kept;
}


cfPairList cfi_broadphase(const mjModel* m, mjData* d) {
  cfPairList list = {.d = d};
  const pairFilter f = {
      .m = m,
      .d = d,
      .filter_parent = !cfi_disabled(m, mjDSBL_FILTERPARENT),
      .some_asleep = cfi_enabled(m, mjENBL_SLEEP) && d->nbody_awake < m->nbody,
  };
  const cfBounds b = cfi_boundMovers(m, d);
  pairStaticBodies(&list, &f, &b);
  pairMoving(&list, &f, &b);
  cfi_sortPairs(&list, m->nbody + m->nflex);
  dropRepeated(&list);
  return list;
}
