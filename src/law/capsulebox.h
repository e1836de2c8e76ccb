// Law of contacts of a capsule and a box.
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
#ifndef CF_LAW_CAPSULEBOX_H
#define CF_LAW_CAPSULEBOX_H

typedef enum {
  LAW_FEATURE_NONE,
  LAW_FEATURE_INSIDE,  // an end of the segment lies inside the box
  LAW_FEATURE_FACE,    // an end of the segment lies over a face
  LAW_FEATURE_EDGE,
  LAW_FEATURE_CORNER
} lawFeatureKind;

// the capsule in box coordinates
typedef struct {
  cfNum pos[3], axis[3], half[3];  // center, unit axis, half segment
  const cfSize* size;              // half sizes of the box
  cfNum half_length;
  int octant;  // bit k: the segment points along +k
} lawBoxSegment;

// nearest feature so far
typedef struct {
  lawFeatureKind kind;
  cfNum dist_sqr;
  cfNum t;       // coordinate on the segment
  cfNum edge_t;  // coordinate on the edge
  int axis;      // of the face's normal or of the edge
  int corner;    // bit k: on the +k side; of an edge the lower end
} lawBoxFeature;


CF_LAW lawBoxSegment lawToBox(lawView capsule, lawView box) {
  lawBoxSegment s = {.size = box.size, .half_length = capsule.size[1]};
  cfNum world[3];
  numSub3(world, capsule.pos, box.pos);
  numMulMatTVec3(s.pos, box.mat, world);
  numColumn3(world, capsule.mat, 2);
  numMulMatTVec3(s.axis, box.mat, world);
  numScale3(s.half, s.axis, s.half_length);
  for (int k = 0; k < 3; k++) {
    s.octant |= (s.half[k] > 0) << k;
  }
  return s;
}


// an end of the segment that is beyond the box in one axis at most: over a face or inside
CF_LAW void lawTryEnd(lawBoxFeature* best, const lawBoxSegment* s, int end) {
  CF_ASSERT(end == 1 || end == -1);
  cfNum dist_sqr = 0;
  int outside = 0, axis = -1;
  for (int k = 0; k < 3; k++) {
    const cfNum x = s->pos[k] + end * s->half[k];
    if (numAbs(x) > s->size[k]) {
      const cfNum beyond = numAbs(x) - s->size[k];
      dist_sqr += beyond * beyond;
      outside++;
      axis = k;
    }
  }
  if (outside <= 1 && dist_sqr < best->dist_sqr) {
    *best = (lawBoxFeature){.kind = outside ? LAW_FEATURE_FACE : LAW_FEATURE_INSIDE,
                            .dist_sqr = dist_sqr,
                            .t = end,
                            .axis = axis};
  }
}


// limit x to [-1, 1]; returns the end it was beyond, or 0
CF_LAW int lawLimitUnit(cfNum* x) {
  const int end = (*x > 1) - (*x < -1);
  if (end) {
    *x = end;
  }
  return end;
}


// the edge along `axis` whose lower end is `corner`
CF_LAW void lawTryEdge(lawBoxFeature* best, const lawBoxSegment* s, int axis, int corner) {
  CF_ASSERT_INDEX(axis, 3);
  cfNum gap[3];
  for (int k = 0; k < 3; k++) {
    gap[k] = (k == axis ? 0 : (corner >> k & 1 ? s->size[k] : -s->size[k])) - s->pos[k];
  }

  // normal equations of edge coordinate x and segment coordinate t
  const cfNum length = s->size[axis];
  const cfNum xx = length * length, xt = -length * s->half[axis];
  const cfNum tt = s->half_length * s->half_length;
  const cfNum ux = -length * gap[axis], ut = numDot3(s->half, gap);
  const cfNum det = xx * tt - xt * xt;
  if (numAbs(det) < CF_LAW_TINY) {
    return;
  }
  const cfNum inverse = 1 / det;
  cfNum x = (tt * ux - xt * ut) * inverse, t = (xx * ut - xt * ux) * inverse;

  // limit the edge first, then the segment, which may move the edge once more; an end of the edge
  // that was met first counts as the nearest feature even if x moves away from it again
  int end = lawLimitUnit(&x);
  if (end) {
    t = (ut - xt * x) * (1 / tt);
  }
  if (lawLimitUnit(&t)) {
    x = (ux - xt * t) * (1 / xx);
    const int again = lawLimitUnit(&x);
    end = again ? again : end;
  }

  // a tie stays with the earlier feature
  numAddScaled3(gap, gap, s->half, -t);
  gap[axis] += length * x;
  const cfNum dist_sqr = numDot3(gap, gap);
  if (dist_sqr < best->dist_sqr - CF_LAW_TINY) {
    *best = (lawBoxFeature){.kind = end ? LAW_FEATURE_CORNER : LAW_FEATURE_EDGE,
                            .dist_sqr = dist_sqr,
                            .t = t,
                            .edge_t = x,
                            .axis = axis,
                            .corner = corner | (end > 0) << axis};
  }
}


CF_LAW lawBoxFeature lawNearestFeature(const lawBoxSegment* s, cfNum limit) {
  lawBoxFeature best = {.kind = LAW_FEATURE_NONE, .dist_sqr = limit};
  lawTryEnd(&best, s, -1);
  lawTryEnd(&best, s, 1);
  for (int axis = 0; axis < 3; axis++) {
    for (int corner = 0; corner < 8; corner++) {
      if (!(corner >> axis & 1)) {
        lawTryEdge(&best, s, axis, corner);
      }
    }
  }
  return best;
}


