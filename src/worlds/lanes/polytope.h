// EPA of W worlds: collision/convex/polytope.c and epa.c.  Vertices and planes of all worlds grow
// side by side; worlds whose polytopes have the same faces share the list of them, and get lists of
// their own where they part.

enum { LANE_FACE_IDLE = -1, LANE_FACE_DELETED = -2 };

typedef struct {
  short vertex[3], neighbor[3], slot;
} laneFace;

// an edge between visible and hidden faces, as the hidden face sees it
typedef struct {
  short face, edge;
} laneHorizonEdge;

// faces that some worlds have in common
typedef struct {
  unsigned set;              // these worlds
  int nearest;               // face that is expanded, -1: none yet
  int ncandidate, nhorizon;  // edges, and then new faces, of this round
  short candidate[CF_LANE_FACES];
  laneFace face[CF_LANE_FACES];
} laneHull;

// numbers: vertices, then the planes of faces: projection of the origin and its square
typedef struct {
  laneVertex* vertex;
  cfVec (*plane)[4];
  int nvertex, nface;
  unsigned live, found;  // worlds that go on, and worlds that ended on a face
  laneHull hull[CF_LANES];
  laneHorizonEdge horizon[CF_LANE_FACES], pending[2 * CF_LANE_FACES];
  unsigned char mark[CF_LANE_FACES];  // worlds that see a face, or have it as a candidate
  unsigned char has[CF_LANE_FACES];   // worlds whose polytope has a face
  short present[CF_LANE_FACES];       // faces that some world has, ascending
  int npresent;

  // the face that each world expands, and the least reach beyond one so far
  cfVec foot[3], square, upper, upper_square;

  // where worlds ended
  laneVertex corner[3];
  cfVec end[4];
} lanePolytope;


// ---------------------------------------- worlds

static laneHull* laneHullOf(lanePolytope* pt, unsigned worlds) {
  CF_ASSERT(worlds);
  const unsigned first = worlds & -worlds;
  laneHull* h = pt->hull;
  while (!(h->set & first)) {
    h++;
  }
  return h;
}


// some worlds of a hull get one of their own, which comes later
static void lanePart(lanePolytope* pt, laneHull* h, unsigned others) {
  laneHull* fresh = pt->hull;
  while (fresh->set) {
    fresh++;
  }
  CF_ASSERT(fresh < pt->hull + CF_LANES);
  fresh->nearest = h->nearest;
  fresh->ncandidate = h->ncandidate;
  fresh->nhorizon = h->nhorizon;
  memcpy(fresh->candidate, h->candidate, sizeof(h->candidate[0]) * (size_t)h->ncandidate);
  memcpy(fresh->face, h->face, sizeof(h->face[0]) * (size_t)pt->nface);
  fresh->set = others;
  h->set &= ~others;
}


// a hull keeps the worlds that go the way of its first one
CF_LANE_INLINE bool laneDivide(lanePolytope* pt, laneHull* h, unsigned yes) {
  const bool is_yes = yes & h->set & -h->set;
  const unsigned others = h->set & (is_yes ? ~yes : yes);
  if (others) {
    lanePart(pt, h, others);
  }
  return is_yes;
}


// some worlds of a hull end on a face; -1: without contact
static void laneEndOn(lanePolytope* pt, laneConvexPair* q, laneHull* h, int face, unsigned worlds) {
  worlds &= h->set;
  h->set &= ~worlds;
  pt->live &= ~worlds;
  if (face < 0) {
    laneSetApart(q, worlds);
  } else if (worlds) {
    const cfMask is_here = laneOfBits(worlds);
    const laneFace* f = h->face + face;
    for (int k = 0; k < 3; k++) {
      laneTakeVertex(pt->corner + k, pt->vertex + f->vertex[k], is_here);
    }
    for (int k = 0; k < 4; k++) {
      pt->end[k] = laneSelect(is_here, pt->plane[face][k], pt->end[k]);
    }
    pt->found |= worlds;
  }
}


// ---------------------------------------- vertices and planes

