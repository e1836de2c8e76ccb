#include "dynamics/factor.h"

#include "base/assert.h"

// row of an ancestor minus scale times the prefix of the eliminated row; they never overlap
static inline void eliminatePrefix(mjtNum* restrict target, const mjtNum* restrict row,
                                   mjtNum scale, int count) {
  for (int c = 0; c < count; c++) {
    target[c] -= scale * row[c];
  }
}


void cfi_factorLD(mjtNum* mat, mjtNum* diaginv, int nv, const int* rownnz, const int* rowadr,
                  const int* colind, cfIndexSet rows) {
  CF_ASSERT(rows.count <= nv);
  (void)nv;

  // leaves first, so that a row is complete before it is eliminated
  for (int r = rows.count - 1; r >= 0; r--) {
    const int k = cfi_at(rows, r);
    const int below = rownnz[k] - 1;
    const int* ancestor = colind + rowadr[k];
    mjtNum* row = mat + rowadr[k];
    const mjtNum inverse = 1 / row[below];

    for (int a = below - 1; a >= 0; a--) {
      const int i = ancestor[a];
      CF_ASSERT(rownnz[i] == a + 1);
      eliminatePrefix(mat + rowadr[i], row, row[a] * inverse, a + 1);
    }

    for (int a = 0; a < below; a++) {
      row[a] *= inverse;
    }
    if (diaginv) {
      diaginv[k] = inverse;
    }
  }
}


void cfi_solveUpLD(mjtNum* restrict x, const mjtNum* LD, const int* rownnz, const int* rowadr,
                   const int* colind, cfIndexSet rows) {
  for (int r = rows.count - 1; r >= 0; r--) {
    const int i = cfi_at(rows, r);
    const int* ancestor = colind + rowadr[i];
    const mjtNum* row = LD + rowadr[i];
    const mjtNum share = x[i];
    for (int a = 0; a < rownnz[i] - 1; a++) {
      x[ancestor[a]] -= row[a] * share;
    }
  }
}


// x <- inv(L)*inv(D)*x: every dof gathers from its ancestors, which are finished before it
static void solveDownward(mjtNum* restrict x, const mjtNum* LD, const mjtNum* diaginv,
                          const int* rownnz, const int* rowadr, const int* colind,
                          cfIndexSet rows) {
  for (int r = 0; r < rows.count; r++) {
    const int i = cfi_at(rows, r);
    const int* ancestor = colind + rowadr[i];
    const mjtNum* row = LD + rowadr[i];
    mjtNum gathered = 0;
    for (int a = 0; a < rownnz[i] - 1; a++) {
      gathered += row[a] * x[ancestor[a]];
    }
    x[i] = x[i] * diaginv[i] - gathered;
  }
}


void cfi_solveLD(mjtNum* x, const mjtNum* LD, const mjtNum* diaginv, int nv, int nvec,
                 const int* rownnz, const int* rowadr, const int* colind, cfIndexSet rows) {
  for (int v = 0; v < nvec; v++) {
    cfi_solveUpLD(x + (size_t)v * nv, LD, rownnz, rowadr, colind, rows);
    solveDownward(x + (size_t)v * nv, LD, diaginv, rownnz, rowadr, colind, rows);
  }
}
