// Nearest point of a simplex to the origin by signed volumes (Montanari, Petrinic, Barbieri 2017).
//
// The coordinates of the origin's projection are ratios of signed volumes (tetrahedron), areas
// (triangle) or lengths (segment).  Where one has the wrong sign, the sub-simplex without that
// vertex is tried; the nearest one wins.
#include <math.h>

#include "base/assert.h"
#include "collision/convex/ccd.h"
#include "collision/convex/vec.h"


// both numbers on the side of zero that `sign` (1 or -1) names
static inline bool areOnSide(mjtNum sign, mjtNum a, mjtNum b) {
  return sign * a > 0 && sign * b > 0;
}


// 1, -1 or, where every comparison must fail, 0
static inline mjtNum signOf(mjtNum x) {
  return x > 0 ? 1 : (x < 0 ? -1 : 0);
}


// ---------------------------------------- segment

static inline void nearestOnSegment(mjtNum lambda[2], const mjtNum a[3], const mjtNum b[3]) {
  const cfVec3 vb = cfi_loadVec(b), edge = cfi_subVec(vb, cfi_loadVec(a));
  const mjtNum step = -(cfi_dotVec(vb, edge) / cfi_dotVec(edge, edge));

  // measure along the axis on which the segment is longest, the last one of equals
  const mjtNum x = fabs(edge.x), y = fabs(edge.y), z = fabs(edge.z);
  const int first = y >= x ? 1 : 0, axis = z >= (first ? y : x) ? 2 : first;
  const mjtNum foot = b[axis] + step * (b[axis] - a[axis]);
  const mjtNum length = a[axis] - b[axis], from_b = foot - b[axis], to_a = a[axis] - foot;
  const bool is_inside = areOnSide(signOf(length), from_b, to_a);
  lambda[0] = is_inside ? from_b / length : 0;
  lambda[1] = is_inside ? to_a / length : 1;
}


// ---------------------------------------- triangle

// n: normal at a corner, of any length
static inline bool projectAlong(mjtNum res[3], cfVec3 n, const mjtNum corner[3], bool* is_flat) {
  const mjtNum height = cfi_dotVec(n, cfi_loadVec(corner)), square = cfi_dotVec(n, n);
  *is_flat = square == 0;
  if (!(height != 0 && square > mjMINVAL)) {
    return false;
  }
  cfi_storeVec(res, cfi_sclVec(n, height / square));
  return true;
}


static inline bool projectOnPlane(mjtNum res[3], const mjtNum p1[3], const mjtNum p2[3],
                                  const mjtNum p3[3]) {
  const cfVec3 v1 = cfi_loadVec(p1), v2 = cfi_loadVec(p2), v3 = cfi_loadVec(p3);
  const cfVec3 e21 = cfi_subVec(v2, v1), e31 = cfi_subVec(v3, v1), e32 = cfi_subVec(v3, v2);

  // the corners give the same plane but not the same rounding: take the first usable one
  bool is_flat;
  if (projectAlong(res, cfi_crossVec(e32, e21), p2, &is_flat) || is_flat) {
    return is_flat;
  }
  if (projectAlong(res, cfi_crossVec(e21, e31), p1, &is_flat) || is_flat) {
    return is_flat;
  }
  const cfVec3 n = cfi_crossVec(e31, e32);
  cfi_storeVec(res, cfi_sclVec(n, cfi_dotVec(n, v3) / cfi_dotVec(n, n)));
  return false;
}


bool cfi_projectOnPlane(mjtNum res[3], const mjtNum p1[3], const mjtNum p2[3], const mjtNum p3[3]) {
  return projectOnPlane(res, p1, p2, p3);
}


// twice the signed area of the triangle's shadow on the plane of two axes, given by their
// coordinates
static inline mjtNum shadowArea(mjtNum ax, mjtNum ay, mjtNum bx, mjtNum by, mjtNum cx, mjtNum cy) {
  return bx * cy - by * cx - ax * cy + ay * cx + ax * by - ay * bx;
}


