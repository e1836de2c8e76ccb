// GJK of W worlds: collision/convex/gjk.c with masks.  Worlds walk side by side, each with a
// simplex of its own size, until the last one has arrived.

// two shapes, what is asked about them, and the worlds that are still looked at
typedef struct {
  unsigned set;   // worlds that go on
  unsigned none;  // worlds that have no contact
  laneShape a, b;
  mjtNum tolerance;
  bool has_cutoff;
  laneSize cutoff;
  int max_iterations;
  laneVertex simplex[4];
  cfMask n;  // vertices of the simplex on which the walk ended
  cfVec x1[3], x2[3], dist;
} laneConvexPair;

// the walk so far: the point x of the simplex that is nearest to the origin
typedef struct {
  unsigned active;    // worlds that walk
  unsigned answered;  // worlds whose simplex encloses the origin
  unsigned may_flip;  // worlds that have not flipped a tetrahedron yet
  cfVec x[3], length, lambda[4];
  cfMask n, round;  // vertices and iterations of each world
} laneWalk;


// worlds that turn out to have no contact
CF_LANE_INLINE void laneSetApart(laneConvexPair* q, unsigned worlds) {
  q->none |= worlds & q->set;
  q->set &= ~worlds;
}


CF_LANE_INLINE cfMask laneChoose(cfMask mask, cfMask a, cfMask b) {
  return (a & mask) | (b & ~mask);
}


// a vertex in the worlds of a mask
CF_LANE_INLINE void laneTakeVertex(laneVertex* res, const laneVertex* v, cfMask mask) {
  for (int k = 0; k < 3; k++) {
    res->p[k] = laneSelect(mask, v->p[k], res->p[k]);
    res->a[k] = laneSelect(mask, v->a[k], res->a[k]);
    res->b[k] = laneSelect(mask, v->b[k], res->b[k]);
  }
}


// ---------------------------------------- enclosing the origin

// the plane of three vertices: its normal, and its distance from the origin, positive inside
static cfVec laneFaceDistance(cfVec normal[3], const cfVec v1[3], const cfVec v2[3],
                              const cfVec v3[3]) {
  const mjtNum tiny = mjMINVAL * mjMINVAL, huge = mjMAXVAL * mjMAXVAL;
  cfVec e3[3], e2[3], n[3];
  numSub3(e3, v3, v1);
  numSub3(e2, v2, v1);
  numCross(n, e3, e2);
  const cfVec square = numDot3(n, n), inverse = 1.0 / laneSqrt(square);
  const cfMask has_normal = (square > tiny) & (square < huge);
  for (int k = 0; k < 3; k++) {
    normal[k] = laneSelect(has_normal, n[k] * inverse, n[k]);
  }
  return laneSelect(has_normal, numDot3(normal, v1), laneOf(CF_CCD_FAR));
}


// the face that each world looks across: the nearest one, the later one of equals
typedef struct {
  cfMask is[4];  // face by face
  cfVec dist, normal[3];
  cfMask is_on;  // the origin lies on a face
} laneWorstFace;

static void laneFindWorst(laneWorstFace* worst, const laneVertex v[4]) {
  static const int corner[4][3] = {{2, 1, 3}, {0, 2, 3}, {1, 0, 3}, {0, 1, 2}};
  cfVec dist[4], normal[4][3];
  worst->is_on = (cfMask){0};
  for (int f = 0; f < 4; f++) {
    const int* c = corner[f];
    dist[f] = laneFaceDistance(normal[f], v[c[0]].p, v[c[1]].p, v[c[2]].p);
    worst->is_on |= dist[f] == 0.0;
  }
  const cfMask is_first = dist[0] < dist[1], is_third = dist[2] < dist[3];
  const cfVec low = laneSelect(is_first, dist[0], dist[1]);
  const cfVec high = laneSelect(is_third, dist[2], dist[3]);
  const cfMask is_low = low < high;
  worst->dist = laneSelect(is_low, low, high);
  for (int k = 0; k < 3; k++) {
    worst->normal[k] = laneSelect(is_low, laneSelect(is_first, normal[0][k], normal[1][k]),
                                  laneSelect(is_third, normal[2][k], normal[3][k]));
  }
  worst->is[0] = is_low & is_first;
  worst->is[1] = is_low & ~is_first;
  worst->is[2] = ~is_low & is_third;
  worst->is[3] = ~is_low & ~is_third;
}


