// Starting polytopes and surgery on them.
#include "collision/convex/polytope.h"

#include <math.h>

#include "base/assert.h"
#include "collision/convex/startfaces.h"
#include "math/inline.h"
#include "math/simd/lanetest.h"

static const mjtNum tiny_square = mjMINVAL * mjMINVAL;


static int addVertex(cfPolytope* pt, const cfMinkowski* v) {
  pt->vertex[pt->nvertex] = *v;
  return pt->nvertex++;
}


int cfi_addSupport(cfPolytope* pt, cfConvex* a, cfConvex* b, const mjtNum dir[3], mjtNum length) {
  mjtNum unit[3] = {1, 0, 0}, back[3];
  if (length > mjMINVAL) {
    cfi_set3(unit, dir[0] / length, dir[1] / length, dir[2] / length);
  }
  cfi_scl3(back, unit, -1);
  cfi_supportPair(pt->vertex + pt->nvertex, a, b, unit, back);
  return pt->nvertex++;
}


// one plane; the corners give the same one but not the same rounding, and not all are usable
static void spanPlane(cfEpaFace* f, const cfMinkowski* vertex) {
  const bool is_flat = cfi_projectOnPlane(f->foot, vertex[f->vertex[2]].p, vertex[f->vertex[1]].p,
                                          vertex[f->vertex[0]].p);
  f->square = is_flat ? 0 : cfi_dot3(f->foot, f->foot);
}


// the corners in place `which` of four faces
static inline cfLaneVec loadCorners(cfEpaFace* const f[4], const cfMinkowski* vertex, int which) {
  return cfi_laneVecLoad(vertex[f[0]->vertex[which]].p, vertex[f[1]->vertex[which]].p,
                         vertex[f[2]->vertex[which]].p, vertex[f[3]->vertex[which]].p);
}


// planes of up to four faces, one per lane, from their first usable corner
static inline void spanFour(cfEpaFace* face, int count, const cfMinkowski* vertex) {
  CF_ASSERT(count > 0 && count <= 4);
  cfEpaFace* const f[4] = {face, face + (count > 1 ? 1 : 0), face + (count > 2 ? 2 : count - 1),
                           face + count - 1};
  const cfLaneVec v1 = loadCorners(f, vertex, 2), v2 = loadCorners(f, vertex, 1),
                  v3 = loadCorners(f, vertex, 0);
  const cfLaneVec n = cfi_laneVecCross(cfi_laneVecSub(v3, v2), cfi_laneVecSub(v2, v1));
  const cfLane height = cfi_laneVecDot(n, v2), square = cfi_laneVecDot(n, n);
  const cfLaneVec foot = cfi_laneVecScl(n, cfi_laneDiv(height, square));
  cfLane plane[4] = {foot.x, foot.y, foot.z, cfi_laneVecDot(foot, foot)};
  cfi_laneTranspose(plane);
  for (int k = 3; k >= 0; k--) {
    cfi_laneStore(f[k]->plane, plane[k]);
  }
  const int usable = cfi_laneLessMask(cfi_laneSpread(mjMINVAL), square) &
                     ~cfi_laneEqualMask(height, cfi_laneSpread(0));
  for (int k = 0; usable != 15 && k < count; k++) {
    if (!(usable >> k & 1)) {
      spanPlane(face + k, vertex);
    }
  }
}


void cfi_spanPlanes(cfPolytope* pt, int first, int count) {
  CF_ASSERT(first >= 0 && first + count <= pt->max_faces);
  for (int k = 0; k < count; k += 4) {
    spanFour(pt->face + first + k, count - k < 4 ? count - k : 4, pt->vertex);
  }
}


void cfi_addCandidate(cfPolytope* pt, int face) {
  pt->face[face].slot = pt->ncandidate;
  pt->candidate_key[pt->ncandidate] = pt->face[face].square;
  pt->candidate[pt->ncandidate++] = face;
}


// ---------------------------------------- start

