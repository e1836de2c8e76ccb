// Overlapping pairs of some dozens of movers.
//
// The frame of the boxes costs an eigenvalue decomposition, so boxes are used only where nothing
// else decides.  Two bodies of which no two bounding spheres meet give no contact, whatever their
// boxes do (but may have nodes to mark, unless the roots of their trees are apart).  If two spheres
// overlap by more than single precision can hide, so do the boxes, in any frame.
//
// Spheres of geoms are compared eight at a time in single precision: a little larger than they are
// (those that do not meet are apart), and a little smaller (those that meet do so surely).  The
// answers for all geoms of a body are bits of one word.  Roots of trees are compared likewise
// first, by balls around them.
#include <string.h>

#include "base/assert.h"
#include "collision/broad/broad.h"
#include "collision/broad/filter.h"
#include "collision/mid/mid.h"
#include "math/simd/boxes8.h"
#include "model/flags.h"

// balls of roots pay where so many pairs of trees may have to be asked
enum { SPHERE_BLOCK = 8, FEW_ROOM = CF_FEW_MOVERS + SPHERE_BLOCK, MANY_TREES = 40 };

// geoms of all movers and their spheres; radii are infinite and NaN where a geom has none
typedef struct {
  const mjModel* m;
  const mjData* d;
  const cfMover* mover;
  int n, ngeom;
  // bits of movers: flexes; bodies with a tree whose nodes are to be marked, and of several nodes
  uint64_t flex, tree, deep;
  int end[CF_FEW_MOVERS];              // behind the last geom of each mover
  unsigned char owner[CF_FEW_MOVERS];  // mover of each geom
  float center[3][FEW_ROOM], outer[FEW_ROOM], inner[FEW_ROOM];
  bool has_roots;
  float root_center[3][FEW_ROOM], root_reach[FEW_ROOM];  // of the trees of movers
} fewMovers;

// movers that may meet one, and those that do so for sure, as bits
typedef struct {
  uint64_t may, sure;
} fewMeets;


static inline bool isCollider(const mjModel* m, int geom) {
  return (m->geom_contype[geom] | m->geom_conaffinity[geom]) != 0;
}


// how many spheres listSpheres makes: of single geoms, and of others that collide
static int countColliders(const mjModel* m, const cfMoverTable* t) {
  int n = 0;
  for (int i = 0; i < t->n; i++) {
    const int id = t->mover[i].id;
    const int first = id < m->nbody ? m->body_geomadr[id] : 0;
    const int last = id < m->nbody ? first + m->body_geomnum[id] : 0;
    for (int g = first; g < last; g++) {
      n += t->mover[i].geom >= 0 || isCollider(m, g);
    }
  }
  return n;
}


bool cfi_isFew(const mjModel* m, const cfMoverTable* t) {
  return t->n <= CF_FEW_MOVERS &&
         (m->ngeom <= CF_FEW_MOVERS || countColliders(m, t) <= CF_FEW_MOVERS);
}


// sphere of a geom at place k, larger and smaller by what rounding to single precision may hide
static inline void fillSphere(fewMovers* f, int k, int geom) {
  const mjModel* m = f->m;
  const mjtNum *x = f->d->geom_xpos + 3 * geom, radius = m->geom_rbound[geom];
  CF_ASSERT(k >= 0 && k < CF_FEW_MOVERS);
  for (int axis = 0; axis < 3; axis++) {
    f->center[axis][k] = (float)x[axis];
  }
  const mjtNum margin =
      cfi_enabled(m, mjENBL_OVERRIDE) ? 0.5 * m->opt.o_margin : m->geom_margin[geom];
  const mjtNum bound = radius + margin;
  const mjtNum slack = 2e-6 * (fabs(x[0]) + fabs(x[1]) + fabs(x[2]) + fabs(bound));
  f->outer[k] = radius > 0 ? (float)(bound + slack) : INFINITY;
  f->inner[k] = radius > 0 && bound > slack ? (float)(bound - slack) : NAN;
}


