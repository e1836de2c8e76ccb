// Farthest vertices of meshes: all of them are compared, or a walk leads uphill over the graph of
// the hull.
#include <float.h>

#include "base/assert.h"
#include "collision/convex/support.h"
#include "math/simd/lanetest.h"
#include "model/hullstart.h"

static inline mjtNum along(const cfConvex* s, cfVec3 dir, int vertex) {
  const float* v = s->vert + 3 * vertex;
  return dir.x * (mjtNum)v[0] + dir.y * (mjtNum)v[1] + dir.z * (mjtNum)v[2];
}


static inline void chosenVertex(const cfConvex* s, mjtNum res[3]) {
  const float* v = s->vert + 3 * s->vertex;
  cfi_putPoint(s, v[0], v[1], v[2], res);
}


// ---------------------------------------- all vertices

// how high the few vertices of a mesh stand along a direction
typedef struct {
  mjtNum at[CF_FEW_VERTICES];
  cfLane last;  // of the last four vertices
  mjtNum most;
} vertexHeights;

static inline cfLane fourHeights(const cfConvex* s, cfLaneVec dirs, int first) {
  return cfi_laneVecDot(dirs, cfi_laneVecFloats(s->vert + 3 * (size_t)first));
}


// the last four come first: the groups of four that are read again later are then stored last
static inline void findHeights(vertexHeights* h, const cfConvex* s, cfVec3 dir) {
  CF_ASSERT(cfi_hasFewVertices(s));
  const cfLaneVec dirs = cfi_laneVecSpread(dir.x, dir.y, dir.z);
  cfLane most = h->last = fourHeights(s, dirs, s->nvert - 4);
  cfi_laneStore(h->at + s->nvert - 4, h->last);
  for (int k = 0; k + 4 < s->nvert; k += 4) {
    const cfLane heights = fourHeights(s, dirs, k);
    cfi_laneStore(h->at + k, heights);
    most = cfi_laneMax(heights, most);
  }
  h->most = cfi_laneLargest(most);
}


// bit k: vertex k is at least so high; none if heights are no numbers
static inline unsigned verticesFrom(const vertexHeights* h, const cfConvex* s, mjtNum height) {
  const cfLane least = cfi_laneSpread(height);
  unsigned found = (unsigned)cfi_laneAtLeastMask(h->last, least) << (s->nvert - 4);
  for (int k = 0; k + 4 < s->nvert; k += 4) {
    found |= (unsigned)cfi_laneAtLeastMask(cfi_laneLoad(h->at + k), least) << k;
  }
  return found;
}


// the highest of eight vertices (meshes of boxes) as bits, none if heights are no numbers; heights
// stay in registers
static inline unsigned highestOfEight(const cfConvex* s, cfVec3 dir) {
  CF_ASSERT(s->nvert == 8);
  const cfLaneVec dirs = cfi_laneVecSpread(dir.x, dir.y, dir.z);
  const cfLane low = fourHeights(s, dirs, 0), high = fourHeights(s, dirs, 4);
  const mjtNum most = cfi_laneLargest(cfi_laneMax(high, cfi_laneMax(low, high)));
  const cfLane least = cfi_laneSpread(most);
  return most > -FLT_MAX ? (unsigned)cfi_laneAtLeastMask(low, least) |
                               (unsigned)cfi_laneAtLeastMask(high, least) << 4
                         : 0;
}


// any number of vertices, four at a time; the last choice is compared first, so that it wins a tie
static int highestOfMany(const cfConvex* s, cfVec3 dir) {
  const cfLaneVec dirs = cfi_laneVecSpread(dir.x, dir.y, dir.z);
  int k = 0, best = s->vertex >= 0 ? s->vertex : 0;
  mjtNum most = s->vertex >= 0 ? along(s, dir, best) : -FLT_MAX;
  for (; k + 4 <= s->nvert; k += 4) {
    const cfLane heights = fourHeights(s, dirs, k);
    const mjtNum highest = cfi_laneLargest(heights);
    if (highest > most) {
      most = highest;
      best = k + __builtin_ctz((unsigned)cfi_laneEqualMask(heights, cfi_laneSpread(highest)));
    }
  }
  for (; k < s->nvert; k++) {
    const mjtNum height = along(s, dir, k);
    if (height > most) {
      most = height;
      best = k;
    }
  }
  return best;
}


// all vertices; the last choice wins a tie, then the first vertex
void cfi_supportMesh(cfConvex* s, const mjtNum dir[3], mjtNum res[3]) {
  const cfVec3 local = cfi_turnBack(s, dir);
  unsigned highest = 0;
  if (s->nvert == 8) {
    highest = highestOfEight(s, local);
  } else if (cfi_hasFewVertices(s)) {
    vertexHeights h;
    findHeights(&h, s, local);
    highest = h.most > -FLT_MAX ? verticesFrom(&h, s, h.most) : 0;
  }
  if (!highest) {
    s->vertex = highestOfMany(s, local);
  } else if (s->vertex < 0 || !(highest >> s->vertex & 1)) {
    const int first = __builtin_ctz(highest);
    s->vertex = first < 8 && s->guesses ? cfi_guessCorner(first) : first;
  }
  chosenVertex(s, res);
}


// ---------------------------------------- walks

// a walk uphill over the hull graph
typedef struct {
  cfVec3 dir;
  mjtNum most;
  int at, before;
} hullWalk;

