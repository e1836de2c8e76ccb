// The collision stage as far as colliders go, at once or in two halves, and the second of them on
// the threads of a pool.
#ifndef CF_COLLISION_HALVES_H
#define CF_COLLISION_HALVES_H

#include <stdbool.h>

#include <mujoco/mujoco.h>

#include "collision/broad/broad.h"
#include "collision/mid/mid.h"
#include "collision/narrow/pair.h"

// between the halves; the list is in scratch of the caller
typedef struct {
  bool may_collide;
  cfPairList list;
  mjtNum time;  // spent so far
} cfCollisionHalf;

// contacts as colliders find them; mj_collision lets the contact solver of the model change them
void cfi_collide(const mjModel* m, mjData* d);

// which bodies may touch; contacts are forgotten
cfCollisionHalf cfi_beginCollision(const mjModel* m, mjData* d);

// their contacts
void cfi_endCollision(const mjModel* m, mjData* d, const cfCollisionHalf* half);

// contacts of all pairs on the threads of a pool; false, and nothing done, where there is none, too
// little to do, or something that only one thread may do
bool cfi_sharePairs(const mjModel* m, mjData* d, const cfPairList* list);

// contacts of two bodies of a model without predefined pairs
void cfi_collideBodies(const mjModel* m, mjData* d, int body1, int body2, cfTreeScratch* scratch,
                       cfContactSink* sink);

#endif  // CF_COLLISION_HALVES_H
