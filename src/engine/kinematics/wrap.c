// Wrapping is solved in a plane through the center of the object: for a sphere the plane of both
// ends and the center, for a cylinder the plane across its axis, the height being distributed
// afterwards.
//
//          p0 o-------.                 tangents from both ends to the circle; of the two
//                   /   \               pairs the one on the side of the side point, or the
//                  |  +  | arc          shorter one, gives the arc
//                   \   /
//          p1 o-------'
#include "kinematics/wrap.h"

#include <stdbool.h>

#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "math/inline.h"
#include "math/libm.h"

// Newton iteration of the inverse wrap
static const mjtNum kStart = 1 - 1e-7, kTolerance = 1e-6;
enum { MAX_ITERATIONS = 20 };

// goodness of a pair of tangents that cross each other
static const mjtNum kCrossed = -10000;

typedef struct {
  mjtNum x, y;
} cfPoint;

// ends of a string
typedef struct {
  cfPoint from, to;
} cfPath;


static inline mjtNum dot2(cfPoint a, cfPoint b) {
  return a.x * b.x + a.y * b.y;
}


static inline mjtNum norm2(cfPoint a) {
  return sqrt(dot2(a, a));
}


static inline cfPoint minus2(cfPoint a, cfPoint b) {
  return (cfPoint){a.x - b.x, a.y - b.y};
}


// a scaled to the given length; (length, 0) where a vanishes
static cfPoint withLength2(cfPoint a, mjtNum length) {
  const mjtNum norm = norm2(a);
  if (norm < mjMINVAL) {
    return (cfPoint){length, 0};
  }
  const mjtNum inverse = 1 / norm;
  return (cfPoint){a.x * inverse * length, a.y * inverse * length};
}


// point of the segment that is nearest to the origin: start + clip(a)*dif
static mjtNum nearestParameter(cfPoint start, cfPoint dif) {
  return -dot2(dif, start) / dot2(dif, dif);
}


// do the segments a-b and c-d have a point in common; parallel ones have not
static bool segmentsCross(cfPoint a, cfPoint b, cfPoint c, cfPoint d) {
  const cfPoint ab = minus2(b, a), cd = minus2(d, c), ca = minus2(a, c);
  const mjtNum det = cd.y * ab.x - cd.x * ab.y;
  if (fabs(det) < mjMINVAL) {
    return false;
  }
  const mjtNum s = (cd.x * ca.y - cd.y * ca.x) / det;
  const mjtNum t = (ab.x * ca.y - ab.y * ca.x) / det;
  return s >= 0 && s <= 1 && t >= 0 && t <= 1;
}


// arc from a to b on the circle; which pair of tangents it belongs to decides the way round
static mjtNum arcLength(cfPoint a, cfPoint b, int second, mjtNum radius) {
  CF_ASSERT(second == 0 || second == 1);
  const mjtNum angle = cfi_acos(dot2(withLength2(a, 1), withLength2(b, 1)));
  const mjtNum cross = a.y * b.x - a.x * b.y;
  const bool is_long = second ? cross > 0 : cross < 0;
  return radius * (is_long ? 2 * mjPI - angle : angle);
}


// where the two tangents from p touch the circle; the first has the center on its left
static void tangentPoints(cfPoint touch[2], cfPoint p, mjtNum radius) {
  const mjtNum square = dot2(p, p), along = radius * radius;
  const mjtNum across = radius, reach = sqrt(square - along);
  touch[0] = (cfPoint){(p.x * along + across * p.y * reach) / square,
                       (p.y * along - across * p.x * reach) / square};
  touch[1] = (cfPoint){(p.x * along - across * p.y * reach) / square,
                       (p.y * along + across * p.x * reach) / square};
}


// larger is better: toward the side point, or the shorter chord
static mjtNum tangentGoodness(cfPath ends, cfPoint touch0, cfPoint touch1, const cfPoint* side) {
  if (segmentsCross(ends.from, touch0, ends.to, touch1)) {
    return kCrossed;
  }
  if (side) {
    const cfPoint sum = {touch0.x + touch1.x, touch0.y + touch1.y};
    return dot2(withLength2(sum, 1), *side);
  }
  const cfPoint chord = minus2(touch0, touch1);
  return -dot2(chord, chord);
}


// does the straight string miss the circle and run on the wanted side of it
static bool runsClear(cfPath ends, const cfPoint* side, mjtNum radius) {
  const cfPoint dif = minus2(ends.to, ends.from);
  const mjtNum a = cfi_clip(nearestParameter(ends.from, dif), 0, 1);
  const cfPoint nearest = {a * dif.x + ends.from.x, a * dif.y + ends.from.y};
  return dot2(nearest, nearest) > radius * radius && (!side || dot2(*side, nearest) >= 0);
}


// number by number: a point that is looked up in an array goes through memory
static inline cfPoint choosePoint(bool first, cfPoint a, cfPoint b) {
  return (cfPoint){first ? a.x : b.x, first ? a.y : b.y};
}


