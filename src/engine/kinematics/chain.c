// Dof chains of one and two bodies, and the relative Jacobian of two points along them.
#include "kinematics/chain.h"

#include <stdbool.h>

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


// the row of a dof in the inertia matrix lists its chain, unless the dof is simple
static inline bool isDofListed(const mjModel* m, int dof) {
  return dof < 0 || !m->dof_simplenum[dof];
}


int cfi_pairChainCount(const mjModel* m, int body1, int body2) {
  CF_ASSERT(body1 >= 0 && body1 < m->nbody && body2 >= 0 && body2 < m->nbody);
  const int* parent = m->dof_parentid;
  int at1 = cfi_lastDof(m, body1), at2 = cfi_lastDof(m, body2), count = 0;
  const bool are_apart = at1 < 0 || at2 < 0 || m->dof_treeid[at1] != m->dof_treeid[at2];
  if (are_apart && isDofListed(m, at1) && isDofListed(m, at2)) {
    return (at1 < 0 ? 0 : m->M_rownnz[at1]) + (at2 < 0 ? 0 : m->M_rownnz[at2]);
  }
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


// climb from the higher dof until the chains meet, then to the root
static void climbPair(const mjModel* m, int at1, int at2, cfPairChain* chain) {
  const int* parent = m->dof_parentid;
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


// dofs of one chain alone
static int appendDofs(cfPairChain* chain, int at, const int* dof, int count, int moves) {
  CF_ASSERT(count >= 0);
  for (int k = 0; k < count; k++) {
    chain->dof[at + k] = dof[k];
    chain->moves[at + k] = moves;
  }
  return at + count;
}


// two chains that begin with the same dofs
static void mergeChains(cfPairChain* chain, const int* dof1, int n1, const int* dof2, int n2) {
  int i = 0;
  while (i < n1 && i < n2 && dof1[i] == dof2[i]) {
    i++;
  }
  int at = appendDofs(chain, 0, dof1, i, CF_MOVES_BOTH), j = i;
  while (i < n1 && j < n2) {
    const bool is_first = dof1[i] < dof2[j];
    chain->dof[at] = is_first ? dof1[i++] : dof2[j++];
    chain->moves[at++] = is_first ? CF_MOVES_FIRST : CF_MOVES_SECOND;
  }
  at = appendDofs(chain, at, dof1 + i, n1 - i, CF_MOVES_FIRST);
  chain->count = appendDofs(chain, at, dof2 + j, n2 - j, CF_MOVES_SECOND);
}


// The row of a dof in the inertia matrix lists its chain; only simple dofs, which share no inertia
// with their chain, have to climb, one parent after the other.
void cfi_pairChain(const mjModel* m, int body1, int body2, cfPairChain* chain) {
  if (chain->body[0] == body1 && chain->body[1] == body2) {
    return;
  }
  chain->body[0] = body1;
  chain->body[1] = body2;
  const int last1 = cfi_lastDof(m, body1), last2 = cfi_lastDof(m, body2);
  if ((last1 >= 0 && m->dof_simplenum[last1]) || (last2 >= 0 && m->dof_simplenum[last2])) {
    chain->count = cfi_pairChainCount(m, body1, body2);
    climbPair(m, last1, last2, chain);
  } else {
    const int n1 = last1 < 0 ? 0 : m->M_rownnz[last1], n2 = last2 < 0 ? 0 : m->M_rownnz[last2];
    mergeChains(chain, m->M_colind + (n1 ? m->M_rowadr[last1] : 0), n1,
                m->M_colind + (n2 ? m->M_rowadr[last2] : 0), n2);
  }
  CF_ASSERT(chain->count <= m->nv);
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
