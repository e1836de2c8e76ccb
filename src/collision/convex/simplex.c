// Nearest point of a simplex to the origin by signed volumes (Montanari, Petrinic, Barbieri 2017).
//
// The coordinates of the origin's projection are ratios of signed volumes (tetrahedron), areas (triangle) or lengths
// (segment).  Where one has the wrong sign, the sub-simplex without that vertex is tried; the nearest one wins.
#include <math.h>

#include "collision/convex/ccd.h"
#include "math/inline.h"


static bool haveSameSign(mjtNum a, mjtNum b) {
  return (a > 0 && b > 0) || (a < 0 && b < 0);
}


// ---------------------------------------- segment

static void nearestOnSegment(mjtNum lambda[2], const mjtNum a[3], const mjtNum b[3]) {
  mjtNum edge[3], foot[3];
  cfi_sub3(edge, b, a);
  cfi_addScl3(foot, b, edge, -(cfi_dot3(b, edge) / cfi_dot3(edge, edge)));

  // measure along the axis on which the segment is longest, the last one of equals
  int axis = 0;
  for (int k = 1; k < 3; k++) {
    if (fabs(a[k] - b[k]) >= fabs(a[axis] - b[axis])) {
      axis = k;
    }
  }
  const mjtNum length = a[axis] - b[axis], from_b = foot[axis] - b[axis], to_a = a[axis] - foot[axis];
  const bool is_inside = haveSameSign(length, from_b) && haveSameSign(length, to_a);
  lambda[0] = is_inside ? from_b / length : 0;
  lambda[1] = is_inside ? to_a / length : 1;
}


// ---------------------------------------- triangle

// normal at one corner, origin's height over it; false where it cannot be used
static bool cornerProjection(mjtNum res[3], const mjtNum e1[3], const mjtNum e2[3], const mjtNum corner[3],
                             bool is_last, bool* is_flat) {
  mjtNum n[3];
  cfi_cross(n, e1, e2);
  const mjtNum height = cfi_dot3(n, corner), square = cfi_dot3(n, n);
  *is_flat = square == 0 && !is_last;
  if (is_last || (height != 0 && square > mjMINVAL)) {
    cfi_scl3(res, n, height / square);
    return true;
  }
  return false;
}


bool cfi_projectOnPlane(mjtNum res[3], const mjtNum v1[3], const mjtNum v2[3], const mjtNum v3[3]) {
  mjtNum e21[3], e31[3], e32[3];
  bool is_flat;
  cfi_sub3(e21, v2, v1);
  cfi_sub3(e31, v3, v1);
  cfi_sub3(e32, v3, v2);

  // the corners give the same plane but not the same rounding: take the first usable one
  if (cornerProjection(res, e32, e21, v2, false, &is_flat) || is_flat) {
    return is_flat;
  }
  if (cornerProjection(res, e21, e31, v1, false, &is_flat) || is_flat) {
    return is_flat;
  }
  cornerProjection(res, e31, e32, v3, true, &is_flat);
  return false;
}


// twice the signed area of the triangle's shadow on the plane of axes x and y
static mjtNum shadowArea(const mjtNum a[3], const mjtNum b[3], const mjtNum c[3], int x, int y) {
  return b[x] * c[y] - b[y] * c[x] - a[x] * c[y] + a[y] * c[x] + a[x] * b[y] - a[y] * b[x];
}


// the plane on which the shadow is largest, the first of equals
typedef struct {
  int x, y;
  mjtNum area;
} shadowPlane;

static shadowPlane largestShadow(const mjtNum a[3], const mjtNum b[3], const mjtNum c[3]) {
  static const int axes[3][2] = {{1, 2}, {0, 2}, {0, 1}};
  shadowPlane best = {1, 2, shadowArea(a, b, c, 1, 2)};
  for (int k = 1; k < 3; k++) {
    const mjtNum area = shadowArea(a, b, c, axes[k][0], axes[k][1]);
    if (fabs(area) > fabs(best.area)) {
      best = (shadowPlane){axes[k][0], axes[k][1], area};
    }
  }
  return best;
}


// areas of the three triangles that a point forms with the edges
static void edgeAreas(mjtNum area[3], shadowPlane s, const mjtNum* const v[3], const mjtNum p[3]) {
  for (int k = 0; k < 3; k++) {
    const mjtNum *a = v[(k + 1) % 3], *b = v[(k + 2) % 3];
    area[k] = p[s.x] * a[s.y] + p[s.y] * b[s.x] + a[s.x] * b[s.y] - p[s.x] * b[s.y] - p[s.y] * a[s.x] - b[s.x] * a[s.y];
  }
}


