// Arithmetic on the configuration space, for a subset of bodies.
#ifndef CF_KINEMATICS_CONFIGURATION_H
#define CF_KINEMATICS_CONFIGURATION_H

#include <mujoco/mjmodel.h>

#include "model/indexset.h"

// qpos advanced by dt*qvel for the joints of the given bodies (the world is first and has none)
void cfi_integratePos(const mjModel* m, mjtNum* qpos, const mjtNum* qvel, mjtNum dt,
                      cfIndexSet bodies);

// the same for joints that follow each other
void cfi_integrateRun(const mjModel* m, mjtNum* qpos, const mjtNum* qvel, mjtNum dt,
                      cfIndexSet joints);

#endif  // CF_KINEMATICS_CONFIGURATION_H