// the plane on which the shadow is largest, the first of equals
typedef struct {
  int x, y;
  mjtNum area;
} shadowPlane;

static inline shadowPlane largestShadow(const mjtNum pa[3], const mjtNum pb[3],
                                        const mjtNum pc[3]) {
  const cfVec3 a = cfi_loadVec(pa), b = cfi_loadVec(pb), c = cfi_loadVec(pc);
  const mjtNum yz = shadowArea(a.y, a.z, b.y, b.z, c.y, c.z),
               xz = shadowArea(a.x, a.z, b.x, b.z, c.x, c.z);
  const mjtNum xy = shadowArea(a.x, a.y, b.x, b.y, c.x, c.y);
  const bool is_xz = fabs(xz) > fabs(yz);
  const mjtNum larger = is_xz ? xz : yz;
  if (fabs(xy) > fabs(larger)) {
    return (shadowPlane){0, 1, xy};
  }
  return (shadowPlane){is_xz ? 0 : 1, 2, larger};
}


// area of the triangle that a point forms with an edge
static inline mjtNum edgeArea(shadowPlane s, const mjtNum a[3], const mjtNum b[3], mjtNum px,
                              mjtNum py) {
  const mjtNum ax = a[s.x], ay = a[s.y], bx = b[s.x], by = b[s.y];
  return px * ay + py * bx + ax * by - px * by - py * ax - bx * ay;
}


void cfi_triangleCoords(mjtNum lambda[3], const mjtNum v1[3], const mjtNum v2[3],
                        const mjtNum v3[3], const mjtNum p[3]) {
  const shadowPlane s = largestShadow(v1, v2, v3);
  const mjtNum px = p[s.x], py = p[s.y];
  lambda[0] = edgeArea(s, v2, v3, px, py) / s.area;
  lambda[1] = edgeArea(s, v3, v1, px, py) / s.area;
  lambda[2] = edgeArea(s, v1, v2, px, py) / s.area;
}


// squared distance of a combination from the origin
static inline mjtNum edgeSquare(const mjtNum lambda[2], const mjtNum a[3], const mjtNum b[3]) {
  const cfVec3 x =
      cfi_addVec(cfi_sclVec(cfi_loadVec(a), lambda[0]), cfi_sclVec(cfi_loadVec(b), lambda[1]));
  return cfi_dotVec(x, x);
}


static inline mjtNum faceSquare(const mjtNum lambda[3], const mjtNum a[3], const mjtNum b[3],
                                const mjtNum c[3]) {
  cfVec3 x =
      cfi_addVec(cfi_sclVec(cfi_loadVec(a), lambda[0]), cfi_sclVec(cfi_loadVec(b), lambda[1]));
  x = cfi_addVec(x, cfi_sclVec(cfi_loadVec(c), lambda[2]));
  return cfi_dotVec(x, x);
}


// the nearest of the edges that the foot lies beyond; no weights if numbers are out of range
static void nearestOnEdges(mjtNum lambda[3], const mjtNum* const v[3], const bool is_beyond[3]) {
  mjtNum least = CF_CCD_FAR;
  lambda[0] = lambda[1] = lambda[2] = 0;
  for (int k = 0; k < 3; k++) {
    if (!is_beyond[k]) {
      continue;
    }
    const int i = k == 0 ? 1 : 0, j = k == 2 ? 1 : 2;
    mjtNum part[2];
    nearestOnSegment(part, v[i], v[j]);
    const mjtNum square = edgeSquare(part, v[i], v[j]);
    if (square < least) {
      least = square;
      lambda[k] = 0;
      lambda[i] = part[0];
      lambda[j] = part[1];
    }
  }
}


