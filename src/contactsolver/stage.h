// What the integrators need of the constraint stage.
#ifndef CF_CONTACTSOLVER_STAGE_H
#define CF_CONTACTSOLVER_STAGE_H

#include <mujoco/mjdata.h>
#include <mujoco/mjmodel.h>

// velocity with which positions move beyond qvel, as the solver of a model that has chosen one
// found it in the last constraint stage; NULL: none
const mjtNum* cfi_contactDrift(const mjModel* m, const mjData* d);

#endif  // CF_CONTACTSOLVER_STAGE_H
