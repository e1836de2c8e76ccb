// Line search of one world in a group: the search of solver/linesearch.c, turned inside out so that
// the points that W worlds ask for are evaluated together.
#ifndef CF_BATCH_LANES_SEARCH_H
#define CF_BATCH_LANES_SEARCH_H

#include <stdbool.h>

#include <mujoco/mjtnum.h>

typedef struct {
  mjtNum alpha, cost, slope, curvature;
} cfLanePoint;

typedef struct {
  mjtNum alpha;      // of the point that it asks for
  cfLanePoint best;  // when it is over
  int neval;

  // on the way
  enum {
    CF_SEARCH_START,
    CF_SEARCH_FIRST,
    CF_SEARCH_WALK,
    CF_SEARCH_BRACKET,
    CF_SEARCH_MIDDLE,
    CF_SEARCH_AHEAD_0,
    CF_SEARCH_AHEAD_1
  } wait;  // for which point
  cfLanePoint start, end[2], candidate[3];
  mjtNum tolerance, side;
  int limit;
  bool has_moved;  // the first end of the bracket
} cfLaneSearch;

// ask for the first point
void cfi_beginSearch(cfLaneSearch* s, mjtNum tolerance, int limit);

// take what was found at the point that it asked for.  False: it is over, and s->best is where the
// step ends
bool cfi_continueSearch(cfLaneSearch* s, mjtNum cost, mjtNum slope, mjtNum curvature);

#endif  // CF_BATCH_LANES_SEARCH_H
