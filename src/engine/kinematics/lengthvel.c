// Velocities of what has a length: flex edges, tendons, actuators.
#include <string.h>

#include "kinematics/runs.h"
#include "kinematics/tendon.h"
#include "math/sparse.h"
#include "model/flags.h"

static void edgeVelocities(const mjModel* m, mjData* d) {
  const cfPattern edges = {.nr = (int)m->nflexedge,
                           .nc = (int)m->nv,
                           .rownnz = m->flexedge_J_rownnz,
                           .rowadr = m->flexedge_J_rowadr,
                           .colind = m->flexedge_J_colind};
  cfi_mulMatVecSparse(d->flexedge_velocity, d->flexedge_J, d->qvel, edges);
}


static void actuatorVelocities(const mjModel* m, mjData* d) {
  const mjtNum* qvel = d->qvel;
  mjtNum* velocity = d->actuator_velocity;
  for (int i = 0; i < m->nu; i++) {
    const int adr = d->moment_rowadr[i], nnz = d->moment_rownnz[i], *dof = d->moment_colind + adr;
    const mjtNum* moment = d->actuator_moment + adr;
    // most act on one dof; the sum begins with zero, which loses the sign of another one
    velocity[i] = nnz == 1 ? 0 + moment[0] * qvel[dof[0]] : cfi_dotSparse(moment, qvel, nnz, dof);
  }
}


void cfi_tendonVelocities(const mjModel* m, mjData* d) {
  for (int t = 0; t < m->ntendon; t++) {
    d->ten_velocity[t] = cfi_dotTendon(m, d, t, d->qvel);
  }
}


void cfi_lengthVelocities(const mjModel* m, mjData* d) {
  if (m->nflexedge) {
    edgeVelocities(m, d);
  }
  cfi_tendonVelocities(m, d);
  if (m->nu == 0) {
    return;
  }
  if (cfi_disabled(m, mjDSBL_ACTUATION)) {
    memset(d->actuator_velocity, 0, sizeof(mjtNum) * m->nu);
  } else {
    actuatorVelocities(m, d);
  }
}
