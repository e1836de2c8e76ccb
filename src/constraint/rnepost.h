// The first half of mj_rnePostConstraint, for who does the second one for many worlds at once.
#ifndef CF_CONSTRAINT_RNEPOST_H
#define CF_CONSTRAINT_RNEPOST_H

#include <mujoco/mjdata.h>
#include <mujoco/mjmodel.h>

// cfrc_ext: forces of the user, of contacts and of equality constraints on each body.
// reads: xfrc_applied, contacts, efc_force
void cfi_externalForces(const mjModel* m, mjData* d);

#endif  // CF_CONSTRAINT_RNEPOST_H
