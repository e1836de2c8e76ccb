// Bounding volume hierarchies: top-down median splits.
//
// A node covers a range of the item array.  Its box is the bound of the items' eight corners in the
// tree's frame.  The range is split in the middle, items ordered by the coordinate along the box's
// longest side, ties by their place in the input.  A triangle with no area has no center: it
// compares by place with everything, which is no order, and the halves then depend on the steps of
// the selection.  Those are quickselect's with the median of three, as LLVM's libc++ takes them.
#include "compile/bvh.h"

#include <float.h>
#include <math.h>

#include "base/assert.h"
#include "math/inline.h"
#include "math/libm.h"

static const double TINY = 1e-14;  // two coordinates closer than this are equal

// item as the builder moves it around
typedef struct {
  double point[3];  // position in the tree's frame
  double low[3], high[3];
  int rank;  // place in the input
  int id;
} bvhEntry;

// range of entries that becomes a node
typedef struct {
  int begin, end, depth;
  int link;  // index into child that receives the node, -1 for the root
} bvhTask;


// bounds of the eight corners of an item's box
void cfi_boundItem(double low[3], double high[3], const cfBvhItem* item, const double pos[3],
                   const double inverse[4]) {
  double offset[3];
  cfi_sub3(offset, item->pos, pos);
  for (int k = 0; k < 3; k++) {
    low[k] = DBL_MAX;
    high[k] = -DBL_MAX;
  }
  for (int corner = 0; corner < 8; corner++) {
    double vert[3];
    for (int k = 0; k < 3; k++) {
      vert[k] =
          (corner >> k) & 1 ? item->aabb[k] + item->aabb[3 + k] : item->aabb[k] - item->aabb[3 + k];
    }
    if (item->quat) {
      cfi_rotVecQuat(vert, vert, item->quat);
      cfi_addTo3(vert, offset);
      cfi_rotVecQuat(vert, vert, inverse);
    }
    for (int k = 0; k < 3; k++) {
      low[k] = cfi_fmin(low[k], vert[k]);
      high[k] = cfi_fmax(high[k], vert[k]);
    }
  }
}


// position and bounds of an item in the tree's frame
static void placeItem(bvhEntry* e, const cfBvhItem* item, const double pos[3],
                      const double inverse[4]) {
  double offset[3];
  cfi_sub3(offset, item->pos, pos);
  cfi_rotVecQuat(e->point, offset, inverse);
  cfi_boundItem(e->low, e->high, item, pos, inverse);
}


// does a come before b along an axis
static bool isBefore(const bvhEntry* a, const bvhEntry* b, int axis) {
  const double gap = a->point[axis] - b->point[axis];
  return fabs(gap) > TINY ? gap < 0 : a->rank < b->rank;
}


static void swapEntries(bvhEntry* a, bvhEntry* b) {
  bvhEntry keep = *a;
  *a = *b;
  *b = keep;
}


// entries that are being selected from
typedef struct {
  bvhEntry* e;
  int axis;
  int begin, end;  // range of this round; searches stop there even where there is no order
  int nswap;       // exchanges in this round
} bvhPicker;


static bool precedes(const bvhPicker* p, int i, int j) {
  return isBefore(p->e + i, p->e + j, p->axis);
}


static void exchange(bvhPicker* p, int i, int j) {
  swapEntries(p->e + i, p->e + j);
  p->nswap++;
}


static void sortThree(bvhPicker* p, int x, int y, int z) {
  CF_ASSERT(x < y && y < z);
  const bool yx = precedes(p, y, x), zy = precedes(p, z, y);
  if (yx && zy) {
    exchange(p, x, z);
  } else if (yx) {
    exchange(p, x, y);
    if (precedes(p, z, y)) {
      exchange(p, y, z);
    }
  } else if (zy) {
    exchange(p, y, z);
    if (precedes(p, y, x)) {
      exchange(p, x, y);
    }
  }
}


// few entries: the first of what is left, again and again
static void sortFew(bvhPicker* p, int begin, int end) {
  CF_ASSERT(begin <= end);
  for (; begin < end - 1; begin++) {
    int first = begin;
    for (int i = begin + 1; i < end; i++) {
      first = precedes(p, i, first) ? i : first;
    }
    if (first != begin) {
      exchange(p, begin, first);
    }
  }
}


static bool isSorted(const bvhPicker* p, int begin, int end) {
  CF_ASSERT(begin <= end);
  for (int i = begin + 1; i < end; i++) {
    if (precedes(p, i, i - 1)) {
      return false;
    }
  }
  return true;
}


// no entry precedes the first: gather its equals in front.  Returns where the others begin, end
// where there are none
static int gatherEquals(bvhPicker* p) {
  const int begin = p->begin, end = p->end;
  int i = begin + 1, j = end - 1;
  if (!precedes(p, begin, j)) {
    while (i < j && !precedes(p, begin, i)) {
      i++;
    }
    if (i == j) {
      return end;
    }
    exchange(p, i++, j);
  }
  if (i == j) {
    return end;
  }
  for (;; i++) {
    while (i < end && !precedes(p, begin, i)) {
      i++;
    }
    do {
      j--;
    } while (j > begin && precedes(p, begin, j));
    if (i >= j) {
      return i;
    }
    exchange(p, i, j);
  }
}


// what precedes the pivot goes to the left of it; the entry before `low` does, the one at `high`
// does not.  Returns the place of the pivot
static int splitAround(bvhPicker* p, int pivot, int low, int high) {
  CF_ASSERT(p->begin <= low && high <= p->end);
  while (low < high) {
    while (low < p->end - 1 && precedes(p, low, pivot)) {
      low++;
    }
    do {
      high--;
    } while (high > p->begin && !precedes(p, high, pivot));
    if (low >= high) {
      break;
    }
    exchange(p, low, high);
    pivot = pivot == low ? high : pivot;
    low++;
  }
  if (low != pivot && precedes(p, pivot, low)) {
    exchange(p, low, pivot);
  }
  return low;
}


