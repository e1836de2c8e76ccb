// Forces and torques at points of bodies, mapped to the dofs.
#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "base/likely.h"
#include "dynamics/spatialforce.h"
#include "kinematics/chain.h"
#include "math/inline.h"
#include "math/scan.h"

// qfrc += J'*(force, torque): work of the com-based force vector per dof
static void addWrench(const mjModel* m, const mjData* d, const mjtNum* force, const mjtNum* torque,
                      const mjtNum point[3], int body, mjtNum* qfrc) {
  CF_ASSERT_INDEX(body, m->nbody);
  mjtNum wrench[6] = {0, 0, 0, 0, 0, 0}, offset[3];
  if (force) {
    cfi_pointOffset(offset, m, d, point, body);
    cfi_cross(wrench, offset, force);
    cfi_copy3(wrench + 3, force);
  }
  if (torque) {
    cfi_addTo3(wrench, torque);
  }
  for (int i = cfi_lastDof(m, body); i >= 0; i = m->dof_parentid[i]) {
    qfrc[i] += cfi_dot6(d->cdof + 6 * i, wrench);
  }
}


void mj_applyFT(const mjModel* m, mjData* d, const mjtNum force[3], const mjtNum torque[3],
                const mjtNum point[3], int body, mjtNum* qfrc_target) {
  if (body < 0 || body >= m->nbody) {
    mju_error("invalid body %d", body);
    return;
  }
  addWrench(m, d, force, torque, point, body, qfrc_target);
}


bool cfi_addApplied(const mjModel* m, mjData* d, mjtNum* qfrc) {
  // most of the time nobody pushes
  if (CF_OFTEN(!cfi_anyNonzero(d->xfrc_applied, 6 * (int)m->nbody))) {
    return false;
  }
  for (int i = 1; i < m->nbody; i++) {
    const mjtNum* xfrc = d->xfrc_applied + 6 * i;
    if (cfi_anyNonzero(xfrc, 6)) {
      addWrench(m, d, xfrc, xfrc + 3, d->xipos + 3 * i, i, qfrc);
    }
  }
  return true;
}
