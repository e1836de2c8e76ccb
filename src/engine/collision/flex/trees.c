// Trees over the elements of flexes against trees of bodies, of other flexes, of themselves.
#include "base/assert.h"
#include "collision/broad/broad.h"
#include "collision/broad/filter.h"
#include "collision/flex/flex.h"
#include "collision/mid/obb.h"
#include "collision/narrow/pair.h"
#include "model/extension.h"

// one tree; boxes of a flex are along the axes of the world, those of a body in its inertial frame
typedef struct {
  const mjtNum* box;
  const int* child;
  const int* object;  // geom or element of a leaf
  mjtByte* active;    // flags, NULL when nobody looks at them
} softTree;

static const mjtNum no_offset[3] = {0, 0, 0}, no_turn[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};


static softTree treeAt(const mjModel* m, mjData* d, int adr, int num, const mjtNum* box) {
  CF_ASSERT(adr >= 0 && adr + num <= m->nbvh);
  cfi_noteMarks(cfi_dataExtension(d), adr + num);
  return (softTree){.box = box,
                    .child = m->bvh_child + 2 * adr,
                    .object = m->bvh_nodeid + adr,
                    .active = m->vis.global.bvactive ? d->bvh_active + adr : NULL};
}


static softTree flexTree(const mjModel* m, mjData* d, int f) {
  const int adr = m->flex_bvhadr[f];
  return treeAt(m, d, adr, m->flex_bvhnum[f], d->bvh_aabb_dyn + 6 * (adr - m->nbvhstatic));
}


static softTree bodyTreeOf(const mjModel* m, mjData* d, int body) {
  const int adr = m->body_bvhadr[body];
  return treeAt(m, d, adr, m->body_bvhnum[body], m->bvh_aabb + 6 * adr);
}


static bool isLeafOf(const softTree* t, int node) {
  return t->child[2 * node] < 0;
}


static void markPair(const softTree* t1, int node1, const softTree* t2, int node2) {
  if (t1->active) {
    t1->active[node1] = 1;
    t2->active[node2] = 1;
  }
}


// size by which the walk chooses the tree to open: MuJoCo subtracts the center from the half sizes
static mjtNum openingSize(const mjtNum box[6]) {
  const mjtNum x = box[3] - box[0], y = box[4] - box[1], z = box[5] - box[2];
  return x * y + y * z + z * x;
}


// replace a pair of nodes by the pairs with one node's children; two leaves have none
static void openPair(cfPairList* todo, const softTree* t1, int node1, const softTree* t2,
                     int node2) {
  const bool leaf1 = isLeafOf(t1, node1), leaf2 = isLeafOf(t2, node2);
  const bool opens1 =
      leaf2 || (!leaf1 && openingSize(t1->box + 6 * node1) > openingSize(t2->box + 6 * node2));
  CF_ASSERT(!leaf1 || !leaf2);
  for (int k = 0; k < 2; k++) {
    if (opens1) {
      cfi_addPair(todo, t1->child[2 * node1 + k], node2);
    } else {
      cfi_addPair(todo, node1, t2->child[2 * node2 + k]);
    }
  }
}


// ---------------------------------------- body and flex

// an oriented box against one along the axes
static bool boxMeetsAabb(cfFramePair* frames, const cfObb* box, const mjtNum aabb[6], mjtNum margin,
                         bool are_leaves) {
  if (cfi_isUnbounded(box->box)) {
    const cfObb other = {aabb, no_offset, no_turn};
    return cfi_unboundedOverlap(box, &other, margin, are_leaves);
  }
  return cfi_boundedOverlap(frames, box->box, aabb, margin);
}


static bool geomMeetsElem(const mjModel* m, const mjData* d, int g, int f, const mjtNum aabb[6]) {
  const mjtNum margin = cfi_overrideMargin(m, m->geom_margin[g] + m->flex_margin[f]);
  const cfObb box = {m->geom_aabb + 6 * g, d->geom_xpos + 3 * g, d->geom_xmat + 9 * g};
  if (!cfi_masksMatch(m->geom_contype[g], m->geom_conaffinity[g], m->flex_contype[f],
                      m->flex_conaffinity[f]) ||
      cfi_cubeApart(box.pos, m->geom_rbound[g] + margin, aabb)) {
    return false;
  }
  cfFramePair frames;
  cfi_relateFrames(&frames, box.pos, box.mat, no_offset, no_turn);
  return boxMeetsAabb(&frames, &box, aabb, margin, true);
}


