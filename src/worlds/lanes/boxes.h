// Box against box in W worlds: collision/narrow/boxbox.c and boxface.c for a set of worlds that
// choose the same face and keep the same points.  Crossing edges are left to the worlds.

enum {
  LANE_EDGE_PAIRS = 12,
  LANE_FACE_POINTS = 24
};  // axes by number: six faces of each box first

// relative pose of two boxes
typedef struct {
  const cfVec *pos[2], *R[2];
  const laneSize* size[2];
  cfVec center[2][3], rot[9], absrot[9];
  mjtNum margin;
} laneBoxPair;


CF_LANE_INLINE void laneMulMatTVec3(cfVec res[3], const cfVec R[9], const cfVec v[3]) {
  for (int k = 0; k < 3; k++) {
    res[k] = R[k] * v[0] + R[k + 3] * v[1] + R[k + 6] * v[2];
  }
}


static laneBoxPair laneRelateBoxes(const laneShape* a, const laneShape* b, mjtNum margin) {
  laneBoxPair p = {
      .pos = {a->pos, b->pos}, .R = {a->R, b->R}, .size = {a->size, b->size}, .margin = margin};
  cfVec offset[3], back[3];
  laneSub(offset, b->pos, a->pos, 3);
  laneSet3(back, -offset[0], -offset[1], -offset[2]);
  laneMulMatTVec3(p.center[0], a->R, offset);
  laneMulMatTVec3(p.center[1], b->R, back);
  for (int r = 0; r < 3; r++) {
    const cfVec column[3] = {a->R[r], a->R[r + 3], a->R[r + 6]};
    laneMulMatTVec3(p.rot + 3 * r, b->R, column);
  }
  for (int k = 0; k < 9; k++) {
    p.absrot[k] = laneAbs(p.rot[k]);
  }
  return p;
}


// ---------------------------------------- axis

// the axis of least penetration so far; lanes in which one of them separates the boxes
typedef struct {
  cfVec depth, number;
  cfMask is_apart;
} laneBoxAxis;


static void lanePickFace(laneBoxAxis* best, const laneBoxPair* p) {
  cfVec reach[2][3];
  for (int k = 0; k < 3; k++) {
    const laneSize *s0 = p->size[0], *s1 = p->size[1];
    const cfVec *row = p->absrot + 3 * k, *column = p->absrot + k;
    reach[0][k] = row[0] * s1[0] + row[1] * s1[1] + row[2] * s1[2];
    reach[1][k] = column[0] * s0[0] + column[3] * s0[1] + column[6] * s0[2];
  }
  for (int k = 0; k < 3; k++) {
    for (int owner = 0; owner < 2; owner++) {
      const cfVec x = p->center[owner][k];
      const cfVec depth = -laneAbs(x) + p->size[owner][k] + reach[owner][k];
      const cfMask is_less = depth < best->depth;
      const cfVec number = laneSelect(x < 0.0, laneOf(6 * owner + k + 3), laneOf(6 * owner + k));
      best->is_apart |= depth < -p->margin;
      best->depth = laneSelect(is_less, depth, best->depth);
      best->number = laneSelect(is_less, number, best->number);
    }
  }
}


// extents of both boxes along the normal of edges i and j
CF_LANE_INLINE cfVec laneEdgeExtent(const laneBoxPair* p, int i, int j, const cfVec normal[3],
                                    const cfVec* length) {
  cfVec extent = {0};
  for (int k = 0; k < 3; k++) {
    if (k != i) {
      extent = extent + p->size[0][k] * laneAbs(normal[k]);
    }
  }
  for (int k = 0; k < 3; k++) {
    if (k != j) {
      const cfVec part = p->size[1][k] * p->absrot[3 * i + 3 - k - j];
      extent = extent + (length ? part / *length : part);
    }
  }
  return extent;
}


// lanes in which a pair of edges may be the best axis, as it is tested without roots
static cfMask laneMayBeBest(const laneBoxAxis* best, const laneBoxPair* p, int i, int j,
                            const cfVec normal[3]) {
  const cfVec extent = (1 - 1e-14) * laneEdgeExtent(p, i, j, normal, NULL);
  const cfVec scaled = extent - laneAbs(laneDot3(p->center[0], normal));
  const cfVec limit = laneMax(laneOf(0), best->depth);
  return ~((scaled > 0.0) &
           (scaled * scaled > (1 + 1e-9) * limit * limit * laneDot3(normal, normal)));
}


static void lanePickEdges(laneBoxAxis* best, const laneBoxPair* p, unsigned set) {
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      const int next = (i + 1) % 3, last = (i + 2) % 3;
      cfVec normal[3];
      normal[i] = laneOf(0);
      normal[next] = -p->rot[3 * last + j];
      normal[last] = p->rot[3 * next + j];
      cfMask may_be = laneMayBeBest(best, p, i, j, normal);
      if (!(laneBits(may_be) & set)) {
        continue;
      }
      const cfVec length = laneSqrt(laneDot3(normal, normal));
      may_be &= ~(length < mjMINVAL);
      laneScale(normal, normal, 1.0 / length, 3);
      const cfVec along = laneDot3(p->center[0], normal);
      const cfVec depth = laneEdgeExtent(p, i, j, normal, &length) - laneAbs(along);
      const cfMask is_less = may_be & (depth < best->depth * (1 - 1e-12));
      best->is_apart |= may_be & (depth < -p->margin);
      best->depth = laneSelect(is_less, depth, best->depth);
      best->number = laneSelect(is_less, laneOf(LANE_EDGE_PAIRS + 3 * i + j), best->number);
    }
  }
}


