// Oriented bounding boxes: overlap within a margin along the six face normals (Gottschalk, Lin &
// Manocha 1996, without the nine edge pairs, so that a few boxes apart pass).
#ifndef CF_COLLISION_MID_OBB_H
#define CF_COLLISION_MID_OBB_H

#include <stdbool.h>

#include <mujoco/mujoco.h>

#include "math/inline.h"

// a box (center, half sizes) in a frame (position, row-major orientation)
typedef struct {
  const mjtNum *box, *pos, *mat;
} cfObb;

// one frame seen from another; rows of the rotation are computed when an axis is first tested,
// since most boxes are separated by one of the first
typedef struct {
  const mjtNum* mat[2];
  mjtNum offset[3];  // from origin 0 to origin 1, in the world
  int nrow;          // rows that are known
  mjtNum rot[9];     // frame 0 <- frame 1
  mjtNum absrot[9];
  mjtNum shift[2][3];  // offset in frame 0, by rows, and in frame 1 once all rows are known
} cfFramePair;

static inline void cfi_relateFrames(cfFramePair* f, const mjtNum pos0[3], const mjtNum mat0[9],
                                    const mjtNum pos1[3], const mjtNum mat1[9]) {
  f->mat[0] = mat0;
  f->mat[1] = mat1;
  f->nrow = 0;
  cfi_sub3(f->offset, pos1, pos0);
}


static inline void cfi_relateRow(cfFramePair* f, int k) {
  mjtNum axis[3], *row = f->rot + 3 * k;
  cfi_column3(axis, f->mat[0], k);
  cfi_mulMatTVec3(row, f->mat[1], axis);
  for (int j = 0; j < 3; j++) {
    f->absrot[3 * k + j] = fabs(row[j]);
  }
  f->shift[0][k] = cfi_dot3(axis, f->offset);
  if (k == 2) {
    cfi_mulMatTVec3(f->shift[1], f->mat[1], f->offset);
  }
  f->nrow = k + 1;
}


// a box (center, half sizes) without end in some direction: it holds a plane
static inline bool cfi_isUnbounded(const mjtNum box[6]) {
  return box[3] >= mjMAXVAL || box[4] >= mjMAXVAL || box[5] >= mjMAXVAL;
}


// do bounded boxes of frame 0 and 1 overlap
static inline bool cfi_boundedOverlap(cfFramePair* f, const mjtNum box0[6], const mjtNum box1[6],
                                      mjtNum margin) {
  for (int k = 0; k < 3; k++) {
    if (k >= f->nrow) {
      cfi_relateRow(f, k);
    }
    const mjtNum *row = f->rot + 3 * k, *absrow = f->absrot + 3 * k;
    const mjtNum gap = f->shift[0][k] + cfi_dot3(row, box1) - box0[k];
    if (box0[3 + k] + cfi_dot3(absrow, box1 + 3) + margin < fabs(gap)) {
      return false;
    }
  }
  for (int k = 0; k < 3; k++) {
    const mjtNum gap = f->shift[1][k] + box1[k] - cfi_dotColumn3(f->rot, k, box0);
    if (box1[3 + k] + cfi_dotColumn3(f->absrot, k, box0 + 3) + margin < fabs(gap)) {
      return false;
    }
  }
  return true;
}


// the same when a box is unbounded.  Such a box reaches 1e10 far and its far side hides all digits
// below 1e-6, so which shallow contacts of a plane pass depends on the order of the sums: it is
// that of MuJoCo, which moves the centers of leaves to the world first and projects those of inner
// nodes term by term
bool cfi_unboundedOverlap(const cfObb* a, const cfObb* b, mjtNum margin, bool are_leaves);

#endif  // CF_COLLISION_MID_OBB_H
