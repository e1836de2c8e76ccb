// GJK of W worlds: collision/convex/gjk.c for a set of worlds that take the same steps.

// two shapes, what is asked about them, and the worlds that are still together
typedef struct {
  unsigned set;   // worlds that go on
  unsigned none;  // worlds that have no contact
  laneShape a, b;
  mjtNum tolerance;
  bool has_cutoff;
  laneSize cutoff;
  int max_iterations;
  laneVertex simplex[4];
  int n;  // vertices of the simplex on which the walk ended
  cfVec x1[3], x2[3], dist;
} laneConvexPair;

typedef enum { LANE_GOES_ON, LANE_NEAREST, LANE_ANSWERED } laneWalkState;

// the walk so far: the point x of the simplex that is nearest to the origin
typedef struct {
  cfVec x[3], length, lambda[4];
  int n;
} laneWalk;


// worlds that turn out to have no contact
CF_LANE_INLINE void laneSetApart(laneConvexPair* q, cfMask is_apart) {
  const unsigned apart = laneBits(is_apart) & q->set;
  q->none |= apart;
  q->set &= ~apart;
}


// ---------------------------------------- enclosing the origin

// the plane of three vertices: its normal, and its distance from the origin, positive inside
static cfVec laneFaceDistance(cfVec normal[3], const cfVec v1[3], const cfVec v2[3],
                              const cfVec v3[3]) {
  const mjtNum tiny = mjMINVAL * mjMINVAL, huge = mjMAXVAL * mjMAXVAL;
  cfVec e3[3], e2[3], n[3];
  laneSub(e3, v3, v1, 3);
  laneSub(e2, v2, v1, 3);
  laneCross(n, e3, e2);
  const cfVec square = laneDot3(n, n), inverse = 1.0 / laneSqrt(square);
  const cfMask has_normal = (square > tiny) & (square < huge);
  for (int k = 0; k < 3; k++) {
    normal[k] = laneSelect(has_normal, n[k] * inverse, n[k]);
  }
  return laneSelect(has_normal, laneDot3(normal, v1), laneOf(CF_CCD_FAR));
}


// the face that the set looks across: the nearest one, the later one of equals
static int laneWorstFace(unsigned* set, const cfVec dist[4]) {
  CF_ASSERT(*set);
  const cfMask is_first = dist[0] < dist[1], is_third = dist[2] < dist[3];
  const cfVec low = laneSelect(is_first, dist[0], dist[1]);
  const cfVec high = laneSelect(is_third, dist[2], dist[3]);
  const cfVec low_face = laneSelect(is_first, laneOf(0), laneOf(1));
  const cfVec high_face = laneSelect(is_third, laneOf(2), laneOf(3));
  return laneAgreeOn(set, laneSelect(low < high, low_face, high_face));
}


