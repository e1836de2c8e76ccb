// Which worlds of a group are solved together.
#include <string.h>

#include "base/arena.h"
#include "base/assert.h"
#include "batch/lanes/lanes.h"
#include "constraint/island.h"
#include "model/flags.h"


bool cfi_hasLaneSolver(const mjModel* m) {
  const int nv = (int)m->nv;
  if (!nv || nv > CF_LANE_DOFS || m->opt.solver != mjSOL_NEWTON ||
      m->opt.cone != mjCONE_PYRAMIDAL || m->opt.noslip_iterations > 0 || mj_isSparse(m) ||
      cfi_disabled(m, mjDSBL_WARMSTART) || cfi_disabled(m, mjDSBL_CONSTRAINT)) {
    return false;
  }
  // a diagonal inertia matrix has sums of its own
  return m->M_rowadr[nv - 1] - m->M_rowadr[0] != nv - 1 || m->M_rownnz[nv - 1] != 1;
}


void cfi_laneIslands(const mjModel* m, mjData* d, unsigned done) {
  const bool is_one = (done & CF_LANE_SOLVE) && m->ntree == 1 && !cfi_disabled(m, mjDSBL_ISLAND);
  if (is_one) {
    // one island with everything: its arrays are made when somebody asks for them
    d->nisland = d->nefc > 0;
    d->nidof = d->nefc > 0 ? (int)m->nv : 0;
  } else {
    mj_island(m, d);
  }
}


// ---------------------------------------- rows in lanes

static bool hasLaneEqualities(const mjModel* m) {
  bool has = true;
  for (int eq = 0; eq < m->neq; eq++) {
    has &= m->eq_type[eq] == mjEQ_JOINT && m->eq_obj1id[eq] != m->eq_obj2id[eq];
  }
  return has;
}


static bool hasLaneJoints(const mjModel* m) {
  bool has = true;
  for (int jnt = 0; jnt < m->njnt; jnt++) {
    has &= !m->jnt_limited[jnt] || m->jnt_type[jnt] != mjJNT_BALL;
  }
  return has;
}


static bool hasLaneTendonRows(const mjModel* m) {
  bool has = true;
  for (int t = 0; t < m->ntendon; t++) {
    has &= !m->tendon_limited[t] && m->tendon_frictionloss[t] <= 0;
  }
  return has;
}


// sensors of limits and transmissions by contacts look at the rows of their world
static bool readsRows(const mjModel* m) {
  bool reads = false;
  for (int i = 0; i < m->nsensor; i++) {
    const int type = m->sensor_type[i];
    reads |= type == mjSENS_JOINTLIMITPOS || type == mjSENS_JOINTLIMITVEL ||
             type == mjSENS_JOINTLIMITFRC || type == mjSENS_TENDONLIMITPOS ||
             type == mjSENS_TENDONLIMITVEL || type == mjSENS_TENDONLIMITFRC;
  }
  for (int u = 0; u < m->nu; u++) {
    reads |= m->actuator_trntype[u] == mjTRN_BODY;
  }
  return reads;
}


bool cfi_hasLaneRows(const mjModel* m) {
  return cfi_hasLaneSolver(m) && (m->ntree == 1 || cfi_disabled(m, mjDSBL_ISLAND)) &&
         hasLaneEqualities(m) && hasLaneJoints(m) && hasLaneTendonRows(m) && !readsRows(m);
}


// the scalar solver would have room for all its copies, which decide the order of its sums
static bool hasPlenty(const mjModel* m, mjData* d, int nrow) {
  const size_t nv = (size_t)m->nv, nefc = (size_t)nrow;
  return cfi_stackAvailable(d) > sizeof(mjtNum) * (8 * nv * (nv + 8) + (nefc + 64) * (nv + 64));
}


// the same, and for the rows themselves
static bool hasRoomForRows(const mjModel* m, mjData* d, const cfLaneRowCount* count) {
  return count->nefc <= CF_LANE_MOST_ROWS && hasPlenty(m, d, 3 * count->nefc + 256);
}


// what a world keeps of its rows: their number, forces, and equalities by name
static bool keepRows(const mjModel* m, mjData* d, const cfLaneRowCount* count) {
  d->ne = count->ne;
  d->nf = count->nf;
  d->nl = count->nl;
  d->nefc = count->nefc;
  d->nJ = count->nefc * (int)m->nv;
  d->nA = 0;
  d->nisland = count->nefc > 0 && !cfi_disabled(m, mjDSBL_ISLAND);
  d->nidof = d->nisland ? (int)m->nv : 0;
  d->maxuse_con = d->ncon > d->maxuse_con ? d->ncon : d->maxuse_con;
  d->maxuse_efc = d->nefc > d->maxuse_efc ? d->nefc : d->maxuse_efc;
  d->efc_force = cfi_arenaAlloc(d, sizeof(mjtNum) * (size_t)d->nefc, _Alignof(mjtNum));
  d->efc_id = cfi_arenaAlloc(d, sizeof(int) * (size_t)d->ne, _Alignof(int));
  for (int eq = 0, row = 0; eq < m->neq && row < d->ne && d->efc_id; eq++) {
    d->efc_id[row] = eq;
    row += d->eq_active[eq] != 0;
  }
  return d->efc_force && d->efc_id;
}


