// The force of a contact, read from its constraint rows.
#include <mujoco/mujoco.h>

// force and torque of a contact in its frame, zero when it is not in the constraint rows
void mj_contactForce(const mjModel* m, const mjData* d, int id, mjtNum result[6]) {
  mju_zero(result, 6);
  if (id < 0 || id >= d->ncon || d->contact[id].efc_address < 0) {
    return;
  }
  const mjContact* con = d->contact + id;
  const mjtNum* force = d->efc_force + con->efc_address;
  if (mj_isPyramidal(m)) {
    mju_decodePyramid(result, force, con->friction, con->dim);
  } else {
    mju_copy(result, force, con->dim);
  }
}
