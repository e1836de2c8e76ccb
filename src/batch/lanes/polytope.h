// EPA of W worlds: collision/convex/polytope.c and epa.c for a set of worlds whose polytopes have
// the same faces.

enum { LANE_FACE_IDLE = -1, LANE_FACE_DELETED = -2 };

typedef struct {
  int vertex[3], neighbor[3], slot;
} laneFace;

// an edge between visible and hidden faces, as the hidden face sees it
typedef struct {
  int face, edge;
} laneHorizonEdge;

// numbers: vertices, then the planes of faces: projection of the origin and its square
typedef struct {
  laneVertex* vertex;
  cfVec (*plane)[4];
  laneFace face[CF_LANE_FACES];
  int candidate[CF_LANE_FACES];
  laneHorizonEdge horizon[CF_LANE_FACES], pending[2 * CF_LANE_FACES];
  int nvertex, nface, ncandidate, nhorizon;
} lanePolytope;


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


static void laneSpanPlanes(lanePolytope* pt, int first, int count) {
  CF_ASSERT(first >= 0 && first + count <= CF_LANE_FACES);
  for (int k = first; k < first + count; k++) {
    const laneFace* f = pt->face + k;
    cfVec* plane = pt->plane[k];
    const cfMask is_flat = laneProjectOnPlane(
        plane, pt->vertex[f->vertex[2]].p, pt->vertex[f->vertex[1]].p, pt->vertex[f->vertex[0]].p);
    plane[3] = laneSelect(is_flat, laneOf(0), laneDot3(plane, plane));
  }
}


static void laneAddCandidate(lanePolytope* pt, int face) {
  CF_ASSERT(face < pt->nface && pt->ncandidate < CF_LANE_FACES);
  pt->face[face].slot = pt->ncandidate;
  pt->candidate[pt->ncandidate++] = face;
}


// ---------------------------------------- start

// attach all rows; the first whose plane passes through the origin, or count
static int laneAttachRows(lanePolytope* pt, unsigned* set, const cfFaceRow* row, int count) {
  CF_ASSERT(pt->nface == 0);
  for (int k = 0; k < count; k++) {
    laneFace* f = pt->face + k;
    for (int i = 0; i < 3; i++) {
      f->vertex[i] = row[k].vertex[i];
      f->neighbor[i] = row[k].neighbor[i];
    }
    f->slot = LANE_FACE_IDLE;
  }
  pt->nface = count;
  laneSpanPlanes(pt, 0, count);
  for (int k = 0; k < count; k++) {
    if (laneAgree(set, pt->plane[k][3] < mjMINVAL * mjMINVAL)) {
      return k;
    }
  }
  return count;
}


static void laneAllCandidates(lanePolytope* pt) {
  for (int k = 0; k < pt->nface; k++) {
    laneAddCandidate(pt, k);
  }
}


CF_LANE_INLINE cfVec laneVolume(const cfVec a[3], const cfVec b[3], const cfVec c[3]) {
  cfVec n[3];
  laneCross(n, b, c);
  return laneDot3(a, n);
}


// lanes in which the origin is on the same side of the plane p0 p1 p2 as p3
static cfMask laneIsOnSideOf(const cfVec* p0, const cfVec* p1, const cfVec* p2, const cfVec* p3) {
  cfVec e1[3], e2[3], e3[3];
  laneSub(e1, p1, p0, 3);
  laneSub(e2, p2, p0, 3);
  laneSub(e3, p3, p0, 3);
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
  return ~is_outside & (laneSqrt(laneDot3(off, off)) < mjMINVAL);
}


