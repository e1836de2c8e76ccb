// Bending of shells with any rest shape, by the polynomials of Garg et al. 2007, "Cubic shells".
//
// For a hinge with weights w (of the cotangents), edge length L and heights h1, h2 at rest,
//
//   C = 1 - |sum(wi*xi)|^2 / (2*L^2)                      cosine of the angle, quadratic in x
//   S = -det(x1 - x0, x2 - x0, x3 - x0) / (L*h1*h2)       sine of the angle, cubic in x
//   W = k/2 * ((C - C0)^2 + (S - S0)^2)
//
// As long as triangles keep their shape this is k*(1 - cos(angle - rest angle)), the energy of
// Garg et al., whose own polynomial -k*(C*C0 + S*S0) differs by k/2*(C^2 + S^2) only: a constant
// then.  With it the rest shape is free of forces whatever triangles do: without, a fold at rest
// would pull its triangles with k*(1 - C0)/h.  Damping acts on the rates of C and S, so that rigid
// motion is not damped.
//
// A sheet that is too stiff for the timestep would explode from rounding alone.  Where the
// stiffness is not treated implicitly, hinges are softened so far that the fastest oscillation
// about the rest shape is stable: h*(h + 2*damping)*(eigenvalue of stiffness by mass) <= 2, with
// Gershgorin's bound for the eigenvalues; 4 would do, and half of it is left to stretching.
#include <math.h>

#include "base/assert.h"
#include "flex/hinge.h"
#include "math/inline.h"

// C - C0 and S - S0 with their gradients
typedef struct {
  mjtNum value[2], gradient[2][4][3];
} foldState;


static foldState measureFold(const mjtNum* x, const int corner[4], const cfHingeRest* rest) {
  foldState fold;
  mjtNum sum[3] = {0, 0, 0}, side[3], first[4][3];
  for (int i = 0; i < 4; i++) {
    cfi_addToScl3(sum, x + CF_POINT * corner[i], rest->weight[i]);
  }
  cfi_volumeGradient(first, x, corner);
  cfi_sub3(side, x + CF_POINT * corner[1], x + CF_POINT * corner[0]);
  fold.value[0] = 1 - rest->by_square * cfi_dot3(sum, sum) - rest->cosine;
  fold.value[1] = rest->by_volume * cfi_dot3(side, first[1]) - rest->sine;
  for (int i = 0; i < 4; i++) {
    cfi_scl3(fold.gradient[0][i], sum, -2 * rest->by_square * rest->weight[i]);
    cfi_scl3(fold.gradient[1][i], first[i], rest->by_volume);
  }
  return fold;
}


// force += scale[k] * gradient[k]
static void addFold(mjtNum* force, const foldState* fold, const int corner[4],
                    const mjtNum scale[2]) {
  for (int k = 0; k < 2; k++) {
    for (int i = 0; i < 4; i++) {
      cfi_addToScl3(force + CF_POINT * corner[i], fold->gradient[k][i], scale[k]);
    }
  }
}


static mjtNum foldRate(const foldState* fold, int k, const mjtNum* velocity, const int corner[4]) {
  mjtNum rate = 0;
  for (int i = 0; i < 4; i++) {
    rate += cfi_dot3(fold->gradient[k][i], velocity + CF_POINT * corner[i]);
  }
  return rate;
}


// ---------------------------------------- stiffness

static void restCubicShell(const mjModel* m, int f, const mjtNum* x, mjtNum* constant) {
  cfHingeRest* rest = (cfHingeRest*)(void*)constant;
  CF_ASSERT(rest != NULL);
  cfi_restHinges(m, f, x, constant);
  for (int e = 0; e < m->flex_edgenum[f]; e++) {
    int corner[4];
    if (rest[e].by_square > 0 && cfi_edgeCorners(corner, m, m->flex_edgeadr[f] + e)) {
      const foldState fold = measureFold(x, corner, rest + e);
      for (int i = 0; i < 4; i++) {
        rest[e].reach[i] = sqrt(cfi_dot3(fold.gradient[0][i], fold.gradient[0][i]) +
                                cfi_dot3(fold.gradient[1][i], fold.gradient[1][i]));
      }
    }
  }
}


static mjtNum sumOf4(const mjtNum x[4]) {
  return x[0] + x[1] + x[2] + x[3];
}


// bound for the eigenvalues to which a vertex contributes, for all vertices; those that cannot move
// have none
static void boundEigenvalues(mjtNum* bound, const cfFlexView* view, const mjtNum* k) {
  const mjModel* m = view->m;
  const cfHingeRest* rest = (const cfHingeRest*)(const void*)view->constant;
  const int* body = m->flex_vertbodyid + m->flex_vertadr[view->flex];
  mju_zero(bound, m->flex_vertnum[view->flex]);
  for (int e = 0; e < m->flex_edgenum[view->flex]; e++) {
    int corner[4];
    if (k[e] == 0 || !cfi_edgeCorners(corner, m, m->flex_edgeadr[view->flex] + e)) {
      continue;
    }
    for (int i = 0; i < 4; i++) {
      bound[corner[i]] += k[e] * rest[e].reach[i] * sumOf4(rest[e].reach);
    }
  }
  for (int v = 0; v < m->flex_vertnum[view->flex]; v++) {
    const mjtNum mass = m->body_mass[body[v]];
    bound[v] = m->body_weldid[body[v]] > 0 && mass > 0 ? bound[v] / mass : 0;
  }
}


