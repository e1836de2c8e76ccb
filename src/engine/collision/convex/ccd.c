// GJK, then EPA, then the manifold; spheres and capsules as inflated points and segments while they
// overlap little.
#include "collision/convex/ccd.h"

#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "collision/convex/polytope.h"
#include "math/inline.h"

// room for at least this many expansions, whatever the model asks for
enum { EPA_ROOM_MIN = 170 };


// a sphere or capsule without its radius; margin and support are put back by restore
typedef struct {
  cfConvex* shape;
  cfSupport support;
  mjtNum margin, radius;  // radius: what was taken away, with half the margin
} shrunkShape;

static bool isRound(const cfConvex* s) {
  return s->type == mjGEOM_SPHERE || s->type == mjGEOM_CAPSULE;
}


static shrunkShape shrink(cfConvex* s) {
  shrunkShape saved = {s, s->support, s->margin, 0};
  if (isRound(s)) {
    saved.radius = s->size[0] + 0.5 * s->margin;
    s->support = s->type == mjGEOM_SPHERE ? cfi_supportPoint : cfi_supportSegment;
    s->margin = 0;
  }
  return saved;
}


static void restore(const shrunkShape* saved) {
  saved->shape->support = saved->support;
  saved->shape->margin = saved->margin;
}


static void startFromCenters(cfCcd* q, const cfConvex* a, const cfConvex* b) {
  cfi_convexCenter(a, q->x1);
  cfi_convexCenter(b, q->x2);
}


// GJK between the cores; true if they are apart, which gives the exact answer after adding the
// radii
static bool solveRound(cfCcd* q, cfConvex* a, cfConvex* b) {
  const shrunkShape sa = shrink(a), sb = shrink(b);
  const mjtNum cutoff = q->cutoff;
  q->cutoff += sa.radius + sb.radius;
  cfi_gjk(q, a, b);
  q->cutoff = cutoff;
  restore(&sa);
  restore(&sb);
  if (q->dist <= q->tolerance) {
    return false;
  }
  mjtNum n[3];
  cfi_sub3(n, q->x2, q->x1);
  cfi_normalize3(n);
  if (sa.radius != 0) {
    cfi_addToScl3(q->x1, n, sa.radius);
  }
  if (sb.radius != 0) {
    cfi_addToScl3(q->x2, n, -sb.radius);
  }
  q->dist -= sa.radius + sb.radius;
  if (q->dist > q->cutoff) {
    q->dist = CF_CCD_FAR;
  }
  return true;
}


// the arrays of a polytope in one block of scratch
static void allocatePolytope(cfPolytope* pt, int max_iterations, mjData* d) {
  CF_ASSERT(max_iterations >= 0);
  const int room = max_iterations > EPA_ROOM_MIN ? max_iterations : EPA_ROOM_MIN;
  const size_t faces = 6 * (size_t)room,
               vertices = 5 + (size_t)(max_iterations > 0 ? max_iterations : 0);
  const size_t per_face =
      sizeof(cfEpaFace) + 2 * sizeof(cfHorizonEdge) + sizeof(mjtNum) + sizeof(int);
  char* block = mj_stackAllocByte(
      d, vertices * sizeof(cfMinkowski) + faces * per_face + 2 * sizeof(cfHorizonEdge),
      _Alignof(cfMinkowski));
  pt->max_faces = pt->max_horizon = (int)faces;
  pt->vertex = (cfMinkowski*)(void*)block;
  pt->face = (cfEpaFace*)(void*)(pt->vertex + vertices);
  pt->candidate_key = (mjtNum*)(void*)(pt->face + faces);
  pt->horizon = (cfHorizonEdge*)(void*)(pt->candidate_key + faces);
  pt->pending = pt->horizon + faces;
  pt->candidate = (int*)(void*)(pt->pending + faces + 2);
}


int cfi_ccdExpand(cfCcd* q, cfConvex* a, cfConvex* b, cfPolytope* pt) {
  q->dist = 0;
  return cfi_startPolytope(pt, q, a, b) ? cfi_epa(pt, q, a, b) : -1;
}


// A tetrahedron with four weights counts as holding the origin.  For contacts this hands the pair
// to EPA, which finds the same to its tolerance, and which pairs do is part of the result; a
// distance would jump to zero, so there weights are right
bool cfi_ccdBegin(cfCcd* q, cfConvex* a, cfConvex* b) {
  q->is_contact = q->cutoff <= 0;
  q->count = q->nsimplex = 0;
  cfi_readyConvex(a);
  cfi_readyConvex(b);
  startFromCenters(q, a, b);
  if (isRound(a) || isRound(b)) {
    if (solveRound(q, a, b)) {
      return false;
    }
    if (!q->max_contacts) {
      q->count = 0;
      q->dist = 0;
      return false;
    }
    startFromCenters(q, a, b);
  }
  cfi_gjk(q, a, b);
  return q->max_contacts && q->dist <= q->tolerance && q->nsimplex > 1;
}


mjtNum cfi_ccd(cfCcd* q, cfConvex* a, cfConvex* b, mjData* d) {
  if (cfi_ccdBegin(q, a, b)) {
    cfPolytope pt;
    mj_markStack(d);
    allocatePolytope(&pt, q->max_iterations, d);
    const int face = cfi_ccdExpand(q, a, b, &pt);
    if (face >= 0 && q->max_contacts > 1) {
      cfi_manifold(&pt, face, q, a, b);
    }
    mj_freeStack(d);
  }
  return q->dist;
}
