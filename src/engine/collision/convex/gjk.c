// GJK: walk through simplices of A - B towards the origin.
//
// With a distance wanted the walk ends at the nearest point.  Without one it ends as soon as a
// separating plane is found, and once a tetrahedron exists it is flipped around until it encloses
// the origin or one of its planes separates.
#include <math.h>

#include "base/assert.h"
#include "collision/convex/ccd.h"
#include "collision/convex/vec.h"
#include "math/inline.h"
#include "math/simd/lanetest.h"


bool cfi_bothDiscrete(const cfConvex* a, const cfConvex* b) {
  const cfConvex* both[2] = {a, b};
  for (int k = 0; k < 2; k++) {
    const int type = both[k]->type;
    if (both[k]->margin != 0 ||
        (type != mjGEOM_MESH && type != mjGEOM_BOX && type != mjGEOM_HFIELD)) {
      return false;
    }
  }
  return true;
}


// support point opposite to x, whose length is given
static void supportAgainst(cfMinkowski* v, cfConvex* a, cfConvex* b, cfVec3 x, mjtNum length) {
  const cfVec3 back = cfi_sclVec(x, 1 / length);
  const mjtNum dirs[2][3] = {{-back.x, -back.y, -back.z}, {back.x, back.y, back.z}};
  cfi_supportPair(v, a, b, dirs[0], dirs[1]);
}


// the plane through support point s normal to x keeps everything beyond the cutoff
static inline bool isBeyondCutoff(mjtNum cutoff, mjtNum xs, mjtNum xx) {
  if (cutoff > 0) {
    return cutoff < CF_CCD_FAR && xs > 0 && xs * xs / xx >= cutoff * cutoff;
  }
  return xs > 0;
}


// ---------------------------------------- enclosing the origin

// distance of the origin from the plane of three vertices, positive inside; FAR where there is no
// normal
static inline mjtNum planeDistance(cfVec3* normal, const cfMinkowski* v1, const cfMinkowski* v2,
                                   const cfMinkowski* v3) {
  const mjtNum tiny = mjMINVAL * mjMINVAL, huge = mjMAXVAL * mjMAXVAL;
  const cfVec3 p = cfi_loadVec(v1->p);
  const cfVec3 n =
      cfi_crossVec(cfi_subVec(cfi_loadVec(v3->p), p), cfi_subVec(cfi_loadVec(v2->p), p));
  const mjtNum square = cfi_dotVec(n, n);
  *normal = n;
  if (!(square > tiny && square < huge)) {
    return CF_CCD_FAR;
  }
  *normal = cfi_sclVec(n, 1 / sqrt(square));
  return cfi_dotVec(*normal, p);
}


// the planes of a tetrahedron's faces
typedef struct {
  mjtNum dist[4], normal[3][4];  // normals by coordinate
} facePlanes;

// faces by the corners of the tetrahedron; the fourth corner is opposite
static const int face_corner[4][3] = {{2, 1, 3}, {0, 2, 3}, {1, 0, 3}, {0, 1, 2}};


static void planesOneByOne(facePlanes* planes, const cfMinkowski* v, const int order[4]) {
  for (int f = 0; f < 4; f++) {
    const int* c = face_corner[f];
    cfVec3 n;
    planes->dist[f] = planeDistance(&n, v + order[c[0]], v + order[c[1]], v + order[c[2]]);
    planes->normal[0][f] = n.x;
    planes->normal[1][f] = n.y;
    planes->normal[2][f] = n.z;
  }
}


// the face that is nearest to the origin, the later one of equals; no branch depends on distances,
// which follow no pattern
typedef struct {
  mjtNum dist;
  int at;
} worstFace;

static inline worstFace findWorst(const mjtNum dist[4]) {
  const bool is_first = dist[0] < dist[1], is_third = dist[2] < dist[3];
  const mjtNum least01 = is_first ? dist[0] : dist[1], least23 = is_third ? dist[2] : dist[3];
  const bool is_low = least01 < least23;
  const int low = 1 - is_first, high = 3 - is_third;
  return (worstFace){is_low ? least01 : least23, high + ((low - high) & -(int)is_low)};
}


