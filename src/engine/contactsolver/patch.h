// Contact patches of hunt_crossley: what the contacts of a pair of geoms are replaced with.
#ifndef CF_CONTACTSOLVER_PATCH_H
#define CF_CONTACTSOLVER_PATCH_H

#include <stdbool.h>

#include "contactsolver/contactsolver.h"

// True if geoms or pairs of the model have a pressure field with this solver.
bool cfi_hasPatches(const mjModel* m, const cfContactSetting* setting);

// Replace the contacts of geoms with pressure fields by points of their patches.
void cfi_patchContacts(const mjModel* m, mjData* d);

// Where a contact of a step keeps area, pressure and gradient of a patch: MuJoCo's solvers alone
// use this part of it.  Area 0: no patch.
enum { PATCH_AREA, PATCH_PRESSURE, PATCH_GRADIENT, NPATCH };

static inline const mjtNum* cfi_patchOf(const mjContact* con) {
  return con->H;
}

#endif  // CF_CONTACTSOLVER_PATCH_H