// a new vertex instead of the one opposite to the worst face; two others are exchanged to keep the
// orientation
static void laneReplaceVertex(laneVertex v[4], const laneVertex* fresh, const laneWorstFace* worst,
                              unsigned worlds) {
  const cfMask is_asked = laneOfBits(worlds);
  for (int f = 0; f < 4; f++) {
    const cfMask is_here = worst->is[f] & is_asked;
    if (laneNone(is_here)) {
      continue;
    }
    laneVertex *one = v + (f + 1) % 4, *other = v + (f + 2) % 4;
    const laneVertex kept = *one;
    laneTakeVertex(v + f, fresh, is_here);
    laneTakeVertex(one, other, is_here);
    laneTakeVertex(other, &kept, is_here);
  }
}


// worlds whose tetrahedron v encloses the origin
static void laneAnswerEnclosed(laneConvexPair* q, laneWalk* w, const laneVertex v[4],
                               unsigned worlds) {
  const cfMask is_enclosed = laneOfBits(worlds);
  for (int k = 0; k < 4 && worlds; k++) {
    laneTakeVertex(q->simplex + k, v + k, is_enclosed);
  }
  q->n = laneChoose(is_enclosed, (cfMask){0} + 4, q->n);
  q->dist = laneSelect(is_enclosed, laneOf(0), q->dist);
  w->answered |= worlds;
  w->active &= ~worlds;
}


// replace the vertex opposite to the worst face until the origin is inside; worlds that can not
// tell keep their simplex
static void laneEnclose(laneConvexPair* q, laneWalk* w, unsigned worlds) {
  laneVertex v[4] = {q->simplex[0], q->simplex[1], q->simplex[2], q->simplex[3]}, fresh;
  while (worlds &= laneBits(w->round < q->max_iterations)) {
    laneWorstFace worst;
    cfVec back[3];
    laneFindWorst(&worst, v);
    worlds &= ~laneBits(worst.is_on);
    const unsigned enclosed = worlds & laneBits(worst.dist > 0.0);
    laneAnswerEnclosed(q, w, v, enclosed);
    worlds &= ~enclosed;
    if (!worlds) {
      return;
    }
    numSet3(back, -worst.normal[0], -worst.normal[1], -worst.normal[2]);
    laneSupportPair(&fresh, &q->a, &q->b, worst.normal, back);
    laneSetApart(q, worlds & laneBits(numDot3(worst.normal, fresh.p) < 0.0));
    worlds &= q->set;
    w->active &= q->set;
    laneReplaceVertex(v, &fresh, &worst, worlds);
    w->round -= laneOfBits(worlds);
  }
}


// ---------------------------------------- main loop

// lanes in which the plane through a support point normal to x keeps everything beyond the cutoff
CF_LANE_INLINE cfMask laneBeyondCutoff(const laneConvexPair* q, cfVec xs, cfVec xx) {
  cfMask is_beyond = xs > 0.0;
  if (q->has_cutoff) {
    is_beyond &= xs * xs / xx >= q->cutoff * q->cutoff;
  }
  return is_beyond;
}


// a further vertex, opposite to x
static void laneProbe(laneConvexPair* q, laneWalk* w) {
  CF_ASSERT(w->active);
  const mjtNum gap = 0.5 * q->tolerance * q->tolerance;
  const cfVec square = numDot3(w->x, w->x);
  const cfMask is_here = square < mjMINVAL * mjMINVAL;
  const cfVec length = laneSelect(is_here, square, laneSqrt(square));
  w->length = laneSelect(laneOfBits(w->active), length, w->length);
  w->active &= ~laneBits(is_here);
  if (!w->active) {
    return;
  }
  laneVertex s;
  cfVec back[3], dir[3], rest[3];
  numScale3(back, w->x, 1.0 / w->length);
  numSet3(dir, -back[0], -back[1], -back[2]);
  laneSupportPair(&s, &q->a, &q->b, dir, back);
  const cfMask is_walking = laneOfBits(w->active);
  for (int k = 0; k < 4; k++) {
    const cfMask is_next = is_walking & (w->n == k);
    if (laneAny(is_next)) {
      laneTakeVertex(q->simplex + k, &s, is_next);
    }
  }
  numSub3(rest, w->x, s.p);
  const cfMask is_near = is_walking & (numDot3(w->x, rest) < gap);
  w->n -= is_near & (w->n == 0);
  w->active &= ~laneBits(is_near);
  laneSetApart(q, w->active & laneBits(laneBeyondCutoff(q, numDot3(w->x, s.p), square)));
  w->active &= q->set;
}


// coordinates of the nearest point, by the number of vertices
static void laneWeigh(const laneConvexPair* q, laneWalk* w, cfMask is_walking) {
  for (int n = 1; n <= 4; n++) {
    const cfMask has_as_many = is_walking & (w->n == n - 1);
    if (laneAny(has_as_many)) {
      cfVec lambda[4];
      laneNearestOnSimplex(lambda, q->simplex, n);
      for (int k = 0; k < n; k++) {
        w->lambda[k] = laneSelect(has_as_many, lambda[k], w->lambda[k]);
      }
    }
  }
}


