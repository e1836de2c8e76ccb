// EPA: expand the polytope at its nearest face until the support point adds nothing.
#include <math.h>

#include "base/assert.h"
#include "collision/convex/polytope.h"
#include "math/inline.h"


// a candidate: its key and its place in the list
typedef struct {
  mjtNum key;
  int at;
} placedKey;

static inline placedKey nearerOf(placedKey best, const mjtNum* key, int at) {
  const bool is_nearer = key[at] < best.key;
  return (placedKey){is_nearer ? key[at] : best.key, is_nearer ? at : best.at};
}


// the lesser of two, the first in the list of equals
static inline placedKey firstNearest(placedKey a, placedKey b) {
  const bool is_b = b.key < a.key || (b.key == a.key && b.at < a.at);
  return (placedKey){is_b ? b.key : a.key, is_b ? b.at : a.at};
}


// face whose plane is nearest to the origin, the first of equals; -1 if there is none.  Four chains
// of single numbers: they were stored one by one a moment ago, and a lane of them would wait until
// all stores before it are done.  No branch depends on the keys, which follow no pattern
static inline int nearestFace(const cfPolytope* pt, mjtNum* square) {
  CF_ASSERT(pt->ncandidate >= 0);
  const mjtNum* key = pt->candidate_key;
  const placedKey none = {CF_CCD_FAR, 0};
  placedKey n0 = none, n1 = none, n2 = none, n3 = none;
  int k = 0;
  for (; k + 4 <= pt->ncandidate; k += 4) {
    n0 = nearerOf(n0, key, k);
    n1 = nearerOf(n1, key, k + 1);
    n2 = nearerOf(n2, key, k + 2);
    n3 = nearerOf(n3, key, k + 3);
  }
  for (; k < pt->ncandidate; k++) {
    n0 = nearerOf(n0, key, k);
  }
  const placedKey nearest = firstNearest(firstNearest(n0, n1), firstNearest(n2, n3));
  *square = nearest.key;
  return nearest.key < CF_CCD_FAR ? pt->candidate[nearest.at] : -1;
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
