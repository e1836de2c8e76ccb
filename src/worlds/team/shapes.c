// Colliders of pairs of geoms, each by one thread: the laws of contacts for the fast tier.
#include "team/team.h"

// one contact as a collider finds it: of the frame, the normal and the tangent or zero
typedef struct {
  cfReal dist, pos[3], frame[6];
} CF_TEAM_NAME(teamHit);
#define lawTouch CF_TEAM_NAME(teamHit)

// where a collider of many contacts writes them: place -1: nowhere, they are only counted
typedef struct {
  const cfTeam* t;
  int pair, at;
} CF_TEAM_NAME(teamSink);
#define cfTouches CF_TEAM_NAME(teamSink)


// a contact as it was found
CF_TEAM_FN void putHit(const cfTeam* t, int at, int pair, const lawTouch* hit) {
  if (at >= t->m->ncon_max) {
    return;
  }
  CF_WORLD(t, con_pair)[at] = pair;
  CF_WORLD(t, con_dist)[at] = hit->dist;
  numCopy3(CF_WORLD(t, con_pos) + 3 * at, hit->pos);
  numCopy(CF_WORLD(t, con_frame) + 9 * at, hit->frame, 6);
}


// contact n of a sink
CF_TEAM_FN void numTouchBelow(cfTouches sink, int n, const cfReal normal[3], const cfReal point[3],
                              cfReal dist, cfReal depth) {
  if (sink.at >= 0) {
    lawTouch hit = {.dist = dist, .frame = {normal[0], normal[1], normal[2], 0, 0, 0}};
    numAddScaled3(hit.pos, point, normal, -depth);
    putHit(sink.t, sink.at + n, sink.pair, &hit);
  }
}

#include "law/closedforms.h"

#include "law/boxes.h"
#include "law/capsulebox.h"


CF_TEAM_FN lawView teamGeom(const cfTeam* t, int g) {
  return (lawView){CF_WORLD(t, geom_xpos) + 3 * g, CF_WORLD(t, geom_xmat) + 9 * g,
                   CF_FORM(t, geom_size) + 3 * g};
}


// the lowest point of an ellipsoid
CF_TEAM_FN int hitPlaneEllipsoid(lawTouch* hit, lawView plane, lawView ellipsoid, cfReal margin) {
  cfReal normal[3], down[3], local[3], point[3];
  numColumn3(normal, plane.mat, 2);
  numScale3(down, normal, -1);
  numMulMatTVec3(local, ellipsoid.mat, down);
  numSet3(local, local[0] * ellipsoid.size[0], local[1] * ellipsoid.size[1],
          local[2] * ellipsoid.size[2]);
  const cfReal scale = 1 / teamSqrt(numDot3(local, local));
  numSet3(local, local[0] * ellipsoid.size[0] * scale, local[1] * ellipsoid.size[1] * scale,
          local[2] * ellipsoid.size[2] * scale);
  numMulMatVec3(point, ellipsoid.mat, local);
  numAdd3(point, point, ellipsoid.pos);
  const cfReal height = lawHeight(plane, normal, point);
  lawTouchBelow(hit, normal, point, height, height / 2);
  return !(height > margin);
}


// Contacts of a box with a capsule or another box, of which there may be many; their number.  Long
// and seldom: a function that is called, with memory of its own, so that the registers of the
// kernel are not spent on it
static __attribute__((noinline)) int CF_TEAM_NAME(teamHitBox)(int kind, lawView a, lawView b,
                                                              cfReal margin, cfTouches sink) {
  lawTouch con[mjMAXCONPAIR];
  int n = 0;
  if (kind == CF_PAIR_BOX_BOX) {
    n = lawBoxes(CF_ONE_WORLD, con, a, b, margin);
    n = lawPruneBoxes(CF_ONE_WORLD, con, n, a, b, margin);
  } else {
    n = lawCapsuleBox(CF_ONE_WORLD, con, a, b, margin);
  }
  for (int k = 0; sink.at >= 0 && k < n; k++) {
    putHit(sink.t, sink.at + k, sink.pair, con + k);
  }
  return n;
}