// drop the vertices without weight
static void laneReduce(laneConvexPair* q, laneWalk* w, cfMask is_walking) {
  cfMask kept = {0};
  for (int k = 0; k < 4; k++) {
    const cfMask is_kept = is_walking & (w->n >= k) & (w->lambda[k] != 0.0);
    for (int at = 0; at < k; at++) {
      const cfMask moves = is_kept & (kept == at);
      if (laneAny(moves)) {
        laneTakeVertex(q->simplex + at, q->simplex + k, moves);
        w->lambda[at] = laneSelect(moves, w->lambda[k], w->lambda[at]);
      }
    }
    kept -= is_kept;
  }
  w->n = laneChoose(is_walking, kept, w->n);
}


// weighted sum of the first n points, n world by world and at least 1
static void laneCombineOwn(cfVec res[3], const laneWalk* w, const cfVec* const v[4]) {
  numScale3(res, v[0], w->lambda[0]);
  for (int k = 1; k < 4; k++) {
    const cfMask is_in = w->n > k;
    if (laneNone(is_in)) {
      return;
    }
    for (int i = 0; i < 3; i++) {
      res[i] = laneSelect(is_in, res[i] + v[k][i] * w->lambda[k], res[i]);
    }
  }
}


// to the nearest point of the simplex with its new vertex
static void laneAdvanceWalk(laneConvexPair* q, laneWalk* w) {
  cfMask is_walking = laneOfBits(w->active);
  laneWeigh(q, w, is_walking);
  laneReduce(q, w, is_walking);
  laneSetApart(q, w->active & laneBits(w->n < 1));  // numbers are out of range
  w->active &= q->set;
  is_walking = laneOfBits(w->active);
  const cfVec* const v[4] = {q->simplex[0].p, q->simplex[1].p, q->simplex[2].p, q->simplex[3].p};
  cfVec next[3];
  laneCombineOwn(next, w, v);
  cfMask is_unmoved = ~(cfMask){0};
  for (int k = 0; k < 3; k++) {
    is_unmoved &= laneAbs(next[k] - w->x[k]) < mjMINVAL;
  }
  const cfMask moves = is_walking & ~is_unmoved, is_full = moves & (w->n == 4);
  for (int k = 0; k < 3; k++) {
    w->x[k] = laneSelect(moves, next[k], w->x[k]);
  }
  w->length = laneSelect(is_full, laneOf(0), w->length);
  w->active &= laneBits(moves & ~is_full);
}


// where the walks of some worlds ended: distance and nearest points
static void laneArrive(laneConvexPair* q, const laneWalk* w, unsigned worlds) {
  const cfMask is_here = laneOfBits(worlds), has_points = is_here & (w->n > 0);
  const laneVertex* v = q->simplex;
  const cfVec* const on_a[4] = {v[0].a, v[1].a, v[2].a, v[3].a};
  const cfVec* const on_b[4] = {v[0].b, v[1].b, v[2].b, v[3].b};
  cfVec x1[3], x2[3];
  laneCombineOwn(x1, w, on_a);
  laneCombineOwn(x2, w, on_b);
  for (int k = 0; k < 3; k++) {
    q->x1[k] = laneSelect(has_points, x1[k], q->x1[k]);
    q->x2[k] = laneSelect(has_points, x2[k], q->x2[k]);
  }
  q->n = laneChoose(is_here, w->n, q->n);
  q->dist = laneSelect(is_here, w->length, q->dist);
}


// the simplex in q->simplex; distance, and the nearest points unless the origin is enclosed
static void laneWalkToOrigin(laneConvexPair* q) {
  laneWalk w = {.active = q->set, .may_flip = q->has_cutoff ? 0 : q->set, .lambda = {laneOf(1)}};
  numSub3(w.x, q->x1, q->x2);
  w.length = laneOf(0);
  while (w.active &= laneBits(w.round < q->max_iterations)) {
    laneProbe(q, &w);
    const unsigned flips = w.active & w.may_flip & laneBits(w.n == 3);
    if (flips) {
      w.may_flip &= ~flips;
      laneEnclose(q, &w, flips);
    }
    if (w.active) {
      w.round -= laneOfBits(w.active);
      laneAdvanceWalk(q, &w);
    }
  }
  if (q->set & ~w.answered) {
    laneArrive(q, &w, q->set & ~w.answered);
  }
}
