// Inertia and rows in island order.
#include <string.h>

#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "constraint/island.h"

// rows of one tree: they lie one behind the other in M, and renumbering its dofs is a shift;
// returns the address behind the copy
static int copyTree(const mjModel* m, mjData* d, int tree, int adr) {
  const int dof = m->tree_dofadr[tree], n = m->tree_dofnum[tree];
  if (n == 0) {
    return adr;
  }
  const int idof = d->map_dof2idof[dof], start = m->M_rowadr[dof];
  CF_ASSERT(d->tree_island[tree] >= 0 && idof + n <= d->nidof);
  const int count = m->M_rowadr[dof + n - 1] + m->M_rownnz[dof + n - 1] - start;
  const int shift = idof - d->island_idofadr[d->tree_island[tree]] - dof;
  memcpy(d->iM + adr, d->M + start, sizeof(mjtNum) * count);
  memcpy(d->iLD + adr, d->qLD + start, sizeof(mjtNum) * count);
  memcpy(d->iLDiagInv + idof, d->qLDiagInv + dof, sizeof(mjtNum) * n);
  memcpy(d->iM_rownnz + idof, m->M_rownnz + dof, sizeof(int) * n);
  for (int k = 0; k < count; k++) {
    d->iM_colind[adr + k] = m->M_colind[start + k] + shift;
  }
  for (int i = 0; i < n; i++) {
    d->iM_rowadr[idof + i] = m->M_rowadr[dof + i] - start + adr;
  }
  return adr + count;
}


// where the numbers of each island begin in iM
static void layInertia(const mjModel* m, mjData* d, int* start) {
  int adr = 0;
  for (int island = 0; island < d->nisland; island++) {
    start[island] = adr;
    const int* tree = d->map_itree2tree + d->island_itreeadr[island];
    for (int k = 0; k < d->island_ntree[island]; k++) {
      const int dof = m->tree_dofadr[tree[k]], n = m->tree_dofnum[tree[k]];
      adr += n ? m->M_rowadr[dof + n - 1] + m->M_rownnz[dof + n - 1] - m->M_rowadr[dof] : 0;
    }
  }
  CF_ASSERT(adr <= m->nC);
}


// M and its factor: rows of constrained dofs, columns numbered within the island
static void copyIslandInertia(const mjModel* m, mjData* d, int island, int adr) {
  const int* tree = d->map_itree2tree + d->island_itreeadr[island];
  for (int k = 0; k < d->island_ntree[island]; k++) {
    adr = copyTree(m, d, tree[k], adr);
  }
}


// rows of an island over its own dofs; an island of n dofs begins at nidof times its first row
static void copyDense(const mjModel* m, mjData* d, int island) {
  const int first = d->island_iefcadr[island], n = d->island_nv[island];
  const int* dof = d->map_idof2dof + d->island_idofadr[island];
  mjtNum* res = d->iefc_J + (size_t)d->nidof * first;
  for (int r = 0; r < d->island_nefc[island]; r++, res += n) {
    const mjtNum* row = d->efc_J + (size_t)m->nv * d->map_iefc2efc[first + r];
    for (int k = 0; k < n; k++) {
      res[k] = row[dof[k]];
    }
  }
}


// sparse rows one after the other
static void laySparse(mjData* d) {
  int adr = 0;
  for (int i = 0; i < d->nefc; i++) {
    d->iefc_J_rowadr[i] = adr;
    adr += d->iefc_J_rownnz[i] = d->efc_J_rownnz[d->map_iefc2efc[i]];
  }
}


// the next row of an island whose constraint is not the one behind that of the row before
static int endOfRun(const mjData* d, int i, int end) {
  const int shift = d->map_iefc2efc[i] - i;
  do {
    i++;
  } while (i < end && d->map_iefc2efc[i] - i == shift);
  return i;
}


// columns of one row, numbered within the island; rows with equal columns share their translation
static void translateColumns(mjData* d, int i, bool repeats, int dofs) {
  const int adr = d->iefc_J_rowadr[i], source = d->efc_J_rowadr[d->map_iefc2efc[i]];
  const int nnz = d->iefc_J_rownnz[i];
  if (repeats) {
    memcpy(d->iefc_J_colind + adr, d->iefc_J_colind + adr - nnz, sizeof(int) * nnz);
    return;
  }
  for (int k = 0; k < nnz; k++) {
    d->iefc_J_colind[adr + k] = d->map_dof2idof[d->efc_J_colind[source + k]] - dofs;
  }
}


