// How deep two convex geoms overlap, by the engine's GJK and EPA: in double precision whatever the
// precision of the tier is, because a search that ends by differences of distances needs it.
#ifndef CF_TEAM_OVERLAP_H
#define CF_TEAM_OVERLAP_H

#include <stdbool.h>

#include "collision/convex/planehull.h"

// most iterations (ccd_iterations) that there is room for
enum { CF_OVERLAP_ITERATIONS = 50, CF_OVERLAP_SEARCH = 2976 };

// a geom at its pose
typedef struct {
  int type, nvert;  // vertices of its mesh; 0: none
  mjtNum pos[3], mat[9], size[3];
  mjtNum box[6], radius;  // around a mesh, in its frame: center and half sizes; sphere
  const float* vert;
  const int *graph, *start;  // as cfi_attachHull takes them
} cfOverlapGeom;

typedef struct {
  // what is asked
  cfOverlapGeom geom[2];
  mjtNum margin, tolerance;
  int iterations;

  // the search between its two parts: a cfCcd, whose header the stages cannot include
  cfConvex shape[2];
  _Alignas(16) char search[CF_OVERLAP_SEARCH];
} cfOverlap;

// the contacts
typedef struct {
  int count;
  mjtNum normal[3];
  cfPlaneTouch touch[CF_PLANE_TOUCHES];
} cfOverlapHits;

// bytes of room that the second part of a search needs, aligned to 32
enum { CF_OVERLAP_BYTES = 25088 };

// the way between the centers, or a side of the box around a mesh, shows already that they do not
// touch
bool cfi_areTeamApart(const cfOverlap* pair);

// a search of contacts, GJK: it ends here with its hits, or is to go on (true)
bool cfi_teamOverlapBegins(cfOverlap* pair, cfOverlapHits* hits);

// then EPA; false: there is not enough room
bool cfi_teamOverlapEnds(cfOverlap* pair, void* room, cfOverlapHits* hits);

// vertices of a mesh, the second geom, that touch a plane
void cfi_teamPlaneHull(cfOverlap* pair, cfOverlapHits* hits);

#endif  // CF_TEAM_OVERLAP_H
