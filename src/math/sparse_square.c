// J'*D*J of a sparse J.
//
// Row r of the result collects the rows t of J that have column r: res[r] += J[t][r] * (D[t]*J[t]).
// Columns of J with the same rows (supernodes, e.g. the six dofs of a free body) come in runs; up
// to four of them are one lane, so that the columns of a row t are walked once for four result
// rows.
#include "base/assert.h"
#include "math/dense.h"
#include "math/simd/lane.h"
#include "math/sparse.h"

#include <mujoco/mujoco.h>

// how many columns <= r share a row of J with column r; seen[c] == r marks them
static int countReached(int* seen, int r, cfPattern p, cfPattern pT) {
  CF_ASSERT(r >= 0 && r < pT.nr && p.nc == pT.nr);
  int count = 0;
  const int* rows = pT.colind + pT.rowadr[r];
  for (int k = 0; k < pT.rownnz[r]; k++) {
    // rows alike reach alike
    if (k > 0 && rows[k] == rows[k - 1] + 1 && p.rowsuper && p.rowsuper[rows[k - 1]] > 0) {
      continue;
    }
    const int* ind = p.colind + p.rowadr[rows[k]];
    const int* end = ind + p.rownnz[rows[k]];
    for (; ind < end && *ind <= r; ind++) {
      count += seen[*ind] != r;
      seen[*ind] = r;
    }
  }
  return count;
}


// a supernode's row has the columns of the row before it and its own diagonal
static int continuesSuper(cfPattern pT, int r) {
  return r > 0 && pT.rowsuper && pT.rowsuper[r - 1] > 0;
}


int cfi_sqrMatTDSparseCount(cfPattern p, cfPattern pT, mjData* d) {
  CF_ASSERT(p.nr == pT.nc && p.nc == pT.nr);
  const int n = pT.nr;
  int total = 0, count = 0;
  mj_markStack(d);
  int* seen = mj_stackAllocInt(d, n);
  cfi_fillInt(seen, -1, n);
  for (int r = 0; r < n; r++) {
    count = continuesSuper(pT, r) ? count + (pT.rownnz[r] > 0) : countReached(seen, r, p, pT);
    total += count;
  }
  mj_freeStack(d);
  return total;
}


// weighted copy of the rows of J, rows of weight zero left undefined
static const mjtNum* weightRows(const mjtNum* mat, cfPattern p, const mjtNum* diag, mjData* d) {
  CF_ASSERT(p.nr >= 0);
  if (!diag) {
    return mat;
  }
  int end = 0;
  for (int t = 0; t < p.nr; t++) {
    const int row_end = p.rowadr[t] + p.rownnz[t];
    end = row_end > end ? row_end : end;
  }
  mjtNum* weighted = mj_stackAllocNum(d, end);
  for (int t = 0; t < p.nr; t++) {
    const int adr = p.rowadr[t];
    for (int k = adr; diag[t] != 0 && k < adr + p.rownnz[t]; k++) {
      weighted[k] = diag[t] * mat[k];
    }
  }
  return weighted;
}


// diagonal entry: column r of J with itself
static mjtNum squareColumn(const mjtNum* matT, cfPattern pT, const mjtNum* diag, int r) {
  CF_ASSERT_INDEX(r, pT.nr);
  const mjtNum* x = matT + pT.rowadr[r];
  const int *rows = pT.colind + pT.rowadr[r], nnz = pT.rownnz[r];
  if (!diag) {
    return cfi_dot(x, x, nnz);
  }
  mjtNum sum = 0;
  for (int k = 0; k < nnz; k++) {
    sum += (x[k] * x[k]) * diag[rows[k]];
  }
  return sum;
}


// what stays the same while the rows of a result are computed
typedef struct {
  const mjtNum *matT, *weighted, *diag;
  cfPattern p, pT;
} cfSquare;


// result row r in the dense accumulator, columns < r
static void accumulateRow(mjtNum* acc, const cfSquare* s, int r) {
  const int adr = s->pT.rowadr[r];
  for (int k = adr; k < adr + s->pT.rownnz[r]; k++) {
    const int t = s->pT.colind[k];
    if (s->diag && s->diag[t] == 0) {
      continue;
    }
    const mjtNum x = s->matT[k], *row = s->weighted + s->p.rowadr[t];
    const int* ind = s->p.colind + s->p.rowadr[t];
    for (int i = 0; i < s->p.rownnz[t] && ind[i] < r; i++) {
      acc[ind[i]] += x * row[i];
    }
  }
}


// rows of J that column r has from place *k of its list on, alike and of weight other than zero: up
// to four; moves *k behind them
typedef struct {
  int place[4];  // in the list of the column
  int count;
} cfAlike;

