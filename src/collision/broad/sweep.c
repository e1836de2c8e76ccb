// Overlapping pairs of boxes.
//
// MuJoCo sorts the ends of all boxes along axis 0 in single precision, equal ends in the order
// low 0, high 0, low 1, high 1, ..., and keeps a pair when its intervals overlap in that order.  For i < j this is
//   low_i <= high_j  and  low_j < high_i,
// whatever the algorithm, so a few boxes are compared one with another and many are swept in the order of their
// low ends.
#include <stdbool.h>
#include <string.h>

#include "collision/broad/broad.h"
#include "math/inline.h"

enum { FEW = 48, BLOCK = 16 };


// exact test of a pair, i < j
static bool boxesOverlap(const cfBounds* b, int i, int j) {
  return b->flow[i] <= b->fhigh[j] && b->flow[j] < b->fhigh[i] &&
         !(b->low[1][i] > b->high[1][j]) && !(b->low[1][j] > b->high[1][i]) &&
         !(b->low[2][i] > b->high[2][j]) && !(b->low[2][j] > b->high[2][i]);
}


static void compareAll(cfPairList* list, const cfBounds* b) {
  for (int i = 0; i < b->n; i++) {
    for (int j = i + 1; j < b->n; j++) {
      if (boxesOverlap(b, i, j)) {
        cfi_addPair(list, i, j);
      }
    }
  }
}


// boxes in the order of low ends; rounding to single precision is monotonic, so boxes apart here are apart
typedef struct {
  int n;
  int* index;
  float *low0, *high0, *low1, *high1, *low2, *high2;
} sortedBoxes;


// a float as an unsigned number of the same order
static uint32_t floatOrder(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof(bits));
  return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}


static sortedBoxes sortBoxes(mjData* d, const cfBounds* b) {
  sortedBoxes s = {.n = b->n};
  const size_t n = (size_t)b->n, padded = n + BLOCK;
  s.index = mj_stackAllocInt(d, n);
  s.low0 = (float*)mj_stackAllocByte(d, 6 * padded * sizeof(float), _Alignof(float));
  s.high0 = s.low0 + padded;
  s.low1 = s.high0 + padded;
  s.high1 = s.low1 + padded;
  s.low2 = s.high1 + padded;
  s.high2 = s.low2 + padded;

  uint64_t* key = (uint64_t*)mj_stackAllocByte(d, n * sizeof(uint64_t), _Alignof(uint64_t));
  for (int i = 0; i < b->n; i++) {
    key[i] = (uint64_t)floatOrder(b->flow[i]) << 32 | (uint32_t)i;
  }
  cfi_sortKeys(d, key, b->n);
  for (int k = 0; k < b->n; k++) {
    const int i = cfi_pairSecond(key[k]);
    s.index[k] = i;
    s.low0[k] = b->flow[i];
    s.high0[k] = b->fhigh[i];
    s.low1[k] = (float)b->low[1][i];
    s.high1[k] = (float)b->high[1][i];
    s.low2[k] = (float)b->low[2][i];
    s.high2[k] = (float)b->high[2][i];
  }

  // blocks may run over the end
  for (size_t k = n; k < padded; k++) {
    s.low0[k] = s.low1[k] = s.low2[k] = INFINITY;
    s.high0[k] = s.high1[k] = s.high2[k] = -INFINITY;
  }
  return s;
}


// box k against the block of boxes from `first`; true when one of them may overlap in axes 1 and 2
static bool scanBlock(int hit[BLOCK], const sortedBoxes* s, int k, int first) {
  const float low1 = s->low1[k], high1 = s->high1[k], low2 = s->low2[k], high2 = s->high2[k];
  const float *l1 = s->low1 + first, *h1 = s->high1 + first;
  const float *l2 = s->low2 + first, *h2 = s->high2 + first;
  int any = 0;
  for (int q = 0; q < BLOCK; q++) {
    hit[q] = (l1[q] <= high1) & (low1 <= h1[q]) & (l2[q] <= high2) & (low2 <= h2[q]);
    any |= hit[q];
  }
  return any;
}


static void sweepSorted(cfPairList* list, const cfBounds* b, const sortedBoxes* s) {
  int hit[BLOCK];
  for (int k = 0; k < s->n; k++) {
    for (int first = k + 1; first < s->n && s->low0[first] <= s->high0[k]; first += BLOCK) {
      if (!scanBlock(hit, s, k, first)) {
        continue;
      }
      for (int q = 0; q < BLOCK; q++) {
        if (hit[q]) {
          const int one = s->index[k], two = s->index[first + q];
          const int i = cfi_minInt(one, two), j = cfi_maxInt(one, two);
          if (boxesOverlap(b, i, j)) {
            cfi_addPair(list, i, j);
          }
        }
      }
    }
  }
}


void cfi_sweepBounds(cfPairList* list, const cfBounds* b) {
  if (b->n <= FEW) {
    compareAll(list, b);
    return;
  }
  const sortedBoxes s = sortBoxes(list->d, b);
  sweepSorted(list, b, &s);
}
