// Passive forces of flexes: bending, elasticity, springs along edges.
#include "flex/models.h"

#include "base/assert.h"
#include "flex/flex.h"
#include "flex/grid.h"
#include "kinematics/chain.h"
#include "math/inline.h"

// ---------------------------------------- vertices as lanes

// dofs of a vertex's body that translate it, as far as MuJoCo takes them for that
static int slidingDofs(const mjModel* m, int body) {
  return cfi_minInt(m->body_dofnum[body], 3);
}


// positions and velocities of the vertices, padded
cfFlexView cfi_viewFlex(const mjModel* m, mjData* d, int f) {
  const int n = m->flex_vertnum[f];
  const mjtNum* xpos = d->flexvert_xpos + 3 * m->flex_vertadr[f];
  const int* body = m->flex_vertbodyid + m->flex_vertadr[f];
  mjtNum* x = mj_stackAllocNum(d, CF_POINT * (size_t)n);
  mjtNum* velocity = mj_stackAllocNum(d, CF_POINT * (size_t)n);
  for (int v = 0; v < n; v++) {
    cfi_copy3(x + CF_POINT * v, xpos + 3 * v);
    x[CF_POINT * v + 3] = 0;
    mju_zero(velocity + CF_POINT * v, CF_POINT);
    for (int k = 0; k < slidingDofs(m, body[v]); k++) {
      velocity[CF_POINT * v + k] = d->qvel[m->body_dofadr[body[v]] + k];
    }
  }
  return (cfFlexView){m, d, f, x, velocity, NULL};
}


// does a vertex move with more than its own slides along the axes of the world?
static bool isVertexCarried(const mjModel* m, int body) {
  return m->body_simple[body] != CF_SIMPLE_SLIDING && m->body_weldid[body] != 0;
}


// for models that push vertices wherever they are: velocities in the world, also of vertices whose
// bodies turn or are carried along.  MuJoCo's bending takes the first dofs as they are
static void trueVelocities(cfFlexView* view) {
  const mjModel* m = view->m;
  const mjData* d = view->d;
  const int* body = m->flex_vertbodyid + m->flex_vertadr[view->flex];
  const int n = m->flex_vertnum[view->flex];
  mjtNum* velocity = NULL;
  for (int v = 0; v < n; v++) {
    const int b = body[v];
    if (!isVertexCarried(m, b)) {
      continue;
    }
    if (!velocity) {
      velocity = mj_stackAllocNum(view->d, CF_POINT * (size_t)n);
      mju_copy(velocity, view->velocity, CF_POINT * n);
      view->velocity = velocity;
    }
    mjtNum arm[3], turn[3];
    cfi_sub3(arm, view->x + CF_POINT * v, d->subtree_com + 3 * m->body_rootid[b]);
    cfi_cross(turn, d->cvel + 6 * b, arm);
    cfi_add3(velocity + CF_POINT * v, d->cvel + 6 * b + 3, turn);
  }
}


static cfFlexForces makeForces(const cfFlexView* view, bool has_spring, bool has_damper) {
  const int n = CF_POINT * view->m->flex_vertnum[view->flex];
  mjtNum* both = mj_stackAllocNum(view->d, 2 * (size_t)n);
  mju_zero(both, 2 * n);
  return (cfFlexForces){both, both + n, has_spring, has_damper};
}


static void spreadForces(const cfFlexView* view, const mjtNum* force, cftFlexSpread spread,
                         mjtNum* qfrc) {
  const mjModel* m = view->m;
  const int* body = m->flex_vertbodyid + m->flex_vertadr[view->flex];
  for (int v = 0; v < m->flex_vertnum[view->flex]; v++) {
    const int b = body[v];
    const mjtNum* pull = force + CF_POINT * v;
    if (spread == CF_SPREAD_CHAIN && m->body_simple[b] != CF_SIMPLE_SLIDING) {
      mj_applyFT(m, view->d, pull, NULL, view->x + CF_POINT * v, b, qfrc);
      continue;
    }
    for (int k = 0; k < slidingDofs(m, b); k++) {
      qfrc[m->body_dofadr[b] + k] += pull[k];
    }
  }
}


// ---------------------------------------- kinds of forces

