// Saint Venant-Kirchhoff elasticity of triangles and tetrahedra, written in squared edge lengths
// (Kharevych et al. 2006, "Geometric, variational integrators for computer animation", with their
// Rayleigh damping).
//
// With s the changes of the squared lengths of an element's edges and K its packed symmetric matrix
// of flex_stiffness, W = 1/4 * s'*K*s.  The force along edge (a, b) is (K*s)*(xa - xb).  Damping
// adds the change of the squared length over the last step, times damping per timestep, to s.
#include "flex/models.h"

#include "base/assert.h"
#include "math/inline.h"
#include "math/simd/lane.h"

// numbers per element in flex_stiffness
enum { PACKED = 21 };

// ends of an element's edges, by dimension - 2
static const int edge_end[2][6][2] = {{{1, 2}, {2, 0}, {0, 1}},
                                      {{0, 1}, {1, 2}, {2, 0}, {2, 3}, {0, 3}, {1, 3}}};


static mjtByte isElastic(const mjModel* m, int f) {
  return m->flex_dim[f] > 1 && m->flex_elemnum[f] > 0 &&
         m->flex_stiffness[PACKED * m->flex_elemadr[f]] != 0;
}


// change of the squared length of every edge, with damping as if it had changed more
static void elongate(mjtNum* s, const cfFlexView* view, mjtNum damping) {
  const mjModel* m = view->m;
  const int start = m->flex_edgeadr[view->flex];
  for (int e = 0; e < m->flex_edgenum[view->flex]; e++) {
    const mjtNum length = view->d->flexedge_length[start + e];
    const mjtNum rest = m->flexedge_length0[start + e];
    const mjtNum previous = length - view->d->flexedge_velocity[start + e] * m->opt.timestep;
    s[e] = length * length - rest * rest + (length * length - previous * previous) * damping;
  }
}


// tension = K*s over the edges of one element
static inline void stretchElement(mjtNum tension[6], const mjtNum* K, const mjtNum* s,
                                  const int* edge, const int nedge) {
  mjtNum own[6];
  for (int a = 0; a < nedge; a++) {
    own[a] = s[edge[a]];
    tension[a] = 0;
  }
  for (int a = 0; a < nedge; a++) {
    tension[a] += *K++ * own[a];
    for (int b = a + 1; b < nedge; b++, K++) {
      tension[a] += *K * own[b];
      tension[b] += *K * own[a];
    }
  }
}


static inline void addElements(mjtNum* force, const cfFlexView* view, const mjtNum* s,
                               const int dim) {
  const mjModel* m = view->m;
  const int nedge = dim == 2 ? 3 : 6, ncorner = dim + 1;
  const int* corner = m->flex_elem + m->flex_elemdataadr[view->flex];
  const int* edge = m->flex_elemedge + m->flex_elemedgeadr[view->flex];
  const mjtNum* K = m->flex_stiffness + PACKED * m->flex_elemadr[view->flex];
  for (int e = 0; e < m->flex_elemnum[view->flex]; e++) {
    mjtNum tension[6];
    cfLane x[4], pull[4];
    stretchElement(tension, K, s, edge, nedge);
    for (int i = 0; i < ncorner; i++) {
      x[i] = cfi_laneLoad(view->x + CF_POINT * corner[i]);
      pull[i] = cfi_laneLoad(force + CF_POINT * corner[i]);
    }
    for (int a = 0; a < nedge; a++) {
      const int i = edge_end[dim - 2][a][0], j = edge_end[dim - 2][a][1];
      const cfLane along = cfi_laneMul(cfi_laneSpread(tension[a]), cfi_laneSub(x[i], x[j]));
      pull[i] = cfi_laneSub(pull[i], along);
      pull[j] = cfi_laneAdd(pull[j], along);
    }
    for (int i = 0; i < ncorner; i++) {
      cfi_laneStore(force + CF_POINT * corner[i], pull[i]);
    }
    corner += ncorner;
    edge += nedge;
    K += PACKED;
  }
}


// MuJoCo counts all of it as spring force, and keeps it when springs are disabled
static void addLinear(const cfFlexView* view, cfFlexForces forces) {
  const mjModel* m = view->m;
  const mjtNum h = m->opt.timestep;
  mjData* d = view->d;
  mj_markStack(d);
  mjtNum* s = mj_stackAllocNum(d, (size_t)m->flex_edgenum[view->flex] + 1);
  elongate(s, view, h > 0 ? m->flex_damping[view->flex] / h : 0);
  if (m->flex_dim[view->flex] == 2) {
    addElements(forces.spring, view, s, 2);
  } else {
    addElements(forces.spring, view, s, 3);
  }
  mj_freeStack(d);
}


