// Box : box and capsule : box, the engine's colliders compiled for the precision of the tier.
//
// They are long and run seldom: one function that is called, with memory of its own, so that the
// registers of the kernel are not spent on them.
#include "team/team.h"

// a contact as the engine's colliders write it
typedef struct {
  cfReal dist, pos[3], frame[6];
} CF_TEAM_NAME(teamFound);

// where contacts go: arrays of the world, first place (-1: they are only counted), number of places
typedef struct {
  cfReal *dist, *pos, *frame;
  int *pair, id, at, most;
} CF_TEAM_NAME(teamTarget);
#define teamTarget CF_TEAM_NAME(teamTarget)

#pragma push_macro("mjtNum")
#pragma push_macro("mjContact")
#pragma push_macro("mjMINVAL")
#pragma push_macro("fabs")
#pragma push_macro("sqrt")
#undef mjMINVAL
#undef fabs
#undef sqrt
#define mjtNum cfReal
#define mjContact CF_TEAM_NAME(teamFound)
#define mjMINVAL CF_TEAM_TINY

// instead of the engine's headers: the vectors of the tier under their names
#define CF_MATH_INLINE_H
#define CF_COLLISION_COLLIDER_H
#define CF_MAXCON_CAPSULEBOX 2
#define CF_MAXCON_BOXBOX mjMAXCONPAIR
#define CF_TABLE_ENTRY(entry, collider)
#define cfGeomView teamShape
#define cfi_boxBox CF_TEAM_NAME(teamBoxBox)
#define cfi_pruneBoxBox CF_TEAM_NAME(teamPruneBoxBox)
#define cfi_boxFaceContacts CF_TEAM_NAME(teamNoFace)
#define cfi_boxEdgeContacts CF_TEAM_NAME(teamNoEdge)
#define cfi_capsuleBox CF_TEAM_NAME(teamCapsuleBox)
#define cfi_sphereBox CF_TEAM_NAME(teamSphereBox)
#define cfi_set3 teamSet3
#define cfi_zero3(res) teamSet3(res, 0, 0, 0)
#define cfi_copy3 teamCopy3
#define cfi_add3 teamAdd3
#define cfi_sub3 teamSub3
#define cfi_scl3 teamScale3
#define cfi_addTo3(res, a) teamAdd3(res, res, a)
#define cfi_addScl3 teamAddScaled3
#define cfi_addToScl3(res, a, s) teamAddScaled3(res, res, a, s)
#define cfi_dot3 teamDot3
#define cfi_normalize3 teamNormalize3
#define cfi_column3 teamColumn3
#define cfi_mulMatVec3 teamMulMatVec3
#define cfi_mulMatTVec3 teamMulMatTVec3
#define cfi_max teamLarger
#define cfi_min teamSmaller
#define cfi_clip teamClip
#define cfi_square(x) ((x) * (x))
#define fabs(x) CF_R(__builtin_fabs)(x)
#define sqrt(x) CF_R(__builtin_sqrt)(x)

static int cfi_boxBox(mjContact con[CF_MAXCON_BOXBOX], teamShape a, teamShape b, cfReal margin);
static int cfi_pruneBoxBox(mjContact* con, int ncon, teamShape a, teamShape b, cfReal margin);
static int cfi_capsuleBox(mjContact con[CF_MAXCON_CAPSULEBOX], teamShape capsule, teamShape box,
                          cfReal margin);


// res = A'*B
CF_TEAM_FN void cfi_mulMatTMat3(cfReal res[9], const cfReal A[9], const cfReal B[9]) {
  for (int r = 0; r < 3; r++) {
    const cfReal column[3] = {A[r], A[r + 3], A[r + 6]};
    teamMulMatTVec3(res + 3 * r, B, column);
  }
}


CF_TEAM_FN int cfi_sphereBox(mjContact* con, teamShape sphere, teamShape box, cfReal margin) {
  teamHit hit;
  const int n = hitBallBox(&hit, sphere.pos, sphere.size[0], box, margin);
  con->dist = hit.dist;
  teamCopy3(con->pos, hit.pos);
  teamCopy3(con->frame, hit.normal);
  teamCopy3(con->frame + 3, hit.hint);
  return n;
}

#include "collision/narrow/boxface.h"

#include "collision/narrow/boxpair.h"

// the header declares functions that other files see; these are seen here alone
#undef cfi_boxFaceContacts
#undef cfi_boxEdgeContacts
#define cfi_boxFaceContacts CF_TEAM_NAME(teamBoxFace)
#define cfi_boxEdgeContacts CF_TEAM_NAME(teamBoxEdge)

static int cfi_boxFaceContacts(mjContact* con, const boxPair* p, const boxAxis* axis);
static int cfi_boxEdgeContacts(mjContact* con, const boxPair* p, const boxAxis* axis);

#include "collision/narrow/boxbox.c"

#include "collision/narrow/boxedge.c"

#include "collision/narrow/boxface.c"

#include "collision/narrow/capsulebox.c"


// contacts of a box with a capsule or another box, written where they are told to; their number
static __attribute__((noinline)) int CF_TEAM_NAME(teamHitBox)(int kind, teamShape a, teamShape b,
                                                              cfReal margin, teamTarget to) {
  mjContact con[CF_MAXCON_BOXBOX];
  int n = 0;
  if (kind == CF_PAIR_BOX_BOX) {
    n = cfi_boxBox(con, a, b, margin);
    n = n ? cfi_pruneBoxBox(con, n, a, b, margin) : 0;
  } else {
    n = cfi_capsuleBox(con, a, b, margin);
  }
  for (int k = 0; to.at >= 0 && k < n && to.at + k < to.most; k++) {
    const int at = to.at + k;
    to.pair[at] = to.id;
    to.dist[at] = con[k].dist;
    teamCopy3(to.pos + 3 * at, con[k].pos);
    teamCopy3(to.frame + 9 * at, con[k].frame);
    teamCopy3(to.frame + 9 * at + 3, con[k].frame + 3);
  }
  return n;
}

#undef CF_MATH_INLINE_H
#undef CF_COLLISION_COLLIDER_H
#pragma pop_macro("sqrt")
#pragma pop_macro("fabs")
#pragma pop_macro("mjMINVAL")
#pragma pop_macro("mjContact")
#pragma pop_macro("mjtNum")
