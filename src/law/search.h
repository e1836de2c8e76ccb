// Line search: the root of the slope of a convex cost along a line, as a state machine.
//
// The caller evaluates the cost at `alpha` and hands the point in, until the search has ended; so
// one world evaluates its own points, and several worlds evaluate theirs together.  Newton steps
// walk to one side until the slope changes its sign; then the bracket is halved, and each of its
// ends looks ahead to where its slope would vanish if the curvature stayed.
//
//   START -> WALK ... -> AHEAD -> MIDDLE -> LOW and HIGH -> MIDDLE ...
//
// Numbers belong to one world (law/scalar.h): worlds of a group search on their own.
#ifndef CF_LAW_SEARCH_H
#define CF_LAW_SEARCH_H

typedef struct {
  cfReal alpha, cost, slope, curvature;
} lawPoint;

typedef struct {
  cfReal alpha;   // of the next point
  lawPoint best;  // where the step ends, once the search has ended
  int neval;      // points so far

  // on the way: what the next point is; ends of the bracket, and their candidates for the root
  enum { LAW_START, LAW_WALK, LAW_AHEAD, LAW_MIDDLE, LAW_LOW, LAW_HIGH } next;
  lawPoint low, high, ahead_low, ahead_high;
  cfReal start_cost, tolerance, side;
  int limit;        // of points
  bool moved_high;  // the other end of the bracket is yet to look ahead
} lawSearch;


// Begin a search: slopes below the tolerance are zero.
CF_LAW void lawBeginSearch(lawSearch* s, cfReal tolerance, int limit) {
  s->alpha = s->start_cost = s->side = 0;
  s->neval = 0;
  s->next = LAW_START;
  s->tolerance = tolerance;
  s->limit = limit;
}


// Ask for the point where the slope vanishes if the curvature stays.
CF_LAW bool lawAimFrom(lawSearch* s, const lawPoint* from, int next) {
  CF_ASSERT(next > LAW_START && next <= LAW_HIGH);
  s->next = next;
  s->alpha = from->alpha - from->slope / from->curvature;
  return true;
}


CF_LAW bool lawEndSearch(lawSearch* s, const lawPoint* point) {
  s->best = *point;
  return false;
}


// Halve the bracket; without evaluations left, take its better end if it improves on the start.
CF_LAW bool lawHalveBracket(lawSearch* s) {
  CF_ASSERT(s->neval > 0);
  if (s->neval < s->limit) {
    s->next = LAW_MIDDLE;
    s->alpha = (cfReal)0.5 * (s->low.alpha + s->high.alpha);
    return true;
  }
  const lawPoint* better = s->low.cost <= s->high.cost ? &s->low : &s->high;
  if (better->cost < s->start_cost) {
    return lawEndSearch(s, better);
  }
  s->best = (lawPoint){0, s->start_cost, (cfReal)INFINITY, 0};
  return false;
}


// Move an end of the bracket to a candidate that is nearer to the root on its side.
CF_LAW bool lawTighten(lawPoint* end, const lawPoint* candidate) {
  const bool is_same_side =
      (end->slope < 0 && candidate->slope < 0) || (end->slope > 0 && candidate->slope > 0);
  if (is_same_side && realAbs(candidate->slope) < realAbs(end->slope)) {
    *end = *candidate;
    return true;
  }
  return false;
}


CF_LAW bool lawTightenBy(lawPoint* end, const lawSearch* s, const lawPoint* middle) {
  const bool one = lawTighten(end, &s->ahead_low), two = lawTighten(end, &s->ahead_high);
  const bool three = lawTighten(end, middle);
  return one || two || three;
}


// Keep a candidate whose slope is zero if its cost is the least so far.
CF_LAW bool lawKeepConverged(lawSearch* s, bool is_found, const lawPoint* candidate) {
  if (realAbs(candidate->slope) < s->tolerance && (!is_found || candidate->cost < s->best.cost)) {
    s->best = *candidate;
    return true;
  }
  return is_found;
}


// The middle of the bracket is known: end there or at a candidate, or move the ends.
CF_LAW bool lawUseMiddle(lawSearch* s, const lawPoint* middle) {
  bool is_found = lawKeepConverged(s, false, &s->ahead_low);
  is_found = lawKeepConverged(s, is_found, &s->ahead_high);
  if (lawKeepConverged(s, is_found, middle)) {
    return false;
  }
  // both ends look at the same candidates, before either looks ahead
  const bool moved_low = lawTightenBy(&s->low, s, middle);
  s->moved_high = lawTightenBy(&s->high, s, middle);
  if (moved_low) {
    return lawAimFrom(s, &s->low, LAW_LOW);
  }
  return s->moved_high ? lawAimFrom(s, &s->high, LAW_HIGH) : lawEndSearch(s, middle);
}


// A Newton step: the bracket is between the last two points once the slope has changed its sign.
CF_LAW bool lawUseWalk(lawSearch* s, const lawPoint* at) {
  s->high = s->low;
  s->low = *at;
  if (realAbs(at->slope) < s->tolerance) {
    return lawEndSearch(s, at);
  }
  s->side = s->side == 0 ? (at->slope < 0 ? 1 : -1) : s->side;
  if (s->neval >= s->limit) {
    return lawEndSearch(s, at);
  }
  return lawAimFrom(s, at, at->slope * s->side <= -s->tolerance ? LAW_WALK : LAW_AHEAD);
}


// Take the point that was asked for.  False: the search has ended at s->best.
CF_LAW bool lawContinueSearch(lawSearch* s, const lawPoint* at) {
  s->neval++;
  switch (s->next) {
    case LAW_START:
      s->low = *at;
      s->start_cost = at->cost;
      return lawAimFrom(s, at, LAW_WALK);
    case LAW_WALK:
      return lawUseWalk(s, at);
    case LAW_AHEAD:
      s->ahead_low = *at;
      s->ahead_high = s->low;
      return lawHalveBracket(s);
    case LAW_MIDDLE:
      return lawUseMiddle(s, at);
    case LAW_LOW:
      s->ahead_low = *at;
      return s->moved_high ? lawAimFrom(s, &s->high, LAW_HIGH) : lawHalveBracket(s);
    default:
      s->ahead_high = *at;
      return lawHalveBracket(s);
  }
}

#endif  // CF_LAW_SEARCH_H
