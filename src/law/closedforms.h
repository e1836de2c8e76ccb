// Law of contacts of planes, spheres, capsules, cylinders and boxes that have a closed form.
//
// Two views in, contacts out in MuJoCo's order: the distance, the position, and in the frame the
// normal from the first geom to the second and a hint for the tangent, or zeros.  A collider
// returns the number of contacts that are no farther apart than the margin.
#ifndef CF_LAW_CLOSEDFORMS_H
#define CF_LAW_CLOSEDFORMS_H

// a geom as a collider sees it: center, orientation by rows, sizes of its type
typedef struct {
  const cfNum *pos, *mat;
  const cfSize* size;
} lawView;


// Height of a point above a plane.
CF_LAW cfNum lawHeight(lawView plane, const cfNum normal[3], const cfNum point[3]) {
  cfNum offset[3];
  numSub3(offset, point, plane.pos);
  return numDot3(offset, normal);
}


// Contact at a distance along a normal, `depth` below a point of the shape.
CF_LAW void lawTouchBelow(lawTouch* con, const cfNum normal[3], const cfNum point[3], cfNum dist,
                          cfNum depth) {
  con->dist = dist;
  numAddScaled3(con->pos, point, normal, -depth);
  numCopy3(con->frame, normal);
  numZero3(con->frame + 3);
}

// ---------------------------------------- planes

CF_LAW int lawPlaneSphere(cfWorlds w, lawTouch con[1], lawView plane, lawView sphere,
                          cfReal margin) {
  const cfSize radius = sphere.size[0];
  cfNum normal[3];
  numColumn3(normal, plane.mat, 2);
  const cfNum height = lawHeight(plane, normal, sphere.pos);
  if (numDone(w, height > margin + radius)) {
    return 0;
  }
  lawTouchBelow(con, normal, sphere.pos, height - radius, (height - radius) / 2 + radius);
  return 1;
}


// One contact per end, the one along the positive axis first.  The tangent is along the capsule, so
// that the friction pyramid keeps its direction from step to step.
CF_LAW int lawPlaneCapsule(cfWorlds w, lawTouch con[2], lawView plane, lawView capsule,
                           cfReal margin) {
  const cfSize radius = capsule.size[0], half = capsule.size[1], reach = margin + radius;
  cfNum normal[3], axis[3], upper[3], lower[3];
  numColumn3(normal, plane.mat, 2);
  numColumn3(axis, capsule.mat, 2);
  numAddScaled3(upper, capsule.pos, axis, numWide(half));
  numAddScaled3(lower, capsule.pos, axis, numWide(-half));
  const cfNum up = lawHeight(plane, normal, upper), low = lawHeight(plane, normal, lower);
  if (numDone(w, (up > reach) & (low > reach))) {
    return 0;
  }
  const bool has_upper = !numAgree(w, up > reach), has_lower = !numAgree(w, low > reach);
  if (has_upper) {
    lawTouchBelow(con, normal, upper, up - radius, (up - radius) / 2 + radius);
    numCopy3(con->frame + 3, axis);
  }
  if (has_lower) {
    lawTouch* next = has_upper ? con + 1 : con;
    lawTouchBelow(next, normal, lower, low - radius, (low - radius) / 2 + radius);
    numCopy3(next->frame + 3, axis);
  }
  return has_upper + has_lower;
}


// Corners below the center and within reach, x fastest, four at most.
CF_LAW int lawPlaneBox(cfWorlds w, cfTouches out, lawView plane, lawView box, cfReal margin) {
  cfNum normal[3];
  numColumn3(normal, plane.mat, 2);
  const cfNum center = lawHeight(plane, normal, box.pos);
  int n = 0;
  for (int k = 0; k < 8 && n < 4; k++) {
    const cfNum local[3] = {numWide(k & 1 ? box.size[0] : -box.size[0]),
                            numWide(k & 2 ? box.size[1] : -box.size[1]),
                            numWide(k & 4 ? box.size[2] : -box.size[2])};
    cfNum corner[3];
    numMulMatVec3(corner, box.mat, local);
    const cfNum below = numDot3(normal, corner), height = center + below;
    if (numAgree(w, (below <= 0) & (height <= margin))) {
      numAdd3(corner, corner, box.pos);
      numTouchBelow(out, n, normal, corner, height, height / 2);
      n++;
    }
  }
  CF_ASSERT(n <= 4);
  return n;
}


