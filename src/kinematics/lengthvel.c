// Velocities of what has a length: flex edges, tendons, actuators.
#include <string.h>

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
  const cfPattern moments = {.nr = (int)m->nu,
                             .nc = (int)m->nv,
                             .rownnz = d->moment_rownnz,
                             .rowadr = d->moment_rowadr,
                             .colind = d->moment_colind};
  cfi_mulMatVecSparse(d->actuator_velocity, d->actuator_moment, d->qvel, moments);
}


void cfi_lengthVelocities(const mjModel* m, mjData* d) {
  if (m->nflexedge) {
    edgeVelocities(m, d);
  }
  for (int t = 0; t < m->ntendon; t++) {
    d->ten_velocity[t] = cfi_dotTendon(m, d, t, d->qvel);
  }
  if (m->nu == 0) {
    return;
  }
  if (cfi_disabled(m, mjDSBL_ACTUATION)) {
    memset(d->actuator_velocity, 0, sizeof(mjtNum) * m->nu);
  } else {
    actuatorVelocities(m, d);
  }
}
