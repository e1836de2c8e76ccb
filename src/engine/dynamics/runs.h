// Stages of dynamics for a run of bodies (model/deal.h) and for the world.
#ifndef CF_DYNAMICS_RUNS_H
#define CF_DYNAMICS_RUNS_H

#include <mujoco/mjdata.h>
#include <mujoco/mjmodel.h>

#include "model/deal.h"
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

// mj_passive, where nothing acts but springs and dampers of joints
bool cfi_isPassiveByRuns(const mjModel* m);
void cfi_passiveRun(const mjModel* m, mjData* d, cfIndexSet joints, cfIndexSet dofs);

// actuators dealt to the runs of their joints, those of run k from first[k] on, and their controls
// on the stack; false, and nothing done, where they are of other kinds or not in the order of
// bodies
typedef struct {
  mjtNum* ctrl;
  int first[CF_RUNS_MAX + 1];
} cfActuatorDeal;

bool cfi_dealActuators(cfActuatorDeal* dealt, const mjModel* m, mjData* d, const cfDeal* deal);

// mj_transmission, velocities of actuators and mj_fwdActuation
void cfi_actuationRun(const mjModel* m, mjData* d, const cfActuatorDeal* dealt, int run,
                      cfIndexSet joints, cfIndexSet dofs);

// mj_fwdAcceleration, where nobody pushes bodies
void cfi_accelerationRun(const mjModel* m, mjData* d, cfIndexSet dofs);

// mj_mulM
void cfi_mulRunM(const mjModel* m, const mjData* d, mjtNum* res, const mjtNum* vec,
                 cfIndexSet dofs);

#endif  // CF_DYNAMICS_RUNS_H