// a cylinder over a plane: vectors from its center to the lower disk and to that disk's lowest rim
// point
typedef struct {
  cfNum normal[3], down[3], rim[3];
  cfNum height;       // of the center above the plane
  cfNum down_height;  // change of height along down: not positive
  cfNum rim_height;   // change of height along rim: not positive
} lawCylinder;


// Rim direction: the part of -normal orthogonal to the axis, or the x axis when the disk lies flat.
CF_LAW lawCylinder lawPoseCylinder(cfWorlds w, lawView plane, lawView cylinder) {
  const cfSize radius = cylinder.size[0], half = cylinder.size[1];
  lawCylinder p;
  numColumn3(p.normal, plane.mat, 2);
  numColumn3(p.down, cylinder.mat, 2);
  p.height = lawHeight(plane, p.normal, cylinder.pos);

  // axis towards the plane
  const cfNum along = numDot3(p.normal, p.down), slope = numChoose(along > 0, -along, along);
  numScale3(p.down, p.down, numChoose(along > 0, numOf(-1), numOf(1)));
  numScale3(p.rim, p.down, slope);
  numSub3(p.rim, p.rim, p.normal);
  const cfNum square = numDot3(p.rim, p.rim);
  if (numAgree(w, square < CF_LAW_TINY * CF_LAW_TINY)) {
    numColumn3(p.rim, cylinder.mat, 0);
    numScale3(p.rim, p.rim, numWide(radius));
  } else {
    numScale3(p.rim, p.rim, radius / numSqrt(square));
  }
  p.rim_height = numDot3(p.rim, p.normal);
  p.down_height = slope * half;
  numScale3(p.down, p.down, numWide(half));
  return p;
}


// The lowest rim point of both disks, then the two points that make an equilateral triangle with
// that of the lower one.
CF_LAW int lawPlaneCylinder(cfWorlds w, cfTouches out, lawView plane, lawView cylinder,
                            cfReal margin) {
  const lawCylinder p = lawPoseCylinder(w, plane, cylinder);
  const cfNum low = p.height + p.down_height + p.rim_height;
  const cfNum high = p.height - p.down_height + p.rim_height;
  const cfNum side = p.height + p.down_height - p.rim_height / 2;
  cfNum foot[3], point[3];

  // when the lowest point is out of reach, so is everything
  if (numDone(w, low > margin)) {
    return 0;
  }
  int n = 1;
  numAdd3(foot, cylinder.pos, p.rim);
  numAdd3(point, foot, p.down);
  numTouchBelow(out, 0, p.normal, point, low, low / 2);
  if (numAgree(w, high <= margin)) {
    numSub3(point, foot, p.down);
    numTouchBelow(out, 1, p.normal, point, high, high / 2);
    n = 2;
  }
  if (numAgree(w, side <= margin)) {
    cfNum across[3];
    numCross(across, p.rim, p.down);
    numNormalize3(across);
    const cfSize reach = cylinder.size[0] * (cfReal)1.7320508075688772 / 2;
    for (int k = 0; k < 2; k++, n++) {
      numAddScaled3(point, cylinder.pos, across, numWide(k ? -reach : reach));
      numAdd3(point, point, p.down);
      numAddScaled3(point, point, p.rim, numOf(-0.5));
      numTouchBelow(out, n, p.normal, point, side, side / 2);
    }
  }
  CF_ASSERT(n <= 4);
  return n;
}

// ---------------------------------------- spheres

