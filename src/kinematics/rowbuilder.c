#include "kinematics/rowbuilder.h"

#include <limits.h>
#include <string.h>

#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "kinematics/chain.h"
#include "math/inline.h"

cfRowBuilder cfi_makeRowBuilder(mjData* d, int nv) {
  CF_ASSERT(nv >= 0);
  const size_t nword = ((size_t)nv + 63) / 64;
  const cfRowBuilder row = {
      mj_stackAllocNum(d, nv),
      (uint64_t*)mj_stackAllocByte(d, nword * sizeof(uint64_t), _Alignof(uint64_t)), INT_MAX, -1};
  if (nv > 0) {
    memset(row.value, 0, sizeof(mjtNum) * nv);
    memset(row.used, 0, sizeof(uint64_t) * nword);
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


int cfi_flushRow(cfRowBuilder* row, mjtNum* value, int* colind, int keep_zeros) {
  CF_ASSERT(value && colind);
  int count = 0;
  for (int word = row->first; word <= row->last; word++) {
    for (uint64_t bits = row->used[word]; bits; bits &= bits - 1) {
      const int i = 64 * word + __builtin_ctzll(bits);
      if (keep_zeros || row->value[i] != 0) {
        value[count] = row->value[i];
        colind[count++] = i;
      }
      row->value[i] = 0;
    }
    row->used[word] = 0;
  }
  row->first = INT_MAX;
  row->last = -1;
  return count;
}