// wrap around the outside of a circle; returns the arc length or -1
static mjtNum wrapOutside(cfPoint touch[2], cfPath ends, const cfPoint* side, mjtNum radius) {
  const mjtNum square = radius * radius;
  const cfPoint from = ends.from, to = ends.to, dif = minus2(to, from);
  const bool inside = dot2(from, from) < square || dot2(to, to) < square;
  if (inside || radius < mjMINVAL || dot2(dif, dif) < mjMINVAL || runsClear(ends, side, radius)) {
    return -1;
  }

  // both ways round: the first tangent of one end goes with the second of the other
  cfPoint at_from[2], at_to[2];
  tangentPoints(at_from, from, radius);
  tangentPoints(at_to, to, radius);
  const mjtNum goodness0 = tangentGoodness(ends, at_from[0], at_to[1], side);
  const mjtNum goodness1 = tangentGoodness(ends, at_from[1], at_to[0], side);
  const bool is_first = goodness0 > goodness1;
  const cfPoint touch0 = choosePoint(is_first, at_from[0], at_from[1]);
  const cfPoint touch1 = choosePoint(is_first, at_to[1], at_to[0]);
  touch[0] = touch0;
  touch[1] = touch1;
  return (is_first ? goodness0 : goodness1) == kCrossed
             ? -1
             : arcLength(touch0, touch1, is_first ? 0 : 1, radius);
}


// angles of the inverse wrap: asin(A z) + asin(B z) - 2 asin(z) + G vanishes at the point where
// both parts of the string make equal angles with the normal; z is the sine of that angle
typedef struct {
  mjtNum A, B, G;
} cfInverseWrap;


static mjtNum inverseResidual(cfInverseWrap w, mjtNum z) {
  return cfi_asin(w.A * z) + cfi_asin(w.B * z) - 2 * cfi_asin(z) + w.G;
}


// derivative of c*asin at a z with guarded denominator
static mjtNum asinSlope(mjtNum c, mjtNum z) {
  return c / cfi_max(mjMINVAL, sqrt(1 - z * z * c * c));
}


// root between 0 and 1 by Newton from the right; negative when the iteration leaves its path
static mjtNum solveInverse(cfInverseWrap w) {
  mjtNum z = kStart, residual = inverseResidual(w, z);
  if (residual > 0) {
    return -1;
  }

  for (int iter = 0; iter < MAX_ITERATIONS; iter++) {
    if (fabs(residual) <= kTolerance) {
      return z;
    }
    const mjtNum slope = asinSlope(w.A, z) + asinSlope(w.B, z) - 2 * asinSlope(1, z);
    const mjtNum next = z - residual / slope;
    if (slope > -mjMINVAL || next > z) {
      return -1;
    }
    z = next;
    residual = inverseResidual(w, z);
    if (residual > kTolerance) {
      return -1;
    }
  }
  return -1;
}


// the straight string runs through the circle between its ends
static bool runsThrough(const cfPoint end[2], mjtNum radius) {
  const cfPoint dif = minus2(end[1], end[0]);
  if (dot2(dif, dif) <= mjMINVAL) {
    return false;
  }
  const mjtNum a = nearestParameter(end[0], dif);
  const cfPoint nearest = {end[0].x + dif.x * a, end[0].y + dif.y * a};
  return a > 0 && a < 1 && norm2(nearest) <= radius;
}


mjtNum cfi_wrapInside(mjtNum point[2], const mjtNum ends[4], mjtNum radius) {
  const cfPoint end[2] = {{ends[0], ends[1]}, {ends[2], ends[3]}};
  const mjtNum len0 = norm2(end[0]), len1 = norm2(end[1]);
  const cfPoint dif = minus2(end[1], end[0]);
  if (len0 <= radius || len1 <= radius || radius < mjMINVAL || len0 < mjMINVAL || len1 < mjMINVAL ||
      runsThrough(end, radius)) {
    return -1;
  }

  // angle between the ends as seen from the center
  const mjtNum cosine = (len0 * len0 + len1 * len1 - dot2(dif, dif)) / (2 * len0 * len1);
  if (cosine < -1 + mjMINVAL) {
    return -1;
  }

  // without a root: the middle, projected on the circle
  const cfPoint middle = {0.5 * (end[0].x + end[1].x), 0.5 * (end[0].y + end[1].y)};
  cfPoint touch = withLength2(middle, radius);
  const cfInverseWrap w = {radius / len0, radius / len1, cfi_acos(cosine)};
  const mjtNum z = cosine > 1 - mjMINVAL ? -1 : solveInverse(w);
  if (z >= 0) {
    // turn from the end that has the other one on its left
    const int from = end[0].x * end[1].y - end[0].y * end[1].x > 0 ? 0 : 1;
    const mjtNum angle = cfi_asin(z) - cfi_asin((from == 0 ? w.A : w.B) * z);
    const cfPoint unit = withLength2(end[from], 1);
    mjtNum s, c;
    cfi_sinCos(&s, &c, angle);
    touch.x = radius * (c * unit.x - s * unit.y);
    touch.y = radius * (s * unit.x + c * unit.y);
  }
  point[0] = touch.x;
  point[1] = touch.y;
  return 0;
}