static int laneAddVertex(lanePolytope* pt, const laneVertex* v) {
  CF_ASSERT(pt->nvertex < CF_LANE_VERTICES);
  pt->vertex[pt->nvertex] = *v;
  return pt->nvertex++;
}


// support point along a direction of given length, as a new vertex
static int laneAddSupport(lanePolytope* pt, const laneConvexPair* q, const cfVec dir[3],
                          cfVec length) {
  CF_ASSERT(pt->nvertex < CF_LANE_VERTICES);
  const cfMask is_long = length > mjMINVAL;
  cfVec unit[3], back[3];
  for (int k = 0; k < 3; k++) {
    unit[k] = laneSelect(is_long, dir[k] / length, laneOf(k == 0));
    back[k] = -unit[k];
  }
  laneSupportPair(pt->vertex + pt->nvertex, &q->a, &q->b, unit, back);
  return pt->nvertex++;
}


static void laneSpanPlane(cfVec plane[4], const cfVec v1[3], const cfVec v2[3], const cfVec v3[3]) {
  const cfMask is_flat = laneProjectOnPlane(plane, v1, v2, v3);
  plane[3] = laneSelect(is_flat, laneOf(0), numDot3(plane, plane));
}


static void laneAddCandidate(laneHull* h, int face) {
  CF_ASSERT(h->ncandidate < CF_LANE_FACES);
  h->face[face].slot = (short)h->ncandidate;
  h->candidate[h->ncandidate++] = (short)face;
}


// ---------------------------------------- start

// the faces of a beginning, all of them candidates
static void laneAttachRows(lanePolytope* pt, laneHull* h, const cfFaceRow* row, int count) {
  CF_ASSERT(pt->nface == 0);
  for (int k = 0; k < count; k++) {
    laneFace* f = h->face + k;
    for (int i = 0; i < 3; i++) {
      f->vertex[i] = (short)row[k].vertex[i];
      f->neighbor[i] = (short)row[k].neighbor[i];
    }
    laneSpanPlane(pt->plane[k], pt->vertex[f->vertex[2]].p, pt->vertex[f->vertex[1]].p,
                  pt->vertex[f->vertex[0]].p);
    laneAddCandidate(h, k);
    pt->has[k] = (unsigned char)h->set;
    pt->present[k] = (short)k;
  }
  pt->nface = pt->npresent = count;
}


// lanes in which the plane of a face passes through the origin
CF_LANE_INLINE cfMask lanePassesOrigin(const lanePolytope* pt, int face) {
  return pt->plane[face][3] < mjMINVAL * mjMINVAL;
}


CF_LANE_INLINE cfVec laneVolume(const cfVec a[3], const cfVec b[3], const cfVec c[3]) {
  cfVec n[3];
  numCross(n, b, c);
  return numDot3(a, n);
}


// lanes in which the origin is on the same side of the plane p0 p1 p2 as p3
static cfMask laneIsOnSideOf(const cfVec* p0, const cfVec* p1, const cfVec* p2, const cfVec* p3) {
  cfVec e1[3], e2[3], e3[3];
  numSub3(e1, p1, p0);
  numSub3(e2, p2, p0);
  numSub3(e3, p3, p0);
  const cfVec origin[3] = {-p0[0], -p0[1], -p0[2]};
  const cfVec apex = laneVolume(e3, e1, e2), own = laneVolume(origin, e1, e2);
  return ((apex > 0.0) & (own > 0.0)) | ((apex < 0.0) & (own < 0.0));
}


static cfMask laneHoldsOrigin(const cfVec* const p[4]) {
  cfMask holds = ~(cfMask){0};
  for (int k = 0; k < 4; k++) {
    holds &= laneIsOnSideOf(p[k], p[(k + 1) % 4], p[(k + 2) % 4], p[(k + 3) % 4]);
  }
  return holds;
}


