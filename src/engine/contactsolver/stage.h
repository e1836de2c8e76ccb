// What the integrators need of the constraint stage.
#ifndef CF_CONTACTSOLVER_STAGE_H
#define CF_CONTACTSOLVER_STAGE_H

#include <mujoco/mjdata.h>
#include <mujoco/mjmodel.h>

#include "solver/solver.h"

// mj_fwdConstraint; known: what the rows' solver would find out about its start, or NULL
void cfi_fwdConstraint(const mjModel* m, mjData* d, const cfStart* known);

// let the contact solver of the model change the contacts that colliders found
void cfi_finishContacts(const mjModel* m, mjData* d);

// velocity with which positions move beyond qvel, as the solver of a model that has chosen one
// found it in the last constraint stage; NULL: none
const mjtNum* cfi_contactDrift(const mjModel* m, const mjData* d);

// what the step adds to qvel, where that solver has found it; NULL: what the integrator says
const mjtNum* cfi_contactGain(const mjModel* m, const mjData* d);

#endif  // CF_CONTACTSOLVER_STAGE_H
