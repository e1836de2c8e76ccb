// Contacts of two geoms in W worlds, and the closed forms that find them: collision/narrow/plane.c,
// ball.h, sphere.c and capsule.c for a set of worlds that have the same number of contacts.

// the contacts of the worlds in `set`: distance, position, frame
typedef struct {
  unsigned set;    // worlds that are still together
  unsigned none;   // worlds without contact
  unsigned alone;  // worlds that have to find their contacts themselves
  int n;
  cfVec contact[CF_LANE_PAIR_CONTACTS][13];
} laneTouches;


// worlds that turn out to have no contact
CF_LANE_INLINE void laneTouchNothing(laneTouches* t, cfMask is_apart) {
  const unsigned apart = laneBits(is_apart) & t->set;
  t->none |= apart;
  t->set &= ~apart;
}


// one more contact, without hint for its tangent; NULL: there is no place for it
static cfVec* laneAddTouch(laneTouches* t, cfVec dist) {
  if (t->n == CF_LANE_PAIR_CONTACTS) {
    t->alone |= t->set;
    t->set = 0;
    return NULL;
  }
  cfVec* contact = t->contact[t->n++];
  contact[0] = dist;
  laneZero(contact + 7, 3);
  return contact;
}


// complete the frames; worlds in which a normal has no length are left to themselves
static void laneCompleteFrames(laneTouches* t) {
  CF_ASSERT(!(t->set & (t->none | t->alone)));
  for (int k = 0; k < t->n; k++) {
    cfVec *x = t->contact[k] + 4, *y = x + 3, *z = x + 6;
    const unsigned bad = laneBits(laneSqrt(laneDot3(x, x)) < 0.5) & t->set;
    t->alone |= bad;
    t->set &= ~bad;
    laneNormalize3(x);
    const cfMask has_no_hint = laneDot3(y, y) < 0.25;
    const cfMask is_near_y = ~((x[1] < 0.5) & (x[1] > -0.5));
    y[0] = laneSelect(has_no_hint, laneOf(0), y[0]);
    y[1] = laneSelect(has_no_hint, laneSelect(is_near_y, laneOf(0), laneOf(1)), y[1]);
    y[2] = laneSelect(has_no_hint, laneSelect(is_near_y, laneOf(1), laneOf(0)), y[2]);
    laneAddScaled(y, x, -laneDot3(x, y), 3);
    laneNormalize3(y);
    laneCross(z, x, y);
  }
}


// ---------------------------------------- planes

// height of a point above a plane
CF_LANE_INLINE cfVec laneHeightAbove(const laneShape* plane, const cfVec normal[3],
                                     const cfVec point[3]) {
  cfVec offset[3];
  laneSub(offset, point, plane->pos, 3);
  return laneDot3(offset, normal);
}


// a ball; true where it comes as near as margin
static cfVec* lanePlaneBall(laneTouches* t, const laneShape* plane, const cfVec center[3],
                            laneSize radius, mjtNum margin) {
  const cfVec normal[3] = {plane->R[2], plane->R[5], plane->R[8]};
  const cfVec height = laneHeightAbove(plane, normal, center);
  if (laneAgree(&t->set, height > margin + radius)) {
    return NULL;
  }
  const cfVec dist = height - radius;
  cfVec* contact = laneAddTouch(t, dist);
  laneCopy(contact + 1, center, 3);
  laneAddScaled(contact + 1, normal, -(dist / 2.0 + radius), 3);
  laneCopy(contact + 4, normal, 3);
  return contact;
}


// the end along the positive axis first, each with the axis as hint for the tangent
static void lanePlaneCapsule(laneTouches* t, const laneShape* plane, const laneShape* capsule,
                             mjtNum margin) {
  const cfVec axis[3] = {capsule->R[2], capsule->R[5], capsule->R[8]};
  const cfVec normal[3] = {plane->R[2], plane->R[5], plane->R[8]};
  cfMask is_apart = ~(cfMask){0};
  cfVec end[2][3];
  for (int k = 0; k < 2; k++) {
    laneCopy(end[k], capsule->pos, 3);
    laneAddScaled(end[k], axis, laneWide((k ? -1.0 : 1.0) * capsule->size[1]), 3);
    is_apart &= laneHeightAbove(plane, normal, end[k]) > margin + capsule->size[0];
  }
  laneTouchNothing(t, is_apart);
  for (int k = 0; k < 2 && t->set; k++) {
    cfVec* contact = lanePlaneBall(t, plane, end[k], capsule->size[0], margin);
    if (contact) {
      laneCopy(contact + 7, axis, 3);
    }
  }
}


