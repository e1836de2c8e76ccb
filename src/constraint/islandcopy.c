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


// columns numbered within the island
static void copySparse(mjData* d, int island) {
  const int first = d->island_iefcadr[island], dofs = d->island_idofadr[island];
  for (int i = first; i < first + d->island_nefc[island]; i++) {
    const int r = d->map_iefc2efc[i], nnz = d->iefc_J_rownnz[i];
    const int adr = d->iefc_J_rowadr[i], source = d->efc_J_rowadr[r];
    memcpy(d->iefc_J + adr, d->efc_J + source, sizeof(mjtNum) * nnz);

    // rows with equal columns share their translation
    const bool repeats =
        i > first && d->map_iefc2efc[i - 1] == r - 1 && d->efc_J_rowsuper[r - 1] > 0;
    if (repeats) {
      memcpy(d->iefc_J_colind + adr, d->iefc_J_colind + adr - nnz, sizeof(int) * nnz);
    } else {
      for (int k = 0; k < nnz; k++) {
        d->iefc_J_colind[adr + k] = d->map_dof2idof[d->efc_J_colind[source + k]] - dofs;
      }
    }
  }
}


// following rows of the same island with equal columns
static void markIslandSupernodes(mjData* d, int island) {
  const int first = d->island_iefcadr[island], last = first + d->island_nefc[island] - 1;
  d->iefc_J_rowsuper[last] = 0;
  for (int i = last - 1; i >= first; i--) {
    const int nnz = d->iefc_J_rownnz[i];
    const int* col = d->iefc_J_colind + d->iefc_J_rowadr[i];
    const bool same = nnz == d->iefc_J_rownnz[i + 1] && !memcmp(col, col + nnz, sizeof(int) * nnz);
    d->iefc_J_rowsuper[i] = same ? d->iefc_J_rowsuper[i + 1] + 1 : 0;
  }
}


static void copyRows(const mjModel* m, mjData* d, int island, bool is_sparse) {
  if (is_sparse) {
    copySparse(d, island);
    markIslandSupernodes(d, island);
  } else {
    copyDense(m, d, island);
  }
  const int first = d->island_iefcadr[island];
  for (int i = first; i < first + d->island_nefc[island]; i++) {
    const int r = d->map_iefc2efc[i];
    d->iefc_type[i] = d->efc_type[r];
    d->iefc_id[i] = d->efc_id[r];
    d->iefc_frictionloss[i] = d->efc_frictionloss[r];
    d->iefc_D[i] = d->efc_D[r];
    d->iefc_R[i] = d->efc_R[r];
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
