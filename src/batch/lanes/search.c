// Line search of one world in a group, point by point; the decisions are those of
// solver/linesearch.c.
#include "batch/lanes/search.h"

#include <math.h>

#include "base/assert.h"


static bool askFor(cfLaneSearch* s, mjtNum alpha, int wait) {
  s->alpha = alpha;
  s->wait = wait;
  return true;
}


// the point where the slope vanishes if the curvature stays
static bool askAhead(cfLaneSearch* s, const cfLanePoint* from, int wait) {
  return askFor(s, from->alpha - from->slope / from->curvature, wait);
}


static bool endSearch(cfLaneSearch* s, const cfLanePoint* point) {
  s->best = *point;
  return false;
}


void cfi_beginSearch(cfLaneSearch* s, mjtNum tolerance, int limit) {
  s->tolerance = tolerance;
  s->limit = limit;
  s->neval = 0;
  askFor(s, 0, CF_SEARCH_START);
}


// Newton steps to one side until the slope changes sign
static bool walkOn(cfLaneSearch* s) {
  if (fabs(s->end[0].slope) < s->tolerance) {
    return endSearch(s, s->end);
  }
  if (s->end[0].slope * s->side <= -s->tolerance && s->neval < s->limit) {
    s->end[1] = s->end[0];
    return askAhead(s, s->end, CF_SEARCH_WALK);
  }
  if (s->neval >= s->limit) {
    return endSearch(s, s->end);
  }
  s->candidate[1] = s->end[0];
  return askAhead(s, s->end, CF_SEARCH_BRACKET);
}


// the middle of the bracket, or the better end if there are no evaluations left
static bool halveBracket(cfLaneSearch* s) {
  if (s->neval < s->limit) {
    return askFor(s, 0.5 * (s->end[0].alpha + s->end[1].alpha), CF_SEARCH_MIDDLE);
  }
  const cfLanePoint* better = s->end[0].cost <= s->end[1].cost ? s->end : s->end + 1;
  const cfLanePoint stay = {0, s->start.cost, INFINITY, 0};
  return endSearch(s, better->cost < s->start.cost ? better : &stay);
}


// one end of the bracket moves to candidates nearer to the root on its side
static bool moveEnd(cfLanePoint* end, const cfLanePoint candidate[3]) {
  bool has_moved = false;
  for (int k = 0; k < 3; k++) {
    const mjtNum slope = candidate[k].slope;
    const bool same_side = (end->slope < 0 && slope < 0) || (end->slope > 0 && slope > 0);
    if (same_side && fabs(slope) < fabs(end->slope)) {
      *end = candidate[k];
      has_moved = true;
    }
  }
  return has_moved;
}


// after the first end: `old` are the candidates that both ends look at
static bool moveSecond(cfLaneSearch* s, const cfLanePoint old[3]) {
  if (moveEnd(s->end + 1, old)) {
    return askAhead(s, s->end + 1, CF_SEARCH_AHEAD_1);
  }
  return s->has_moved ? halveBracket(s) : endSearch(s, s->candidate + 2);
}


static bool moveBracket(cfLaneSearch* s) {
  const cfLanePoint* best = NULL;
  for (int k = 0; k < 3; k++) {
    const cfLanePoint* c = s->candidate + k;
    if (fabs(c->slope) < s->tolerance && (!best || c->cost < best->cost)) {
      best = c;
    }
  }
  if (best) {
    return endSearch(s, best);
  }
  s->has_moved = moveEnd(s->end, s->candidate);
  return s->has_moved ? askAhead(s, s->end, CF_SEARCH_AHEAD_0) : moveSecond(s, s->candidate);
}


bool cfi_continueSearch(cfLaneSearch* s, mjtNum cost, mjtNum slope, mjtNum curvature) {
  const cfLanePoint point = {s->alpha, cost, slope, curvature};
  CF_ASSERT(s->neval <= s->limit + 3);
  s->neval++;
  switch (s->wait) {
    case CF_SEARCH_START:
      s->start = point;
      return askAhead(s, &s->start, CF_SEARCH_FIRST);
    case CF_SEARCH_FIRST:
      s->end[0] = point;
      s->end[1] = s->start;
      s->side = point.slope < 0 ? 1 : -1;
      return walkOn(s);
    case CF_SEARCH_WALK:
      s->end[0] = point;
      return walkOn(s);
    case CF_SEARCH_BRACKET:
      s->candidate[0] = point;
      return halveBracket(s);
    case CF_SEARCH_MIDDLE:
      s->candidate[2] = point;
      return moveBracket(s);
    case CF_SEARCH_AHEAD_0: {
      // the second end still looks at what the first one did
      const cfLanePoint old[3] = {s->candidate[0], s->candidate[1], s->candidate[2]};
      s->candidate[0] = point;
      return moveSecond(s, old);
    }
    default:
      s->candidate[1] = point;
      return halveBracket(s);
  }
}