// length in t after which the segment has crossed the box along an axis
CF_LAW cfNum lawCrossing(const lawBoxSegment* s, int k) {
  return 2 * s->size[k] / numAbs(s->half[k]);
}


// first point on a corner: run along the edge that the segment follows, or over the face it lies
// on; a segment that points to or away from the corner touches once
CF_LAW bool lawShiftFromCorner(cfNum* shift, const lawBoxSegment* s, const lawBoxFeature* f) {
  static const int single_axis[8] = {-1, 0, 1, 2, 2, 1, 0, -1};
  const int relation = s->octant ^ f->corner;
  CF_ASSERT(0 <= relation && relation < 8);
  const int axis = single_axis[relation];
  if (axis < 0) {
    return false;
  }

  // relation has one bit (1, 2, 4) or all but one (6, 5, 3)
  const int towards = (relation & (relation - 1)) == 0 ? 1 : -1;
  if (s->axis[axis] * s->axis[axis] > (cfReal)0.5) {
    *shift = towards * numMin(lawCrossing(s, axis), 1 - towards * f->t);
  } else {
    const cfNum first = numMin(lawCrossing(s, (axis + 1) % 3), 1 + towards * f->t);
    *shift = -towards * numMin(lawCrossing(s, (axis + 2) % 3), first);
  }
  return true;
}


// first point inside an edge: run over the face that the segment is flatter to, unless it stands on
// the edge
CF_LAW bool lawShiftFromEdge(cfNum* shift, const lawBoxSegment* s, const lawBoxFeature* f) {
  const int along = f->axis, next = (along + 1) % 3, last = (along + 2) % 3;
  const int both = 1 << next | 1 << last;
  const int relation = (s->octant ^ f->corner) & both;
  if (relation == 0 || relation == both) {
    return false;
  }

  // across: the axis in which the segment moves farther
  const int across = numAbs(s->axis[next]) > numAbs(s->axis[last]) ? next : last;
  const int forward = relation >> across & 1;
  const int towards = forward ? 1 : -1;
  const cfNum left = (s->octant >> along & 1) == forward ? 1 - f->edge_t : 1 + f->edge_t;
  const cfNum first = numMin(lawCrossing(s, across), 1 - towards * f->t);
  *shift = towards * numMin(s->size[along] * left / numAbs(s->half[along]), first);
  return true;
}


// first point over a face: run to where the segment leaves the face or ends
CF_LAW bool lawShiftFromFace(cfNum* shift, const lawBoxSegment* s, const lawBoxFeature* f) {
  CF_ASSERT(numAbs(f->t) == 1);
  const int towards = f->t < 0 ? 1 : -1;
  cfNum nearest = 2;
  for (int k = 0; k < 3; k++) {
    const cfNum start = s->pos[k] - towards * s->half[k];
    for (int side = 1; k != f->axis && side >= -1; side -= 2) {
      const cfNum leave = (side * s->size[k] - start) / s->half[k] * towards;
      if (leave > 0 && leave < nearest) {
        nearest = leave;
      }
    }
  }
  *shift = towards * nearest;
  return true;
}


// distance in t from the first contact to the second; false when there is no second one
CF_LAW bool lawSecondContact(cfNum* shift, const lawBoxSegment* s, const lawBoxFeature* f) {
  return f->kind == LAW_FEATURE_FACE ? lawShiftFromFace(shift, s, f)
         : f->kind == LAW_FEATURE_EDGE
             ? lawShiftFromEdge(shift, s, f)
             : f->kind == LAW_FEATURE_CORNER && lawShiftFromCorner(shift, s, f);
}


// ball of the capsule at coordinate t
CF_LAW int lawTouchBox(cfWorlds w, lawTouch* con, const lawBoxSegment* s, cfNum t, lawView capsule,
                       lawView box, cfReal margin) {
  cfNum local[3], center[3];
  numAddScaled3(local, s->pos, s->half, t);
  numMulMatVec3(center, box.mat, local);
  numAdd3(center, center, box.pos);
  return lawSphereBox(w, con, (lawView){center, capsule.mat, capsule.size}, box, margin);
}


CF_LAW int lawCapsuleBox(cfWorlds w, lawTouch con[2], lawView capsule, lawView box, cfReal margin) {
  const lawBoxSegment s = lawToBox(capsule, box);

  // MuJoCo compares squared distances with this length, so that capsules much thicker than their
  // own length and the box can miss contacts; kept, since contacts must be the same
  const cfNum limit =
      margin + 2 * (capsule.size[0] + s.half_length + box.size[0] + box.size[1] + box.size[2]);
  const lawBoxFeature f = lawNearestFeature(&s, limit);
  if (f.kind == LAW_FEATURE_NONE) {
    return 0;
  }

  cfNum shift;
  int n = lawTouchBox(w, con, &s, f.t, capsule, box, margin);
  if (lawSecondContact(&shift, &s, &f)) {
    n += lawTouchBox(w, n ? con + 1 : con, &s, f.t + shift, capsule, box, margin);
  }
  return n;
}

#endif  // CF_LAW_CAPSULEBOX_H
