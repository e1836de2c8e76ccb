// Overlap of oriented boxes of which one holds a plane.
#include "collision/mid/obb.h"

// middle and reach of a box along an axis
typedef struct {
  mjtNum middle, reach;
} boxShadow;


static boxShadow castShadow(cfObb o, const mjtNum axis[3], bool is_leaf) {
  mjtNum cosine[3];
  for (int k = 0; k < 3; k++) {
    cosine[k] = cfi_dotColumn3(o.mat, k, axis);
  }

  boxShadow s;
  if (is_leaf) {
    mjtNum center[3];
    cfi_mulMatVec3(center, o.mat, o.box);
    cfi_addTo3(center, o.pos);
    s.middle = cfi_dot3(center, axis);
  } else {
    s.middle = cfi_dot3(o.box, cosine) + cfi_dot3(o.pos, axis);
  }
  s.reach = fabs(o.box[3] * cosine[0]) + fabs(o.box[4] * cosine[1]) + fabs(o.box[5] * cosine[2]);
  return s;
}


static bool isEverywhere(const mjtNum box[6]) {
  return box[3] >= mjMAXVAL && box[4] >= mjMAXVAL && box[5] >= mjMAXVAL;
}


// is the bounded box beyond one of the normals of the unbounded one
static bool separatedBy(cfObb unbounded, cfObb a, cfObb b, mjtNum margin, bool are_leaves) {
  for (int k = 0; k < 3; k++) {
    // no box reaches the end of an unbounded side
    if (unbounded.box[3 + k] >= mjMAXVAL) {
      continue;
    }
    mjtNum axis[3];
    cfi_column3(axis, unbounded.mat, k);
    const boxShadow s = castShadow(a, axis, are_leaves), t = castShadow(b, axis, are_leaves);
    if (s.reach + t.reach + margin < fabs(t.middle - s.middle)) {
      return true;
    }
  }
  return false;
}


bool cfi_unboundedOverlap(cfObb a, cfObb b, mjtNum margin, bool are_leaves) {
  const bool endless_a = cfi_isUnbounded(a.box), endless_b = cfi_isUnbounded(b.box);
  if (isEverywhere(a.box) || isEverywhere(b.box) || (endless_a && endless_b)) {
    return true;
  }
  return !separatedBy(endless_a ? a : b, a, b, margin, are_leaves);
}
