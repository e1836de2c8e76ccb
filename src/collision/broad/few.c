// Overlapping pairs of a handful of movers.
//
// All filters that need no boxes come first.  Often nothing is left, and the frame of the boxes,
// which costs an eigenvalue decomposition, is not needed.
#include "base/assert.h"
#include "collision/broad/broad.h"
#include "collision/broad/filter.h"
#include "model/flags.h"

// places in the table of movers
typedef struct {
  unsigned char first, second;
} fewPair;


// pairs that pass all filters but the boxes; returns their number
static int listCandidates(fewPair* pair, const cfMoverTable* t, const mjModel* m, const mjData* d) {
  const bool filter_parent = !cfi_disabled(m, mjDSBL_FILTERPARENT);
  int count = 0;
  for (int i = 0; i < t->n; i++) {
    const cfMover* a = t->mover + i;
    for (int j = i + 1; j < t->n; j++) {
      const cfMover* b = t->mover + j;
      if (!cfi_keptApart(a, b, filter_parent) && cfi_masksAllow(m, a, b) &&
          !cfi_farApart(m, d, a, b)) {
        pair[count++] = (fewPair){(unsigned char)i, (unsigned char)j};
      }
    }
  }
  return count;
}


void cfi_pairFew(cfPairList* list, cfMoverTable* t, const mjModel* m, const mjData* d) {
  CF_ASSERT(t->n <= CF_FEW_MOVERS);
  fewPair pair[CF_FEW_MOVERS * (CF_FEW_MOVERS - 1) / 2];
  const int count = listCandidates(pair, t, m, d);
  if (count == 0 || !cfi_boundMovers(t, m, d)) {
    return;
  }
  for (int k = 0; k < count; k++) {
    const int i = pair[k].first, j = pair[k].second;
    if (cfi_boxesOverlap(t->box + i, t->box + j)) {
      cfi_addPair(list, t->mover[i].id, t->mover[j].id);
    }
  }
}
