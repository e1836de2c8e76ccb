// Dense kernels over lanes of four.  Included twice, with vector lanes (lanes.c) and with scalar
// lanes (scalar.c); CF_KERNEL names the copy.
//
// Order of sums: element k of a dot product belongs to partial sum k%4, the partial sums are added
// as (0+2)+(1+3), then the last n%4 products are added up and the two are joined.  Every tile below
// keeps this order for every number it computes, so that tiles and single dot products agree.
#include <math.h>
#include <string.h>

#include "base/assert.h"
#include "math/simd/kernels.h"
#include "math/simd/lane.h"

// sum of the last n%4 products
static inline mjtNum tailDot(const mjtNum* a, const mjtNum* b, int count) {
  mjtNum sum = 0;
  for (int k = 0; k < count; k++) {
    sum += a[k] * b[k];
  }
  return sum;
}


mjtNum CF_KERNEL(dot)(const mjtNum* a, const mjtNum* b, int n) {
  cfLane sum = cfi_laneSpread(0);
  int k = 0;
  for (; k + 4 <= n; k += 4) {
    sum = cfi_laneAddMul(sum, cfi_laneLoad(a + k), cfi_laneLoad(b + k));
  }
  return cfi_laneSum(sum) + tailDot(a + k, b + k, n - k);
}


// dot products of four rows with one vector over the first n (a multiple of four) numbers
static inline cfLane dotFourRows(const mjtNum* const row[4], const mjtNum* vec, int n) {
  cfLane s0 = cfi_laneSpread(0), s1 = s0, s2 = s0, s3 = s0;
  for (int k = 0; k < n; k += 4) {
    const cfLane v = cfi_laneLoad(vec + k);
    s0 = cfi_laneAddMul(s0, cfi_laneLoad(row[0] + k), v);
    s1 = cfi_laneAddMul(s1, cfi_laneLoad(row[1] + k), v);
    s2 = cfi_laneAddMul(s2, cfi_laneLoad(row[2] + k), v);
    s3 = cfi_laneAddMul(s3, cfi_laneLoad(row[3] + k), v);
  }
  return cfi_laneSum4(s0, s1, s2, s3);
}


void CF_KERNEL(dotRows)(mjtNum* res, const mjtNum* mat, int stride, int nrow, const mjtNum* vec,
                        int n) {
  const int whole = n & ~3;
  int r = 0;
  for (; r + 4 <= nrow; r += 4) {
    const mjtNum* first = mat + (size_t)r * stride;
    const mjtNum* row[4] = {first, first + stride, first + 2 * stride, first + 3 * stride};
    mjtNum sum[4];
    cfi_laneStore(sum, dotFourRows(row, vec, whole));
    for (int k = 0; k < 4; k++) {
      res[r + k] = sum[k] + tailDot(row[k] + whole, vec + whole, n - whole);
    }
  }
  for (; r < nrow; r++) {
    res[r] = CF_KERNEL(dot)(mat + (size_t)r * stride, vec, n);
  }
}


// res += the weighted rows, in their order
static inline void addFourRows(mjtNum* res, const mjtNum* const row[4], const mjtNum weight[4],
                               int n) {
  const cfLane w0 = cfi_laneSpread(weight[0]), w1 = cfi_laneSpread(weight[1]);
  const cfLane w2 = cfi_laneSpread(weight[2]), w3 = cfi_laneSpread(weight[3]);
  int k = 0;
  for (; k + 4 <= n; k += 4) {
    cfLane sum = cfi_laneLoad(res + k);
    sum = cfi_laneAddMul(sum, cfi_laneLoad(row[0] + k), w0);
    sum = cfi_laneAddMul(sum, cfi_laneLoad(row[1] + k), w1);
    sum = cfi_laneAddMul(sum, cfi_laneLoad(row[2] + k), w2);
    sum = cfi_laneAddMul(sum, cfi_laneLoad(row[3] + k), w3);
    cfi_laneStore(res + k, sum);
  }
  for (; k < n; k++) {
    mjtNum sum = res[k];
    for (int r = 0; r < 4; r++) {
      sum += row[r][k] * weight[r];
    }
    res[k] = sum;
  }
}


void CF_KERNEL(addToScl)(mjtNum* res, const mjtNum* vec, mjtNum scl, int n) {
  const cfLane s = cfi_laneSpread(scl);
  int k = 0;
  for (; k + 4 <= n; k += 4) {
    cfi_laneStore(res + k, cfi_laneAddMul(cfi_laneLoad(res + k), cfi_laneLoad(vec + k), s));
  }
  for (; k < n; k++) {
    res[k] += vec[k] * scl;
  }
}