// pairs of geom and element whose boxes meet
static void walkBodyFlex(cfPairList* found, const mjModel* m, mjData* d, int body, int f) {
  const softTree t1 = bodyTreeOf(m, d, body), t2 = flexTree(m, d, f);
  const mjtNum margin = cfi_overrideMargin(m, m->body_margin[body] + m->flex_margin[f]);
  const mjtNum *pos = d->xipos + 3 * body, *mat = d->ximat + 9 * body;
  cfPairList todo = {.d = d};
  cfFramePair frames;
  cfi_relateFrames(&frames, pos, mat, no_offset, no_turn);
  cfi_addPair(&todo, 0, 0);
  while (todo.n) {
    const uint64_t pair = todo.key[--todo.n];
    const int node1 = cfi_pairFirst(pair), node2 = cfi_pairSecond(pair);
    const mjtNum* aabb = t2.box + 6 * node2;
    if (isLeafOf(&t1, node1) && isLeafOf(&t2, node2)) {
      const int g = t1.object[node1];
      if (geomMeetsElem(m, d, g, f, aabb)) {
        markPair(&t1, node1, &t2, node2);
        if (m->geom_type[g] != mjGEOM_PLANE) {
          cfi_addPair(found, g, t2.object[node2]);
        }
      }
      continue;
    }
    const cfObb box = {t1.box + 6 * node1, pos, mat};
    if (boxMeetsAabb(&frames, &box, aabb, margin, false)) {
      markPair(&t1, node1, &t2, node2);
      openPair(&todo, &t1, node1, &t2, node2);
    }
  }
}


// planes of static bodies meet all vertices, whatever the masks of these geoms say
static void collidePlanes(const mjModel* m, mjData* d, int f, int first, int end) {
  for (int g = first; g < end; g++) {
    if (m->geom_type[g] == mjGEOM_PLANE) {
      cfi_collidePlaneFlex(m, d, g, f);
    }
  }
}


// contacts come in the order of geoms, then of elements or vertices
void cfi_collideBodyTree(const mjModel* m, mjData* d, int body, int f) {
  const int last = m->body_weldid[body] == 0 ? m->body_geomadr[body] + m->body_geomnum[body] : 0;
  int next = m->body_geomadr[body];
  mj_markStack(d);
  cfPairList found = {.d = d};
  walkBodyFlex(&found, m, d, body, f);
  cfi_sortPairs(&found, cfi_maxInt((int)m->ngeom, (int)m->flex_elemnum[f]));
  for (int k = 0; k < found.n; k++) {
    const int g = cfi_pairFirst(found.key[k]);
    collidePlanes(m, d, f, next, cfi_minInt(g, last));
    next = cfi_maxInt(next, g);
    cfi_collideGeomElem(m, d, g, f, cfi_pairSecond(found.key[k]));
  }
  collidePlanes(m, d, f, next, last);
  mj_freeStack(d);
}


// ---------------------------------------- flex and flex

// pairs of elements whose boxes may meet, or contacts at once where found is NULL
static void walkFlexes(cfPairList* found, const mjModel* m, mjData* d, int f1, int f2) {
  const softTree t1 = flexTree(m, d, f1), t2 = flexTree(m, d, f2);
  const mjtNum margin = cfi_overrideMargin(m, m->flex_margin[f1] + m->flex_margin[f2]);
  cfPairList todo = {.d = d};
  cfi_addPair(&todo, 0, 0);
  while (todo.n) {
    const uint64_t pair = todo.key[--todo.n];
    const int node1 = cfi_pairFirst(pair), node2 = cfi_pairSecond(pair);

    // within one tree every pair comes twice
    if (f1 == f2 && node1 > node2) {
      continue;
    }
    if (isLeafOf(&t1, node1) && isLeafOf(&t2, node2)) {
      markPair(&t1, node1, &t2, node2);
      if (found) {
        cfi_addPair(found, t1.object[node1], t2.object[node2]);
      } else {
        cfi_collideElems(m, d, f1, t1.object[node1], f2, t2.object[node2]);
      }
    } else if (!cfi_aabbsApart(t1.box + 6 * node1, t2.box + 6 * node2, margin)) {
      markPair(&t1, node1, &t2, node2);
      openPair(&todo, &t1, node1, &t2, node2);
    }
  }
}


void cfi_collideFlexTrees(const mjModel* m, mjData* d, int f1, int f2) {
  mj_markStack(d);
  cfPairList found = {.d = d};
  walkFlexes(&found, m, d, f1, f2);
  cfi_sortPairs(&found, cfi_maxInt(m->flex_elemnum[f1], m->flex_elemnum[f2]));
  for (int k = 0; k < found.n; k++) {
    cfi_collideElems(m, d, f1, cfi_pairFirst(found.key[k]), f2, cfi_pairSecond(found.key[k]));
  }
  mj_freeStack(d);
}


// contacts come in the order of the walk
void cfi_collideOwnTree(const mjModel* m, mjData* d, int f) {
  mj_markStack(d);
  walkFlexes(NULL, m, d, f, f);
  mj_freeStack(d);
}
