// Strain of a surface around its vertices (Chen, Kry & Vouga 2019, "Locking-free simulation of
// isometric thin plates").
//
// F is the deformation gradient (3x2) that fits the edges dy around a vertex best to their rest
// vectors dx, weighted by the masses of the neighbors:
//   F = A*B,  A = sum(w*dy*dx'),  B = flex_vertmetric = inverse of sum(w*dx*dx').
// With C = F'F the two measures are trace(C) - 2 and det(C) - 1, zero for an isometry, both times
// the square root of the vertex mass, which evens out the rows.  Their derivatives by dy of one
// edge are
//   2*w*F*B*dx   and   2*w*F*adj(C)*B*dx.
#include "flex/flex.h"

#include <string.h>

#include "base/assert.h"
#include "kinematics/chain.h"
#include "math/inline.h"
#include "math/spatial.h"

// one edge as a vertex sees it
typedef struct {
  int vertex[2];
  mjtNum weight;
  mjtNum rest[2];  // rest vector in the plane
} strainEdge;

// the vertex under work and its two rows, one number per dof
typedef struct {
  const mjModel* m;
  mjData* d;
  int flex, vertex;
  mjtNum* row[2];
} strainWork;


// C = A*B for 3x2 by 2x2
static void mulPlane(mjtNum C[6], const mjtNum A[6], const mjtNum B[4]) {
  for (int r = 0; r < 6; r += 2) {
    C[r] = A[r] * B[0] + A[r + 1] * B[2];
    C[r + 1] = A[r] * B[1] + A[r + 1] * B[3];
  }
}


static strainEdge lookAtEdge(const strainWork* w, int k) {
  const mjModel* m = w->m;
  const int first = m->flex_vertadr[w->flex], at = first + w->vertex;
  const int* end =
      m->flex_edge + 2 * (m->flex_edgeadr[w->flex] + m->flex_vertedge[m->flex_vertedgeadr[at] + k]);
  const int body = m->flex_vertbodyid[first + (end[0] == w->vertex ? end[1] : end[0])];
  strainEdge edge = {{end[0], end[1]}, cfi_max(m->body_mass[body], mjMINVAL), {0, 0}};
  for (int c = 0; c < 2; c++) {
    // rest coordinates are in units of the full size
    const mjtNum dx =
        m->flex_vert0[3 * (first + end[1]) + c] - m->flex_vert0[3 * (first + end[0]) + c];
    edge.rest[c] = dx * (2 * m->flex_size[3 * w->flex + c]);
  }
  return edge;
}


// A = sum(w*dy*dx') over the edges of the vertex.  What is left of it in a surface that is hardly
// stretched is rounding, so the order of the products is MuJoCo's
static void sumEdges(mjtNum A[6], const strainWork* w, int nedge) {
  const mjtNum* xpos = w->d->flexvert_xpos + 3 * w->m->flex_vertadr[w->flex];
  mju_zero(A, 6);
  for (int k = 0; k < nedge; k++) {
    const strainEdge edge = lookAtEdge(w, k);
    mjtNum dy[3];
    cfi_sub3(dy, xpos + 3 * edge.vertex[1], xpos + 3 * edge.vertex[0]);
    for (int c = 0; c < 3; c++) {
      const mjtNum weighted = edge.weight * dy[c];
      A[2 * c] += weighted * edge.rest[0];
      A[2 * c + 1] += weighted * edge.rest[1];
    }
  }
}


// rows += work of the gradients at a vertex per unit of each dof that moves it
static void addVertexWork(const strainWork* w, int vertex, mjtNum gradient[2][3]) {
  const mjModel* m = w->m;
  const int at = m->flex_vertadr[w->flex] + vertex, body = m->flex_vertbodyid[at];
  mjtNum offset[3], force[2][6];
  cfi_pointOffset(offset, m, w->d, w->d->flexvert_xpos + 3 * at, body);
  for (int r = 0; r < 2; r++) {
    cfi_cross(force[r], offset, gradient[r]);
    cfi_copy3(force[r] + 3, gradient[r]);
  }
  for (int i = cfi_lastDof(m, body); i >= 0; i = m->dof_parentid[i]) {
    w->row[0][i] += cfi_dot6(w->d->cdof + 6 * i, force[0]);
    w->row[1][i] += cfi_dot6(w->d->cdof + 6 * i, force[1]);
  }
}


