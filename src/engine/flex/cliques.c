// Stiffness of flexes as dense parts over dofs, for solvers that factor a sparse matrix.
#include "base/assert.h"
#include "flex/models.h"
#include "flex/stiffness.h"
#include "math/inline.h"

// ---------------------------------------- stencils

// Put a dof into an increasing list that does not hold it yet; returns the new length.
static int insertDof(int* list, int n, int dof) {
  int at = n;
  while (at > 0 && list[at - 1] >= dof) {
    at--;
  }
  if (at < n && list[at] == dof) {
    return n;
  }
  for (int k = n; k > at; k--) {
    list[k] = list[k - 1];
  }
  list[at] = dof;
  return n + 1;
}


static int placeOfDof(const int* list, int n, int dof) {
  for (int k = 0; k < n; k++) {
    if (list[k] == dof) {
      return k;
    }
  }
  CF_ASSERT(false);
  return 0;
}


// Columns of the vertices of a stencil over its dofs: 3*count x n numbers.
static void stencilColumns(mjtNum* columns, const cfStencil* at, const cfFlexStiffness* s,
                           const int* dof, int n) {
  mju_zero(columns, 3 * at->count * n);
  for (int i = 0; i < at->count; i++) {
    const int v = at->vertex[i];
    for (int k = 0; k < s->count[v]; k++) {
      const int place = placeOfDof(dof, n, s->dof[s->adr[v] + k]);
      for (int r = 0; r < 3; r++) {
        columns[(3 * i + r) * n + place] = s->column[3 * (s->adr[v] + k) + r];
      }
    }
  }
}


// weight * C'*K*C
static cfClique stencilClique(const cfStencil* at, const cfFlexStiffness* s, const mjModel* m,
                              mjData* d) {
  int room = 0, n = 0;
  CF_ASSERT(at->count >= 1 && at->count <= CF_STENCIL_MAX);
  for (int i = 0; i < at->count; i++) {
    room += s->count[at->vertex[i]];
  }
  int* dof = mj_stackAllocInt(d, (size_t)room + 1);
  for (int i = 0; i < at->count; i++) {
    const int v = at->vertex[i];
    for (int k = 0; k < s->count[v]; k++) {
      n = insertDof(dof, n, s->dof[s->adr[v] + k]);
    }
  }
  mjtNum* value = mj_stackAllocNum(d, (size_t)n * (size_t)n + 1);
  const int rows = 3 * at->count;
  const mjtNum weight = cfi_flexWeight(m, at->flex, false);
  mj_markStack(d);
  mjtNum* columns = mj_stackAllocNum(d, 2 * (size_t)(rows * n) + 1);
  mjtNum* turned = columns + rows * n;
  stencilColumns(columns, at, s, dof, n);
  mju_mulMatMat(turned, at->K, columns, rows, rows, n);
  mju_mulMatTMat(value, columns, turned, rows, n, n);
  mju_scl(value, value, weight, n * n);
  mj_freeStack(d);
  return (cfClique){n, dof, value};
}


// ---------------------------------------- springs along edges

// Edges of a flex that have a spring or a damper to treat implicitly.
static int springEdges(const mjModel* m, int f) {
  const bool has_springs =
      cfi_flexIsImplicit(m, f) && !m->flex_rigid[f] && cfi_edgeWeight(m, f, false) != 0;
  return has_springs ? m->flex_edgenum[f] : 0;
}


static cfClique edgeClique(const mjModel* m, mjData* d, int f, int edge) {
  CF_ASSERT_INDEX(edge, m->nflexedge);
  const int n = m->flexedge_J_rownnz[edge], adr = m->flexedge_J_rowadr[edge];
  const mjtNum *J = d->flexedge_J + adr, weight = cfi_edgeWeight(m, f, false);
  mjtNum* value = mj_stackAllocNum(d, (size_t)n * (size_t)n + 1);
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      value[i * n + j] = weight * J[i] * J[j];
    }
  }
  return (cfClique){n, m->flexedge_J_colind + adr, value};
}


cfClique* cfi_flexCliques(int* count, const cfFlexStiffness* s, const mjModel* m, mjData* d) {
  int most = s->nstencil;
  for (int f = 0; f < m->nflex; f++) {
    most += springEdges(m, f);
  }
  *count = 0;
  if (!most) {
    return NULL;
  }
  cfClique* clique = mj_stackAllocByte(d, sizeof(cfClique) * (size_t)most, _Alignof(cfClique));
  for (int k = 0; k < s->nstencil; k++) {
    clique[(*count)++] = stencilClique(s->stencil + k, s, m, d);
  }
  for (int f = 0; f < m->nflex; f++) {
    for (int e = 0; e < springEdges(m, f); e++) {
      const int edge = m->flex_edgeadr[f] + e;
      if (!m->flexedge_rigid[edge] && m->flexedge_J_rownnz[edge] > 0) {
        clique[(*count)++] = edgeClique(m, d, f, edge);
      }
    }
  }
  return clique;
}
