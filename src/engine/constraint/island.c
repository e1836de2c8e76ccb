// Islands: numbering of trees, dofs and rows.
//
//   tree -> island      sets of trees coupled by rows (islandlabel.c)
//   itree, idof, iefc   trees, dofs, rows sorted by island, order within an island kept; trees and
//                       dofs without constraints come last
//   iM, iLD, iefc_...   inertia and rows copied in that order (islandcopy.c)
#include "constraint/island.h"

#include <string.h>

#include <mujoco/mujoco.h>
#include <mujoco/mjxmacro.h>

#include "base/arena.h"
#include "base/assert.h"
#include "constraint/rows.h"
#include "model/flags.h"

// where the members of each island begin, and where the next one goes; members of no island follow
// all others.  Returns where they begin
static int layMembers(int nisland, const int* count, int* adr, int* next) {
  CF_ASSERT(nisland >= 0);
  int sum = 0;
  for (int i = 0; i < nisland; i++) {
    adr[i] = next[i] = sum;
    sum += count[i];
  }
  next[nisland] = sum;
  return sum;
}


// n members of one island that follow each other: where they belong, the sorted position of each
// and its inverse, in the next places of the island
static void numberRun(int first, int n, int island, int* next, int* restrict owner,
                      int* restrict forward, int* restrict inverse) {
  CF_ASSERT(first >= 0 && *next >= 0);
  const int position = *next;
  for (int k = 0; k < n; k++) {
    owner[first + k] = island;
    forward[first + k] = position + k;
    inverse[position + k] = first + k;
  }
  *next = position + n;
}


static void zeroCounts(int* count, int n) {
  for (int i = 0; i < n; i++) {
    count[i] = 0;
  }
}


// the whole island needs no copies of rows: they are the rows themselves.  State has its own
// memory, since efc_state keeps what the warm start saw
static inline bool isShared(const char* name) {
  return !strncmp(name, "iefc_", 5) && strcmp(name, "iefc_state") != 0;
}


static void shareRows(mjData* d) {
  d->iefc_type = d->efc_type;
  d->iefc_id = d->efc_id;
  d->iefc_J_rownnz = d->efc_J_rownnz;
  d->iefc_J_rowadr = d->efc_J_rowadr;
  d->iefc_J_rowsuper = d->efc_J_rowsuper;
  d->iefc_J_colind = d->efc_J_colind;
  d->iefc_J = d->efc_J;
  d->iefc_frictionloss = d->efc_frictionloss;
  d->iefc_D = d->efc_D;
  d->iefc_R = d->efc_R;
  d->iefc_aref = d->efc_aref;
  d->iefc_force = d->efc_force;
}