void CF_KERNEL(combineRows)(mjtNum* res, const mjtNum* weight, int step, const mjtNum* mat,
                            int stride, int nrow, int n) {
  const mjtNum* row[4];
  mjtNum w[4];
  int waiting = 0;
  memset(res, 0, (size_t)n * sizeof(mjtNum));

  // rows of weight zero drop out, the others go four by four
  for (int r = 0; r < nrow; r++) {
    const mjtNum x = weight[(size_t)r * step];
    if (x != 0) {
      row[waiting] = mat + (size_t)r * stride;
      w[waiting++] = x;
      if (waiting == 4) {
        addFourRows(res, row, w, n);
        waiting = 0;
      }
    }
  }
  for (int k = 0; k < waiting; k++) {
    CF_KERNEL(addToScl)(res, row[k], w[k], n);
  }
}


//------------------------------ Cholesky, L*L' ------------------------------------------------------
// Columns go in blocks of four, rows in tiles of four.  The products with finished columns (a
// multiple of four) are taken for a whole 4x4 tile at once, lane = row.

// pointers to rows first..first+3, the last row repeated where the matrix ends
static inline void tileRows(mjtNum* row[4], mjtNum* mat, int n, int first) {
  for (int k = 0; k < 4; k++) {
    const int r = first + k < n ? first + k : n - 1;
    row[k] = mat + (size_t)r * n;
  }
}


// product[c] = the four rows times row c of the block, over the first done columns
static inline void tileProducts(cfLane product[4], mjtNum* const row[4], mjtNum* const block[4],
                                int done) {
  for (int c = 0; c < 4; c += 2) {
    cfLane a0 = cfi_laneSpread(0), a1 = a0, a2 = a0, a3 = a0, b0 = a0, b1 = a0, b2 = a0, b3 = a0;
    for (int k = 0; k < done; k += 4) {
      const cfLane u = cfi_laneLoad(block[c] + k), v = cfi_laneLoad(block[c + 1] + k);
      cfLane x = cfi_laneLoad(row[0] + k);
      a0 = cfi_laneAddMul(a0, x, u), b0 = cfi_laneAddMul(b0, x, v);
      x = cfi_laneLoad(row[1] + k);
      a1 = cfi_laneAddMul(a1, x, u), b1 = cfi_laneAddMul(b1, x, v);
      x = cfi_laneLoad(row[2] + k);
      a2 = cfi_laneAddMul(a2, x, u), b2 = cfi_laneAddMul(b2, x, v);
      x = cfi_laneLoad(row[3] + k);
      a3 = cfi_laneAddMul(a3, x, u), b3 = cfi_laneAddMul(b3, x, v);
    }
    product[c] = cfi_laneSum4(a0, a1, a2, a3);
    product[c + 1] = cfi_laneSum4(b0, b1, b2, b3);
  }
}


// factor the diagonal block of size width at column done; returns how many pivots were too small
static inline int factorBlock(mjtNum* const block[4], int width, int done, mjtNum mindiag,
                              mjtNum inverse[4]) {
  cfLane product[4];
  mjtNum sum[4][4];
  tileProducts(product, block, block, done);
  for (int c = 0; c < 4; c++) {
    cfi_laneStore(sum[c], product[c]);
  }

  int deficient = 0;
  for (int c = 0; c < width; c++) {
    mjtNum* pivot_row = block[c] + done;
    mjtNum pivot = pivot_row[c] - (sum[c][c] + tailDot(pivot_row, pivot_row, c));
    if (pivot < mindiag) {
      pivot = mindiag;
      deficient++;
    }
    pivot_row[c] = sqrt(pivot);
    inverse[c] = 1 / pivot_row[c];
    for (int r = c + 1; r < width; r++) {
      mjtNum* x = block[r] + done;
      x[c] = (x[c] - (sum[c][r] + tailDot(x, pivot_row, c))) * inverse[c];
    }
  }
  return deficient;
}


