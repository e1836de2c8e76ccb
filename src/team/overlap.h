// How deep two convex geoms overlap, by the engine's GJK and EPA: in double precision whatever the
// precision of the tier is, because a search that ends by differences of distances needs it.
#ifndef CF_TEAM_OVERLAP_H
#define CF_TEAM_OVERLAP_H

#include <stdbool.h>

#include <mujoco/mjtnum.h>

// most iterations (ccd_iterations) that there is room for
enum { CF_OVERLAP_ITERATIONS = 50 };

// a geom without mesh at its pose
typedef struct {
  int type;
  mjtNum pos[3], mat[9], size[3];
} cfOverlapGeom;

typedef struct {
  // what is asked
  cfOverlapGeom geom[2];
  mjtNum margin, tolerance;
  int iterations;

  // the contact
  mjtNum dist, pos[3], normal[3];
} cfOverlap;

// bytes of room that a search needs, aligned to 32
enum { CF_OVERLAP_BYTES = 25088 };

// the way between the centers shows already that they do not touch
bool cfi_areTeamApart(const cfOverlap* pair);

// contacts of two geoms, 0 or 1; -1: there is no room to find out
int cfi_teamOverlap(cfOverlap* pair, void* room);

#endif  // CF_TEAM_OVERLAP_H
