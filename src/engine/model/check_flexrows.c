// Checks of the sparse Jacobians of flexes: the stage writes as many entries as there are dofs that
// move the ends of an edge, and collects strain rows over the dofs around a vertex.
#include "base/assert.h"
#include "model/checker.h"

// last dof that moves a body
static int topDof(const mjModel* m, int body) {
  const int weld = m->body_weldid[body];
  return weld ? m->body_dofadr[weld] + m->body_dofnum[weld] - 1 : -1;
}


// dofs that move one of two bodies
static int countMovers(const mjModel* m, int body1, int body2) {
  int count = 0;
  for (int a = topDof(m, body1), b = topDof(m, body2); a >= 0 || b >= 0; count++) {
    const int top = a > b ? a : b;
    a = a == top ? m->dof_parentid[a] : a;
    b = b == top ? m->dof_parentid[b] : b;
  }
  return count;
}


static bool usesEdgeRows(const mjModel* m, int f) {
  return !m->flex_rigid[f] && !m->flex_interp[f] &&
         (m->flex_edgeequality[f] == 1 || m->flex_edgedamping[f] != 0 ||
          m->flex_edgestiffness[f] != 0 || m->flex_damping[f] != 0);
}


static bool checkEdgeRows(const cfChecker* c, int f) {
  CF_ASSERT_INDEX(f, c->m->nflex);
  const mjModel* m = c->m;
  const int* body = m->flex_vertbodyid + m->flex_vertadr[f];
  for (int e = m->flex_edgeadr[f]; e < m->flex_edgeadr[f] + m->flex_edgenum[f]; e++) {
    const int count = countMovers(m, body[m->flex_edge[2 * e]], body[m->flex_edge[2 * e + 1]]);

    // a row without entries stays empty: its flex got a damper or spring after it was compiled
    if (m->flexedge_J_rownnz[e] &&
        !cfi_checkEqual(c, "flexedge_J_rownnz", e, m->flexedge_J_rownnz[e], count)) {
      return false;
    }
  }
  return true;
}


static bool hasStrainRows(const mjModel* m, int f) {
  return !m->flex_rigid[f] && !m->flex_interp[f] && m->flex_dim[f] == 2 &&
         m->flex_edgeequality[f] == 2;
}


// every dof that moves the body has a place in the row
static bool checkMovers(const cfChecker* c, int row, int body) {
  const mjModel* m = c->m;
  const int adr = m->flexvert_J_rowadr[row], end = adr + m->flexvert_J_rownnz[row];
  for (int dof = topDof(m, body); dof >= 0; dof = m->dof_parentid[dof]) {
    int j = adr;
    while (j < end && m->flexvert_J_colind[j] != dof) {
      j++;
    }
    if (j == end) {
      return cfi_complain(c, "flexvert_J_colind: row %d has no place for dof %d", row, dof);
    }
  }
  return true;
}


static bool checkStrainRows(const cfChecker* c, int f) {
  const mjModel* m = c->m;
  const int* body = m->flex_vertbodyid + m->flex_vertadr[f];
  for (int v = m->flex_vertadr[f]; v < m->flex_vertadr[f] + m->flex_vertnum[f]; v++) {
    for (int k = 0; k < 2 * m->flex_vertedgenum[v]; k++) {
      const int e = m->flex_edgeadr[f] + m->flex_vertedge[m->flex_vertedgeadr[v] + k / 2];
      const int end = body[m->flex_edge[2 * e + k % 2]];
      if (!checkMovers(c, 2 * v, end) || !checkMovers(c, 2 * v + 1, end)) {
        return false;
      }
    }
    const int own = body[v - m->flex_vertadr[f]];
    if (m->flex_vertedgenum[v] &&
        (!checkMovers(c, 2 * v, own) || !checkMovers(c, 2 * v + 1, own))) {
      return false;
    }
  }
  return true;
}


bool cfi_checkFlexRows(const cfChecker* c) {
  const mjModel* m = c->m;
  for (int f = 0; f < m->nflex; f++) {
    if ((usesEdgeRows(m, f) && !checkEdgeRows(c, f)) ||
        (hasStrainRows(m, f) && !checkStrainRows(c, f))) {
      return false;
    }
  }
  return true;
}
