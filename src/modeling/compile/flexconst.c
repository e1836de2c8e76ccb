// Constant structure of flexes: sparsity of edge and vertex Jacobians, edges around a vertex, rest
// metric of a vertex.
#include "base/assert.h"
#include "compile/constants.h"

#include <stdbool.h>

// a flex whose vertices carry in-plane strain constraints
static bool hasVertexConstraint(const mjModel* m, int flex) {
  return m->flex_dim[flex] == 2 && m->flex_edgeequality[flex] == 2;
}


// last dof that moves a body, negative for static bodies
static int lastDof(const mjModel* m, int body) {
  const int weld = m->body_weldid[body];
  return weld ? m->body_dofadr[weld] + m->body_dofnum[weld] - 1 : -1;
}


// dofs that move either of two bodies, increasing; returns their number
static int dofsOfPair(const mjModel* m, int body1, int body2, int* dof) {
  CF_ASSERT(body1 >= 0 && body1 < m->nbody && body2 >= 0 && body2 < m->nbody);
  int count = 0;
  for (int a = lastDof(m, body1), b = lastDof(m, body2); a >= 0 || b >= 0; count++) {
    const int top = a > b ? a : b;
    dof[count] = top;
    a = a == top ? m->dof_parentid[a] : a;
    b = b == top ? m->dof_parentid[b] : b;
  }
  for (int i = 0, j = count - 1; i < j; i++, j--) {
    const int swap = dof[i];
    dof[i] = dof[j];
    dof[j] = swap;
  }
  return count;
}


// bodies at the ends of an edge (global edge index)
static void edgeBodies(const mjModel* m, int flex, int edge, int body[2]) {
  CF_ASSERT(flex >= 0 && flex < m->nflex && edge >= 0 && edge < m->nflexedge);
  const int* of_vertex = m->flex_vertbodyid + m->flex_vertadr[flex];
  body[0] = of_vertex[m->flex_edge[2 * edge]];
  body[1] = of_vertex[m->flex_edge[2 * edge + 1]];
}


// sparsity of the edge Jacobian of one flex, where something makes use of it
static void setEdgeRows(mjModel* m, mjData* d, int flex) {
  CF_ASSERT_INDEX(flex, m->nflex);
  if (!m->flex_edgeequality[flex] && m->flex_edgedamping[flex] == 0 &&
      m->flex_edgestiffness[flex] == 0 && m->flex_damping[flex] == 0) {
    return;
  }
  mj_markStack(d);
  int* dof = mj_stackAllocInt(d, m->nv);
  for (int k = 0; k < m->flex_edgenum[flex]; k++) {
    int e = m->flex_edgeadr[flex] + k, body[2];
    edgeBodies(m, flex, e, body);
    m->flexedge_J_rowadr[e] = e ? m->flexedge_J_rowadr[e - 1] + m->flexedge_J_rownnz[e - 1] : 0;
    m->flexedge_J_rownnz[e] = dofsOfPair(m, body[0], body[1], dof);
    for (int i = 0; i < m->flexedge_J_rownnz[e]; i++) {
      m->flexedge_J_colind[m->flexedge_J_rowadr[e] + i] = dof[i];
    }
  }
  mj_freeStack(d);
}


// list the edges around every vertex of a flex from `adr` on; returns the end of the list
static int listVertexEdges(mjModel* m, int flex, int adr) {
  CF_ASSERT_INDEX(flex, m->nflex);
  int *start = m->flex_vertedgeadr + m->flex_vertadr[flex],
      *count = m->flex_vertedgenum + m->flex_vertadr[flex];
  const int* ends = m->flex_edge + 2 * m->flex_edgeadr[flex];
  const int nend = 2 * m->flex_edgenum[flex];
  for (int k = 0; k < nend; k++) {
    count[ends[k]]++;
  }
  for (int v = 0; v < m->flex_vertnum[flex]; v++) {
    start[v] = adr;
    adr += count[v];
    count[v] = 0;
  }
  for (int k = 0; k < nend; k++) {
    const int v = ends[k];
    m->flex_vertedge[start[v] + count[v]++] = k / 2;
  }
  return adr;
}


// mass of the vertex at the far end of an edge
static mjtNum neighborMass(const mjModel* m, int flex, int edge, int vertex) {
  const int* ends = m->flex_edge + 2 * edge;
  const int body =
      m->flex_vertbodyid[m->flex_vertadr[flex] + (ends[0] == vertex ? ends[1] : ends[0])];
  return body < 0 ? 1 : mju_max(mjMINVAL, m->body_mass[body]);
}


// inverse of the mass-weighted second moment of the rest edges around a vertex
static void setVertexMetric(mjModel* m, int flex, int vertex) {
  CF_ASSERT_INDEX(flex, m->nflex);
  const int global = m->flex_vertadr[flex] + vertex;
  const mjtNum* rest = m->flex_vert0 + 3 * m->flex_vertadr[flex];
  mjtNum xx = 0, xy = 0, yy = 0;
  for (int k = 0; k < m->flex_vertedgenum[global]; k++) {
    const int e = m->flex_edgeadr[flex] + m->flex_vertedge[m->flex_vertedgeadr[global] + k];
    mjtNum along[3];
    for (int c = 0; c < 3; c++) {
      // rest coordinates are in units of the full size
      along[c] = (rest[3 * m->flex_edge[2 * e + 1] + c] - rest[3 * m->flex_edge[2 * e] + c]) *
                 (2 * m->flex_size[3 * flex + c]);
    }
    if (mju_abs(along[2]) > mjMINVAL) {
      mju_error("mj_setConst: flex vertices are not in the same plane");
    }
    const mjtNum weight = neighborMass(m, flex, e, vertex);
    xx += weight * along[0] * along[0];
    xy += weight * along[0] * along[1];
    yy += weight * along[1] * along[1];
  }
  const mjtNum det = xx * yy - xy * xy;
  const mjtNum scale = mju_abs(det) < mjMINVAL ? 0 : 1 / det;
  mjtNum* metric = m->flex_vertmetric + 4 * global;
  metric[0] = yy * scale;
  metric[1] = metric[2] = -xy * scale;
  metric[3] = xx * scale;
}


