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


// work of a force on the dofs from one up to, and without, the first that is not above another;
// returns that one
static inline int addAlongChain(cfRowBuilder* row, const mjModel* m, const mjData* d, int dof,
                                int below, const mjtNum force[6]) {
  CF_ASSERT(dof > below && dof < m->nv);
  const int* parent = m->dof_parentid;
  mjtNum* value = row->value;
  uint64_t* used = row->used;
  int last = dof;
  row->last = cfi_maxInt(row->last, dof / 64);
  do {
    value[dof] += cfi_dot6(d->cdof + 6 * dof, force);
    used[dof / 64] |= (uint64_t)1 << (dof % 64);
    last = dof;
    dof = parent[dof];
  } while (dof > below);
  row->first = cfi_minInt(row->first, last / 64);
  return dof;
}


int cfi_addForcePair(cfRowBuilder* row, const mjModel* m, const mjData* d,
                     const cfForcePair* pair) {
  int at[2] = {cfi_lastDof(m, pair->body[0]), cfi_lastDof(m, pair->body[1])};
  mjtNum back[6];
  for (int k = 0; k < 6; k++) {
    back[k] = -pair->force[0][k];
  }

  // the larger index cannot be an ancestor of the smaller one
  while (at[0] != at[1]) {
    if (at[1] > at[0]) {
      at[1] = addAlongChain(row, m, d, at[1], at[0], pair->force[1]);
    } else {
      at[0] = addAlongChain(row, m, d, at[0], at[1], back);
    }
  }
  return at[0];
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