// island arrays behind the rows, except those that are shared; false when the arena is full
static bool takeIslands(const mjModel* m, mjData* d) {
  const bool is_whole = cfi_isWholeIsland(m, d);
  char* end = (char*)d->arena + d->parena;
#undef MJ_M
#undef MJ_D
#define MJ_M(n) m->n
#define MJ_D(n) d->n
#define X(type, name, nr, nc)           \
  d->name = isShared(#name) && is_whole \
                ? NULL                  \
                : cfi_arenaLay(&end, (uint64_t)sizeof(type) * (nr) * (nc), _Alignof(type));
  MJDATA_ARENA_POINTERS_ISLAND
#undef X
#undef MJ_M
#undef MJ_D
  if (is_whole) {
    shareRows(d);
  }
  return cfi_takeLaid(d, (size_t)(end - (char*)d->arena));
}


// 0, 1, ...
static void numberAll(int* list, int n) {
  CF_ASSERT(n >= 0);
  for (int k = 0; k < n; k++) {
    list[k] = k;
  }
}


// one island with everything: every number is its own
static void numberWhole(const mjModel* m, mjData* d) {
  const int ntree = (int)m->ntree, nv = (int)m->nv, nefc = d->nefc;
  d->island_ntree[0] = ntree;
  d->island_nv[0] = nv;
  d->island_nefc[0] = nefc;
  d->island_ne[0] = d->ne;
  d->island_nf[0] = d->nf;
  d->island_itreeadr[0] = d->island_idofadr[0] = d->island_dofadr[0] = d->island_iefcadr[0] = 0;
  for (int tree = 0; tree < ntree; tree++) {
    d->tree_island[tree] = 0;
  }
  for (int dof = 0; dof < nv; dof++) {
    d->dof_island[dof] = 0;
  }
  for (int row = 0; row < nefc; row++) {
    d->efc_island[row] = 0;
  }
  numberAll(d->map_itree2tree, ntree);
  numberAll(d->map_dof2idof, nv);
  numberAll(d->map_idof2dof, nv);
  numberAll(d->map_efc2iefc, nefc);
  numberAll(d->map_iefc2efc, nefc);
}


static void numberTrees(const mjModel* m, mjData* d, const int* tree_island, int* next) {
  const int ntree = (int)m->ntree, n = d->nisland;
  memcpy(d->tree_island, tree_island, sizeof(int) * ntree);
  zeroCounts(d->island_ntree, n);
  for (int tree = 0; tree < ntree; tree++) {
    if (tree_island[tree] >= 0) {
      d->island_ntree[tree_island[tree]]++;
    }
  }
  layMembers(n, d->island_ntree, d->island_itreeadr, next);
  for (int tree = 0; tree < ntree; tree++) {
    d->map_itree2tree[next[tree_island[tree] >= 0 ? tree_island[tree] : n]++] = tree;
  }
}


// dofs of a tree follow each other
static void numberDofs(const mjModel* m, mjData* d, const int* tree_island, int* next) {
  const int ntree = (int)m->ntree, n = d->nisland;
  zeroCounts(d->island_nv, n);
  for (int tree = 0; tree < ntree; tree++) {
    if (tree_island[tree] >= 0) {
      d->island_nv[tree_island[tree]] += m->tree_dofnum[tree];
    }
  }
  const int constrained = layMembers(n, d->island_nv, d->island_idofadr, next);
  CF_ASSERT(constrained == d->nidof);
  (void)constrained;
  for (int tree = 0; tree < ntree; tree++) {
    const int island = tree_island[tree], count = m->tree_dofnum[tree];
    numberRun(m->tree_dofadr[tree], count, island, next + (island >= 0 ? island : n), d->dof_island,
              d->map_dof2idof, d->map_idof2dof);
  }
  for (int i = 0; i < n; i++) {
    d->island_dofadr[i] = d->map_idof2dof[d->island_idofadr[i]];
  }
}


// the row behind those that are of the same tree as a row
static int endOfTree(const int* row_tree, int row, int end) {
  const int tree = row_tree[row];
  do {
    row++;
  } while (row < end && row_tree[row] == tree);
  return row;
}


// how many of the rows from first to end are below a limit
static int countBelow(int first, int end, int limit) {
  const int last = end < limit ? end : limit;
  return last > first ? last - first : 0;
}


// rows, and how many of each island are equalities and friction loss.  Rows of one tree that follow
// each other are numbered together
static void numberRows(mjData* d, const int* row_tree, int* next) {
  zeroCounts(d->island_ne, d->nisland);
  zeroCounts(d->island_nf, d->nisland);
  zeroCounts(d->island_nefc, d->nisland);
  for (int r = 0, end; r < d->nefc; r = end) {
    const int island = d->tree_island[row_tree[r]];
    CF_ASSERT(island >= 0);
    end = endOfTree(row_tree, r, d->nefc);
    const int equalities = countBelow(r, end, d->ne);
    d->island_ne[island] += equalities;
    d->island_nf[island] += countBelow(r, end, d->ne + d->nf) - equalities;
    d->island_nefc[island] += end - r;
  }
  layMembers(d->nisland, d->island_nefc, d->island_iefcadr, next);
  for (int r = 0, end; r < d->nefc; r = end) {
    const int island = d->tree_island[row_tree[r]];
    end = endOfTree(row_tree, r, d->nefc);
    numberRun(r, end - r, island, next + island, d->efc_island, d->map_efc2iefc, d->map_iefc2efc);
  }
}


// several islands, or trees that no row touches
static void numberIslands(const mjModel* m, mjData* d, const int* tree_island,
                          const int* row_tree) {
  int* next = mj_stackAllocInt(d, d->nisland + 1);
  numberTrees(m, d, tree_island, next);
  numberDofs(m, d, tree_island, next);
  numberRows(d, row_tree, next);
}


// a single tree is in every row; otherwise rows say who belongs together
static void findIslands(const mjModel* m, mjData* d, int* tree_island, int* row_tree) {
  if (m->ntree == 1) {
    d->nisland = 1;
    d->nidof = (int)m->nv;
    return;
  }
  d->nisland = cfi_labelTrees(m, d, tree_island, row_tree);
  for (int tree = 0; tree < m->ntree; tree++) {
    d->nidof += tree_island[tree] >= 0 ? m->tree_dofnum[tree] : 0;
  }
}


// stage ISLAND.  reads: efc_type, efc_id, efc_J, efc_D, efc_R, efc_frictionloss, contact, M, qLD,
// qLDiagInv.  writes: nisland, nidof and the island arrays except those that the solver fills.
void mj_island(const mjModel* m, mjData* d) {
  cfi_islandAhead(m, d, NULL);
}


bool cfi_islandAhead(const mjModel* m, mjData* d, mjtNum* jar) {
  bool is_ahead = false;
  d->nisland = d->nidof = 0;
  if (!d->nefc || cfi_disabled(m, mjDSBL_ISLAND)) {
    return false;
  }

  mj_markStack(d);
  int* tree_island = mj_stackAllocInt(d, (size_t)(m->ntree + d->nefc));
  int* row_tree = tree_island + m->ntree;
  findIslands(m, d, tree_island, row_tree);
  if (d->nisland && takeIslands(m, d)) {
    if (cfi_isWholeIsland(m, d)) {
      numberWhole(m, d);
    } else {
      numberIslands(m, d, tree_island, row_tree);
    }
    is_ahead = cfi_copyIslands(m, d, jar);
  }
  mj_freeStack(d);
  return is_ahead;
}
