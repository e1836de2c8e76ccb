#include "contactsolver/effective.h"

#include "base/assert.h"
#include "contactsolver/slopes.h"
#include "derivative/velocity.h"
#include "dynamics/factor.h"
#include "flex/grid.h"
#include "flex/models.h"
#include "math/dense.h"
#include "math/sparse.h"
#include "model/flags.h"
#include "model/indexset.h"

static bool isImplicitInVelocity(const mjModel* m) {
  return m->opt.integrator == mjINT_IMPLICIT || m->opt.integrator == mjINT_IMPLICITFAST;
}


// ---------------------------------------- without flexes

// S = M - h*qDeriv with implicitfast, whose integrator reads the lower triangle in the pattern of
// M; with implicit the symmetric part, and N the rest.
static void takeDerivative(cfEffective* e) {
  const mjModel* m = e->m;
  mjData* d = e->d;
  const bool is_full = m->opt.integrator == mjINT_IMPLICIT;
  const mjtNum h = m->opt.timestep;
  cfi_smoothVelocityDerivative(m, d, is_full);
  mjtNum* turned = mj_stackAllocNum(d, (size_t)m->nD + 1);
  int *rownnz = mj_stackAllocInt(d, 3 * (size_t)m->nv + 1), *rowadr = rownnz + m->nv;
  int* colind = mj_stackAllocInt(d, (size_t)m->nD + 1);
  const cfPattern D = {(int)m->nv, (int)m->nv, m->D_rownnz, m->D_rowadr, m->D_colind, NULL};
  cfi_transposeSparse(turned, rownnz, rowadr, colind, NULL, d->qDeriv, D);
  e->N = is_full ? mj_stackAllocNum(d, (size_t)m->nD + 1) : NULL;
  for (int i = 0; i < m->nv; i++) {
    CF_ASSERT(rownnz[i] == m->D_rownnz[i] && rowadr[i] == m->D_rowadr[i]);
    for (int k = rowadr[i]; k < rowadr[i] + rownnz[i]; k++) {
      if (is_full) {
        const mjtNum mean = 0.5 * (d->qDeriv[k] + turned[k]);
        e->S[k] -= h * mean;
        e->N[k] = -h * (d->qDeriv[k] - mean);
      } else if (m->mapM2D[k] >= 0) {
        e->S[k] -= h * (m->D_colind[k] <= i ? d->qDeriv[k] : turned[k]);
      }
    }
  }
}


// S += h*diag(damping) + h^2*diag(springs), what springs take from the force being part of it
static void takeDampers(cfEffective* e) {
  const mjModel* m = e->m;
  const mjtNum h = m->opt.timestep;
  const bool is_damped = cfi_dampsDofs(m);
  for (int i = 0; i < m->nv; i++) {
    const mjtNum spring = cfi_dofSpring(m, i);
    e->S[m->D_rowadr[i] + m->D_diag[i]] += h * ((is_damped ? m->dof_damping[i] : 0) + h * spring);
    e->force[i] -= h * spring * e->d->qvel[i];
  }
}


// S += h*slopes of stiff actuators that have no limits
static void takeMotors(cfEffective* e) {
  const mjModel* m = e->m;
  for (int u = 0; u < m->nu && cfi_hasStiffGains(m); u++) {
    cfGainLimits limits;
    const mjtNum slope = cfi_explicitSlope(m, e->d, u, &limits);
    if (slope > 0 && !limits.is_limited) {
      cfi_addMomentSquare(e->S, m->D_rownnz, m->D_rowadr, m->D_colind, e->d, u,
                          m->opt.timestep * slope);
    }
  }
}


// ---------------------------------------- flexes

bool cfi_effectiveStiffness(const mjModel* m) {
  const bool is_off = cfi_disabled(m, mjDSBL_SPRING) && cfi_disabled(m, mjDSBL_DAMPER);
  return cfi_hasImplicitFlexes(m) && m->opt.integrator != mjINT_RK4 && !is_off;
}


// grids of nodes, which the implicit integrators solve with unless trees may sleep
static int countGrids(const mjModel* m, const mjData* d) {
  int count = 0;
  const bool has_grids = isImplicitInVelocity(m) && m->nflexnode > 0 && !cfi_awakeDofs(m, d).index;
  for (int f = 0; f < m->nflex && has_grids; f++) {
    count += cfi_gridIsStiff(m, f);
  }
  return count;
}


static void takeFlexes(cfEffective* e) {
  const mjModel* m = e->m;
  mjData* d = e->d;
  const int ngrid = m->nflex ? countGrids(m, d) : 0;
  cfClique* stencil = NULL;
  int nstencil = 0;
  e->has_stiffness = m->nflex && cfi_effectiveStiffness(m);
  if (e->has_stiffness) {
    mjtNum* change = mj_stackAllocNum(d, (size_t)m->nv + 1);
    e->flex = cfi_flexStiffness(m, d);
    stencil = cfi_flexCliques(&nstencil, &e->flex, m, d);
    mju_zero(change, (int)m->nv);
    cfi_addFlexStiffness(change, &e->flex, m, d, d->qvel, true);
    mju_subFrom(e->force, change, (int)m->nv);
  }
  if (ngrid + nstencil == 0) {
    return;
  }
  cfClique* all =
      mj_stackAllocByte(d, sizeof(cfClique) * (size_t)(ngrid + nstencil), _Alignof(cfClique));
  for (int f = 0; f < m->nflex && e->nclique < ngrid; f++) {
    if (cfi_gridIsStiff(m, f)) {
      all[e->nclique++] = cfi_gridClique(m, d, f);
      cfi_subGridVelocity(e->force, m, d, f);
    }
  }
  for (int k = 0; k < nstencil; k++) {
    all[e->nclique++] = stencil[k];
  }
  e->clique = all;
}


cfEffective cfi_effective(const mjModel* m, mjData* d) {
  cfEffective e = {.m = m, .d = d};
  CF_ASSERT(m->nD >= m->nv);
  e.S = mj_stackAllocNum(d, (size_t)m->nD + 1);
  e.force = mj_stackAllocNum(d, (size_t)m->nv + 1);
  cfi_copy(e.force, d->qfrc_smooth, (int)m->nv);
  for (int k = 0; k < m->nD; k++) {
    e.S[k] = cfi_massInD(m, d, k);
  }
  if (isImplicitInVelocity(m)) {
    takeDerivative(&e);
  } else if (m->opt.integrator != mjINT_RK4) {
    takeDampers(&e);
    takeMotors(&e);
  }
  takeFlexes(&e);
  return e;
}


void cfi_endStiffness(const cfEffective* e, const mjtNum* a) {
  const mjModel* m = e->m;
  mjData* d = e->d;
  CF_ASSERT(e->has_stiffness);
  mj_markStack(d);
  mjtNum* force = mj_stackAllocNum(d, (size_t)m->nv + 1);
  mju_zero(force, (int)m->nv);
  cfi_addFlexStiffness(force, &e->flex, m, d, a, false);
  cfi_addFlexStiffness(force, &e->flex, m, d, d->qvel, true);
  const cfIndexSet dofs = cfi_awakeDofs(m, d);
  for (int k = 0; k < dofs.count; k++) {
    const int i = cfi_at(dofs, k);
    d->qacc_smooth[i] = d->qfrc_smooth[i] -= force[i];
  }
  cfi_solveLD(d->qacc_smooth, d->qLD, d->qLDiagInv, (int)m->nv, 1, m->M_rownnz, m->M_rowadr,
              m->M_colind, dofs);
  mj_freeStack(d);
}