// triangle: add an apex on either side
static void laneStartFromTriangle(lanePolytope* pt, laneConvexPair* q) {
  const cfVec* const v[3] = {q->simplex[0].p, q->simplex[1].p, q->simplex[2].p};
  cfVec e1[3], e2[3], n[3], back[3];
  laneSub(e1, v[1], v[0], 3);
  laneSub(e2, v[2], v[0], 3);
  laneCross(n, e1, e2);
  const cfVec length = laneSqrt(laneDot3(n, n));
  laneSetApart(q, length < mjMINVAL);
  laneSet3(back, -n[0], -n[1], -n[2]);
  for (int k = 0; k < 3; k++) {
    laneAddVertex(pt, q->simplex + k);
  }
  const cfVec* below = pt->vertex[laneAddSupport(pt, q, back, length)].p;
  const cfVec* above = pt->vertex[laneAddSupport(pt, q, n, length)].p;
  const cfVec *const up[4] = {v[0], v[1], v[2], above}, *const down[4] = {v[0], v[1], v[2], below};
  laneSetApart(q, laneLiesInTriangle(v, above) | laneLiesInTriangle(v, below));
  laneSetApart(q, (q->dist > 10 * mjMINVAL) & ~laneHoldsOrigin(up) & ~laneHoldsOrigin(down));
  if (laneAttachRows(pt, &q->set, cf_triangle_and_apexes, 6) < 6) {
    q->none |= q->set;
    q->set = 0;
    return;
  }
  laneAllCandidates(pt);
}


// the origin lies on one face: start again from its triangle
static void laneRestartFromFace(lanePolytope* pt, laneConvexPair* q, const int vertex[3]) {
  for (int k = 0; k < 3; k++) {
    q->simplex[k] = pt->vertex[vertex[k]];
  }
  q->n = 3;
  pt->nface = pt->nvertex = pt->ncandidate = 0;
  laneStartFromTriangle(pt, q);
}


static void laneStartFromTetrahedron(lanePolytope* pt, laneConvexPair* q) {
  for (int k = 0; k < 4; k++) {
    laneAddVertex(pt, q->simplex + k);
  }
  const int flat = laneAttachRows(pt, &q->set, cf_tetrahedron, 4);
  if (flat < 4) {
    laneRestartFromFace(pt, q, cf_tetrahedron[flat].vertex);
    return;
  }
  const cfVec* const p[4] = {pt->vertex[0].p, pt->vertex[1].p, pt->vertex[2].p, pt->vertex[3].p};
  laneSetApart(q, ~laneHoldsOrigin(p));
  laneAllCandidates(pt);
}


// a third of a turn about an axis
static void laneThirdOfTurn(cfVec R[9], const cfVec axis[3]) {
  const mjtNum sine = 0.86602540378, cosine = -0.5;
  const cfVec length = laneSqrt(laneDot3(axis, axis));
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
  laneSub(line, v2, v1, 3);
  for (int k = 0; k < 3; k++) {
    laneSub(arm[k], t[k], v1, 3);
  }
  for (int k = 0; k < 3; k++) {
    const cfVec volume = laneVolume(arm[k], arm[(k + 1) % 3], line);
    is_above &= volume >= 0.0;
    is_below &= volume <= 0.0;
  }
  return is_above | is_below;
}


// segment: three points around it, a third of a turn apart
static void laneStartFromSegment(lanePolytope* pt, laneConvexPair* q) {
  const cfVec *v1 = q->simplex[0].p, *v2 = q->simplex[1].p, *around[3];
  cfVec line[3], e[3], dir[3][3], R[9];
  laneSub(line, v2, v1, 3);
  const cfMask is_y = laneAbs(line[1]) < laneAbs(line[0]);
  const cfMask is_z = laneAbs(line[2]) < laneAbs(laneSelect(is_y, line[1], line[0]));
  e[0] = laneSelect(is_y | is_z, laneOf(0), laneOf(1));
  e[1] = laneSelect(is_y & ~is_z, laneOf(1), laneOf(0));
  e[2] = laneSelect(is_z, laneOf(1), laneOf(0));
  laneCross(dir[0], e, line);
  laneThirdOfTurn(R, line);
  laneMulMatVec3(dir[1], R, dir[0]);
  laneMulMatVec3(dir[2], R, dir[1]);
  laneAddVertex(pt, q->simplex);
  laneAddVertex(pt, q->simplex + 1);
  for (int k = 0; k < 3; k++) {
    around[k] = pt->vertex[laneAddSupport(pt, q, dir[k], laneSqrt(laneDot3(dir[k], dir[k])))].p;
  }
  const int flat = laneAttachRows(pt, &q->set, cf_double_tetrahedron, 6);
  if (flat < 6) {
    laneRestartFromFace(pt, q, cf_double_tetrahedron[flat].vertex);
    return;
  }
  laneSetApart(q, ~laneLinePasses(v1, v2, around));
  laneAllCandidates(pt);
}


