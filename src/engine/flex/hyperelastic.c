// Rest state of hyperelastic elements.
//
// The moduli are those of MuJoCo's linear elasticity, so that both agree at small strains and no
// further parameter is needed.  They are read from the compiled stiffness K, for which an element
// stores W = 1/4*s'*K*s = V*(mu*tr(E^2) + la/2*tr(E)^2) with s[a] = 2*e[a]'*E*e[a] over its rest
// edges e: two strains E give two equations.  For triangles V is the area, and MuJoCo's moduli are
// those of the solid times a quarter of the thickness.  Its la is twice the textbook's, also here.
#include "flex/hyperelastic.h"

#include "base/assert.h"

// corners at the ends of an element's edges, by dimension - 2
static const int rest_edge[2][6][2] = {{{1, 2}, {2, 0}, {0, 1}},
                                       {{0, 1}, {1, 2}, {2, 0}, {2, 3}, {0, 3}, {1, 3}}};


mjtByte cfi_isHyperelastic(const mjModel* m, int f) {
  return m->flex_dim[f] > 1 && m->flex_elemnum[f] > 0 &&
         m->flex_stiffness[CF_STIFFNESS_NUMBERS * m->flex_elemadr[f]] != 0;
}


const char* cfi_hyperelasticObjection(const mjModel* m, int f) {
  if (m->flex_dim[f] < 2) {
    return "needs triangles or tetrahedra, a flex of dim 2 or 3";
  }
  if (cfi_isHyperelastic(m, f)) {
    return NULL;
  }
  return m->flex_dim[f] == 2
             ? "needs <elasticity> with young, thickness, and elastic2d \"stretch\" "
               "or \"both\""
             : "needs <elasticity> with young";
}


int cfi_countElements(const mjModel* m, int f) {
  return m->flex_elemnum[f];
}


mjtSize cfi_restNumbers(const mjModel* m, int f) {
  return (mjtSize)CF_REST_NUMBERS * m->flex_elemnum[f];
}


// rest edges from corner 0 as columns; those of triangles in their plane
static void restColumns(mjtNum D[3][3], const mjtNum* rest, const int* corner, int dim) {
  mjtNum edge[3][3];
  for (int e = 0; e < dim; e++) {
    cfi_sub3(edge[e], rest + CF_POINT * corner[e + 1], rest + CF_POINT * corner[0]);
  }
  if (dim == 3) {
    for (int e = 0; e < 3; e++) {
      cfi_copy3(D[e], edge[e]);
    }
    return;
  }
  mjtNum axis[3], normal[3];
  cfi_copy3(axis, edge[0]);
  const mjtNum length = cfi_normalize3(axis);
  cfi_cross(normal, axis, edge[1]);
  cfi_set3(D[0], length, 0, 0);
  cfi_set3(D[1], cfi_dot3(axis, edge[1]), sqrt(cfi_dot3(normal, normal)), 0);
}


// inverse by columns, and volume; an element without volume gets zeros and carries nothing
static void invertColumns(cfElementRest* rest, const mjtNum D[3][3], int dim) {
  mjtNum row[3][3] = {{0}}, det;
  if (dim == 2) {
    det = D[0][0] * D[1][1] - D[1][0] * D[0][1];
    cfi_set3(row[0], D[1][1], -D[1][0], 0);
    cfi_set3(row[1], -D[0][1], D[0][0], 0);
  } else {
    cfi_cross(row[0], D[1], D[2]);
    cfi_cross(row[1], D[2], D[0]);
    cfi_cross(row[2], D[0], D[1]);
    det = cfi_dot3(D[0], row[0]);
  }
  rest->volume = fabs(det) / (dim == 2 ? 2 : 6);
  const mjtNum scale = rest->volume > 0 ? 1 / det : 0;
  for (int e = 0; e < dim; e++) {
    for (int k = 0; k < dim; k++) {
      rest->inverse[dim * k + e] = scale * row[e][k];
    }
  }
}


// 1/4*s'*K*s for the strain diag(x, y, ..., y)
static mjtNum strainEnergy(const mjtNum* K, const mjtNum D[3][3], int dim, mjtNum x, mjtNum y) {
  const int nedge = dim == 2 ? 3 : 6;
  mjtNum s[6], energy = 0;
  for (int a = 0; a < nedge; a++) {
    const int i = rest_edge[dim - 2][a][0], j = rest_edge[dim - 2][a][1];
    s[a] = 0;
    for (int c = 0; c < dim; c++) {
      const mjtNum along = (i ? D[i - 1][c] : 0) - (j ? D[j - 1][c] : 0);
      s[a] += 2 * (c ? y : x) * along * along;
    }
  }
  for (int a = 0; a < nedge; a++) {
    energy += 0.25 * *K++ * s[a] * s[a];
    for (int b = a + 1; b < nedge; b++) {
      energy += 0.5 * *K++ * s[a] * s[b];
    }
  }
  return energy;
}


// strains diag(1, 1, ...) and diag(1, -t, ...) without trace
static void moduliOf(cfElementRest* rest, const mjtNum* K, const mjtNum D[3][3], int dim) {
  if (rest->volume <= 0) {
    rest->mu = rest->la = 0;
    return;
  }
  const mjtNum t = 1.0 / (dim - 1), shear = strainEnergy(K, D, dim, 1, -t) / rest->volume;
  const mjtNum dilate = strainEnergy(K, D, dim, 1, 1) / rest->volume;
  rest->mu = shear / (1 + (dim - 1) * t * t);
  rest->la = 2 * (dilate - rest->mu * dim) / (dim * dim);
}


// rest edges are the inverse of their inverse
void cfi_readModuli(cfElementRest* rest, const mjtNum* K, int dim) {
  CF_ASSERT(dim == 2 || dim == 3);
  mjtNum column[3][3] = {{0}}, D[3][3] = {{0}};
  cfElementRest back = {.volume = 0};
  for (int e = 0; e < dim; e++) {
    for (int k = 0; k < dim; k++) {
      column[e][k] = rest->inverse[dim * e + k];
    }
  }
  invertColumns(&back, (const mjtNum(*)[3])column, dim);
  for (int e = 0; e < dim; e++) {
    for (int k = 0; k < dim; k++) {
      D[e][k] = back.inverse[dim * e + k];
    }
  }
  moduliOf(rest, K, (const mjtNum(*)[3])D, dim);
}


void cfi_restElements(const mjModel* m, int f, const mjtNum* rest, mjtNum* constant) {
  const int dim = m->flex_dim[f];
  const int* corner = m->flex_elem + m->flex_elemdataadr[f];
  const mjtNum* K = m->flex_stiffness + CF_STIFFNESS_NUMBERS * m->flex_elemadr[f];
  cfElementRest* element = (cfElementRest*)(void*)constant;
  CF_ASSERT(dim == 2 || dim == 3);
  for (int e = 0; e < m->flex_elemnum[f]; e++) {
    mjtNum D[3][3];
    restColumns(D, rest, corner, dim);
    element[e] = (cfElementRest){.volume = 0};
    invertColumns(element + e, (const mjtNum(*)[3])D, dim);
    moduliOf(element + e, K, (const mjtNum(*)[3])D, dim);
    mju_copy(element[e].former, K, CF_STIFFNESS_NUMBERS);
    corner += dim + 1;
    K += CF_STIFFNESS_NUMBERS;
  }
}
