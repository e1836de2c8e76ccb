// Where flex collisions join the driver.
#ifndef CF_COLLISION_FLEXSEAM_H
#define CF_COLLISION_FLEXSEAM_H

#include <mujoco/mujoco.h>

// a body or flex against a flex, both as movers of the broad phase, mover2 a flex
void cfi_collideFlexPair(const mjModel* m, mjData* d, int mover1, int mover2);

// contacts within each flex
void cfi_collideFlexSelf(const mjModel* m, mjData* d);

#endif  // CF_COLLISION_FLEXSEAM_H
