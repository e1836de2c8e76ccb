// Checks of the sparse structures of M, D and B, which follow from the tree of dofs.
#include "base/assert.h"
#include "model/checker.h"


// number of dofs from v up to the root of its tree
static mjtSize chainLength(const mjModel* m, mjtSize v) {
  mjtSize length = 0;
  for (; v >= 0; v = m->dof_parentid[v]) {
    length++;
  }
  return length;
}


// the end of a row holds the dof and its chain upward, in ascending order
static bool checkChainRow(const cfChecker* c, const char* name, const int* colind, mjtSize end,
                          mjtSize v, mjtSize count) {
  CF_ASSERT(count >= 0);
  for (mjtSize k = 1; k <= count; k++, v = c->m->dof_parentid[v]) {
    if (!cfi_checkEqual(c, name, end - k, colind[end - k], v)) {
      return false;
    }
  }
  return true;
}


// rows of M: the chain of each dof, only the diagonal where M is known to be diagonal
static bool checkM(const cfChecker* c) {
  const mjModel* m = c->m;
  mjtSize legacy = 0, next = 0;
  for (mjtSize v = 0; v < m->nv; v++) {
    const mjtSize chain = chainLength(m, v), count = m->dof_simplenum[v] ? 1 : chain;
    if (!cfi_checkEqual(c, "dof_Madr", v, m->dof_Madr[v], legacy) ||
        !cfi_checkEqual(c, "M_rowadr", v, m->M_rowadr[v], next) ||
        !cfi_checkEqual(c, "M_rownnz", v, m->M_rownnz[v], count) ||
        !checkChainRow(c, "M_colind", m->M_colind, next + count, v, count)) {
      return false;
    }
    legacy += chain;
    next += count;
  }
  return cfi_checkEqual(c, "nM", 0, m->nM, legacy) && cfi_checkEqual(c, "nC", 0, m->nC, next);
}


// a row of D or B lists dofs in ascending order, without repetition
static bool checkAscending(const cfChecker* c, const char* name, const int* colind, mjtSize adr,
                           mjtSize count) {
  CF_ASSERT(adr >= 0 && count >= 0);
  for (mjtSize k = adr + 1; k < adr + count; k++) {
    if (colind[k] <= colind[k - 1]) {
      return cfi_complain(c, "%s[%lld] is %d after %d, expected ascending order", name,
                          (long long)k, colind[k], colind[k - 1]);
    }
  }
  return true;
}


// is one of two an ancestor of the other; parents have smaller ids
static bool areRelated(const int* parentid, mjtSize v, mjtSize w) {
  mjtSize low = v < w ? v : w, high = v < w ? w : v;
  while (high > low) {
    high = parentid[high];
  }
  return high == low;
}


// rows of D: every dof that shares a chain with v; D_diag points to v itself. Rows hold nothing
// else and together have as many entries as there are pairs, so none is missing.
static bool checkD(const cfChecker* c) {
  const mjModel* m = c->m;
  mjtSize next = 0, pairs = 0;
  for (mjtSize v = 0; v < m->nv; v++) {
    const int count = m->D_rownnz[v], diagonal = m->D_diag[v];
    if (!cfi_checkEqual(c, "D_rowadr", v, m->D_rowadr[v], next) ||
        !checkAscending(c, "D_colind", m->D_colind, next, count) ||
        !cfi_checkValue(c, "D_diag", v, diagonal, 0, count) ||
        !cfi_checkEqual(c, "D_colind", next + diagonal, m->D_colind[next + diagonal], v)) {
      return false;
    }
    for (int k = 0; k < count; k++) {
      if (!areRelated(m->dof_parentid, v, m->D_colind[next + k])) {
        return cfi_complain(c, "D_colind[%lld] is %d, which is in no chain with dof %lld",
                            (long long)next + k, m->D_colind[next + k], (long long)v);
      }
    }
    next += count;
    pairs += 2 * chainLength(m, v) - 1;
  }
  return cfi_checkEqual(c, "nD", 0, m->nD, next) && cfi_checkEqual(c, "nD", 0, m->nD, pairs);
}


// bodies from b up to the world
static mjtSize bodyDepth(const mjModel* m, int b) {
  mjtSize depth = 1;
  for (; b; b = m->body_parentid[b]) {
    depth++;
  }
  return depth;
}


// rows of B: the dofs in a body's subtree and those that move it, again nothing else and nothing
// missing
static bool checkB(const cfChecker* c) {
  const mjModel* m = c->m;
  mjtSize next = 0, pairs = 0;
  for (int b = 0; b < m->nbody; b++) {
    const int count = m->B_rownnz[b];
    if (!cfi_checkEqual(c, "B_rowadr", b, m->B_rowadr[b], next) ||
        !checkAscending(c, "B_colind", m->B_colind, next, count)) {
      return false;
    }
    for (int k = 0; k < count; k++) {
      const int dof = m->B_colind[next + k];
      if (!areRelated(m->body_parentid, b, m->dof_bodyid[dof])) {
        return cfi_complain(
            c, "B_colind[%lld] is %d, a dof that neither moves body %d nor hangs on it",
            (long long)next + k, dof, b);
      }
    }
    next += count;

    // own dofs appear in the rows of all bodies above, dofs above appear in the own row
    pairs += m->body_dofnum[b] * bodyDepth(m, b);
    for (int above = b ? m->body_parentid[b] : 0; above; above = m->body_parentid[above]) {
      pairs += m->body_dofnum[above];
    }
  }
  return cfi_checkEqual(c, "nB", 0, m->nB, next) && cfi_checkEqual(c, "nB", 0, m->nB, pairs);
}


bool cfi_checkMatrices(const cfChecker* c) {
  return checkM(c) && checkD(c) && checkB(c);
}
