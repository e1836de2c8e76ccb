// Collision stage: broad phase, middle phase, narrow phase.
#include <stdbool.h>
#include <string.h>

#include "base/assert.h"
#include "collision/broad/broad.h"
#include "collision/broad/near.h"
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
static void collideAll(const mjModel* m, mjData* d, int body1, int body2, predefinedRange range) {
  CF_ASSERT(body1 >= 0 && body1 < m->nbody && body2 >= 0 && body2 < m->nbody);
  const int adr1 = m->body_geomadr[body1], adr2 = m->body_geomadr[body2];
  for (int g1 = adr1; g1 < adr1 + m->body_geomnum[body1]; g1++) {
    for (int g2 = adr2; g2 < adr2 + m->body_geomnum[body2]; g2++) {
      if (!isPredefined(m, range, g1, g2)) {
        cfi_collideGeoms(m, d, g1, g2, false);
      }
    }
  }
}


// candidates of the trees; contacts come in the order of geoms after ordering by type
static void collideCandidates(const mjModel* m, mjData* d, int body1, int body2,
                              predefinedRange range, cfTreeScratch* scratch) {
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
      cfi_collideGeoms(m, d, g1, g2, true);
    }
  }
}


// the same for who knows which geoms may touch: no trees
static void collideKnown(const mjModel* m, mjData* d, int body1, int body2, predefinedRange range,
                         const cfNearPairs* near, int* next) {
  while (near->candidate[near->hit[*next]].body[0] != body1 ||
         near->candidate[near->hit[*next]].body[1] != body2) {
    ++*next;
    CF_ASSERT(*next < near->n);
  }
  const int candidate = near->hit[*next];
  for (int k = near->first_geoms[candidate]; k < near->first_geoms[candidate + 1]; k++) {
    const int g1 = near->geoms[k].geom[0], g2 = near->geoms[k].geom[1];
    if ((near->geoms_meet[k] & near->bit) && !isPredefined(m, range, g1, g2)) {
      cfi_collideGeoms(m, d, g1, g2, true);
    }
  }
}


// near: pairs that are known already, with the place of the next one among them, or NULL
static void collideBodies(const mjModel* m, mjData* d, int body1, int body2, predefinedRange range,
                          cfTreeScratch* scratch, const cfNearPairs* near, int* next) {
  CF_ASSERT(body1 >= 0 && body1 < m->nbody && body2 >= 0 && body2 < m->nbody);
  if (m->body_geomnum[body1] == 1 && m->body_geomnum[body2] == 1) {
    // the broad phase has looked at the spheres of single geoms
    const int g1 = m->body_geomadr[body1], g2 = m->body_geomadr[body2];
    if (!isPredefined(m, range, g1, g2)) {
      cfi_collideGeoms(m, d, g1, g2, true);
    }
    return;
  }
  const bool have_trees = m->body_bvhadr[body1] >= 0 && m->body_bvhadr[body2] >= 0;
  if (!have_trees || cfi_disabled(m, mjDSBL_MIDPHASE)) {
    collideAll(m, d, body1, body2, range);
  } else if (near) {
    collideKnown(m, d, body1, body2, range, near, next);
  } else {
    collideCandidates(m, d, body1, body2, range, scratch);
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


// near: pairs that are known already, or NULL
static void runCollision(const mjModel* m, mjData* d, const cfNearPairs* near) {
  const mjtNum start = cfi_now();
  cfi_clearArenaArrays(d, 0);
  clearMarks(m, d);
  if (cfi_disabled(m, mjDSBL_CONSTRAINT) || cfi_disabled(m, mjDSBL_CONTACT) ||
      m->nbody + m->nflex < 2) {
    return;
  }

  mj_markStack(d);
  const mjtNum broad = cfi_now();
  const cfPairList list = near ? cfi_nearPairs(m, d, near) : cfi_broadphase(m, d);
  cfi_addTime(d, mjTIMER_COL_BROAD, broad, 1);

  CF_ASSERT(d->ncon == 0 && d->parena == 0);
  const mjtNum narrow = cfi_now();
  collidePairs(m, d, &list, near);
  cfi_collideFlexSelf(m, d);
  cfi_addTime(d, mjTIMER_COL_NARROW, narrow, 1);
  mj_freeStack(d);
  cfi_addTime(d, mjTIMER_POS_COLLISION, start, 1);
}


// stage COLLISION.  reads: geom_xpos, geom_xmat, xipos, ximat, flexvert_xpos, body_awake.
// writes: contact, ncon, bvh_active; clears all other arrays in the arena
void mj_collision(const mjModel* m, mjData* d) {
  runCollision(m, d, NULL);
}


void cfi_collideNear(const mjModel* m, mjData* d, const cfNearPairs* near) {
  runCollision(m, d, near);
}
