// Middle phase: which geoms of two bodies may touch.
#ifndef CF_COLLISION_MID_MID_H
#define CF_COLLISION_MID_MID_H

#include "collision/broad/broad.h"

// scratch of the walk, shared by all pairs of a step
typedef struct {
  cfPairList found;  // pairs of geoms
  cfPairList todo;   // pairs of nodes still to be visited
} cfTreeScratch;

// mark a node, which several threads may do at once
static inline void cfi_markNode(mjtByte* active) {
#ifdef __NVPTX__
  *active = 1;
#else
  __atomic_store_n(active, 1, __ATOMIC_RELAXED);
#endif
}

// would a walk that comes to two geoms, the first of the body with the lower id, have them touch
bool cfi_leavesMeet(const mjModel* m, const mjData* d, int g0, int g1);

// does a walk over the trees of two bodies end before it finds or marks anything
bool cfi_treesApart(const mjModel* m, const mjData* d, int body1, int body2);

// walk the bounding volume trees of two bodies, put into s->found the pairs of geoms (first of
// body1, second of body2) whose spheres and boxes come closer than their margins; marks
// d->bvh_active when the model asks for it
void cfi_collideTrees(cfTreeScratch* s, const mjModel* m, mjData* d, int body1, int body2);

#endif  // CF_COLLISION_MID_MID_H
