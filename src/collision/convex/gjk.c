// GJK: walk through simplices of A - B towards the origin.
//
// With a distance wanted the walk ends at the nearest point.  Without one it ends as soon as a separating plane is
// found, and once a tetrahedron exists it is flipped around until it encloses the origin or one of its planes separates.
#include <math.h>

#include "collision/convex/ccd.h"
#include "math/inline.h"


bool cfi_bothDiscrete(const cfConvex* a, const cfConvex* b) {
  const cfConvex* both[2] = {a, b};
  for (int k = 0; k < 2; k++) {
    const int type = both[k]->type;
    if (both[k]->margin != 0 || (type != mjGEOM_MESH && type != mjGEOM_BOX && type != mjGEOM_HFIELD)) {
      return false;
    }
  }
  return true;
}


void cfi_minkowskiSupport(cfMinkowski* v, cfConvex* a, cfConvex* b, const mjtNum dir[3]) {
  mjtNum back[3];
  cfi_scl3(back, dir, -1);
  cfi_supportBoth(a, dir, v->a, b, back, v->b);
  if (a->margin > 0) {
    cfi_addToScl3(v->a, dir, 0.5 * a->margin);
  }
  if (b->margin > 0) {
    cfi_addToScl3(v->b, back, 0.5 * b->margin);
  }
  cfi_sub3(v->p, v->a, v->b);
  v->ia = a->vertex;
  v->ib = b->vertex;
}


// support point opposite to x, whose length is given
static void supportAgainst(cfMinkowski* v, cfConvex* a, cfConvex* b, const mjtNum x[3], mjtNum length) {
  mjtNum dir[3];
  cfi_scl3(dir, x, 1 / length);
  cfi_scl3(dir, dir, -1);
  cfi_minkowskiSupport(v, a, b, dir);
}


static void endApart(cfCcd* q) {
  q->nsimplex = 0;
  q->count = 0;
  q->dist = CF_CCD_FAR;
}


// the plane through support point s normal to x keeps everything beyond the cutoff
static bool isBeyondCutoff(const cfCcd* q, const mjtNum x[3], const mjtNum s[3]) {
  const mjtNum xs = cfi_dot3(x, s);
  if (q->cutoff > 0) {
    return q->cutoff < CF_CCD_FAR && xs > 0 && xs * xs / cfi_dot3(x, x) >= q->cutoff * q->cutoff;
  }
  return xs > 0;
}


// ---------------------------------------- enclosing the origin

// distance of the origin from the plane of three vertices, positive inside; FAR where there is no normal
static mjtNum planeDistance(mjtNum normal[3], const cfMinkowski* v1, const cfMinkowski* v2, const cfMinkowski* v3) {
  const mjtNum tiny = mjMINVAL * mjMINVAL, huge = mjMAXVAL * mjMAXVAL;
  mjtNum e1[3], e2[3];
  cfi_sub3(e1, v3->p, v1->p);
  cfi_sub3(e2, v2->p, v1->p);
  cfi_cross(normal, e1, e2);
  const mjtNum square = cfi_dot3(normal, normal);
  if (!(square > tiny && square < huge)) {
    return CF_CCD_FAR;
  }
  cfi_scl3(normal, normal, 1 / sqrt(square));
  return cfi_dot3(normal, v1->p);
}


typedef enum { ENCLOSED, SEPARATED, UNDECIDED } enclosure;

