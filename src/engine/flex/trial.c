#include "flex/trial.h"

#include "base/assert.h"
#include "flex/hyperelastic.h"
#include "flex/models.h"
#include "math/inline.h"
#include "model/flags.h"

bool cfi_hasTrial(const mjModel* m, int f) {
  if (!cfi_flexIsImplicit(m, f) || m->flex_dim[f] == 1 || m->flex_rigid[f] || m->flex_interp[f] ||
      cfi_disabled(m, mjDSBL_SPRING)) {
    return false;
  }
  const cfFlexModel* model = cfi_flexElasticity(m, f).model;
  return model != &cfi_linearElasticity && model->energy && model->stencils && model->acts(m, f);
}


// A flex with displaced vertices, at rest, on the stack of d.
static cfFlexView displacedFlex(const cfFlexStiffness* s, const mjModel* m, mjData* d, int f,
                                const mjtNum* dq) {
  cfFlexView view = cfi_viewFlex(m, d, f);
  const int n = m->flex_vertnum[f], first = m->flex_vertadr[f];
  mjtNum* x = mj_stackAllocNum(d, 2 * CF_POINT * (size_t)n + 1);
  mju_copy(x, view.x, CF_POINT * n);
  mju_zero(x + CF_POINT * n, CF_POINT * n);
  for (int v = 0; v < n; v++) {
    const int from = s->adr[first + v], end = from + s->count[first + v];
    for (int k = from; k < end; k++) {
      cfi_addToScl3(x + CF_POINT * v, s->column + 3 * k, dq[s->dof[k]]);
    }
  }
  view.x = x;
  view.velocity = x + CF_POINT * n;
  view.constant = cfi_flexElasticity(m, f).constant;
  return view;
}


mjtNum cfi_trialEnergy(const cfFlexStiffness* s, const mjModel* m, mjData* d, const mjtNum* dq) {
  mjtNum energy = 0;
  for (int f = 0; f < m->nflex; f++) {
    if (cfi_hasTrial(m, f)) {
      mj_markStack(d);
      const cfFlexView view = displacedFlex(s, m, d, f, dq);
      energy += cfi_flexElasticity(m, f).model->energy(&view);
      mj_freeStack(d);
    }
  }
  return energy;
}


void cfi_addTrialForce(mjtNum* res, const cfFlexStiffness* s, const mjModel* m, mjData* d,
                       const mjtNum* dq) {
  for (int f = 0; f < m->nflex; f++) {
    if (!cfi_hasTrial(m, f)) {
      continue;
    }
    mj_markStack(d);
    const cfFlexView view = displacedFlex(s, m, d, f, dq);
    const int n = m->flex_vertnum[f], first = m->flex_vertadr[f];
    mjtNum* force = mj_stackAllocNum(d, 2 * CF_POINT * (size_t)n + 1);
    mju_zero(force, 2 * CF_POINT * n);
    cfi_flexElasticity(m, f).model->addForces(&view,
                                              (cfFlexForces){force, force + CF_POINT * n, 1, 0});
    for (int v = 0; v < n; v++) {
      const int from = s->adr[first + v], end = from + s->count[first + v];
      for (int k = from; k < end; k++) {
        res[s->dof[k]] += cfi_dot3(s->column + 3 * k, force + CF_POINT * v);
      }
    }
    mj_freeStack(d);
  }
}


bool cfi_hasTrialDamping(const mjModel* m, int f) {
  return cfi_hasTrial(m, f) && !cfi_disabled(m, mjDSBL_DAMPER) && m->flex_damping[f] > 0 &&
         cfi_flexElasticity(m, f).model->acts == cfi_isHyperelastic;
}


void cfi_addTrialDamping(mjtNum* res, const cfFlexStiffness* s, const mjModel* m, mjData* d,
                         const mjtNum* vec, mjtNum scale) {
  for (int f = 0; f < m->nflex; f++) {
    if (!cfi_hasTrialDamping(m, f)) {
      continue;
    }
    mj_markStack(d);
    cfFlexView view = cfi_viewFlex(m, d, f);
    const int n = m->flex_vertnum[f], first = m->flex_vertadr[f];
    mjtNum* velocity = mj_stackAllocNum(d, 3 * CF_POINT * (size_t)n + 1);
    mjtNum *spring = velocity + CF_POINT * n, *force = spring + CF_POINT * n;
    mju_zero(velocity, 3 * CF_POINT * n);
    for (int v = 0; v < n; v++) {
      const int from = s->adr[first + v], end = from + s->count[first + v];
      for (int k = from; k < end; k++) {
        cfi_addToScl3(velocity + CF_POINT * v, s->column + 3 * k, vec[s->dof[k]]);
      }
    }
    view.velocity = velocity;
    view.constant = cfi_flexElasticity(m, f).constant;
    cfi_flexElasticity(m, f).model->addForces(&view, (cfFlexForces){spring, force, 0, 1});
    for (int v = 0; v < n; v++) {
      const int from = s->adr[first + v], end = from + s->count[first + v];
      for (int k = from; k < end; k++) {
        res[s->dof[k]] -= scale * cfi_dot3(s->column + 3 * k, force + CF_POINT * v);
      }
    }
    mj_freeStack(d);
  }
}


cfFlexStiffness cfi_trialStiffness(const cfFlexStiffness* s, const mjModel* m, mjData* d,
                                   const mjtNum* dq) {
  cfFlexStiffness trial = *s;
  size_t room = 0;
  for (int f = 0; f < m->nflex; f++) {
    room += cfi_hasTrial(m, f) ? (size_t)cfi_flexElasticity(m, f).model->stencils(m, f) : 0;
  }
  trial.part = CF_STIFFNESS_ELASTIC;
  trial.nstencil = 0;
  trial.stencil = mj_stackAllocByte(d, sizeof(cfStencil) * (room + 1), _Alignof(cfStencil));
  for (int f = 0; f < m->nflex; f++) {
    if (cfi_hasTrial(m, f)) {
      mj_markStack(d);
      cfi_addStencils(&trial, displacedFlex(s, m, d, f, dq), cfi_flexElasticity(m, f));
      mj_freeStack(d);
    }
  }
  CF_ASSERT((size_t)trial.nstencil <= room);
  return trial;
}