// columns done..done+3 of four rows below a finished diagonal block
static inline void factorTile(mjtNum* const row[4], int count, mjtNum* const block[4], int done,
                              const mjtNum inverse[4]) {
  cfLane sum[4], x[4];
  tileProducts(sum, row, block, done);
  for (int k = 0; k < 4; k++) {
    x[k] = cfi_laneLoad(row[k] + done);
  }
  cfi_laneTranspose(x);

  // x[c] holds column c of the tile
  const mjtNum *l1 = block[1] + done, *l2 = block[2] + done, *l3 = block[3] + done;
  x[0] = cfi_laneMul(cfi_laneSub(x[0], sum[0]), cfi_laneSpread(inverse[0]));

  cfLane t = cfi_laneMul(x[0], cfi_laneSpread(l1[0]));
  x[1] = cfi_laneMul(cfi_laneSub(x[1], cfi_laneAdd(sum[1], t)), cfi_laneSpread(inverse[1]));

  t = cfi_laneMul(x[0], cfi_laneSpread(l2[0]));
  t = cfi_laneAddMul(t, x[1], cfi_laneSpread(l2[1]));
  x[2] = cfi_laneMul(cfi_laneSub(x[2], cfi_laneAdd(sum[2], t)), cfi_laneSpread(inverse[2]));

  t = cfi_laneMul(x[0], cfi_laneSpread(l3[0]));
  t = cfi_laneAddMul(t, x[1], cfi_laneSpread(l3[1]));
  t = cfi_laneAddMul(t, x[2], cfi_laneSpread(l3[2]));
  x[3] = cfi_laneMul(cfi_laneSub(x[3], cfi_laneAdd(sum[3], t)), cfi_laneSpread(inverse[3]));

  cfi_laneTranspose(x);
  for (int k = 0; k < count; k++) {
    cfi_laneStore(row[k] + done, x[k]);
  }
}


int CF_KERNEL(cholFactor)(mjtNum* mat, int n, mjtNum mindiag) {
  int rank = n;
  for (int done = 0; done < n; done += 4) {
    mjtNum *block[4], *row[4], inverse[4];
    tileRows(block, mat, n, done);
    rank -= factorBlock(block, n - done < 4 ? n - done : 4, done, mindiag, inverse);
    for (int first = done + 4; first < n; first += 4) {
      tileRows(row, mat, n, first);
      factorTile(row, n - first < 4 ? n - first : 4, block, done, inverse);
    }
  }
  return rank;
}


// L*x = x
static inline void solveLower(mjtNum* x, const mjtNum* L, int n) {
  int first = 0;
  for (; first + 4 <= n; first += 4) {
    const mjtNum* top = L + (size_t)first * n;
    const mjtNum* row[4] = {top, top + n, top + 2 * n, top + 3 * n};
    mjtNum sum[4];
    cfi_laneStore(sum, dotFourRows(row, x, first));
    for (int k = 0; k < 4; k++) {
      const mjtNum* diagonal = row[k] + first;
      x[first + k] = (x[first + k] - (sum[k] + tailDot(diagonal, x + first, k))) / diagonal[k];
    }
  }
  for (int r = first; r < n; r++) {
    const mjtNum* row = L + (size_t)r * n;
    x[r] = (x[r] - CF_KERNEL(dot)(row, x, r)) / row[r];
  }
}


// in-block part of L'*x = x for rows first..first+count-1
static inline void solveUpperBlock(mjtNum* x, const mjtNum* L, int n, int first, int count) {
  for (int c = first + count - 1; c >= first; c--) {
    for (int r = first + count - 1; r > c; r--) {
      x[c] -= L[(size_t)r * n + c] * x[r];
    }
    x[c] /= L[(size_t)c * n + c];
  }
}


// L'*x = x; four columns of L at a time, rows below them in two alternating sums
static inline void solveUpper(mjtNum* x, const mjtNum* L, int n) {
  const int whole = n & ~3;
  solveUpperBlock(x, L, n, whole, n - whole);
  for (int first = whole - 4; first >= 0; first -= 4) {
    cfLane even = cfi_laneLoad(x + first), odd = cfi_laneSpread(0);
    int r = first + 4;
    const mjtNum* row = L + (size_t)r * n + first;
    for (; r + 2 <= n; r += 2, row += 2 * n) {
      even = cfi_laneSub(even, cfi_laneMul(cfi_laneLoad(row), cfi_laneSpread(x[r])));
      odd = cfi_laneSub(odd, cfi_laneMul(cfi_laneLoad(row + n), cfi_laneSpread(x[r + 1])));
    }
    if (r < n) {
      even = cfi_laneSub(even, cfi_laneMul(cfi_laneLoad(row), cfi_laneSpread(x[r])));
    }
    cfi_laneStore(x + first, cfi_laneAdd(even, odd));
    solveUpperBlock(x, L, n, first, 4);
  }
}


void CF_KERNEL(cholSolve)(mjtNum* x, const mjtNum* L, int n) {
  solveLower(x, L, n);
  solveUpper(x, L, n);
}


//------------------------------ J'*diag*J -----------------------------------------------------------
// Rows of J go in batches; rows whose weight is zero never enter one.  For each four rows of the
// result the batch is thinned to the rows of J that are not zero there, then 4x8 tiles of the result
// are summed in registers over the thinned batch, in the order of the rows.

