// Sparse L'DL in blocks.
#include "solver/blockldl.h"

#include <stddef.h>

#include "base/assert.h"
#include "math/dense.h"
#include "math/simd/lane.h"

// rows 2*half and 2*half+1 of each accumulated block -= those of U' times blocks first..last of L
static inline void subtractHalf(mjtNum* acc, const mjtNum U[CF_BLOCK_SIZE], int half,
                                const mjtNum* L, const int* col, int count) {
  const mjtNum* u = U + 2 * half;
  const cfLane u0 = cfi_laneSpread(u[0]), v0 = cfi_laneSpread(u[1]);
  const cfLane u1 = cfi_laneSpread(u[4]), v1 = cfi_laneSpread(u[5]);
  const cfLane u2 = cfi_laneSpread(u[8]), v2 = cfi_laneSpread(u[9]);
  const cfLane u3 = cfi_laneSpread(u[12]), v3 = cfi_laneSpread(u[13]);
  for (int k = 0; k < count; k++, L += CF_BLOCK_SIZE) {
    mjtNum* to = acc + (size_t)CF_BLOCK_SIZE * col[k] + 2 * CF_BLOCK_SIDE * half;
    cfLane a = cfi_laneLoad(to), b = cfi_laneLoad(to + 4), x = cfi_laneLoad(L);
    a = cfi_laneSubMul(a, u0, x), b = cfi_laneSubMul(b, v0, x);
    x = cfi_laneLoad(L + 4);
    a = cfi_laneSubMul(a, u1, x), b = cfi_laneSubMul(b, v1, x);
    x = cfi_laneLoad(L + 8);
    a = cfi_laneSubMul(a, u2, x), b = cfi_laneSubMul(b, v2, x);
    x = cfi_laneLoad(L + 12);
    a = cfi_laneSubMul(a, u3, x), b = cfi_laneSubMul(b, v3, x);
    cfi_laneStore(to, a);
    cfi_laneStore(to + 4, b);
  }
}


// all updates of a row of blocks: from the rows below it that have its column
static void updateBlockRow(const cfBlockLDL* f, int row, mjtNum* acc) {
  const cfSparseChol* s = f->pattern;
  for (int k = s->coladr[row]; k < s->coladr[row] + s->colnnz[row]; k++) {
    const int from = s->rowind[k], first = s->rowadr[from], count = s->place[k] - first + 1;
    const mjtNum *own = f->L + (size_t)CF_BLOCK_SIZE * s->place[k], *d = f->diag + 4 * from;
    CF_ASSERT(from > row && count > 0);
    mjtNum U[CF_BLOCK_SIZE];
    for (int r = 0; r < CF_BLOCK_SIDE; r++) {
      cfi_laneStore(U + 4 * r, cfi_laneMul(cfi_laneSpread(d[r]), cfi_laneLoad(own + 4 * r)));
    }
    const mjtNum* L = f->L + (size_t)CF_BLOCK_SIZE * first;
    subtractHalf(acc, U, 0, L, s->colind + first, count);
    subtractHalf(acc, U, 1, L, s->colind + first, count);
  }
}


// factor a diagonal block of which the lower triangle is given; returns how many pivots were raised
static int factorPivots(mjtNum L[CF_BLOCK_SIZE], const mjtNum S[CF_BLOCK_SIZE], mjtNum* diag,
                        mjtNum* diag_inv, mjtNum minimum) {
  mjtNum rest[CF_BLOCK_SIZE];
  int nraised = 0;
  CF_ASSERT(minimum > 0);
  cfi_copy(rest, S, CF_BLOCK_SIZE);
  cfi_zero(L, CF_BLOCK_SIZE);
  for (int k = CF_BLOCK_SIDE - 1; k >= 0; k--) {
    const mjtNum *row = rest + CF_BLOCK_SIDE * k, pivot = row[k];
    nraised += pivot < minimum;
    diag[k] = pivot < minimum ? minimum : pivot;
    diag_inv[k] = 1 / diag[k];
    for (int j = 0; j < k; j++) {
      const mjtNum weight = L[CF_BLOCK_SIDE * k + j] = row[j] * diag_inv[k];
      for (int c = 0; c <= j; c++) {
        rest[CF_BLOCK_SIDE * j + c] -= weight * row[c];
      }
    }
  }
  return nraised;
}


