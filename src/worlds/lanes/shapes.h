// Convex shapes of W worlds: support points of collision/convex/shape.c, and the point of a simplex
// that is nearest to the origin of simplex.c.

// a geom without mesh in all worlds
typedef struct {
  int type;
  bool is_core;  // a sphere or capsule without its radius
  const cfVec *R, *pos;
  const laneSize* size;
  mjtNum margin;  // the shape is inflated by half of it
} laneShape;

// a point of the difference A - B, and the points it comes from
typedef struct {
  cfVec p[3], a[3], b[3];
} laneVertex;


static laneShape laneShapeOf(const cfLaneGroup* g, int geom, mjtNum margin) {
  CF_ASSERT_INDEX(geom, g->m->ngeom);
  return (laneShape){.type = g->m->geom_type[geom],
                     .R = CF_AT(geom_xmat) + 9 * geom,
                     .pos = CF_AT(geom_xpos) + 3 * geom,
                     .size = CF_SIZES(geom_size, 3 * geom),
                     .margin = margin};
}


CF_LANE_INLINE cfVec laneSided(cfVec x, laneSize size) {
  return laneSelect(x >= 0.0, laneWide(size), laneWide(-size));
}


// ---------------------------------------- support

// from the frame of the shape to the world
CF_LANE_INLINE void lanePlacePoint(cfVec res[3], const laneShape* s, cfVec x, cfVec y, cfVec z) {
  for (int k = 0; k < 3; k++) {
    res[k] = s->R[3 * k] * x + s->R[3 * k + 1] * y + s->R[3 * k + 2] * z + s->pos[k];
  }
}


static void laneSupportEllipsoid(cfVec res[3], const laneShape* s, const cfVec local[3]) {
  CF_ASSERT(s->type == mjGEOM_ELLIPSOID);
  const laneSize* size = s->size;
  const cfVec x[3] = {local[0] * size[0], local[1] * size[1], local[2] * size[2]};
  const cfVec square = numDot3(x, x), inverse = 1.0 / laneSqrt(square);
  const cfMask is_small = square < mjMINVAL * mjMINVAL;
  cfVec point[3];
  for (int k = 0; k < 3; k++) {
    const cfVec instead = k ? laneOf(0) : laneWide(size[0]);
    point[k] = laneSelect(is_small, instead, x[k] * (inverse * size[k]));
  }
  lanePlacePoint(res, s, point[0], point[1], point[2]);
}


static void laneSupportCylinder(cfVec res[3], const laneShape* s, const cfVec local[3]) {
  CF_ASSERT(s->type == mjGEOM_CYLINDER);
  const cfVec square = local[0] * local[0] + local[1] * local[1];
  const cfVec scale =
      laneSelect(square >= mjMINVAL * mjMINVAL, s->size[0] / laneSqrt(square), laneOf(0));
  lanePlacePoint(res, s, scale * local[0], scale * local[1], laneSided(local[2], s->size[1]));
}


static void laneSupportCore(cfVec res[3], const laneShape* s, const cfVec dir[3]) {
  CF_ASSERT(s->type == mjGEOM_SPHERE || s->type == mjGEOM_CAPSULE);
  numCopy3(res, s->pos);
  if (s->type == mjGEOM_CAPSULE) {
    const cfVec axis[3] = {s->R[2], s->R[5], s->R[8]};
    numAddScaled3(res, res, axis, laneSided(numDot3(axis, dir), s->size[1]));
  }
}


// farthest point along a unit direction
static void laneSupport(cfVec res[3], const laneShape* s, const cfVec dir[3]) {
  if (s->is_core) {
    laneSupportCore(res, s, dir);
    return;
  }
  const laneSize* size = s->size;
  cfVec local[3];
  for (int k = 0; k < 3; k++) {
    local[k] = s->R[k] * dir[0] + s->R[3 + k] * dir[1] + s->R[6 + k] * dir[2];
  }
  switch (s->type) {
    case mjGEOM_SPHERE:
      numCopy3(res, s->pos);
      numAddScaled3(res, res, dir, laneWide(size[0]));
      break;
    case mjGEOM_CAPSULE:
      lanePlacePoint(res, s, local[0] * size[0], local[1] * size[0],
                     local[2] * size[0] + laneSided(local[2], size[1]));
      break;
    case mjGEOM_ELLIPSOID:
      laneSupportEllipsoid(res, s, local);
      break;
    case mjGEOM_CYLINDER:
      laneSupportCylinder(res, s, local);
      break;
    default:
      CF_ASSERT(s->type == mjGEOM_BOX);
      lanePlacePoint(res, s, laneSided(local[0], size[0]), laneSided(local[1], size[1]),
                     laneSided(local[2], size[2]));
  }
}