// distance of the origin from the four planes, positive inside, one face per lane; true if it lies
// on one of them
static inline bool spanFaces(facePlanes* planes, const cfMinkowski* v, const int order[4]) {
  const mjtNum *p0 = v[order[0]].p, *p1 = v[order[1]].p, *p2 = v[order[2]].p, *p3 = v[order[3]].p;
  const cfLane tiny = cfi_laneSpread(mjMINVAL * mjMINVAL),
               huge = cfi_laneSpread(mjMAXVAL * mjMAXVAL);
  const cfLaneVec first = cfi_laneVecLoad(p2, p0, p1, p0);
  const cfLaneVec n = cfi_laneVecCross(cfi_laneVecSub(cfi_laneVecLoad(p3, p3, p3, p2), first),
                                       cfi_laneVecSub(cfi_laneVecLoad(p1, p2, p0, p1), first));
  const cfLane square = cfi_laneVecDot(n, n);
  if ((cfi_laneLessMask(tiny, square) & cfi_laneLessMask(square, huge)) == 15) {
    const cfLaneVec unit = cfi_laneVecScl(n, cfi_laneDiv(cfi_laneSpread(1), cfi_laneSqrt(square)));
    cfi_laneStore(planes->dist, cfi_laneVecDot(unit, first));
    cfi_laneStore(planes->normal[0], unit.x);
    cfi_laneStore(planes->normal[1], unit.y);
    cfi_laneStore(planes->normal[2], unit.z);
  } else {
    planesOneByOne(planes, v, order);
  }
  return cfi_laneEqualMask(cfi_laneLoad(planes->dist), cfi_laneSpread(0)) != 0;
}


typedef enum { ENCLOSED, SEPARATED, UNDECIDED } enclosure;

// replace the vertex opposite to the worst face until the origin is inside; *iteration counts on
static enclosure encloseOrigin(cfCcd* q, cfConvex* a, cfConvex* b, int* iteration) {
  int order[4] = {0, 1, 2, 3};
  facePlanes planes;
  if (*iteration >= q->max_iterations || spanFaces(&planes, q->simplex, order)) {
    return UNDECIDED;
  }
  cfMinkowski v[4] = {q->simplex[0], q->simplex[1], q->simplex[2], q->simplex[3]};
  do {
    const worstFace face = findWorst(planes.dist);
    const int worst = face.at;
    if (face.dist > 0) {
      for (int k = 0; k < 4; k++) {
        q->simplex[k] = v[order[k]];
      }
      return ENCLOSED;
    }

    cfMinkowski* replaced = v + order[worst];
    const cfVec3 n = {planes.normal[0][worst], planes.normal[1][worst], planes.normal[2][worst]};
    const mjtNum dirs[2][3] = {{n.x, n.y, n.z}, {-n.x, -n.y, -n.z}};
    cfi_supportPair(replaced, a, b, dirs[0], dirs[1]);
    if (cfi_dotVec(n, cfi_loadVec(replaced->p)) < 0) {
      q->is_apart = true;
      cfi_copy3(q->apart, dirs[1]);
      return SEPARATED;
    }

    // exchange two others to keep the orientation
    const int i = (worst + 1) % 4, j = (worst + 2) % 4, swapped = order[i];
    order[i] = order[j];
    order[j] = swapped;
  } while (++*iteration < q->max_iterations && !spanFaces(&planes, v, order));
  return UNDECIDED;
}


// ---------------------------------------- main loop

// sum of weighted points, the first of which is given; the others follow at the distance of the
// vertices
static inline cfVec3 combine(const mjtNum* lambda, const mjtNum* first, int n) {
  CF_ASSERT(n > 0 && n <= 4);
  cfVec3 sum = cfi_sclVec(cfi_loadVec(first), lambda[0]);
  for (int k = 1; k < n; k++) {
    first += sizeof(cfMinkowski) / sizeof(mjtNum);
    sum = cfi_addVec(sum, cfi_sclVec(cfi_loadVec(first), lambda[k]));
  }
  return sum;
}


// drop the vertices without weight; returns how many of n stay
static inline int reduce(cfMinkowski* v, mjtNum* lambda, int n) {
  CF_ASSERT(n > 0 && n <= 4);
  int kept = 0;
  for (int k = 0; k < n; k++) {
    if (lambda[k] == 0) {
      continue;
    }
    if (kept < k) {
      v[kept] = v[k];
      lambda[kept] = lambda[k];
    }
    kept++;
  }
  return kept;
}


