// Skins of a scene.
#ifndef CF_VIS_SKIN_H
#define CF_VIS_SKIN_H

#include <mujoco/mujoco.h>

// vertices and normals of the skins whose group is shown; those of the others become zero
void cfi_updateSkins(const mjModel* m, const mjData* d, mjvScene* scn, const mjvOption* opt);

#endif  // CF_VIS_SKIN_H
