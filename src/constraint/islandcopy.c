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


// M and its factor: rows of constrained dofs, columns numbered within the island
void cfi_copyIslandInertia(const mjModel* m, mjData* d) {
  int last = d->nisland - 1, adr = 0;
  const int ntree = d->island_itreeadr[last] + d->island_ntree[last];
  for (int k = 0; k < ntree; k++) {
    adr = copyTree(m, d, d->map_itree2tree[k], adr);
  }
  CF_ASSERT(adr <= m->nC);
}


// rows of each island over its own dofs; an island of n dofs begins at nidof times its first row
static void copyDense(const mjModel* m, mjData* d) {
  for (int island = 0; island < d->nisland; island++) {
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
}


// sparse rows one after the other, columns numbered within the island
static void copySparse(mjData* d) {
  int adr = 0;
  for (int i = 0; i < d->nefc; i++) {
    const int r = d->map_iefc2efc[i], nnz = d->efc_J_rownnz[r], source = d->efc_J_rowadr[r];
    const int first = d->island_idofadr[d->efc_island[r]];
    d->iefc_J_rownnz[i] = nnz;
    d->iefc_J_rowadr[i] = adr;
    memcpy(d->iefc_J + adr, d->efc_J + source, sizeof(mjtNum) * nnz);

    // rows with equal columns share their translation
    const bool repeats = i > 0 && d->map_iefc2efc[i - 1] == r - 1 && d->efc_J_rowsuper[r - 1] > 0;
    if (repeats) {
      memcpy(d->iefc_J_colind + adr, d->iefc_J_colind + adr - nnz, sizeof(int) * nnz);
    } else {
      for (int k = 0; k < nnz; k++) {
        d->iefc_J_colind[adr + k] = d->map_dof2idof[d->efc_J_colind[source + k]] - first;
      }
    }
    adr += nnz;
  }
}


// following rows of the same island with equal columns
static void markIslandSupernodes(mjData* d) {
  for (int island = 0; island < d->nisland; island++) {
    const int first = d->island_iefcadr[island], last = first + d->island_nefc[island] - 1;
    d->iefc_J_rowsuper[last] = 0;
    for (int i = last - 1; i >= first; i--) {
      const int nnz = d->iefc_J_rownnz[i];
      const int* col = d->iefc_J_colind + d->iefc_J_rowadr[i];
      const bool same =
          nnz == d->iefc_J_rownnz[i + 1] && !memcmp(col, col + nnz, sizeof(int) * nnz);
      d->iefc_J_rowsuper[i] = same ? d->iefc_J_rowsuper[i + 1] + 1 : 0;
    }
  }
}


void cfi_copyIslandRows(const mjModel* m, mjData* d) {
  if (mj_isSparse(m)) {
    copySparse(d);
    markIslandSupernodes(d);
  } else {
    copyDense(m, d);
  }
  for (int i = 0; i < d->nefc; i++) {
    const int r = d->map_iefc2efc[i];
    d->iefc_type[i] = d->efc_type[r];
    d->iefc_id[i] = d->efc_id[r];
    d->iefc_frictionloss[i] = d->efc_frictionloss[r];
    d->iefc_D[i] = d->efc_D[r];
    d->iefc_R[i] = d->efc_R[r];
  }
}