// ---------------------------------------- contacts of a face

// the reference face, and in its coordinates the lowest corner and flat edges of the other box
typedef struct {
  unsigned* set;
  laneSize size[3];
  cfVec corner[3], span[2][3];
  int nspan;
  cfVec point[LANE_FACE_POINTS][3];
  int n;
} laneFaceClip;


static void laneKeepPoint(laneFaceClip* c, cfVec x, cfVec y, cfVec z) {
  CF_ASSERT(c->n < LANE_FACE_POINTS);
  laneSet3(c->point[c->n++], x, y, z);
}


static void laneLowerSide(laneFaceClip* c, const laneBoxPair* p, int owner, const faceFrame* face) {
  CF_ASSERT(owner == 0 || owner == 1);
  const laneSize* size = p->size[1 - owner];
  for (int k = 0; k < 3; k++) {
    c->size[k] = p->size[owner][face->index[k]];
    c->corner[k] = face->sign[k] * p->center[owner][face->index[k]];
  }
  c->corner[2] = c->corner[2] - c->size[2];
  for (int k = 0; k < 3; k++) {
    cfVec axis[3];
    for (int r = 0; r < 3; r++) {
      const int from = face->index[r];
      axis[r] = face->sign[r] * (owner ? p->rot[3 * k + from] : p->rot[3 * from + k]);
    }
    const cfVec down = laneSelect(axis[2] < 0.0, laneOf(1), laneOf(-1));
    laneAddScaled(c->corner, axis, down * size[k], 3);
    if (c->nspan < 2 && laneAgree(c->set, laneAbs(axis[2]) < 0.5)) {
      laneScale(c->span[c->nspan++], axis, -2.0 * down * size[k], 3);
    }
  }
}


// crossings of the segment from + s*edge, 0 <= s <= 1, with the four borders of the rectangle
static void laneCrossBorders(laneFaceClip* c, const cfVec from[3], const cfVec edge[3]) {
  for (int q = 0; q < 2; q++) {
    if (laneAgree(c->set, laneAbs(edge[q]) <= mjMINVAL)) {
      continue;
    }
    for (int side = -1; side <= 1; side += 2) {
      const cfVec s = ((mjtNum)side * c->size[q] - from[q]) * (1.0 / edge[q]);
      const cfMask is_crossing =
          (s >= 0.0) & (s <= 1.0) & (laneAbs(from[1 - q] + edge[1 - q] * s) <= c->size[1 - q]);
      if (laneAgree(c->set, is_crossing)) {
        laneKeepPoint(c, from[0] + edge[0] * s, from[1] + edge[1] * s, from[2] + edge[2] * s);
      }
    }
  }
}


// borders of the lower face: both edges at the lowest corner, then the opposite ones
static void laneClipLowerSide(laneFaceClip* c) {
  cfVec far[3];
  if (c->nspan > 0) {
    laneCrossBorders(c, c->corner, c->span[0]);
  }
  if (c->nspan > 1) {
    laneCrossBorders(c, c->corner, c->span[1]);
    laneAdd(far, c->corner, c->span[0], 3);
    laneCrossBorders(c, far, c->span[1]);
    laneAdd(far, c->corner, c->span[1], 3);
    laneCrossBorders(c, far, c->span[0]);
  }
}


// corners of the reference face that lie strictly inside the lower face's projection
static void laneCoverCorners(laneFaceClip* c) {
  CF_ASSERT(c->nspan == 2);
  const cfVec *e0 = c->span[0], *e1 = c->span[1];
  const cfVec inverse = 1.0 / (e0[0] * e1[1] - e1[0] * e0[1]);
  for (int k = 0; k < 4; k++) {
    const laneSize x = k & 2 ? c->size[0] : -c->size[0], y = k & 1 ? c->size[1] : -c->size[1];
    const cfVec dx = x - c->corner[0], dy = y - c->corner[1];
    const cfVec u = (dx * e1[1] - dy * e1[0]) * inverse, v = (dy * e0[0] - dx * e0[1]) * inverse;
    if (laneAgree(c->set, (u > 0.0) & (v > 0.0) & (u < 1.0) & (v < 1.0))) {
      laneKeepPoint(c, laneWide(x), laneWide(y), c->corner[2] + u * e0[2] + v * e1[2]);
    }
  }
}