// of A - B along a unit direction; back is its negative
static void laneSupportPair(laneVertex* v, const laneShape* a, const laneShape* b,
                            const cfVec dir[3], const cfVec back[3]) {
  laneSupport(v->a, a, dir);
  laneSupport(v->b, b, back);
  if (a->margin > 0) {
    numAddScaled3(v->a, v->a, dir, laneOf(0.5 * a->margin));
  }
  if (b->margin > 0) {
    numAddScaled3(v->b, v->b, back, laneOf(0.5 * b->margin));
  }
  numSub3(v->p, v->a, v->b);
}


// ---------------------------------------- segment

// 1, -1 or 0
CF_LANE_INLINE cfVec laneSign(cfVec x) {
  return laneSelect(x > 0.0, laneOf(1), laneSelect(x < 0.0, laneOf(-1), laneOf(0)));
}


// measured along the axis on which the segment is longest, the last one of equals
static void laneNearestOnSegment(cfVec lambda[2], const cfVec a[3], const cfVec b[3]) {
  cfVec edge[3];
  numSub3(edge, b, a);
  const cfVec step = -(numDot3(b, edge) / numDot3(edge, edge));
  const cfVec x = laneAbs(edge[0]), y = laneAbs(edge[1]), z = laneAbs(edge[2]);
  const cfMask is_y = y >= x, is_z = z >= laneSelect(is_y, y, x);
  const cfVec on_a = laneSelect(is_z, a[2], laneSelect(is_y, a[1], a[0]));
  const cfVec on_b = laneSelect(is_z, b[2], laneSelect(is_y, b[1], b[0]));
  const cfVec foot = on_b + step * (on_b - on_a);
  const cfVec length = on_a - on_b, from_b = foot - on_b, to_a = on_a - foot;
  const cfVec sign = laneSign(length);
  const cfMask is_inside = (sign * from_b > 0.0) & (sign * to_a > 0.0);
  lambda[0] = laneSelect(is_inside, from_b / length, laneOf(0));
  lambda[1] = laneSelect(is_inside, to_a / length, laneOf(1));
}


// ---------------------------------------- triangle

// the origin projected along a normal of any length at a corner; lanes where that is usable
CF_LANE_INLINE cfMask laneProjectAlong(cfVec res[3], const cfVec n[3], const cfVec corner[3],
                                       cfMask* is_flat) {
  const cfVec height = numDot3(n, corner), square = numDot3(n, n);
  *is_flat = square == 0.0;
  numScale3(res, n, height / square);
  return (height != 0.0) & (square > mjMINVAL);
}


// origin projected on the plane of three points, by the first usable corner; lanes in which they
// are in line
static cfMask laneProjectOnPlane(cfVec res[3], const cfVec v1[3], const cfVec v2[3],
                                 const cfVec v3[3]) {
  cfVec e21[3], e31[3], e32[3], n[3], other[3];
  cfMask is_flat, is_flat_too;
  numSub3(e21, v2, v1);
  numSub3(e32, v3, v2);
  numCross(n, e32, e21);
  cfMask is_done = laneProjectAlong(res, n, v2, &is_flat);
  is_flat &= ~is_done;
  is_done |= is_flat;
  if (laneNone(~is_done)) {
    return is_flat;
  }
  numSub3(e31, v3, v1);
  numCross(n, e21, e31);
  const cfMask is_second = laneProjectAlong(other, n, v1, &is_flat_too) & ~is_done;
  for (int k = 0; k < 3; k++) {
    res[k] = laneSelect(is_second, other[k], res[k]);
  }
  is_flat_too &= ~is_done & ~is_second;
  is_done |= is_second | is_flat_too;
  numCross(n, e31, e32);
  numScale3(other, n, numDot3(n, v3) / numDot3(n, n));
  for (int k = 0; k < 3; k++) {
    res[k] = laneSelect(is_done, res[k], other[k]);
  }
  return is_flat | is_flat_too;
}


