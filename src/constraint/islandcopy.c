// Inertia and rows in island order.
#include <string.h>

#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "constraint/island.h"

// M and its factor: rows of constrained dofs, columns numbered within the island
void cfi_copyIslandInertia(const mjModel* m, mjData* d) {
  int adr = 0;
  for (int i = 0; i < d->nidof; i++) {
    int dof = d->map_idof2dof[i], source = m->M_rowadr[dof], nnz = m->M_rownnz[dof];
    int first = d->island_idofadr[d->dof_island[dof]];
    d->iM_rownnz[i] = nnz;
    d->iM_rowadr[i] = adr;
    d->iLDiagInv[i] = d->qLDiagInv[dof];
    for (int k = 0; k < nnz; k++) {
      d->iM_colind[adr + k] = d->map_dof2idof[m->M_colind[source + k]] - first;
      d->iM[adr + k] = d->M[source + k];
      d->iLD[adr + k] = d->qLD[source + k];
    }
    adr += nnz;
  }
  CF_ASSERT(adr <= m->nC);
}


// rows of each island over its own dofs; an island of n dofs begins at nidof times its first row
static void copyDense(const mjModel* m, mjData* d) {
  for (int island = 0; island < d->nisland; island++) {
    int first = d->island_iefcadr[island], n = d->island_nv[island];
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
    int r = d->map_iefc2efc[i], nnz = d->efc_J_rownnz[r], source = d->efc_J_rowadr[r];
    int first = d->island_idofadr[d->efc_island[r]];
    d->iefc_J_rownnz[i] = nnz;
    d->iefc_J_rowadr[i] = adr;
    memcpy(d->iefc_J + adr, d->efc_J + source, sizeof(mjtNum) * nnz);

    // rows with equal columns share their translation
    bool repeats = i > 0 && d->map_iefc2efc[i - 1] == r - 1 && d->efc_J_rowsuper[r - 1] > 0;
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
    int first = d->island_iefcadr[island], last = first + d->island_nefc[island] - 1;
    d->iefc_J_rowsuper[last] = 0;
    for (int i = last - 1; i >= first; i--) {
      int nnz = d->iefc_J_rownnz[i];
      const int* col = d->iefc_J_colind + d->iefc_J_rowadr[i];
      bool same = nnz == d->iefc_J_rownnz[i + 1] && !memcmp(col, col + nnz, sizeof(int) * nnz);
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
    int r = d->map_iefc2efc[i];
    d->iefc_type[i] = d->efc_type[r];
    d->iefc_id[i] = d->efc_id[r];
    d->iefc_frictionloss[i] = d->efc_frictionloss[r];
    d->iefc_D[i] = d->efc_D[r];
    d->iefc_R[i] = d->efc_R[r];
  }
}