// replace the vertex opposite to the worst face until the origin is inside; *iteration counts on
static enclosure encloseOrigin(cfCcd* q, cfConvex* a, cfConvex* b, int* iteration) {
  // faces by the corners of the tetrahedron; the fourth corner is opposite
  static const int corner[4][3] = {{2, 1, 3}, {0, 2, 3}, {1, 0, 3}, {0, 1, 2}};
  cfMinkowski v[4] = {q->simplex[0], q->simplex[1], q->simplex[2], q->simplex[3]};
  int order[4] = {0, 1, 2, 3};

  for (; *iteration < q->max_iterations; ++*iteration) {
    mjtNum dist[4], normal[4][3];
    bool is_on_plane = false;
    for (int f = 0; f < 4; f++) {
      const int* c = corner[f];
      dist[f] = planeDistance(normal[f], v + order[c[0]], v + order[c[1]], v + order[c[2]]);
      is_on_plane = is_on_plane || dist[f] == 0;
    }
    if (is_on_plane) {
      return UNDECIDED;
    }

    // nearest face, the later one of equals
    const int low = dist[0] < dist[1] ? 0 : 1, high = dist[2] < dist[3] ? 2 : 3;
    const int worst = dist[low] < dist[high] ? low : high;
    if (dist[worst] > 0) {
      for (int k = 0; k < 4; k++) {
        q->simplex[k] = v[order[k]];
      }
      q->nsimplex = 4;
      return ENCLOSED;
    }

    cfMinkowski* replaced = v + order[worst];
    cfi_minkowskiSupport(replaced, a, b, normal[worst]);
    if (cfi_dot3(normal[worst], replaced->p) < 0) {
      return SEPARATED;
    }

    // exchange two others to keep the orientation
    const int i = (worst + 1) % 4, j = (worst + 2) % 4, swapped = order[i];
    order[i] = order[j];
    order[j] = swapped;
  }
  return UNDECIDED;
}


// ---------------------------------------- main loop

// sum of the witness points of one shape
static void combine(mjtNum res[3], const mjtNum* lambda, const cfMinkowski* v, int n, size_t offset) {
  for (int k = 0; k < n; k++) {
    const mjtNum* p = (const mjtNum*)(const void*)((const char*)(v + k) + offset);
    for (int i = 0; i < 3; i++) {
      res[i] = k ? res[i] + lambda[k] * p[i] : lambda[k] * p[i];
    }
  }
}


// drop the vertices without weight; returns how many stay
static int reduce(cfMinkowski* v, mjtNum* lambda) {
  int n = 0;
  for (int k = 0; k < 4; k++) {
    if (lambda[k] != 0) {
      v[n] = v[k];
      lambda[n++] = lambda[k];
    }
  }
  return n;
}


void cfi_gjk(cfCcd* q, cfConvex* a, cfConvex* b) {
  // duality gap at which the distance is good enough; polyhedra end exactly
  const mjtNum gap = cfi_bothDiscrete(a, b) ? 0 : 0.5 * q->tolerance * q->tolerance;
  bool tries_enclosing = q->cutoff <= 0;
  mjtNum x[3], lambda[4] = {1, 0, 0, 0}, length = 0;
  cfMinkowski* v = q->simplex;
  int n = 0;
  cfi_sub3(x, q->x1, q->x2);

  for (int k = 0; k < q->max_iterations; k++) {
    length = cfi_dot3(x, x);
    if (length < mjMINVAL * mjMINVAL) {
      break;
    }
    length = sqrt(length);
    supportAgainst(v + n, a, b, x, length);
    mjtNum step[3];
    cfi_sub3(step, x, v[n].p);
    if (cfi_dot3(x, step) < gap) {
      n = k ? n : 1;
      break;
    }
    if (isBeyondCutoff(q, x, v[n].p)) {
      endApart(q);
      return;
    }

    if (n == 3 && tries_enclosing) {
      const enclosure found = encloseOrigin(q, a, b, &k);
      if (found != UNDECIDED) {
        q->nsimplex = found == ENCLOSED ? 4 : 0;
        q->count = 0;
        q->dist = found == ENCLOSED ? 0 : CF_CCD_FAR;
        return;
      }
      tries_enclosing = false;
    }

    cfi_nearestOnSimplex(lambda, v, n + 1);
    n = reduce(v, lambda);
    if (n < 1) {
      endApart(q);
      return;
    }
    mjtNum next[3];
    combine(next, lambda, v, n, offsetof(cfMinkowski, p));
    if (cfi_isSamePoint(next, x)) {
      break;
    }
    cfi_copy3(x, next);
    if (n == 4) {
      length = 0;
      break;
    }
  }

  combine(q->x1, lambda, v, n, offsetof(cfMinkowski, a));
  combine(q->x2, lambda, v, n, offsetof(cfMinkowski, b));
  q->count = 1;
  q->nsimplex = n;
  q->dist = length;
}