// axes of the plane through the center and both points, the first one toward p0
static void spherePlane(mjtNum axis[2][3], const mjtNum p0[3], const mjtNum p1[3]) {
  mjtNum normal[3];
  cfi_copy3(axis[0], p0);
  cfi_normalize3(axis[0]);
  cfi_cross(normal, p0, p1);

  // center and points on one line: any plane will do; 0 at the largest component, 1 elsewhere
  if (cfi_normalize3(normal) < mjMINVAL) {
    const mjtNum x = fabs(axis[0][0]), y = fabs(axis[0][1]), z = fabs(axis[0][2]);
    const int largest = z > x && z > y ? 2 : y > x && y > z ? 1 : 0;
    mjtNum other[3] = {1, 1, 1};
    other[largest] = 0;
    cfi_cross(normal, axis[0], other);
    cfi_normalize3(normal);
  }
  cfi_cross(axis[1], normal, axis[0]);
  cfi_normalize3(axis[1]);
}


static inline void toLocal(mjtNum res[3], const mjtNum x[3], const cfWrapObject* obj) {
  mjtNum shifted[3];
  cfi_sub3(shifted, x, obj->pos);
  cfi_mulMatTVec3(res, obj->mat, shifted);
}


static inline cfPoint project(const mjtNum p[3], mjtNum axis[2][3]) {
  return (cfPoint){cfi_dot3(p, axis[0]), cfi_dot3(p, axis[1])};
}


// helix: height grows evenly along the string; returns the length including the rise of the arc
static mjtNum distributeHeight(mjtNum touch[2][3], mjtNum p[2][3], mjtNum arc) {
  mjtNum run[2];
  for (int k = 0; k < 2; k++) {
    run[k] = norm2((cfPoint){p[k][0] - touch[k][0], p[k][1] - touch[k][1]});
  }
  const mjtNum total = run[0] + arc + run[1], rise = p[1][2] - p[0][2];
  touch[0][2] = p[0][2] + rise * run[0] / total;
  touch[1][2] = p[0][2] + rise * (run[0] + arc) / total;

  const mjtNum height = fabs(touch[1][2] - touch[0][2]);
  return sqrt(arc * arc + height * height);
}


// arc length and touching points in the plane; the side point decides between outside and inside
static mjtNum wrapInPlane(cfPoint touch[2], cfPath ends, mjtNum axis[2][3],
                          const cfWrapObject* obj) {
  if (!obj->side) {
    return wrapOutside(touch, ends, NULL, obj->radius);
  }

  mjtNum local[3];
  toLocal(local, obj->side, obj);
  if (cfi_norm3(local) >= obj->radius) {
    const cfPoint side = withLength2(project(local, axis), obj->radius);
    return wrapOutside(touch, ends, &side, obj->radius);
  }

  const mjtNum flat[4] = {ends.from.x, ends.from.y, ends.to.x, ends.to.y};
  mjtNum single[2] = {0, 0};
  const mjtNum length = cfi_wrapInside(single, flat, obj->radius);
  touch[0] = touch[1] = (cfPoint){single[0], single[1]};
  return length;
}


mjtNum cfi_wrap(mjtNum points[2][3], const mjtNum x0[3], const mjtNum x1[3],
                const cfWrapObject* obj) {
  CF_ASSERT(obj->type == mjWRAP_SPHERE || obj->type == mjWRAP_CYLINDER);
  mjtNum p[2][3], lifted[2][3], axis[2][3] = {{1, 0, 0}, {0, 1, 0}};
  toLocal(p[0], x0, obj);
  toLocal(p[1], x1, obj);
  const mjtNum too_close = mjMINVAL * mjMINVAL;
  if (cfi_dot3(p[0], p[0]) < too_close || cfi_dot3(p[1], p[1]) < too_close) {
    return -1;
  }
  if (obj->type == mjWRAP_SPHERE) {
    spherePlane(axis, p[0], p[1]);
  }

  const cfPath ends = {project(p[0], axis), project(p[1], axis)};
  cfPoint touch[2];
  mjtNum length = wrapInPlane(touch, ends, axis, obj);
  if (length < 0) {
    return -1;
  }

  // back to space
  for (int k = 0; k < 2; k++) {
    cfi_scl3(lifted[k], axis[0], touch[k].x);
    cfi_addToScl3(lifted[k], axis[1], touch[k].y);
  }
  if (obj->type == mjWRAP_CYLINDER) {
    length = distributeHeight(lifted, p, length);
  }
  for (int k = 0; k < 2; k++) {
    mjtNum turned[3];
    cfi_mulMatVec3(turned, obj->mat, lifted[k]);
    cfi_add3(points[k], turned, obj->pos);
  }
  return length;
}