static void laneStartPolytope(lanePolytope* pt, laneConvexPair* q) {
  CF_ASSERT(q->set && q->n >= 2 && q->n <= 4);
  pt->nvertex = pt->nface = pt->ncandidate = pt->nhorizon = 0;
  if (q->n == 2) {
    laneStartFromSegment(pt, q);
  } else if (q->n == 3) {
    laneStartFromTriangle(pt, q);
  } else {
    laneStartFromTetrahedron(pt, q);
  }
}


// ---------------------------------------- horizon

static void laneDeleteFace(lanePolytope* pt, laneFace* f) {
  if (f->slot >= 0) {
    const int last = pt->candidate[--pt->ncandidate];
    pt->candidate[f->slot] = last;
    pt->face[last].slot = f->slot;
  }
  f->slot = LANE_FACE_DELETED;
}


// delete the faces that are visible from a point, and collect the edges around them in their order
static void laneCarveHorizon(lanePolytope* pt, unsigned* set, int face, const cfVec from[3]) {
  int depth = 0;
  CF_ASSERT_INDEX(face, pt->nface);
  pt->nhorizon = 0;
  laneDeleteFace(pt, pt->face + face);
  for (int e = 2; e >= 0; e--) {
    pt->pending[depth++] = (laneHorizonEdge){face, e};
  }
  while (depth) {
    const laneHorizonEdge top = pt->pending[--depth];
    const laneFace* f = pt->face + top.face;
    const int next = f->neighbor[top.edge], start = f->vertex[(top.edge + 1) % 3];
    laneFace* other = pt->face + next;
    if (other->slot == LANE_FACE_DELETED) {
      continue;
    }
    const int edge = other->vertex[0] == start ? 0 : other->vertex[1] == start ? 1 : 2;
    const cfVec* plane = pt->plane[next];
    if (laneAgree(set, laneDot3(plane, from) - plane[3] > mjMINVAL)) {
      laneDeleteFace(pt, other);
      pt->pending[depth++] = (laneHorizonEdge){next, (edge + 2) % 3};
      pt->pending[depth++] = (laneHorizonEdge){next, (edge + 1) % 3};
    } else if (pt->nhorizon < CF_LANE_FACES) {
      pt->horizon[pt->nhorizon++] = (laneHorizonEdge){next, edge};
    }
  }
}


// close the hole with faces from its edges to the new vertex; false: some of them have no plane
static bool laneCloseHole(lanePolytope* pt, unsigned* set, int vertex, cfVec lower, cfVec upper) {
  const int first = pt->nface, count = pt->nhorizon;
  CF_ASSERT(count >= 3 && vertex < pt->nvertex);
  for (int k = 0; k < count; k++) {
    const laneHorizonEdge h = pt->horizon[k];
    laneFace *hidden = pt->face + h.face, *f = pt->face + first + k;
    f->vertex[0] = vertex;
    f->vertex[1] = hidden->vertex[(h.edge + 1) % 3];
    f->vertex[2] = hidden->vertex[h.edge];
    f->neighbor[0] = first + (k ? k : count) - 1;
    f->neighbor[1] = h.face;
    f->neighbor[2] = first + (k + 1) % count;
    f->slot = LANE_FACE_IDLE;
    hidden->neighbor[h.edge] = first + k;
  }
  pt->nface += count;
  laneSpanPlanes(pt, first, count);
  for (int k = first; k < pt->nface; k++) {
    const cfVec square = pt->plane[k][3];
    if (laneAgree(set, square == 0.0)) {
      return false;
    }
    if (laneAgree(set, (square >= lower) & (square <= upper))) {
      laneAddCandidate(pt, k);
    }
  }
  return true;
}


