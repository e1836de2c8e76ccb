// Elastic forces of interpolated flexes.
//
// The grid as a whole is one element, corotated: its nodes are turned back by the rotation in the
// middle, and flex_stiffness holds minus the dense stiffness matrix K of all of them (3n x 3n):
//   force = R * (-K) * (R'x - x0).
#include "flex/grid.h"

#include "base/assert.h"
#include "flex/interpolation.h"
#include "math/inline.h"


bool cfi_hasGridForces(const mjModel* m, int f) {
  return m->flex_interp[f] && !m->flex_rigid[f] && m->flex_dim[f] > 1 && m->flex_elemnum[f] > 0 &&
         m->flex_stiffness[PACKED_GRID * m->flex_elemadr[f]] != 0;
}


// turn a node force back to the world and add it.  Where a node is not the origin of its body,
// MuJoCo lets the force act at the turned node
static void addNodeForce(const mjModel* m, mjData* d, int f, int node, const mjtNum* turned,
                         const mjtNum force[3], const mjtNum quat[4], mjtNum* qfrc) {
  const int body = m->flex_nodebodyid[m->flex_nodeadr[f] + node], dof = m->body_dofadr[body];
  mjtNum world[3];
  cfi_rotVecQuat(world, force, quat);
  if (!m->flex_centered[f]) {
    mj_applyFT(m, d, world, NULL, turned + 3 * node, body, qfrc);
  } else if (dof >= 0 && dof + 3 <= m->nv) {
    cfi_addTo3(qfrc + dof, world);
  }
}


static void addGrid(const mjModel* m, mjData* d, int f, const mjtNum* turned, const mjtNum* motion,
                    mjtNum scale, const mjtNum back[4], mjtNum* qfrc) {
  const int n = 3 * m->flex_nodenum[f];
  mjtNum force[3 * mjMAXFLEXNODES];
  mju_mulMatVec(force, m->flex_stiffness + PACKED_GRID * m->flex_elemadr[f], motion, n, n);
  for (int i = 0; i < m->flex_nodenum[f]; i++) {
    cfi_scl3(force + 3 * i, force + 3 * i, scale);
    addNodeForce(m, d, f, i, turned, force + 3 * i, back, qfrc);
  }
}


void cfi_gridForces(const mjModel* m, mjData* d, int f, bool has_spring, bool has_damper) {
  if (!cfi_hasGridForces(m, f)) {
    return;
  }
  CF_ASSERT(m->flex_nodenum[f] <= mjMAXFLEXNODES);
  mjtNum x[3 * mjMAXFLEXNODES], velocity[3 * mjMAXFLEXNODES], quat[4], back[4];
  cfi_turnToRest(quat, x, velocity, m, d, f);
  cfi_negQuat(back, quat);
  if (has_spring) {
    mjtNum moved[3 * mjMAXFLEXNODES];
    mju_sub(moved, x, m->flex_node0 + 3 * m->flex_nodeadr[f], 3 * m->flex_nodenum[f]);
    addGrid(m, d, f, x, moved, 1, back, d->qfrc_spring);
  }
  if (has_damper && m->flex_damping[f] != 0) {
    addGrid(m, d, f, x, velocity, m->flex_damping[f], back, d->qfrc_damper);
  }
}


mjtNum cfi_gridEnergy(const mjModel* m, mjData* d, int f) {
  if (!cfi_hasGridForces(m, f)) {
    return 0;
  }
  const int n = 3 * m->flex_nodenum[f];
  mjtNum x[3 * mjMAXFLEXNODES], quat[4], force[3 * mjMAXFLEXNODES];
  cfi_turnToRest(quat, x, NULL, m, d, f);
  mju_subFrom(x, m->flex_node0 + 3 * m->flex_nodeadr[f], n);
  mju_mulMatVec(force, m->flex_stiffness + PACKED_GRID * m->flex_elemadr[f], x, n, n);
  return -0.5 * mju_dot(x, force, n);
}
