// Overlapping pairs of boxes.
//
// MuJoCo sorts the ends of all boxes along axis 0 in single precision, equal ends in the order
// low 0, high 0, low 1, high 1, ..., and keeps a pair when its intervals overlap in that order. For
// i < j this is
//   low_i <= high_j  and  low_j < high_i,
// whatever the algorithm.  So few boxes are compared one with another, and many are swept along the
// axis that separates them best.  Both look at eight boxes at a time in single precision: rounding
// is monotonic, boxes that are apart there are apart; the others are looked at exactly.  Where both
// boxes hold a single geom, their balls are compared first.
#include <string.h>

#include "collision/broad/broad.h"
#include "collision/broad/filter.h"
#include "math/inline.h"
#include "math/simd/boxes8.h"
#include "model/flags.h"

enum { FEW = 64, BLOCK = 8 };

// boxes by axis, in the order in which they are visited
typedef struct {
  int n;
  const mjModel* m;
  const cfMoverTable* table;
  int* index;            // into the table
  cfBoxBallLanes lanes;  // axis 0 is the one swept along
  bool filter_parent;
  cfPairList* list;
} boxSweep;


// exact test of a pair, a before b
static bool boxesOverlap(const cfSweepBox* a, const cfSweepBox* b) {
  return (float)a->low[0] <= (float)b->high[0] && (float)b->low[0] < (float)a->high[0] &&
         !(a->low[1] > b->high[1]) && !(b->low[1] > a->high[1]) && !(a->low[2] > b->high[2]) &&
         !(b->low[2] > a->high[2]);
}


static bool isAtRest(const cfMover* mover) {
  return mover->is_asleep || mover->weld == 0;
}


// two boxes met in the lanes; an earlier one is met only by a scan that left out those at rest
static inline void meet(const boxSweep* s, int one, int two) {
  if (two <= one && !isAtRest(s->table->mover + s->index[two])) {
    return;
  }
  const int i = cfi_minInt(s->index[one], s->index[two]);
  const int j = cfi_maxInt(s->index[one], s->index[two]);
  const cfMover *a = s->table->mover + i, *b = s->table->mover + j;
  if (!cfi_keptApart(a, b, s->filter_parent) && cfi_masksAllow(s->m, a, b) &&
      boxesOverlap(s->table->box + i, s->table->box + j) && !cfi_farApart(s->m, s->list->d, a, b)) {
    cfi_addPair(s->list, a->id, b->id);
  }
}


// box k against the boxes from first on, up to the one that starts behind its end
static void scanRow(const boxSweep* s, int k, int first, bool is_sorted) {
  const cfBoxBallLanes* l = &s->lanes;
  cfBoxBall one = {.radius = l->radius[k]};
  for (int axis = 0; axis < 3; axis++) {
    one.low[axis] = l->low[axis][k];
    one.high[axis] = l->high[axis][k];
    one.center[axis] = l->center[axis][k];
  }
  for (; first < s->n && !(is_sorted && l->low[0][first] > one.high[0]); first += BLOCK) {
    unsigned int bits = cfi_boxes8(l, first, &one);
    if (bits) {
      bits &= cfi_balls8(l, first, &one);
    }
    // a box without end, or one that is no number, also meets what is behind the last
    for (int q = first; bits && q < s->n; q++, bits >>= 1) {
      if (bits & 1) {
        meet(s, k, q);
      }
    }
  }
}


// distribute a block of numbers over the lanes; blocks of boxes may run over the end, where nothing
// overlaps
static void cutLanes(boxSweep* s, float* lane, size_t padded) {
  s->lanes.radius = lane + 9 * padded;
  for (int axis = 0; axis < 3; axis++, lane += 3 * padded) {
    s->lanes.low[axis] = lane;
    s->lanes.high[axis] = lane + padded;
    s->lanes.center[axis] = lane + 2 * padded;
  }
  for (int k = s->n; k < s->n + BLOCK; k++) {
    s->lanes.low[0][k] = INFINITY;
    s->lanes.high[0][k] = -INFINITY;
  }
}


// put box i of the table at place k, with `first` as axis 0; a ball is a little larger than its
// geom's, by the relative error of single precision and `slack`, that of its center
static void fillLane(const boxSweep* s, int k, int i, int first, mjtNum slack) {
  const cfSweepBox* box = s->table->box + i;
  s->index[k] = i;
  for (int lane = 0; lane < 3; lane++) {
    const int axis = first + lane < 3 ? first + lane : first + lane - 3;
    s->lanes.low[lane][k] = (float)box->low[axis];
    s->lanes.high[lane][k] = (float)box->high[axis];
    s->lanes.center[lane][k] = (float)(0.5 * (box->low[axis] + box->high[axis]));
  }
  const mjtNum radius = 0.5 * (box->high[0] - box->low[0]);
  s->lanes.radius[k] =
      s->table->mover[i].geom < 0 ? INFINITY : (float)(radius * (1 + 1e-6) + slack);
}