// One contact midway between the surfaces of two balls on the line of centers; size[0] are the
// radii.  Concentric balls are pushed apart orthogonally to both z axes.
CF_LAW int lawTouchBalls(cfWorlds w, lawTouch* con, lawView a, lawView b, cfReal margin) {
  const cfSize ra = a.size[0], rb = b.size[0], reach = margin + ra + rb;
  cfNum normal[3];
  numSub3(normal, b.pos, a.pos);
  if (numDone(w, numDot3(normal, normal) > reach * reach)) {
    return 0;
  }
  const cfNum distance = numNormalize3(normal);
  if (numSeldom(w, distance < CF_LAW_TINY)) {
    cfNum za[3], zb[3];
    numColumn3(za, a.mat, 2);
    numColumn3(zb, b.mat, 2);
    numCross(normal, za, zb);
    numNormalize3(normal);
  }
  con->dist = distance - ra - rb;
  numAddScaled3(con->pos, a.pos, normal, ra + con->dist / 2);
  numCopy3(con->frame, normal);
  numZero3(con->frame + 3);
  return 1;
}


// The nearest point of the capsule's segment carries a ball of the capsule's radius.
CF_LAW int lawSphereCapsule(cfWorlds w, lawTouch con[1], lawView sphere, lawView capsule,
                            cfReal margin) {
  const cfSize half = capsule.size[1];
  cfNum axis[3], offset[3], nearest[3];
  numColumn3(axis, capsule.mat, 2);
  numSub3(offset, sphere.pos, capsule.pos);
  const cfNum along = numClip(numDot3(axis, offset), numWide(-half), numWide(half));
  numAddScaled3(nearest, capsule.pos, axis, along);
  return lawTouchBalls(w, con, sphere, (lawView){nearest, capsule.mat, capsule.size}, margin);
}


// A sphere and a disk, seen as a plane through `cap` whose normal is `up`.
CF_LAW int lawSphereCap(cfWorlds w, lawTouch* con, lawView sphere, const cfNum cap[3],
                        const cfNum up[3], cfReal margin) {
  const cfSize radius = sphere.size[0];
  cfNum offset[3];
  numSub3(offset, sphere.pos, cap);
  const cfNum height = numDot3(offset, up);
  if (numDone(w, height > margin + radius)) {
    return 0;
  }

  // the normal goes from the sphere into the cylinder
  con->dist = height - radius;
  numAddScaled3(con->pos, sphere.pos, up, -con->dist / 2 - radius);
  numScale3(con->frame, up, numOf(-1));
  numZero3(con->frame + 3);
  return 1;
}


// The sphere's center is over a cap, beside the mantle, or beyond the rim; inside, the nearer
// surface counts.
CF_LAW int lawSphereCylinder(cfWorlds w, lawTouch con[1], lawView sphere, lawView cylinder,
                             cfReal margin) {
  const cfSize radius = cylinder.size[0], half = cylinder.size[1], none[1] = {0};
  cfNum axis[3], offset[3], radial[3], point[3];
  numColumn3(axis, cylinder.mat, 2);
  numSub3(offset, sphere.pos, cylinder.pos);
  const cfNum along = numDot3(axis, offset), end = numChoose(along > 0, numOf(1), numOf(-1));
  numAddScaled3(radial, offset, axis, -along);
  const cfNum square = numDot3(radial, radial);
  bool beside = numAgree(w, numAbs(along) < half), over = numAgree(w, square < radius * radius);
  if (beside && over) {
    over = numAgree(w, half - numAbs(along) < radius - numSqrt(square));
    beside = !over;
  }
  if (over) {
    numAddScaled3(point, cylinder.pos, axis, end * half);
    numScale3(axis, axis, end);
    return lawSphereCap(w, con, sphere, point, axis, margin);
  }
  if (beside) {
    numAddScaled3(point, cylinder.pos, axis, along);
  } else {
    // the nearest rim point is a ball without radius
    const cfNum reach = numChoose(square > 0, radius / numSqrt(square), numOf(0));
    numScale3(point, axis, end * half);
    numAddScaled3(point, point, radial, reach);
    numAdd3(point, point, cylinder.pos);
  }
  const lawView ball = {point, cylinder.mat, beside ? cylinder.size : none};
  return lawTouchBalls(w, con, sphere, ball, margin);
}


