// Text output of mjData: inertia and what islands make of matrices.
#include <string.h>

#include "api/datatext.h"
#include "base/assert.h"

//---------------------------------- inertia -------------------------------------------------------

// a filler as wide as a printed number
static void printGap(const cfDataText* t, char filler) {
  for (int k = cfi_numberWidth(&t->out); k > 0; k--) {
    fputc(filler, t->out.file);
  }
}


// lower triangle of a matrix with one entry per dof and ancestor
void cfi_triangleText(const cfDataText* t, const cfFieldInfo* field) {
  const mjModel* const m = t->m;
  enum { DOF_MAX = 300 };
  (void)field;
  if (!m->nv || m->nv > DOF_MAX) {
    return;
  }
  fprintf(t->out.file, "QM\n");
  for (int i = 0; i < m->nv; i++) {
    // place of each ancestor's entry in the row
    int place[DOF_MAX];
    memset(place, -1, sizeof(place));
    for (int j = i, k = m->dof_Madr[i]; j >= 0; j = m->dof_parentid[j], k++) {
      place[j] = k;
    }
    fputc(' ', t->out.file);
    for (int j = 0; j <= i; j++) {
      fputc(' ', t->out.file);
      if (place[j] >= 0) {
        cfi_printElement(&t->out, CF_TYPE_mjtNum, t->d->qM, place[j]);
      } else {
        printGap(t, ' ');
      }
    }
    fputc('\n', t->out.file);
  }
  fputc('\n', t->out.file);
}


// a matrix with the pattern of M or of D, by its number of entries
void cfi_dofMatrixText(const cfDataText* t, const cfFieldInfo* field) {
  const mjModel* const m = t->m;
  const bool square = !strcmp(field->rows, "m->nD");
  const cfPattern s = {(int)m->nv,
                       (int)m->nv,
                       square ? m->D_rownnz : m->M_rownnz,
                       square ? m->D_rowadr : m->M_rowadr,
                       square ? m->D_colind : m->M_colind,
                       NULL};
  char title[CF_TITLE_MAX];
  cfi_titleOf(field, title);
  cfi_printSparse(&t->out, title, s, cfi_arrayOf(field, t->d));
}


// the same where somebody has written it
void cfi_writtenMatrixText(const cfDataText* t, const cfFieldInfo* field) {
  if (!mju_isZero(cfi_arrayOf(field, t->d), (int)cfi_fieldCount(field, t->m, t->d))) {
    cfi_dofMatrixText(t, field);
  }
}


void cfi_implicitText(const cfDataText* t, const cfFieldInfo* field) {
  if (!mju_isZero(t->d->qHDiagInv, (int)t->m->nv)) {
    cfi_dofMatrixText(t, field);
    cfi_rowsText(t, cfi_findField(&cfi_dataFields, "qHDiagInv"));
  }
}

//---------------------------------- islands -------------------------------------------------------

void cfi_printBlocks(const cfDataText* t, const char* title, cfBlockPattern b) {
  enum { COLUMN_MAX = 300 };
  FILE* const file = t->out.file;
  char edge[COLUMN_MAX + 3], row[COLUMN_MAX + 1];
  if (!b.s.nr || !b.s.nc || b.s.nc > COLUMN_MAX) {
    return;
  }
  memset(edge, '-', sizeof(edge));
  edge[b.s.nc + 2] = '\0';
  fprintf(file, "%s\n%s\n", title, edge);
  for (int r = 0; r < b.s.nr; r++) {
    const int island = b.owner[b.order[r]];
    CF_ASSERT(island >= 0 && island < t->d->nisland);
    memset(row, ' ', (size_t)b.s.nc);
    row[b.s.nc] = '\0';
    for (int k = 0; k < b.s.rownnz[r]; k++) {
      const int c = t->d->island_idofadr[island] + b.s.colind[b.s.rowadr[r] + k];
      CF_ASSERT(c >= 0 && c < b.s.nc);
      row[c] = (char)(island < 10 ? '0' + island : 'x');
    }
    fprintf(file, " %s |", row);
    if (b.s.rowsuper && b.s.rowsuper[r] > 0) {
      fprintf(file, " %d", b.s.rowsuper[r]);
    }
    fputc('\n', file);
  }
  fprintf(file, "%s\n\n", edge);
}


void cfi_islandInertiaText(const cfDataText* t, const cfFieldInfo* field) {
  const mjModel* const m = t->m;
  const mjData* const d = t->d;
  (void)field;
  if (!d->nisland) {
    return;
  }
  cfi_printPattern(&t->out, "M: inertia structure",
                   (cfPattern){(int)m->nv, (int)m->nv, m->M_rownnz, m->M_rowadr, m->M_colind, NULL},
                   NULL);
  cfi_printBlocks(
      t, "iM: block-diagonal inertia (nnzs are island ids)",
      (cfBlockPattern){{d->nidof, d->nidof, d->iM_rownnz, d->iM_rowadr, d->iM_colind, NULL},
                       d->map_idof2dof,
                       d->dof_island});
}


// dense blocks of the Jacobian, dots around them
void cfi_printDenseBlocks(const cfDataText* t) {
  const mjData* const d = t->d;
  FILE* const file = t->out.file;
  if (!d->iefc_J || !d->nefc || !d->nidof) {
    return;
  }
  fprintf(file, "IEFC_J\n");
  for (int island = 0; island < d->nisland; island++) {
    const int first = d->island_idofadr[island], cols = d->island_nv[island];
    const mjtNum* value = d->iefc_J + d->island_iefcadr[island] * d->nidof;
    for (int r = 0; r < d->island_nefc[island]; r++) {
      fputc(' ', file);
      for (int c = 0; c < d->nidof; c++) {
        if (c >= first && c < first + cols) {
          fputc(' ', file);
          cfi_printElement(&t->out, CF_TYPE_mjtNum, value++, 0);
        } else {
          printGap(t, '.');
          fputc(' ', file);
        }
      }
      fputc('\n', file);
    }
  }
  fputc('\n', file);
}