// sums over all boxes
typedef struct {
  mjtNum center[4], square[4], width[4];  // of twice the centers, their squares, widths
} boxSums;

static boxSums sumBoxes(const cfMoverTable* t) {
  boxSums s = {.center = {0}};
  for (int i = 0; i < t->n; i++) {
    for (int k = 0; k < 4; k++) {
      const mjtNum twice = t->box[i].low[k] + t->box[i].high[k];
      s.center[k] += twice;
      s.square[k] += twice * twice;
      s.width[k] += t->box[i].high[k] - t->box[i].low[k];
    }
  }
  return s;
}


// axis along which the boxes are spread farthest, measured in mean widths
static int spreadAxis(const boxSums* s, int n) {
  int best = 0;
  mjtNum best_ratio = -1;
  for (int k = 0; k < 3; k++) {
    const mjtNum variance = s->square[k] - s->center[k] * s->center[k] / n;
    const mjtNum ratio = variance / cfi_max(mjMINVAL, s->width[k] * s->width[k]);
    if (ratio > best_ratio) {
      best_ratio = ratio;
      best = k;
    }
  }
  return best;
}


// a float as an unsigned number of the same order
static uint32_t floatOrder(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof(bits));
  return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}


static void sweepSorted(boxSweep* s, int axis, mjtNum slack) {
  const cfMoverTable* t = s->table;
  mjData* d = s->list->d;
  const size_t padded = (size_t)s->n + BLOCK;
  s->index = mj_stackAllocInt(d, (size_t)s->n);
  cutLanes(s, (float*)mj_stackAllocByte(d, 10 * padded * sizeof(float), 32), padded);
  const size_t bytes = (size_t)t->n * sizeof(uint64_t);
  uint64_t* key = (uint64_t*)mj_stackAllocByte(d, 2 * bytes, _Alignof(uint64_t));
  for (int i = 0; i < t->n; i++) {
    key[i] = (uint64_t)floatOrder((float)t->box[i].low[axis]) << 32 | (uint32_t)i;
  }
  cfi_sortHighWords(key, key + t->n, t->n);
  for (int k = 0; k < t->n; k++) {
    fillLane(s, k, cfi_pairSecond(key[k]), axis, slack);
  }
  for (int k = 0; k < t->n; k++) {
    scanRow(s, k, k + 1, true);
  }
}


// one after another: all with those that follow, or when most are at rest, those in motion with all
// others
static void compareRows(boxSweep* s, bool skip_rest, mjtNum slack) {
  const cfMoverTable* t = s->table;
  for (int i = 0; i < t->n; i++) {
    fillLane(s, i, i, 0, slack);
  }
  for (int i = 0; i < t->n; i++) {
    if (!skip_rest) {
      scanRow(s, i, i + 1, false);
    } else if (!isAtRest(t->mover + i)) {
      scanRow(s, i, 0, false);
    }
  }
}


static void compareFew(boxSweep* s, mjtNum slack) {
  float lane[10 * (FEW + BLOCK)];
  int index[FEW];
  s->index = index;
  cutLanes(s, lane, FEW + BLOCK);
  compareRows(s, false, slack);
}


static void compareMoving(boxSweep* s, mjtNum slack) {
  mjData* d = s->list->d;
  const size_t padded = (size_t)s->n + BLOCK;
  s->index = mj_stackAllocInt(d, (size_t)s->n);
  cutLanes(s, (float*)mj_stackAllocByte(d, 10 * padded * sizeof(float), 32), padded);
  compareRows(s, true, slack);
}


static int countMoving(const cfMoverTable* t) {
  int n = 0;
  for (int i = 0; i < t->n; i++) {
    n += !isAtRest(t->mover + i);
  }
  return n;
}


void cfi_sweepMovers(cfPairList* list, const cfMoverTable* t, const mjModel* m) {
  if (t->n < 2) {
    return;
  }
  boxSweep s = {.n = t->n,
                .m = m,
                .table = t,
                .filter_parent = !cfi_disabled(m, mjDSBL_FILTERPARENT),
                .list = list};
  const boxSums sums = sumBoxes(t);

  // half of this is more than the distance of any center from the origin
  const mjtNum far = sqrt(sums.square[0] + sums.square[1] + sums.square[2]);
  if (t->n <= FEW) {
    compareFew(&s, 1e-6 * far);
  } else if (t->some_asleep && countMoving(t) < FEW) {
    compareMoving(&s, 1e-6 * far);
  } else {
    sweepSorted(&s, spreadAxis(&sums, t->n), 1e-6 * far);
  }
}