// a block left of the diagonal: D^-1 L'^-1 S, L and D those of its diagonal block
static inline void finishBlock(mjtNum* to, const mjtNum* S, const mjtNum* L,
                               const mjtNum* diag_inv) {
  const cfLane x3 = cfi_laneLoad(S + 12);
  const cfLane x2 = cfi_laneSubMul(cfi_laneLoad(S + 8), cfi_laneSpread(L[14]), x3);
  cfLane x1 = cfi_laneSubMul(cfi_laneLoad(S + 4), cfi_laneSpread(L[13]), x3);
  x1 = cfi_laneSubMul(x1, cfi_laneSpread(L[9]), x2);
  cfLane x0 = cfi_laneSubMul(cfi_laneLoad(S), cfi_laneSpread(L[12]), x3);
  x0 = cfi_laneSubMul(x0, cfi_laneSpread(L[8]), x2);
  x0 = cfi_laneSubMul(x0, cfi_laneSpread(L[4]), x1);
  cfi_laneStore(to, cfi_laneMul(x0, cfi_laneSpread(diag_inv[0])));
  cfi_laneStore(to + 4, cfi_laneMul(x1, cfi_laneSpread(diag_inv[1])));
  cfi_laneStore(to + 8, cfi_laneMul(x2, cfi_laneSpread(diag_inv[2])));
  cfi_laneStore(to + 12, cfi_laneMul(x3, cfi_laneSpread(diag_inv[3])));
}


int cfi_factorBlocks(cfBlockLDL* f, const mjtNum* mat, mjtNum minimum, mjtNum* scratch) {
  const cfSparseChol* s = f->pattern;
  int rank = CF_BLOCK_SIDE * s->n;
  CF_ASSERT(s->n > 0);
  for (int r = s->n - 1; r >= 0; r--) {
    const int first = s->rowadr[r], off = s->rownnz[r] - 1, *col = s->colind + first;
    const mjtNum* source = mat + (size_t)CF_BLOCK_SIZE * first;
    for (int k = 0; k <= off; k++) {
      cfi_copy(scratch + (size_t)CF_BLOCK_SIZE * col[k], source + CF_BLOCK_SIZE * k, CF_BLOCK_SIZE);
    }
    updateBlockRow(f, r, scratch);

    mjtNum *row = f->L + (size_t)CF_BLOCK_SIZE * first, *diagonal = row + CF_BLOCK_SIZE * off;
    mjtNum *diag = f->diag + 4 * r, *diag_inv = f->diag_inv + 4 * r;
    rank -= factorPivots(diagonal, scratch + (size_t)CF_BLOCK_SIZE * r, diag, diag_inv, minimum);
    for (int k = 0; k < off; k++) {
      finishBlock(row + CF_BLOCK_SIZE * k, scratch + (size_t)CF_BLOCK_SIZE * col[k], diagonal,
                  diag_inv);
    }
  }
  return rank;
}


// v -= p*row, then row += b*v, over the blocks of a row
static inline void rotateBlocks(mjtNum* row, mjtNum* v, mjtNum p, mjtNum b, const int* col, int n) {
  const cfLane lp = cfi_laneSpread(p), lb = cfi_laneSpread(b);
  for (int k = 0; k < n; k++, row += CF_BLOCK_SIZE) {
    mjtNum* to = v + CF_BLOCK_SIDE * col[k];
    const cfLane l = cfi_laneLoad(row), x = cfi_laneSubMul(cfi_laneLoad(to), lp, l);
    cfi_laneStore(to, x);
    cfi_laneStore(row, cfi_laneAddMul(l, lb, x));
  }
}


// Gill, Golub, Murray, Saunders 1974, method C1, from the last row up
bool cfi_updateBlocks(cfBlockLDL* f, mjtNum* v, mjtNum sign) {
  const cfSparseChol* s = f->pattern;
  CF_ASSERT(sign == 1 || sign == -1);
  mjtNum weight = sign;
  bool is_sound = true;
  for (int k = CF_BLOCK_SIDE * s->n - 1; k >= 0; k--) {
    const mjtNum p = v[k];
    if (p == 0) {
      continue;
    }

    // the diagonal of a row is stored as zero and what follows it too: v behind k stays as it is
    v[k] = 0;
    const mjtNum ratio = 1 + weight * p * p * f->diag_inv[k];
    is_sound = is_sound && ratio >= 1e-4;
    if (!is_sound) {
      continue;
    }
    const int row = k >> 2, first = s->rowadr[row];
    const mjtNum new_inverse = f->diag_inv[k] / ratio;
    rotateBlocks(f->L + (size_t)CF_BLOCK_SIZE * first + CF_BLOCK_SIDE * (k & 3), v, p,
                 weight * p * new_inverse, s->colind + first, s->rownnz[row]);
    weight /= ratio;
    f->diag_inv[k] = new_inverse;
    f->diag[k] *= ratio;
  }
  return is_sound;
}