// who takes part: worlds with rows, as many equality and friction rows as the first has
static unsigned choosePart(cfLaneGroup* g, unsigned live, const cfLaneRowCount* count) {
  cfLaneNewton* n = &g->newton;
  for (int w = 0; w < g->width; w++) {
    const cfLaneRowCount* own = count + w;
    if (!(live >> w & 1) || !own->nefc || !hasRoomForRows(g->m, g->data[w], own)) {
      continue;
    }
    if (!n->lanes) {
      n->ne = own->ne;
      n->nf = own->nf;
    }
    n->lanes |= (unsigned)(own->ne == n->ne && own->nf == n->nf) << w;
  }
  return 2 * __builtin_popcount(n->lanes) < g->width ? 0 : n->lanes;
}


static void offerRows(cfLaneNewton* n, int lane, const mjModel* m, int nefc) {
  n->lanes |= 1u << lane;
  n->nefc[lane] = nefc;
  n->tolerance[lane] = m->opt.tolerance;
  n->ls_tolerance[lane] = m->opt.ls_tolerance;
  n->scale[lane] = 1 / (m->stat.meaninertia * (m->nv > 1 ? (mjtNum)m->nv : 1));
}


unsigned cfi_laneTakeRows(cfLaneGroup* g, unsigned live, const cfLaneRowCount* count) {
  cfLaneNewton* n = &g->newton;
  const unsigned part = choosePart(g, live, count);
  unsigned alone = live & ~part;
  n->lanes = 0;
  n->by_island = !cfi_disabled(g->m, mjDSBL_ISLAND);
  n->is_made = true;
  for (int w = 0; w < g->width; w++) {
    const bool has_none = (live >> w & 1) && !count[w].nefc;
    if (!has_none && !(part >> w & 1)) {
      continue;
    }
    if (!keepRows(g->m, g->data[w], count + w)) {
      alone |= 1u << w;
      continue;
    }
    alone &= ~(1u << w);
    if (!has_none) {
      offerRows(n, w, g->m, count[w].nefc);
    }
  }
  return alone;
}


// ---------------------------------------- rows of worlds


void cfi_laneOffer(cfLaneGroup* g, int lane, const mjModel* m) {
  CF_ASSERT_INDEX(lane, g->width);
  mjData* d = g->data[lane];
  cfLaneNewton* n = &g->newton;
  const bool by_island = !cfi_disabled(m, mjDSBL_ISLAND);
  if (!d->nefc || d->nefc > CF_LANE_MOST_ROWS || (by_island && !cfi_isWholeIsland(m, d)) ||
      !hasPlenty(m, d, d->nefc)) {
    return;
  }
  if (!n->lanes) {
    n->ne = d->ne;
    n->nf = d->nf;
    n->by_island = by_island;
    n->is_made = false;
  } else if (d->ne != n->ne || d->nf != n->nf) {
    return;
  }
  offerRows(n, lane, m, d->nefc);
}


// a few numbers of each world into the group
static void gatherOf(cfLaneGroup* g, const cfLaneKernels* kernels, mjtNum* lanes, size_t offset) {
  mjtNum* world[CF_LANES_MAX];
  for (int w = 0; w < g->width; w++) {
    memcpy(world + w, (char*)g->data[w] + offset, sizeof(world[w]));
  }
  kernels->gatherNumbers(lanes, world, (int)g->m->nv);
}


unsigned cfi_laneSolve(cfLaneGroup* g, const cfLaneKernels* kernels, unsigned done) {
  cfLaneNewton* n = &g->newton;
  const int count = __builtin_popcount(n->lanes);
  if (2 * count < g->width) {
    return 0;
  }
  const int first = __builtin_ctz(n->lanes);
  for (int w = 0; w < g->width; w++) {
    n->source[w] = n->lanes >> w & 1 ? w : first;
  }
  gatherOf(g, kernels, g->qacc, offsetof(mjData, qacc_warmstart));
  if (!(done & CF_LANE_ACCELERATION)) {
    gatherOf(g, kernels, g->qacc_smooth, offsetof(mjData, qacc_smooth));
    gatherOf(g, kernels, g->qfrc_smooth, offsetof(mjData, qfrc_smooth));
  }
  const unsigned solved = kernels->newton(g);
  kernels->scatterResults(g);
  return solved;
}


void cfi_laneSolveAlone(const mjModel* m, mjData* d, unsigned done) {
  if (d->nefc && (done & CF_LANE_SOLVE) && m->ntree == 1) {
    mj_island(m, d);
  }
  mj_fwdConstraint(m, d);
}
