// Checks of bounding volume trees and octrees: children come after their parent, each node once.
#include <string.h>

#include "base/assert.h"
#include "base/memory.h"
#include "model/checker.h"

// one tree: nodes of `width` children each, indices relative to the first node
typedef struct {
  const char* name;
  const int* child;
  mjtSize adr, num;
  int width;
} Tree;


// nodes have all children or none; a child comes after its parent and has no other, so that every
// walk ends and no node is visited twice
static bool checkNodes(const cfChecker* c, Tree t, mjtByte* has_parent) {
  for (mjtSize node = 0; node < t.num; node++) {
    const int* child = t.child + (t.adr + node) * t.width;
    const bool is_leaf = child[0] == -1;
    for (int k = 0; k < t.width; k++) {
      const mjtSize at = (t.adr + node) * t.width + k;
      if (is_leaf ? !cfi_checkEqual(c, t.name, at, child[k], -1)
                  : !cfi_checkValue(c, t.name, at, child[k], node + 1, t.num)) {
        return false;
      }
      if (!is_leaf && has_parent[child[k]]++) {
        return cfi_complain(c, "%s[%lld] is %d, which is the child of another node already", t.name,
                            (long long)at, child[k]);
      }
    }
  }
  return true;
}


// a tree that is there has a root: code asks for the address alone
static bool checkTree(const cfChecker* c, Tree t) {
  if (!t.num) {
    return t.adr == -1 ||
           cfi_complain(c, "%s: a tree at %lld has no nodes", t.name, (long long)t.adr);
  }
  mjtByte* has_parent = cfi_tryMalloc((size_t)t.num);
  if (!has_parent) {
    return cfi_complain(c, "%s: no memory to check %lld nodes", t.name, (long long)t.num);
  }
  memset(has_parent, 0, (size_t)t.num);
  const bool is_good = checkNodes(c, t, has_parent);
  mju_free(has_parent);
  return is_good;
}


// leaves of a bounding volume tree hold an object in [first, first+count).  Inner nodes hold -1, or
// an object that stood there before static bodies were fused; nothing reads it
static bool checkLeaves(const cfChecker* c, mjtSize adr, mjtSize num, mjtSize first,
                        mjtSize count) {
  CF_ASSERT(num >= 0 && count >= 0);
  const mjModel* m = c->m;
  for (mjtSize node = adr; node < adr + num; node++) {
    const bool is_leaf = m->bvh_child[2 * node] < 0;
    if (!cfi_checkValue(c, "bvh_nodeid", node, m->bvh_nodeid[node], is_leaf ? first : -1,
                        first + count)) {
      return false;
    }
  }
  return true;
}


static bool checkBvh(const cfChecker* c, mjtSize adr, mjtSize num, mjtSize first, mjtSize count) {
  return checkTree(c, (Tree){"bvh_child", c->m->bvh_child, adr, num, 2}) &&
         checkLeaves(c, adr, num, first, count);
}


bool cfi_checkVolumes(const cfChecker* c) {
  const mjModel* m = c->m;
  if (m->nbvh != m->nbvhstatic + m->nbvhdynamic) {
    return cfi_complain(c, "nbvh is %lld, expected the sum of nbvhstatic and nbvhdynamic",
                        (long long)m->nbvh);
  }
  for (int b = 0; b < m->nbody; b++) {
    if (!checkBvh(c, m->body_bvhadr[b], m->body_bvhnum[b], m->body_geomadr[b],
                  m->body_geomnum[b])) {
      return false;
    }
  }
  for (int k = 0; k < m->nmesh; k++) {
    if (!checkBvh(c, m->mesh_bvhadr[k], m->mesh_bvhnum[k], 0, m->mesh_facenum[k]) ||
        !checkTree(c, (Tree){"oct_child", m->oct_child, m->mesh_octadr[k], m->mesh_octnum[k], 8})) {
      return false;
    }
  }
  for (int f = 0; f < m->nflex; f++) {
    // boxes of flexes move and live behind the static ones
    if (m->flex_bvhnum[f] &&
        !cfi_checkValue(c, "flex_bvhadr", f, m->flex_bvhadr[f], m->nbvhstatic, m->nbvh)) {
      return false;
    }
    if (!checkBvh(c, m->flex_bvhadr[f], m->flex_bvhnum[f], 0, m->flex_elemnum[f])) {
      return false;
    }
  }
  return true;
}