static cfAlike nextAlike(const cfSquare* s, int r, int* k) {
  const int *rows = s->pT.colind + s->pT.rowadr[r], n = s->pT.rownnz[r];
  cfAlike alike = {{0}, 0};
  do {
    if (!s->diag || s->diag[rows[*k]] != 0) {
      alike.place[alike.count++] = *k;
    }
    ++*k;
  } while (alike.count < 4 && *k < n && rows[*k] == rows[*k - 1] + 1 && s->p.rowsuper &&
           s->p.rowsuper[rows[*k - 1]] > 0);
  return alike;
}


// what a row of J brings to the rows of a lane
typedef struct {
  cfLane x;           // its entries at their columns
  const mjtNum* row;  // its weighted entries
} cfLaneTerm;


// acc += the terms, column by column up to `last`
static inline void addTerms(mjtNum* acc, const cfLaneTerm term[4], int count, const int* ind,
                            int nnz, int last) {
  for (int i = 0; i < nnz && ind[i] < last; i++) {
    mjtNum* place = acc + 4 * (size_t)ind[i];
    cfLane sum = cfi_laneLoad(place);
    for (int g = 0; g < count; g++) {
      sum = cfi_laneAddMul(sum, term[g].x, cfi_laneSpread(term[g].row[i]));
    }
    cfi_laneStore(place, sum);
  }
}


// result rows r..r+width-1 (one supernode) in an accumulator of four numbers per column
static void accumulateLane(mjtNum* acc, const cfSquare* s, int r, int width) {
  CF_ASSERT(width > 0 && width <= 4);
  const int* rows = s->pT.colind + s->pT.rowadr[r];
  const mjtNum* column[4];
  for (int w = 0; w < 4; w++) {
    column[w] = s->matT + s->pT.rowadr[w < width ? r + w : r];
  }
  for (int k = 0; k < s->pT.rownnz[r];) {
    const cfAlike alike = nextAlike(s, r, &k);
    cfLaneTerm term[4];
    for (int g = 0; g < alike.count; g++) {
      const int at = alike.place[g];
      term[g].x = cfi_laneSet(column[0][at], column[1][at], width > 2 ? column[2][at] : 0,
                              width > 3 ? column[3][at] : 0);
      term[g].row = s->weighted + s->p.rowadr[rows[at]];
    }
    if (alike.count > 0) {
      const int t = rows[alike.place[0]];
      const int *ind = s->p.colind + s->p.rowadr[t], nnz = s->p.rownnz[t], last = r + width - 1;
      if (alike.count == 4) {
        addTerms(acc, term, 4, ind, nnz, last);
      } else {
        addTerms(acc, term, alike.count, ind, nnz, last);
      }
    }
  }
}


// move row r out of the accumulator (column c at acc[step*c]) into its entries below the diagonal
static void takeRow(mjtNum* res, cfPattern res_p, int r, const mjtNum* acc, int step,
                    const cfSquare* s) {
  const int adr = res_p.rowadr[r];
  for (int k = adr; k < adr + res_p.rownnz[r] && res_p.colind[k] <= r; k++) {
    const int c = res_p.colind[k];
    res[k] = c < r ? acc[(size_t)step * c] : squareColumn(s->matT, s->pT, s->diag, r);
  }
}


// clear the columns that rows first..last may have touched
static void clearColumns(mjtNum* acc, int step, cfPattern res_p, int first, int last) {
  CF_ASSERT(first <= last);
  const int adr = res_p.rowadr[last], width = last - first + 1;
  for (int k = adr; k < adr + res_p.rownnz[last] && res_p.colind[k] <= last; k++) {
    for (int w = 0; w < width; w++) {
      acc[(size_t)step * res_p.colind[k] + w] = 0;
    }
  }
}


void cfi_sqrMatTDSparseValues(mjtNum* res, cfPattern res_p, const mjtNum* diag, const mjtNum* mat,
                              cfPattern p, const mjtNum* matT, cfPattern pT, mjData* d) {
  CF_ASSERT(res_p.nr == pT.nr && p.nr == pT.nc);
  const int n = pT.nr;
  mj_markStack(d);
  const cfSquare s = {matT, weightRows(mat, p, diag, d), diag, p, pT};
  mjtNum* acc = mj_stackAllocNum(d, 4 * (size_t)n);
  cfi_zero(acc, 4 * n);

  for (int r = 0; r < n;) {
    int width = pT.rowsuper ? pT.rowsuper[r] + 1 : 1;
    width = width < 4 ? width : 4;
    const int step = width == 1 ? 1 : 4;
    if (width == 1) {
      accumulateRow(acc, &s, r);
    } else {
      accumulateLane(acc, &s, r, width);
    }
    for (int w = 0; w < width; w++) {
      takeRow(res, res_p, r + w, acc + w, step, &s);
    }
    clearColumns(acc, step, res_p, r, r + width - 1);
    r += width;
  }
  mj_freeStack(d);
}