// ---------------------------------------- expansion

// face whose plane is nearest to the origin, the first of equals; -1 if there is none
static int laneNearestFace(const lanePolytope* pt, unsigned* set, cfVec* square) {
  cfVec best = laneOf(CF_CCD_FAR), at = {0};
  for (int k = 0; k < pt->ncandidate; k++) {
    const cfVec key = pt->plane[pt->candidate[k]][3];
    const cfMask is_nearer = key < best;
    best = laneSelect(is_nearer, key, best);
    at = laneSelect(is_nearer, laneOf(k), at);
  }
  *square = best;
  return laneAgree(set, best < CF_CCD_FAR) ? pt->candidate[laneAgreeOn(set, at)] : -1;
}


// the face on which the expansion ends, -1 if it broke down
static int laneExpand(lanePolytope* pt, laneConvexPair* q) {
  cfVec upper = laneOf(CF_CCD_FAR), upper_square = upper, square;
  int face = -1;
  for (int k = 0; k < q->max_iterations; k++) {
    const int nearest = laneNearestFace(pt, &q->set, &square);
    if (laneAgree(&q->set, square > upper_square) || (nearest < 0 && face < 0)) {
      return face;
    }
    face = nearest >= 0 ? nearest : face;
    if (laneAgree(&q->set, square <= 0.0)) {
      return face;
    }

    // lower bound: the plane of the face; upper bound: the support point beyond it
    const cfVec lower = laneSqrt(square), *foot = pt->plane[face];
    const int w = laneAddSupport(pt, q, foot, lower);
    const cfVec reach = laneDot3(foot, pt->vertex[w].p) / lower;
    const cfMask is_closer = reach < upper;
    upper = laneSelect(is_closer, reach, upper);
    upper_square = laneSelect(is_closer, upper * upper, upper_square);
    if (laneAgree(&q->set, upper - lower < q->tolerance)) {
      return face;
    }
    laneCarveHorizon(pt, &q->set, face, pt->vertex[w].p);
    if (pt->nhorizon < 3) {
      return -1;
    }
    if (pt->nhorizon > CF_LANE_FACES - pt->nface) {
      q->set = 0;  // the scalar polytope has more room
      return -1;
    }
    if (!laneCloseHole(pt, &q->set, w, square, upper_square)) {
      return -1;
    }
    if (!pt->ncandidate) {
      return face;
    }
  }
  return face;
}


// depth and witness points of the worlds in q->set that touch
static void laneFindDepth(const cfLaneGroup* g, laneConvexPair* q) {
  lanePolytope pt;
  CF_ASSERT(q->max_iterations + 6 <= CF_LANE_VERTICES);
  pt.vertex = (laneVertex*)(void*)g->polytope;
  pt.plane = (cfVec(*)[4])(void*)(pt.vertex + CF_LANE_VERTICES);
  laneStartPolytope(&pt, q);
  const int face = q->set ? laneExpand(&pt, q) : -1;
  if (face < 0) {
    q->none |= q->set;
    q->set = 0;
    return;
  }
  const laneFace* f = pt.face + face;
  const laneVertex *v1 = pt.vertex + f->vertex[0], *v2 = pt.vertex + f->vertex[1],
                   *v3 = pt.vertex + f->vertex[2];
  cfVec lambda[3];
  laneTriangleCoords(lambda, v1->p, v2->p, v3->p, pt.plane[face]);
  for (int k = 0; k < 3; k++) {
    q->x1[k] = lambda[0] * v1->a[k] + lambda[1] * v2->a[k] + lambda[2] * v3->a[k];
    q->x2[k] = lambda[0] * v1->b[k] + lambda[1] * v2->b[k] + lambda[2] * v3->b[k];
  }
  q->dist = -laneSqrt(pt.plane[face][3]);
  const cfVec sum = laneDot3(q->x1, q->x1) + laneDot3(q->x2, q->x2) + q->dist;
  laneSetApart(q, ~(laneAbs(sum) <= DBL_MAX));
}
