#include "kinematics/rowbuilder.h"

#include <string.h>

#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "kinematics/chain.h"
#include "math/inline.h"

cfRowBuilder cfi_makeRowBuilder(mjData* d, int nv) {
  CF_ASSERT(nv >= 0);
  const cfRowBuilder row = {mj_stackAllocNum(d, nv), mj_stackAllocByte(d, nv, sizeof(mjtByte)), nv,
                            -1};
  if (nv > 0) {
    memset(row.value, 0, sizeof(mjtNum) * nv);
    memset(row.used, 0, sizeof(mjtByte) * nv);
  }
  return row;
}


void cfi_forceAtPoint(mjtNum force[6], const mjModel* m, const mjData* d, const mjtNum point[3],
                      int body, const mjtNum linear[3]) {
  CF_ASSERT_INDEX(body, m->nbody);
  mjtNum offset[3];
  cfi_pointOffset(offset, m, d, point, body);
  cfi_cross(force, offset, linear);
  cfi_copy3(force + 3, linear);
}


int cfi_addForcePair(cfRowBuilder* row, const mjModel* m, const mjData* d,
                     const cfForcePair* pair) {
  int dof[2] = {cfi_lastDof(m, pair->body[0]), cfi_lastDof(m, pair->body[1])};

  // the larger index cannot be an ancestor of the smaller one
  while (dof[0] != dof[1]) {
    const int side = dof[1] > dof[0], i = dof[side];
    const mjtNum work = cfi_dot6(d->cdof + 6 * i, pair->force[side]);
    cfi_addToRow(row, i, side ? work : -work);
    dof[side] = m->dof_parentid[i];
  }
  return dof[0];
}


int cfi_flushRow(cfRowBuilder* row, mjtNum* value, int* colind, int nv, int keep_zeros) {
  CF_ASSERT(value && colind);
  int count = 0;
  for (int i = row->first; i <= row->last; i++) {
    if (row->used[i] && (keep_zeros || row->value[i] != 0)) {
      value[count] = row->value[i];
      colind[count++] = i;
    }
    row->value[i] = 0;
    row->used[i] = 0;
  }
  row->first = nv;
  row->last = -1;
  return count;
}