// forces of one model on all dofs
static void addModel(cfFlexView view, cfFlexUse use, bool has_spring, bool has_damper) {
  mj_markStack(view.d);
  const cfFlexForces forces = makeForces(&view, has_spring, has_damper);
  view.constant = use.constant;
  if (has_damper && use.model->spread == CF_SPREAD_CHAIN && use.model != &cfi_linearElasticity) {
    trueVelocities(&view);
  }
  use.model->addForces(&view, forces);
  cfi_dropBadFlex(view.m, view.d, view.flex, use.model, "a force", forces.spring,
                  2 * CF_POINT * view.m->flex_vertnum[view.flex]);
  spreadForces(&view, forces.spring, use.model->spread, view.d->qfrc_spring);
  if (has_damper) {
    spreadForces(&view, forces.damper, use.model->spread, view.d->qfrc_damper);
  }
  mj_freeStack(view.d);
}


static void addInner(const mjModel* m, mjData* d, int f, bool has_spring, bool has_damper) {
  if (m->flex_dim[f] == 1 || m->flex_rigid[f]) {
    return;
  }
  if (m->flex_interp[f]) {
    cfi_gridForces(m, d, f, has_spring, has_damper);
    return;
  }
  const cfFlexUse bending = cfi_flexBending(m, f), elasticity = cfi_flexElasticity(m, f);
  const bool bends = bending.model->acts(m, f), stretches = elasticity.model->acts(m, f);
  if (bends || stretches) {
    mj_markStack(d);
    const cfFlexView view = cfi_viewFlex(m, d, f);
    if (bends) {
      addModel(view, bending, has_spring, has_damper);
    }
    if (stretches) {
      addModel(view, elasticity, has_spring, has_damper);
    }
    mj_freeStack(d);
  }
}


// springs and dampers along the edges
static void addEdgeForces(const mjModel* m, mjData* d, int f, bool has_spring, bool has_damper) {
  const mjtNum stiffness = has_spring ? m->flex_edgestiffness[f] : 0;
  const mjtNum damping = has_damper ? m->flex_edgedamping[f] : 0;
  if (m->flex_rigid[f] || (stiffness == 0 && damping == 0)) {
    return;
  }
  for (int e = m->flex_edgeadr[f]; e < m->flex_edgeadr[f] + m->flex_edgenum[f]; e++) {
    if (m->flexedge_rigid[e]) {
      continue;
    }
    const mjtNum spring = stiffness * (m->flexedge_length0[e] - d->flexedge_length[e]);
    const mjtNum damper = -damping * d->flexedge_velocity[e];
    const int adr = m->flexedge_J_rowadr[e];
    for (int j = adr; j < adr + m->flexedge_J_rownnz[e]; j++) {
      d->qfrc_spring[m->flexedge_J_colind[j]] += d->flexedge_J[j] * spring;
      d->qfrc_damper[m->flexedge_J_colind[j]] += d->flexedge_J[j] * damper;
    }
  }
}


void cfi_flexForces(const mjModel* m, mjData* d, bool has_spring, bool has_damper) {
  for (int f = 0; f < m->nflex; f++) {
    addInner(m, d, f, has_spring, has_damper);
  }
  for (int f = 0; f < m->nflex; f++) {
    addEdgeForces(m, d, f, has_spring, has_damper);
  }
}


mjtNum cfi_flexEnergy(const mjModel* m, mjData* d, int f) {
  if (m->flex_dim[f] == 1 || m->flex_rigid[f]) {
    return 0;
  }
  if (m->flex_interp[f]) {
    return cfi_gridEnergy(m, d, f);
  }
  const cfFlexUse use[2] = {cfi_flexBending(m, f), cfi_flexElasticity(m, f)};
  mjtNum energy = 0;
  mj_markStack(d);
  cfFlexView view = cfi_viewFlex(m, d, f);
  for (int k = 0; k < 2; k++) {
    if (use[k].model->acts(m, f)) {
      view.constant = use[k].constant;
      mjtNum stored = use[k].model->energy(&view);
      cfi_dropBadFlex(m, d, f, use[k].model, "an energy", &stored, 1);
      energy += stored;
    }
  }
  mj_freeStack(d);
  return energy;
}