// rows of an island that follow each other in the Jacobian, where their numbers do as well.  Dofs
// that follow each other are renumbered by a shift
static void copySparse(mjData* d, int island, int first, int end) {
  const int r = d->map_iefc2efc[first], nv = d->island_nv[island];
  const int adr = d->iefc_J_rowadr[first], source = d->efc_J_rowadr[r];
  const int count = d->iefc_J_rowadr[end - 1] + d->iefc_J_rownnz[end - 1] - adr;
  CF_ASSERT(d->efc_J_rowadr[r + end - first - 1] - source == d->iefc_J_rowadr[end - 1] - adr);
  memcpy(d->iefc_J + adr, d->efc_J + source, sizeof(mjtNum) * count);

  const int dofs = d->island_idofadr[island], *dof = d->map_idof2dof + dofs;
  if (dof[nv - 1] - dof[0] == nv - 1) {
    const int *col = d->efc_J_colind + source, shift = dof[0];
    int* res = d->iefc_J_colind + adr;
    for (int k = 0; k < count; k++) {
      res[k] = col[k] - shift;
    }
    return;
  }
  for (int i = first; i < end; i++) {
    translateColumns(d, i, i > first && d->efc_J_rowsuper[r + i - first - 1] > 0, dofs);
  }
}


// following rows of the same island with equal columns; rows that followed each other before know
static void markIslandSupernodes(mjData* d, int island) {
  const int first = d->island_iefcadr[island], last = first + d->island_nefc[island] - 1;
  d->iefc_J_rowsuper[last] = 0;
  for (int i = last - 1; i >= first; i--) {
    const int r = d->map_iefc2efc[i], nnz = d->iefc_J_rownnz[i];
    const int* col = d->iefc_J_colind + d->iefc_J_rowadr[i];
    const bool same =
        d->map_iefc2efc[i + 1] == r + 1
            ? d->efc_J_rowsuper[r] > 0
            : nnz == d->iefc_J_rownnz[i + 1] && !memcmp(col, col + nnz, sizeof(int) * nnz);
    d->iefc_J_rowsuper[i] = same ? d->iefc_J_rowsuper[i + 1] + 1 : 0;
  }
}


// what is known of the rows from first to end, which follow each other
static void copyRun(mjData* d, int first, int end) {
  const int r = d->map_iefc2efc[first], n = end - first;
  memcpy(d->iefc_type + first, d->efc_type + r, sizeof(int) * n);
  memcpy(d->iefc_id + first, d->efc_id + r, sizeof(int) * n);
  memcpy(d->iefc_frictionloss + first, d->efc_frictionloss + r, sizeof(mjtNum) * n);
  memcpy(d->iefc_D + first, d->efc_D + r, sizeof(mjtNum) * n);
  memcpy(d->iefc_R + first, d->efc_R + r, sizeof(mjtNum) * n);
}


static void copyRows(const mjModel* m, mjData* d, int island, bool is_sparse) {
  const int first = d->island_iefcadr[island], last = first + d->island_nefc[island];
  for (int i = first, end; i < last; i = end) {
    end = endOfRun(d, i, last);
    copyRun(d, i, end);
    if (is_sparse) {
      copySparse(d, island, i, end);
    }
  }
  if (is_sparse) {
    markIslandSupernodes(d, island);
  } else {
    copyDense(m, d, island);
  }
}


// what the copies of all islands need
typedef struct {
  const mjModel* m;
  mjData* d;
  const int* inertia;  // where each island begins in iM
  bool is_sparse;
  mjtNum* jar;  // NULL: nothing but copies
} islandCopies;


static void copyIsland(void* context, int island) {
  const islandCopies* copies = context;
  copyIslandInertia(copies->m, copies->d, island, copies->inertia[island]);
  copyRows(copies->m, copies->d, island, copies->is_sparse);
  if (copies->jar) {
    cfi_referenceOfIsland(copies->m, copies->d, island);
    cfi_residualsOfIsland(copies->m, copies->d, island, copies->jar);
  }
}


bool cfi_copyIslands(const mjModel* m, mjData* d, mjtNum* jar) {
  if (cfi_isWholeIsland(m, d)) {
    copyIslandInertia(m, d, 0, 0);
    return false;
  }
  int* inertia = mj_stackAllocInt(d, (size_t)d->nisland);
  islandCopies copies = {m, d, inertia, mj_isSparse(m), NULL};
  layInertia(m, d, inertia);
  if (copies.is_sparse) {
    laySparse(d);
  }
  cfIslandDeal deal;
  cfi_dealIslands(&deal, m, d);
  if (deal.nthread) {
    copies.jar = jar;
    cfi_poolDeal((mjThreadPool*)d->threadpool, deal.nthread, deal.first, copyIsland, &copies);
    return jar != NULL;
  }
  for (int island = 0; island < d->nisland; island++) {
    copyIsland(&copies, island);
  }
  return false;
}