static cfMask laneLiesInTriangle(const cfVec* const v[3], const cfVec p[3]) {
  cfVec lambda[3], off[3];
  laneTriangleCoords(lambda, v[0], v[1], v[2], p);
  for (int k = 0; k < 3; k++) {
    off[k] = v[0][k] * lambda[0] + v[1][k] * lambda[1] + v[2][k] * lambda[2] - p[k];
  }
  const cfMask is_outside = (lambda[0] < 0.0) | (lambda[1] < 0.0) | (lambda[2] < 0.0);
  return ~is_outside & (laneSqrt(numDot3(off, off)) < mjMINVAL);
}


// triangle: add an apex on either side
static void laneStartFromTriangle(lanePolytope* pt, laneConvexPair* q, laneHull* h) {
  const cfVec* const v[3] = {q->simplex[0].p, q->simplex[1].p, q->simplex[2].p};
  cfVec e1[3], e2[3], n[3], back[3];
  numSub3(e1, v[1], v[0]);
  numSub3(e2, v[2], v[0]);
  numCross(n, e1, e2);
  const cfVec length = laneSqrt(numDot3(n, n));
  numSet3(back, -n[0], -n[1], -n[2]);
  for (int k = 0; k < 3; k++) {
    laneAddVertex(pt, q->simplex + k);
  }
  const cfVec* below = pt->vertex[laneAddSupport(pt, q, back, length)].p;
  const cfVec* above = pt->vertex[laneAddSupport(pt, q, n, length)].p;
  const cfVec *const up[4] = {v[0], v[1], v[2], above}, *const down[4] = {v[0], v[1], v[2], below};
  cfMask fails = (length < mjMINVAL) | laneLiesInTriangle(v, above) | laneLiesInTriangle(v, below);
  fails |= (q->dist > 10 * mjMINVAL) & ~laneHoldsOrigin(up) & ~laneHoldsOrigin(down);
  laneAttachRows(pt, h, cf_triangle_and_apexes, 6);
  for (int k = 0; k < 6; k++) {
    fails |= lanePassesOrigin(pt, k);
  }
  laneEndOn(pt, q, h, -1, laneBits(fails));
}


// where the origin lies on a face: worlds start again from its triangle, later
static void laneLeaveWithFace(lanePolytope* pt, laneConvexPair* q, laneHull* h,
                              const cfFaceRow* row, int count) {
  for (int k = 0; k < count; k++) {
    const unsigned worlds = laneBits(lanePassesOrigin(pt, k)) & h->set;
    if (worlds) {
      const cfMask is_here = laneOfBits(worlds);
      for (int i = 0; i < 3; i++) {
        laneTakeVertex(q->simplex + i, pt->vertex + row[k].vertex[i], is_here);
      }
      q->n = laneChoose(is_here, (cfMask){0} + 3, q->n);
      h->set &= ~worlds;
      pt->live &= ~worlds;
    }
  }
}


static void laneStartFromTetrahedron(lanePolytope* pt, laneConvexPair* q, laneHull* h) {
  for (int k = 0; k < 4; k++) {
    laneAddVertex(pt, q->simplex + k);
  }
  laneAttachRows(pt, h, cf_tetrahedron, 4);
  laneLeaveWithFace(pt, q, h, cf_tetrahedron, 4);
  const cfVec* const p[4] = {pt->vertex[0].p, pt->vertex[1].p, pt->vertex[2].p, pt->vertex[3].p};
  laneEndOn(pt, q, h, -1, ~laneBits(laneHoldsOrigin(p)));
}


// a third of a turn about an axis
static void laneThirdOfTurn(cfVec R[9], const cfVec axis[3]) {
  const mjtNum sine = 0.86602540378, cosine = -0.5;
  const cfVec length = laneSqrt(numDot3(axis, axis));
  const cfVec u[3] = {axis[0] / length, axis[1] / length, axis[2] / length};
  for (int r = 0; r < 3; r++) {
    for (int c = 0; c < 3; c++) {
      R[3 * r + c] = u[r] * u[c] * (1 - cosine) + (r == c ? cosine : 0);
    }
  }
  R[1] = R[1] - u[2] * sine;
  R[2] = R[2] + u[1] * sine;
  R[3] = R[3] + u[2] * sine;
  R[5] = R[5] - u[0] * sine;
  R[6] = R[6] - u[1] * sine;
  R[7] = R[7] + u[0] * sine;
}