// dofs that move the vertex or a neighbor, both strain rows alike; returns the next free address
static int setVertexRows(mjModel* m, int flex, int vertex, int adr, int* is_used) {
  CF_ASSERT(flex >= 0 && flex < m->nflex && vertex >= 0);
  const int global = m->flex_vertadr[flex] + vertex;
  for (int i = 0; i < m->nv; i++) {
    is_used[i] = 0;
  }
  for (int k = 0; k < m->flex_vertedgenum[global]; k++) {
    int body[2];
    edgeBodies(m, flex, m->flex_edgeadr[flex] + m->flex_vertedge[m->flex_vertedgeadr[global] + k],
               body);
    for (int end = 0; end < 2; end++) {
      for (int i = lastDof(m, body[end]); i >= 0; i = m->dof_parentid[i]) {
        is_used[i] = 1;
      }
    }
  }
  for (int row = 2 * global; row < 2 * global + 2; row++) {
    m->flexvert_J_rowadr[row] = adr;
    for (int i = 0; i < m->nv; i++) {
      if (is_used[i]) {
        m->flexvert_J_colind[adr++] = i;
      }
    }
    m->flexvert_J_rownnz[row] = adr - m->flexvert_J_rowadr[row];
  }
  return adr;
}


// vertex constraints of one flex; `next` holds the free addresses of edge list and Jacobian
static void setVertexStructure(mjModel* m, mjData* d, int flex, int next[2]) {
  next[0] = listVertexEdges(m, flex, next[0]);
  mj_markStack(d);
  int* is_used = mj_stackAllocInt(d, m->nv);
  for (int v = 0; v < m->flex_vertnum[flex]; v++) {
    setVertexMetric(m, flex, v);
    next[1] = setVertexRows(m, flex, v, next[1], is_used);
  }
  mj_freeStack(d);

  // the row after the last starts where this one ends
  const int after = 2 * (m->flex_vertadr[flex] + m->flex_vertnum[flex]);
  if (after < 2 * m->nflexvert) {
    m->flexvert_J_rowadr[after] = next[1];
  }
}


// turn the rest shape of a planar flex so that its first element faces z
static void alignRestShape(mjModel* m, int flex) {
  CF_ASSERT_INDEX(flex, m->nflex);
  mjtNum* rest = m->flex_vert0 + 3 * m->flex_vertadr[flex];
  const int* corner = m->flex_elem + m->flex_elemdataadr[flex];
  mjtNum side1[3], side2[3], normal[3], quat[4], mat[9];
  mju_sub3(side1, rest + 3 * corner[1], rest + 3 * corner[0]);
  mju_sub3(side2, rest + 3 * corner[2], rest + 3 * corner[0]);
  mju_cross(normal, side1, side2);
  mju_normalize3(normal);
  mju_quatZ2Vec(quat, normal);
  mju_quat2Mat(mat, quat);

  bool is_planar = true;
  for (int v = 0; v < m->flex_vertnum[flex]; v++) {
    mjtNum turned[3];
    mju_mulMatTVec3(turned, mat, rest + 3 * v);
    mju_copy3(rest + 3 * v, turned);
    is_planar &= mju_abs(turned[2] - rest[3 * corner[0] + 2]) <= 100 * mjMINVAL;
  }
  if (!is_planar) {
    mju_warning("flex %d is not planar", flex);
  }
}


void cfi_setFlexStructure(mjModel* m, mjData* d) {
  for (int e = 0; e < m->nflexedge; e++) {
    m->flexedge_J_rowadr[e] = m->flexedge_J_rownnz[e] = 0;
    m->flex_vertedge[2 * e] = m->flex_vertedge[2 * e + 1] = 0;
  }
  for (int v = 0; v < m->nflexvert; v++) {
    m->flexvert_J_rowadr[2 * v] = m->flexvert_J_rowadr[2 * v + 1] = 0;
    m->flexvert_J_rownnz[2 * v] = m->flexvert_J_rownnz[2 * v + 1] = 0;
    m->flex_vertedgeadr[v] = m->flex_vertedgenum[v] = 0;
    mju_zero(m->flex_vertmetric + 4 * v, 4);
  }

  int next[2] = {0, 0};
  for (int f = 0; f < m->nflex; f++) {
    if (!m->flex_rigid[f] && !m->flex_interp[f]) {
      setEdgeRows(m, d, f);
      if (hasVertexConstraint(m, f)) {
        setVertexStructure(m, d, f, next);
      }
    }
  }
  for (int f = 0; f < m->nflex; f++) {
    if (hasVertexConstraint(m, f)) {
      alignRestShape(m, f);
    }
  }
}
