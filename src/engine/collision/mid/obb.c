// Overlap of oriented boxes of which one holds a plane.
#include "collision/mid/obb.h"

#include "base/assert.h"

// middle and reach of a box along an axis
typedef struct {
  mjtNum middle, reach;
} boxShadow;


static boxShadow castShadow(const cfObb* o, const mjtNum axis[3], bool is_leaf) {
  mjtNum cosine[3];
  for (int k = 0; k < 3; k++) {
    cosine[k] = cfi_dotColumn3(o->mat, k, axis);
  }

  boxShadow s;
  if (is_leaf) {
    mjtNum center[3];
    cfi_mulMatVec3(center, o->mat, o->box);
    cfi_addTo3(center, o->pos);
    s.middle = cfi_dot3(center, axis);
  } else {
    s.middle = cfi_dot3(o->box, cosine) + cfi_dot3(o->pos, axis);
  }
  s.reach = fabs(o->box[3] * cosine[0]) + fabs(o->box[4] * cosine[1]) + fabs(o->box[5] * cosine[2]);
  return s;
}


// height of the bounded box's nearest point above the side of the unbounded one, along a normal of
// the latter.  The far side is 1e10 away, so only where the near side is within 1e-4 can the order
// of sums matter
static mjtNum heightOver(const cfObb* unbounded, const cfObb* o, const mjtNum axis[3], int k,
                         mjtNum margin) {
  CF_ASSERT_INDEX(k, 3);
  const mjtNum* box = unbounded->box;
  mjtNum offset[3], height = 0, reach = 0;
  cfi_sub3(offset, o->pos, unbounded->pos);
  height = cfi_dot3(offset, axis);
  for (int j = 0; j < 3; j++) {
    const mjtNum cosine = cfi_dotColumn3(o->mat, j, axis);
    height += o->box[j] * cosine;
    reach += o->box[3 + j] * fabs(cosine);
  }

  // the end near the origin
  const mjtNum side = box[k] < 0 ? box[k] + box[3 + k] : box[k] - box[3 + k];
  return (box[k] < 0 ? height - side : side - height) - reach - margin;
}


// is the bounded box beyond one of the normals of the unbounded one
static bool separatedBy(const cfObb* unbounded, const cfObb* a, const cfObb* b, mjtNum margin,
                        bool are_leaves) {
  for (int k = 0; k < 3; k++) {
    // no box reaches the end of an unbounded side
    if (unbounded->box[3 + k] >= mjMAXVAL) {
      continue;
    }
    mjtNum axis[3];
    cfi_column3(axis, unbounded->mat, k);
    const mjtNum height = heightOver(unbounded, unbounded->box == a->box ? b : a, axis, k, margin);
    if (unbounded->box[3 + k] > 1e8 && fabs(height) > 1e-4) {
      if (height > 0) {
        return true;
      }
      continue;
    }
    const boxShadow s = castShadow(a, axis, are_leaves), t = castShadow(b, axis, are_leaves);
    if (s.reach + t.reach + margin < fabs(t.middle - s.middle)) {
      return true;
    }
  }
  return false;
}


bool cfi_unboundedOverlap(const cfObb* a, const cfObb* b, mjtNum margin, bool are_leaves) {
  const bool endless_a = cfi_isUnbounded(a->box), endless_b = cfi_isUnbounded(b->box);
  if (cfi_isEverywhere(a->box) || cfi_isEverywhere(b->box) || (endless_a && endless_b)) {
    return true;
  }
  return !separatedBy(endless_a ? a : b, a, b, margin, are_leaves);
}
