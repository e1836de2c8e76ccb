// Dof chains of one and two bodies, and the relative Jacobian of two points along them.
#include "kinematics/chain.h"

#include "base/assert.h"

static void reverse(int* vec, int n) {
  for (int low = 0, high = n - 1; low < high; low++, high--) {
    const int swap = vec[low];
    vec[low] = vec[high];
    vec[high] = swap;
  }
}


int cfi_bodyChain(const mjModel* m, int body, int* dof) {
  CF_ASSERT_INDEX(body, m->nbody);
  int count = 0;
  for (int at = cfi_lastDof(m, body); at >= 0; at = m->dof_parentid[at]) {
    dof[count++] = at;
  }
  reverse(dof, count);
  return count;
}


void cfi_pairChain(const mjModel* m, int body1, int body2, cfPairChain* chain) {
  if (chain->body[0] == body1 && chain->body[1] == body2) {
    return;
  }
  chain->body[0] = body1;
  chain->body[1] = body2;

  // climb from the higher dof until both are above the root
  int at1 = cfi_lastDof(m, body1), at2 = cfi_lastDof(m, body2), count = 0;
  while (at1 >= 0 || at2 >= 0) {
    const int moves = (at1 >= at2 ? CF_MOVES_FIRST : 0) | (at2 >= at1 ? CF_MOVES_SECOND : 0);
    chain->dof[count] = moves & CF_MOVES_FIRST ? at1 : at2;
    chain->moves[count++] = moves;
    at1 = moves & CF_MOVES_FIRST ? m->dof_parentid[at1] : at1;
    at2 = moves & CF_MOVES_SECOND ? m->dof_parentid[at2] : at2;
  }
  CF_ASSERT(count <= m->nv);
  reverse(chain->dof, count);
  reverse(chain->moves, count);
  chain->count = count;
}


int cfi_pairChainCount(const mjModel* m, int body1, int body2) {
  CF_ASSERT(body1 >= 0 && body1 < m->nbody && body2 >= 0 && body2 < m->nbody);
  int at1 = cfi_lastDof(m, body1), at2 = cfi_lastDof(m, body2), count = 0;
  for (; at1 >= 0 || at2 >= 0; count++) {
    const int top = at1 > at2 ? at1 : at2;
    at1 = at1 == top ? m->dof_parentid[at1] : at1;
    at2 = at2 == top ? m->dof_parentid[at2] : at2;
  }
  return count;
}


void cfi_pairJacobian(const mjModel* m, const mjData* d, const cfPairChain* chain,
                      const mjtNum point1[3], const mjtNum point2[3], mjtNum* jacp, mjtNum* jacr) {
  CF_ASSERT(chain->count >= 0 && chain->count <= m->nv);
  const int n = chain->count;
  mjtNum offset1[3], offset2[3];
  cfi_pointOffset(offset1, m, d, point1, chain->body[0]);
  cfi_pointOffset(offset2, m, d, point2, chain->body[1]);

  for (int j = 0; j < n; j++) {
    const mjtNum* cdof = d->cdof + 6 * chain->dof[j];
    mjtNum plus[3] = {0, 0, 0}, minus[3] = {0, 0, 0};
    if (chain->moves[j] & CF_MOVES_SECOND) {
      cfi_pointColumn(plus, cdof, offset2);
    }
    if (chain->moves[j] & CF_MOVES_FIRST) {
      cfi_pointColumn(minus, cdof, offset1);
    }

    // a dof that moves both bodies rotates them alike
    const mjtNum turn = chain->moves[j] == CF_MOVES_BOTH     ? 0
                        : chain->moves[j] == CF_MOVES_SECOND ? 1
                                                             : -1;
    for (int k = 0; k < 3; k++) {
      jacp[k * n + j] = plus[k] - minus[k];
      if (jacr) {
        jacr[k * n + j] = turn * cdof[k];
      }
    }
  }
}
