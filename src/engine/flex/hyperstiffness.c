// Second derivative of the energy of a hyperelastic element W = V*w(I, J):
//
//   d2W/dF2 = V * (2*w_I*1 + 4*w_II*F*F' + w_JJ*(dJ/dF)*(dJ/dF)' + w_J*d2J/dF2)
//
// over the columns of F one after another, 3*dim numbers.
#include "base/assert.h"
#include "flex/hyperelastic.h"

enum { GRADIENT_MAX = 9 };


static void crossWith(mjtNum res[9], const mjtNum v[3]) {
  const mjtNum cross[9] = {0, -v[2], v[1], v[2], 0, -v[0], -v[1], v[0], 0};
  mju_copy(res, cross, 9);
}


// H[a][b] += scale * block, H[b][a] += its transpose
static void addPair(mjtNum* H, int n, int a, int b, const mjtNum block[9], mjtNum scale) {
  for (int r = 0; r < 9; r++) {
    H[(3 * a + r / 3) * n + 3 * b + r % 3] += scale * block[r];
    H[(3 * b + r % 3) * n + 3 * a + r / 3] += scale * block[r];
  }
}


// J = F0 . (F1 x F2): the derivative of one cross product by another column
static void addVolumeTerm(mjtNum* H, const cfDeformation* f, mjtNum scale) {
  for (int a = 0; a < 3; a++) {
    const int b = (a + 1) % 3, third = (a + 2) % 3;
    mjtNum cross[9];
    crossWith(cross, f->F[third]);
    addPair(H, 9, a, b, cross, -scale);
  }
}


// J = |N|, N = F0 x F1:  d2J = 2*n.(dF0 x dF1) + |dN without its part along n|^2 / J
static void addAreaTerm(mjtNum* H, const cfDeformation* f, mjtNum scale) {
  mjtNum normal[3], cross[9], B[18];
  cfi_cross(normal, f->F[0], f->F[1]);
  cfi_scl3(normal, normal, f->J > mjMINVAL ? 1 / f->J : 0);
  crossWith(cross, normal);
  addPair(H, 6, 0, 1, cross, -scale);

  // dN = B*dF, and its part in the plane
  mjtNum first[9], second[9], along[6];
  crossWith(first, f->F[1]);
  crossWith(second, f->F[0]);
  for (int r = 0; r < 9; r++) {
    B[6 * (r / 3) + r % 3] = -first[r];
    B[6 * (r / 3) + 3 + r % 3] = second[r];
  }
  mju_mulMatTVec(along, B, normal, 3, 6);
  const mjtNum weight = f->J > mjMINVAL ? scale / f->J : 0;
  for (int i = 0; i < 6; i++) {
    for (int j = 0; j < 6; j++) {
      const mjtNum dot = B[i] * B[j] + B[6 + i] * B[6 + j] + B[12 + i] * B[12 + j];
      H[6 * i + j] += weight * (dot - along[i] * along[j]);
    }
  }
}


static void gradientStiffness(mjtNum* H, const cfDeformation* f, const cfDensity* w, mjtNum volume,
                              int dim) {
  const int n = 3 * dim;
  const mjtNum *F = &f->F[0][0], *C = &f->cofactor[0][0];
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      H[n * i + j] = volume * ((i == j ? 2 * w->by_I : 0) + 4 * w->by_II * (F[i] * F[j]) +
                               w->by_JJ * (C[i] * C[j]));
    }
  }
  if (dim == 3) {
    addVolumeTerm(H, f, volume * w->by_J);
  } else {
    addAreaTerm(H, f, volume * w->by_J);
  }
}


int cfi_elementStiffness(const cfFlexView* view, int element, int vertex[4], mjtNum* K,
                         cfMaterial* material) {
  const mjModel* m = view->m;
  const int dim = m->flex_dim[view->flex], ncorner = dim + 1, n = 3 * ncorner;
  cfElementRest edited;
  const cfElementRest* rest = cfi_currentRest(
      (const cfElementRest*)(const void*)view->constant + element,
      m->flex_stiffness + CF_STIFFNESS_NUMBERS * (m->flex_elemadr[view->flex] + element), dim,
      &edited);
  CF_ASSERT(dim == 2 || dim == 3);
  const int* corner = m->flex_elem + m->flex_elemdataadr[view->flex] + ncorner * element;
  for (int i = 0; i < ncorner; i++) {
    vertex[i] = corner[i];
  }
  const cfDeformation f = cfi_deform(view->x, vertex, rest, dim);
  const cfDensity w = material(cfi_firstInvariant(&f, dim), f.J, rest, dim);
  mjtNum H[GRADIENT_MAX * GRADIENT_MAX], by_corner[4][3] = {{0}};
  gradientStiffness(H, &f, &w, rest->volume, dim);

  // dF[k] = sum of by_corner[i][k] * dx[i]
  for (int e = 0; e < dim; e++) {
    for (int k = 0; k < dim; k++) {
      by_corner[e + 1][k] = rest->inverse[dim * k + e];
      by_corner[0][k] -= rest->inverse[dim * k + e];
    }
  }
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      mjtNum sum = 0;
      for (int kl = 0; kl < dim * dim; kl++) {
        const int k = kl / dim, l = kl % dim;
        sum += by_corner[i / 3][k] * by_corner[j / 3][l] *
               H[(3 * k + i % 3) * 3 * dim + 3 * l + j % 3];
      }
      K[n * i + j] = sum;
    }
  }
  return ncorner;
}
