// Contacts of pairs of convex geoms that have no collider of their own.
//
// One thread takes one pair.  The code is the engine's (collision/convex); what is here is the
// memory that the engine takes from the stack of an mjData.  On a device it is global memory, a
// room for each team, whose threads take turns: local memory is kept for every thread that the
// device can have at a time.
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


static cfConvex overlapShape(const cfOverlap* pair, int side) {
  const cfOverlapGeom* g = pair->geom + side;
  CF_ASSERT(g->type >= mjGEOM_SPHERE && g->type <= mjGEOM_BOX);
  return cfi_convexShape(g->type, g->pos, g->mat, g->size, pair->margin);
}


// as cfi_clearlyApart has it
bool cfi_areTeamApart(const cfOverlap* pair) {
  const cfOverlapGeom *a = pair->geom, *b = pair->geom + 1;
  const mjtNum rounding = 1e-9;
  mjtNum axis[3], extent = 1;
  for (int k = 0; k < 3; k++) {
    extent += fabs(a->pos[k]) + fabs(b->pos[k]);
  }
  const mjtNum slack = fabs(pair->margin) + 2 * fabs(pair->tolerance) + rounding * extent;
  cfi_sub3(axis, a->pos, b->pos);
  const mjtNum square = cfi_dot3(axis, axis), length = sqrt(square);
  return square - slack * length > cfi_reachAlong(a->type, a->size, a->mat, axis, length) +
                                       cfi_reachAlong(b->type, b->size, b->mat, axis, length);
}


// EPA; false: there is not enough room
static bool expandOverlap(cfCcd* q, cfConvex* a, cfConvex* b, overlapRoom* room) {
  cfPolytope pt = {.vertex = room->vertex,
                   .face = room->face,
                   .candidate = room->candidate,
                   .candidate_key = room->candidate_key,
                   .horizon = room->horizon,
                   .pending = room->horizon + OVERLAP_FACES,
                   .max_faces = OVERLAP_FACES,
                   .max_horizon = OVERLAP_FACES};
  cfi_ccdExpand(q, a, b, &pt);
  return pt.nhorizon <= pt.max_faces - pt.nface;
}


__attribute__((noinline)) int cfi_teamOverlap(cfOverlap* pair, void* room) {
  CF_ASSERT(pair->iterations <= CF_OVERLAP_ITERATIONS);
  cfConvex a = overlapShape(pair, 0), b = overlapShape(pair, 1);
  cfCcd q;
  q.max_iterations = pair->iterations;
  q.tolerance = pair->tolerance;
  q.max_contacts = 1;
  q.cutoff = 0;
  q.is_apart = false;
  if (cfi_ccdBegin(&q, &a, &b) && !expandOverlap(&q, &a, &b, room)) {
    return -1;
  }
  if (!(q.dist < 0)) {
    return 0;
  }
  pair->dist = pair->margin + q.dist;
  cfi_sub3(pair->normal, q.x1, q.x2);
  cfi_normalize3(pair->normal);
  for (int k = 0; k < 3; k++) {
    pair->pos[k] = 0.5 * (q.x1[k] + q.x2[k]);
  }
  return q.count;
}
