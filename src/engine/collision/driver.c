// Collision stage: broad phase, middle phase, narrow phase.
#include <stdbool.h>
#include <string.h>

#include "base/assert.h"
#include "base/likely.h"
#include "collision/broad/broad.h"
#include "collision/broad/near.h"
#include "collision/halves.h"
#include "collision/flex/flex.h"
#include "collision/mid/mid.h"
#include "collision/narrow/pair.h"
#include "model/data.h"
#include "model/extension.h"
#include "model/flags.h"
#include "model/timer.h"

// predefined pairs of the model that concern the current pair of bodies: [begin, end)
typedef struct {
  int begin, end;
} predefinedRange;


static bool isPredefined(const mjModel* m, predefinedRange range, int g1, int g2) {
  CF_ASSERT(g1 >= 0 && g1 < m->ngeom && g2 >= 0 && g2 < m->ngeom);
  for (int k = range.begin; k < range.end; k++) {
    const int p1 = m->pair_geom1[k], p2 = m->pair_geom2[k];
    if ((p1 == g1 && p2 == g2) || (p1 == g2 && p2 == g1)) {
      return true;
    }
  }
  return false;
}


// every geom of one body against every geom of the other, in their order
static void collideAll(const mjModel* m, mjData* d, int body1, int body2, predefinedRange range,
                       cfContactSink* sink) {
  CF_ASSERT(body1 >= 0 && body1 < m->nbody && body2 >= 0 && body2 < m->nbody);
  const int adr1 = m->body_geomadr[body1], adr2 = m->body_geomadr[body2];
  for (int g1 = adr1; g1 < adr1 + m->body_geomnum[body1]; g1++) {
    for (int g2 = adr2; g2 < adr2 + m->body_geomnum[body2]; g2++) {
      if (!isPredefined(m, range, g1, g2)) {
        cfi_collideGeoms(m, d, g1, g2, false, sink);
      }
    }
  }
}


// candidates of the trees; contacts come in the order of geoms after ordering by type
static void collideCandidates(const mjModel* m, mjData* d, int body1, int body2,
                              predefinedRange range, cfTreeScratch* scratch, cfContactSink* sink) {
  CF_ASSERT(scratch != NULL);
  cfi_collideTrees(scratch, m, d, body1, body2);
  cfPairList* found = &scratch->found;
  if (!found->n) {
    return;
  }
  for (int k = 0; k < found->n; k++) {
    const int g1 = cfi_pairFirst(found->key[k]), g2 = cfi_pairSecond(found->key[k]);
    if (m->geom_type[g1] > m->geom_type[g2]) {
      found->key[k] = cfi_pairKey(g2, g1);
    }
  }
  cfi_sortPairs(found, (int)m->ngeom);
  for (int k = 0; k < found->n; k++) {
    const int g1 = cfi_pairFirst(found->key[k]), g2 = cfi_pairSecond(found->key[k]);
    if (!isPredefined(m, range, g1, g2)) {
      cfi_collideGeoms(m, d, g1, g2, true, sink);
    }
  }
}


static bool areSingle(const mjModel* m, int body1, int body2) {
  return m->body_geomnum[body1] == 1 && m->body_geomnum[body2] == 1;
}


// two bodies whose geoms are known, and what a walk over their trees has found
typedef struct {
  int body[2];
  bool are_single, has_walked;
  cfTreeScratch* scratch;
} knownPair;


// does a walk over the trees find two geoms: their last boxes are asked first, those of the nodes
// above only where these overlap.  They round otherwise, and the box of a plane hides much
static bool treesFind(const mjModel* m, mjData* d, knownPair* pair, int g1, int g2) {
  const bool is_first = m->geom_bodyid[g1] == pair->body[0];
  const int first = is_first ? g1 : g2, second = is_first ? g2 : g1;
  CF_ASSERT(m->geom_bodyid[first] == pair->body[0] && m->geom_bodyid[second] == pair->body[1]);
  if (!cfi_leavesMeet(m, d, first, second)) {
    return false;
  }
  if (!pair->has_walked) {
    cfi_collideTrees(pair->scratch, m, d, pair->body[0], pair->body[1]);
    pair->has_walked = true;
  }
  const cfPairList* found = &pair->scratch->found;
  bool is_found = false;
  for (int k = 0; k < found->n && !is_found; k++) {
    is_found = found->key[k] == cfi_pairKey(first, second);
  }
  return is_found;
}