// the plane of two axes on which the shadow of a triangle is largest, the first of equals
typedef struct {
  cfMask is_x, is_y;  // the first axis is x, else y; the second one is y, else z
  cfVec area;
} laneShadow;

CF_LANE_INLINE cfVec laneShadowArea(const cfVec* a, const cfVec* b, const cfVec* c, int x, int y) {
  return b[x] * c[y] - b[y] * c[x] - a[x] * c[y] + a[y] * c[x] + a[x] * b[y] - a[y] * b[x];
}


static laneShadow laneLargestShadow(const cfVec a[3], const cfVec b[3], const cfVec c[3]) {
  const cfVec yz = laneShadowArea(a, b, c, 1, 2), xz = laneShadowArea(a, b, c, 0, 2),
              xy = laneShadowArea(a, b, c, 0, 1);
  const cfMask is_xz = laneAbs(xz) > laneAbs(yz);
  const cfVec larger = laneSelect(is_xz, xz, yz);
  const cfMask is_xy = laneAbs(xy) > laneAbs(larger);
  return (laneShadow){is_xy | is_xz, is_xy, laneSelect(is_xy, xy, larger)};
}


// area of the triangle that point p forms with an edge
CF_LANE_INLINE cfVec laneEdgeArea(const laneShadow* s, const cfVec a[3], const cfVec b[3],
                                  const cfVec p[3]) {
  const cfVec ax = laneSelect(s->is_x, a[0], a[1]), ay = laneSelect(s->is_y, a[1], a[2]);
  const cfVec bx = laneSelect(s->is_x, b[0], b[1]), by = laneSelect(s->is_y, b[1], b[2]);
  const cfVec px = laneSelect(s->is_x, p[0], p[1]), py = laneSelect(s->is_y, p[1], p[2]);
  return px * ay + py * bx + ax * by - px * by - py * ax - bx * ay;
}


// barycentric coordinates of a point of the triangle's plane
static void laneTriangleCoords(cfVec lambda[3], const cfVec v1[3], const cfVec v2[3],
                               const cfVec v3[3], const cfVec p[3]) {
  const laneShadow s = laneLargestShadow(v1, v2, v3);
  lambda[0] = laneEdgeArea(&s, v2, v3, p) / s.area;
  lambda[1] = laneEdgeArea(&s, v3, v1, p) / s.area;
  lambda[2] = laneEdgeArea(&s, v1, v2, p) / s.area;
}


// weighted sum of n points
CF_LANE_INLINE void laneCombine(cfVec res[3], const cfVec* lambda, const cfVec* const* v, int n) {
  numScale3(res, v[0], lambda[0]);
  for (int k = 1; k < n; k++) {
    numAddScaled3(res, res, v[k], lambda[k]);
  }
}


// the nearest of the edges that the foot lies beyond
static void laneNearestOnEdges(cfVec lambda[3], const cfVec* const v[3],
                               const cfMask is_beyond[3]) {
  cfVec least = laneOf(CF_CCD_FAR);
  numZero3(lambda);
  for (int k = 0; k < 3; k++) {
    if (laneNone(is_beyond[k])) {
      continue;
    }
    const int i = k == 0 ? 1 : 0, j = k == 2 ? 1 : 2;
    const cfVec* const edge[2] = {v[i], v[j]};
    cfVec part[2], x[3];
    laneNearestOnSegment(part, v[i], v[j]);
    laneCombine(x, part, edge, 2);
    const cfVec square = numDot3(x, x);
    const cfMask is_best = is_beyond[k] & (square < least);
    least = laneSelect(is_best, square, least);
    lambda[k] = laneSelect(is_best, laneOf(0), lambda[k]);
    lambda[i] = laneSelect(is_best, part[0], lambda[i]);
    lambda[j] = laneSelect(is_best, part[1], lambda[j]);
  }
}