// spheres of the geoms of mover i that collide
static inline void listSpheres(fewMovers* f, int i) {
  const mjModel* m = f->m;
  const int id = f->mover[i].id;
  if (f->mover[i].geom >= 0) {
    f->owner[f->ngeom] = (unsigned char)i;
    fillSphere(f, f->ngeom++, f->mover[i].geom);
  } else {
    const int first = id < m->nbody ? m->body_geomadr[id] : 0;
    const int last = id < m->nbody ? first + m->body_geomnum[id] : 0;
    for (int g = first; g < last; g++) {
      if (isCollider(m, g)) {
        f->owner[f->ngeom] = (unsigned char)i;
        fillSphere(f, f->ngeom++, g);
      }
    }
  }
  f->end[i] = f->ngeom;
}


static inline void listTree(fewMovers* f, int i, bool has_marks) {
  const mjModel* m = f->m;
  const int id = f->mover[i].id;
  const uint64_t bit = (uint64_t)1 << i;
  if (id >= m->nbody) {
    f->flex |= bit;
  } else if (has_marks && m->body_bvhadr[id] >= 0) {
    f->tree |= bit;
    f->deep |= m->body_bvhnum[id] > 1 ? bit : 0;
  }
}


// ball of the root of mover i.  Boxes with half sizes h and k overlap along the axes of the first
// only where their centers are within |h| + sum(k), margins aside, and along those of the second
// within sum(h) + |k|: so half of both norms is the share of one box
static inline void fillRoot(fewMovers* f, int i) {
  const mjModel* m = f->m;
  const int id = f->mover[i].id;
  const mjtNum *box = m->bvh_aabb + 6 * m->body_bvhadr[id], *half = box + 3;
  mjtNum center[3];
  cfi_mulMatVec3(center, f->d->ximat + 9 * id, box);
  cfi_addTo3(center, f->d->xipos + 3 * id);
  const mjtNum margin =
      cfi_enabled(m, mjENBL_OVERRIDE) ? 0.5 * m->opt.o_margin : m->body_margin[id];
  const mjtNum reach =
      0.5 * (half[0] + half[1] + half[2] + sqrt(cfi_dot3(half, half))) + 2 * margin;
  const mjtNum scale = fabs(center[0]) + fabs(center[1]) + fabs(center[2]) + reach;
  const bool has_end = margin >= 0 && scale < mjMAXVAL;
  for (int axis = 0; axis < 3; axis++) {
    f->root_center[axis][i] = has_end ? (float)center[axis] : 0;
  }
  f->root_reach[i] = has_end ? (float)(reach + 2e-6 * scale) : INFINITY;
}


static void describeRoots(fewMovers* f) {
  memset(f->root_center, 0, sizeof(f->root_center));
  memset(f->root_reach, 0, sizeof(f->root_reach));
  for (uint64_t rest = f->tree; rest; rest &= rest - 1) {
    fillRoot(f, __builtin_ctzll(rest));
  }
}


// movers behind i whose trees may meet its tree at their roots
static inline uint64_t meetRoots(fewMovers* f, int i) {
  const cfBoxBallLanes balls = {.center = {f->root_center[0], f->root_center[1], f->root_center[2]},
                                .radius = f->root_reach};
  const cfBoxBall one = {
      .center = {f->root_center[0][i], f->root_center[1][i], f->root_center[2][i]},
      .radius = f->root_reach[i]};
  uint64_t meets = 0;
  for (int first = i + 1; first < f->n; first += SPHERE_BLOCK) {
    meets |= (uint64_t)cfi_balls8(&balls, first, &one) << first;
  }
  return meets;
}


static void describeFew(fewMovers* f, const cfMoverTable* t, const mjModel* m, const mjData* d) {
  f->m = m;
  f->d = d;
  f->mover = t->mover;
  f->n = t->n;
  f->ngeom = 0;
  f->flex = f->tree = f->deep = 0;
  const bool has_marks = m->vis.global.bvactive && !cfi_disabled(m, mjDSBL_MIDPHASE);
  for (int i = 0; i < t->n; i++) {
    listSpheres(f, i);
    listTree(f, i, has_marks);
  }

  // blocks of spheres run over the end, where none meets another
  for (int k = 0; k < SPHERE_BLOCK; k++) {
    f->outer[f->ngeom + k] = NAN;
  }
  f->has_roots = __builtin_popcountll(f->deep) * __builtin_popcountll(f->tree) > MANY_TREES;
  if (f->has_roots) {
    describeRoots(f);
  }
}