// x -= L' of a row of blocks times its own part of x: inside the diagonal block first
static void eliminateBlocks(mjtNum* x, const mjtNum* L, const int* col, int off) {
  const mjtNum* own = L + (size_t)CF_BLOCK_SIZE * off;
  mjtNum* here = x + CF_BLOCK_SIDE * col[off];
  CF_ASSERT(off >= 0);
  const mjtNum x3 = here[3], x2 = here[2] - own[14] * x3;
  const mjtNum x1 = here[1] - own[13] * x3 - own[9] * x2;
  const mjtNum x0 = here[0] - own[12] * x3 - own[8] * x2 - own[4] * x1;
  cfi_laneStore(here, cfi_laneSet(x0, x1, x2, x3));
  const cfLane w0 = cfi_laneSpread(x0), w1 = cfi_laneSpread(x1);
  const cfLane w2 = cfi_laneSpread(x2), w3 = cfi_laneSpread(x3);
  for (int k = 0; k < off; k++, L += CF_BLOCK_SIZE) {
    mjtNum* to = x + CF_BLOCK_SIDE * col[k];
    cfLane rest = cfi_laneSubMul(cfi_laneLoad(to), w3, cfi_laneLoad(L + 12));
    rest = cfi_laneSubMul(rest, w2, cfi_laneLoad(L + 8));
    rest = cfi_laneSubMul(rest, w1, cfi_laneLoad(L + 4));
    cfi_laneStore(to, cfi_laneSubMul(rest, w0, cfi_laneLoad(L)));
  }
}


// x of a row of blocks = D^-1 x - L times what is known, then inside the diagonal block
static void substituteBlocks(mjtNum* x, const mjtNum* L, const mjtNum* diag_inv, const int* col,
                             int off) {
  cfLane s0 = cfi_laneSpread(0), s1 = s0, s2 = s0, s3 = s0;
  mjtNum *here = x + CF_BLOCK_SIDE * col[off], y[4];
  CF_ASSERT(off >= 0);
  for (int k = 0; k < off; k++, L += CF_BLOCK_SIZE) {
    const cfLane known = cfi_laneLoad(x + CF_BLOCK_SIDE * col[k]);
    s0 = cfi_laneAddMul(s0, cfi_laneLoad(L), known);
    s1 = cfi_laneAddMul(s1, cfi_laneLoad(L + 4), known);
    s2 = cfi_laneAddMul(s2, cfi_laneLoad(L + 8), known);
    s3 = cfi_laneAddMul(s3, cfi_laneLoad(L + 12), known);
  }
  const cfLane scaled = cfi_laneMul(cfi_laneLoad(here), cfi_laneLoad(diag_inv));
  cfi_laneStore(y, cfi_laneSub(scaled, cfi_laneSum4(s0, s1, s2, s3)));
  y[1] -= L[4] * y[0];
  y[2] -= L[8] * y[0] + L[9] * y[1];
  y[3] -= L[12] * y[0] + L[13] * y[1] + L[14] * y[2];
  cfi_laneStore(here, cfi_laneSet(y[0], y[1], y[2], y[3]));
}


void cfi_solveBlocks(mjtNum* x, const cfBlockLDL* f) {
  const cfSparseChol* s = f->pattern;
  CF_ASSERT(s->n > 0);
  for (int r = s->n - 1; r >= 0; r--) {
    const int first = s->rowadr[r];
    eliminateBlocks(x, f->L + (size_t)CF_BLOCK_SIZE * first, s->colind + first, s->rownnz[r] - 1);
  }
  for (int r = 0; r < s->n; r++) {
    const int first = s->rowadr[r];
    substituteBlocks(x, f->L + (size_t)CF_BLOCK_SIZE * first, f->diag_inv + 4 * r,
                     s->colind + first, s->rownnz[r] - 1);
  }
}
