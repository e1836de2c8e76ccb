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


// the scalar solver would have room for all its copies, which decide the order of its sums
static bool hasPlenty(const mjModel* m, mjData* d) {
  const size_t nv = (size_t)m->nv, nefc = (size_t)d->nefc;
  return cfi_stackAvailable(d) > sizeof(mjtNum) * (8 * nv * (nv + 8) + (nefc + 64) * (nv + 64));
}


void cfi_laneOffer(cfLaneGroup* g, int lane, const mjModel* m) {
  CF_ASSERT_INDEX(lane, g->width);
  mjData* d = g->data[lane];
  cfLaneNewton* n = &g->newton;
  const bool by_island = !cfi_disabled(m, mjDSBL_ISLAND);
  if (!d->nefc || d->nefc > CF_LANE_MOST_ROWS || (by_island && !cfi_isWholeIsland(m, d)) ||
      !hasPlenty(m, d)) {
    return;
  }
  if (!n->lanes) {
    n->ne = d->ne;
    n->nf = d->nf;
    n->by_island = by_island;
  } else if (d->ne != n->ne || d->nf != n->nf) {
    return;
  }
  n->lanes |= 1u << lane;
  n->nefc[lane] = d->nefc;
  n->tolerance[lane] = m->opt.tolerance;
  n->ls_tolerance[lane] = m->opt.ls_tolerance;
  n->scale[lane] = 1 / (m->stat.meaninertia * (m->nv > 1 ? (mjtNum)m->nv : 1));
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