// the same for who knows which geoms may touch: trees are walked only where geoms need a collider.
// GJK takes shapes for touching that are apart by its tolerance, and EPA may find any depth then
static void collideKnown(const mjModel* m, mjData* d, predefinedRange range,
                         const cfNearPairs* near, int candidate, cfTreeScratch* scratch) {
  const int* body = near->candidate[candidate].body;
  knownPair pair = {{body[0], body[1]}, areSingle(m, body[0], body[1]), false, scratch};
  for (int k = near->first_geoms[candidate]; k < near->first_geoms[candidate + 1]; k++) {
    const int g1 = near->geoms[k].geom[0], g2 = near->geoms[k].geom[1];
    if (!(near->geoms_meet[k] & near->bit) || isPredefined(m, range, g1, g2)) {
      continue;
    }
    if (near->known[k] & near->bit) {
      const size_t step = (size_t)CF_BARE_CONTACT * (size_t)near->nworld;
      const size_t at = (size_t)k * (size_t)near->nworld;
      cfContactParameters own = {.dim = 0};
      if (!near->parameters && near->found_count[at]) {
        const cfContactSide a = cfi_geomSide(m, g1), b = cfi_geomSide(m, g2);
        cfi_mixParameters(&own, m, &a, &b);
      }
      cfi_acceptFound(m, d, g1, g2, near->parameters ? near->parameters + k : &own,
                      near->found + step * (size_t)near->found_at[at], step, near->found_count[at]);
    } else if (pair.are_single || treesFind(m, d, &pair, g1, g2)) {
      cfi_collideGeoms(m, d, g1, g2, true, NULL);
    }
  }
}


// the candidate of two bodies, from *next on
static int findNear(const cfNearPairs* near, int body1, int body2, int* next) {
  while (near->candidate[near->hit[*next]].body[0] != body1 ||
         near->candidate[near->hit[*next]].body[1] != body2) {
    ++*next;
    CF_ASSERT(*next < near->n);
  }
  return near->hit[*next];
}


// are there trees that tell which geoms of two bodies may touch, and is it worth asking?
static bool haveTrees(const mjModel* m, int body1, int body2) {
  return !areSingle(m, body1, body2) && m->body_bvhadr[body1] >= 0 && m->body_bvhadr[body2] >= 0 &&
         !cfi_disabled(m, mjDSBL_MIDPHASE);
}


bool cfi_takesKnown(const mjModel* m, int body1, int body2) {
  return areSingle(m, body1, body2) || haveTrees(m, body1, body2);
}


// all geoms of two bodies
static void collideTwo(const mjModel* m, mjData* d, int body1, int body2, predefinedRange range,
                       cfTreeScratch* scratch, cfContactSink* sink) {
  if (areSingle(m, body1, body2)) {
    // the broad phase has looked at the spheres of single geoms
    const int g1 = m->body_geomadr[body1], g2 = m->body_geomadr[body2];
    if (!isPredefined(m, range, g1, g2)) {
      cfi_collideGeoms(m, d, g1, g2, true, sink);
    }
  } else if (haveTrees(m, body1, body2)) {
    collideCandidates(m, d, body1, body2, range, scratch, sink);
  } else {
    collideAll(m, d, body1, body2, range, sink);
  }
}


void cfi_collideBodies(const mjModel* m, mjData* d, int body1, int body2, cfTreeScratch* scratch,
                       cfContactSink* sink) {
  CF_ASSERT(m->npair == 0);
  collideTwo(m, d, body1, body2, (predefinedRange){0, 0}, scratch, sink);
}


// near: pairs that are known already, with the place of the next one among them, or NULL
static void collideBodies(const mjModel* m, mjData* d, int body1, int body2, predefinedRange range,
                          cfTreeScratch* scratch, const cfNearPairs* near, int* next) {
  CF_ASSERT(body1 >= 0 && body1 < m->nbody && body2 >= 0 && body2 < m->nbody);
  if (near && cfi_takesKnown(m, body1, body2)) {
    collideKnown(m, d, range, near, findNear(near, body1, body2, next), scratch);
  } else {
    collideTwo(m, d, body1, body2, range, scratch, NULL);
  }
}


// pairs of bodies merged with predefined pairs, both sorted by signature
static void collidePairs(const mjModel* m, mjData* d, const cfPairList* list,
                         const cfNearPairs* near) {
  cfTreeScratch scratch = {.found = {.d = d}, .todo = {.d = d}};
  int next = 0, next_near = 0;
  for (int k = 0; k < list->n; k++) {
    const int mover1 = cfi_pairFirst(list->key[k]), mover2 = cfi_pairSecond(list->key[k]);
    CF_ASSERT(0 <= mover1 && mover1 < mover2 && mover2 < m->nbody + m->nflex);
    const unsigned int signature = ((unsigned int)mover1 << 16) + (unsigned int)mover2;
    predefinedRange range = {next, next};
    while (next < m->npair && (unsigned int)m->pair_signature[next] <= signature) {
      cfi_collidePredefined(m, d, next++);
      range.end = next;
    }
    if (mover2 < m->nbody) {
      collideBodies(m, d, mover1, mover2, range, &scratch, near, &next_near);
    } else {
      cfi_collideFlexPair(m, d, mover1, mover2);
    }
  }
  while (next < m->npair) {
    cfi_collidePredefined(m, d, next++);
  }
}


