// Bending by the cotangent stencil (Wardetzky et al. 2007, "Discrete quadratic curvature energies";
// curved rest shapes after Garg et al. 2007, "Cubic shells").
//
// An edge and its two triangles have four vertices x0..x3.  flex_bending holds a symmetric 4x4
// matrix Q and a number c:
//   W = 1/2 * sum(Q[i][j]*xi*xj) + c * det(x1 - x0, x2 - x0, x3 - x0).
#include "flex/models.h"

#include "math/inline.h"
#include "math/simd/lane.h"

enum { STENCIL = 17 };


static mjtByte bendsCotangent(const mjModel* m, int f) {
  return m->flex_dim[f] == 2;
}


static inline bool isSlack(const mjtNum* Q) {
  const cfLane a = cfi_laneLoad(Q), b = cfi_laneLoad(Q + 4);
  const cfLane c = cfi_laneLoad(Q + 8), e = cfi_laneLoad(Q + 12);
  const cfLane sum = cfi_laneAddMul(cfi_laneMul(a, a), b, b);
  return Q[16] == 0 && !cfi_laneAny(cfi_laneAddMul(cfi_laneAddMul(sum, c, c), e, e));
}


// force -= scale * Q*x at the corners
static inline void subStencil(mjtNum* force, const mjtNum* Q, const mjtNum* x, const int corner[4],
                              mjtNum scale) {
  cfLane at[4];
  for (int j = 0; j < 4; j++) {
    at[j] = cfi_laneMul(cfi_laneLoad(x + CF_POINT * corner[j]), cfi_laneSpread(scale));
  }
  for (int i = 0; i < 4; i++) {
    mjtNum* f = force + CF_POINT * corner[i];
    cfLane sum = cfi_laneMul(cfi_laneSpread(Q[4 * i]), at[0]);
    for (int j = 1; j < 4; j++) {
      sum = cfi_laneAddMul(sum, cfi_laneSpread(Q[4 * i + j]), at[j]);
    }
    cfi_laneStore(f, cfi_laneSub(cfi_laneLoad(f), sum));
  }
}


// gradient of det(x1 - x0, x2 - x0, x3 - x0)
static void volumeGradient(mjtNum gradient[4][3], const mjtNum* x, const int corner[4]) {
  mjtNum side[3][3];
  for (int k = 0; k < 3; k++) {
    cfi_sub3(side[k], x + CF_POINT * corner[k + 1], x + CF_POINT * corner[0]);
  }
  cfi_cross(gradient[1], side[1], side[2]);
  cfi_cross(gradient[2], side[2], side[0]);
  cfi_cross(gradient[3], side[0], side[1]);
  for (int c = 0; c < 3; c++) {
    gradient[0][c] = -(gradient[1][c] + gradient[2][c] + gradient[3][c]);
  }
}


static void subCurved(mjtNum* force, mjtNum curved, const mjtNum* x, const int corner[4]) {
  mjtNum gradient[4][3];
  volumeGradient(gradient, x, corner);
  for (int i = 0; i < 4; i++) {
    cfi_addToScl3(force + CF_POINT * corner[i], gradient[i], -curved);
  }
}


static void addCotangent(const cfFlexView* view, cfFlexForces forces) {
  const mjModel* m = view->m;
  const mjtNum damping = m->flex_damping[view->flex];
  const int start = m->flex_edgeadr[view->flex], end = start + m->flex_edgenum[view->flex];
  for (int e = start; e < end; e++) {
    const mjtNum* Q = m->flex_bending + STENCIL * e;
    int corner[4];
    if (!cfi_edgeCorners(corner, m, e) || isSlack(Q)) {
      continue;
    }
    if (forces.has_spring) {
      subStencil(forces.spring, Q, view->x, corner, 1);
      if (Q[16] != 0) {
        subCurved(forces.spring, Q[16], view->x, corner);
      }
    }
    if (forces.has_damper && damping != 0) {
      subStencil(forces.damper, Q, view->velocity, corner, damping);
    }
  }
}


static mjtNum cotangentEnergy(const cfFlexView* view) {
  const mjModel* m = view->m;
  const int start = m->flex_edgeadr[view->flex], end = start + m->flex_edgenum[view->flex];
  mjtNum energy = 0;
  for (int e = start; e < end; e++) {
    const mjtNum* Q = m->flex_bending + STENCIL * e;
    int corner[4];
    if (!cfi_edgeCorners(corner, m, e)) {
      continue;
    }
    for (int i = 0; i < 4; i++) {
      for (int j = 0; j < 4; j++) {
        energy += 0.5 * Q[4 * i + j] *
                  cfi_dot3(view->x + CF_POINT * corner[i], view->x + CF_POINT * corner[j]);
      }
    }
    mjtNum gradient[4][3], side[3];
    volumeGradient(gradient, view->x, corner);
    cfi_sub3(side, view->x + CF_POINT * corner[1], view->x + CF_POINT * corner[0]);
    energy += Q[16] * cfi_dot3(side, gradient[1]);
  }
  return energy;
}


static int countEdges(const mjModel* m, int f) {
  return m->flex_edgenum[f];
}


// second derivative of det(x1 - x0, x2 - x0, x3 - x0), 12 x 12: cross products with the third side
static void addVolumeCurvature(mjtNum* K, mjtNum scale, const mjtNum* x, const int corner[4]) {
  for (int a = 1; a < 4; a++) {
    const int b = a % 3 + 1, third = b % 3 + 1;
    mjtNum side[3];
    cfi_sub3(side, x + CF_POINT * corner[third], x + CF_POINT * corner[0]);
    cfi_scl3(side, side, scale);
    const mjtNum cross[9] = {0, side[2], -side[1], -side[2], 0, side[0], side[1], -side[0], 0};
    const int row[4] = {a, 0, a, 0}, column[4] = {b, b, 0, 0};
    for (int k = 0; k < 4; k++) {
      const int sign = k == 0 || k == 3 ? 1 : -1;
      for (int r = 0; r < 9; r++) {
        const int i = 3 * row[k] + r / 3, j = 3 * column[k] + r % 3;
        K[12 * i + j] += sign * cross[r];
        K[12 * j + i] += sign * cross[r];
      }
    }
  }
}


static int cotangentStiffness(const cfFlexView* view, int stencil, int vertex[4], mjtNum* K) {
  const int e = view->m->flex_edgeadr[view->flex] + stencil;
  const mjtNum* Q = view->m->flex_bending + STENCIL * e;
  if (!cfi_edgeCorners(vertex, view->m, e) || isSlack(Q)) {
    return 0;
  }
  for (int i = 0; i < 12; i++) {
    for (int j = 0; j < 12; j++) {
      K[12 * i + j] = i % 3 == j % 3 ? Q[4 * (i / 3) + j / 3] : 0;
    }
  }
  if (Q[16] != 0) {
    addVolumeCurvature(K, Q[16], view->x, vertex);
  }
  return 4;
}


const cfFlexModel cfi_cotangentBending = {.name = "cotangent",
                                          .spread = CF_SPREAD_TRANSLATION,
                                          .acts = bendsCotangent,
                                          .addForces = addCotangent,
                                          .energy = cotangentEnergy,
                                          .stencils = countEdges,
                                          .stiffness = cotangentStiffness};
