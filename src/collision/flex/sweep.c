// Self-collision of flexes by a sweep over the boxes of their elements.
//
// The order of pairs is that of a list of box ends, sorted in single precision: every element, when
// its box begins, meets those that have begun and not ended, in the order of their beginnings.
#include <stdint.h>
#include <string.h>

#include "base/assert.h"
#include "collision/flex/flex.h"
#include "math/inline.h"

// no more pairs than this are looked at, as in MuJoCo
enum { MOST_PAIRS = 1000000 };

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


void cfi_sweepElements(const mjModel* m, mjData* d, int f) {
  const size_t room = (size_t)m->flex_elemnum[f] + 1;
  CF_ASSERT(m->flex_bvhadr[f] >= 0);
  mj_markStack(d);
  sweptElem* list =
      (sweptElem*)mj_stackAllocByte(d, 2 * room * sizeof(sweptElem), _Alignof(sweptElem));
  int* open = mj_stackAllocInt(d, room);
  const int n = listActive(list, m, d, f, longestAxis(m, d, f));
  list = sortSwept(list, list + room, n);
  int nopen = 0, npair = 0;
  for (int i = 0; i < n && npair < MOST_PAIRS; i++) {
    int kept = 0;
    for (int j = 0; j < nopen && npair < MOST_PAIRS; j++) {
      const sweptElem* other = list + open[j];
      if (hasEnded(other, list + i)) {
        continue;
      }
      open[kept++] = open[j];
      if (crossesAt(other, list + i)) {
        npair++;
        if (!areNeighbors(other, list + i)) {
          cfi_collideElems(m, d, f, other->elem, f, list[i].elem);
        }
      }
    }
    open[kept++] = i;
    nopen = kept;
  }
  mj_freeStack(d);
}
