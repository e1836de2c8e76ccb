// Overlap of oriented boxes of which one holds a plane.
#include "collision/mid/obb.h"

// middle and reach of a box along an axis
typedef struct {
  mjtNum middle, reach;
} boxShadow;


static boxShadow castShadow(const mjtNum box[6], const mjtNum pos[3], const mjtNum mat[9],
                            const mjtNum axis[3], bool is_leaf) {
  mjtNum cosine[3];
  for (int k = 0; k < 3; k++) {
    cosine[k] = cfi_dotColumn3(mat, k, axis);
  }

  boxShadow s;
  if (is_leaf) {
    mjtNum center[3];
    cfi_mulMatVec3(center, mat, box);
    cfi_addTo3(center, pos);
    s.middle = cfi_dot3(center, axis);
  } else {
    s.middle = cfi_dot3(box, cosine) + cfi_dot3(pos, axis);
  }
  s.reach = fabs(box[3] * cosine[0]) + fabs(box[4] * cosine[1]) + fabs(box[5] * cosine[2]);
  return s;
}


static bool isEverywhere(const mjtNum box[6]) {
  return box[3] >= mjMAXVAL && box[4] >= mjMAXVAL && box[5] >= mjMAXVAL;
}


bool cfi_unboundedOverlap(const cfFramePair* f, const mjtNum box0[6], const mjtNum box1[6],
                          mjtNum margin, bool are_leaves) {
  if (isEverywhere(box0) || isEverywhere(box1)) {
    return true;
  }

  // only the normals of a box that faces a bounded one can separate them
  const bool unbounded[2] = {cfi_isUnbounded(box0), cfi_isUnbounded(box1)};
  for (int owner = 0; owner < 2; owner++) {
    for (int k = 0; k < 3 && !unbounded[1 - owner]; k++) {
      mjtNum axis[3];
      cfi_column3(axis, f->mat[owner], k);
      const boxShadow a = castShadow(box0, f->pos[0], f->mat[0], axis, are_leaves);
      const boxShadow b = castShadow(box1, f->pos[1], f->mat[1], axis, are_leaves);
      if (a.reach + b.reach + margin < fabs(b.middle - a.middle)) {
        return false;
      }
    }
  }
  return true;
}
