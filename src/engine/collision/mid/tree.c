// Middle phase: two bounding volume trees against each other.
#include <stdbool.h>

#include "base/assert.h"
#include "collision/mid/mid.h"
#include "collision/mid/obb.h"
#include "collision/narrow/pair.h"
#include "model/extension.h"

// one body's tree
typedef struct {
  const mjtNum* box;  // center and half sizes per node, in the body's inertial frame
  const int* child;   // two per node, -1 for none
  const int* geom;    // of leaves
  mjtByte* active;    // flags, NULL when nobody looks at them
} bodyTree;

// two trees
typedef struct {
  const mjData* d;
  bodyTree tree[2];
  int body[2];
  cfFramePair frames;          // of the bodies, once two boxes with ends are compared
  bool has_frames, has_plane;  // are they there; the root of one tree has no end
  mjtNum margin;
} treeWalk;


static bodyTree treeOf(const mjModel* m, mjData* d, int body) {
  const int adr = m->body_bvhadr[body];
  CF_ASSERT(adr >= 0 && adr + m->body_bvhnum[body] <= m->nbvh);
  cfi_noteMarks(cfi_dataExtension(d), adr + m->body_bvhnum[body]);
  return (bodyTree){
      .box = m->bvh_aabb + 6 * adr,
      .child = m->bvh_child + 2 * adr,
      .geom = m->bvh_nodeid + adr,
      .active = m->vis.global.bvactive ? d->bvh_active + adr : NULL,
  };
}


static bool isLeaf(const bodyTree* t, int node) {
  return t->child[2 * node] < 0 && t->child[2 * node + 1] < 0;
}


static void markActive(const treeWalk* w, int node0, int node1) {
  CF_ASSERT(node0 >= 0 && node1 >= 0);
  if (w->tree[0].active) {
    cfi_markNode(w->tree[0].active + node0);
    cfi_markNode(w->tree[1].active + node1);
  }
}


// bounding spheres, then bounding boxes of two geoms
static inline __attribute__((always_inline)) bool geomsMeet(const mjModel* m, const mjData* d,
                                                            int g0, int g1) {
  CF_ASSERT(g0 >= 0 && g0 < m->ngeom && g1 >= 0 && g1 < m->ngeom);
  const mjtNum margin = cfi_geomMargin(m, g0, g1);
  if (cfi_spheresApart(m, d, g0, g1, margin)) {
    return false;
  }
  const mjtNum *box0 = m->geom_aabb + 6 * g0, *box1 = m->geom_aabb + 6 * g1;
  const mjtNum *pos0 = d->geom_xpos + 3 * g0, *mat0 = d->geom_xmat + 9 * g0;
  const mjtNum *pos1 = d->geom_xpos + 3 * g1, *mat1 = d->geom_xmat + 9 * g1;
  if (cfi_isUnbounded(box0) || cfi_isUnbounded(box1)) {
    const cfObb a = {box0, pos0, mat0}, b = {box1, pos1, mat1};
    return cfi_unboundedOverlap(&a, &b, margin, true);
  }
  cfFramePair f;
  cfi_relateFrames(&f, pos0, mat0, pos1, mat1);
  return cfi_boundedOverlap(&f, box0, box1, margin);
}


bool cfi_leavesMeet(const mjModel* m, const mjData* d, int g0, int g1) {
  return geomsMeet(m, d, g0, g1);
}


// bounding boxes of two nodes with ends
static bool boundedMeet(treeWalk* w, const mjtNum box0[6], const mjtNum box1[6]) {
  if (!w->has_frames) {
    const mjData* d = w->d;
    cfi_relateFrames(&w->frames, d->xipos + 3 * w->body[0], d->ximat + 9 * w->body[0],
                     d->xipos + 3 * w->body[1], d->ximat + 9 * w->body[1]);
    w->has_frames = true;
  }
  return cfi_boundedOverlap(&w->frames, box0, box1, w->margin);
}


