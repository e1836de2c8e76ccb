// EPA: expand the polytope at its nearest face until the support point adds nothing.
#include <math.h>

#include "base/assert.h"
#include "collision/convex/polytope.h"
#include "math/inline.h"
#include "math/simd/lanetest.h"


// the least of some numbers, CF_CCD_FAR if none is less
static inline mjtNum leastKey(const mjtNum* key, int n) {
  CF_ASSERT(n >= 0);
  mjtNum least = CF_CCD_FAR;
  int k = 0;
  if (n >= 4) {
    cfLane four = cfi_laneSpread(CF_CCD_FAR);
    for (; k + 4 <= n; k += 4) {
      four = cfi_laneMin(cfi_laneLoad(key + k), four);
    }
    four = cfi_laneMin(four, cfi_laneSwapPairs(four));
    mjtNum part[4];
    cfi_laneStore(part, cfi_laneMin(four, cfi_laneSwapInPairs(four)));
    least = part[0];
  }
  for (; k < n; k++) {
    least = key[k] < least ? key[k] : least;
  }
  return least;
}


// face whose plane is nearest to the origin, the first of equals; -1 if there is none
static inline int nearestFace(const cfPolytope* pt, mjtNum* square) {
  const mjtNum *key = pt->candidate_key, least = leastKey(key, pt->ncandidate);
  *square = least;
  if (!(least < CF_CCD_FAR)) {
    return -1;
  }
  int k = 0;
  for (; k + 4 <= pt->ncandidate; k += 4) {
    if (cfi_laneEqualMask(cfi_laneLoad(key + k), cfi_laneSpread(least))) {
      break;
    }
  }
  while (key[k] != least) {
    k++;
  }
  return pt->candidate[k];
}


// has this pair of vertices been found before?
static bool isRepeated(const cfPolytope* pt, int vertex) {
  CF_ASSERT(vertex >= 0);
  const cfMinkowski* w = pt->vertex + vertex;
  for (int k = 0; k < vertex; k++) {
    if (pt->vertex[k].ia == w->ia && pt->vertex[k].ib == w->ib) {
      return true;
    }
  }
  return false;
}


// close the hole with faces from its edges to the new vertex; false if one of them has no plane
static bool closeHole(cfPolytope* pt, int vertex, mjtNum lower, mjtNum upper) {
  CF_ASSERT(vertex >= 0);
  const int first = pt->nface, count = pt->nhorizon;
  for (int k = 0; k < count; k++) {
    const cfHorizonEdge h = pt->horizon[k];
    cfEpaFace *hidden = pt->face + h.face, *f = pt->face + first + k;
    f->vertex[0] = vertex;
    f->vertex[1] = hidden->vertex[h.edge < 2 ? h.edge + 1 : 0];
    f->vertex[2] = hidden->vertex[h.edge];
    f->neighbor[0] = first + (k ? k : count) - 1;
    f->neighbor[1] = h.face;
    f->neighbor[2] = first + (k + 1 < count ? k + 1 : 0);
    f->slot = CF_FACE_IDLE;
    hidden->neighbor[h.edge] = first + k;
  }
  pt->nface += count;
  cfi_spanPlanes(pt, first, count);
  for (int k = first; k < pt->nface; k++) {
    const mjtNum square = pt->face[k].square;
    if (square == 0) {
      return false;
    }
    if (square >= lower && square <= upper) {
      cfi_addCandidate(pt, k);
    }
  }
  pt->nhorizon = 0;
  return true;
}


// witness points: the origin's projection, expressed by the corners of the face; false if they
// are no numbers because the face has no area
static bool setWitness(const cfPolytope* pt, int face, cfCcd* q) {
  CF_ASSERT(face >= 0);
  const cfEpaFace* f = pt->face + face;
  const cfMinkowski *v1 = pt->vertex + f->vertex[0], *v2 = pt->vertex + f->vertex[1],
                    *v3 = pt->vertex + f->vertex[2];
  mjtNum lambda[3];
  cfi_triangleCoords(lambda, v1->p, v2->p, v3->p, f->foot);
  for (int k = 0; k < 3; k++) {
    q->x1[k] = lambda[0] * v1->a[k] + lambda[1] * v2->a[k] + lambda[2] * v3->a[k];
    q->x2[k] = lambda[0] * v1->b[k] + lambda[1] * v2->b[k] + lambda[2] * v3->b[k];
  }
  q->dist = -sqrt(f->square);
  q->count = 1;
  return isfinite(cfi_dot3(q->x1, q->x1) + cfi_dot3(q->x2, q->x2) + q->dist);
}


// the face on which the expansion ends, -1 if it broke down
static int expand(cfPolytope* pt, const cfCcd* q, cfConvex* a, cfConvex* b) {
  const bool is_discrete = cfi_bothDiscrete(a, b);
  const mjtNum tolerance = is_discrete ? mjMINVAL : q->tolerance;
  mjtNum upper = CF_CCD_FAR, upper_square = CF_CCD_FAR;
  int face = -1;
  for (int k = 0; k < q->max_iterations; k++) {
    mjtNum square;
    const int nearest = nearestFace(pt, &square);
    if (square > upper_square || (nearest < 0 && face < 0)) {
      return face;
    }
    face = nearest >= 0 ? nearest : face;
    if (square <= 0) {
      return face;
    }

    // lower bound: the plane of the face; upper bound: the support point beyond it
    const mjtNum lower = sqrt(square);
    const int w = cfi_addSupport(pt, a, b, pt->face[face].foot, lower);
    const mjtNum reach = cfi_dot3(pt->face[face].foot, pt->vertex[w].p) / lower;
    if (reach < upper) {
      upper = reach;
      upper_square = upper * upper;
    }
    if (upper - lower < tolerance || (is_discrete && isRepeated(pt, w))) {
      return face;
    }

    cfi_carveHorizon(pt, face, pt->vertex[w].p);
    if (pt->nhorizon < 3) {
      return -1;
    }
    if (pt->nhorizon > pt->max_faces - pt->nface) {
      return face;
    }
    if (!closeHole(pt, w, square, upper_square)) {
      return -1;
    }
    if (!pt->ncandidate) {
      return face;
    }
  }
  return face;
}


int cfi_epa(cfPolytope* pt, cfCcd* q, cfConvex* a, cfConvex* b) {
  const int face = expand(pt, q, a, b);
  if (face >= 0 && setWitness(pt, face, q)) {
    return face;
  }
  q->count = 0;
  q->dist = 0;
  return -1;
}
