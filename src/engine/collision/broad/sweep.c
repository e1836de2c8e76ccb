// Overlapping pairs of boxes.
//
// MuJoCo sorts the ends of all boxes along axis 0 in single precision, equal ends in the order
// low 0, high 0, low 1, high 1, ..., and keeps a pair when its intervals overlap in that order. For
// i < j this is
//   low_i <= high_j  and  low_j < high_i,
// whatever the algorithm (cfi_boxesOverlap).  So where few are in motion, these are compared with
// all others, and many are swept along the axis that separates them best, strip by strip of the
// second best.  Both look at eight boxes at a time in single precision: rounding is monotonic,
// boxes that are apart there are apart; the others are looked at exactly.  Where both boxes hold a
// single geom, their balls are compared first.
#include "base/assert.h"
#include "collision/broad/broad.h"
#include "collision/broad/filter.h"
#include "math/inline.h"
#include "math/simd/boxes8.h"
#include "math/simd/lane.h"
#include "model/flags.h"

enum { FEW_MOVING = 64, BLOCK = 8 };

// boxes by axis, in the order in which they are visited; a box that lies in several strips is there
// once in each of them
typedef struct {
  int n;
  const mjModel* m;
  const cfMoverTable* table;
  int* index;         // into the table
  int *start, *end;   // cells of the ends along the axis swept along, NULL when nothing is swept
  int *strip, *home;  // the strip of this visit, and the first one of the box
  cfBoxBallLanes lanes;
  bool filter_parent;
  cfPairList* list;
} boxSweep;


static bool isAtRest(const cfMover* mover) {
  return mover->is_asleep || mover->weld == 0;
}


// of all strips that two boxes share the first one counts; eight boxes at a time may reach over
// into the next strip
static inline bool meetsFirstHere(const boxSweep* s, int one, int two) {
  return s->strip[one] == s->strip[two] && s->strip[one] == cfi_maxInt(s->home[one], s->home[two]);
}


// two boxes met in the lanes; an earlier one is met only by a scan that left out those at rest
static inline void meet(const boxSweep* s, int one, int two) {
  if (two <= one && !isAtRest(s->table->mover + s->index[two])) {
    return;
  }
  if (s->strip && !meetsFirstHere(s, one, two)) {
    return;
  }
  const int i = cfi_minInt(s->index[one], s->index[two]);
  const int j = cfi_maxInt(s->index[one], s->index[two]);
  CF_ASSERT(0 <= i && i < j && j < s->table->n);
  const cfMover *a = s->table->mover + i, *b = s->table->mover + j;
  if (!cfi_keptApart(a, b, s->filter_parent) && cfi_masksAllow(s->m, a, b) &&
      cfi_boxesOverlap(s->table->box + i, s->table->box + j) &&
      !cfi_farApart(s->m, s->list->d, a, b)) {
    cfi_addPair(s->list, a->id, b->id);
  }
}


