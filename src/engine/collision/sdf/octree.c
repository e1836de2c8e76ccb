// Signed distance of a mesh from its octree: trilinear inside a leaf, plus the distance to the box
// outside of it.
#include <math.h>

#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "collision/sdf/distance.h"
#include "math/inline.h"

enum { DEPTH_MAX = 100 };

typedef struct {
  const mjtNum *aabb, *coeff;
  const int* child;
} octree;

// a leaf and the place of a point in it, each coordinate from 0 to 1
typedef struct {
  int node;
  mjtNum at[3];
} octreeLeaf;


static octree octreeOf(const mjModel* m, int mesh) {
  const int adr = m->mesh_octadr[mesh];
  return (octree){m->oct_aabb + 6 * adr, m->oct_coeff + 8 * adr, m->oct_child + 8 * adr};
}


// distance to the root box, positive outside; a point outside is moved just inside
static mjtNum pullInside(mjtNum p[3], const mjtNum box[6]) {
  const mjtNum nudge = 1e-6;
  mjtNum off[3], beyond[3], square = 0;
  for (int k = 0; k < 3; k++) {
    off[k] = p[k] - box[k];
    beyond[k] = fabs(off[k]) - box[k + 3];
  }
  if (beyond[0] <= 0 && beyond[1] <= 0 && beyond[2] <= 0) {
    return cfi_max(beyond[0], cfi_max(beyond[1], beyond[2]));
  }
  for (int k = 0; k < 3; k++) {
    if (beyond[k] >= 0) {
      square += beyond[k] * beyond[k];
      p[k] -= off[k] > 0 ? beyond[k] + nudge : -(beyond[k] + nudge);
    }
  }
  return sqrt(square);
}


static bool isLeafCell(const octree* t, int node) {
  CF_ASSERT(node >= 0);
  for (int k = 0; k < 8; k++) {
    if (t->child[8 * node + k] != -1) {
      return false;
    }
  }
  return true;
}


// is a / b, rounded, at least one half?  Only next to the middle does it take the division
static inline bool isUpperHalf(mjtNum a, mjtNum b) {
  const mjtNum middle = 0.5 * b, clearly_below = 1 - 1e-15;
  return a >= middle || (a > middle * clearly_below && a / b >= 0.5);
}


static octreeLeaf findLeaf(const octree* t, const mjtNum p[3]) {
  int node = 0;
  for (int depth = 0; depth < DEPTH_MAX; depth++) {
    const mjtNum* box = t->aabb + 6 * node;
    mjtNum from_low[3], size[3];
    int child = 0;
    for (int k = 0; k < 3; k++) {
      const mjtNum low = box[k] - box[k + 3], high = box[k] + box[k + 3];
      from_low[k] = p[k] - low;
      size[k] = high - low;
      child |= isUpperHalf(from_low[k], size[k]) << k;
    }
    const int next = t->child[8 * node + child];
    if (next >= 0) {
      node = next;
    } else if (isLeafCell(t, node)) {
      return (octreeLeaf){node,
                          {from_low[0] / size[0], from_low[1] / size[1], from_low[2] / size[2]}};
    } else {
      break;
    }
  }
  mju_error("signed distance: the octree of a mesh has no leaf for a point");
  return (octreeLeaf){.node = 0};
}


// weight of corner k along one axis, or its slope
static mjtNum cornerWeight(const octreeLeaf* leaf, int corner, int axis) {
  return corner & (1 << axis) ? leaf->at[axis] : 1 - leaf->at[axis];
}


mjtNum cfi_octreeDistance(const mjModel* m, int mesh, const mjtNum x[3]) {
  CF_ASSERT(mesh >= 0 && mesh < m->nmesh && m->mesh_octadr[mesh] >= 0);
  const octree t = octreeOf(m, mesh);
  mjtNum p[3], sum = 0;
  cfi_copy3(p, x);
  const mjtNum outside = pullInside(p, t.aabb);
  const octreeLeaf leaf = findLeaf(&t, p);
  for (int k = 0; k < 8; k++) {
    const mjtNum weight =
        cornerWeight(&leaf, k, 0) * cornerWeight(&leaf, k, 1) * cornerWeight(&leaf, k, 2);
    sum += weight * t.coeff[8 * leaf.node + k];
  }
  return outside > 0 ? sum + outside : sum;
}


// slope of the interpolation in a leaf, per unit of the leaf's own coordinates
static void leafGradient(const octree* t, const octreeLeaf* leaf, mjtNum res[3]) {
  cfi_zero3(res);
  for (int k = 0; k < 8; k++) {
    for (int axis = 0; axis < 3; axis++) {
      const int i = (axis + 1) % 3, j = (axis + 2) % 3;
      const mjtNum side = k & (1 << axis) ? 1 : -1;
      res[axis] += side * cornerWeight(leaf, k, i < j ? i : j) *
                   cornerWeight(leaf, k, i < j ? j : i) * t->coeff[8 * leaf->node + k];
    }
  }
}


void cfi_octreeGradient(const mjModel* m, int mesh, const mjtNum x[3], mjtNum res[3]) {
  CF_ASSERT(mesh >= 0 && mesh < m->nmesh && m->mesh_octadr[mesh] >= 0);
  const octree t = octreeOf(m, mesh);
  mjtNum p[3];
  cfi_copy3(p, x);
  if (pullInside(p, t.aabb) <= 0) {
    const octreeLeaf leaf = findLeaf(&t, p);
    leafGradient(&t, &leaf, res);
    return;
  }

  // outside: forward differences
  const mjtNum eps = 1e-8, here = cfi_octreeDistance(m, mesh, x);
  for (int k = 0; k < 3; k++) {
    cfi_copy3(p, x);
    p[k] += eps;
    res[k] = (cfi_octreeDistance(m, mesh, p) - here) / eps;
  }
}
