// Sparsity of the model's matrices: inertia M, dof-dof D, body-dof B, and the maps between them.
//
// Row i of M holds the ancestors of dof i and the dof itself, simple dofs only themselves.  Row i
// of D holds every dof that shares a chain with i; row b of B every dof on a chain through body b.
// Columns increase along a row.
#include "compile/phases.h"

#include "base/assert.h"

// rows of M from the chains of ancestors, column by column from the diagonal backwards
static void fillM(mjModel* m) {
  int adr = 0;
  for (int i = 0; i < m->nv; i++) {
    const bool is_simple = m->dof_simplenum[i] > 0;
    int count = 1;
    for (int j = m->dof_parentid[i]; j >= 0 && !is_simple; j = m->dof_parentid[j]) {
      count++;
    }
    m->M_rowadr[i] = adr;
    m->M_rownnz[i] = count;

    // the legacy format stores the same row from the diagonal to the root
    for (int j = i, k = 0; k < count; j = m->dof_parentid[j], k++) {
      m->M_colind[adr + count - 1 - k] = j;
      m->mapM2M[adr + count - 1 - k] = m->dof_Madr[i] + k;
    }
    adr += count;
  }
  CF_ASSERT(adr == m->nC);
}


// number of dofs in the subtree of each dof, itself included
static void countDescendants(const mjModel* m, int* below) {
  for (int i = (int)m->nv - 1; i >= 0; i--) {
    below[i] += 1;
    if (m->dof_parentid[i] >= 0) {
      below[m->dof_parentid[i]] += below[i];
    }
  }
}


// rows of D: ancestors, then descendants.  Those need not be contiguous, each dof is entered at all
// its ancestors
static void fillD(mjModel* m, int* scratch) {
  int nv = (int)m->nv, adr = 0;
  for (int i = 0; i < nv; i++) {
    scratch[i] = 0;
  }
  countDescendants(m, scratch);
  for (int i = 0; i < nv; i++) {
    int above = 0;
    for (int j = m->dof_parentid[i]; j >= 0; j = m->dof_parentid[j]) {
      above++;
    }
    m->D_rowadr[i] = adr;
    m->D_rownnz[i] = above + scratch[i];
    m->D_diag[i] = above;
    for (int j = m->dof_parentid[i], k = above - 1; k >= 0; j = m->dof_parentid[j], k--) {
      m->D_colind[adr + k] = j;
    }
    adr += m->D_rownnz[i];
    scratch[i] = above;
  }
  CF_ASSERT(adr == m->nD);
  for (int i = 0; i < nv; i++) {
    for (int j = i; j >= 0; j = m->dof_parentid[j]) {
      m->D_colind[m->D_rowadr[j] + scratch[j]++] = i;
    }
  }
}


// last dof on the chain of a body, -1 for static bodies
static int chainEnd(const mjModel* m, int body) {
  CF_ASSERT_INDEX(body, m->nbody);
  while (body > 0 && !m->body_dofnum[body]) {
    body = m->body_parentid[body];
  }
  return body > 0 ? m->body_dofadr[body] + m->body_dofnum[body] - 1 : -1;
}


// rows of B: dofs above the body, then those of its subtree, entered at all its ancestors
static void fillB(mjModel* m, int* count) {
  int nbody = (int)m->nbody, adr = 0;
  for (int b = 0; b < nbody; b++) {
    m->B_rownnz[b] = count[b] = 0;
  }
  for (int b = nbody - 1; b > 0; b--) {
    m->B_rownnz[b] += m->body_dofnum[b];
    m->B_rownnz[m->body_parentid[b]] += m->B_rownnz[b];
  }
  for (int b = 0; b < nbody; b++) {
    int above = 0, last = b ? chainEnd(m, m->body_parentid[b]) : -1;
    for (int j = last; j >= 0; j = m->dof_parentid[j]) {
      above++;
    }
    m->B_rowadr[b] = adr;
    m->B_rownnz[b] += above;
    for (int j = last, k = above - 1; k >= 0; j = m->dof_parentid[j], k--) {
      m->B_colind[adr + k] = j;
    }
    adr += m->B_rownnz[b];
    count[b] = above;
  }
  CF_ASSERT(!m->nv || adr == m->nB);
  for (int b = 1; b < nbody; b++) {
    for (int k = 0; k < m->body_dofnum[b]; k++) {
      for (int p = b;; p = m->body_parentid[p]) {
        m->B_colind[m->B_rowadr[p] + count[p]++] = m->body_dofadr[b] + k;
        if (!p) {
          break;
        }
      }
    }
  }
}


// place of an entry in M; -1 when its row, that of a simple dof, does not hold it
static int placeInM(const mjModel* m, int row, int col) {
  CF_ASSERT(row >= 0 && row < m->nv && col <= row);
  if (m->dof_simplenum[row]) {
    return row == col ? m->M_rowadr[row] : -1;
  }

  // a dof stands in the row of a descendant where it stands in its own: behind its ancestors
  return m->M_rowadr[row] + m->D_diag[col];
}


// where an entry of D is found in M by symmetry, and where M's entries stand in D
static void fillMaps(mjModel* m) {
  for (int i = 0; i < m->nv; i++) {
    for (int k = 0; k < m->D_rownnz[i]; k++) {
      const int adr = m->D_rowadr[i] + k, col = m->D_colind[adr];
      m->mapM2D[adr] = col <= i ? placeInM(m, i, col) : placeInM(m, col, i);
      if (col <= i && m->mapM2D[adr] >= 0) {
        m->mapD2M[m->mapM2D[adr]] = adr;
      }
    }
  }
}


void cfi_fillSparsity(mjModel* m) {
  if (!m->nv) {
    return;
  }
  int* scratch = (int*)mju_malloc(sizeof(int) * (size_t)(m->nv + m->nbody));
  if (!scratch) {
    mju_error("could not allocate memory for sparsity");
    return;
  }
  fillM(m);
  fillD(m, scratch);
  fillB(m, scratch + m->nv);
  fillMaps(m);
  mju_free(scratch);
}
