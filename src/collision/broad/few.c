// Overlapping pairs of a handful of movers.
//
// The frame of the boxes costs an eigenvalue decomposition, so boxes are used only where nothing
// else decides.  Two bodies of which no two bounding spheres meet give no contact, whatever their
// boxes do (but may have nodes to mark, unless the roots of their trees are apart).  If two spheres
// overlap by more than single precision can hide, so do the boxes, in any frame.
#include "base/assert.h"
#include "collision/broad/broad.h"
#include "collision/broad/filter.h"
#include "collision/mid/mid.h"
#include "model/flags.h"

enum { FEW_GEOM_PAIRS = 16 };

typedef enum { CF_APART, CF_UNSURE, CF_MEET } cfNearness;

// places in the table of movers
typedef struct {
  unsigned char first, second;
  bool is_sure;
} fewPair;


// bounding sphere of a geom; radius 0: it has none
typedef struct {
  mjtNum center[3], radius, margin;
} fewBall;

static inline fewBall ballOf(const mjModel* m, const mjData* d, int geom) {
  CF_ASSERT_INDEX(geom, m->ngeom);
  const mjtNum* x = d->geom_xpos + 3 * geom;
  const bool override = cfi_enabled(m, mjENBL_OVERRIDE);
  return (fewBall){{x[0], x[1], x[2]},
                   m->geom_rbound[geom],
                   override ? 0.5 * m->opt.o_margin : m->geom_margin[geom]};
}


static inline mjtNum sumAbs3(const mjtNum v[3]) {
  return fabs(v[0]) + fabs(v[1]) + fabs(v[2]);
}


// bounding spheres of two geoms, margins included; geoms without sphere are unsure
static inline cfNearness compareBalls(const fewBall* a, const fewBall* b) {
  if (a->radius <= 0 || b->radius <= 0) {
    return CF_UNSURE;
  }
  const mjtNum bound = a->radius + b->radius + (a->margin + b->margin);
  mjtNum offset[3];
  cfi_sub3(offset, a->center, b->center);
  const mjtNum square = cfi_dot3(offset, offset);
  if (square > bound * bound) {
    return CF_APART;
  }
  const mjtNum sure = bound - 1e-6 * (sumAbs3(a->center) + sumAbs3(b->center) + bound);
  return sure > 0 && square < sure * sure ? CF_MEET : CF_UNSURE;
}


// all spheres of two bodies
static cfNearness compareBodies(const mjModel* m, const mjData* d, int id1, int id2) {
  if (m->body_geomnum[id1] * m->body_geomnum[id2] > FEW_GEOM_PAIRS) {
    return CF_UNSURE;
  }
  const int first1 = m->body_geomadr[id1], first2 = m->body_geomadr[id2];
  cfNearness nearest = CF_APART;
  for (int g1 = first1; g1 < first1 + m->body_geomnum[id1]; g1++) {
    const fewBall ball1 = ballOf(m, d, g1);
    for (int g2 = first2; g2 < first2 + m->body_geomnum[id2] && nearest != CF_MEET; g2++) {
      const fewBall ball2 = ballOf(m, d, g2);
      const cfNearness one = compareBalls(&ball1, &ball2);
      nearest = one > nearest ? one : nearest;
    }
  }
  return nearest;
}


// the walk over two trees marks the nodes it meets for drawing, contacts or not: bodies with trees
// are apart where the walk ends at once.  Flexes are unsure
static cfNearness compareMovers(const mjModel* m, const mjData* d, int id1, int id2) {
  CF_ASSERT(id1 < id2);
  if (id1 >= m->nbody || id2 >= m->nbody) {
    return CF_UNSURE;
  }
  const bool have_trees =
      m->body_bvhadr[id1] >= 0 && m->body_bvhadr[id2] >= 0 && !cfi_disabled(m, mjDSBL_MIDPHASE);
  if (have_trees && cfi_treesApart(m, d, id1, id2)) {
    return CF_APART;
  }
  const cfNearness near = compareBodies(m, d, id1, id2);
  return near == CF_APART && have_trees && m->vis.global.bvactive ? CF_UNSURE : near;
}


// pairs that pass all filters and whose spheres do not say that they are apart; returns their
// number, and in *nunsure how many need boxes
static int listCandidates(fewPair* pair, int* nunsure, const cfMoverTable* t, const mjModel* m,
                          const mjData* d) {
  CF_ASSERT(t->n <= CF_FEW_MOVERS);
  const bool filter_parent = !cfi_disabled(m, mjDSBL_FILTERPARENT);
  fewBall ball[CF_FEW_MOVERS];
  for (int i = 0; i < t->n; i++) {
    if (t->mover[i].geom >= 0) {
      ball[i] = ballOf(m, d, t->mover[i].geom);
    }
  }
  int count = 0;
  for (int i = 0; i < t->n; i++) {
    const cfMover* a = t->mover + i;
    for (int j = i + 1; j < t->n; j++) {
      const cfMover* b = t->mover + j;
      if (cfi_keptApart(a, b, filter_parent) || !cfi_masksAllow(m, a, b)) {
        continue;
      }
      const bool are_single = a->geom >= 0 && b->geom >= 0;
      const cfNearness near =
          are_single ? compareBalls(ball + i, ball + j) : compareMovers(m, d, a->id, b->id);
      if (near != CF_APART) {
        pair[count++] = (fewPair){(unsigned char)i, (unsigned char)j, near == CF_MEET};
        *nunsure += near == CF_UNSURE;
      }
    }
  }
  return count;
}


void cfi_pairFew(cfPairList* list, cfMoverTable* t, const mjModel* m, const mjData* d) {
  CF_ASSERT(t->n <= CF_FEW_MOVERS);
  fewPair pair[CF_FEW_MOVERS * (CF_FEW_MOVERS - 1) / 2];
  int nunsure = 0;
  const int count = listCandidates(pair, &nunsure, t, m, d);
  const bool has_boxes = nunsure > 0 && cfi_boundMovers(t, m, d);
  for (int k = 0; k < count; k++) {
    const int i = pair[k].first, j = pair[k].second;
    if (pair[k].is_sure || (has_boxes && cfi_boxesOverlap(t->box + i, t->box + j))) {
      cfi_addPair(list, t->mover[i].id, t->mover[j].id);
    }
  }
}
