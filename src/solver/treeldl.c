// Dense L'DL with skipped zeros.
#include "solver/treeldl.h"

#include <stddef.h>

#include "base/assert.h"
#include "math/dense.h"
#include "math/simd/lane.h"

// h -= wa*a + wb*b over whole vectors of four
static inline void subtractTwo(mjtNum* h, const mjtNum* a, mjtNum wa, const mjtNum* b, mjtNum wb,
                               int n) {
  const cfLane la = cfi_laneSpread(wa), lb = cfi_laneSpread(wb);
  for (int k = 0; k < n; k += 4) {
    const cfLane sum = cfi_laneSubMul(cfi_laneLoad(h + k), la, cfi_laneLoad(a + k));
    cfi_laneStore(h + k, cfi_laneSubMul(sum, lb, cfi_laneLoad(b + k)));
  }
}


// h -= w*a over whole vectors of four
static inline void subtractOne(mjtNum* h, const mjtNum* a, mjtNum w, int n) {
  const cfLane lane = cfi_laneSpread(w);
  for (int k = 0; k < n; k += 4) {
    cfi_laneStore(h + k, cfi_laneSubMul(cfi_laneLoad(h + k), lane, cfi_laneLoad(a + k)));
  }
}


// inverse of a pivot, raised to minimum
static mjtNum invertPivot(mjtNum pivot, mjtNum minimum, int* rank) {
  *rank -= pivot < minimum;
  return 1 / (pivot < minimum ? minimum : pivot);
}


// numbers of a row up to and including its diagonal, whole vectors
static inline int wholeRow(int row) {
  return (row + 4) & ~3;
}


// row of L: scale the numbers left of the diagonal, clear the diagonal and what follows in its
// vector
static inline void finishRow(mjtNum* row, mjtNum scale, int diagonal) {
  const cfLane lane = cfi_laneSpread(scale);
  for (int k = 0; k < diagonal; k += 4) {
    cfi_laneStore(row + k, cfi_laneMul(cfi_laneLoad(row + k), lane));
  }
  for (int k = diagonal; k < wholeRow(diagonal); k++) {
    row[k] = 0;
  }
}


int cfi_factorTreeLDL(mjtNum* mat, mjtNum* diag_inv, int n, int stride, mjtNum minimum) {
  CF_ASSERT(stride % 4 == 0 && stride >= n);
  int rank = n, k = n - 1;

  // two pivots at a time share the traffic of the rows that they change
  for (; k >= 1; k -= 2) {
    mjtNum *a = mat + (size_t)k * stride, *b = a - stride;
    mjtNum a_inv = diag_inv[k] = invertPivot(a[k], minimum, &rank);
    if (a[k - 1] != 0) {
      subtractOne(b, a, a[k - 1] * a_inv, wholeRow(k - 1));
    }
    mjtNum b_inv = diag_inv[k - 1] = invertPivot(b[k - 1], minimum, &rank);
    for (int j = 0; j < k - 1; j++) {
      if (a[j] != 0 || b[j] != 0) {
        subtractTwo(mat + (size_t)j * stride, a, a[j] * a_inv, b, b[j] * b_inv, wholeRow(j));
      }
    }
    finishRow(a, a_inv, k);
    finishRow(b, b_inv, k - 1);
  }
  if (k == 0) {
    diag_inv[0] = invertPivot(mat[0], minimum, &rank);
    finishRow(mat, 0, 0);
  }
  return rank;
}


// v -= p*row, then row += b*v
static inline void rotateRow(mjtNum* row, mjtNum* v, mjtNum p, mjtNum b, int n) {
  const cfLane lp = cfi_laneSpread(p), lb = cfi_laneSpread(b);
  for (int k = 0; k < n; k += 4) {
    const cfLane l = cfi_laneLoad(row + k), x = cfi_laneSubMul(cfi_laneLoad(v + k), lp, l);
    cfi_laneStore(v + k, x);
    cfi_laneStore(row + k, cfi_laneAddMul(l, lb, x));
  }
}


// Gill, Golub, Murray, Saunders 1974, method C1, from the last row up
bool cfi_updateTreeLDL(mjtNum* L, mjtNum* diag_inv, mjtNum* v, mjtNum sign, int n, int stride) {
  CF_ASSERT(stride % 4 == 0 && (sign == 1 || sign == -1));
  mjtNum weight = sign;
  for (int k = n - 1; k >= 0; k--) {
    const mjtNum p = v[k];
    if (p == 0) {
      continue;
    }
    const mjtNum ratio = 1 + weight * p * p * diag_inv[k];
    if (ratio < 1e-4) {
      return false;
    }

    // the diagonal of a row is stored as zero and what follows it too: v behind k stays as it is
    v[k] = 0;
    const mjtNum new_inverse = diag_inv[k] / ratio;
    rotateRow(L + (size_t)k * stride, v, p, weight * p * new_inverse, (k + 3) & ~3);
    weight /= ratio;
    diag_inv[k] = new_inverse;
  }
  return true;
}


