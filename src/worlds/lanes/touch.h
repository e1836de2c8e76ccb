// Contacts of two geoms in W worlds, and the words with which the laws of contacts find them for a
// set of worlds that have the same number of contacts.

typedef struct {
  cfVec dist, pos[3], frame[9];
} lawTouch;

// the contacts of the worlds in `set`
typedef struct {
  unsigned set;    // worlds that are still together
  unsigned none;   // worlds without contact
  unsigned alone;  // worlds that have to find their contacts themselves
  int n;
  lawTouch contact[CF_LANE_PAIR_CONTACTS];
} laneTouches;


// leave worlds to themselves
CF_LANE_INLINE void laneLeaveAlone(laneTouches* t, unsigned worlds) {
  t->alone |= worlds & t->set;
  t->set &= ~worlds;
}


// worlds that turn out to have no contact; true if no others are left
CF_LANE_INLINE bool laneTouchNothing(laneTouches* t, cfMask is_apart) {
  const unsigned apart = laneBits(is_apart) & t->set;
  t->none |= apart;
  t->set &= ~apart;
  return !t->set;
}


// a branch that is left to the worlds
CF_LANE_INLINE bool laneSeldom(laneTouches* t, cfMask is_taken) {
  laneLeaveAlone(t, laneBits(is_taken));
  return false;
}


// true, and all worlds are alone, if there is no place for another contact
CF_LANE_INLINE bool laneIsFull(laneTouches* t, int n) {
  if (n < CF_LANE_PAIR_CONTACTS) {
    return false;
  }
  laneLeaveAlone(t, t->set);
  return true;
}


typedef laneTouches* cfWorlds;
typedef lawTouch* cfTouches;
typedef laneSize cfSize;
#define CF_LAW_TOGETHER
#define CF_LAW_TINY mjMINVAL
#define CF_LAW_PARALLEL(x) mjMINVAL
#define CF_LAW_ALONE(x) 0
#define numWide laneWide
#define numAgree(w, is) laneAgree(&(w)->set, is)
#define numAgreeOn(w, number) laneAgreeOn(&(w)->set, number)
#define numNowhere(w, is) (!(laneBits(is) & (w)->set))
#define numDone laneTouchNothing
#define numSeldom laneSeldom
#define numNoRoom laneIsFull
#define numTouchBelow(out, n, normal, point, dist, depth) \
  lawTouchBelow((out) + (n), normal, point, dist, depth)

#include "law/closedforms.h"

#include "law/boxes.h"


// complete the frames; worlds in which a normal has no length are left to themselves
static void laneCompleteFrames(laneTouches* t) {
  CF_ASSERT(!(t->set & (t->none | t->alone)));
  for (int k = 0; k < t->n; k++) {
    cfVec* frame = t->contact[k].frame;
    laneLeaveAlone(t, laneBits(laneSqrt(numDot3(frame, frame)) < 0.5));
    numCompleteFrame(frame);
  }
}
