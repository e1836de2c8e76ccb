// Sparse matrices: conversion, products, transposition, supernodes.
#include "math/sparse.h"

#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "math/dense.h"
#include "math/simd/lane.h"

// zero entries are left out; returns 1 when more than nnz entries would be needed
int mju_dense2sparse(mjtNum* res, const mjtNum* mat, int nr, int nc, int* rownnz, int* rowadr,
                     int* colind, int nnz) {
  int total = 0;
  for (int r = 0; r < nr && nnz > 0; r++) {
    rowadr[r] = total;
    rownnz[r] = 0;
    for (int c = 0; c < nc; c++) {
      const mjtNum x = mat[(size_t)r * nc + c];
      if (x == 0) {
        continue;
      }
      if (total >= nnz) {
        return 1;
      }
      colind[total] = c;
      res[total++] = x;
      rownnz[r]++;
    }
  }
  return nnz <= 0;
}


void mju_sparse2dense(mjtNum* res, const mjtNum* mat, int nr, int nc, const int* rownnz,
                      const int* rowadr, const int* colind) {
  for (int r = 0; r < nr; r++, res += nc) {
    cfi_zero(res, nc);
    cfi_scatter(res, mat + rowadr[r], colind + rowadr[r], rownnz[r]);
  }
}


// three rows with the same columns (a contact's, usually); the gathered vector is shared
static inline void dotThreeRows(mjtNum* res, const mjtNum* a, const mjtNum* b, const mjtNum* c,
                                const int* ind, int nnz, const mjtNum* vec) {
  CF_ASSERT(nnz >= 0);
  cfLane s0 = cfi_laneSpread(0), s1 = s0, s2 = s0;
  int i = 0;
  for (; i + 4 <= nnz; i += 4) {
    const cfLane v = cfi_laneSet(vec[ind[i]], vec[ind[i + 1]], vec[ind[i + 2]], vec[ind[i + 3]]);
    s0 = cfi_laneAddMul(s0, cfi_laneLoad(a + i), v);
    s1 = cfi_laneAddMul(s1, cfi_laneLoad(b + i), v);
    s2 = cfi_laneAddMul(s2, cfi_laneLoad(c + i), v);
  }
  mjtNum x = cfi_laneSum(s0), y = cfi_laneSum(s1), z = cfi_laneSum(s2);
  for (; i < nnz; i++) {
    const mjtNum v = vec[ind[i]];
    x += a[i] * v, y += b[i] * v, z += c[i] * v;
  }
  res[0] = x, res[1] = y, res[2] = z;
}


void cfi_mulMatVecSparse(mjtNum* res, const mjtNum* mat, const mjtNum* vec, cfPattern p) {
  CF_ASSERT(res != vec && p.nr >= 0);
  for (int r = 0; r < p.nr;) {
    const int adr = p.rowadr[r], nnz = p.rownnz[r], *ind = p.colind + adr;
    if (!p.rowsuper || p.rowsuper[r] < 2) {
      res[r++] = cfi_dotSparse(mat + adr, vec, nnz, ind);
    } else {
      dotThreeRows(res + r, mat + adr, mat + p.rowadr[r + 1], mat + p.rowadr[r + 2], ind, nnz, vec);
      r += 3;
    }
  }
}


void cfi_mulMatTVecSparse(mjtNum* res, const mjtNum* mat, const mjtNum* vec, cfPattern p) {
  CF_ASSERT(res != vec && p.nr >= 0);
  cfi_zero(res, p.nc);
  for (int r = 0; r < p.nr; r++) {
    if (vec[r] != 0) {
      cfi_addToSclScatter(res, mat + p.rowadr[r], p.colind + p.rowadr[r], p.rownnz[r], vec[r]);
    }
  }
}


void cfi_mulSymVecSparse(mjtNum* res, const mjtNum* mat, const mjtNum* vec, cfPattern p) {
  for (int r = 0; r < p.nr; r++) {
    const mjtNum *first = mat + p.rowadr[r], *entry = first + p.rownnz[r] - 1;
    const int* column = p.colind + p.rowadr[r] + p.rownnz[r] - 1;
    CF_ASSERT(*column == r);
    const mjtNum x = vec[r];
    mjtNum sum = *entry * x;
    while (entry > first) {
      const mjtNum value = *--entry;
      const int c = *--column;
      sum += value * vec[c];
      res[c] += value * x;
    }
    res[r] = sum;
  }
}


// a row that has column c but not c-1 separates the two in the transpose
static void separateSupers(int* rowsuper, const int* ind, int nnz) {
  for (int k = 0; k < nnz; k++) {
    const int c = ind[k];
    if (c > 0 && (k == 0 || ind[k - 1] != c - 1)) {
      rowsuper[c - 1] = 0;
    }
  }
}


void cfi_transposeSparse(mjtNum* res, int* res_rownnz, int* res_rowadr, int* res_colind,
                         int* res_rowsuper, const mjtNum* mat, cfPattern p) {
  CF_ASSERT(p.nr >= 0 && p.nc >= 0);
  if (p.nr == 0 || p.nc == 0) {
    return;
  }

  // count the entries of each column, then lay the columns out one behind the other
  const int origin = p.rowadr[0];
  cfi_zeroInt(res_rownnz, p.nc);
  for (int r = 0; r < p.nr; r++) {
    const int* ind = p.colind + (p.rowadr[r] - origin);
    for (int k = 0; k < p.rownnz[r]; k++) {
      res_rownnz[ind[k]]++;
    }
  }
  for (int c = 0, total = 0; c < p.nc; c++) {
    res_rowadr[c] = total;
    total += res_rownnz[c];
  }

  // neighbors of equal size are candidates for a supernode
  for (int c = 0; res_rowsuper && c < p.nc; c++) {
    res_rowsuper[c] = c + 1 < p.nc && res_rownnz[c] == res_rownnz[c + 1];
  }

  // rowadr serves as the write position of each column
  for (int r = 0; r < p.nr; r++) {
    const int start = p.rowadr[r] - origin, nnz = p.rownnz[r];
    for (int k = start; k < start + nnz; k++) {
      const int place = res_rowadr[p.colind[k]]++;
      res_colind[place] = r;
      if (res) {
        res[place] = mat[k];
      }
    }
    if (res_rowsuper) {
      separateSupers(res_rowsuper, p.colind + start, nnz);
    }
  }

  // back to the starts; from "same as the next" to "how many follow"
  for (int c = p.nc - 1; c >= 0; c--) {
    res_rowadr[c] -= res_rownnz[c];
    if (res_rowsuper && res_rowsuper[c]) {
      res_rowsuper[c] += res_rowsuper[c + 1];
    }
  }
}