// stiffness of all hinges, on the stack of d
static const mjtNum* shellStiffness(const cfFlexView* view) {
  const mjModel* m = view->m;
  const int nedge = m->flex_edgenum[view->flex], nvert = m->flex_vertnum[view->flex];
  const mjtNum follow = cfi_hingeScale(view), h = m->opt.timestep;
  mjtNum* k = mj_stackAllocNum(view->d, (size_t)nedge + 1);
  for (int e = 0; e < nedge; e++) {
    k[e] = cfi_hingeStiffness(view, e, follow);
  }
  if (cfi_flexIsImplicit(m, view->flex) || !(h > 0)) {
    return k;
  }
  CF_ASSERT(nvert > 0);
  mjtNum* bound = mj_stackAllocNum(view->d, (size_t)nvert + 1);
  const mjtNum most = 2 / (h * (h + 2 * cfi_max(0, m->flex_damping[view->flex])));
  boundEigenvalues(bound, view, k);
  for (int e = 0; e < nedge; e++) {
    int corner[4];
    mjtNum largest = most;
    if (k[e] > 0 && cfi_edgeCorners(corner, m, m->flex_edgeadr[view->flex] + e)) {
      for (int i = 0; i < 4; i++) {
        largest = cfi_max(largest, bound[corner[i]]);
      }
      k[e] *= most / largest;
    }
  }
  return k;
}


// ---------------------------------------- forces

static void addCubicShell(const cfFlexView* view, cfFlexForces forces) {
  const mjModel* m = view->m;
  const cfHingeRest* rest = (const cfHingeRest*)(const void*)view->constant;
  const mjtNum damping = forces.has_damper ? m->flex_damping[view->flex] : 0;
  mj_markStack(view->d);
  const mjtNum* stiffness = shellStiffness(view);
  for (int e = 0; e < m->flex_edgenum[view->flex]; e++) {
    const mjtNum k = stiffness[e];
    int corner[4];
    if (k == 0 || !cfi_edgeCorners(corner, m, m->flex_edgeadr[view->flex] + e)) {
      continue;
    }
    const foldState fold = measureFold(view->x, corner, rest + e);
    if (forces.has_spring) {
      const mjtNum scale[2] = {-k * fold.value[0], -k * fold.value[1]};
      addFold(forces.spring, &fold, corner, scale);
    }
    if (damping != 0) {
      const mjtNum scale[2] = {-k * damping * foldRate(&fold, 0, view->velocity, corner),
                               -k * damping * foldRate(&fold, 1, view->velocity, corner)};
      addFold(forces.damper, &fold, corner, scale);
    }
  }
  mj_freeStack(view->d);
}


static mjtNum cubicShellEnergy(const cfFlexView* view) {
  const mjModel* m = view->m;
  const cfHingeRest* rest = (const cfHingeRest*)(const void*)view->constant;
  mjtNum energy = 0;
  mj_markStack(view->d);
  const mjtNum* stiffness = shellStiffness(view);
  for (int e = 0; e < m->flex_edgenum[view->flex]; e++) {
    const mjtNum k = stiffness[e];
    int corner[4];
    if (k > 0 && cfi_edgeCorners(corner, m, m->flex_edgeadr[view->flex] + e)) {
      const foldState fold = measureFold(view->x, corner, rest + e);
      energy += 0.5 * k * (fold.value[0] * fold.value[0] + fold.value[1] * fold.value[1]);
    }
  }
  mj_freeStack(view->d);
  return energy;
}


static int cubicShellStiffness(const cfFlexView* view, int stencil, int vertex[4], mjtNum* K) {
  const cfHingeRest* rest = (const cfHingeRest*)(const void*)view->constant + stencil;
  CF_ASSERT_INDEX(stencil, view->m->flex_edgenum[view->flex]);
  if (!cfi_edgeCorners(vertex, view->m, view->m->flex_edgeadr[view->flex] + stencil) ||
      rest->by_square == 0) {
    return 0;
  }
  const mjtNum k = cfi_hingeStiffness(view, stencil, rest->unit == 0 ? cfi_hingeScale(view) : 1);
  const foldState fold = measureFold(view->x, vertex, rest);
  for (int i = 0; i < 12; i++) {
    for (int j = 0; j < 12; j++) {
      const int a = i / 3, b = j / 3;
      const mjtNum across = i % 3 == j % 3 ? rest->weight[a] * rest->weight[b] : 0;
      K[12 * i + j] = k * (fold.gradient[0][a][i % 3] * fold.gradient[0][b][j % 3] +
                           fold.gradient[1][a][i % 3] * fold.gradient[1][b][j % 3] -
                           2 * rest->by_square * fold.value[0] * across);
    }
  }
  cfi_addVolumeCurvature(K, k * fold.value[1] * rest->by_volume, view->x, vertex);
  return 4;
}


const cfFlexModel cfi_cubicShellBending = {.name = "cubic_shell",
                                           .spread = CF_SPREAD_CHAIN,
                                           .acts = cfi_hasHinges,
                                           .objection = cfi_hingeObjection,
                                           .numbers = cfi_hingeNumbers,
                                           .precompute = restCubicShell,
                                           .addForces = addCubicShell,
                                           .energy = cubicShellEnergy,
                                           .stencils = cfi_countHinges,
                                           .stiffness = cubicShellStiffness};