// the lowest corner, and the others of the lower side that lie strictly inside the reference face
static void laneCoverVertices(laneFaceClip* c) {
  for (int k = 0; k < 1 << c->nspan; k++) {
    cfVec v[3];
    laneCopy(v, c->corner, 3);
    for (int e = 0; e < 2; e++) {
      if (k >> e & 1) {
        laneAdd(v, v, c->span[e], 3);
      }
    }
    const cfMask is_inside = (laneAbs(v[0]) < c->size[0]) & (laneAbs(v[1]) < c->size[1]);
    if (k == 0 || laneAgree(c->set, is_inside)) {
      laneKeepPoint(c, v[0], v[1], v[2]);
    }
  }
}


// points within margin become contacts, halfway between point and face
static void laneEmitFace(laneTouches* t, const laneFaceClip* c, const laneBoxPair* p, int owner,
                         const faceFrame* face) {
  cfVec to_world[9], half[3];
  for (int k = 0; k < 3; k++) {
    for (int row = 0; row < 9; row += 3) {
      to_world[row + k] = p->R[owner][row + face->index[k]] * face->sign[k];
    }
  }
  const mjtNum sign = owner ? -1 : 1;
  for (int k = 0; k < c->n; k++) {
    const cfVec* point = c->point[k];
    if (laneAgree(c->set, point[2] > p->margin)) {
      continue;
    }
    cfVec* contact = laneAddTouch(t, point[2]);
    if (!contact) {
      return;
    }
    laneSet3(half, point[0], point[1], 0.5 * point[2] + c->size[2]);
    laneMulMatVec3(contact + 1, to_world, half);
    laneAdd(contact + 1, contact + 1, p->pos[owner], 3);
    laneSet3(contact + 4, to_world[2] * sign, to_world[5] * sign, to_world[8] * sign);
  }
}


// ---------------------------------------- removal of bad contacts

// lanes in which a point lies inside a box, and outside of it, by more than one percent
static void lanePlaceInBox(cfMask* is_in, cfMask* is_out, const laneBoxPair* p, int box,
                           const cfVec point[3]) {
  const mjtNum ratio = 1.01;
  cfVec offset[3], local[3];
  laneSub(offset, point, p->pos[box], 3);
  laneMulMatTVec3(local, p->R[box], offset);
  *is_in = ~(cfMask){0};
  *is_out = (cfMask){0};
  for (int k = 0; k < 3; k++) {
    const laneSize size = p->size[box][k] + p->margin;
    *is_out |= laneAbs(local[k]) > size * ratio;
    *is_in &= laneAbs(local[k]) < size / ratio;
  }
}


// clipping can leave points beyond a box, and corners that are found twice: the last one stays
static void lanePruneBoxes(laneTouches* t, const laneBoxPair* p) {
  CF_ASSERT(t->n <= CF_LANE_PAIR_CONTACTS);
  bool keep[CF_LANE_PAIR_CONTACTS];
  for (int i = 0; i < t->n; i++) {
    cfMask is_in[2], is_out[2];
    for (int box = 0; box < 2; box++) {
      lanePlaceInBox(is_in + box, is_out + box, p, box, t->contact[i] + 1);
    }
    keep[i] = !laneAgree(&t->set, (is_out[0] & ~is_in[1]) | (is_out[1] & ~is_in[0]));
  }
  int kept = 0;
  for (int i = 0; i < t->n; i++) {
    const cfVec* a = t->contact[i] + 1;
    for (int j = i + 1; keep[i] && j < t->n; j++) {
      const cfVec* b = t->contact[j] + 1;
      keep[i] = !(keep[j] && laneAgree(&t->set, (a[0] == b[0]) & (a[1] == b[1]) & (a[2] == b[2])));
    }
    if (keep[i]) {
      laneCopy(t->contact[kept], t->contact[i], 13);
      kept++;
    }
  }
  t->n = kept;
}


static void laneBoxBox(laneTouches* t, const laneShape* a, const laneShape* b, mjtNum margin) {
  CF_ASSERT(a->type == mjGEOM_BOX && b->type == mjGEOM_BOX);
  const laneBoxPair p = laneRelateBoxes(a, b, margin);
  cfVec depth = laneOf(margin);
  for (int k = 0; k < 3; k++) {
    depth = depth + (a->size[k] * 3.0 + b->size[k] * 3.0);
  }
  laneBoxAxis axis = {depth, laneOf(-1), {0}};
  lanePickFace(&axis, &p);
  laneTouchNothing(t, axis.is_apart);
  if (t->set) {
    lanePickEdges(&axis, &p, t->set);
    laneTouchNothing(t, axis.is_apart | (axis.number < 0.0));
  }
  if (!t->set) {
    return;
  }
  const int number = laneAgreeOn(&t->set, axis.number);
  if (number >= LANE_EDGE_PAIRS) {
    t->alone |= t->set;
    t->set = 0;
    return;
  }
  const int owner = number / 6;
  const faceFrame* face = cfi_face_frames + number % 6;
  laneFaceClip c;
  c.set = &t->set;
  c.nspan = c.n = 0;
  laneLowerSide(&c, &p, owner, face);
  laneClipLowerSide(&c);
  if (c.nspan > 1) {
    laneCoverCorners(&c);
  }
  laneCoverVertices(&c);
  laneEmitFace(t, &c, &p, owner, face);
  lanePruneBoxes(t, &p);
}
