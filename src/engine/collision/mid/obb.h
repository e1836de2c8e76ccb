// Oriented bounding boxes: overlap within a margin along the six face normals (Gottschalk, Lin &
// Manocha 1996, without the nine edge pairs, so that a few boxes apart pass).
#ifndef CF_COLLISION_MID_OBB_H
#define CF_COLLISION_MID_OBB_H

#include <stdbool.h>

#include <mujoco/mujoco.h>

#include "math/inline.h"
#include "math/simd/lane3.h"

// a box (center, half sizes) in a frame (position, row-major orientation)
typedef struct {
  const mjtNum *box, *pos, *mat;
} cfObb;

// one frame seen from another.  The axes of a frame are tested together, one per lane; the fourth
// lane holds anything
typedef struct {
  const mjtNum* mat[2];
  mjtNum offset[3];   // from origin 0 to origin 1, in the world
  cfLane turn[2][3];  // [0]: columns of the rotation frame 0 <- frame 1, [1]: its rows
  cfLane shift[2];    // offset in the frame
  bool has_both;      // the axes of frame 1 are known, too; often those of frame 0 decide
} cfFramePair;

// x*a + y*b + z*c
static inline cfLane cfi_combineAxes(const cfLane axes[3], mjtNum a, mjtNum b, mjtNum c) {
  const cfLane sum =
      cfi_laneAdd(cfi_laneMul(axes[0], cfi_laneSpread(a)), cfi_laneMul(axes[1], cfi_laneSpread(b)));
  return cfi_laneAdd(sum, cfi_laneMul(axes[2], cfi_laneSpread(c)));
}


// the axes of one frame seen from the other
static inline void cfi_relateAxes(cfFramePair* f, int side) {
  const mjtNum *own = f->mat[side], *other = f->mat[1 - side], *x = f->offset;
  const cfLane axes[3] = {cfi_laneLoad(own), cfi_laneLoad(own + 3), cfi_laneLoadLast3(own + 6)};
  for (int k = 0; k < 3; k++) {
    f->turn[side][k] = cfi_combineAxes(axes, other[k], other[k + 3], other[k + 6]);
  }
  f->shift[side] = cfi_combineAxes(axes, x[0], x[1], x[2]);
}


static inline void cfi_relateFrames(cfFramePair* f, const mjtNum pos0[3], const mjtNum mat0[9],
                                    const mjtNum pos1[3], const mjtNum mat1[9]) {
  f->mat[0] = mat0;
  f->mat[1] = mat1;
  cfi_sub3(f->offset, pos1, pos0);
  cfi_relateAxes(f, 0);
  f->turn[1][0] = f->turn[1][1] = f->turn[1][2] = f->shift[1] = cfi_laneSpread(0);
  f->has_both = false;
}


// a box (center, half sizes) without end in some direction: it holds a plane
static inline bool cfi_isUnbounded(const mjtNum box[6]) {
  return box[3] >= mjMAXVAL || box[4] >= mjMAXVAL || box[5] >= mjMAXVAL;
}


// in every direction: it holds several
static inline bool cfi_isEverywhere(const mjtNum box[6]) {
  return box[3] >= mjMAXVAL && box[4] >= mjMAXVAL && box[5] >= mjMAXVAL;
}


static inline cfLane cfi_halfSizes(const mjtNum box[6]) {
  return cfi_laneSet(box[3], box[4], box[5], 0);
}


// reach of both boxes along the axes of a frame: of the one that is in this frame, and of the other
static inline cfLane cfi_bothReach(const cfLane turn[3], const mjtNum own[6], const mjtNum other[6],
                                   mjtNum margin) {
  const cfLane size[3] = {cfi_laneAbs(turn[0]), cfi_laneAbs(turn[1]), cfi_laneAbs(turn[2])};
  const cfLane reach = cfi_combineAxes(size, other[3], other[4], other[5]);
  return cfi_laneAdd(cfi_laneAdd(cfi_halfSizes(own), reach), cfi_laneSpread(margin));
}


// do bounded boxes of frame 0 and 1 overlap
static inline bool cfi_boundedOverlap(cfFramePair* f, const mjtNum box0[6], const mjtNum box1[6],
                                      mjtNum margin) {
  const cfLane middle1 = cfi_combineAxes(f->turn[0], box1[0], box1[1], box1[2]);
  const cfLane gap0 = cfi_laneSub(cfi_laneAdd(f->shift[0], middle1), cfi_laneLoad(box0));
  if (cfi_laneLess3(cfi_bothReach(f->turn[0], box0, box1, margin), cfi_laneAbs(gap0))) {
    return false;
  }
  if (!f->has_both) {
    cfi_relateAxes(f, 1);
    f->has_both = true;
  }
  const cfLane middle0 = cfi_combineAxes(f->turn[1], box0[0], box0[1], box0[2]);
  const cfLane gap1 = cfi_laneSub(cfi_laneAdd(f->shift[1], cfi_laneLoad(box1)), middle0);
  return !cfi_laneLess3(cfi_bothReach(f->turn[1], box1, box0, margin), cfi_laneAbs(gap1));
}


// the same when a box is unbounded.  Such a box reaches 1e10 far and its far side hides all digits
// below 1e-6, so which shallow contacts of a plane pass depends on the order of the sums: it is
// that of MuJoCo, which moves the centers of leaves to the world first and projects those of inner
// nodes term by term
bool cfi_unboundedOverlap(const cfObb* a, const cfObb* b, mjtNum margin, bool are_leaves);

#endif  // CF_COLLISION_MID_OBB_H
