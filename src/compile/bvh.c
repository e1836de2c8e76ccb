// Bounding volume hierarchies: top-down median splits.
//
// A node covers a range of the item array.  Its box is the bound of the items' eight corners in the
// tree's frame.  The range is split in the middle, items ordered by the coordinate along the box's
// longest side, ties by their place in the input; so the tree depends on the input alone, not on
// how the selection works.
#include "compile/bvh.h"

#include <float.h>
#include <math.h>

#include "base/assert.h"
#include "math/inline.h"

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


// position and bounds of an item in the tree's frame
static void placeItem(bvhEntry* e, const cfBvhItem* item, const double pos[3],
                      const double inverse[4]) {
  double offset[3];
  cfi_sub3(offset, item->pos, pos);
  cfi_rotVecQuat(e->point, offset, inverse);
  for (int k = 0; k < 3; k++) {
    e->low[k] = DBL_MAX;
    e->high[k] = -DBL_MAX;
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
      e->low[k] = fmin(e->low[k], vert[k]);
      e->high[k] = fmax(e->high[k], vert[k]);
    }
  }
}


// does a come before b along an axis
static int isBefore(const bvhEntry* a, const bvhEntry* b, int axis) {
  double gap = a->point[axis] - b->point[axis];
  return fabs(gap) > TINY ? gap < 0 : a->rank < b->rank;
}


static void swapEntries(bvhEntry* a, bvhEntry* b) {
  bvhEntry keep = *a;
  *a = *b;
  *b = keep;
}


// move the median of first, middle and last to the front
static void choosePivot(bvhEntry* e, int begin, int end, int axis) {
  int mid = begin + (end - begin) / 2, last = end - 1;
  if (isBefore(e + mid, e + begin, axis)) {
    swapEntries(e + mid, e + begin);
  }
  if (isBefore(e + last, e + begin, axis)) {
    swapEntries(e + last, e + begin);
  }
  if (isBefore(e + last, e + mid, axis)) {
    swapEntries(e + last, e + mid);
  }
  swapEntries(e + begin, e + mid);
}


// reorder [begin, end) so that everything before `nth` comes before everything from it on
static void selectNth(bvhEntry* e, int begin, int nth, int end, int axis) {
  while (end - begin > 1) {
    choosePivot(e, begin, end, axis);
    int border = begin;
    for (int i = begin + 1; i < end; i++) {
      if (isBefore(e + i, e + begin, axis)) {
        swapEntries(e + ++border, e + i);
      }
    }
    swapEntries(e + begin, e + border);
    if (border == nth) {
      return;
    }
    if (border < nth) {
      begin = border + 1;
    } else {
      end = border;
    }
  }
}


// box over a range, at least a sliver thick; returns the axis to split along
static int boundRange(const bvhEntry* e, int begin, int end, mjtNum aabb[6]) {
  double low[3] = {DBL_MAX, DBL_MAX, DBL_MAX}, high[3] = {-DBL_MAX, -DBL_MAX, -DBL_MAX}, side[3];
  for (int i = begin; i < end; i++) {
    for (int k = 0; k < 3; k++) {
      low[k] = fmin(low[k], e[i].low[k]);
      high[k] = fmax(high[k], e[i].high[k]);
    }
  }
  for (int k = 0; k < 3; k++) {
    if (fabs(low[k] - high[k]) < TINY) {
      low[k] -= TINY;
      high[k] += TINY;
    }
    side[k] = high[k] - low[k];
    aabb[k] = (high[k] + low[k]) / 2;
    aabb[3 + k] = (high[k] - low[k]) / 2;
  }

  // a later axis must be longer by more than rounding
  int axis = side[1] >= side[0] + TINY ? 1 : 0;
  return side[2] >= side[axis] + TINY ? 2 : axis;
}


// turn one range into a node, leave its halves on the stack; returns the new stack height
static int addNode(cfBvh* tree, bvhEntry* e, bvhTask task, bvhTask* stack, int height) {
  int node = tree->count++;
  int count = task.end - task.begin;
  if (task.link >= 0) {
    tree->child[task.link] = node;
  }
  tree->child[2 * node] = tree->child[2 * node + 1] = -1;
  tree->depth[node] = task.depth;
  tree->nodeid[node] = count == 1 ? e[task.begin].id : -1;
  int axis = boundRange(e, task.begin, task.end, tree->aabb + 6 * node);
  if (count == 1) {
    return height;
  }

  int middle = task.begin + count / 2;
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
