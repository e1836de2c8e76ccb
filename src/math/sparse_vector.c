// Sparse vectors: products, unions, sums in place.
#include "base/assert.h"
#include "math/dense.h"
#include "math/sparse.h"

mjtNum cfi_dotSparse2(const mjtNum* vec1, const int* ind1, int nnz1, const mjtNum* vec2,
                      const int* ind2, int nnz2) {
  CF_ASSERT(cfi_isAscending(ind1, nnz1) && cfi_isAscending(ind2, nnz2));
  mjtNum sum = 0;
  for (int i = 0, j = 0; i < nnz1; i++) {
    while (j < nnz2 && ind2[j] < ind1[i]) {
      j++;
    }
    if (j == nnz2) {
      break;
    }
    if (ind2[j] == ind1[i]) {
      sum += vec1[i] * vec2[j];
    }
  }
  return sum;
}


int cfi_countUnion(const int* a, int na, const int* b, int nb) {
  CF_ASSERT(cfi_isAscending(a, na) && cfi_isAscending(b, nb));
  int i = 0, j = 0, total = 0;
  while (i < na && j < nb) {
    const int x = a[i], y = b[j];
    i += x <= y;
    j += y <= x;
    total++;
  }
  return total + (na - i) + (nb - j);
}


int cfi_mergeIndices(int* res, const int* a, int na, const int* b, int nb) {
  CF_ASSERT(cfi_isAscending(a, na) && cfi_isAscending(b, nb));
  int i = 0, j = 0, total = 0;
  if (na == nb && cfi_sameIndices(a, b, na)) {
    cfi_copyInt(res, a, na);
    return na;
  }
  while (i < na && j < nb) {
    const int x = a[i], y = b[j];
    res[total++] = x < y ? x : y;
    i += x <= y;
    j += y <= x;
  }
  cfi_copyInt(res + total, a + i, na - i);
  total += na - i;
  cfi_copyInt(res + total, b + j, nb - j);
  return total + nb - j;
}


// spread a row of old_nnz numbers (scaled by a) over the union and add b*src, from the back, so
// that no number is overwritten before it is read; dst and old may be the same array
static void spreadRow(mjtNum* dst, const mjtNum* old, const int* old_ind, int old_nnz, mjtNum a,
                      const mjtNum* src, const int* src_ind, int src_nnz, mjtNum b, int nnz) {
  int i = old_nnz - 1, j = src_nnz - 1;
  for (int k = nnz - 1; k >= 0; k--) {
    const int x = i >= 0 ? old_ind[i] : -1, y = j >= 0 ? src_ind[j] : -1;
    if (x == y) {
      dst[k] = a * old[i--] + b * src[j--];
    } else {
      dst[k] = x > y ? a * old[i--] : b * src[j--];
    }
  }
  CF_ASSERT(i < 0 && j < 0);
}


// the same for the indices
static void mergeIndicesBack(int* dst_ind, int dst_nnz, const int* src_ind, int src_nnz, int nnz) {
  CF_ASSERT(nnz >= dst_nnz && nnz >= src_nnz);
  int i = dst_nnz - 1, j = src_nnz - 1;
  for (int k = nnz - 1; j >= 0 && k > i; k--) {
    const int x = i >= 0 ? dst_ind[i] : -1, y = src_ind[j];
    dst_ind[k] = x > y ? x : y;
    i -= x >= y;
    j -= y >= x;
  }
}


int cfi_combineSparse(mjtNum* dst, int* dst_ind, int dst_nnz, mjtNum a, const mjtNum* src,
                      const int* src_ind, int src_nnz, mjtNum b) {
  CF_ASSERT(cfi_isAscending(src_ind, src_nnz));
  if (dst_nnz == src_nnz && cfi_sameIndices(dst_ind, src_ind, dst_nnz)) {
    for (int k = 0; k < dst_nnz; k++) {
      dst[k] = dst[k] * a + src[k] * b;
    }
    return dst_nnz;
  }
  const int nnz = cfi_countUnion(dst_ind, dst_nnz, src_ind, src_nnz);
  spreadRow(dst, dst, dst_ind, dst_nnz, a, src, src_ind, src_nnz, b, nnz);
  mergeIndicesBack(dst_ind, dst_nnz, src_ind, src_nnz, nnz);
  return nnz;
}


int cfi_addToSparseRows(mjtNum* dst, int* dst_ind, int dst_nnz, const mjtNum* src,
                        const int* src_ind, int src_nnz, int nrow, mjtNum scl) {
  CF_ASSERT(nrow >= 0 && dst_nnz >= 0 && src_nnz >= 0);
  if (dst_nnz == src_nnz && cfi_sameIndices(dst_ind, src_ind, dst_nnz)) {
    cfi_addToScl(dst, src, scl, nrow * dst_nnz);
    return dst_nnz;
  }

  // rows grow in place, the last one first
  const int nnz = cfi_countUnion(dst_ind, dst_nnz, src_ind, src_nnz);
  for (int r = nrow - 1; r >= 0; r--) {
    spreadRow(dst + r * nnz, dst + r * dst_nnz, dst_ind, dst_nnz, 1, src + r * src_nnz, src_ind,
              src_nnz, scl, nnz);
  }
  mergeIndicesBack(dst_ind, dst_nnz, src_ind, src_nnz, nnz);
  return nnz;
}


void cfi_addToSclSparseInc(mjtNum* dst, const int* dst_ind, int dst_nnz, const mjtNum* src,
                           const int* src_ind, int src_nnz, mjtNum scl) {
  CF_ASSERT(dst_nnz >= 0 && src_nnz >= 0);
  for (int i = 0, j = 0; i < dst_nnz && j < src_nnz;) {
    const int x = dst_ind[i], y = src_ind[j];
    if (x == y) {
      dst[i] += scl * src[j];
    }
    i += x <= y;
    j += y <= x;
  }
}