static void nearestOnTriangle(mjtNum lambda[3], const mjtNum* const v[3]) {
  mjtNum foot[3];
  if (projectOnPlane(foot, v[0], v[1], v[2])) {
    nearestOnSegment(lambda, v[0], v[1]);
    lambda[2] = 0;
    return;
  }
  const shadowPlane s = largestShadow(v[0], v[1], v[2]);
  const mjtNum px = foot[s.x], py = foot[s.y], sign = signOf(s.area);
  const mjtNum area[3] = {edgeArea(s, v[1], v[2], px, py), edgeArea(s, v[2], v[0], px, py),
                          edgeArea(s, v[0], v[1], px, py)};
  const bool is_beyond[3] = {!(sign * area[0] > 0), !(sign * area[1] > 0), !(sign * area[2] > 0)};
  if (is_beyond[0] || is_beyond[1] || is_beyond[2]) {
    nearestOnEdges(lambda, v, is_beyond);
    return;
  }
  lambda[0] = area[0] / s.area;
  lambda[1] = area[1] / s.area;
  lambda[2] = area[2] / s.area;
}


// ---------------------------------------- tetrahedron

// the face without vertex k replaces the coordinates if it is nearer than *least
static void tryFace(mjtNum lambda[4], mjtNum* least, const cfMinkowski* simplex, int k,
                    bool keeps_last) {
  CF_ASSERT_INDEX(k, 4);
  static const int other[4][3] = {{1, 2, 3}, {0, 2, 3}, {0, 1, 3}, {0, 1, 2}};
  const int* o = other[k];
  const mjtNum* const face[3] = {simplex[o[0]].p, simplex[o[1]].p, simplex[o[2]].p};
  mjtNum part[3];
  nearestOnTriangle(part, face);
  const mjtNum square = faceSquare(part, face[0], face[1], face[2]);
  if (square < *least) {
    *least = square;
    lambda[k] = keeps_last && k == 3 ? lambda[3] : 0;
    for (int i = 0; i < 3; i++) {
      lambda[o[i]] = part[i];
    }
  }
}


static void nearestOnTetrahedron(mjtNum lambda[4], const cfMinkowski* simplex, bool keeps_last) {
  const cfVec3 v[4] = {cfi_loadVec(simplex[0].p), cfi_loadVec(simplex[1].p),
                       cfi_loadVec(simplex[2].p), cfi_loadVec(simplex[3].p)};
  const cfVec3 n34 = cfi_crossVec(v[2], v[3]);
  const mjtNum volume[4] = {-cfi_dotVec(v[1], n34), cfi_dotVec(v[0], n34),
                            -cfi_dotVec(v[0], cfi_crossVec(v[1], v[3])),
                            cfi_dotVec(v[0], cfi_crossVec(v[1], v[2]))};
  const mjtNum total = volume[0] + volume[1] + volume[2] + volume[3], sign = signOf(total);
  mjtNum least = CF_CCD_FAR;
  bool is_inside = true;
  for (int k = 0; k < 4; k++) {
    lambda[k] = 0;
    is_inside = is_inside && sign * volume[k] > 0;
  }
  for (int k = 0; k < 4; k++) {
    if (is_inside) {
      lambda[k] = volume[k] / total;
    } else if (!(sign * volume[k] > 0)) {
      tryFace(lambda, &least, simplex, k, keeps_last);
    }
  }
}


void cfi_nearestOnSimplex(mjtNum lambda[4], const cfMinkowski* simplex, int n, bool keeps_last) {
  CF_ASSERT(n > 0 && n <= 4);
  if (n == 4) {
    nearestOnTetrahedron(lambda, simplex, keeps_last);
  } else if (n == 3) {
    const mjtNum* const v[3] = {simplex[0].p, simplex[1].p, simplex[2].p};
    nearestOnTriangle(lambda, v);
  } else if (n == 2) {
    nearestOnSegment(lambda, simplex[0].p, simplex[1].p);
  } else {
    lambda[0] = 1;
  }
}