// replace the vertex opposite to the worst face until the origin is inside
static laneWalkState laneEnclose(laneConvexPair* q, int* iteration) {
  static const int corner[4][3] = {{2, 1, 3}, {0, 2, 3}, {1, 0, 3}, {0, 1, 2}};
  laneVertex v[4] = {q->simplex[0], q->simplex[1], q->simplex[2], q->simplex[3]};
  int order[4] = {0, 1, 2, 3};
  for (; *iteration < q->max_iterations && q->set; ++*iteration) {
    cfVec dist[4], normal[4][3], back[3];
    cfMask is_on = {0};
    for (int f = 0; f < 4; f++) {
      const int* c = corner[f];
      dist[f] = laneFaceDistance(normal[f], v[order[c[0]]].p, v[order[c[1]]].p, v[order[c[2]]].p);
      is_on |= dist[f] == 0.0;
    }
    if (laneAgree(&q->set, is_on)) {
      return LANE_GOES_ON;
    }
    const int worst = laneWorstFace(&q->set, dist);
    if (laneAgree(&q->set, dist[worst] > 0.0)) {
      for (int k = 0; k < 4; k++) {
        q->simplex[k] = v[order[k]];
      }
      q->n = 4;
      q->dist = laneOf(0);
      return LANE_ANSWERED;
    }
    laneVertex* replaced = v + order[worst];
    laneSet3(back, -normal[worst][0], -normal[worst][1], -normal[worst][2]);
    laneSupportPair(replaced, &q->a, &q->b, normal[worst], back);
    laneSetApart(q, laneDot3(normal[worst], replaced->p) < 0.0);

    // exchange two others to keep the orientation
    const int i = (worst + 1) % 4, j = (worst + 2) % 4, swapped = order[i];
    order[i] = order[j];
    order[j] = swapped;
  }
  return LANE_GOES_ON;
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
static laneWalkState laneProbe(laneConvexPair* q, laneWalk* w) {
  CF_ASSERT(q->set && w->n >= 0 && w->n < 4);
  const mjtNum gap = 0.5 * q->tolerance * q->tolerance;
  const cfVec square = laneDot3(w->x, w->x);
  if (laneAgree(&q->set, square < mjMINVAL * mjMINVAL)) {
    w->length = square;
    return LANE_NEAREST;
  }
  w->length = laneSqrt(square);
  cfVec back[3], dir[3], rest[3];
  laneScale(back, w->x, 1.0 / w->length, 3);
  laneSet3(dir, -back[0], -back[1], -back[2]);
  laneSupportPair(q->simplex + w->n, &q->a, &q->b, dir, back);
  const cfVec* s = q->simplex[w->n].p;
  laneSub(rest, w->x, s, 3);
  if (laneAgree(&q->set, laneDot3(w->x, rest) < gap)) {
    w->n += w->n == 0;
    return LANE_NEAREST;
  }
  laneSetApart(q, laneBeyondCutoff(q, laneDot3(w->x, s), square));
  return LANE_GOES_ON;
}


// drop the vertices without weight
static void laneReduce(laneConvexPair* q, laneWalk* w, int n) {
  CF_ASSERT(n > 0 && n <= 4);
  w->n = 0;
  for (int k = 0; k < n; k++) {
    if (laneAgree(&q->set, w->lambda[k] == 0.0)) {
      continue;
    }
    if (w->n < k) {
      q->simplex[w->n] = q->simplex[k];
      w->lambda[w->n] = w->lambda[k];
    }
    w->n++;
  }
}


// to the nearest point of the simplex with its new vertex
static laneWalkState laneAdvanceWalk(laneConvexPair* q, laneWalk* w) {
  laneNearestOnSimplex(w->lambda, q->simplex, w->n + 1);
  laneReduce(q, w, w->n + 1);
  if (w->n < 1) {
    q->none |= q->set;  // numbers are out of range
    q->set = 0;
    return LANE_ANSWERED;
  }
  const cfVec* const v[4] = {q->simplex[0].p, q->simplex[1].p, q->simplex[2].p, q->simplex[3].p};
  cfVec next[3];
  laneCombine(next, w->lambda, v, w->n);
  cfMask is_unmoved = ~(cfMask){0};
  for (int k = 0; k < 3; k++) {
    is_unmoved &= laneAbs(next[k] - w->x[k]) < mjMINVAL;
  }
  if (laneAgree(&q->set, is_unmoved)) {
    return LANE_NEAREST;
  }
  laneCopy(w->x, next, 3);
  if (w->n == 4) {
    w->length = laneOf(0);
    return LANE_NEAREST;
  }
  return LANE_GOES_ON;
}


// the simplex in q->simplex; distance, and the nearest points unless the origin is enclosed
static void laneWalkToOrigin(laneConvexPair* q) {
  laneWalk w = {.lambda = {laneOf(1)}};
  bool may_flip = !q->has_cutoff;
  laneWalkState state = LANE_GOES_ON;
  laneSub(w.x, q->x1, q->x2, 3);
  for (int k = 0; k < q->max_iterations && q->set && state == LANE_GOES_ON; k++) {
    state = laneProbe(q, &w);
    if (state == LANE_GOES_ON && q->set && w.n == 3 && may_flip) {
      may_flip = false;
      state = laneEnclose(q, &k);
    }
    if (state == LANE_GOES_ON && q->set) {
      state = laneAdvanceWalk(q, &w);
    }
  }
  if (!q->set || state == LANE_ANSWERED) {
    return;
  }
  if (w.n) {
    const laneVertex* v = q->simplex;
    const cfVec* const on_a[4] = {v[0].a, v[1].a, v[2].a, v[3].a};
    const cfVec* const on_b[4] = {v[0].b, v[1].b, v[2].b, v[3].b};
    laneCombine(q->x1, w.lambda, on_a, w.n);
    laneCombine(q->x2, w.lambda, on_b, w.n);
  }
  q->n = w.n;
  q->dist = w.length;
}