// last entry before `end` that precedes the pivot; begin where there is none
static int findGuard(const bvhPicker* p, int pivot, int begin, int end) {
  int j = end - 1;
  while (j > begin && !precedes(p, j, pivot)) {
    j--;
  }
  return j;
}


// reorder [begin, end) so that everything before `nth` comes before everything from it on
static void selectNth(bvhEntry* e, int begin, int nth, int end, int axis) {
  CF_ASSERT(begin <= nth && nth < end && axis >= 0 && axis < 3);
  enum { FEW = 7 };
  bvhPicker p = {.e = e, .axis = axis};
  while (end - begin > FEW) {
    int pivot = begin + (end - begin) / 2, high = end - 1;
    p.begin = begin;
    p.end = end;
    p.nswap = 0;
    sortThree(&p, begin, pivot, high);
    if (!precedes(&p, begin, pivot)) {
      const int guard = findGuard(&p, pivot, begin, high);
      if (guard == begin) {
        const int rest = gatherEquals(&p);
        if (nth < rest) {
          return;
        }
        begin = rest;
        continue;
      }
      exchange(&p, begin, guard);
      high = guard;
    }

    const int border = splitAround(&p, pivot, begin + 1, high);
    const int from = nth < border ? begin : border, to = nth < border ? border : end;
    if (border == nth || (p.nswap == 0 && isSorted(&p, from, to))) {
      return;
    }
    begin = nth < border ? begin : border + 1;
    end = to;
  }
  if (end - begin == 3) {
    sortThree(&p, begin, begin + 1, begin + 2);
  } else {
    sortFew(&p, begin, end);
  }
}


void cfi_boundsToBox(mjtNum aabb[6], double low[3], double high[3]) {
  for (int k = 0; k < 3; k++) {
    if (fabs(low[k] - high[k]) < TINY) {
      low[k] -= TINY;
      high[k] += TINY;
    }
    aabb[k] = (high[k] + low[k]) / 2;
    aabb[3 + k] = (high[k] - low[k]) / 2;
  }
}


// box over a range; returns the axis to split along
static int boundRange(const bvhEntry* e, int begin, int end, mjtNum aabb[6]) {
  CF_ASSERT(begin < end);
  double low[3] = {DBL_MAX, DBL_MAX, DBL_MAX}, high[3] = {-DBL_MAX, -DBL_MAX, -DBL_MAX}, side[3];
  for (int i = begin; i < end; i++) {
    for (int k = 0; k < 3; k++) {
      low[k] = cfi_fmin(low[k], e[i].low[k]);
      high[k] = cfi_fmax(high[k], e[i].high[k]);
    }
  }
  cfi_boundsToBox(aabb, low, high);
  cfi_sub3(side, high, low);

  // a later axis must be longer by more than rounding
  const int axis = side[1] >= side[0] + TINY ? 1 : 0;
  return side[2] >= side[axis] + TINY ? 2 : axis;
}


// turn one range into a node, leave its halves on the stack; returns the new stack height
static int addNode(cfBvh* tree, bvhEntry* e, bvhTask task, bvhTask* stack, int height) {
  CF_ASSERT(height >= 0);
  const int node = tree->count++;
  const int count = task.end - task.begin;
  if (task.link >= 0) {
    tree->child[task.link] = node;
  }
  tree->child[2 * node] = tree->child[2 * node + 1] = -1;
  tree->depth[node] = task.depth;
  tree->nodeid[node] = count == 1 ? e[task.begin].id : -1;
  const int axis = boundRange(e, task.begin, task.end, tree->aabb + 6 * node);
  if (count == 1) {
    return height;
  }

  const int middle = task.begin + count / 2;
  selectNth(e, task.begin, middle, task.end, axis);
  stack[height++] = (bvhTask){middle, task.end, task.depth + 1, 2 * node + 1};
  stack[height++] = (bvhTask){task.begin, middle, task.depth + 1, 2 * node};
  return height;
}


cfBvh cfi_buildBvh(cfPool* pool, const cfBvhItem* item, int count, const double pos[3],
                   const double quat[4]) {
  cfBvh tree = {0};
  if (count <= 0) {
    return tree;
  }
  const double inverse[4] = {quat[0], -quat[1], -quat[2], -quat[3]};
  bvhEntry* entry = (bvhEntry*)cfi_poolAlloc(pool, count, sizeof(bvhEntry));
  for (int i = 0; i < count; i++) {
    placeItem(entry + i, item + i, pos, inverse);
    entry[i].rank = i;
    entry[i].id = item[i].id;
  }

  size_t nodes = 2 * (size_t)count - 1;
  tree.aabb = (mjtNum*)cfi_poolAlloc(pool, 6 * nodes, sizeof(mjtNum));
  tree.child = (int*)cfi_poolAlloc(pool, 2 * nodes, sizeof(int));
  tree.depth = (int*)cfi_poolAlloc(pool, nodes, sizeof(int));
  tree.nodeid = (int*)cfi_poolAlloc(pool, nodes, sizeof(int));

  // halving a 31-bit count leaves at most two pending ranges per level
  bvhTask stack[80];
  int height = 0;
  stack[height++] = (bvhTask){0, count, 0, -1};
  while (height) {
    CF_ASSERT(height < 79);
    height--;
    height = addNode(&tree, entry, stack[height], stack, height);
  }
  CF_ASSERT(tree.count == (int)nodes);
  return tree;
}
