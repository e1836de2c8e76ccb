// Which worlds of a group are solved together.
#include <string.h>

#include "base/arena.h"
#include "base/assert.h"
#include "lanes/lanes.h"
#include "constraint/island.h"
#include "kinematics/tendonpath.h"
#include "model/flags.h"


bool cfi_hasLaneSolver(const mjModel* m) {
  return (cfi_laneSupport(cfi_featuresOf(m)) & CF_LANE_SOLVE) != 0;
}


bool cfi_hasLaneRows(const mjModel* m) {
  const unsigned rows = CF_LANE_SOLVE | CF_LANE_CONSTRAINT;
  return (cfi_laneSupport(cfi_featuresOf(m)) & rows) == rows;
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

static int treeOfJoint(const mjModel* m, int jnt) {
  return m->dof_treeid[m->jnt_dofadr[jnt]];
}


void cfi_laneFriction(cfLaneGroup* g) {
  const int nv = (int)g->m->nv, ntendon = (int)g->m->ntendon;
  memset(g->friction, 0, (size_t)(nv + ntendon));
  memset(g->nf, 0, sizeof(g->nf));
  for (int w = 0; w < g->width && !cfi_disabled(g->m, mjDSBL_FRICTIONLOSS); w++) {
    const mjModel* m = g->model[w];
    for (int k = 0; k < nv + ntendon; k++) {
      const bool has = k < nv ? m->dof_frictionloss[k] != 0 : m->tendon_frictionloss[k - nv] > 0;
      g->friction[k] |= (unsigned char)((unsigned)has << w);
      g->nf[w] += has;
    }
  }
}


// ---------------------------------------- islands

// sets of trees that rows couple
typedef struct {
  int parent[CF_LANE_DOFS];
  bool has_rows[CF_LANE_DOFS];
} laneTrees;


// first tree of a set
static int firstTree(const laneTrees* t, int tree) {
  while (t->parent[tree] != tree) {
    tree = t->parent[tree];
  }
  return tree;
}


// rows on one or two trees; -1: none
static void coupleTrees(laneTrees* t, int a, int b) {
  CF_ASSERT(a < CF_LANE_DOFS && b < CF_LANE_DOFS);
  if (a >= 0) {
    t->has_rows[a] = true;
  }
  if (b >= 0) {
    t->has_rows[b] = true;
  }
  if (a >= 0 && b >= 0) {
    const int first = firstTree(t, a), second = firstTree(t, b);
    t->parent[first > second ? first : second] = first > second ? second : first;
  }
}


// trees with rows of tendons
static void coupleByTendons(laneTrees* t, const cfLaneGroup* g, int lane,
                            const unsigned char* limit) {
  const mjModel* m = g->m;
  for (int k = 0; k < m->ntendon; k++) {
    const bool has_row = (g->friction[m->nv + k] | limit[2 * k] | limit[2 * k + 1]) >> lane & 1;
    coupleTrees(t, has_row ? cfi_treeOfTendon(m, k) : -1, -1);
  }
}


// trees that the rows of one world couple
static void coupleByRows(laneTrees* t, const cfLaneGroup* g, int lane, const unsigned char* limit) {
  const mjModel* m = g->m;
  const mjData* d = g->data[lane];
  for (int tree = 0; tree < m->ntree; tree++) {
    t->parent[tree] = tree;
    t->has_rows[tree] = false;
  }
  for (int eq = 0; eq < m->neq && !cfi_disabled(m, mjDSBL_EQUALITY); eq++) {
    coupleTrees(t, d->eq_active[eq] ? treeOfJoint(m, m->eq_obj1id[eq]) : -1, -1);
  }
  for (int dof = 0; dof < m->nv && g->nf[lane]; dof++) {
    coupleTrees(t, g->friction[dof] >> lane & 1 ? m->dof_treeid[dof] : -1, -1);
  }
  for (int k = 0; k < 2 * m->njnt; k++) {
    if (limit[k] >> lane & 1) {
      coupleTrees(t, treeOfJoint(m, k / 2), -1);
    }
  }
  coupleByTendons(t, g, lane, limit + 2 * m->njnt);
  for (const mjContact* con = d->contact; con < d->contact + d->ncon; con++) {
    if (!con->exclude) {
      coupleTrees(t, m->body_treeid[m->geom_bodyid[con->geom[0]]],
                  m->body_treeid[m->geom_bodyid[con->geom[1]]]);
    }
  }
}


// island of each tree, numbered by first tree, -1 for none; their number
static int labelLaneTrees(int* island, const cfLaneGroup* g, int lane, const unsigned char* limit) {
  const int ntree = (int)g->m->ntree;
  laneTrees t;
  CF_ASSERT(ntree <= CF_LANE_DOFS);
  coupleByRows(&t, g, lane, limit);
  for (int tree = ntree - 1; tree >= 0; tree--) {
    if (t.has_rows[tree]) {
      t.has_rows[firstTree(&t, tree)] = true;
    }
  }
  int count = 0;
  for (int tree = 0; tree < ntree; tree++) {
    const int first = firstTree(&t, tree);
    island[tree] = first < tree ? island[first] : t.has_rows[tree] ? count++ : -1;
  }
  return count;
}


// dofs of all islands
static int islandDofs(const mjModel* m, const int* island) {
  int count = 0;
  for (int tree = 0; tree < m->ntree; tree++) {
    count += island[tree] >= 0 ? m->tree_dofnum[tree] : 0;
  }
  return count;
}


// ---------------------------------------- who takes part


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
static bool keepRows(const cfLaneGroup* g, int lane, const cfLaneRowCount* count) {
  const mjModel* m = g->m;
  mjData* d = g->data[lane];
  const bool has_parts = count->nefc && g->newton.nisland;
  CF_ASSERT(count->ne + count->nf + count->nl <= count->nefc);
  d->ne = count->ne;
  d->nf = count->nf;
  d->nl = count->nl;
  d->nefc = count->nefc;
  d->nJ = count->nefc * (int)m->nv;
  d->nA = 0;
  d->nisland = has_parts ? g->newton.nisland : count->nefc && !cfi_disabled(m, mjDSBL_ISLAND);
  d->nidof = d->nisland ? (int)m->nv : 0;
  d->nidof = has_parts ? islandDofs(m, g->newton.tree_island) : d->nidof;
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


// are the contacts of two worlds between the same geoms
static bool hasSameContacts(const mjData* a, const mjData* b) {
  bool is_same = a->ncon == b->ncon;
  for (int k = 0; k < a->ncon && is_same; k++) {
    const mjContact *x = a->contact + k, *y = b->contact + k;
    is_same = x->geom[0] == y->geom[0] && x->geom[1] == y->geom[1] && x->exclude == y->exclude;
  }
  return is_same;
}


// the same, and are the same limits met
static bool hasSameLinks(const cfLaneGroup* g, int lane, int other, const unsigned char* limit) {
  const mjModel* m = g->m;
  bool is_same = hasSameContacts(g->data[lane], g->data[other]);
  for (int k = 0; k < 2 * (m->njnt + m->ntendon) && is_same; k++) {
    is_same = (limit[k] >> lane & 1) == (limit[k] >> other & 1);
  }
  return is_same;
}


// is there dry friction at the same dofs and tendons of two worlds
static bool hasSameFriction(const cfLaneGroup* g, int lane, int other) {
  const int n = (int)(g->m->nv + g->m->ntendon);
  bool is_same = true;
  for (int k = 0; k < n && g->model[lane] != g->model[other]; k++) {
    is_same &= (g->friction[k] >> lane & 1) == (g->friction[k] >> other & 1);
  }
  return is_same;
}


// does a world have the islands, equalities and friction of the one that takes part first
static bool hasSameParts(const cfLaneGroup* g, int lane, int first, const unsigned char* limit) {
  const mjModel* m = g->m;
  int island[CF_LANE_DOFS];
  if (memcmp(g->data[lane]->eq_active, g->data[first]->eq_active, (size_t)m->neq) ||
      !hasSameFriction(g, lane, first)) {
    return false;
  }
  if (hasSameLinks(g, lane, first, limit)) {
    return true;
  }
  labelLaneTrees(island, g, lane, limit);
  return !memcmp(island, g->newton.tree_island, sizeof(int) * (size_t)m->ntree);
}


// who takes part: worlds with rows, with as many equality and friction rows as the first has, and
// with its islands
static unsigned choosePart(cfLaneGroup* g, unsigned live, const cfLaneRowCount* count,
                           const unsigned char* limit) {
  cfLaneNewton* n = &g->newton;
  const mjModel* m = g->m;
  const bool has_parts = m->ntree > 1 && !cfi_disabled(m, mjDSBL_ISLAND);
  int first = -1;
  n->nisland = 0;
  for (int w = 0; w < g->width; w++) {
    const cfLaneRowCount* own = count + w;
    if (!(live >> w & 1) || !own->nefc || !hasRoomForRows(m, g->data[w], own)) {
      continue;
    }
    if (first < 0) {
      first = w;
      n->ne = own->ne;
      n->nf = own->nf;
      n->nisland = has_parts ? labelLaneTrees(n->tree_island, g, w, limit) : 0;
    }
    const bool is_like = own->ne == n->ne && own->nf == n->nf &&
                         (w == first || !has_parts || hasSameParts(g, w, first, limit));
    n->lanes |= (unsigned)is_like << w;
  }
  // one island that holds every dof is solved at once
  n->nisland = n->nisland == 1 && islandDofs(m, n->tree_island) == m->nv ? 0 : n->nisland;
  return n->lanes;
}


static void offerRows(cfLaneNewton* n, int lane, const mjModel* m, int nefc) {
  n->lanes |= 1u << lane;
  n->nefc[lane] = nefc;
  n->tolerance[lane] = m->opt.tolerance;
  n->ls_tolerance[lane] = m->opt.ls_tolerance;
  n->scale[lane] = 1 / (m->stat.meaninertia * (m->nv > 1 ? (mjtNum)m->nv : 1));
}


unsigned cfi_laneTakeRows(cfLaneGroup* g, unsigned live, const cfLaneRowCount* count,
                          const unsigned char* limit) {
  cfLaneNewton* n = &g->newton;
  const unsigned part = choosePart(g, live, count, limit);
  memset(n->part_ne, 0, sizeof(int) * (size_t)n->nisland);
  memset(n->part_nf, 0, sizeof(int) * (size_t)n->nisland);
  memset(n->part_nefc, 0, sizeof(n->part_nefc[0]) * (size_t)n->nisland);
  unsigned alone = live & ~part;
  n->lanes = 0;
  n->by_island = !cfi_disabled(g->m, mjDSBL_ISLAND);
  n->is_made = true;
  for (int w = 0; w < g->width; w++) {
    const bool has_none = (live >> w & 1) && !count[w].nefc;
    if (!has_none && !(part >> w & 1)) {
      continue;
    }
    if (!keepRows(g, w, count + w)) {
      alone |= 1u << w;
      continue;
    }
    alone &= ~(1u << w);
    if (!has_none) {
      offerRows(n, w, g->model[w], count[w].nefc);
    }
  }
  n->is_alike = n->lanes && !g->m->npair;
  for (unsigned left = n->lanes; left && n->is_alike; left &= left - 1) {
    n->is_alike = hasSameContacts(g->data[__builtin_ctz(left)], g->data[__builtin_ctz(n->lanes)]);
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
    n->nisland = 0;
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
  CF_ASSERT(n->lanes);
  const int first = __builtin_ctz(n->lanes);
  for (int w = 0; w < g->width; w++) {
    n->source[w] = n->lanes >> w & 1 ? w : first;
  }
  gatherOf(g, kernels, g->qacc, offsetof(mjData, qacc_warmstart));
  if (!(done & CF_LANE_ACCELERATION)) {
    gatherOf(g, kernels, g->qacc_smooth, offsetof(mjData, qacc_smooth));
    gatherOf(g, kernels, g->qfrc_smooth, offsetof(mjData, qfrc_smooth));
  }
  return kernels->newton(g);
}


void cfi_laneSolveAlone(const mjModel* m, mjData* d, unsigned done) {
  if (d->nefc && (done & CF_LANE_SOLVE) && m->ntree == 1) {
    mj_island(m, d);
  }
  mj_fwdConstraint(m, d);
}
