// Capsule against capsule: nearest points of two segments, each carrying a ball.
#include "collision/collider.h"

#include <math.h>

#include "collision/narrow/ball.h"
#include "math/inline.h"

// two segments  p = center + x*axis, |x| <= 1, and the normal equations of their squared distance:
//   | aa ab | |xa|   |ua|
//   | ab bb | |xb| = |ub|
typedef struct {
  cfGeomView a, b;
  mjtNum axis_a[3], axis_b[3];
  mjtNum aa, ab, bb, ua, ub;
  mjtNum margin;
} segmentPair;


// quotient of a coordinate equation; a segment of no length has no coordinate
static mjtNum coordinate(mjtNum numerator, mjtNum length_sqr) {
  return length_sqr > 0 ? numerator / length_sqr : 0;
}


// minimizer on segment b when xa is fixed
static mjtNum solveB(const segmentPair* s, mjtNum xa) {
  return coordinate(s->ub - s->ab * xa, s->bb);
}


// minimizer on segment a when xb is fixed
static mjtNum solveA(const segmentPair* s, mjtNum xb) {
  return coordinate(s->ua - s->ab * xb, s->aa);
}


// the balls at coordinates xa and xb
static inline int touchAt(mjContact* con, const segmentPair* s, mjtNum xa, mjtNum xb) {
  mjtNum pa[3], pb[3];
  cfi_addScl3(pa, s->a.pos, s->axis_a, xa);
  cfi_addScl3(pb, s->b.pos, s->axis_b, xb);
  return cfi_touchBalls(con, (cfGeomView){pa, s->a.mat, s->a.size},
                        (cfGeomView){pb, s->b.mat, s->b.size}, s->margin);
}


// skew segments: unconstrained minimum, then a is limited, then b, which may move a once more
static int touchSkew(mjContact* con, const segmentPair* s, mjtNum det) {
  mjtNum xa = (s->bb * s->ua - s->ab * s->ub) / det;
  mjtNum xb = (s->aa * s->ub - s->ab * s->ua) / det;
  if (fabs(xa) > 1) {
    xa = xa > 0 ? 1 : -1;
    xb = solveB(s, xa);
  }
  if (fabs(xb) > 1) {
    xb = xb > 0 ? 1 : -1;
    xa = cfi_clip(solveA(s, xb), -1, 1);
  }
  return touchAt(con, s, xa, xb);
}


// parallel segments: the ends of a against b, then the ends of b against a, until two contacts are
// found
static int touchParallel(mjContact* con, const segmentPair* s) {
  int n = 0;
  for (int end = 1; end >= -1; end -= 2) {
    n += touchAt(con + n, s, end, cfi_clip(solveB(s, end), -1, 1));
  }
  for (int end = 1; end >= -1 && n < CF_MAXCON_CAPSULECAPSULE; end -= 2) {
    n += touchAt(con + n, s, cfi_clip(solveA(s, end), -1, 1), end);
  }
  return n;
}


// does the direction between the centers separate the capsules: the segments reach |ua| and |ub|
// along it, times its length.  A little less than they reach, so that rounding does not matter
static inline bool areApart(const segmentPair* s, const mjtNum offset[3]) {
  const mjtNum square = cfi_dot3(offset, offset);
  const mjtNum gap = square * (1 - 1e-12) - fabs(s->ua) - fabs(s->ub);
  const mjtNum reach = s->a.size[0] + s->b.size[0] + s->margin;
  return gap > 0 && gap * gap > reach * reach * square;
}


int cfi_capsuleCapsule(mjContact con[CF_MAXCON_CAPSULECAPSULE], cfGeomView a, cfGeomView b,
                       mjtNum margin) {
  segmentPair s = {.a = a, .b = b, .margin = margin};
  mjtNum offset[3];
  cfi_column3(s.axis_a, a.mat, 2);
  cfi_column3(s.axis_b, b.mat, 2);
  cfi_scl3(s.axis_a, s.axis_a, a.size[1]);
  cfi_scl3(s.axis_b, s.axis_b, b.size[1]);
  cfi_sub3(offset, a.pos, b.pos);

  s.ua = -cfi_dot3(s.axis_a, offset);
  s.ub = cfi_dot3(s.axis_b, offset);
  if (areApart(&s, offset)) {
    return 0;
  }
  s.aa = cfi_dot3(s.axis_a, s.axis_a);
  s.ab = -cfi_dot3(s.axis_a, s.axis_b);
  s.bb = cfi_dot3(s.axis_b, s.axis_b);

  const mjtNum det = s.aa * s.bb - s.ab * s.ab;
  return fabs(det) < mjMINVAL ? touchParallel(con, &s) : touchSkew(con, &s, det);
}


CF_TABLE_ENTRY(cfi_collideCapsuleCapsule, cfi_capsuleCapsule)
