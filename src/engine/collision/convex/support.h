// What support functions share.
#ifndef CF_COLLISION_CONVEX_SUPPORT_H
#define CF_COLLISION_CONVEX_SUPPORT_H

#include "collision/convex/shape.h"
#include "collision/convex/vec.h"
#include "math/inline.h"

// A vertex that is found by computing with its number is known only when the direction is, some
// hundred cycles later; a branch is guessed, and what follows begins with the guess.  Where pairs
// of shapes move little from step to step, most guesses are right.

// the number itself, in a way that keeps the branch before it from becoming a choice of values
static inline int cfi_branched(int k) {
#if defined(__GNUC__) && (defined(__x86_64__) || defined(__aarch64__))
  __asm__ volatile("" : "+r"(k));
#endif
  return k;
}


// one of eight corners
static inline int cfi_guessCorner(int k) {
  switch (k) {
    case 0:
      return cfi_branched(0);
    case 1:
      return cfi_branched(1);
    case 2:
      return cfi_branched(2);
    case 3:
      return cfi_branched(3);
    case 4:
      return cfi_branched(4);
    case 5:
      return cfi_branched(5);
    case 6:
      return cfi_branched(6);
    default:
      return cfi_branched(7);
  }
}


// from the frame of the shape to the world
static inline void cfi_putPoint(const cfConvex* s, mjtNum x, mjtNum y, mjtNum z, mjtNum res[3]) {
  const mjtNum *R = s->mat, *p = s->pos;
  cfi_set3(res, R[0] * x + R[1] * y + R[2] * z + p[0], R[3] * x + R[4] * y + R[5] * z + p[1],
           R[6] * x + R[7] * y + R[8] * z + p[2]);
}


// direction in the frame of the shape
static inline cfVec3 cfi_turnBack(const cfConvex* s, const mjtNum dir[3]) {
  const mjtNum *R = s->mat, x = dir[0], y = dir[1], z = dir[2];
  return (cfVec3){R[0] * x + R[3] * y + R[6] * z, R[1] * x + R[4] * y + R[7] * z,
                  R[2] * x + R[5] * y + R[8] * z};
}


enum { CF_FEW_VERTICES = 32 };  // so many heights are compared without a branch

static inline bool cfi_hasFewVertices(const cfConvex* s) {
  return s->nvert >= 4 && s->nvert <= CF_FEW_VERTICES;
}


// hull.c: farthest vertex of a mesh, by looking at all of them or by a walk over its hull, or both
// where there are few and the hull has all of them
void cfi_supportMesh(cfConvex* shape, const mjtNum dir[3], mjtNum res[3]);
void cfi_supportHull(cfConvex* shape, const mjtNum dir[3], mjtNum res[3]);
void cfi_supportSmallHull(cfConvex* shape, const mjtNum dir[3], mjtNum res[3]);

#endif  // CF_COLLISION_CONVEX_SUPPORT_H