static mjtNum linearEnergy(const cfFlexView* view) {
  const mjModel* m = view->m;
  const int dim = m->flex_dim[view->flex], nedge = dim == 2 ? 3 : 6;
  const int* edge = m->flex_elemedge + m->flex_elemedgeadr[view->flex];
  const mjtNum* K = m->flex_stiffness + PACKED * m->flex_elemadr[view->flex];
  mjData* d = view->d;
  mjtNum energy = 0;
  mj_markStack(d);
  mjtNum* s = mj_stackAllocNum(d, (size_t)m->flex_edgenum[view->flex] + 1);
  elongate(s, view, 0);
  for (int e = 0; e < m->flex_elemnum[view->flex]; e++, edge += nedge, K += PACKED) {
    mjtNum tension[6];
    stretchElement(tension, K, s, edge, nedge);
    for (int a = 0; a < nedge; a++) {
      energy += 0.25 * tension[a] * s[edge[a]];
    }
  }
  mj_freeStack(d);
  return energy;
}


static int countElements(const mjModel* m, int f) {
  return m->flex_elemnum[f];
}


// s[a] of an element at rest lengths, and its packed matrix as a full one
static void elementStrain(mjtNum s[6], mjtNum K[36], const cfFlexView* view, int element,
                          int nedge) {
  const mjModel* m = view->m;
  const int* edge = m->flex_elemedge + m->flex_elemedgeadr[view->flex] + nedge * element;
  const mjtNum* packed = m->flex_stiffness + PACKED * (m->flex_elemadr[view->flex] + element);
  for (int a = 0; a < nedge; a++) {
    const int e = m->flex_edgeadr[view->flex] + edge[a];
    const mjtNum length = view->d->flexedge_length[e], rest = m->flexedge_length0[e];
    s[a] = length * length - rest * rest;
    for (int b = a; b < nedge; b++) {
      K[nedge * a + b] = K[nedge * b + a] = *packed++;
    }
  }
}


// sum of 2*K[a][b]*g[a]*g[b]' with g[a] the edge at one end, minus it at the other, and of
// tension[a] times the Laplacian of the edge
static int linearStiffness(const cfFlexView* view, int stencil, int vertex[4], mjtNum* H) {
  const mjModel* m = view->m;
  const int dim = m->flex_dim[view->flex], nedge = dim == 2 ? 3 : 6, n = 3 * (dim + 1);
  mjtNum s[6], K[36], tension[6], g[6][12] = {{0}};
  elementStrain(s, K, view, stencil, nedge);
  mju_mulMatVec(tension, K, s, nedge, nedge);
  const int* corner = m->flex_elem + m->flex_elemdataadr[view->flex] + (dim + 1) * stencil;
  for (int i = 0; i <= dim; i++) {
    vertex[i] = corner[i];
  }
  mju_zero(H, n * n);
  for (int a = 0; a < nedge; a++) {
    const int i = edge_end[dim - 2][a][0], j = edge_end[dim - 2][a][1];
    cfi_sub3(g[a] + 3 * i, view->x + CF_POINT * vertex[i], view->x + CF_POINT * vertex[j]);
    cfi_scl3(g[a] + 3 * j, g[a] + 3 * i, -1);
    for (int c = 0; c < 3; c++) {
      H[(3 * i + c) * n + 3 * i + c] += tension[a];
      H[(3 * j + c) * n + 3 * j + c] += tension[a];
      H[(3 * i + c) * n + 3 * j + c] -= tension[a];
      H[(3 * j + c) * n + 3 * i + c] -= tension[a];
    }
  }
  for (int a = 0; a < nedge; a++) {
    mjtNum row[12] = {0};
    for (int b = 0; b < nedge; b++) {
      mju_addToScl(row, g[b], 2 * K[nedge * a + b], n);
    }
    for (int i = 0; i < n; i++) {
      mju_addToScl(H + n * i, row, g[a][i], n);
    }
  }
  return dim + 1;
}


const cfFlexModel cfi_linearElasticity = {.name = "linear",
                                          .spread = CF_SPREAD_CHAIN,
                                          .acts = isElastic,
                                          .addForces = addLinear,
                                          .energy = linearEnergy,
                                          .stencils = countElements,
                                          .stiffness = linearStiffness};
