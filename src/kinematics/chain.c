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


int cfi_pairChainCount(const mjModel* m, int body1, int body2) {
  CF_ASSERT(body1 >= 0 && body1 < m->nbody && body2 >= 0 && body2 < m->nbody);
  const int* parent = m->dof_parentid;
  int at1 = cfi_lastDof(m, body1), at2 = cfi_lastDof(m, body2), count = 0;
  for (; at1 != at2; count++) {
    if (at1 > at2) {
      at1 = parent[at1];
    } else {
      at2 = parent[at2];
    }
  }
  for (; at1 >= 0; at1 = parent[at1]) {
    count++;
  }
  return count;
}


void cfi_pairChain(const mjModel* m, int body1, int body2, cfPairChain* chain) {
  if (chain->body[0] == body1 && chain->body[1] == body2) {
    return;
  }
  chain->body[0] = body1;
  chain->body[1] = body2;
  chain->count = cfi_pairChainCount(m, body1, body2);
  CF_ASSERT(chain->count <= m->nv);

  // climb from the higher dof until the chains meet, then to the root
  const int* parent = m->dof_parentid;
  int at1 = cfi_lastDof(m, body1), at2 = cfi_lastDof(m, body2);
  int *dof = chain->dof + chain->count, *moves = chain->moves + chain->count;
  while (at1 != at2) {
    if (at1 > at2) {
      *--dof = at1;
      *--moves = CF_MOVES_FIRST;
      at1 = parent[at1];
    } else {
      *--dof = at2;
      *--moves = CF_MOVES_SECOND;
      at2 = parent[at2];
    }
  }
  for (; at1 >= 0; at1 = parent[at1]) {
    *--dof = at1;
    *--moves = CF_MOVES_BOTH;
  }
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