// box k against the boxes from first on, up to the one that starts in a cell behind its end
static inline void scanRow(const boxSweep* s, int k, int first, bool is_sorted) {
  CF_ASSERT(0 <= k && k < s->n && first >= 0);
  const cfBoxBallLanes* l = &s->lanes;
  cfBoxBall one = {.radius = l->radius[k]};
  for (int axis = 0; axis < 3; axis++) {
    one.low[axis] = l->low[axis][k];
    one.high[axis] = l->high[axis][k];
    one.center[axis] = l->center[axis][k];
  }
  for (; first < s->n && !(is_sorted && s->start[first] > s->end[k]); first += BLOCK) {
    unsigned int bits = cfi_boxes8(l, first, &one);
    if (bits) {
      bits &= cfi_balls8(l, first, &one);
    }
    // a box without end, or one that is no number, also meets what is behind the last
    for (int q; bits && (q = first + __builtin_ctz(bits)) < s->n; bits &= bits - 1) {
      meet(s, k, q);
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


// put box i of the table at place k; a ball is a little larger than its geom's, by the relative
// error of single precision and `slack`, that of its center
static inline void fillLane(const boxSweep* s, int k, int i, mjtNum slack) {
  CF_ASSERT(k >= 0 && i >= 0);
  const cfSweepBox* box = s->table->box + i;
  s->index[k] = i;
  for (int axis = 0; axis < 3; axis++) {
    s->lanes.low[axis][k] = (float)box->low[axis];
    s->lanes.high[axis][k] = (float)box->high[axis];
    s->lanes.center[axis][k] = (float)(0.5 * (box->low[axis] + box->high[axis]));
  }
  const mjtNum radius = 0.5 * (box->high[0] - box->low[0]);
  s->lanes.radius[k] =
      s->table->mover[i].geom < 0 ? INFINITY : (float)(radius * (1 + 1e-6) + slack);
}


// over all boxes: sums of twice the centers, of their squares, and of widths; the lowest and
// highest end
typedef struct {
  mjtNum center[4], square[4], width[4], low[4], high[4];
} boxSums;

static boxSums sumBoxes(const cfMoverTable* t) {
  cfLane center = cfi_laneSpread(0), square = center, width = center;
  cfLane lowest = cfi_laneSpread(INFINITY), highest = cfi_laneSpread(-INFINITY);
  for (int i = 0; i < t->n; i++) {
    const cfLane low = cfi_laneLoad(t->box[i].low), high = cfi_laneLoad(t->box[i].high);
    const cfLane twice = cfi_laneAdd(low, high);
    center = cfi_laneAdd(center, twice);
    square = cfi_laneAdd(square, cfi_laneMul(twice, twice));
    width = cfi_laneAdd(width, cfi_laneSub(high, low));
    lowest = cfi_laneMin(lowest, low);
    highest = cfi_laneMax(highest, high);
  }
  boxSums s;
  cfi_laneStore(s.center, center);
  cfi_laneStore(s.square, square);
  cfi_laneStore(s.width, width);
  cfi_laneStore(s.low, lowest);
  cfi_laneStore(s.high, highest);
  return s;
}


// how far the boxes are spread along an axis, measured in mean widths
static mjtNum spreadAlong(const boxSums* s, int n, int axis) {
  const mjtNum variance = s->square[axis] - s->center[axis] * s->center[axis] / n;
  return variance / cfi_max(mjMINVAL, s->width[axis] * s->width[axis]);
}


// the axis along which the boxes are spread farthest, but not `other`
static int spreadAxis(const boxSums* s, int n, int other) {
  CF_ASSERT(n > 0);
  int best = other == 0 ? 1 : 0;
  for (int axis = best + 1; axis < 3; axis++) {
    if (axis != other && spreadAlong(s, n, axis) > spreadAlong(s, n, best)) {
      best = axis;
    }
  }
  return best;
}


static float* allocLanes(mjData* d, int n) {
  return (float*)mj_stackAllocByte(d, 10 * (size_t)(n + BLOCK) * sizeof(float), 32);
}


// cells that cut an axis into equal pieces; rounding down is monotonic, so boxes in cells apart are
// apart
typedef struct {
  mjtNum origin, scale;
  int ncell;
} cellAxis;

static inline int cellOf(const cellAxis* c, mjtNum x) {
  const mjtNum cell = (x - c->origin) * c->scale;
  return cell > 0 ? (cell < c->ncell ? (int)cell : c->ncell - 1) : 0;
}


// the two axes of a sweep: cells along one, strips along the other; a place is strip times number
// of cells plus cell
typedef struct {
  int along, across;
  cellAxis cells, strips;
} sweepGrid;

// strips five times as wide as the mean box, so that most boxes lie in one
static sweepGrid layGrid(const boxSums* s, int n) {
  sweepGrid g;
  g.along = spreadAxis(s, n, -1);
  g.across = spreadAxis(s, n, g.along);
  const mjtNum length = cfi_max(mjMINVAL, s->high[g.along] - s->low[g.along]);
  const mjtNum breadth = cfi_max(mjMINVAL, s->high[g.across] - s->low[g.across]);
  const mjtNum most = breadth * n / cfi_max(mjMINVAL, 5 * s->width[g.across]);
  const int nstrip = most >= 2 ? (int)cfi_min(most, sqrt((mjtNum)n)) : 1;
  const int ncell = 2 * n / nstrip;
  g.cells = (cellAxis){s->low[g.along], ncell / length, ncell};
  g.strips = (cellAxis){s->low[g.across], nstrip / breadth, nstrip};
  return g;
}


// cells and strips of the ends of a box
typedef struct {
  int low, high, first, last;
} boxPlace;

// where all boxes lie; returns how many visits that makes
static int placeBoxes(boxPlace* place, const sweepGrid* g, const cfMoverTable* t) {
  int n = 0;
  for (int i = 0; i < t->n; i++) {
    const cfSweepBox* box = t->box + i;
    const int first = cellOf(&g->strips, box->low[g->across]);
    const int last = cellOf(&g->strips, box->high[g->across]);
    place[i] =
        (boxPlace){cellOf(&g->cells, box->low[g->along]), cellOf(&g->cells, box->high[g->along]),
                   first, cfi_maxInt(first, last)};  // an end may be no number
    n += place[i].last - first + 1;
  }
  return n;
}


// order the visits by strip and by the cells of the low ends, about two cells per box
static void sortByPlace(boxSweep* s, const boxPlace* place, const sweepGrid* g, mjtNum slack) {
  mjData* d = s->list->d;
  const size_t n = (size_t)s->n;
  const int ncell = g->cells.ncell, nplace = ncell * g->strips.ncell;
  uint64_t* key = (uint64_t*)mj_stackAllocByte(d, 2 * n * sizeof(uint64_t), _Alignof(uint64_t));
  uint64_t* sorted = key + n;
  int filled = 0;
  for (int i = 0; i < s->table->n; i++) {
    for (int strip = place[i].first; strip <= place[i].last; strip++) {
      key[filled++] = cfi_pairKey(strip * ncell + place[i].low, i);
    }
  }
  CF_ASSERT(filled == s->n && ncell > 0);
  cfi_sortHighWords(sorted, key, s->n, mj_stackAllocInt(d, (size_t)nplace + 1), nplace);

  for (int k = 0, strip = 0; k < s->n; k++) {
    const int i = cfi_pairSecond(sorted[k]);
    s->start[k] = cfi_pairFirst(sorted[k]);
    while (s->start[k] >= (strip + 1) * ncell) {
      strip++;
    }
    fillLane(s, k, i, slack);
    s->strip[k] = strip;
    s->home[k] = place[i].first;
    s->end[k] = strip * ncell + place[i].high;
    CF_ASSERT(k == 0 || s->start[k - 1] <= s->start[k]);
  }
}


static void sweepSorted(boxSweep* s, const boxSums* sums, mjtNum slack) {
  mjData* d = s->list->d;
  const sweepGrid g = layGrid(sums, s->n);
  boxPlace* place =
      (boxPlace*)mj_stackAllocByte(d, (size_t)s->n * sizeof(boxPlace), _Alignof(boxPlace));
  s->n = placeBoxes(place, &g, s->table);
  s->index = mj_stackAllocInt(d, 5 * (size_t)s->n);
  s->start = s->index + s->n;
  s->end = s->start + s->n;
  s->strip = s->end + s->n;
  s->home = s->strip + s->n;
  cutLanes(s, allocLanes(d, s->n), (size_t)s->n + BLOCK);
  sortByPlace(s, place, &g, slack);
  for (int k = 0; k < s->n; k++) {
    scanRow(s, k, k + 1, true);
  }
}


// when most are at rest: those in motion with all others
static void compareMoving(boxSweep* s, mjtNum slack) {
  mjData* d = s->list->d;
  const cfMoverTable* t = s->table;
  s->index = mj_stackAllocInt(d, (size_t)s->n);
  cutLanes(s, allocLanes(d, s->n), (size_t)s->n + BLOCK);
  for (int i = 0; i < t->n; i++) {
    fillLane(s, i, i, slack);
  }
  for (int i = 0; i < t->n; i++) {
    if (!isAtRest(t->mover + i)) {
      scanRow(s, i, 0, false);
    }
  }
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
  if (t->some_asleep && countMoving(t) < FEW_MOVING) {
    compareMoving(&s, 1e-6 * far);
  } else {
    sweepSorted(&s, &sums, 1e-6 * far);
  }
}