// lanes in which the line v1 v2 passes through the triangle
static cfMask laneLinePasses(const cfVec v1[3], const cfVec v2[3], const cfVec* const t[3]) {
  cfVec line[3], arm[3][3];
  cfMask is_above = ~(cfMask){0}, is_below = is_above;
  numSub3(line, v2, v1);
  for (int k = 0; k < 3; k++) {
    numSub3(arm[k], t[k], v1);
  }
  for (int k = 0; k < 3; k++) {
    const cfVec volume = laneVolume(arm[k], arm[(k + 1) % 3], line);
    is_above &= volume >= 0.0;
    is_below &= volume <= 0.0;
  }
  return is_above | is_below;
}


// segment: three points around it, a third of a turn apart
static void laneStartFromSegment(lanePolytope* pt, laneConvexPair* q, laneHull* h) {
  const cfVec *v1 = q->simplex[0].p, *v2 = q->simplex[1].p, *around[3];
  cfVec line[3], e[3], dir[3][3], R[9];
  numSub3(line, v2, v1);
  const cfMask is_y = laneAbs(line[1]) < laneAbs(line[0]);
  const cfMask is_z = laneAbs(line[2]) < laneAbs(laneSelect(is_y, line[1], line[0]));
  e[0] = laneSelect(is_y | is_z, laneOf(0), laneOf(1));
  e[1] = laneSelect(is_y & ~is_z, laneOf(1), laneOf(0));
  e[2] = laneSelect(is_z, laneOf(1), laneOf(0));
  numCross(dir[0], e, line);
  laneThirdOfTurn(R, line);
  numMulMatVec3(dir[1], R, dir[0]);
  numMulMatVec3(dir[2], R, dir[1]);
  const cfVec* ends[2];
  for (int k = 0; k < 2; k++) {
    ends[k] = pt->vertex[laneAddVertex(pt, q->simplex + k)].p;
  }
  for (int k = 0; k < 3; k++) {
    around[k] = pt->vertex[laneAddSupport(pt, q, dir[k], laneSqrt(numDot3(dir[k], dir[k])))].p;
  }
  laneAttachRows(pt, h, cf_double_tetrahedron, 6);
  laneLeaveWithFace(pt, q, h, cf_double_tetrahedron, 6);
  laneEndOn(pt, q, h, -1, ~laneBits(laneLinePasses(ends[0], ends[1], around)));
}


// polytopes of some worlds around simplices of n vertices
static void laneStartPolytope(lanePolytope* pt, laneConvexPair* q, int n, unsigned worlds) {
  CF_ASSERT(worlds && n >= 2 && n <= 4);
  for (int k = 0; k < CF_LANES; k++) {
    pt->hull[k].set = 0;
  }
  laneHull* h = pt->hull;
  h->set = pt->live = worlds;
  h->nearest = -1;
  h->ncandidate = h->nhorizon = 0;
  pt->nvertex = pt->nface = 0;
  pt->upper = pt->upper_square = laneOf(CF_CCD_FAR);
  if (n == 2) {
    laneStartFromSegment(pt, q, h);
  } else if (n == 3) {
    laneStartFromTriangle(pt, q, h);
  } else {
    laneStartFromTetrahedron(pt, q, h);
  }
}


// ---------------------------------------- horizon

static void laneDeleteFace(lanePolytope* pt, laneHull* h, int face) {
  laneFace* f = h->face + face;
  if (f->slot >= 0) {
    const short last = h->candidate[--h->ncandidate];
    h->candidate[f->slot] = last;
    h->face[last].slot = f->slot;
  }
  f->slot = LANE_FACE_DELETED;
  pt->has[face] &= (unsigned char)~h->set;
}


