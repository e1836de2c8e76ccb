// Middle phase: two bounding volume trees against each other.
#include <stdbool.h>

#include "base/assert.h"
#include "collision/mid/mid.h"
#include "collision/mid/obb.h"
#include "collision/narrow/pair.h"

// one body's tree
typedef struct {
  const mjtNum* box;  // center and half sizes per node, in the body's inertial frame
  const int* child;   // two per node, -1 for none
  const int* geom;    // of leaves
  mjtByte* active;    // flags, NULL when nobody looks at them
} bodyTree;

// a walk: pairs of nodes still to be visited
typedef struct {
  bodyTree tree[2];
  cfFramePair frames;
  mjtNum margin;
  uint64_t* todo;
  int ntodo, max_todo;
} treeWalk;


static bodyTree treeOf(const mjModel* m, mjData* d, int body) {
  const int adr = m->body_bvhadr[body];
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
  if (w->tree[0].active) {
    w->tree[0].active[node0] = 1;
    w->tree[1].active[node1] = 1;
  }
}


static bool boxesMeet(const cfFramePair* f, const mjtNum box0[6], const mjtNum box1[6],
                      mjtNum margin, bool are_leaves) {
  if (cfi_isUnbounded(box0) || cfi_isUnbounded(box1)) {
    return cfi_unboundedOverlap(f, box0, box1, margin, are_leaves);
  }
  return cfi_boundedOverlap(f, box0, box1, margin);
}


// bounding spheres, then bounding boxes of two geoms
static bool geomsMeet(const mjModel* m, const mjData* d, int g0, int g1) {
  const mjtNum margin = cfi_geomMargin(m, g0, g1);
  if (cfi_spheresApart(m, d, g0, g1, margin)) {
    return false;
  }
  const cfFramePair f = cfi_relateFrames(d->geom_xpos + 3 * g0, d->geom_xmat + 9 * g0,
                                         d->geom_xpos + 3 * g1, d->geom_xmat + 9 * g1);
  return boxesMeet(&f, m->geom_aabb + 6 * g0, m->geom_aabb + 6 * g1, margin, true);
}


// size by which the walk chooses the tree to open: MuJoCo subtracts the center from the half sizes
static mjtNum nodeSize(const mjtNum box[6]) {
  const mjtNum x = box[3] - box[0], y = box[4] - box[1], z = box[5] - box[2];
  return x * y + y * z + z * x;
}


static void visitLater(treeWalk* w, int node0, int node1) {
  CF_ASSERT(w->ntodo < w->max_todo);
  w->todo[w->ntodo++] = cfi_pairKey(node0, node1);
}


// replace a pair of nodes by the pairs with one node's children
static void openNode(treeWalk* w, int node0, int node1) {
  const bool leaf0 = isLeaf(&w->tree[0], node0), leaf1 = isLeaf(&w->tree[1], node1);
  bool open0 = leaf1;
  if (!leaf0 && !leaf1) {
    open0 = nodeSize(w->tree[0].box + 6 * node0) > nodeSize(w->tree[1].box + 6 * node1);
  }
  for (int k = 0; k < 2; k++) {
    const int child0 = open0 ? w->tree[0].child[2 * node0 + k] : node0;
    const int child1 = open0 ? node1 : w->tree[1].child[2 * node1 + k];
    if (child0 >= 0 && child1 >= 0) {
      visitLater(w, child0, child1);
    }
  }
}


static void walkTrees(cfPairList* list, treeWalk* w, const mjModel* m, const mjData* d) {
  visitLater(w, 0, 0);
  while (w->ntodo) {
    const uint64_t pair = w->todo[--w->ntodo];
    const int node0 = cfi_pairFirst(pair), node1 = cfi_pairSecond(pair);
    if (isLeaf(&w->tree[0], node0) && isLeaf(&w->tree[1], node1)) {
      const int g0 = w->tree[0].geom[node0], g1 = w->tree[1].geom[node1];
      if (geomsMeet(m, d, g0, g1)) {
        cfi_addPair(list, g0, g1);
        markActive(w, node0, node1);
      }
    } else if (boxesMeet(&w->frames, w->tree[0].box + 6 * node0, w->tree[1].box + 6 * node1,
                         w->margin, false)) {
      markActive(w, node0, node1);
      openNode(w, node0, node1);
    }
  }
}


void cfi_collideTrees(cfPairList* list, const mjModel* m, mjData* d, int body1, int body2) {
  enum { ENOUGH = 64 };
  uint64_t local[ENOUGH];

  // at most one pending pair per level and child
  const int need = m->body_bvhnum[body1] + m->body_bvhnum[body2] + 1;
  treeWalk w = {
      .tree = {treeOf(m, d, body1), treeOf(m, d, body2)},
      .frames = cfi_relateFrames(d->xipos + 3 * body1, d->ximat + 9 * body1, d->xipos + 3 * body2,
                                 d->ximat + 9 * body2),
      .margin = cfi_overrideMargin(m, m->body_margin[body1] + m->body_margin[body2]),
      .todo = local,
      .max_todo = ENOUGH,
  };
  if (need > ENOUGH) {
    w.todo = (uint64_t*)mj_stackAllocByte(d, (size_t)need * sizeof(uint64_t), _Alignof(uint64_t));
    w.max_todo = need;
  }
  walkTrees(list, &w, m, d);
}