// corners below the center and within reach, four at most
static void lanePlaneBox(laneTouches* t, const laneShape* plane, const laneShape* box,
                         mjtNum margin) {
  const cfVec normal[3] = {plane->R[2], plane->R[5], plane->R[8]};
  const cfVec center = laneHeightAbove(plane, normal, box->pos);
  for (int k = 0; k < 8 && t->n < 4; k++) {
    cfVec corner[3];
    const laneSize x = k & 1 ? box->size[0] : -box->size[0],
                   y = k & 2 ? box->size[1] : -box->size[1],
                   z = k & 4 ? box->size[2] : -box->size[2];
    for (int r = 0; r < 3; r++) {
      const cfVec* R = box->R + 3 * r;
      corner[r] = R[0] * x + R[1] * y + R[2] * z;
    }
    const cfVec below = laneDot3(normal, corner), height = center + below;
    if (laneAgree(&t->set, (below <= 0.0) & (height <= margin))) {
      cfVec* contact = laneAddTouch(t, height);
      laneAdd(contact + 1, corner, box->pos, 3);
      laneAddScaled(contact + 1, normal, -(0.5 * height), 3);
      laneCopy(contact + 4, normal, 3);
    }
  }
}


// ---------------------------------------- balls

// one contact midway between two balls, or none; worlds in which they are concentric are left
// to themselves
static void laneTouchBalls(laneTouches* t, const cfVec a[3], laneSize ra, const cfVec b[3],
                           laneSize rb, mjtNum margin) {
  const laneSize reach = margin + ra + rb;
  cfVec normal[3];
  laneSub(normal, b, a, 3);
  const cfVec square = laneDot3(normal, normal), distance = laneSqrt(square);
  laneTouchNothing(t, square > reach * reach);
  if (!t->set) {
    return;
  }
  const unsigned bad = laneBits(distance < mjMINVAL) & t->set;
  t->alone |= bad;
  t->set &= ~bad;
  laneScale(normal, normal, 1.0 / distance, 3);
  const cfVec dist = distance - ra - rb;
  cfVec* contact = laneAddTouch(t, dist);
  laneCopy(contact + 1, a, 3);
  laneAddScaled(contact + 1, normal, ra + dist / 2.0, 3);
  laneCopy(contact + 4, normal, 3);
}


static void laneSphereCapsule(laneTouches* t, const laneShape* sphere, const laneShape* capsule,
                              mjtNum margin) {
  const laneSize half = capsule->size[1];
  const cfVec axis[3] = {capsule->R[2], capsule->R[5], capsule->R[8]};
  cfVec offset[3], nearest[3];
  laneSub(offset, sphere->pos, capsule->pos, 3);
  laneCopy(nearest, capsule->pos, 3);
  laneAddScaled(nearest, axis, laneClip(laneDot3(axis, offset), laneWide(-half), laneWide(half)),
                3);
  laneTouchBalls(t, sphere->pos, sphere->size[0], nearest, capsule->size[0], margin);
}


// half the extent of a capsule along its axis
CF_LANE_INLINE void laneHalfAxis(cfVec res[3], const laneShape* capsule) {
  laneSet3(res, capsule->R[2], capsule->R[5], capsule->R[8]);
  laneScale(res, res, laneWide(capsule->size[1]), 3);
}


// quotient of a coordinate equation; a segment of no length has no coordinate
CF_LANE_INLINE cfVec laneCoordinate(cfVec numerator, cfVec length_sqr) {
  return laneSelect(length_sqr > 0.0, numerator / length_sqr, laneOf(0));
}


// nearest points of skew segments; parallel ones are left to the worlds
static void laneCapsuleCapsule(laneTouches* t, const laneShape* a, const laneShape* b,
                               mjtNum margin) {
  cfVec axis_a[3], axis_b[3], offset[3], pa[3], pb[3];
  laneHalfAxis(axis_a, a);
  laneHalfAxis(axis_b, b);
  laneSub(offset, a->pos, b->pos, 3);
  const cfVec aa = laneDot3(axis_a, axis_a), ab = -laneDot3(axis_a, axis_b),
              bb = laneDot3(axis_b, axis_b);
  const cfVec ua = -laneDot3(axis_a, offset), ub = laneDot3(axis_b, offset);
  const cfVec det = aa * bb - ab * ab;
  const unsigned parallel = laneBits(laneAbs(det) < mjMINVAL) & t->set;
  t->alone |= parallel;
  t->set &= ~parallel;
  const cfVec one = laneOf(1);
  cfVec xa = (bb * ua - ab * ub) / det, xb = (aa * ub - ab * ua) / det;
  const cfMask is_a_far = laneAbs(xa) > 1.0;
  xa = laneSelect(is_a_far, laneSelect(xa > 0.0, one, -one), xa);
  xb = laneSelect(is_a_far, laneCoordinate(ub - ab * xa, bb), xb);
  const cfMask is_b_far = laneAbs(xb) > 1.0;
  xb = laneSelect(is_b_far, laneSelect(xb > 0.0, one, -one), xb);
  xa = laneSelect(is_b_far, laneClip(laneCoordinate(ua - ab * xb, aa), -one, one), xa);
  laneCopy(pa, a->pos, 3);
  laneAddScaled(pa, axis_a, xa, 3);
  laneCopy(pb, b->pos, 3);
  laneAddScaled(pb, axis_b, xb, 3);
  laneTouchBalls(t, pa, a->size[0], pb, b->size[0], margin);
}
