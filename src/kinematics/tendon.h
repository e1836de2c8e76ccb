// Tendon lengths, their Jacobians and the time derivatives of these.
#ifndef CF_KINEMATICS_TENDON_H
#define CF_KINEMATICS_TENDON_H

#include <mujoco/mjdata.h>
#include <mujoco/mjmodel.h>

// sum over the dofs of the Jacobian row of a tendon: row*vec
mjtNum cfi_dotTendon(const mjModel* m, const mjData* d, int tendon, const mjtNum* vec);

// res += scale * (Jacobian row of a tendon)
void cfi_addTendon(const mjModel* m, const mjData* d, int tendon, mjtNum* res, mjtNum scale);

// d/dt(Jacobian row)*qvel: the part of the tendon's acceleration that velocities cause
mjtNum cfi_tendonDrift(const mjModel* m, const mjData* d, int tendon);

// Jacobian rows of flex edges, tendons and actuators times qvel.
// reads: qvel, flexedge_J, ten_J, actuator_moment.  writes: flexedge_velocity, ten_velocity,
// actuator_velocity.
void cfi_lengthVelocities(const mjModel* m, mjData* d);

#endif  // CF_KINEMATICS_TENDON_H