// A center inside a box, in box coordinates: leave through the nearest face, -x, +x, -y, ... of
// equals.  Returns the depth below that face, and its normal.
CF_LAW cfNum lawLeaveBox(cfNum normal[3], const cfNum center[3], const cfSize size[3]) {
  cfNum depth = numWide(2 * (size[0] + size[1] + size[2]));
  numSet3(normal, numOf(1), numOf(0), numOf(0));
  CF_LAW_UNROLL
  for (int face = 0; face < 6; face++) {
    const int axis = face >> 1;
    const cfReal side = face & 1 ? 1 : -1;
    const cfNum gap = numAbs(side * size[axis] - center[axis]);
    const cfIs is_nearer = gap < depth;
    depth = numChoose(is_nearer, gap, depth);
    CF_LAW_UNROLL
    for (int k = 0; k < 3; k++) {
      normal[k] = numChoose(is_nearer, numOf(k == axis ? -side : 0), normal[k]);
    }
  }
  return depth;
}


CF_LAW int lawSphereBox(cfWorlds w, lawTouch con[1], lawView sphere, lawView box, cfReal margin) {
  const cfSize radius = sphere.size[0];
  cfNum center[3], nearest[3], normal[3], point[3], offset[3];
  numSub3(offset, sphere.pos, box.pos);
  numMulMatTVec3(center, box.mat, offset);

  // nearest point of the box; an axis without size is not limited
  CF_LAW_UNROLL
  for (int k = 0; k < 3; k++) {
    const cfNum limit = numWide(box.size[k]);
    nearest[k] = numChoose(limit > 0, numClip(center[k], -limit, limit), center[k]);
  }
  numSub3(normal, nearest, center);
  cfNum distance = numNormalize3(normal);
  if (numDone(w, distance - radius > margin)) {
    return 0;
  }
  if (numAgree(w, distance <= CF_LAW_TINY)) {
    distance = -lawLeaveBox(normal, center, box.size);
    numAddScaled3(point, center, normal, (radius + distance) / 2);
  } else {
    // midway between the box's nearest point and the sphere's deepest one
    CF_LAW_UNROLL
    for (int k = 0; k < 3; k++) {
      point[k] = nearest[k] / 2 + (center[k] + normal[k] * radius) / 2;
    }
  }
  con->dist = distance - radius;
  numMulMatVec3(con->frame, box.mat, normal);
  numZero3(con->frame + 3);
  numMulMatVec3(offset, box.mat, point);
  numAdd3(con->pos, offset, box.pos);
  return 1;
}

// ---------------------------------------- two capsules

// two segments  p = center + x*axis, |x| <= 1, and the normal equations of their squared distance:
//   | aa ab | |xa|   |ua|
//   | ab bb | |xb| = |ub|
typedef struct {
  lawView a, b;
  cfNum axis_a[3], axis_b[3];
  cfNum aa, ab, bb, ua, ub;
  cfReal margin;
} lawSegments;


// Quotient of a coordinate equation; a segment of no length has no coordinate.
CF_LAW cfNum lawCoordinate(cfNum numerator, cfNum length_sqr) {
  return numChoose(length_sqr > 0, numerator / length_sqr, numOf(0));
}


// Coordinate within the segment.
CF_LAW cfNum lawWithin(cfNum x) {
  return numClip(x, numOf(-1), numOf(1));
}


// Minimizers on one segment where the coordinate on the other is fixed.
CF_LAW cfNum lawNearestOnA(const lawSegments* s, cfNum xb) {
  return lawCoordinate(s->ua - s->ab * xb, s->aa);
}


CF_LAW cfNum lawNearestOnB(const lawSegments* s, cfNum xa) {
  return lawCoordinate(s->ub - s->ab * xa, s->bb);
}