static void laneNearestOnTriangle(cfVec lambda[3], const cfVec* const v[3]) {
  cfVec foot[3], area[3];
  const cfMask is_flat = laneProjectOnPlane(foot, v[0], v[1], v[2]);
  const laneShadow s = laneLargestShadow(v[0], v[1], v[2]);
  const cfVec sign = laneSign(s.area);
  area[0] = laneEdgeArea(&s, v[1], v[2], foot);
  area[1] = laneEdgeArea(&s, v[2], v[0], foot);
  area[2] = laneEdgeArea(&s, v[0], v[1], foot);
  const cfMask is_beyond[3] = {~(sign * area[0] > 0.0), ~(sign * area[1] > 0.0),
                               ~(sign * area[2] > 0.0)};
  const cfMask is_outside = is_beyond[0] | is_beyond[1] | is_beyond[2];
  numZero3(lambda);
  if (laneAny(is_outside)) {
    laneNearestOnEdges(lambda, v, is_beyond);
  }
  for (int k = 0; k < 3; k++) {
    lambda[k] = laneSelect(is_outside, lambda[k], area[k] / s.area);
  }
  if (laneAny(is_flat)) {
    cfVec part[2];
    laneNearestOnSegment(part, v[0], v[1]);
    lambda[0] = laneSelect(is_flat, part[0], lambda[0]);
    lambda[1] = laneSelect(is_flat, part[1], lambda[1]);
    lambda[2] = laneSelect(is_flat, laneOf(0), lambda[2]);
  }
}


// ---------------------------------------- tetrahedron

// the face without vertex k in the lanes of a mask; the weight of vertex 3 stays as an earlier face
// set it when the face without it turns out nearest
static void laneTryFace(cfVec lambda[4], cfVec* least, const laneVertex* v, int k,
                        cfMask is_asked) {
  static const int other[4][3] = {{1, 2, 3}, {0, 2, 3}, {0, 1, 3}, {0, 1, 2}};
  CF_ASSERT_INDEX(k, 4);
  const int* o = other[k];
  const cfVec* const face[3] = {v[o[0]].p, v[o[1]].p, v[o[2]].p};
  cfVec part[3], x[3];
  laneNearestOnTriangle(part, face);
  laneCombine(x, part, face, 3);
  const cfVec square = numDot3(x, x);
  const cfMask is_best = is_asked & (square < *least);
  *least = laneSelect(is_best, square, *least);
  if (k < 3) {
    lambda[k] = laneSelect(is_best, laneOf(0), lambda[k]);
  }
  for (int i = 0; i < 3; i++) {
    lambda[o[i]] = laneSelect(is_best, part[i], lambda[o[i]]);
  }
}


static void laneNearestOnTetrahedron(cfVec lambda[4], const laneVertex* v) {
  cfVec n34[3], n24[3], n23[3];
  numCross(n34, v[2].p, v[3].p);
  numCross(n24, v[1].p, v[3].p);
  numCross(n23, v[1].p, v[2].p);
  const cfVec volume[4] = {-numDot3(v[1].p, n34), numDot3(v[0].p, n34), -numDot3(v[0].p, n24),
                           numDot3(v[0].p, n23)};
  const cfVec total = volume[0] + volume[1] + volume[2] + volume[3], sign = laneSign(total);
  cfVec least = laneOf(CF_CCD_FAR);
  cfMask is_inside = ~(cfMask){0};
  laneZero(lambda, 4);
  for (int k = 0; k < 4; k++) {
    is_inside &= sign * volume[k] > 0.0;
  }
  for (int k = 0; k < 4; k++) {
    const cfMask is_beyond = ~is_inside & ~(sign * volume[k] > 0.0);
    if (laneAny(is_beyond)) {
      laneTryFace(lambda, &least, v, k, is_beyond);
    }
  }
  for (int k = 0; k < 4; k++) {
    lambda[k] = laneSelect(is_inside, volume[k] / total, lambda[k]);
  }
}


// coordinates of the point of a simplex that is nearest to the origin
static void laneNearestOnSimplex(cfVec lambda[4], const laneVertex* v, int n) {
  CF_ASSERT(n > 0 && n <= 4);
  if (n == 4) {
    laneNearestOnTetrahedron(lambda, v);
  } else if (n == 3) {
    const cfVec* const corner[3] = {v[0].p, v[1].p, v[2].p};
    laneNearestOnTriangle(lambda, corner);
  } else if (n == 2) {
    laneNearestOnSegment(lambda, v[0].p, v[1].p);
  } else {
    lambda[0] = laneOf(1);
  }
}