// attach all rows; returns the first whose plane passes through the origin, or count
static int attachRows(cfPolytope* pt, const cfFaceRow* row, int count) {
  CF_ASSERT(count >= 0 && pt->nface == 0);
  for (int k = 0; k < count; k++) {
    cfEpaFace* f = pt->face + k;
    for (int i = 0; i < 3; i++) {
      f->vertex[i] = row[k].vertex[i];
      f->neighbor[i] = row[k].neighbor[i];
    }
    f->slot = CF_FACE_IDLE;
  }
  pt->nface = count;
  for (int first = 0; first < count; first += 4) {
    const int end = first + 4 < count ? first + 4 : count;
    cfi_spanPlanes(pt, first, end - first);
    for (int k = first; k < end; k++) {
      if (pt->face[k].square < tiny_square) {
        return k;
      }
    }
  }
  return count;
}


static void allCandidates(cfPolytope* pt) {
  for (int k = 0; k < pt->nface; k++) {
    cfi_addCandidate(pt, k);
  }
}


// is the origin on the same side of the plane p0 p1 p2 as p3?
static bool isOnSideOf(const mjtNum p0[3], const mjtNum p1[3], const mjtNum p2[3],
                       const mjtNum p3[3]) {
  const mjtNum* corner[3] = {p1, p2, p3};
  mjtNum edge[3][3], origin[3];
  for (int k = 0; k < 3; k++) {
    cfi_sub3(edge[k], corner[k], p0);
  }
  cfi_scl3(origin, p0, -1);
  const mjtNum apex_volume = cfi_det3(edge[2], edge[0], edge[1]),
               origin_volume = cfi_det3(origin, edge[0], edge[1]);
  return (apex_volume > 0 && origin_volume > 0) || (apex_volume < 0 && origin_volume < 0);
}


static bool holdsOrigin(const mjtNum* p0, const mjtNum* p1, const mjtNum* p2, const mjtNum* p3) {
  const mjtNum* p[4] = {p0, p1, p2, p3};
  for (int k = 0; k < 4; k++) {
    if (!isOnSideOf(p[k], p[(k + 1) % 4], p[(k + 2) % 4], p[(k + 3) % 4])) {
      return false;
    }
  }
  return true;
}


// does a point lie in the triangle?
static bool liesInTriangle(const mjtNum* const v[3], const mjtNum p[3]) {
  mjtNum lambda[3], foot[3], off[3];
  cfi_triangleCoords(lambda, v[0], v[1], v[2], p);
  if (lambda[0] < 0 || lambda[1] < 0 || lambda[2] < 0) {
    return false;
  }
  for (int k = 0; k < 3; k++) {
    foot[k] = v[0][k] * lambda[0] + v[1][k] * lambda[1] + v[2][k] * lambda[2];
  }
  cfi_sub3(off, foot, p);
  return sqrt(cfi_dot3(off, off)) < mjMINVAL;
}


// two corners of a triangle with normal n, and an apex in one plane with them and the origin: does
// the face through them have no height, as its row would tell?
static bool isFlatWith(const mjtNum v1[3], const mjtNum v2[3], const mjtNum apex[3],
                       const mjtNum n[3]) {
  mjtNum foot[3];
  return cfi_dot3(n, apex) == 0 && cfi_dot3(n, v1) == 0 &&
         (cfi_projectOnPlane(foot, v1, v2, apex) || cfi_dot3(foot, foot) < tiny_square);
}


