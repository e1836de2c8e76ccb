// Where the vertices of flexes are.
#include "flex/flex.h"

#include "base/assert.h"
#include "flex/interpolation.h"
#include "math/inline.h"

// vertices that are fixed to bodies
static void placeOnBodies(const mjModel* m, mjData* d, int f) {
  const int start = m->flex_vertadr[f], end = start + m->flex_vertnum[f];
  const bool is_centered = m->flex_centered[f];
  for (int v = start; v < end; v++) {
    const int body = m->flex_vertbodyid[v];
    mjtNum* x = d->flexvert_xpos + 3 * v;
    CF_ASSERT(0 <= body && body < m->nbody);
    if (is_centered) {
      cfi_copy3(x, d->xpos + 3 * body);
    } else {
      cfi_mulMatVec3(x, d->xmat + 9 * body, m->flex_vert + 3 * v);
      cfi_addTo3(x, d->xpos + 3 * body);
    }
  }
}


// sum over the grid, one direction after another
static inline void interpolateGrid(mjtNum res[3], const mjtNum at[3], const mjtNum* node,
                                   int order) {
  const int n = order + 1;
  mjtNum wx[3], wy[3], wz[3];
  cfi_axisWeights(wx, at[0], order);
  cfi_axisWeights(wy, at[1], order);
  cfi_axisWeights(wz, at[2], order);
  cfi_zero3(res);
  for (int i = 0; i < n; i++) {
    mjtNum plane[3] = {0, 0, 0};
    for (int j = 0; j < n; j++) {
      mjtNum line[3] = {0, 0, 0};
      for (int k = 0; k < n; k++, node += 3) {
        cfi_addToScl3(line, node, wz[k]);
      }
      cfi_addToScl3(plane, line, wy[j]);
    }
    cfi_addToScl3(res, plane, wx[i]);
  }
}


static void placeInGrid(const mjModel* m, mjData* d, int f) {
  const int order = m->flex_interp[f], start = m->flex_vertadr[f];
  mjtNum node[3 * mjMAXFLEXNODES];
  CF_ASSERT(m->flex_nodenum[f] == (order + 1) * (order + 1) * (order + 1));
  CF_ASSERT(m->flex_nodenum[f] <= mjMAXFLEXNODES);
  cfi_placeNodes(node, m, d, f);
  for (int v = start; v < start + m->flex_vertnum[f]; v++) {
    mjtNum* x = d->flexvert_xpos + 3 * v;
    if (order == 1) {
      interpolateGrid(x, m->flex_vert0 + 3 * v, node, 1);
    } else {
      interpolateGrid(x, m->flex_vert0 + 3 * v, node, 2);
    }
  }
}


void cfi_placeVertices(const mjModel* m, mjData* d, int f) {
  if (m->flex_interp[f]) {
    placeInGrid(m, d, f);
  } else {
    placeOnBodies(m, d, f);
  }
}