// forget which nodes were marked for drawing: trees of meshes can be large and are marked by rays
// alone
static void clearMarks(const mjModel* m, mjData* d) {
  cfExtension* extension = cfi_dataExtension(d);
  if (m->vis.global.bvactive) {
    memset(d->bvh_active, 0, (size_t)extension->bvh_end);
    extension->bvh_end = 0;
  }
}


// forget the contacts; false where there cannot be any
static bool beginCollision(const mjModel* m, mjData* d) {
  cfi_clearArenaArrays(d, 0);
  clearMarks(m, d);
  return !cfi_disabled(m, mjDSBL_CONSTRAINT) && !cfi_disabled(m, mjDSBL_CONTACT) &&
         m->nbody + m->nflex >= 2;
}


// near: pairs that are known already, or NULL
static cfPairList findPairs(const mjModel* m, mjData* d, const cfNearPairs* near) {
  const mjtNum broad = cfi_now();
  const cfPairList list = near ? cfi_nearPairs(m, d, near) : cfi_broadphase(m, d);
  cfi_addTime(d, mjTIMER_COL_BROAD, broad, 1);
  return list;
}


static inline __attribute__((always_inline)) void makeContacts(const mjModel* m, mjData* d,
                                                               const cfPairList* list,
                                                               const cfNearPairs* near) {
  CF_ASSERT(d->ncon == 0 && d->parena == 0);
  const mjtNum narrow = cfi_now();
  if (near || CF_OFTEN(!d->threadpool) || !cfi_sharePairs(m, d, list)) {
    collidePairs(m, d, list, near);
    cfi_collideFlexSelf(m, d);
  }
  cfi_addTime(d, mjTIMER_COL_NARROW, narrow, 1);
}


static void runCollision(const mjModel* m, mjData* d, const cfNearPairs* near) {
  const mjtNum start = cfi_now();
  if (!beginCollision(m, d)) {
    return;
  }
  mj_markStack(d);
  const cfPairList list = findPairs(m, d, near);
  makeContacts(m, d, &list, near);
  mj_freeStack(d);
  cfi_addTime(d, mjTIMER_POS_COLLISION, start, 1);
}


// stage COLLISION.  reads: geom_xpos, geom_xmat, xipos, ximat, flexvert_xpos, body_awake.
// writes: contact, ncon, bvh_active; clears all other arrays in the arena
void cfi_collide(const mjModel* m, mjData* d) {
  runCollision(m, d, NULL);
}


// every contact is known: neither lists nor colliders
static void acceptNear(const mjModel* m, mjData* d, const cfNearPairs* near) {
  const mjtNum start = cfi_now();
  if (!beginCollision(m, d)) {
    return;
  }
  cfi_addTime(d, mjTIMER_COL_BROAD, start, 1);
  for (int i = 0; i < near->n; i++) {
    if (near->meets[near->hit[i]] & near->bit) {
      collideKnown(m, d, (predefinedRange){0, 0}, near, near->hit[i], NULL);
    }
  }
  cfi_addTime(d, mjTIMER_COL_NARROW, start, 1);
  cfi_addTime(d, mjTIMER_POS_COLLISION, start, 1);
}


void cfi_collideNear(const mjModel* m, mjData* d, const cfNearPairs* near) {
  if (near->is_all_known && !m->npair) {
    acceptNear(m, d, near);
  } else {
    runCollision(m, d, near);
  }
}


cfCollisionHalf cfi_beginCollision(const mjModel* m, mjData* d) {
  cfCollisionHalf half = {.may_collide = beginCollision(m, d)};
  const mjtNum start = cfi_now();
  if (half.may_collide) {
    half.list = findPairs(m, d, NULL);
    half.time = cfi_now() - start;
  }
  return half;
}


void cfi_endCollision(const mjModel* m, mjData* d, const cfCollisionHalf* half) {
  if (half->may_collide) {
    const mjtNum start = cfi_now() - half->time;
    makeContacts(m, d, &half->list, NULL);
    cfi_addTime(d, mjTIMER_POS_COLLISION, start, 1);
  }
}