// the neighbors one by one, the vertex itself with all its edges at once
static void addEdges(const strainWork* w, int nedge, const mjtNum slope[2][6]) {
  mjtNum center[2][3] = {{0, 0, 0}, {0, 0, 0}};
  for (int k = 0; k < nedge; k++) {
    const strainEdge edge = lookAtEdge(w, k);
    const int far = edge.vertex[0] == w->vertex ? 1 : 0;
    const mjtNum scale = (far ? 2 : -2) * edge.weight;
    mjtNum gradient[2][3];
    for (int r = 0; r < 2; r++) {
      for (int c = 0; c < 3; c++) {
        gradient[r][c] =
            scale * (slope[r][2 * c] * edge.rest[0] + slope[r][2 * c + 1] * edge.rest[1]);
      }
      cfi_subFrom3(center[r], gradient[r]);
    }
    addVertexWork(w, edge.vertex[far], gradient);
  }
  addVertexWork(w, w->vertex, center);
}


// move the rows to their place in the matrix and clear them
static void storeRows(const strainWork* w, mjtNum scale) {
  const mjModel* m = w->m;
  for (int r = 0; r < 2; r++) {
    const int row = 2 * (m->flex_vertadr[w->flex] + w->vertex) + r;
    const int adr = m->flexvert_J_rowadr[row];
    for (int j = adr; j < adr + m->flexvert_J_rownnz[row]; j++) {
      const int dof = m->flexvert_J_colind[j];
      w->d->flexvert_J[j] = w->row[r][dof] * scale;
      w->row[r][dof] = 0;
    }
  }
}


static void measureVertex(const strainWork* w) {
  const mjModel* m = w->m;
  const int at = m->flex_vertadr[w->flex] + w->vertex, nedge = m->flex_vertedgenum[at];
  const mjtNum* metric = m->flex_vertmetric + 4 * at;
  const mjtNum mass = m->body_mass[m->flex_vertbodyid[at]];
  const mjtNum scale = mass > mjMINVAL ? sqrt(mass) : 1;
  mjtNum A[6], F[6], C[4] = {0, 0, 0, 0};
  sumEdges(A, w, nedge);
  mulPlane(F, A, metric);
  for (int r = 0; r < 6; r += 2) {
    C[0] += F[r] * F[r];
    C[1] += F[r] * F[r + 1];
    C[3] += F[r + 1] * F[r + 1];
  }
  C[2] = C[1];
  w->d->flexvert_length[2 * at] = (C[0] + C[3] - 2) * scale;
  w->d->flexvert_length[2 * at + 1] = (C[0] * C[3] - C[1] * C[2] - 1) * scale;

  const mjtNum adjugate[4] = {C[3], -C[1], -C[2], C[0]};
  mjtNum slope[2][6], turned[6];
  mulPlane(slope[0], F, metric);
  mulPlane(turned, F, adjugate);
  mulPlane(slope[1], turned, metric);
  addEdges(w, nedge, (const mjtNum(*)[6])slope);
  storeRows(w, scale);
}


void cfi_measureStrain(const mjModel* m, mjData* d, int f) {
  const int nv = (int)m->nv;
  CF_ASSERT(m->flex_dim[f] == 2 && !m->flex_interp[f]);
  mj_markStack(d);
  mjtNum* rows = mj_stackAllocNum(d, 2 * (size_t)nv);
  mju_zero(rows, 2 * nv);
  strainWork work = {m, d, f, 0, {rows, rows + nv}};
  for (; work.vertex < m->flex_vertnum[f]; work.vertex++) {
    measureVertex(&work);
  }
  mj_freeStack(d);
}
