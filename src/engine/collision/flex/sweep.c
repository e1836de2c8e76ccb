// Self-collision of flexes by a sweep over the boxes of their elements.
//
// The order of pairs is that of a list of box ends, sorted in single precision: every element, when
// its box begins, meets those that have begun and not ended, in the order of their beginnings.
#include <stdint.h>
#include <string.h>

#include "base/assert.h"
#include "collision/flex/flex.h"
#include "math/inline.h"
#include "math/simd/boxes8.h"

// no more pairs than this are looked at, as in MuJoCo; boxes come eight at a time
enum { MOST_PAIRS = 1000000, SWEEP_LANES = 8 };

// an element and its box; low and high of the swept axis in single precision
typedef struct {
  int elem, rank;  // rank among the active elements, which decides ties
  float begin, end;
  mjtNum low[2], high[2];
  int body[4], other[4];  // bodies of the corners; what is no body is -1 here and -2 there
} sweptElem;


// axis along which the whole flex is longest
static int longestAxis(const mjModel* m, const mjData* d, int f) {
  const mjtNum* half = d->bvh_aabb_dyn + 6 * (m->flex_bvhadr[f] - m->nbvhstatic) + 3;
  if (half[0] > half[1] && half[0] > half[2]) {
    return 0;
  }
  return half[1] > half[2] ? 1 : 2;
}


static int listActive(sweptElem* list, const mjModel* m, const mjData* d, int f, int axis) {
  const int others[2] = {axis == 0 ? 1 : 0, axis == 2 ? 1 : 2};
  int n = 0;
  for (int e = 0; e < m->flex_elemnum[f]; e++) {
    const mjtNum* box = d->flexelem_aabb + 6 * (m->flex_elemadr[f] + e);
    if (!cfi_isActiveElem(m, f, e)) {
      continue;
    }
    sweptElem* s = list + n;
    s->elem = e;
    s->rank = n++;
    s->begin = (float)(box[axis] - box[3 + axis]);
    s->end = (float)(box[axis] + box[3 + axis]);
    for (int k = 0; k < 2; k++) {
      s->low[k] = box[others[k]] - box[3 + others[k]];
      s->high[k] = box[others[k]] + box[3 + others[k]];
    }
    for (int k = 0; k < 4; k++) {
      const int body = k <= m->flex_dim[f]
                           ? m->flex_vertbodyid[m->flex_vertadr[f] + cfi_elemCorners(m, f, e)[k]]
                           : -1;
      s->body[k] = body < 0 ? -1 : body;
      s->other[k] = body < 0 ? -2 : body;
    }
  }
  return n;
}


// stable merge of two sorted runs
static void mergeRuns(sweptElem* out, const sweptElem* in, int start, int middle, int end) {
  int i = start, j = middle;
  for (int k = start; k < end; k++) {
    const bool takes_first = i < middle && (j >= end || !(in[j].begin < in[i].begin));
    out[k] = takes_first ? in[i++] : in[j++];
  }
}


// by beginning, equals in the order of elements; returns the buffer that holds the result
static sweptElem* sortSwept(sweptElem* list, sweptElem* buffer, int n) {
  for (int width = 1; width < n; width *= 2) {
    for (int start = 0; start < n; start += 2 * width) {
      mergeRuns(buffer, list, start, cfi_minInt(start + width, n),
                cfi_minInt(start + 2 * width, n));
    }
    sweptElem* swap = list;
    list = buffer;
    buffer = swap;
  }
  return list;
}


// has the box of a ended when that of b begins
static bool hasEnded(const sweptElem* a, const sweptElem* b) {
  return a->end < b->begin || (a->end == b->begin && a->rank < b->rank);
}


static bool crossesAt(const sweptElem* a, const sweptElem* b) {
  for (int k = 0; k < 2; k++) {
    if (a->low[k] > b->high[k] || b->low[k] > a->high[k]) {
      return false;
    }
  }
  return true;
}


// most elements whose boxes cross are neighbors
static inline bool areNeighbors(const sweptElem* a, const sweptElem* b) {
  int equal = 0;
  for (int shift = 0; shift < 4; shift++) {
    for (int k = 0; k < 4; k++) {
      equal |= a->body[k] == b->other[(k + shift) & 3];
    }
  }
  return equal != 0;
}


// boxes by axis in single precision, the swept axis first, in the order of the list; rounding is
// monotonic, so what is apart there is apart
static void fillSweptLanes(cfBoxBallLanes* lanes, float* room, size_t stride, const sweptElem* list,
                           int n) {
  for (int axis = 0; axis < 3; axis++) {
    lanes->low[axis] = room + 2 * (size_t)axis * stride;
    lanes->high[axis] = lanes->low[axis] + stride;
  }
  for (int i = 0; i < n; i++) {
    lanes->low[0][i] = list[i].begin;
    lanes->high[0][i] = list[i].end;
    for (int k = 0; k < 2; k++) {
      lanes->low[k + 1][i] = (float)list[i].low[k];
      lanes->high[k + 1][i] = (float)list[i].high[k];
    }
  }
}


static cfBoxBall laneBox(const cfBoxBallLanes* lanes, int i) {
  cfBoxBall box = {.radius = 0};
  for (int axis = 0; axis < 3; axis++) {
    box.low[axis] = lanes->low[axis][i];
    box.high[axis] = lanes->high[axis][i];
  }
  return box;
}


// element i against those that begin before it, from `first` on; returns the number of pairs
static int meetEarlier(const mjModel* m, mjData* d, int f, const sweptElem* list,
                       const cfBoxBallLanes* lanes, int first, int i, int room) {
  const cfBoxBall box = laneBox(lanes, i);
  int npair = 0;
  for (int block = first; block < i; block += SWEEP_LANES) {
    unsigned int bits = cfi_boxes8(lanes, block, &box);
    for (int j = block; bits && j < i && npair < room; j++, bits >>= 1) {
      if (!(bits & 1) || hasEnded(list + j, list + i) || !crossesAt(list + j, list + i)) {
        continue;
      }
      npair++;
      if (!areNeighbors(list + j, list + i)) {
        cfi_collideElems(m, d, f, list[j].elem, f, list[i].elem);
      }
    }
  }
  return npair;
}


void cfi_sweepElements(const mjModel* m, mjData* d, int f) {
  const size_t room = (size_t)m->flex_elemnum[f] + SWEEP_LANES;
  CF_ASSERT(m->flex_bvhadr[f] >= 0);
  mj_markStack(d);
  sweptElem* list =
      (sweptElem*)mj_stackAllocByte(d, 2 * room * sizeof(sweptElem), _Alignof(sweptElem));
  float* numbers = (float*)mj_stackAllocByte(d, 6 * room * sizeof(float), _Alignof(float));
  memset(numbers, 0, 6 * room * sizeof(float));
  const int n = listActive(list, m, d, f, longestAxis(m, d, f));
  list = sortSwept(list, list + room, n);
  cfBoxBallLanes lanes;
  fillSweptLanes(&lanes, numbers, room, list, n);
  for (int i = 1, first = 0, npair = 0; i < n && npair < MOST_PAIRS; i++) {
    while (first < i && hasEnded(list + first, list + i)) {
      first++;
    }
    npair += meetEarlier(m, d, f, list, &lanes, first, i, MOST_PAIRS - npair);
  }
  mj_freeStack(d);
}
