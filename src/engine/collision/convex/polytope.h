// The polytope that EPA expands: triangles with neighbors, and the candidates for the nearest one.
#ifndef CF_COLLISION_CONVEX_POLYTOPE_H
#define CF_COLLISION_CONVEX_POLYTOPE_H

#include "collision/convex/ccd.h"

enum { CF_FACE_IDLE = -1, CF_FACE_DELETED = -2 };

typedef struct {
  int vertex[3];    // counterclockwise from outside
  int neighbor[3];  // across the edges 01, 12, 20
  union {
    mjtNum plane[4];  // both of these
    struct {
      mjtNum foot[3];  // projection of the origin on the plane, also the outward normal
      mjtNum square;   // squared length of foot, 0 where the corners are in line
    };
  };
  int slot;  // place among the candidates, or one of the constants above
} cfEpaFace;

_Static_assert(_Alignof(cfMinkowski) >= _Alignof(cfEpaFace),
               "the arrays share one block of scratch");

// an edge between visible and hidden faces, as the hidden face sees it
typedef struct {
  int face, edge;
} cfHorizonEdge;

typedef struct {
  cfMinkowski* vertex;
  cfEpaFace* face;
  int* candidate;         // faces that may be the nearest, in no order
  mjtNum* candidate_key;  // square of each of them
  cfHorizonEdge* horizon;
  cfHorizonEdge* pending;  // walk over visible faces: edges still to look across
  int nvertex, nface, ncandidate, nhorizon;
  int max_faces, max_horizon;
} cfPolytope;

// EPA after cfi_ccdBegin, in a polytope whose arrays are there: sets dist and the witness points;
// returns the face on which it ended, -1 if it failed
int cfi_ccdExpand(cfCcd* q, cfConvex* a, cfConvex* b, cfPolytope* pt);

// build the starting polytope from the 2, 3 or 4 points on which GJK ended; false if the origin is
// not safely inside
bool cfi_startPolytope(cfPolytope* pt, cfCcd* q, cfConvex* a, cfConvex* b);

// planes of faces whose corners are known
void cfi_spanPlanes(cfPolytope* pt, int first, int count);

void cfi_addCandidate(cfPolytope* pt, int face);

// delete the faces that are visible from a point, starting with one of them, and collect the edges
// around them
void cfi_carveHorizon(cfPolytope* pt, int face, const mjtNum from[3]);

// support point along a direction of given length, as a new vertex
int cfi_addSupport(cfPolytope* pt, cfConvex* a, cfConvex* b, const mjtNum dir[3], mjtNum length);

// epa.c: expand until the nearest face is final, set the witness points; returns that face, -1 if
// it failed
int cfi_epa(cfPolytope* pt, cfCcd* q, cfConvex* a, cfConvex* b);

// manifold.c: several contacts where faces or edges lie flat on each other
void cfi_manifold(const cfPolytope* pt, int face, cfCcd* q, const cfConvex* a, const cfConvex* b);

#endif  // CF_COLLISION_CONVEX_POLYTOPE_H
