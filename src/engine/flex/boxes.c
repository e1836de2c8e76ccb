// Boxes around elements of flexes, and the tree over them.
#include "flex/flex.h"

#include "base/assert.h"
#include "math/inline.h"

// box around n vertices, grown by a radius, as center and half sizes
static inline void boundVertices(mjtNum box[6], const mjtNum* xpos, const int* vertex, int n,
                                 mjtNum radius) {
  for (int k = 0; k < 3; k++) {
    mjtNum low = xpos[3 * vertex[0] + k], high = low;
    for (int i = 1; i < n; i++) {
      const mjtNum x = xpos[3 * vertex[i] + k];
      low = cfi_min(low, x);
      high = cfi_max(high, x);
    }
    box[k] = 0.5 * (high + low);
    box[3 + k] = 0.5 * (high - low) + radius;
  }
}


static inline void boundAll(const mjModel* m, mjData* d, int f, int corners) {
  const mjtNum* xpos = d->flexvert_xpos + 3 * m->flex_vertadr[f];
  const int* vertex = m->flex_elem + m->flex_elemdataadr[f];
  mjtNum* box = d->flexelem_aabb + 6 * m->flex_elemadr[f];
  for (int e = 0; e < m->flex_elemnum[f]; e++, vertex += corners, box += 6) {
    boundVertices(box, xpos, vertex, corners, m->flex_radius[f]);
  }
}


void cfi_boundElements(const mjModel* m, mjData* d, int f) {
  CF_ASSERT(1 <= m->flex_dim[f] && m->flex_dim[f] <= 3);
  if (m->flex_dim[f] == 1) {
    boundAll(m, d, f, 2);
  } else if (m->flex_dim[f] == 2) {
    boundAll(m, d, f, 3);
  } else {
    boundAll(m, d, f, 4);
  }
}


// smallest box around two
static void joinBoxes(mjtNum box[6], const mjtNum a[6], const mjtNum b[6]) {
  for (int k = 0; k < 3; k++) {
    const mjtNum low = cfi_min(a[k] - a[3 + k], b[k] - b[3 + k]);
    const mjtNum high = cfi_max(a[k] + a[3 + k], b[k] + b[3 + k]);
    box[k] = 0.5 * (high + low);
    box[3 + k] = 0.5 * (high - low);
  }
}


// children come after their parents
void cfi_refitTree(const mjModel* m, mjData* d, int f) {
  const int root = m->flex_bvhadr[f];
  const int *child = m->bvh_child + 2 * root, *elem = m->bvh_nodeid + root;
  const mjtNum* leaf = d->flexelem_aabb + 6 * m->flex_elemadr[f];
  CF_ASSERT(root >= m->nbvhstatic);
  mjtNum* box = d->bvh_aabb_dyn + 6 * (root - m->nbvhstatic);
  for (int i = m->flex_bvhnum[f] - 1; i >= 0; i--) {
    if (elem[i] >= 0) {
      cfi_copy6(box + 6 * i, leaf + 6 * elem[i]);
    } else {
      CF_ASSERT(child[2 * i] > i && child[2 * i + 1] > i);
      joinBoxes(box + 6 * i, box + 6 * child[2 * i], box + 6 * child[2 * i + 1]);
    }
  }
}
