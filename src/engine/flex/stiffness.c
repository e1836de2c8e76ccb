// Stiffness of flexes that are treated implicitly.
#include "flex/stiffness.h"

#include "base/assert.h"
#include "flex/flex.h"
#include "flex/models.h"
#include "flex/trial.h"
#include "kinematics/chain.h"
#include "math/inline.h"
#include "math/simd/lane.h"
#include "model/flags.h"

// ---------------------------------------- Jacobian of the vertices

bool cfi_isSlidingPoint(const mjModel* m, int body) {
  return m->body_simple[body] == CF_SIMPLE_SLIDING && m->body_dofnum[body] == 3;
}


static int vertexDofs(const mjModel* m, int v) {
  const int body = m->flex_vertbodyid[v];
  return body < 0 ? 0 : cfi_pairChainCount(m, body, body);
}


static void vertexColumns(cfFlexStiffness* s, const mjModel* m, const mjData* d, int v) {
  const int body = m->flex_vertbodyid[v];
  if (body < 0) {
    return;
  }
  int* dof = s->dof + s->adr[v];
  mjtNum offset[3];
  cfi_bodyChain(m, body, dof);
  cfi_pointOffset(offset, m, d, d->flexvert_xpos + 3 * v, body);
  for (int k = 0; k < s->count[v]; k++) {
    cfi_pointColumn(s->column + 3 * (s->adr[v] + k), d->cdof + 6 * dof[k], offset);
  }
}


static void moveVertices(cfFlexStiffness* s, const mjModel* m, mjData* d) {
  const int n = (int)m->nflexvert;
  int room = 0;
  s->adr = mj_stackAllocInt(d, 2 * (size_t)n + 1);
  s->count = s->adr + n;
  for (int v = 0; v < n; v++) {
    s->adr[v] = room;
    s->count[v] = 0;
  }
  for (int f = 0; f < m->nflex; f++) {
    for (int v = m->flex_vertadr[f]; v < m->flex_vertadr[f] + m->flex_vertnum[f]; v++) {
      s->adr[v] = room;
      s->count[v] = cfi_flexIsImplicit(m, f) ? vertexDofs(m, v) : 0;
      room += s->count[v];
    }
  }
  s->dof = mj_stackAllocInt(d, (size_t)room + 1);
  s->column = mj_stackAllocNum(d, 3 * (size_t)room + 1);
  s->moved = mj_stackAllocNum(d, 6 * (size_t)n + 1);
  for (int v = 0; v < n; v++) {
    if (s->count[v]) {
      vertexColumns(s, m, d, v);
    }
  }
}


// ---------------------------------------- stencils

// models of a flex that have something to do, and how many stencils they have
static int stiffModels(cfFlexUse use[2], const mjModel* m, int f) {
  const cfFlexUse both[2] = {cfi_flexBending(m, f), cfi_flexElasticity(m, f)};
  int count = 0;
  if (!cfi_flexIsImplicit(m, f) || m->flex_dim[f] == 1 || m->flex_rigid[f] || m->flex_interp[f]) {
    return 0;
  }
  for (int k = 0; k < 2; k++) {
    // forces of MuJoCo's linear model stay when springs are disabled
    const bool is_on = !cfi_disabled(m, mjDSBL_SPRING) || both[k].model == &cfi_linearElasticity;
    if (is_on && both[k].model->acts(m, f)) {
      use[count++] = both[k];
    }
  }
  return count;
}


void cfi_addStencils(cfFlexStiffness* s, cfFlexView view, cfFlexUse use) {
  const int start = view.m->flex_vertadr[view.flex], n = use.model->stencils(view.m, view.flex);
  const bool has_trial =
      cfi_hasTrial(view.m, view.flex) && use.model == cfi_flexElasticity(view.m, view.flex).model;
  view.constant = use.constant;
  for (int k = 0; k < n; k++) {
    cfStencil* at = s->stencil + s->nstencil;
    at->flex = view.flex;
    at->has_trial = has_trial;
    at->count = use.model->stiffness(&view, k, at->vertex, at->K);
    CF_ASSERT(at->count >= 0 && at->count <= CF_STENCIL_MAX);
    if (at->count > 0 && !cfi_dropBadFlex(view.m, view.d, view.flex, use.model, "a stiffness",
                                          at->K, 9 * at->count * at->count)) {
      cfi_makePositive(at->K, 3 * at->count);
      for (int i = 0; i < at->count; i++) {
        at->vertex[i] += start;
      }
      s->nstencil++;
    }
  }
}


