// Symmetric matrices with a band and, below it, dense rows.  Storage: (ntotal-ndense) rows of nband
// numbers that end at the diagonal, then ndense rows of ntotal numbers.
//
// Everything here sees rows: row(i)[j] is entry (i,j) and the stored columns are first(i)..i.
#include <math.h>
#include <string.h>

#include <mujoco/mujoco.h>

#include "math/dense.h"
#include "math/scalar.h"

typedef struct {
  int ntotal, nband, nsparse;
} cfBand;


static cfBand bandShape(int ntotal, int nband, int ndense) {
  return (cfBand){ntotal, nband, ntotal - ndense};
}


// offset of row i: entry (i,j) is at offset + j
static int bandOffset(cfBand b, int i) {
  return i < b.nsparse ? i * b.nband + b.nband - 1 - i
                       : b.nsparse * b.nband + (i - b.nsparse) * b.ntotal;
}


// first stored column of row i
static int bandFirst(cfBand b, int i) {
  return i < b.nsparse ? cfi_maxInt(0, i - b.nband + 1) : 0;
}


// the row after i that has column j: rows of the band, then the dense ones
static int bandNext(cfBand b, int i, int j) {
  return i + 1 < b.nsparse && i + 1 >= j + b.nband ? b.nsparse : i + 1;
}


int mju_bandDiag(int i, int ntotal, int nband, int ndense) {
  return bandOffset(bandShape(ntotal, nband, ndense), i) + i;
}


// sum of L(i,k)*L(j,k) over the columns k < j that both rows store
static mjtNum bandProduct(cfBand b, const mjtNum* mat, int i, int j) {
  const int from = cfi_maxInt(bandFirst(b, i), bandFirst(b, j));
  return cfi_dot(mat + bandOffset(b, i) + from, mat + bandOffset(b, j) + from, j - from);
}


// smallest pivot before its root, 0 when one is below mjMINVAL
mjtNum mju_cholFactorBand(mjtNum* mat, int ntotal, int nband, int ndense, mjtNum diagadd,
                          mjtNum diagmul) {
  const cfBand b = bandShape(ntotal, nband, ndense);
  mjtNum smallest = -1;
  for (int j = 0; j < ntotal; j++) {
    mjtNum* diagonal = mat + bandOffset(b, j) + j;
    const mjtNum pivot = diagadd + diagmul * *diagonal + *diagonal - bandProduct(b, mat, j, j);
    if (smallest < 0 || pivot < smallest) {
      smallest = pivot;
    }
    if (pivot < mjMINVAL) {
      return 0;
    }

    const mjtNum root = sqrt(pivot), inverse = 1 / root;
    for (int i = bandNext(b, j, j); i < ntotal; i = bandNext(b, i, j)) {
      mjtNum* entry = mat + bandOffset(b, i) + j;
      *entry = inverse * (*entry - bandProduct(b, mat, i, j));
    }
    *diagonal = root;
  }
  return smallest;
}


void mju_cholSolveBand(mjtNum* res, const mjtNum* mat, const mjtNum* vec, int ntotal, int nband,
                       int ndense) {
  const cfBand b = bandShape(ntotal, nband, ndense);
  if (res != vec) {
    cfi_copy(res, vec, ntotal);
  }

  // L*res = vec
  for (int i = 0; i < ntotal; i++) {
    const int from = bandFirst(b, i);
    const mjtNum* row = mat + bandOffset(b, i);
    res[i] = (res[i] - cfi_dot(row + from, res + from, i - from)) / row[i];
  }

  // L'*res = res
  for (int j = ntotal - 1; j >= 0; j--) {
    mjtNum x = res[j];
    for (int i = bandNext(b, j, j); i < ntotal; i = bandNext(b, i, j)) {
      x -= mat[bandOffset(b, i) + j] * res[i];
    }
    res[j] = x / mat[bandOffset(b, j) + j];
  }
}


void mju_band2Dense(mjtNum* res, const mjtNum* mat, int ntotal, int nband, int ndense,
                    mjtByte flg_sym) {
  const cfBand b = bandShape(ntotal, nband, ndense);
  for (int i = 0; i < ntotal; i++) {
    mjtNum* row = res + (size_t)i * ntotal;
    const int from = bandFirst(b, i);
    cfi_zero(row, ntotal);
    cfi_copy(row + from, mat + bandOffset(b, i) + from, i - from + 1);
  }
  if (flg_sym) {
    cfi_mirrorLower(res, ntotal);
  }
}


void mju_dense2Band(mjtNum* res, const mjtNum* mat, int ntotal, int nband, int ndense) {
  const cfBand b = bandShape(ntotal, nband, ndense);
  for (int i = 0; i < ntotal; i++) {
    const int from = bandFirst(b, i);
    cfi_copy(res + bandOffset(b, i) + from, mat + (size_t)i * ntotal + from, i - from + 1);
  }
}


void mju_bandMulMatVec(mjtNum* res, const mjtNum* mat, const mjtNum* vec, int ntotal, int nband,
                       int ndense, int nvec, mjtByte flg_sym) {
  const cfBand b = bandShape(ntotal, nband, ndense);
  for (int k = 0; k < nvec; k++, res += ntotal, vec += ntotal) {
    for (int i = 0; i < ntotal; i++) {
      const int from = bandFirst(b, i);
      const mjtNum* row = mat + bandOffset(b, i);
      res[i] = cfi_dot(row + from, vec + from, i - from + 1);
      if (flg_sym) {
        cfi_addToScl(res + from, row + from, vec[i], i - from);
      }
    }
  }
}
