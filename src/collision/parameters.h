// Contact parameters: how those of two geoms combine.
#ifndef CF_COLLISION_PARAMETERS_H
#define CF_COLLISION_PARAMETERS_H

#include <mujoco/mujoco.h>

// everything about a contact that does not depend on where it is
typedef struct {
  int dim;
  mjtNum gap;
  mjtNum friction[5];
  mjtNum solref[mjNREF], solreffriction[mjNREF];
  mjtNum solimp[mjNIMP];
} cfContactParameters;

// what one side brings: a geom, or a flex
typedef struct {
  int priority, dim;
  mjtNum gap, solmix;
  const mjtNum *solref, *solimp, *friction;
} cfContactSide;

cfContactSide cfi_geomSide(const mjModel* m, int g);
cfContactSide cfi_flexSide(const mjModel* m, int f);

// combine two sides; overrides and the friction floor are applied
void cfi_mixParameters(cfContactParameters* p, const mjModel* m, cfContactSide a, cfContactSide b);

// parameters of a predefined pair
void cfi_pairParameters(cfContactParameters* p, const mjModel* m, int pair);

// complete a contact whose dist, pos and normal are known: parameters, frame, defaults of what comes later.
// geom, flex, elem and vert ids are set before
void cfi_setContact(mjContact* con, const cfContactParameters* p, mjtNum includemargin);

#endif  // CF_COLLISION_PARAMETERS_H