cfFlexStiffness cfi_flexStiffness(const mjModel* m, mjData* d) {
  cfFlexStiffness s = {0};
  cfFlexUse use[2];
  size_t room = 0;
  for (int f = 0; f < m->nflex; f++) {
    for (int k = stiffModels(use, m, f) - 1; k >= 0; k--) {
      room += (size_t)use[k].model->stencils(m, f);
    }
  }
  s.stencil = mj_stackAllocByte(d, sizeof(cfStencil) * (room + 1), _Alignof(cfStencil));
  moveVertices(&s, m, d);
  for (int f = 0; f < m->nflex; f++) {
    const int n = stiffModels(use, m, f);
    if (n) {
      mj_markStack(d);
      const cfFlexView view = cfi_viewFlex(m, d, f);
      for (int k = 0; k < n; k++) {
        cfi_addStencils(&s, view, use[k]);
      }
      mj_freeStack(d);
    }
  }
  CF_ASSERT((size_t)s.nstencil <= room);
  return s;
}


// ---------------------------------------- products

mjtNum cfi_flexWeight(const mjModel* m, int f, bool is_velocity) {
  const mjtNum h = m->opt.timestep;
  const mjtNum damping = cfi_disabled(m, mjDSBL_DAMPER) ? 0 : cfi_max(0, m->flex_damping[f]);
  return is_velocity ? h : h * h + h * damping;
}


mjtNum cfi_edgeWeight(const mjModel* m, int f, bool is_velocity) {
  const mjtNum h = m->opt.timestep;
  const mjtNum stiffness =
      cfi_disabled(m, mjDSBL_SPRING) ? 0 : cfi_max(0, m->flex_edgestiffness[f]);
  const mjtNum damping = cfi_disabled(m, mjDSBL_DAMPER) ? 0 : cfi_max(0, m->flex_edgedamping[f]);
  return is_velocity ? h * stiffness : h * h * stiffness + h * damping;
}


// weight of a stencil within the part that is asked for
static mjtNum stencilWeight(const cfFlexStiffness* s, const cfStencil* at, const mjModel* m,
                            bool is_velocity) {
  const mjtNum h = m->opt.timestep, all = cfi_flexWeight(m, at->flex, is_velocity);
  if (s->part == CF_STIFFNESS_ALL || !at->has_trial) {
    return all;
  }
  const mjtNum elastic = is_velocity ? h : h * h;
  return s->part == CF_STIFFNESS_ELASTIC ? elastic : all - elastic;
}


// res += weight * K * x for one stencil, over vertices; K is symmetric: its rows are its columns
static void mulStencil(mjtNum* res, const cfStencil* at, const mjtNum* x, mjtNum weight) {
  const int n = 3 * at->count;
  mjtNum own[3 * CF_STENCIL_MAX], product[3 * CF_STENCIL_MAX] = {0};
  for (int i = 0; i < at->count; i++) {
    cfi_scl3(own + 3 * i, x + 3 * at->vertex[i], weight);
  }
  if (at->count == CF_STENCIL_MAX) {
    cfLane sum[3] = {cfi_laneSpread(0), cfi_laneSpread(0), cfi_laneSpread(0)};
    const mjtNum* row = at->K;
    for (int j = 0; j < 12; j++, row += 12) {
      const cfLane scale = cfi_laneSpread(own[j]);
      sum[0] = cfi_laneAddMul(sum[0], cfi_laneLoad(row), scale);
      sum[1] = cfi_laneAddMul(sum[1], cfi_laneLoad(row + 4), scale);
      sum[2] = cfi_laneAddMul(sum[2], cfi_laneLoad(row + 8), scale);
    }
    cfi_laneStore(product, sum[0]);
    cfi_laneStore(product + 4, sum[1]);
    cfi_laneStore(product + 8, sum[2]);
  } else {
    for (int j = 0; j < n; j++) {
      for (int i = 0; i < n; i++) {
        product[i] += at->K[n * j + i] * own[j];
      }
    }
  }
  for (int i = 0; i < at->count; i++) {
    cfi_addTo3(res + 3 * at->vertex[i], product + 3 * i);
  }
}


// springs along the edges of one flex, whose rows are over dofs
static void addEdgeStiffness(mjtNum* res, const mjModel* m, const mjData* d, int f,
                             const mjtNum* vec, bool is_velocity) {
  const mjtNum weight = cfi_edgeWeight(m, f, is_velocity);
  if (m->flex_rigid[f] || weight == 0) {
    return;
  }
  for (int e = m->flex_edgeadr[f]; e < m->flex_edgeadr[f] + m->flex_edgenum[f]; e++) {
    const int adr = m->flexedge_J_rowadr[e], end = adr + m->flexedge_J_rownnz[e];
    mjtNum along = 0;
    for (int j = adr; j < end && !m->flexedge_rigid[e]; j++) {
      along += d->flexedge_J[j] * vec[m->flexedge_J_colind[j]];
    }
    for (int j = adr; j < end && along != 0; j++) {
      res[m->flexedge_J_colind[j]] += weight * along * d->flexedge_J[j];
    }
  }
}


