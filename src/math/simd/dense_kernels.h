// Dense kernels over lanes of four.  Included twice, with vector lanes (lanes.c) and with scalar
// lanes (scalar.c); CF_KERNEL names the copy.
//
// Order of sums: element k of a dot product belongs to partial sum k%4, the partial sums are added
// as (0+2)+(1+3), then the last n%4 products are added up and the two are joined.  Every tile below
// keeps this order for every number it computes, so that tiles and single dot products agree.
#include <math.h>
#include <string.h>

#include <mujoco/mjmodel.h>

#include "base/assert.h"
#include "math/simd/kernels.h"
#include "math/simd/lane.h"

// sum of the last n%4 products; no loop, because compilers would vectorize it
static inline mjtNum tailDot(const mjtNum* a, const mjtNum* b, int count) {
  mjtNum sum = 0;
  if (count > 0) {
    sum = a[0] * b[0];
    sum = count > 1 ? sum + a[1] * b[1] : sum;
    sum = count > 2 ? sum + a[2] * b[2] : sum;
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
    res[k] = (((res[k] + row[0][k] * weight[0]) + row[1][k] * weight[1]) + row[2][k] * weight[2]) +
             row[3][k] * weight[3];
  }
}


void CF_KERNEL(addToScl)(mjtNum* res, const mjtNum* vec, mjtNum scl, int n) {
  const cfLane s = cfi_laneSpread(scl);
  int k = 0;
  for (; k + 8 <= n; k += 8) {
    const cfLane low = cfi_laneAddMul(cfi_laneLoad(res + k), cfi_laneLoad(vec + k), s);
    const cfLane high = cfi_laneAddMul(cfi_laneLoad(res + k + 4), cfi_laneLoad(vec + k + 4), s);
    cfi_laneStore(res + k, low);
    cfi_laneStore(res + k + 4, high);
  }
  if (k + 4 <= n) {
    cfi_laneStore(res + k, cfi_laneAddMul(cfi_laneLoad(res + k), cfi_laneLoad(vec + k), s));
    k += 4;
  }
  switch (n - k) {
    case 3:
      res[k + 2] += vec[k + 2] * scl;
      // fall through
    case 2:
      res[k + 1] += vec[k + 1] * scl;
      // fall through
    case 1:
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


//------------------------------ Cholesky, L*L'
//------------------------------------------------------
// Columns go in blocks of four, rows in tiles of four.  The products with finished columns (a
// multiple of four) are taken for a whole 4x4 tile at once, lane = row.  The time of a small
// factorization is the chain of its pivots, so a diagonal block is eliminated without roots (the
// next pivot needs one division, not a root and a division), and the next diagonal block is started
// before the tiles that do not need it.

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


// eliminate a block of v (v[c][r] is entry (r,c)) and write its columns to the rows at column done;
// returns how many pivots were too small
static inline int eliminateBlock(mjtNum v[4][4], mjtNum* const row[4], int width, int done,
                                 mjtNum mindiag, mjtNum inverse[4]) {
  int deficient = 0;
  for (int c = 0; c < width; c++) {
    mjtNum pivot = v[c][c];
    if (pivot < mindiag) {
      pivot = mindiag;
      deficient++;
    }

    // what the next pivots need
    const mjtNum reciprocal = 1 / pivot;
    for (int k = c + 1; k < width; k++) {
      for (int r = k; r < width; r++) {
        v[k][r] -= v[c][r] * v[c][k] * reciprocal;
      }
    }

    // what the factor needs
    const mjtNum root = sqrt(pivot);
    inverse[c] = 1 / root;
    row[c][done + c] = root;
    for (int r = c + 1; r < width; r++) {
      row[r][done + c] = v[c][r] * inverse[c];
    }
  }
  return deficient;
}


// factor the diagonal block of size width at column done; returns how many pivots were too small
static inline int factorBlock(mjtNum* const block[4], int width, int done, mjtNum mindiag,
                              mjtNum inverse[4]) {
  cfLane product[4];
  mjtNum v[4][4];
  tileProducts(product, block, block, done);
  for (int c = 0; c < width; c++) {
    cfi_laneStore(v[c], product[c]);
    for (int r = c; r < width; r++) {
      v[c][r] = block[r][done + c] - v[c][r];
    }
  }
  // a constant width lets the compiler unroll the usual case
  return width == 4 ? eliminateBlock(v, block, 4, done, mindiag, inverse)
                    : eliminateBlock(v, block, width, done, mindiag, inverse);
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
  for (int c = 0; c < 4; c++) {
    x[c] = cfi_laneSub(x[c], sum[c]);
  }
  x[0] = cfi_laneMul(x[0], cfi_laneSpread(inverse[0]));
  x[1] = cfi_laneSubMul(x[1], x[0], cfi_laneSpread(l1[0]));
  x[2] = cfi_laneSubMul(x[2], x[0], cfi_laneSpread(l2[0]));
  x[3] = cfi_laneSubMul(x[3], x[0], cfi_laneSpread(l3[0]));
  x[1] = cfi_laneMul(x[1], cfi_laneSpread(inverse[1]));
  x[2] = cfi_laneSubMul(x[2], x[1], cfi_laneSpread(l2[1]));
  x[3] = cfi_laneSubMul(x[3], x[1], cfi_laneSpread(l3[1]));
  x[2] = cfi_laneMul(x[2], cfi_laneSpread(inverse[2]));
  x[3] = cfi_laneSubMul(x[3], x[2], cfi_laneSpread(l3[2]));
  x[3] = cfi_laneMul(x[3], cfi_laneSpread(inverse[3]));

  cfi_laneTranspose(x);
  for (int k = 0; k < count; k++) {
    cfi_laneStore(row[k] + done, x[k]);
  }
}


// a handful of rows: no tiles
static inline int factorSmall(mjtNum* mat, int n, mjtNum mindiag) {
  int rank = n;
  for (int c = 0; c < n; c++) {
    mjtNum* pivot_row = mat + c * n;
    mjtNum pivot = pivot_row[c];
    for (int k = 0; k < c; k++) {
      pivot -= pivot_row[k] * pivot_row[k];
    }
    if (pivot < mindiag) {
      pivot = mindiag;
      rank--;
    }
    pivot_row[c] = sqrt(pivot);
    const mjtNum inverse = 1 / pivot_row[c];
    for (mjtNum* row = pivot_row + n; row < mat + n * n; row += n) {
      mjtNum x = row[c];
      for (int k = 0; k < c; k++) {
        x -= row[k] * pivot_row[k];
      }
      row[c] = x * inverse;
    }
  }
  return rank;
}


int CF_KERNEL(cholFactor)(mjtNum* mat, int n, mjtNum mindiag) {
  if (n < 8) {
    return factorSmall(mat, n, mindiag);
  }
  mjtNum *block[4], *next[4], *row[4], inverse[2][4];
  tileRows(block, mat, n, 0);
  int rank = n - factorBlock(block, 4, 0, mindiag, inverse[0]);
  for (int done = 0, turn = 0; done + 4 < n; done += 4, turn = !turn) {
    // the rows of the next block first
    const int first = done + 4, width = n - first < 4 ? n - first : 4;
    tileRows(next, mat, n, first);
    factorTile(next, width, block, done, inverse[turn]);
    rank -= factorBlock(next, width, first, mindiag, inverse[!turn]);
    for (int later = first + 4; later < n; later += 4) {
      tileRows(row, mat, n, later);
      factorTile(row, n - later < 4 ? n - later : 4, block, done, inverse[turn]);
    }
    memcpy(block, next, sizeof(block));
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
      even = cfi_laneSubMul(even, cfi_laneLoad(row), cfi_laneSpread(x[r]));
      odd = cfi_laneSubMul(odd, cfi_laneLoad(row + n), cfi_laneSpread(x[r + 1]));
    }
    if (r < n) {
      even = cfi_laneSubMul(even, cfi_laneLoad(row), cfi_laneSpread(x[r]));
    }
    cfi_laneStore(x + first, cfi_laneAdd(even, odd));
    solveUpperBlock(x, L, n, first, 4);
  }
}


void CF_KERNEL(cholSolve)(mjtNum* x, const mjtNum* L, int n) {
  solveLower(x, L, n);
  solveUpper(x, L, n);
}


//------------------------------ rank-one update of L*L'
//---------------------------------------------
// With s = L^-1*x and g_k = sign + s_0^2 + ... + s_(k-1)^2 the factor of L*L' + sign*x*x' is
//   L'(k,k) = L(k,k)/a_k,  L'(r,k) = a_k*L(r,k) + b_k*w(r,k),  a_k^2 = g_k/g_(k+1),  b_k =
//   s_k*a_k/g_k
// where w(r,k) = x_r - s_0*L(r,0) - ... - s_(k-1)*L(r,k-1).  Roots and divisions are off the chain
// that leads from one column to the next.  Columns go in panels, whose s, a, b fit on the stack.

enum { CF_PANEL = 64 };

typedef struct {
  int first;                                     // first column
  mjtNum s[CF_PANEL], a[CF_PANEL], b[CF_PANEL];  // of the columns of the panel
} cfPanel;


// apply the first count columns (a multiple of four) of the panel to four rows, w in and out
static inline cfLane updateTile(mjtNum* const row[4], int nrow, const cfPanel* p, int count,
                                cfLane w) {
  for (int k = 0; k < count; k += 4) {
    cfLane x[4];
    for (int r = 0; r < 4; r++) {
      x[r] = cfi_laneLoad(row[r] + p->first + k);
    }
    cfi_laneTranspose(x);
    for (int c = 0; c < 4; c++) {
      const cfLane old = x[c];
      x[c] = cfi_laneAddMul(cfi_laneMul(cfi_laneSpread(p->a[k + c]), old),
                            cfi_laneSpread(p->b[k + c]), w);
      w = cfi_laneSubMul(w, cfi_laneSpread(p->s[k + c]), old);
    }
    cfi_laneTranspose(x);
    for (int r = 0; r < nrow; r++) {
      cfi_laneStore(row[r] + p->first + k, x[r]);
    }
  }
  return w;
}


// columns of the panel from k on for one of its own rows, then the row's diagonal; returns 1 when
// the new pivot is too small
static inline int updateDiagonal(mjtNum* row, cfPanel* p, int k, int r, mjtNum w, mjtNum* g) {
  for (; p->first + k < r; k++) {
    const mjtNum old = row[p->first + k];
    row[p->first + k] = p->a[k] * old + p->b[k] * w;
    w -= p->s[k] * old;
  }
  const mjtNum old = row[r], s = w / old, before = *g, after = before + s * s;
  mjtNum square = old * old * (after / before);
  const int deficient = square < mjMINVAL;
  square = deficient ? mjMINVAL : square;
  row[r] = sqrt(square);
  p->s[k] = s;
  p->a[k] = old / row[r];
  p->b[k] = s * p->a[k] / before;
  *g = after;
  return deficient;
}


int CF_KERNEL(cholUpdate)(mjtNum* mat, mjtNum* x, int n, mjtNum sign) {
  cfPanel p;
  int rank = n, start = 0;
  while (start < n && x[start] == 0) {
    start++;
  }
  mjtNum g = sign;
  for (p.first = start; p.first < n; p.first += CF_PANEL) {
    for (int top = p.first; top < n; top += 4) {
      mjtNum *row[4], w[4] = {0};
      const int nrow = n - top < 4 ? n - top : 4;
      const int before = top - p.first < CF_PANEL ? top - p.first : CF_PANEL;
      tileRows(row, mat, n, top);
      memcpy(w, x + top, sizeof(mjtNum) * (size_t)nrow);
      cfi_laneStore(w, updateTile(row, nrow, &p, before, cfi_laneLoad(w)));
      for (int r = 0; r < nrow; r++) {
        if (before < CF_PANEL) {
          rank -= updateDiagonal(row[r], &p, before, top + r, w[r], &g);
        } else {
          x[top + r] = w[r];
        }
      }
    }
  }
  return rank;
}


//------------------------------ J'*diag*J
//-----------------------------------------------------------
// Rows of J go in batches; rows whose weight is zero never enter one.  For each four rows of the
// result the batch is thinned to the rows of J that are not zero there, then 4x8 tiles of the
// result are summed in registers over the thinned batch, in the order of the rows.

enum { CF_BATCH = 64 };

typedef struct {
  int count;                      // rows of J in the batch
  const mjtNum* row[CF_BATCH];    // their first numbers
  mjtNum weight[CF_BATCH];        // their diagonal entries
  mjtNum tail[CF_BATCH][8];       // their last nc%8 numbers, zeros behind
  int picked;                     // rows not zero in the current four columns
  int which[CF_BATCH];            // their places in the batch
  const mjtNum* right[CF_BATCH];  // their first numbers
  mjtNum left[CF_BATCH][4];       // weight*row in the current four columns
} cfBatch;


// take up to CF_BATCH rows with non-zero weight, starting at r; returns the next row to look at
static inline int fillBatch(cfBatch* b, const mjtNum* mat, const mjtNum* diag, int r, int nr,
                            int nc) {
  const int whole = nc & ~7, rest = nc - whole;
  int count = 0;
  for (; r < nr && count < CF_BATCH; r++) {
    const mjtNum weight = diag ? diag[r] : 1;
    if (weight == 0) {
      continue;
    }
    const mjtNum* row = mat + (size_t)r * nc;
    b->row[count] = row;
    b->weight[count] = weight;
    if (rest > 0) {
      cfi_laneStore(b->tail[count], cfi_laneSpread(0));
      cfi_laneStore(b->tail[count] + 4, cfi_laneSpread(0));
      for (int k = 0; k < rest; k++) {
        b->tail[count][k] = row[whole + k];
      }
    }
    count++;
  }
  b->count = count;
  return r;
}


// row k of the batch, given its numbers in the current four columns: keep it unless they are zero
static inline int pickRow(cfBatch* b, int k, const mjtNum* x, int picked) {
  const cfLane numbers = cfi_laneLoad(x);
  cfi_laneStore(b->left[picked], cfi_laneMul(numbers, cfi_laneSpread(b->weight[k])));
  b->which[picked] = k;
  b->right[picked] = b->row[k];
  return picked + cfi_laneAny(numbers);
}


// keep the rows that are not zero in columns first..first+3
static inline void pickRows(cfBatch* b, int first, int nc) {
  const int whole = nc & ~7;
  int picked = 0;
  if (first < whole) {
    for (int k = 0; k < b->count; k++) {
      picked = pickRow(b, k, b->row[k] + first, picked);
    }
  } else {
    for (int k = 0; k < b->count; k++) {
      picked = pickRow(b, k, b->tail[k] + (first - whole), picked);
    }
  }
  b->picked = picked;
}


// tile (four rows of 8 numbers) = or += sum of left[k]*right[k] over the picked rows, 8 numbers of
// right from the given column on
static inline void sumTile(mjtNum* const t[4], int is_new, const cfBatch* b,
                           const mjtNum* const* right, int column) {
  cfLane a0 = cfi_laneSpread(0), a1 = a0, a2 = a0, a3 = a0, b0 = a0, b1 = a0, b2 = a0, b3 = a0;
  if (!is_new) {
    a0 = cfi_laneLoad(t[0]), b0 = cfi_laneLoad(t[0] + 4);
    a1 = cfi_laneLoad(t[1]), b1 = cfi_laneLoad(t[1] + 4);
    a2 = cfi_laneLoad(t[2]), b2 = cfi_laneLoad(t[2] + 4);
    a3 = cfi_laneLoad(t[3]), b3 = cfi_laneLoad(t[3] + 4);
  }
  const mjtNum* left = b->left[0];
  for (int k = 0; k < b->picked; k++, left += 4) {
    const mjtNum* x = right[k] + column;
    const cfLane x0 = cfi_laneLoad(x), x1 = cfi_laneLoad(x + 4);
    cfLane w = cfi_laneSpread(left[0]);
    a0 = cfi_laneAddMul(a0, x0, w), b0 = cfi_laneAddMul(b0, x1, w);
    w = cfi_laneSpread(left[1]);
    a1 = cfi_laneAddMul(a1, x0, w), b1 = cfi_laneAddMul(b1, x1, w);
    w = cfi_laneSpread(left[2]);
    a2 = cfi_laneAddMul(a2, x0, w), b2 = cfi_laneAddMul(b2, x1, w);
    w = cfi_laneSpread(left[3]);
    a3 = cfi_laneAddMul(a3, x0, w), b3 = cfi_laneAddMul(b3, x1, w);
  }
  cfi_laneStore(t[0], a0), cfi_laneStore(t[0] + 4, b0);
  cfi_laneStore(t[1], a1), cfi_laneStore(t[1] + 4, b1);
  cfi_laneStore(t[2], a2), cfi_laneStore(t[2] + 4, b2);
  cfi_laneStore(t[3], a3), cfi_laneStore(t[3] + 4, b3);
}


// the columns at the right edge, cut: summed aside
static inline void sumCutTile(mjtNum* const t[4], int ncol, int is_new, const cfBatch* b) {
  mjtNum aside[4][8] = {{0}};
  mjtNum* const rows[4] = {aside[0], aside[1], aside[2], aside[3]};
  const mjtNum* right[CF_BATCH];
  for (int k = 0; k < b->picked; k++) {
    right[k] = b->tail[b->which[k]];
  }
  for (int c = 0; !is_new && c < 4 * ncol; c++) {
    aside[c & 3][c >> 2] = t[c & 3][c >> 2];
  }
  sumTile(rows, 0, b, right, 0);
  for (int c = 0; c < 4 * ncol; c++) {
    t[c & 3][c >> 2] = aside[c & 3][c >> 2];
  }
}


// add a batch to four rows of the lower triangle
static inline void addBatch(mjtNum* res, int nc, int first, int is_new, const cfBatch* b) {
  mjtNum spare[8] = {0}, *t[4];
  for (int column = 0; column < nc && column < first + 4; column += 8) {
    // rows behind the last one go to a spare place
    for (int k = 0; k < 4; k++) {
      t[k] = first + k < nc ? res + (size_t)(first + k) * nc + column : spare;
    }
    if (column + 8 <= nc) {
      sumTile(t, is_new, b, b->right, column);
    } else {
      sumCutTile(t, nc - column, is_new, b);
    }
  }
}


void CF_KERNEL(sqrMatTD)(mjtNum* res, const mjtNum* mat, const mjtNum* diag, int nr, int nc) {
  cfBatch b;
  int r = 0, is_new = 1;
  do {
    r = fillBatch(&b, mat, diag, r, nr, nc);
    for (int first = 0; first < nc; first += 4) {
      pickRows(&b, first, nc);
      if (is_new || b.picked) {
        addBatch(res, nc, first, is_new, &b);
      }
    }
    is_new = 0;
  } while (r < nr);
}