// on to the best neighbor; false where none is better
static inline bool climb(const cfConvex* s, hullWalk* w) {
  CF_ASSERT(w != NULL);
  mjtNum most = w->most;
  w->before = w->at;
  for (const int* e = s->edge + s->edge_adr[w->before]; *e >= 0; e++) {
    const mjtNum value = along(s, w->dir, s->global_id[*e]);
    if (value > most) {
      most = value;
      w->at = *e;
    }
  }
  w->most = most;
  return w->at != w->before;
}


// a vertex this much higher than all its neighbors is the peak of the hull, to which all walks
// lead: neither rounding nor the flaws of a hull reach as far.  The hull was found before its
// vertices were turned and stored as floats, which moves them by some 1e-7.  Where heights are
// almost equal, the way to them decides
static inline mjtNum clearDrop(const cfConvex* s) {
  const mjtNum relative_drop = 1e-6;
  return relative_drop * s->radius;
}


// the peak, found from a start near to it; -1 if it does not stand out
static int findPeak(const cfConvex* s, cfVec3 dir) {
  int at = s->start ? s->start[cfi_hullDirection(dir.x, dir.y, dir.z)] : 0;
  if (at <= 0 || at >= s->nhull) {
    return -1;
  }
  mjtNum height = along(s, dir, s->global_id[at]);
  for (;;) {
    hullWalk w = {.dir = dir, .most = -FLT_MAX, .at = at};
    climb(s, &w);
    if (!(w.most > height)) {
      return height - w.most > clearDrop(s) ? at : -1;
    }
    height = w.most;
    at = w.at;
  }
}


int cfi_findPeak(const cfConvex* s, const mjtNum dir[3]) {
  return findPeak(s, cfi_loadVec(dir));
}


// first walk of a shape: from its first vertex, unless a hint leads to the peak; false if nothing
// is left to do
static bool beginFirstWalk(const cfConvex* s, hullWalk* w) {
  const int peak = findPeak(s, w->dir);
  w->at = peak >= 0 ? peak : 0;
  return peak < 0;
}


// later walks: from the last choice, which is not compared, so that the walk always leaves it for
// the best neighbor.  It would come back to a peak in two more steps
static inline bool beginNextWalk(const cfConvex* s, hullWalk* w) {
  const int start = w->at;
  const mjtNum height = along(s, w->dir, s->global_id[start]);
  const bool goes = climb(s, w);
  if (height - w->most > clearDrop(s)) {
    w->at = start;
    return false;
  }
  return goes;
}


static inline bool beginWalk(const cfConvex* s, const mjtNum dir[3], hullWalk* w) {
  *w = (hullWalk){.dir = cfi_turnBack(s, dir), .most = -FLT_MAX, .at = s->hull_vertex};
  return w->at < 0 ? beginFirstWalk(s, w) : beginNextWalk(s, w);
}


static inline void endWalk(cfConvex* s, const hullWalk* w, mjtNum res[3]) {
  s->hull_vertex = w->at;
  s->vertex = s->global_id[w->at];
  chosenVertex(s, res);
}


void cfi_supportHull(cfConvex* s, const mjtNum dir[3], mjtNum res[3]) {
  hullWalk w;
  bool goes = beginWalk(s, dir, &w);
  while (goes) {
    goes = climb(s, &w);
  }
  endWalk(s, &w, res);
}


// two walks in turn: every step waits for the one before it, so that two chains take little longer
// than one
void cfi_supportTwoHulls(cfConvex* a, const mjtNum dir_a[3], mjtNum res_a[3], cfConvex* b,
                         const mjtNum dir_b[3], mjtNum res_b[3]) {
  hullWalk wa, wb;
  bool goes_a = beginWalk(a, dir_a, &wa), goes_b = beginWalk(b, dir_b, &wb);
  while (goes_a && goes_b) {
    goes_a = climb(a, &wa);
    goes_b = climb(b, &wb);
  }
  while (goes_a) {
    goes_a = climb(a, &wa);
  }
  while (goes_b) {
    goes_b = climb(b, &wb);
  }
  endWalk(a, &wa, res_a);
  endWalk(b, &wb, res_b);
}


// ---------------------------------------- small hulls

// number in the hull of a vertex of the mesh
static int hullNumber(const cfConvex* s, int vertex) {
  for (int k = 0; k < s->nhull; k++) {
    if (s->global_id[k] == vertex) {
      return k;
    }
  }
  return 0;
}


// the walk of a hull whose heights are known; returns the vertex of the mesh where it ends
static int walkByHeights(const cfConvex* s, const vertexHeights* h) {
  int at = hullNumber(s, s->vertex), before;
  mjtNum most = -FLT_MAX;
  do {
    before = at;
    for (const int* e = s->edge + s->edge_adr[before]; *e >= 0; e++) {
      const mjtNum height = h->at[s->global_id[*e]];
      at ^= (at ^ *e) & -(height > most);
      most = height > most ? height : most;
    }
  } while (at != before);
  return s->global_id[at];
}


// the peak, if one vertex stands out from all others; else where a walk from the last choice leads
void cfi_supportSmallHull(cfConvex* s, const mjtNum dir[3], mjtNum res[3]) {
  vertexHeights h;
  findHeights(&h, s, cfi_turnBack(s, dir));
  const unsigned high = verticesFrom(&h, s, h.most - clearDrop(s));
  s->vertex = high && !(high & (high - 1)) ? __builtin_ctz(high) : walkByHeights(s, &h);
  chosenVertex(s, res);
}
