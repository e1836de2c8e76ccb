// Elasticity of flexes at displaced vertices, for implicit steps beyond small strains.
//
// Only models that are functions of the vertices they are shown take part: every model of
// elasticity but MuJoCo's own, whose forces come from the lengths of edges.
#ifndef CF_FLEX_TRIAL_H
#define CF_FLEX_TRIAL_H

#include <stdbool.h>

#include <mujoco/mujoco.h>

#include "flex/stiffness.h"

// True if the elasticity of a flex with implicit stiffness takes part.
bool cfi_hasTrial(const mjModel* m, int f);

// Energy of these flexes where the dofs are displaced by dq, to first order in the motion of the
// vertices, whose Jacobian is that of the stiffness at the present positions.
mjtNum cfi_trialEnergy(const cfFlexStiffness* stiffness, const mjModel* m, mjData* d,
                       const mjtNum* dq);

// res += their force on the dofs there
void cfi_addTrialForce(mjtNum* res, const cfFlexStiffness* stiffness, const mjModel* m, mjData* d,
                       const mjtNum* dq);

// True if the damping of such a flex is a linear function of velocities that can be applied: that
// of hyperelastic models, in Green's strain, which is damping*K at small strains alone.
bool cfi_hasTrialDamping(const mjModel* m, int f);

// res += scale*D*vec with their damping D at the present positions
void cfi_addTrialDamping(mjtNum* res, const cfFlexStiffness* stiffness, const mjModel* m, mjData* d,
                         const mjtNum* vec, mjtNum scale);

// Their stiffness there, on the stack of d.
cfFlexStiffness cfi_trialStiffness(const cfFlexStiffness* stiffness, const mjModel* m, mjData* d,
                                   const mjtNum* dq);

#endif  // CF_FLEX_TRIAL_H
