// Distance and penetration of two convex shapes: GJK in the Minkowski difference A - B, then EPA
// where they overlap.
//
// Witness points x1 on A and x2 on B; dist > 0: their distance, dist < 0: penetration depth.
#ifndef CF_COLLISION_CONVEX_CCD_H
#define CF_COLLISION_CONVEX_CCD_H

#include <float.h>
#include <math.h>

#include "collision/convex/shape.h"
#include "math/inline.h"

#define CF_CCD_FAR DBL_MAX

// a point of the Minkowski difference with the points it comes from and the vertices they are, -1
// on smooth shapes.  Points are three numbers and room for a fourth, so that they move as lanes
typedef struct {
  mjtNum p[4], a[4], b[4];
  int ia, ib;
} cfMinkowski;

typedef struct {
  // what is asked
  int max_iterations, max_contacts;
  mjtNum tolerance;
  mjtNum cutoff;    // > 0: distances up to here are wanted; 0: only whether there is contact
  bool is_contact;  // set by cfi_ccd: contacts are wanted, not a distance

  // what is found
  mjtNum x1[3 * mjMAXCONPAIR], x2[3 * mjMAXCONPAIR];
  int count;  // witness pairs
  mjtNum dist;

  // simplex on which GJK ended, EPA starts from it
  cfMinkowski simplex[4];
  int nsimplex;

  // unit normal of a plane that GJK ended on because A lies behind it and B before it
  mjtNum apart[3];
  bool is_apart;
} cfCcd;

// run GJK and, where it is needed and max_contacts > 0, EPA and the contact manifold; returns dist.
// scratch comes from the stack of d
mjtNum cfi_ccd(cfCcd* q, cfConvex* a, cfConvex* b, mjData* d);

// its first part, which needs no scratch; true: EPA has to follow (cfi_ccdExpand)
bool cfi_ccdBegin(cfCcd* q, cfConvex* a, cfConvex* b);

// shape.c: support point of A - B where one of the shapes is ready, and where none is
void cfi_supportReady(cfMinkowski* v, cfConvex* a, cfConvex* b, const mjtNum dir[3],
                      const mjtNum back[3]);
void cfi_supportPlain(cfMinkowski* v, cfConvex* a, cfConvex* b, const mjtNum dir[3],
                      const mjtNum back[3]);

// support point of A - B along a unit direction; back is its negative
static inline void cfi_supportPair(cfMinkowski* v, cfConvex* a, cfConvex* b, const mjtNum dir[3],
                                   const mjtNum back[3]) {
  if (a->is_ready || b->is_ready) {
    cfi_supportReady(v, a, b, dir, back);
  } else {
    cfi_supportPlain(v, a, b, dir, back);
  }
}


// both shapes are polyhedra without margin: vertices repeat exactly, no tolerance is needed
bool cfi_bothDiscrete(const cfConvex* a, const cfConvex* b);

// gjk.c; x1, x2 hold the starting guess
void cfi_gjk(cfCcd* q, cfConvex* a, cfConvex* b);

// simplex.c: coordinates of the point of the simplex that is nearest to the origin, zero for unused
// vertices. keeps_last: MuJoCo leaves the weight of vertex 3 as an earlier face set it when the
// face without it turns out nearest
void cfi_nearestOnSimplex(mjtNum lambda[4], const cfMinkowski* simplex, int n, bool keeps_last);

// origin projected on the plane of three points; true if they are in line
bool cfi_projectOnPlane(mjtNum res[3], const mjtNum v1[3], const mjtNum v2[3], const mjtNum v3[3]);

// barycentric coordinates of a point of the triangle's plane
void cfi_triangleCoords(mjtNum lambda[3], const mjtNum v1[3], const mjtNum v2[3],
                        const mjtNum v3[3], const mjtNum p[3]);

// volume of the parallelepiped of three edges
static inline mjtNum cfi_det3(const mjtNum a[3], const mjtNum b[3], const mjtNum c[3]) {
  mjtNum n[3];
  cfi_cross(n, b, c);
  return cfi_dot3(a, n);
}


// equal up to rounding in every coordinate
static inline bool cfi_isSamePoint(const mjtNum a[3], const mjtNum b[3]) {
  mjtNum off[3];
  cfi_sub3(off, a, b);
  return cfi_max(cfi_max(fabs(off[0]), fabs(off[1])), fabs(off[2])) < mjMINVAL;
}

#endif  // CF_COLLISION_CONVEX_CCD_H
