// Capsule against box.
//
// In box coordinates the capsule is a segment  p(t) = pos + t*half, |t| <= 1, with a radius.  The
// feature of the box nearest to the segment is a face (below an end of the segment) or an edge,
// corners included.  The ball at the nearest t gives the first contact.  Where the segment runs
// along a face or an edge it touches a second time: t moves from the first point towards the far
// side until the segment ends or leaves the box.
//
//            t = -1            t = 1
//              o-----------------o
//         _____|______           |
//        |     1      |2         |          1 first contact, 2 second contact above the edge
#include "collision/collider.h"

#include <math.h>
#include <stdbool.h>

#include "base/assert.h"
#include "math/inline.h"

typedef enum {
  FEATURE_NONE,
  FEATURE_INSIDE,  // an end of the segment lies inside the box
  FEATURE_FACE,    // an end of the segment lies over a face
  FEATURE_EDGE,
  FEATURE_CORNER
} featureKind;

// the capsule in box coordinates
typedef struct {
  mjtNum pos[3], axis[3], half[3];  // center, unit axis, half segment
  const mjtNum* size;               // half sizes of the box
  mjtNum half_length;
  int octant;  // bit k: the segment points along +k
} boxSegment;

// nearest feature so far
typedef struct {
  featureKind kind;
  mjtNum dist_sqr;
  mjtNum t;       // coordinate on the segment
  mjtNum edge_t;  // coordinate on the edge
  int axis;       // of the face's normal or of the edge
  int corner;     // bit k: on the +k side; of an edge the lower end
} boxFeature;


static boxSegment toBox(cfGeomView capsule, cfGeomView box) {
  boxSegment s = {.size = box.size, .half_length = capsule.size[1]};
  mjtNum world[3];
  cfi_sub3(world, capsule.pos, box.pos);
  cfi_mulMatTVec3(s.pos, box.mat, world);
  cfi_column3(world, capsule.mat, 2);
  cfi_mulMatTVec3(s.axis, box.mat, world);
  cfi_scl3(s.half, s.axis, s.half_length);
  for (int k = 0; k < 3; k++) {
    s.octant |= (s.half[k] > 0) << k;
  }
  return s;
}


// an end of the segment that is beyond the box in one axis at most: over a face or inside
static void tryEnd(boxFeature* best, const boxSegment* s, int end) {
  CF_ASSERT(end == 1 || end == -1);
  mjtNum dist_sqr = 0;
  int outside = 0, axis = -1;
  for (int k = 0; k < 3; k++) {
    const mjtNum x = s->pos[k] + end * s->half[k];
    if (fabs(x) > s->size[k]) {
      const mjtNum beyond = fabs(x) - s->size[k];
      dist_sqr += beyond * beyond;
      outside++;
      axis = k;
    }
  }
  if (outside <= 1 && dist_sqr < best->dist_sqr) {
    *best = (boxFeature){.kind = outside ? FEATURE_FACE : FEATURE_INSIDE,
                         .dist_sqr = dist_sqr,
                         .t = end,
                         .axis = axis};
  }
}


// limit x to [-1, 1]; returns the end it was beyond, or 0
static int limitUnit(mjtNum* x) {
  const int end = (*x > 1) - (*x < -1);
  if (end) {
    *x = end;
  }
  return end;
}


// the edge along `axis` whose lower end is `corner`
static void tryEdge(boxFeature* best, const boxSegment* s, int axis, int corner) {
  CF_ASSERT_INDEX(axis, 3);
  mjtNum gap[3];
  for (int k = 0; k < 3; k++) {
    gap[k] = (k == axis ? 0 : (corner >> k & 1 ? s->size[k] : -s->size[k])) - s->pos[k];
  }

  // normal equations of edge coordinate x and segment coordinate t
  const mjtNum length = s->size[axis];
  const mjtNum xx = length * length, xt = -length * s->half[axis];
  const mjtNum tt = s->half_length * s->half_length;
  const mjtNum ux = -length * gap[axis], ut = cfi_dot3(s->half, gap);
  const mjtNum det = xx * tt - xt * xt;
  if (fabs(det) < mjMINVAL) {
    return;
  }
  const mjtNum inverse = 1 / det;
  mjtNum x = (tt * ux - xt * ut) * inverse, t = (xx * ut - xt * ux) * inverse;

  // limit the edge first, then the segment, which may move the edge once more; an end of the edge
  // that was met first counts as the nearest feature even if x moves away from it again
  int end = limitUnit(&x);
  if (end) {
    t = (ut - xt * x) * (1 / tt);
  }
  if (limitUnit(&t)) {
    x = (ux - xt * t) * (1 / xx);
    const int again = limitUnit(&x);
    end = again ? again : end;
  }

  // a tie stays with the earlier feature
  cfi_addToScl3(gap, s->half, -t);
  gap[axis] += length * x;
  const mjtNum dist_sqr = cfi_dot3(gap, gap);
  if (dist_sqr < best->dist_sqr - mjMINVAL) {
    *best = (boxFeature){.kind = end ? FEATURE_CORNER : FEATURE_EDGE,
                         .dist_sqr = dist_sqr,
                         .t = t,
                         .edge_t = x,
                         .axis = axis,
                         .corner = corner | (end > 0) << axis};
  }
}