// delete the faces that the worlds of a hull see, and collect the edges around them in their order
static void laneCarveHorizon(lanePolytope* pt, laneHull* h) {
  const unsigned first = h->set & -h->set;
  int depth = 0;
  CF_ASSERT_INDEX(h->nearest, pt->nface);
  h->nhorizon = 0;
  laneDeleteFace(pt, h, h->nearest);
  for (int e = 2; e >= 0; e--) {
    pt->pending[depth++] = (laneHorizonEdge){(short)h->nearest, (short)e};
  }
  while (depth) {
    const laneHorizonEdge top = pt->pending[--depth];
    const laneFace* f = h->face + top.face;
    const short next = f->neighbor[top.edge], start = f->vertex[top.edge < 2 ? top.edge + 1 : 0];
    const laneFace* other = h->face + next;
    if (other->slot == LANE_FACE_DELETED) {
      continue;
    }
    const short edge = other->vertex[0] == start ? 0 : other->vertex[1] == start ? 1 : 2;
    if (pt->mark[next] & first) {
      const short second = edge < 2 ? (short)(edge + 1) : 0;
      laneDeleteFace(pt, h, next);
      pt->pending[depth++] = (laneHorizonEdge){next, second < 2 ? (short)(second + 1) : 0};
      pt->pending[depth++] = (laneHorizonEdge){next, second};
    } else if (h->nhorizon < CF_LANE_FACES) {
      pt->horizon[h->nhorizon++] = (laneHorizonEdge){next, edge};
    }
  }
}


// faces from the edges of the hole to the new vertex, as yet without planes
static void laneCloseHole(const lanePolytope* pt, laneHull* h, int vertex) {
  const int first = pt->nface, count = h->nhorizon;
  CF_ASSERT(count >= 3 && vertex < pt->nvertex);
  for (int k = 0; k < count; k++) {
    const laneHorizonEdge edge = pt->horizon[k];
    laneFace *hidden = h->face + edge.face, *f = h->face + first + k;
    f->vertex[0] = (short)vertex;
    f->vertex[1] = hidden->vertex[edge.edge < 2 ? edge.edge + 1 : 0];
    f->vertex[2] = hidden->vertex[edge.edge];
    f->neighbor[0] = (short)(first + (k ? k : count) - 1);
    f->neighbor[1] = edge.face;
    f->neighbor[2] = (short)(first + (k + 1 < count ? k + 1 : 0));
    f->slot = LANE_FACE_IDLE;
    hidden->neighbor[edge.edge] = (short)(first + k);
  }
}


// cut off what a hull's worlds see from the new vertex
static void laneGrowHull(lanePolytope* pt, laneConvexPair* q, laneHull* h, int vertex) {
  for (int i = 0; i < pt->npresent; i++) {
    const int k = pt->present[i];
    if (pt->has[k] & h->set) {
      laneDivide(pt, h, pt->mark[k]);
    }
  }
  laneCarveHorizon(pt, h);
  if (h->nhorizon < 3) {
    laneEndOn(pt, q, h, -1, h->set);
  } else if (h->nhorizon > CF_LANE_FACES - pt->nface) {
    q->set &= ~h->set;  // the scalar polytope has more room
    pt->live &= ~h->set;
    h->set = 0;
  } else {
    laneCloseHole(pt, h, vertex);
  }
}


// most new faces of a hull
static int laneMostEdges(lanePolytope* pt) {
  int most = 0;
  for (unsigned left = pt->live; left;) {
    const laneHull* h = laneHullOf(pt, left);
    most = h->nhorizon > most ? h->nhorizon : most;
    left &= ~h->set;
  }
  return most;
}


// plane of a new face, whose corners each hull knows
static void laneSpanNew(lanePolytope* pt, int face, int edge, const cfVec apex[3]) {
  cfVec v1[3] = {{0}}, v2[3] = {{0}};
  for (unsigned left = pt->live; left;) {
    const laneHull* h = laneHullOf(pt, left);
    if (edge < h->nhorizon) {
      const laneFace* f = h->face + face;
      const cfVec *one = pt->vertex[f->vertex[2]].p, *two = pt->vertex[f->vertex[1]].p;
      const cfMask is_here = laneOfBits(h->set);
      for (int k = 0; k < 3; k++) {
        v1[k] = laneSelect(is_here, one[k], v1[k]);
        v2[k] = laneSelect(is_here, two[k], v2[k]);
      }
    }
    left &= ~h->set;
  }
  laneSpanPlane(pt->plane[face], v1, v2, apex);
}