void cfi_triangleCoords(mjtNum lambda[3], const mjtNum v1[3], const mjtNum v2[3], const mjtNum v3[3],
                        const mjtNum p[3]) {
  const mjtNum* const v[3] = {v1, v2, v3};
  const shadowPlane s = largestShadow(v1, v2, v3);
  edgeAreas(lambda, s, v, p);
  for (int k = 0; k < 3; k++) {
    lambda[k] /= s.area;
  }
}


// squared distance of a combination from the origin
static mjtNum combinedSquare(const mjtNum* lambda, const mjtNum* const* v, int n) {
  mjtNum x[3];
  cfi_scl3(x, v[0], lambda[0]);
  for (int k = 1; k < n; k++) {
    cfi_addToScl3(x, v[k], lambda[k]);
  }
  return cfi_dot3(x, x);
}


// coordinates of a sub-simplex without vertex `left_out`, put into their places
static void spread(mjtNum* lambda, const mjtNum* part, int n, int left_out) {
  for (int k = 0, j = 0; k < n; k++) {
    lambda[k] = k == left_out ? 0 : part[j++];
  }
}


static void nearestOnTriangle(mjtNum lambda[3], const mjtNum* const v[3]) {
  mjtNum foot[3], area[3], least = CF_CCD_FAR;
  if (cfi_projectOnPlane(foot, v[0], v[1], v[2])) {
    nearestOnSegment(lambda, v[0], v[1]);
    lambda[2] = 0;
    return;
  }
  const shadowPlane s = largestShadow(v[0], v[1], v[2]);
  edgeAreas(area, s, v, foot);
  bool is_inside = true;
  for (int k = 0; k < 3; k++) {
    lambda[k] = area[k] / s.area;
    is_inside = is_inside && haveSameSign(s.area, area[k]);
  }
  for (int k = 0; k < 3 && !is_inside; k++) {
    if (haveSameSign(s.area, area[k])) {
      continue;
    }
    const mjtNum* const edge[2] = {v[k == 0 ? 1 : 0], v[k == 2 ? 1 : 2]};
    mjtNum part[2];
    nearestOnSegment(part, edge[0], edge[1]);
    const mjtNum square = combinedSquare(part, edge, 2);
    if (square < least) {
      least = square;
      spread(lambda, part, 3, k);
    }
  }
}


// ---------------------------------------- tetrahedron

// the three vertices other than k, in order
static void faceWithout(const mjtNum* face[3], const mjtNum* const v[4], int k) {
  for (int i = 0, j = 0; i < 4; i++) {
    if (i != k) {
      face[j++] = v[i];
    }
  }
}


static void nearestOnTetrahedron(mjtNum lambda[4], const mjtNum* const v[4]) {
  const mjtNum* face[3];
  mjtNum volume[4], least = CF_CCD_FAR;
  for (int k = 0; k < 4; k++) {
    faceWithout(face, v, k);
    volume[k] = (k % 2 ? 1 : -1) * cfi_det3(face[0], face[1], face[2]);
  }
  const mjtNum total = volume[0] + volume[1] + volume[2] + volume[3];
  bool is_inside = true;
  for (int k = 0; k < 4; k++) {
    lambda[k] = volume[k] / total;
    is_inside = is_inside && haveSameSign(total, volume[k]);
  }
  for (int k = 0; k < 4 && !is_inside; k++) {
    if (haveSameSign(total, volume[k])) {
      continue;
    }
    mjtNum part[3];
    faceWithout(face, v, k);
    nearestOnTriangle(part, face);
    const mjtNum square = combinedSquare(part, face, 3);
    if (square < least) {
      least = square;
      spread(lambda, part, 4, k);
    }
  }
}


void cfi_nearestOnSimplex(mjtNum lambda[4], const cfMinkowski* simplex, int n) {
  const mjtNum* const v[4] = {simplex[0].p, simplex[1].p, simplex[2].p, simplex[3].p};
  for (int k = 0; k < 4; k++) {
    lambda[k] = 0;
  }
  if (n == 4) {
    nearestOnTetrahedron(lambda, v);
  } else if (n == 3) {
    nearestOnTriangle(lambda, v);
  } else if (n == 2) {
    nearestOnSegment(lambda, v[0], v[1]);
  } else {
    lambda[0] = 1;
  }
}
