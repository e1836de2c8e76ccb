// Contacts of pairs of convex geoms that have no collider of their own, and of planes with meshes.
//
// One thread takes one pair.  The code is the engine's (collision/convex); what is here is the
// memory that the engine takes from the stack of an mjData.  On a device it is global memory, a
// room for each team, whose threads take turns at what needs it: local memory is kept for every
// thread that the device can have at a time.
#include "team/overlap.h"

#include "base/assert.h"
#include "collision/convex/polytope.h"

// Faces that are made while a polytope grows, deleted ones too: 26,000 pairs at random took 72 on
// average and 177 at most with 35 iterations (the default), 243 with 50.  The engine has room for
// 1,020; a world that needs more than there is here is left open
enum { OVERLAP_FACES = 208, OVERLAP_VERTICES = 5 + CF_OVERLAP_ITERATIONS };

typedef struct {
  cfMinkowski vertex[OVERLAP_VERTICES];
  cfEpaFace face[OVERLAP_FACES];
  mjtNum candidate_key[OVERLAP_FACES];
  cfHorizonEdge horizon[2 * OVERLAP_FACES + 2];
  int candidate[OVERLAP_FACES];
} overlapRoom;

_Static_assert(sizeof(overlapRoom) <= CF_OVERLAP_BYTES && CF_OVERLAP_BYTES % 64 == 0,
               "rooms lie side by side");
_Static_assert(sizeof(cfCcd) <= CF_OVERLAP_SEARCH, "there is room for a search");


static cfCcd* searchOf(cfOverlap* pair) {
  return (cfCcd*)(void*)pair->search;
}


static cfConvex* overlapShape(cfOverlap* pair, int side, mjtNum margin) {
  const cfOverlapGeom* g = pair->geom + side;
  cfConvex* s = pair->shape + side;
  CF_ASSERT(g->type >= mjGEOM_SPHERE && g->type <= mjGEOM_MESH);
  *s = cfi_convexShape(g->type, g->pos, g->mat, g->size, margin);
  if (g->nvert) {
    cfi_attachHull(s, g->vert, g->nvert, g->graph, g->start, g->radius);
  }
  return s;
}


// the middle of what a geom reaches along an axis
static void overlapCenter(const cfOverlapGeom* g, mjtNum res[3]) {
  cfi_copy3(res, g->pos);
  if (g->nvert) {
    mjtNum offset[3];
    cfi_mulMatVec3(offset, g->mat, g->box);
    cfi_addTo3(res, offset);
  }
}


static mjtNum overlapReach(const cfOverlapGeom* g, const mjtNum axis[3], mjtNum length) {
  return g->nvert ? cfi_reachAlong(mjGEOM_BOX, g->box + 3, g->mat, axis, length)
                  : cfi_reachAlong(g->type, g->size, g->mat, axis, length);
}


// along the way between the centers as cfi_clearlyApart has it; where there is a mesh, along the
// sides of both frames too.  Boxes of meshes may be rounded to single precision
bool cfi_areTeamApart(const cfOverlap* pair) {
  const cfOverlapGeom *a = pair->geom, *b = pair->geom + 1;
  const mjtNum rounding = 1e-9, rounded = 1e-6;
  mjtNum center[2][3], between[3], extent = 1;
  for (int k = 0; k < 3; k++) {
    extent += fabs(a->pos[k]) + fabs(b->pos[k]);
  }
  const mjtNum slack = fabs(pair->margin) + 2 * fabs(pair->tolerance) + rounding * extent +
                       rounded * (a->radius + b->radius);
  overlapCenter(a, center[0]);
  overlapCenter(b, center[1]);
  cfi_sub3(between, center[0], center[1]);
  const int count = a->nvert || b->nvert ? 7 : 1;
  bool is_apart = false;
  for (int k = 0; k < count && !is_apart; k++) {
    mjtNum axis[3];
    if (k == 0) {
      cfi_copy3(axis, between);
    } else {
      cfi_column3(axis, k < 4 ? a->mat : b->mat, (k - 1) % 3);
    }
    const mjtNum gap = fabs(cfi_dot3(between, axis)), length = sqrt(cfi_dot3(axis, axis));
    is_apart = gap - slack * length > overlapReach(a, axis, length) + overlapReach(b, axis, length);
  }
  return is_apart;
}


// the contact that a search has found
static void takeOverlap(cfOverlapHits* hits, const cfCcd* q, mjtNum margin) {
  hits->count = q->dist < 0 ? q->count : 0;
  if (!hits->count) {
    return;
  }
  hits->touch[0].dist = margin + q->dist;
  cfi_sub3(hits->normal, q->x1, q->x2);
  cfi_normalize3(hits->normal);
  for (int k = 0; k < 3; k++) {
    hits->touch[0].pos[k] = 0.5 * (q->x1[k] + q->x2[k]);
  }
}


__attribute__((noinline)) bool cfi_teamOverlapBegins(cfOverlap* pair, cfOverlapHits* hits) {
  CF_ASSERT(pair->iterations <= CF_OVERLAP_ITERATIONS);
  cfCcd* q = searchOf(pair);
  for (int side = 0; side < 2; side++) {
    overlapShape(pair, side, pair->margin);
  }
  q->max_iterations = pair->iterations;
  q->tolerance = pair->tolerance;
  q->max_contacts = 1;
  q->cutoff = 0;
  q->is_apart = false;
  if (cfi_ccdBegin(q, pair->shape, pair->shape + 1)) {
    return true;
  }
  takeOverlap(hits, q, pair->margin);
  return false;
}


__attribute__((noinline)) bool cfi_teamOverlapEnds(cfOverlap* pair, void* place,
                                                   cfOverlapHits* hits) {
  overlapRoom* room = place;
  cfPolytope pt = {.vertex = room->vertex,
                   .face = room->face,
                   .candidate = room->candidate,
                   .candidate_key = room->candidate_key,
                   .horizon = room->horizon,
                   .pending = room->horizon + OVERLAP_FACES,
                   .max_faces = OVERLAP_FACES,
                   .max_horizon = OVERLAP_FACES};
  cfi_ccdExpand(searchOf(pair), pair->shape, pair->shape + 1, &pt);
  takeOverlap(hits, searchOf(pair), pair->margin);
  return pt.nhorizon <= pt.max_faces - pt.nface;
}


__attribute__((noinline)) void cfi_teamPlaneHull(cfOverlap* pair, cfOverlapHits* hits) {
  const cfOverlapGeom* plane = pair->geom;
  cfConvex* hull = overlapShape(pair, 1, 0);
  cfi_column3(hits->normal, plane->mat, 2);
  hits->count = cfi_planeHull(hits->touch, hull, plane->pos, hits->normal, pair->margin);
}