// new faces of a hull that lie between the bounds become candidates
static void laneAdoptFaces(lanePolytope* pt, laneConvexPair* q, laneHull* h, int most) {
  const int first = pt->nface - most;
  unsigned flat = 0;
  for (int k = first; k < first + h->nhorizon; k++) {
    flat |= laneBits(pt->plane[k][3] == 0.0);
  }
  laneEndOn(pt, q, h, -1, flat);
  if (!h->set) {
    return;
  }
  for (int k = first; k < first + h->nhorizon; k++) {
    laneDivide(pt, h, pt->mark[k]);
  }
  for (int k = first; k < pt->nface; k++) {
    if (k >= first + h->nhorizon) {
      h->face[k].slot = LANE_FACE_DELETED;
      continue;
    }
    pt->has[k] |= (unsigned char)h->set;
    if (pt->mark[k] & h->set) {
      laneAddCandidate(h, k);
    }
  }
  if (!h->ncandidate) {
    laneEndOn(pt, q, h, h->nearest, h->set);
  }
}


// which worlds see which of their faces from a new vertex; faces that nobody has any more are
// dropped from the list
static void laneMarkVisible(lanePolytope* pt, const cfVec from[3]) {
  int count = 0;
  for (int i = 0; i < pt->npresent; i++) {
    const short k = pt->present[i];
    const cfVec* plane = pt->plane[k];
    if (pt->has[k] & pt->live) {
      pt->mark[k] = (unsigned char)laneBits(numDot3(plane, from) - plane[3] > mjMINVAL);
      pt->present[count++] = k;
    }
  }
  pt->npresent = count;
}


// a new vertex into the polytopes of all worlds that go on
static void laneInsertVertex(lanePolytope* pt, laneConvexPair* q, int vertex) {
  const cfVec* from = pt->vertex[vertex].p;
  laneMarkVisible(pt, from);
  for (unsigned left = pt->live; left;) {
    laneHull* h = laneHullOf(pt, left);
    laneGrowHull(pt, q, h, vertex);
    left &= pt->live & ~h->set;
  }
  const int most = laneMostEdges(pt), first = pt->nface;
  pt->nface += most;
  for (int k = 0; k < most; k++) {
    laneSpanNew(pt, first + k, k, from);
    pt->has[first + k] = 0;
    pt->present[pt->npresent++] = (short)(first + k);
    const cfVec square = pt->plane[first + k][3];
    pt->mark[first + k] =
        (unsigned char)laneBits((square >= pt->square) & (square <= pt->upper_square));
  }
  for (unsigned left = pt->live; left;) {
    laneHull* h = laneHullOf(pt, left);
    laneAdoptFaces(pt, q, h, most);
    left &= pt->live & ~h->set;
  }
}


// ---------------------------------------- expansion

// the face of a hull whose plane is nearest to the origin, the first of equals
static void laneChooseFace(lanePolytope* pt, laneConvexPair* q, laneHull* h) {
  cfVec best = laneOf(CF_CCD_FAR), at = {0};
  for (int k = 0; k < h->ncandidate; k++) {
    const cfVec key = pt->plane[h->candidate[k]][3];
    const cfMask is_nearer = key < best;
    best = laneSelect(is_nearer, key, best);
    at = laneSelect(is_nearer, laneOf(k), at);
  }
  const unsigned has_one = laneBits(best < CF_CCD_FAR);
  laneEndOn(pt, q, h, h->nearest,
            laneBits(best > pt->upper_square) | (h->nearest < 0 ? ~has_one : 0));
  if (!h->set) {
    return;
  }
  if (laneDivide(pt, h, has_one)) {
    const mjtNum number = at[__builtin_ctz(h->set)];
    laneDivide(pt, h, laneBits(at == number));
    h->nearest = h->candidate[(int)number];
  }
  laneEndOn(pt, q, h, h->nearest, laneBits(best <= 0.0));
  const cfMask is_here = laneOfBits(h->set);
  pt->square = laneSelect(is_here, best, pt->square);
  for (int k = 0; k < 3; k++) {
    pt->foot[k] = laneSelect(is_here, pt->plane[h->nearest][k], pt->foot[k]);
  }
}