void cfi_addFlexStiffness(mjtNum* res, const cfFlexStiffness* s, const mjModel* m, const mjData* d,
                          const mjtNum* vec, bool is_velocity) {
  const int n = (int)m->nflexvert;
  mjtNum *x = s->moved, *force = s->moved + 3 * n;
  mju_zero(x, 6 * n);
  for (int v = 0; v < n; v++) {
    for (int k = s->adr[v]; k < s->adr[v] + s->count[v]; k++) {
      cfi_addToScl3(x + 3 * v, s->column + 3 * k, vec[s->dof[k]]);
    }
  }
  for (int k = 0; k < s->nstencil; k++) {
    const cfStencil* at = s->stencil + k;
    const bool is_apart = s->part == CF_STIFFNESS_REST && at->has_trial;
    if (!is_apart || !cfi_hasTrialDamping(m, at->flex)) {
      mulStencil(force, at, x, stencilWeight(s, at, m, is_velocity));
    }
  }
  for (int v = 0; v < n; v++) {
    for (int k = s->adr[v]; k < s->adr[v] + s->count[v]; k++) {
      res[s->dof[k]] += cfi_dot3(s->column + 3 * k, force + 3 * v);
    }
  }
  for (int f = 0; f < m->nflex; f++) {
    if (cfi_flexIsImplicit(m, f) && s->part != CF_STIFFNESS_ELASTIC) {
      addEdgeStiffness(res, m, d, f, vec, is_velocity);
    }
  }
}


// ---------------------------------------- diagonal

// 3x3 block of vertices, in the order of vertices
static void vertexBlocks(mjtNum* own, const cfFlexStiffness* s, const mjModel* m) {
  for (int k = 0; k < s->nstencil; k++) {
    const cfStencil* at = s->stencil + k;
    const mjtNum weight = stencilWeight(s, at, m, false);
    for (int i = 0; i < at->count; i++) {
      for (int r = 0; r < 9; r++) {
        own[9 * at->vertex[i] + r] +=
            weight * at->K[(3 * i + r / 3) * 3 * at->count + 3 * i + r % 3];
      }
    }
  }
}


static void edgeDiagonal(mjtNum* diag, const mjModel* m, const mjData* d, int f) {
  const mjtNum weight = cfi_edgeWeight(m, f, false);
  for (int e = m->flex_edgeadr[f]; e < m->flex_edgeadr[f] + m->flex_edgenum[f]; e++) {
    const int adr = m->flexedge_J_rowadr[e];
    for (int j = adr; j < adr + m->flexedge_J_rownnz[e]; j++) {
      diag[m->flexedge_J_colind[j]] += weight * d->flexedge_J[j] * d->flexedge_J[j];
    }
  }
}


void cfi_addFlexDiagonal(mjtNum* diag, mjtNum* block, const cfFlexStiffness* s, const mjModel* m,
                         mjData* d) {
  mj_markStack(d);
  mjtNum* own = mj_stackAllocNum(d, 9 * (size_t)m->nflexvert + 1);
  mju_zero(own, 9 * (int)m->nflexvert);
  vertexBlocks(own, s, m);
  for (int v = 0; v < m->nflexvert; v++) {
    const bool slides = s->count[v] == 3 && cfi_isSlidingPoint(m, m->flex_vertbodyid[v]);
    const mjtNum* column = s->column + 3 * s->adr[v];
    for (int k = 0; k < s->count[v]; k++) {
      mjtNum turned[3];
      mju_mulMatVec3(turned, own + 9 * v, column + 3 * k);
      if (!slides) {
        diag[s->dof[s->adr[v] + k]] += cfi_dot3(column + 3 * k, turned);
      }
      for (int i = 0; i < 3 && slides; i++) {
        block[9 * s->dof[s->adr[v]] + 3 * i + k] += cfi_dot3(column + 3 * i, turned);
      }
    }
  }
  for (int f = 0; f < m->nflex; f++) {
    if (cfi_flexIsImplicit(m, f) && s->part != CF_STIFFNESS_ELASTIC) {
      edgeDiagonal(diag, m, d, f);
    }
  }
  mj_freeStack(d);
}