// The balls at two coordinates.
CF_LAW int lawTouchAt(cfWorlds w, lawTouch* con, const lawSegments* s, cfNum xa, cfNum xb) {
  cfNum pa[3], pb[3];
  numAddScaled3(pa, s->a.pos, s->axis_a, xa);
  numAddScaled3(pb, s->b.pos, s->axis_b, xb);
  return lawTouchBalls(w, con, (lawView){pa, s->a.mat, s->a.size},
                       (lawView){pb, s->b.mat, s->b.size}, s->margin);
}


// Skew segments: unconstrained minimum, then a is limited, then b, which may move a once more.
CF_LAW int lawTouchSkew(cfWorlds w, lawTouch* con, const lawSegments* s, cfNum det) {
  cfNum xa = (s->bb * s->ua - s->ab * s->ub) / det;
  cfNum xb = (s->aa * s->ub - s->ab * s->ua) / det;
  const cfIs is_a_far = numAbs(xa) > 1;
  xa = numChoose(is_a_far, numChoose(xa > 0, numOf(1), numOf(-1)), xa);
  xb = numChoose(is_a_far, lawNearestOnB(s, xa), xb);
  const cfIs is_b_far = numAbs(xb) > 1;
  xb = numChoose(is_b_far, numChoose(xb > 0, numOf(1), numOf(-1)), xb);
  xa = numChoose(is_b_far, lawWithin(lawNearestOnA(s, xb)), xa);
  return lawTouchAt(w, con, s, xa, xb);
}


// Parallel segments: the ends of a on b, then the ends of b on a, until two contacts are found.
CF_LAW int lawTouchParallel(cfWorlds w, lawTouch con[2], const lawSegments* s) {
  int n = 0;
  for (int k = 0; k < 4 && n < 2; k++) {
    const cfNum end = numOf(k & 1 ? -1 : 1);
    const cfNum xa = k < 2 ? end : lawWithin(lawNearestOnA(s, end));
    const cfNum xb = k < 2 ? lawWithin(lawNearestOnB(s, end)) : end;
    n += lawTouchAt(w, n ? con + 1 : con, s, xa, xb);
  }
  CF_ASSERT(n <= 2);
  return n;
}


// True if the direction between the centers separates the capsules: the segments reach |ua| and
// |ub| along it, times its length.  A little less than they reach, so that rounding is harmless.
CF_LAW cfIs lawAreApart(const lawSegments* s, const cfNum offset[3]) {
  const cfNum square = numDot3(offset, offset);
  const cfNum gap = square * (cfReal)(1 - 1e-12) - numAbs(s->ua) - numAbs(s->ub);
  const cfSize reach = s->a.size[0] + s->b.size[0] + s->margin;
  return (gap > 0) & (gap * gap > reach * reach * square);
}


CF_LAW int lawCapsules(cfWorlds w, lawTouch con[2], lawView a, lawView b, cfReal margin) {
  lawSegments s = {.a = a, .b = b, .margin = margin};
  cfNum offset[3];
  numColumn3(s.axis_a, a.mat, 2);
  numColumn3(s.axis_b, b.mat, 2);
  numScale3(s.axis_a, s.axis_a, numWide(a.size[1]));
  numScale3(s.axis_b, s.axis_b, numWide(b.size[1]));
  numSub3(offset, a.pos, b.pos);
  s.ua = -numDot3(s.axis_a, offset);
  s.ub = numDot3(s.axis_b, offset);
  if (CF_LAW_SOONER(lawAreApart(&s, offset))) {
    return 0;
  }
  s.aa = numDot3(s.axis_a, s.axis_a);
  s.ab = -numDot3(s.axis_a, s.axis_b);
  s.bb = numDot3(s.axis_b, s.axis_b);
  const cfNum det = s.aa * s.bb - s.ab * s.ab;
  if (numSeldom(w, numAbs(det) < CF_LAW_PARALLEL(s.aa * s.bb))) {
    return lawTouchParallel(w, con, &s);
  }
  return lawTouchSkew(w, con, &s, det);
}

#endif  // CF_LAW_CLOSEDFORMS_H