// worlds end on the face that they expanded
static void laneEndHulls(lanePolytope* pt, laneConvexPair* q, unsigned worlds) {
  for (unsigned left = worlds & pt->live; left;) {
    laneHull* h = laneHullOf(pt, left);
    left &= ~h->set;
    laneEndOn(pt, q, h, h->nearest, worlds);
  }
}


// until no world goes on
static void laneExpand(lanePolytope* pt, laneConvexPair* q) {
  for (int k = 0; k < q->max_iterations && pt->live; k++) {
    for (unsigned left = pt->live; left;) {
      laneHull* h = laneHullOf(pt, left);
      laneChooseFace(pt, q, h);
      left &= pt->live & ~h->set;
    }
    if (!pt->live) {
      return;
    }

    // lower bound: the plane of the face; upper bound: the support point beyond it
    const cfVec lower = laneSqrt(pt->square);
    const int w = laneAddSupport(pt, q, pt->foot, lower);
    const cfVec reach = numDot3(pt->foot, pt->vertex[w].p) / lower;
    const cfMask is_closer = reach < pt->upper;
    pt->upper = laneSelect(is_closer, reach, pt->upper);
    pt->upper_square = laneSelect(is_closer, pt->upper * pt->upper, pt->upper_square);
    laneEndHulls(pt, q, laneBits(pt->upper - lower < q->tolerance));
    if (pt->live) {
      laneInsertVertex(pt, q, w);
    }
  }
  laneEndHulls(pt, q, pt->live);
}


// witness points of the worlds that ended on a face
static void laneSetWitness(const lanePolytope* pt, laneConvexPair* q) {
  const cfMask is_found = laneOfBits(pt->found);
  const laneVertex* v = pt->corner;
  cfVec lambda[3];
  laneTriangleCoords(lambda, v[0].p, v[1].p, v[2].p, pt->end);
  for (int k = 0; k < 3; k++) {
    const cfVec a = lambda[0] * v[0].a[k] + lambda[1] * v[1].a[k] + lambda[2] * v[2].a[k];
    const cfVec b = lambda[0] * v[0].b[k] + lambda[1] * v[1].b[k] + lambda[2] * v[2].b[k];
    q->x1[k] = laneSelect(is_found, a, q->x1[k]);
    q->x2[k] = laneSelect(is_found, b, q->x2[k]);
  }
  q->dist = laneSelect(is_found, -laneSqrt(pt->end[3]), q->dist);
  const cfVec sum = numDot3(q->x1, q->x1) + numDot3(q->x2, q->x2) + q->dist;
  laneSetApart(q, pt->found & ~laneBits(laneAbs(sum) <= DBL_MAX));
}


// depth and witness points of the worlds in q->set that touch
static void laneFindDepth(const cfLaneGroup* g, laneConvexPair* q) {
  static const int begin[3] = {4, 2, 3};  // triangles last: others may have to begin again as such
  lanePolytope pt;
  CF_ASSERT(q->max_iterations + 6 <= CF_LANE_VERTICES);
  pt.vertex = (laneVertex*)(void*)g->polytope;
  pt.plane = (cfVec(*)[4])(void*)(pt.vertex + CF_LANE_VERTICES);
  pt.found = 0;
  pt.square = laneOf(0);
  numZero3(pt.foot);
  laneZero(pt.end, 4);
  memset(pt.corner, 0, sizeof(pt.corner));
  for (int k = 0; k < 3; k++) {
    const unsigned worlds = q->set & ~pt.found & laneBits(q->n == begin[k]);
    if (worlds) {
      laneStartPolytope(&pt, q, begin[k], worlds);
      laneExpand(&pt, q);
    }
  }
  if (pt.found) {
    laneSetWitness(&pt, q);
  }
}