// triangle: add an apex on either side
static bool startFromTriangle(cfPolytope* pt, cfCcd* q, cfConvex* a, cfConvex* b) {
  const mjtNum* const v[3] = {q->simplex[0].p, q->simplex[1].p, q->simplex[2].p};
  mjtNum e1[3], e2[3], n[3], back[3];
  cfi_sub3(e1, v[1], v[0]);
  cfi_sub3(e2, v[2], v[0]);
  cfi_cross(n, e1, e2);
  const mjtNum length = sqrt(cfi_dot3(n, n));
  if (length < mjMINVAL) {
    return false;
  }
  cfi_scl3(back, n, -1);
  for (int k = 0; k < 3; k++) {
    addVertex(pt, q->simplex + k);
  }
  const mjtNum* below = pt->vertex[cfi_addSupport(pt, a, b, back, length)].p;
  const mjtNum* above = pt->vertex[cfi_addSupport(pt, a, b, n, length)].p;

  // shapes that touch and nothing more: one face tells, the rest need not be looked at
  if (isFlatWith(v[1], v[0], above, n) || isFlatWith(v[0], v[1], below, n)) {
    return false;
  }
  if (liesInTriangle(v, above) || liesInTriangle(v, below)) {
    return false;
  }

  // GJK may have stopped near the triangle: then one of the two tetrahedra must hold the origin
  if (q->dist > 10 * mjMINVAL && !holdsOrigin(v[0], v[1], v[2], above) &&
      !holdsOrigin(v[0], v[1], v[2], below)) {
    return false;
  }
  if (attachRows(pt, cf_triangle_and_apexes, 6) < 6) {
    return false;
  }
  allCandidates(pt);
  return true;
}


// the origin lies on one face: start again from its triangle
static bool restartFromFace(cfPolytope* pt, cfCcd* q, cfConvex* a, cfConvex* b,
                            const int vertex[3]) {
  for (int k = 0; k < 3; k++) {
    q->simplex[k] = pt->vertex[vertex[k]];
  }
  q->nsimplex = 3;
  pt->nface = pt->nvertex = pt->ncandidate = 0;
  return startFromTriangle(pt, q, a, b);
}


static bool startFromTetrahedron(cfPolytope* pt, cfCcd* q, cfConvex* a, cfConvex* b) {
  for (int k = 0; k < 4; k++) {
    addVertex(pt, q->simplex + k);
  }
  const int flat = attachRows(pt, cf_tetrahedron, 4);
  if (flat < 4) {
    return restartFromFace(pt, q, a, b, cf_tetrahedron[flat].vertex);
  }
  if (!holdsOrigin(pt->vertex[0].p, pt->vertex[1].p, pt->vertex[2].p, pt->vertex[3].p)) {
    return false;
  }
  allCandidates(pt);
  return true;
}


// a third of a turn about an axis
static void thirdOfTurn(mjtNum R[9], const mjtNum axis[3]) {
  const mjtNum sine = 0.86602540378, cosine = -0.5, length = sqrt(cfi_dot3(axis, axis));
  const mjtNum u[3] = {axis[0] / length, axis[1] / length, axis[2] / length};
  for (int r = 0; r < 3; r++) {
    for (int c = 0; c < 3; c++) {
      R[3 * r + c] = u[r] * u[c] * (1 - cosine) + (r == c ? cosine : 0);
    }
  }
  R[1] -= u[2] * sine;
  R[2] += u[1] * sine;
  R[3] += u[2] * sine;
  R[5] -= u[0] * sine;
  R[6] -= u[1] * sine;
  R[7] += u[0] * sine;
}


// does the line v1 v2 pass through the triangle?
static bool linePasses(const mjtNum v1[3], const mjtNum v2[3], const mjtNum* const t[3]) {
  mjtNum line[3], arm[3][3], volume[3];
  cfi_sub3(line, v2, v1);
  for (int k = 0; k < 3; k++) {
    cfi_sub3(arm[k], t[k], v1);
  }
  for (int k = 0; k < 3; k++) {
    volume[k] = cfi_det3(arm[k], arm[(k + 1) % 3], line);
  }
  return (volume[0] >= 0 && volume[1] >= 0 && volume[2] >= 0) ||
         (volume[0] <= 0 && volume[1] <= 0 && volume[2] <= 0);
}