static boxFeature nearestFeature(const boxSegment* s, mjtNum limit) {
  boxFeature best = {.kind = FEATURE_NONE, .dist_sqr = limit};
  tryEnd(&best, s, -1);
  tryEnd(&best, s, 1);
  for (int axis = 0; axis < 3; axis++) {
    for (int corner = 0; corner < 8; corner++) {
      if (!(corner >> axis & 1)) {
        tryEdge(&best, s, axis, corner);
      }
    }
  }
  return best;
}


// length in t after which the segment has crossed the box along an axis
static mjtNum crossing(const boxSegment* s, int k) {
  return 2 * s->size[k] / fabs(s->half[k]);
}


// first point on a corner: run along the edge that the segment follows, or over the face it lies
// on; a segment that points to or away from the corner touches once
static bool shiftFromCorner(mjtNum* shift, const boxSegment* s, const boxFeature* f) {
  static const int single_axis[8] = {-1, 0, 1, 2, 2, 1, 0, -1};
  const int relation = s->octant ^ f->corner;
  CF_ASSERT(0 <= relation && relation < 8);
  const int axis = single_axis[relation];
  if (axis < 0) {
    return false;
  }

  // relation has one bit (1, 2, 4) or all but one (6, 5, 3)
  const int towards = (relation & (relation - 1)) == 0 ? 1 : -1;
  if (s->axis[axis] * s->axis[axis] > 0.5) {
    *shift = towards * cfi_min(crossing(s, axis), 1 - towards * f->t);
  } else {
    const mjtNum first = cfi_min(crossing(s, (axis + 1) % 3), 1 + towards * f->t);
    *shift = -towards * cfi_min(crossing(s, (axis + 2) % 3), first);
  }
  return true;
}


// first point inside an edge: run over the face that the segment is flatter to, unless it stands on
// the edge
static bool shiftFromEdge(mjtNum* shift, const boxSegment* s, const boxFeature* f) {
  const int along = f->axis, next = (along + 1) % 3, last = (along + 2) % 3;
  const int both = 1 << next | 1 << last;
  const int relation = (s->octant ^ f->corner) & both;
  if (relation == 0 || relation == both) {
    return false;
  }

  // across: the axis in which the segment moves farther
  const int across = fabs(s->axis[next]) > fabs(s->axis[last]) ? next : last;
  const int forward = relation >> across & 1;
  const int towards = forward ? 1 : -1;
  const mjtNum left = (s->octant >> along & 1) == forward ? 1 - f->edge_t : 1 + f->edge_t;
  const mjtNum first = cfi_min(crossing(s, across), 1 - towards * f->t);
  *shift = towards * cfi_min(s->size[along] * left / fabs(s->half[along]), first);
  return true;
}


// first point over a face: run to where the segment leaves the face or ends
static bool shiftFromFace(mjtNum* shift, const boxSegment* s, const boxFeature* f) {
  CF_ASSERT(fabs(f->t) == 1);
  const int towards = f->t < 0 ? 1 : -1;
  mjtNum nearest = 2;
  for (int k = 0; k < 3; k++) {
    const mjtNum start = s->pos[k] - towards * s->half[k];
    for (int side = 1; k != f->axis && side >= -1; side -= 2) {
      const mjtNum leave = (side * s->size[k] - start) / s->half[k] * towards;
      if (leave > 0 && leave < nearest) {
        nearest = leave;
      }
    }
  }
  *shift = towards * nearest;
  return true;
}


// distance in t from the first contact to the second; false when there is no second one
static bool secondContact(mjtNum* shift, const boxSegment* s, const boxFeature* f) {
  return f->kind == FEATURE_FACE   ? shiftFromFace(shift, s, f)
         : f->kind == FEATURE_EDGE ? shiftFromEdge(shift, s, f)
                                   : f->kind == FEATURE_CORNER && shiftFromCorner(shift, s, f);
}


// ball of the capsule at coordinate t
static int touchBall(mjContact* con, const boxSegment* s, mjtNum t, cfGeomView capsule,
                     cfGeomView box, mjtNum margin) {
  mjtNum local[3], center[3];
  cfi_addScl3(local, s->pos, s->half, t);
  cfi_mulMatVec3(center, box.mat, local);
  cfi_addTo3(center, box.pos);
  return cfi_sphereBox(con, (cfGeomView){center, capsule.mat, capsule.size}, box, margin);
}


int cfi_capsuleBox(mjContact con[CF_MAXCON_CAPSULEBOX], cfGeomView capsule, cfGeomView box,
                   mjtNum margin) {
  const boxSegment s = toBox(capsule, box);

  // MuJoCo compares squared distances with this length, so that capsules much thicker than their
  // own length and the box can miss contacts; kept, since contacts must be the same
  const mjtNum limit =
      margin + 2 * (capsule.size[0] + s.half_length + box.size[0] + box.size[1] + box.size[2]);
  const boxFeature f = nearestFeature(&s, limit);
  if (f.kind == FEATURE_NONE) {
    return 0;
  }

  mjtNum shift;
  int n = touchBall(con, &s, f.t, capsule, box, margin);
  if (secondContact(&shift, &s, &f)) {
    n += touchBall(con + n, &s, f.t + shift, capsule, box, margin);
  }
  return n;
}


CF_TABLE_ENTRY(cfi_collideCapsuleBox, cfi_capsuleBox)