// bounding boxes of two nodes; those that hold several planes usually are everywhere
static bool nodesMeet(treeWalk* w, int node0, int node1) {
  CF_ASSERT(node0 >= 0 && node1 >= 0);
  const mjtNum *box0 = w->tree[0].box + 6 * node0, *box1 = w->tree[1].box + 6 * node1;
  if (!w->has_plane || (!cfi_isUnbounded(box0) && !cfi_isUnbounded(box1))) {
    return boundedMeet(w, box0, box1);
  }
  if (cfi_isEverywhere(box0) || cfi_isEverywhere(box1)) {
    return true;
  }
  const mjData* d = w->d;
  const cfObb a = {box0, d->xipos + 3 * w->body[0], d->ximat + 9 * w->body[0]},
              b = {box1, d->xipos + 3 * w->body[1], d->ximat + 9 * w->body[1]};
  return cfi_unboundedOverlap(&a, &b, w->margin, false);
}


// size by which the walk chooses the tree to open: MuJoCo subtracts the center from the half sizes
static mjtNum nodeSize(const mjtNum box[6]) {
  const mjtNum x = box[3] - box[0], y = box[4] - box[1], z = box[5] - box[2];
  return x * y + y * z + z * x;
}


// replace a pair of nodes by the pairs with one node's children
static void openNode(cfPairList* todo, const treeWalk* w, uint64_t pair) {
  const int node0 = cfi_pairFirst(pair), node1 = cfi_pairSecond(pair);
  const bool leaf0 = isLeaf(&w->tree[0], node0), leaf1 = isLeaf(&w->tree[1], node1);
  bool open0 = leaf1;
  CF_ASSERT(!leaf0 || !leaf1);
  if (!leaf0 && !leaf1) {
    open0 = nodeSize(w->tree[0].box + 6 * node0) > nodeSize(w->tree[1].box + 6 * node1);
  }
  const int* child = open0 ? w->tree[0].child + 2 * node0 : w->tree[1].child + 2 * node1;
  const uint64_t stays = pair & (open0 ? cfi_pairKey(0, -1) : cfi_pairKey(-1, 0));
  for (int k = 0; k < 2; k++) {
    if (child[k] >= 0) {
      cfi_addKey(todo, open0 ? cfi_pairKey(child[k], 0) | stays : stays | cfi_pairKey(0, child[k]));
    }
  }
}


// visit the pairs on the list and those below them; apart, since most pairs of trees end at their
// roots
static __attribute__((noinline)) void walkTrees(cfTreeScratch* s, treeWalk* w, const mjModel* m,
                                                mjData* d) {
  while (s->todo.n) {
    const uint64_t pair = s->todo.key[--s->todo.n];
    const int node0 = cfi_pairFirst(pair), node1 = cfi_pairSecond(pair);
    if (isLeaf(&w->tree[0], node0) && isLeaf(&w->tree[1], node1)) {
      const int g0 = w->tree[0].geom[node0], g1 = w->tree[1].geom[node1];
      CF_ASSERT(m->geom_bodyid[g0] == w->body[0] && m->geom_bodyid[g1] == w->body[1]);
      if (geomsMeet(m, d, g0, g1)) {
        cfi_addPair(&s->found, g0, g1);
        markActive(w, node0, node1);
      }
    } else if (nodesMeet(w, node0, node1)) {
      markActive(w, node0, node1);
      openNode(&s->todo, w, pair);
    }
  }
}


// does every box that holds others have no end in any direction?
static bool isAllEverywhere(const bodyTree* t, int n) {
  for (int node = 0; node < n; node++) {
    if (!isLeaf(t, node) && !cfi_isEverywhere(t->box + 6 * node)) {
      return false;
    }
  }
  return true;
}


// a body with several planes, the tree of `side`, against a single geom: no box keeps them apart,
// so that every leaf is asked and nothing has to be listed.  The order of what is found is free.
// Apart for the same reason as the walk
static __attribute__((noinline)) void askPlanes(cfTreeScratch* s, const treeWalk* w,
                                                const mjModel* m, mjData* d, int side, int n) {
  const bodyTree *planes = w->tree + side, *single = w->tree + !side;
  for (int node = 0; node < n; node++) {
    const int g = planes->geom[node], node0 = side ? 0 : node, node1 = side ? node : 0;
    if (!isLeaf(planes, node)) {
      markActive(w, node0, node1);
      continue;
    }
    const int g0 = side ? single->geom[0] : g, g1 = side ? g : single->geom[0];
    if (geomsMeet(m, d, g0, g1)) {
      cfi_addPair(&s->found, g0, g1);
      markActive(w, node0, node1);
    }
  }
}


