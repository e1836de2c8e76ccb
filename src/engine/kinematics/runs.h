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

// body of the slide or hinge joint that an actuator drives, 0 if it drives something else
int cfi_scalarActuatorBody(const mjModel* m, int actuator);

// lengths, moments and velocities of some actuators, all of the model being of that kind
void cfi_transmitRun(const mjModel* m, mjData* d, int first, int end);

// velocities of tendons alone, where those of actuators are known
void cfi_tendonVelocities(const mjModel* m, mjData* d);

#endif  // CF_KINEMATICS_RUNS_H
