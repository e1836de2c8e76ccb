// Pairs of bodies that come near each other, from spheres that somebody else has compared.
#include "collision/broad/near.h"

#include "base/assert.h"


static const cfSweepBox* sweepBoxOf(const cfMoverTable* t, int body) {
  int i = 0;
  while (t->mover[i].id != body) {
    i++;
    CF_ASSERT(i < t->n);
  }
  return t->box + i;
}


cfPairList cfi_nearPairs(const mjModel* m, mjData* d, const cfNearPairs* near) {
  cfPairList list = {.d = d};
  cfMoverTable t = {.n = 0};
  bool has_boxes = false;
  for (int i = 0; i < near->n; i++) {
    const int k = near->hit[i];
    if (!(near->meets[k] & near->bit)) {
      continue;
    }
    const cfCandidate* c = near->candidate + k;
    CF_ASSERT(c->body[0] < c->body[1] && c->body[1] < m->nbody);
    if (!c->is_static && !(near->is_sure[k] & near->bit)) {
      // boxes decide; their frame costs something, so it is made when the first pair asks for it
      if (!t.n) {
        t = cfi_listMovers(m, d);
        has_boxes = cfi_boundMovers(&t, m, d);
      }
      if (!has_boxes || !cfi_boxesOverlap(sweepBoxOf(&t, c->body[0]), sweepBoxOf(&t, c->body[1]))) {
        continue;
      }
    }
    cfi_addPair(&list, c->body[0], c->body[1]);
  }
  return list;
}
