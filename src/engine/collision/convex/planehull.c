// A plane against a mesh: the lowest vertex of its hull and vertices beside it.
#include "collision/convex/planehull.h"

#include "base/assert.h"
#include "math/inline.h"


static mjtNum vertexAlong(const cfConvex* s, const mjtNum dir[3], int vertex) {
  const float* v = s->vert + 3 * vertex;
  return dir[0] * (mjtNum)v[0] + dir[1] * (mjtNum)v[1] + dir[2] * (mjtNum)v[2];
}


// best of all vertices, the first of equals
static void searchVertices(cfConvex* s, const mjtNum dir[3]) {
  mjtNum most = -1e10;
  s->vertex = 0;
  for (int k = 0; k < s->nvert; k++) {
    const mjtNum value = vertexAlong(s, dir, k);
    if (value > most) {
      most = value;
      s->vertex = k;
    }
  }
}


// uphill over the hull graph to the last of the best neighbors, unless the first walk has a
// shortcut to the peak
static void climbHull(cfConvex* s, const mjtNum dir[3]) {
  const int peak = s->hull_vertex < 0 ? cfi_findPeak(s, dir) : -1;
  int at = peak >= 0 ? peak : cfi_maxInt(s->hull_vertex, 0), before = peak;
  mjtNum most = vertexAlong(s, dir, s->global_id[at]);
  while (at != before) {
    before = at;
    for (const int* e = s->edge + s->edge_adr[before]; *e >= 0; e++) {
      const mjtNum value = vertexAlong(s, dir, s->global_id[*e]);
      if (value > most) {
        most = value;
        at = *e;
      }
    }
  }
  s->hull_vertex = at;
  s->vertex = s->global_id[at];
}


void cfi_chooseVertex(cfConvex* s, const mjtNum dir[3]) {
  CF_ASSERT(s->vert && s->nvert > 0);
  if (s->edge_adr) {
    climbHull(s, dir);
  } else {
    searchVertices(s, dir);
  }
}


static void placeVertex(const cfConvex* s, int vertex, mjtNum point[3]) {
  const float* v = s->vert + 3 * vertex;
  const mjtNum local[3] = {v[0], v[1], v[2]};
  cfi_mulMatVec3(point, s->mat, local);
  cfi_addTo3(point, s->pos);
}


static cfPlaneTouch planeTouchAt(const mjtNum point[3], const mjtNum origin[3],
                                 const mjtNum normal[3]) {
  cfPlaneTouch touch;
  mjtNum offset[3];
  cfi_sub3(offset, point, origin);
  touch.dist = cfi_dot3(normal, offset);
  cfi_addScl3(touch.pos, point, normal, -0.5 * touch.dist);
  return touch;
}


int cfi_planeHull(cfPlaneTouch touch[CF_PLANE_TOUCHES], cfConvex* s, const mjtNum origin[3],
                  const mjtNum normal[3], mjtNum margin) {
  mjtNum down[3], local[3], point[3], offset[3];
  cfi_scl3(down, normal, -1);
  cfi_mulMatTVec3(local, s->mat, down);
  cfi_chooseVertex(s, local);
  placeVertex(s, s->vertex, point);
  touch[0] = planeTouchAt(point, origin, normal);
  if (touch[0].dist > margin) {
    return 0;
  }

  // the others are not too close to the first one
  const mjtNum apart = 0.3 * s->radius;
  cfi_sub3(offset, s->pos, origin);
  const mjtNum threshold = cfi_dot3(normal, offset) - margin;
  int count = 1;
  const int* neighbor = s->edge_adr ? s->edge + s->edge_adr[s->hull_vertex] : NULL;
  for (int k = 0; count < CF_PLANE_TOUCHES && (neighbor ? neighbor[k] >= 0 : k < s->nvert); k++) {
    const int vertex = neighbor ? s->global_id[neighbor[k]] : k;
    if (vertexAlong(s, local, vertex) > threshold && (neighbor || vertex != s->vertex)) {
      placeVertex(s, vertex, point);
      if (!(cfi_dist3(point, touch[0].pos) < apart)) {
        touch[count++] = planeTouchAt(point, origin, normal);
      }
    }
  }
  return count;
}
