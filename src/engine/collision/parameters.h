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

static inline cfContactSide cfi_geomSide(const mjModel* m, int g) {
  return (cfContactSide){.priority = m->geom_priority[g],
                         .dim = m->geom_condim[g],
                         .gap = m->geom_gap[g],
                         .solmix = m->geom_solmix[g],
                         .solref = m->geom_solref + mjNREF * g,
                         .solimp = m->geom_solimp + mjNIMP * g,
                         .friction = m->geom_friction + 3 * g};
}


static inline cfContactSide cfi_flexSide(const mjModel* m, int f) {
  return (cfContactSide){.priority = m->flex_priority[f],
                         .dim = m->flex_condim[f],
                         .gap = m->flex_gap[f],
                         .solmix = m->flex_solmix[f],
                         .solref = m->flex_solref + mjNREF * f,
                         .solimp = m->flex_solimp + mjNIMP * f,
                         .friction = m->flex_friction + 3 * f};
}


// combine two sides; overrides and the friction floor are applied
void cfi_mixParameters(cfContactParameters* p, const mjModel* m, const cfContactSide* a,
                       const cfContactSide* b);

// parameters of a predefined pair
void cfi_pairParameters(cfContactParameters* p, const mjModel* m, int pair);

// complete a contact whose dist, pos and normal are known: parameters, frame, defaults of what
// comes later. geom, flex, elem and vert ids are set before
void cfi_setContact(mjContact* con, const cfContactParameters* p, mjtNum includemargin);

// the same where the frame is complete
void cfi_setFramedContact(mjContact* con, const cfContactParameters* p, mjtNum includemargin);

#endif  // CF_COLLISION_PARAMETERS_H