enum { CF_BATCH = 64 };

typedef struct {
  int count;                       // rows of J in the batch
  const mjtNum* row[CF_BATCH];     // their first numbers
  mjtNum weight[CF_BATCH];         // their diagonal entries
  mjtNum tail[CF_BATCH][8];        // their last nc%8 numbers, zeros behind
  int picked;                      // rows not zero in the current four columns
  int which[CF_BATCH];             // their places in the batch
  mjtNum left[CF_BATCH][4];        // weight*row in the current four columns
} cfBatch;


// take up to CF_BATCH rows with non-zero weight, starting at r; returns the next row to look at
static inline int fillBatch(cfBatch* b, const mjtNum* mat, const mjtNum* diag, int r, int nr,
                            int nc) {
  const int whole = nc & ~7;
  b->count = 0;
  for (; r < nr && b->count < CF_BATCH; r++) {
    const mjtNum weight = diag ? diag[r] : 1;
    if (weight != 0) {
      b->row[b->count] = mat + (size_t)r * nc;
      b->weight[b->count] = weight;
      for (int k = 0; k < 8; k++) {
        b->tail[b->count][k] = whole + k < nc ? b->row[b->count][whole + k] : 0;
      }
      b->count++;
    }
  }
  return r;
}


// keep the rows that are not zero in columns first..first+3
static inline void pickRows(cfBatch* b, int first, int nc) {
  const int whole = nc & ~7;
  b->picked = 0;
  for (int k = 0; k < b->count; k++) {
    const mjtNum* x = first < whole ? b->row[k] + first : b->tail[k] + first - whole;
    mjtNum* left = b->left[b->picked];
    cfi_laneStore(left, cfi_laneMul(cfi_laneLoad(x), cfi_laneSpread(b->weight[k])));
    b->which[b->picked] = k;
    b->picked += (x[0] != 0) | (x[1] != 0) | (x[2] != 0) | (x[3] != 0);
  }
}


// tile += sum of left[k]*right over the picked rows, right being 8 numbers of a row of J
static inline void sumTile(mjtNum tile[4][8], const cfBatch* b, int column, int whole) {
  cfLane s[4][2];
  for (int r = 0; r < 4; r++) {
    s[r][0] = cfi_laneLoad(tile[r]), s[r][1] = cfi_laneLoad(tile[r] + 4);
  }
  for (int k = 0; k < b->picked; k++) {
    const int at = b->which[k];
    const mjtNum* x = column < whole ? b->row[at] + column : b->tail[at];
    const cfLane x0 = cfi_laneLoad(x), x1 = cfi_laneLoad(x + 4);
    for (int r = 0; r < 4; r++) {
      const cfLane w = cfi_laneSpread(b->left[k][r]);
      s[r][0] = cfi_laneAddMul(s[r][0], x0, w);
      s[r][1] = cfi_laneAddMul(s[r][1], x1, w);
    }
  }
  for (int r = 0; r < 4; r++) {
    cfi_laneStore(tile[r], s[r][0]), cfi_laneStore(tile[r] + 4, s[r][1]);
  }
}


// move a tile, cut at the edges of the result, out of or into it
static inline void copyTile(mjtNum tile[4][8], mjtNum* res, int nc, int first, int column,
                            int into_result) {
  const int nrow = nc - first < 4 ? nc - first : 4, ncol = nc - column < 8 ? nc - column : 8;
  for (int r = 0; r < nrow; r++) {
    mjtNum* place = res + (size_t)(first + r) * nc + column;
    if (into_result) {
      memcpy(place, tile[r], (size_t)ncol * sizeof(mjtNum));
    } else {
      memcpy(tile[r], place, (size_t)ncol * sizeof(mjtNum));
    }
  }
}


void CF_KERNEL(sqrMatTD)(mjtNum* res, const mjtNum* mat, const mjtNum* diag, int nr, int nc) {
  const int whole = nc & ~7;
  cfBatch b;
  int r = 0;
  memset(res, 0, (size_t)nc * nc * sizeof(mjtNum));
  while (r < nr) {
    r = fillBatch(&b, mat, diag, r, nr, nc);
    for (int first = 0; first < nc; first += 4) {
      pickRows(&b, first, nc);
      for (int column = 0; b.picked && column < first + 4; column += 8) {
        mjtNum tile[4][8] = {{0}};
        copyTile(tile, res, nc, first, column, 0);
        sumTile(tile, &b, column, whole);
        copyTile(tile, res, nc, first, column, 1);
      }
    }
  }
}
