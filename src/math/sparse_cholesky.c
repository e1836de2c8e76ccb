// Reverse sparse Cholesky, mat = L'*L: rows are eliminated from the last to the first, so that the
// factor of a kinematic tree (parents before children) has no fill-in.
#include <math.h>

#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "math/dense.h"
#include "math/sparse.h"

// columns of L from its rows, rows ascending
void cfi_cholSparseColumns(cfSparseChol* s, int* next) {
  cfi_copyInt(next, s->coladr, s->n);
  for (int r = 0; r < s->n; r++) {
    const int adr = s->rowadr[r], diagonal = adr + s->rownnz[r] - 1;
    for (int k = adr; k < diagonal; k++) {
      const int at = next[s->colind[k]]++;
      s->rowind[at] = r;
      s->place[at] = k;
    }
  }
  for (int r = 0; r < s->n; r++) {
    s->nested[r] =
        r + 1 < s->n && s->rownnz[r + 1] == s->rownnz[r] + 1 &&
        cfi_sameIndices(s->colind + s->rowadr[r], s->colind + s->rowadr[r + 1], s->rownnz[r]);
  }
}


// acc -= the given rows of L, each times its own weight, over their common first columns; bodies
// that slide in three directions, such as the vertices of flexes, have three nested rows
static void subtractRows(mjtNum* acc, const mjtNum* const row[4], const mjtNum w[4], int count,
                         const int* ind, int nnz) {
  CF_ASSERT(1 <= count && count <= 4);
  const mjtNum w0 = w[0], w1 = count > 1 ? w[1] : 0, w2 = count > 2 ? w[2] : 0;
  const mjtNum *row0 = row[0], *row1 = row[count > 1], *row2 = row[count > 2 ? 2 : 0];
  if (count == 4) {
    for (int k = 0; k < nnz; k++) {
      mjtNum* x = acc + ind[k];
      *x = (((*x - w0 * row0[k]) - w1 * row1[k]) - w2 * row2[k]) - w[3] * row[3][k];
    }
  } else if (count == 3) {
    for (int k = 0; k < nnz; k++) {
      mjtNum* x = acc + ind[k];
      *x = ((*x - w0 * row0[k]) - w1 * row1[k]) - w2 * row2[k];
    }
  } else if (count == 2) {
    for (int k = 0; k < nnz; k++) {
      mjtNum* x = acc + ind[k];
      *x = (*x - w0 * row0[k]) - w1 * row1[k];
    }
  } else {
    cfi_addToSclScatter(acc, row0, ind, nnz, -w0);
  }
}


// all updates of row r: rows i > r with L(i,r) != 0, up to four nested ones at a time
static void updateRow(mjtNum* acc, const mjtNum* L, const cfSparseChol* s, int r) {
  const int begin = s->coladr[r], end = begin + s->colnnz[r];
  for (int k = begin; k < end;) {
    const mjtNum* row[4];
    mjtNum w[4];
    const int i = s->rowind[k], first = s->rowadr[i];
    int count = 0;
    do {
      row[count] = L + s->rowadr[i + count];
      w[count] = L[s->place[k + count]];
      count++;
    } while (count < 4 && k + count < end && s->rowind[k + count] == i + count &&
             s->nested[i + count - 1]);
    subtractRows(acc, row, w, count, s->colind + first, s->place[k] - first + 1);
    k += count;
  }
}


int cfi_cholSparseFactor(mjtNum* L, const cfSparseChol* s, const mjtNum* mat, cfPattern lower,
                         mjtNum mindiag, mjData* d) {
  CF_ASSERT(lower.nr == s->n);
  int rank = s->n;
  mj_markStack(d);
  mjtNum* acc = mj_stackAllocNum(d, s->n);
  cfi_zero(acc, s->n);

  for (int r = s->n - 1; r >= 0; r--) {
    const int adr = s->rowadr[r], off = s->rownnz[r] - 1, *ind = s->colind + adr;
    cfi_scatter(acc, mat + lower.rowadr[r], lower.colind + lower.rowadr[r], lower.rownnz[r]);
    updateRow(acc, L, s, r);

    mjtNum pivot = acc[r];
    if (pivot < mindiag) {
      pivot = mindiag;
      rank--;
    }
    const mjtNum root = sqrt(pivot), inverse = 1 / root;
    for (int k = 0; k < off; k++) {
      L[adr + k] = acc[ind[k]] * inverse;
      acc[ind[k]] = 0;
    }
    L[adr + off] = root;
    acc[r] = 0;
  }
  mj_freeStack(d);
  return rank;
}


void cfi_cholSolveSparse(mjtNum* res, const mjtNum* L, const mjtNum* vec, int n, const int* rownnz,
                         const int* rowadr, const int* colind) {
  if (res != vec) {
    cfi_copy(res, vec, n);
  }

  // L'*res = vec, last row first; zeros have no effect on the others
  for (int r = n - 1; r >= 0; r--) {
    if (res[r] != 0) {
      const int adr = rowadr[r], off = rownnz[r] - 1;
      res[r] /= L[adr + off];
      cfi_addToSclScatter(res, L + adr, colind + adr, off, -res[r]);
    }
  }

  // L*res = res
  for (int r = 0; r < n; r++) {
    const int adr = rowadr[r], off = rownnz[r] - 1;
    res[r] = (res[r] - cfi_dotSparse(L + adr, res, off, colind + adr)) / L[adr + off];
  }
}


int cfi_cholUpdateSparse(mjtNum* L, int n, const int* rownnz, const int* rowadr, const int* colind,
                         const mjtNum* x, const int* x_ind, int x_nnz, int is_plus, mjData* d) {
  if (x_nnz == 0) {
    return n;
  }
  const int last = x_ind[x_nnz - 1];
  CF_ASSERT(last < n);
  const mjtNum sign = is_plus ? 1 : -1;
  int rank = n;
  mj_markStack(d);
  mjtNum* rest = mj_stackAllocNum(d, last + 1);
  cfi_zero(rest, last + 1);
  cfi_scatter(rest, x, x_ind, x_nnz);

  // the row's share of x moves into L; see the dense update for the formulas
  mjtNum g = sign;
  for (int r = last; r >= 0; r--) {
    if (rest[r] == 0) {
      continue;
    }
    mjtNum *row = L + rowadr[r], *pivot = row + rownnz[r] - 1;
    const int* column = colind + rowadr[r];
    const mjtNum old = *pivot, s = rest[r] / old, before = g;
    g = before + s * s;
    mjtNum square = old * old * (g / before);
    if (square < mjMINVAL) {
      square = mjMINVAL;
      rank--;
    }
    *pivot = sqrt(square);

    const mjtNum a = old / *pivot, b = s * a / before;
    for (; row < pivot; row++, column++) {
      const mjtNum entry = *row, w = rest[*column];
      *row = a * entry + b * w;
      rest[*column] = w - s * entry;
    }
  }
  mj_freeStack(d);
  return rank;
}
