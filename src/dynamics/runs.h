// Stages of dynamics for a run of bodies (model/deal.h) and for the world.
#ifndef CF_DYNAMICS_RUNS_H
#define CF_DYNAMICS_RUNS_H

#include <mujoco/mjdata.h>
#include <mujoco/mjmodel.h>

#include "model/indexset.h"

// mj_crb
void cfi_crbRun(const mjModel* m, mjData* d, cfIndexSet bodies, cfIndexSet dofs);
void cfi_crbWorld(mjData* d);

// factor of M + step*damping: qLD where step is 0
void cfi_factorRun(const mjModel* m, const mjData* d, mjtNum* LD, mjtNum* LDiagInv, cfIndexSet dofs,
                   mjtNum step);

// mj_comVel; that of the world is zero and has to be there before the runs
void cfi_comVelRun(const mjModel* m, mjData* d, cfIndexSet bodies);
void cfi_comVelWorld(mjData* d);

// mj_rne without accelerations, into qfrc_bias
void cfi_rneRun(const mjModel* m, mjData* d, cfIndexSet bodies, cfIndexSet dofs);

#endif  // CF_DYNAMICS_RUNS_H