// equal up to rounding in every coordinate
static inline bool isUnmoved(cfVec3 a, cfVec3 b) {
  return fabs(a.x - b.x) < mjMINVAL && fabs(a.y - b.y) < mjMINVAL && fabs(a.z - b.z) < mjMINVAL;
}


// the walk so far: a simplex of n vertices, its nearest point x to the origin with the coordinates
// of x in it
typedef struct {
  cfVec3 x;
  mjtNum length, lambda[4];
  int n;
} simplexWalk;

typedef enum { GOES_ON, IS_NEAREST, IS_ANSWERED } walkState;

static walkState answer(cfCcd* q, mjtNum dist, int nsimplex) {
  CF_ASSERT(nsimplex >= 0 && nsimplex <= 4);
  q->nsimplex = nsimplex;
  q->count = 0;
  q->dist = dist;
  return IS_ANSWERED;
}


// a further vertex, opposite to x; it may show that x is the nearest point, or that a plane keeps
// the shapes apart
static inline walkState probe(cfCcd* q, simplexWalk* w, cfConvex* a, cfConvex* b, mjtNum gap) {
  const mjtNum square = cfi_dotVec(w->x, w->x);
  if (square < mjMINVAL * mjMINVAL) {
    w->length = square;
    return IS_NEAREST;
  }
  w->length = sqrt(square);
  supportAgainst(q->simplex + w->n, a, b, w->x, w->length);
  const cfVec3 s = cfi_loadVec(q->simplex[w->n].p);
  if (cfi_dotVec(w->x, cfi_subVec(w->x, s)) < gap) {
    w->n += w->n == 0;
    return IS_NEAREST;
  }
  if (isBeyondCutoff(q->cutoff, cfi_dotVec(w->x, s), square)) {
    q->is_apart = true;
    cfi_storeVec(q->apart, cfi_sclVec(w->x, 1 / w->length));
    return answer(q, CF_CCD_FAR, 0);
  }
  return GOES_ON;
}


// to the nearest point of the simplex with its new vertex
static inline walkState advance(cfCcd* q, simplexWalk* w) {
  cfi_nearestOnSimplex(w->lambda, q->simplex, w->n + 1, q->is_contact);
  w->n = reduce(q->simplex, w->lambda, w->n + 1);
  if (w->n < 1) {
    return answer(q, CF_CCD_FAR, 0);
  }
  const cfVec3 next = combine(w->lambda, q->simplex->p, w->n);
  if (isUnmoved(next, w->x)) {
    return IS_NEAREST;
  }
  w->x = next;
  if (w->n == 4) {
    w->length = 0;
    return IS_NEAREST;
  }
  return GOES_ON;
}


// only contact matters and there is a tetrahedron: flip it around; *iteration counts on
static walkState flip(cfCcd* q, cfConvex* a, cfConvex* b, int* iteration) {
  switch (encloseOrigin(q, a, b, iteration)) {
    case ENCLOSED:
      return answer(q, 0, 4);
    case SEPARATED:
      return answer(q, CF_CCD_FAR, 0);
    default:
      return GOES_ON;
  }
}


void cfi_gjk(cfCcd* q, cfConvex* a, cfConvex* b) {
  // duality gap at which the distance is good enough; polyhedra end exactly
  const mjtNum gap = cfi_bothDiscrete(a, b) ? 0 : 0.5 * q->tolerance * q->tolerance;
  simplexWalk w = {.x = cfi_subVec(cfi_loadVec(q->x1), cfi_loadVec(q->x2)), .lambda = {1, 0, 0, 0}};
  bool may_flip = q->cutoff <= 0;
  walkState state = GOES_ON;
  for (int k = 0; k < q->max_iterations && state == GOES_ON; k++) {
    state = probe(q, &w, a, b, gap);
    if (state == GOES_ON && w.n == 3 && may_flip) {
      may_flip = false;
      state = flip(q, a, b, &k);
    }
    if (state == GOES_ON) {
      state = advance(q, &w);
    }
  }
  if (state == IS_ANSWERED) {
    return;
  }

  // coincident centers: the guess stands
  if (w.n) {
    cfi_storeVec(q->x1, combine(w.lambda, q->simplex->a, w.n));
    cfi_storeVec(q->x2, combine(w.lambda, q->simplex->b, w.n));
  }
  q->count = 1;
  q->nsimplex = w.n;
  q->dist = w.length;
}
