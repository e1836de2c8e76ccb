// Bending by the cotangent stencil (Wardetzky et al. 2007, "Discrete quadratic curvature energies";
// curved rest shapes after Garg et al. 2007, "Cubic shells").
//
// An edge and its two triangles have four vertices x0..x3.  flex_bending holds a symmetric 4x4
// matrix Q and a number c:
//   W = 1/2 * sum(Q[i][j]*xi*xj) + c * det(x1 - x0, x2 - x0, x3 - x0).
#include "flex/hinge.h"
#include "flex/models.h"

#include "math/inline.h"
#include "math/simd/lane.h"

enum { STENCIL = CF_BENDING_NUMBERS };


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


static void subCurved(mjtNum* force, mjtNum curved, const mjtNum* x, const int corner[4]) {
  mjtNum gradient[4][3];
  cfi_volumeGradient(gradient, x, corner);
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
    cfi_volumeGradient(gradient, view->x, corner);
    cfi_sub3(side, view->x + CF_POINT * corner[1], view->x + CF_POINT * corner[0]);
    energy += Q[16] * cfi_dot3(side, gradient[1]);
  }
  return energy;
}


static int countEdges(const mjModel* m, int f) {
  return m->flex_edgenum[f];
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
    cfi_addVolumeCurvature(K, Q[16], view->x, vertex);
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