// segment: three points around it, a third of a turn apart
static bool startFromSegment(cfPolytope* pt, cfCcd* q, cfConvex* a, cfConvex* b) {
  const mjtNum *v1 = q->simplex[0].p, *v2 = q->simplex[1].p;
  mjtNum line[3], e[3] = {0, 0, 0}, dir[3][3], R[9];
  cfi_sub3(line, v2, v1);
  int axis = 0;
  for (int k = 1; k < 3; k++) {
    axis = fabs(line[k]) < fabs(line[axis]) ? k : axis;
  }
  e[axis] = 1;
  cfi_cross(dir[0], e, line);
  thirdOfTurn(R, line);
  cfi_mulMatVec3(dir[1], R, dir[0]);
  cfi_mulMatVec3(dir[2], R, dir[1]);

  addVertex(pt, q->simplex);
  addVertex(pt, q->simplex + 1);
  const mjtNum* around[3];
  for (int k = 0; k < 3; k++) {
    around[k] = pt->vertex[cfi_addSupport(pt, a, b, dir[k], sqrt(cfi_dot3(dir[k], dir[k])))].p;
  }
  const int flat = attachRows(pt, cf_double_tetrahedron, 6);
  if (flat < 6) {
    return restartFromFace(pt, q, a, b, cf_double_tetrahedron[flat].vertex);
  }
  if (!linePasses(v1, v2, around)) {
    return false;
  }
  allCandidates(pt);
  return true;
}


bool cfi_startPolytope(cfPolytope* pt, cfCcd* q, cfConvex* a, cfConvex* b) {
  pt->nvertex = pt->nface = pt->ncandidate = pt->nhorizon = 0;
  if (q->nsimplex == 2) {
    return startFromSegment(pt, q, a, b);
  }
  return q->nsimplex == 3 ? startFromTriangle(pt, q, a, b) : startFromTetrahedron(pt, q, a, b);
}


// ---------------------------------------- horizon

static void deleteFace(cfPolytope* pt, cfEpaFace* f) {
  if (f->slot >= 0) {
    const int last = pt->candidate[--pt->ncandidate];
    pt->candidate[f->slot] = last;
    pt->candidate_key[f->slot] = pt->candidate_key[pt->ncandidate];
    pt->face[last].slot = f->slot;
  }
  f->slot = CF_FACE_DELETED;
}


static int edgeFrom(const cfEpaFace* f, int vertex) {
  return f->vertex[0] == vertex ? 0 : (f->vertex[1] == vertex ? 1 : 2);
}


static inline int nextEdge(int edge) {
  return edge < 2 ? edge + 1 : 0;
}


// depth first, so that the edges come out in the order in which they surround the hole
void cfi_carveHorizon(cfPolytope* pt, int face, const mjtNum from[3]) {
  CF_ASSERT(face >= 0);
  // pending: edges of deleted faces to look across, the next one last
  int depth = 0;
  pt->nhorizon = 0;
  deleteFace(pt, pt->face + face);
  for (int e = 2; e >= 0; e--) {
    pt->pending[depth++] = (cfHorizonEdge){face, e};
  }
  while (depth) {
    const cfHorizonEdge* top = pt->pending + --depth;
    const cfEpaFace* f = pt->face + top->face;
    const int e = top->edge, next = f->neighbor[e];
    cfEpaFace* g = pt->face + next;
    if (g->slot == CF_FACE_DELETED) {
      continue;
    }
    const int edge = edgeFrom(g, f->vertex[nextEdge(e)]);
    if (cfi_dot3(g->foot, from) - g->square > mjMINVAL) {
      const int second = nextEdge(edge);
      deleteFace(pt, g);
      pt->pending[depth++] = (cfHorizonEdge){next, nextEdge(second)};
      pt->pending[depth++] = (cfHorizonEdge){next, second};
    } else if (pt->nhorizon < pt->max_horizon) {
      pt->horizon[pt->nhorizon++] = (cfHorizonEdge){next, edge};
    }
  }
}