// bodies of which one geom each collides, whatever else they show: the usual part of a robot
static void collideLeaves(cfTreeScratch* s, const mjModel* m, mjData* d, int adr1, int adr2) {
  const int g1 = m->bvh_nodeid[adr1], g2 = m->bvh_nodeid[adr2];
  if (!geomsMeet(m, d, g1, g2)) {
    return;
  }
  cfi_addPair(&s->found, g1, g2);
  if (m->vis.global.bvactive) {
    cfi_noteMarks(cfi_dataExtension(d), cfi_maxInt(adr1, adr2) + 1);
    cfi_markNode(d->bvh_active + adr1);
    cfi_markNode(d->bvh_active + adr2);
  }
}


bool cfi_treesApart(const mjModel* m, const mjData* d, int body1, int body2) {
  const int adr1 = m->body_bvhadr[body1], adr2 = m->body_bvhadr[body2];
  CF_ASSERT(adr1 >= 0 && adr2 >= 0);
  if (m->body_bvhnum[body1] == 1 && m->body_bvhnum[body2] == 1) {
    const int g1 = m->bvh_nodeid[adr1], g2 = m->bvh_nodeid[adr2];
    return cfi_spheresApart(m, d, g1, g2, cfi_geomMargin(m, g1, g2));
  }
  const mjtNum *box1 = m->bvh_aabb + 6 * adr1, *box2 = m->bvh_aabb + 6 * adr2;
  if (cfi_isUnbounded(box1) || cfi_isUnbounded(box2)) {
    return false;
  }
  cfFramePair frames;
  cfi_relateFrames(&frames, d->xipos + 3 * body1, d->ximat + 9 * body1, d->xipos + 3 * body2,
                   d->ximat + 9 * body2);
  const mjtNum margin = cfi_overrideMargin(m, m->body_margin[body1] + m->body_margin[body2]);
  return !cfi_boundedOverlap(&frames, box1, box2, margin);
}


// begin a walk over the trees of two bodies; false where the boxes of their roots are apart, as
// many are: before anything else is looked up
static inline __attribute__((always_inline)) bool rootsMeet(treeWalk* w, const mjModel* m,
                                                            mjData* d, int body1, int body2) {
  const mjtNum* box1 = m->bvh_aabb + 6 * m->body_bvhadr[body1];
  const mjtNum* box2 = m->bvh_aabb + 6 * m->body_bvhadr[body2];
  w->d = d;
  w->body[0] = body1;
  w->body[1] = body2;
  w->has_frames = false;
  w->has_plane = cfi_isUnbounded(box1) || cfi_isUnbounded(box2);
  w->margin = cfi_overrideMargin(m, m->body_margin[body1] + m->body_margin[body2]);
  return w->has_plane || boundedMeet(w, box1, box2);
}


// from the roots on
static inline __attribute__((always_inline)) void walkFromRoots(cfTreeScratch* s, treeWalk* w,
                                                                const mjModel* m, mjData* d) {
  w->tree[0] = treeOf(m, d, w->body[0]);
  w->tree[1] = treeOf(m, d, w->body[1]);
  const int n1 = m->body_bvhnum[w->body[0]], n2 = m->body_bvhnum[w->body[1]], side = n1 == 1;
  if (w->has_plane && (n1 == 1 || n2 == 1) && isAllEverywhere(w->tree + side, side ? n2 : n1)) {
    askPlanes(s, w, m, d, side, side ? n2 : n1);
    return;
  }
  if (w->has_plane) {
    cfi_addPair(&s->todo, 0, 0);
  } else {
    markActive(w, 0, 0);
    openNode(&s->todo, w, cfi_pairKey(0, 0));
  }
  walkTrees(s, w, m, d);
}


void cfi_collideTrees(cfTreeScratch* s, const mjModel* m, mjData* d, int body1, int body2) {
  s->found.n = s->todo.n = 0;
  if (m->body_bvhnum[body1] == 1 && m->body_bvhnum[body2] == 1) {
    collideLeaves(s, m, d, m->body_bvhadr[body1], m->body_bvhadr[body2]);
    return;
  }
  treeWalk w;
  if (rootsMeet(&w, m, d, body1, body2)) {
    walkFromRoots(s, &w, m, d);
  }
}
