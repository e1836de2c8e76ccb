// Forward dynamics checked by inverse dynamics.
#ifndef CF_PIPELINE_INVERSE_H
#define CF_PIPELINE_INVERSE_H

#include <mujoco/mjdata.h>
#include <mujoco/mjmodel.h>

// mj_compareFwdInv where the model asks for it (mjENBL_FWDINV)
void cfi_checkInverse(const mjModel* m, mjData* d);

#endif  // CF_PIPELINE_INVERSE_H
