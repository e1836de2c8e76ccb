// Forces of the medium: a box of the body's inertia, or an ellipsoid per geom.
#ifndef CF_DYNAMICS_FLUID_H
#define CF_DYNAMICS_FLUID_H

#include <stdbool.h>

#include <mujoco/mjdata.h>
#include <mujoco/mjmodel.h>

// coefficients of the ellipsoid model as geom_fluid stores them
typedef struct {
  mjtNum interaction;  // 0: geom does not feel the medium; scales all forces
  mjtNum blunt_drag, slender_drag, angular_drag;
  mjtNum kutta_lift, magnus_lift;
  mjtNum virtual_mass[3], virtual_inertia[3];
} cfFluidCoefs;
_Static_assert(sizeof(cfFluidCoefs) == mjNFLUID * sizeof(mjtNum), "geom_fluid row");

static inline const cfFluidCoefs* cfi_fluidCoefs(const mjModel* m, int geom) {
  return (const cfFluidCoefs*)(const void*)(m->geom_fluid + mjNFLUID * geom);
}

// does any geom of the body use the ellipsoid model?
bool cfi_usesEllipsoidFluid(const mjModel* m, int body);

// edges of the box with the body's inertia
void cfi_inertiaBox(mjtNum box[3], const mjModel* m, int body);

// velocity of a body's inertial frame or of a geom through the medium, in local axes: rotation,
// translation
void cfi_fluidVelocity(mjtNum vel[6], const mjModel* m, const mjData* d, int object, int id);

// stage PASSIVE, part fluid: qfrc_fluid += forces of the medium; false where there is no medium
bool cfi_fluidForces(const mjModel* m, mjData* d);

#endif  // CF_DYNAMICS_FLUID_H
