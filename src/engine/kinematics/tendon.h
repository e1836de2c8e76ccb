// Tendon lengths, their Jacobians and the time derivatives of these.
#ifndef CF_KINEMATICS_TENDON_H
#define CF_KINEMATICS_TENDON_H

#include <stdbool.h>
#include <stddef.h>

#include <mujoco/mjdata.h>
#include <mujoco/mjmodel.h>

// one row of a Jacobian: values and their dofs
typedef struct {
  const mjtNum* J;
  const int* dof;  // NULL: all dofs in order
  int nnz;
} cfDofRow;

// Jacobian row of a tendon, as it is stored: sparse if mj_isSparse
static inline cfDofRow cfi_tendonRow(const mjModel* m, const mjData* d, int tendon,
                                     bool is_sparse) {
  if (!is_sparse) {
    return (cfDofRow){d->ten_J + (size_t)tendon * (size_t)m->nv, NULL, (int)m->nv};
  }
  const int adr = d->ten_J_rowadr[tendon];
  return (cfDofRow){d->ten_J + adr, d->ten_J_colind + adr, d->ten_J_rownnz[tendon]};
}


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
