// Stages of kinematics for a run of bodies (model/deal.h) and for what is not in any run.
#ifndef CF_KINEMATICS_RUNS_H
#define CF_KINEMATICS_RUNS_H

#include <mujoco/mjdata.h>
#include <mujoco/mjmodel.h>

#include "model/indexset.h"

// mj_kinematics of a run; before that of the world, after all runs that of sites
void cfi_placeRun(const mjModel* m, mjData* d, cfIndexSet bodies);
void cfi_placeWorld(const mjModel* m, mjData* d);
void cfi_placeSites(const mjModel* m, mjData* d);

// mj_comPos of a run; the moments of its roots, three numbers a body, are left to the world
void cfi_comPosRun(const mjModel* m, mjData* d, cfIndexSet bodies, mjtNum* moment);
void cfi_comPosWorld(const mjModel* m, mjData* d, const mjtNum* moment);

#endif  // CF_KINEMATICS_RUNS_H