// rows top..top+3 of x = L'^-1 x: inside the block first, then all numbers before it in one pass
static void eliminateFour(mjtNum* x, const mjtNum* L, int top, int stride) {
  CF_ASSERT(top >= 0 && stride > 0);
  const mjtNum *r0 = L + (size_t)top * stride, *r1 = r0 + stride, *r2 = r1 + stride,
               *r3 = r2 + stride;
  const mjtNum x3 = x[top + 3];
  const mjtNum x2 = x[top + 2] - r3[top + 2] * x3;
  const mjtNum x1 = x[top + 1] - r3[top + 1] * x3 - r2[top + 1] * x2;
  const mjtNum x0 = x[top] - r3[top] * x3 - r2[top] * x2 - r1[top] * x1;
  cfi_laneStore(x + top, cfi_laneSet(x0, x1, x2, x3));
  const cfLane w0 = cfi_laneSpread(x0), w1 = cfi_laneSpread(x1);
  const cfLane w2 = cfi_laneSpread(x2), w3 = cfi_laneSpread(x3);
  for (int c = 0; c < top; c += 4) {
    cfLane rest = cfi_laneSubMul(cfi_laneLoad(x + c), w3, cfi_laneLoad(r3 + c));
    rest = cfi_laneSubMul(rest, w2, cfi_laneLoad(r2 + c));
    rest = cfi_laneSubMul(rest, w1, cfi_laneLoad(r1 + c));
    cfi_laneStore(x + c, cfi_laneSubMul(rest, w0, cfi_laneLoad(r0 + c)));
  }
}


// rows top..top+3 of x = L^-1 D^-1 x: four sums over what is known, then inside the block
static void substituteFour(mjtNum* x, const mjtNum* L, const mjtNum* diag_inv, int top,
                           int stride) {
  CF_ASSERT(top >= 0 && stride > 0);
  const mjtNum *r0 = L + (size_t)top * stride, *r1 = r0 + stride, *r2 = r1 + stride,
               *r3 = r2 + stride;
  cfLane s0 = cfi_laneSpread(0), s1 = s0, s2 = s0, s3 = s0;
  for (int c = 0; c < top; c += 4) {
    const cfLane known = cfi_laneLoad(x + c);
    s0 = cfi_laneAddMul(s0, cfi_laneLoad(r0 + c), known);
    s1 = cfi_laneAddMul(s1, cfi_laneLoad(r1 + c), known);
    s2 = cfi_laneAddMul(s2, cfi_laneLoad(r2 + c), known);
    s3 = cfi_laneAddMul(s3, cfi_laneLoad(r3 + c), known);
  }
  const cfLane scaled = cfi_laneMul(cfi_laneLoad(x + top), cfi_laneLoad(diag_inv + top));
  mjtNum y[4];
  cfi_laneStore(y, cfi_laneSub(scaled, cfi_laneSum4(s0, s1, s2, s3)));
  y[1] -= r1[top] * y[0];
  y[2] -= r2[top] * y[0] + r2[top + 1] * y[1];
  y[3] -= r3[top] * y[0] + r3[top + 1] * y[1] + r3[top + 2] * y[2];
  cfi_laneStore(x + top, cfi_laneSet(y[0], y[1], y[2], y[3]));
}


// L' from the last row up, then D and L from the first row down.  Four rows at a time x moves
// between memory and registers in whole vectors; the rows behind the last four go one by one
void cfi_solveTreeLDL(mjtNum* x, const mjtNum* L, const mjtNum* diag_inv, int n, int stride) {
  CF_ASSERT(stride % 4 == 0 && n <= stride);
  const int whole = n & ~3;
  for (int k = n - 1; k >= whole; k--) {
    subtractOne(x, L + (size_t)k * stride, x[k], (k + 3) & ~3);
  }
  for (int top = whole - 4; top >= 0; top -= 4) {
    eliminateFour(x, L, top, stride);
  }
  for (int top = 0; top < whole; top += 4) {
    substituteFour(x, L, diag_inv, top, stride);
  }
  for (int k = whole; k < n; k++) {
    const mjtNum* row = L + (size_t)k * stride;
    cfLane sum = cfi_laneSpread(0);
    for (int c = 0; c < k; c += 4) {
      sum = cfi_laneAddMul(sum, cfi_laneLoad(row + c), cfi_laneLoad(x + c));
    }
    x[k] = x[k] * diag_inv[k] - cfi_laneSum(sum);
  }
}


void cfi_mulTree(mjtNum* res, const mjtNum* rows, const mjtNum* diagonal, const mjtNum* x, int n,
                 int stride) {
  CF_ASSERT(n >= 0 && stride >= n);
  for (int k = 0; k < n; k++) {
    const mjtNum* row = rows + (size_t)k * stride;
    const cfLane own = cfi_laneSpread(x[k]);
    cfLane sum = cfi_laneSpread(0);
    for (int c = 0; c < k; c += 4) {
      const cfLane entry = cfi_laneLoad(row + c);
      sum = cfi_laneAddMul(sum, entry, cfi_laneLoad(x + c));
      cfi_laneStore(res + c, cfi_laneAddMul(cfi_laneLoad(res + c), entry, own));
    }
    res[k] = diagonal[k] * x[k] + cfi_laneSum(sum);
    if (k % 4 == 0) {
      for (int c = k + 1; c < k + 4 && c < stride; c++) {
        res[c] = 0;
      }
    }
  }
}


void cfi_expandTree(mjtNum* rows, mjtNum* diagonal, const mjtNum* mat, const cfPattern* p,
                    int stride) {
  CF_ASSERT(stride >= cfi_treeStride(p->nr));
  for (int i = 0; i < p->nr; i++) {
    mjtNum* row = rows + (size_t)i * stride;
    const int last = p->rowadr[i] + p->rownnz[i] - 1;
    cfi_zero(row, wholeRow(i));
    for (int k = p->rowadr[i]; k < last; k++) {
      row[p->colind[k]] = mat[k];
    }
    if (diagonal) {
      diagonal[i] = mat[last];
    }
  }
}