// from bits of geoms to bits of the movers that own them
static inline fewMeets ownersOf(const fewMovers* f, fewMeets geoms) {
  fewMeets movers = {0, 0};
  for (uint64_t rest = geoms.may; rest; rest &= rest - 1) {
    const int g = __builtin_ctzll(rest);
    movers.may |= (uint64_t)1 << f->owner[g];
    movers.sure |= (geoms.sure >> g & 1) << f->owner[g];
  }
  return movers;
}


// spheres of mover i against those of the movers behind it
static inline fewMeets meetSpheres(fewMovers* f, int i) {
  const cfBoxBallLanes outer = {.center = {f->center[0], f->center[1], f->center[2]},
                                .radius = f->outer};
  const cfBoxBallLanes inner = {.center = {f->center[0], f->center[1], f->center[2]},
                                .radius = f->inner};
  fewMeets geoms = {0, 0};
  for (int g = i ? f->end[i - 1] : 0; g < f->end[i]; g++) {
    cfBoxBall one = {.center = {f->center[0][g], f->center[1][g], f->center[2][g]}};
    for (int first = f->end[i]; first < f->ngeom; first += SPHERE_BLOCK) {
      one.radius = f->outer[g];
      const uint64_t may = cfi_balls8(&outer, first, &one);
      one.radius = f->inner[g];
      geoms.may |= may << first;
      geoms.sure |= (may ? (uint64_t)cfi_balls8(&inner, first, &one) : 0) << first;
    }
  }
  return ownersOf(f, geoms);
}


// movers whose spheres do not meet: the walk over two trees still marks the nodes it comes to for
// drawing, unless it ends at their roots
static bool mayMark(const fewMovers* f, int i, int j) {
  CF_ASSERT(f->mover[i].id < f->mover[j].id && f->deep);
  return !cfi_treesApart(f->m, f->d, f->mover[i].id, f->mover[j].id);
}


// movers behind i that have to be looked at even if their spheres do not meet: flexes, and trees of
// which one has several nodes, if they may meet at their roots
static inline uint64_t alwaysAsked(fewMovers* f, int i) {
  const uint64_t behind = i < 63 ? ~(uint64_t)0 << (i + 1) : 0, all = ~(uint64_t)0 >> (64 - f->n);
  uint64_t trees = f->deep >> i & 1 ? f->tree : f->tree >> i & 1 ? f->deep : 0;
  if (f->has_roots && trees & behind) {
    trees &= meetRoots(f, i);
  }
  return (f->flex >> i & 1 ? all : f->flex | trees) & behind;
}


// pairs with mover i before the other: into `sure` (by id) where they meet, into `unsure` (by place
// in the table) where boxes have to decide
static void pairMover(cfPairList* sure, cfPairList* unsure, fewMovers* f, int i) {
  const bool filter_parent = !cfi_disabled(f->m, mjDSBL_FILTERPARENT);
  const fewMeets meets = meetSpheres(f, i);
  const cfMover* a = f->mover + i;
  for (uint64_t rest = meets.may | alwaysAsked(f, i); rest; rest &= rest - 1) {
    const int j = __builtin_ctzll(rest);
    const cfMover* b = f->mover + j;
    CF_ASSERT(i < j && j < f->n);
    if (cfi_keptApart(a, b, filter_parent) || !cfi_masksAllow(f->m, a, b)) {
      continue;
    }
    if (meets.sure >> j & 1) {
      cfi_addPair(sure, a->id, b->id);
    } else if ((meets.may | f->flex) >> j & 1 || f->flex >> i & 1 || mayMark(f, i, j)) {
      cfi_addPair(unsure, i, j);
    }
  }
}


void cfi_pairFew(cfPairList* list, cfMoverTable* t, const mjModel* m, mjData* d) {
  CF_ASSERT(cfi_isFew(m, t));
  fewMovers f;
  describeFew(&f, t, m, d);
  cfPairList unsure = {.d = d};
  for (int i = 0; i < t->n; i++) {
    pairMover(list, &unsure, &f, i);
  }
  if (unsure.n == 0 || !cfi_boundMovers(t, m, d)) {
    return;
  }
  for (int k = 0; k < unsure.n; k++) {
    const int i = cfi_pairFirst(unsure.key[k]), j = cfi_pairSecond(unsure.key[k]);
    const cfMover *a = t->mover + i, *b = t->mover + j;
    if (cfi_boxesOverlap(t->box + i, t->box + j) && !cfi_farApart(m, d, a, b)) {
      cfi_addPair(list, a->id, b->id);
    }
  }
}
