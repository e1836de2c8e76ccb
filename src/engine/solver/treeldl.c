// Dense L'DL with skipped zeros.
#include "solver/treeldl.h"

#include <stddef.h>

#include "base/assert.h"
#include "math/dense.h"
#include "math/simd/lane.h"
#include "solver/rowgroup.h"

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


// up to four pivots: the lower triangle of their own columns, what each takes from the rows above
// it, and inverses.  Names instead of arrays keep all of it in registers: a vector that is read
// where single numbers were stored has to wait for them
typedef struct {
  mjtNum a00, a10, a11, a20, a21, a22, a30, a31, a32, a33;
  mjtNum w10, w20, w21, w30, w31, w32;
  mjtNum i0, i1, i2, i3;
} cfPivots;


// at: first row in the columns of the block; count is a constant where this is inlined
static inline cfPivots loadPivots(const mjtNum* at, int stride, const int count) {
  const mjtNum *r1 = at + stride, *r2 = r1 + stride, *r3 = r2 + stride;
  cfPivots b = {.a00 = at[0]};
  if (count > 1) {
    b.a10 = r1[0], b.a11 = r1[1];
  }
  if (count > 2) {
    b.a20 = r2[0], b.a21 = r2[1], b.a22 = r2[2];
  }
  if (count > 3) {
    b.a30 = r3[0], b.a31 = r3[1], b.a32 = r3[2], b.a33 = r3[3];
  }
  return b;
}


// from the last pivot up, each leaves the rows above it
static inline void reducePivots(cfPivots* b, mjtNum minimum, int* rank, const int count) {
  if (count > 3) {
    b->i3 = invertPivot(b->a33, minimum, rank);
    b->w30 = b->a30 * b->i3, b->w31 = b->a31 * b->i3, b->w32 = b->a32 * b->i3;
    b->a00 -= b->w30 * b->a30;
    b->a10 -= b->w31 * b->a30, b->a11 -= b->w31 * b->a31;
    b->a20 -= b->w32 * b->a30, b->a21 -= b->w32 * b->a31, b->a22 -= b->w32 * b->a32;
  }
  if (count > 2) {
    b->i2 = invertPivot(b->a22, minimum, rank);
    b->w20 = b->a20 * b->i2, b->w21 = b->a21 * b->i2;
    b->a00 -= b->w20 * b->a20;
    b->a10 -= b->w21 * b->a20, b->a11 -= b->w21 * b->a21;
  }
  if (count > 1) {
    b->i1 = invertPivot(b->a11, minimum, rank);
    b->w10 = b->a10 * b->i1;
    b->a00 -= b->w10 * b->a10;
  }
  b->i0 = invertPivot(b->a00, minimum, rank);
}


// the same in the columns before the block, in one pass
static inline void reduceColumns(mjtNum* block, int top, int stride, const cfPivots* b,
                                 const int count) {
  mjtNum *r0 = block, *r1 = r0 + stride, *r2 = r1 + stride, *r3 = r2 + stride;
  for (int k = 0; count > 1 && k < top; k += 4) {
    cfLane x0 = cfi_laneLoad(r0 + k), x1 = cfi_laneLoad(r1 + k);
    if (count > 2) {
      cfLane x2 = cfi_laneLoad(r2 + k);
      if (count > 3) {
        const cfLane x3 = cfi_laneLoad(r3 + k);
        x0 = cfi_laneSubMul(x0, cfi_laneSpread(b->w30), x3);
        x1 = cfi_laneSubMul(x1, cfi_laneSpread(b->w31), x3);
        x2 = cfi_laneSubMul(x2, cfi_laneSpread(b->w32), x3);
        cfi_laneStore(r2 + k, x2);
      }
      x0 = cfi_laneSubMul(x0, cfi_laneSpread(b->w20), x2);
      x1 = cfi_laneSubMul(x1, cfi_laneSpread(b->w21), x2);
      cfi_laneStore(r1 + k, x1);
    }
    cfi_laneStore(r0 + k, cfi_laneSubMul(x0, cfi_laneSpread(b->w10), x1));
  }
}


// a row of L: the numbers before the block are scaled, those of the block are given
static inline void finishRow(mjtNum* row, int top, mjtNum scale, cfLane own) {
  const cfLane factor = cfi_laneSpread(scale);
  for (int k = 0; k < top; k += 4) {
    cfi_laneStore(row + k, cfi_laneMul(cfi_laneLoad(row + k), factor));
  }
  cfi_laneStore(row + top, own);
}


// the rows of a block and the inverses of its pivots
static inline void finishPivots(mjtNum* block, mjtNum* inverse, int top, int stride,
                                const cfPivots* b, const int count) {
  finishRow(block, top, b->i0, cfi_laneSpread(0));
  if (count > 1) {
    finishRow(block + stride, top, b->i1, cfi_laneSet(b->a10 * b->i1, 0, 0, 0));
  }
  if (count > 2) {
    const cfLane own = cfi_laneSet(b->a20 * b->i2, b->a21 * b->i2, 0, 0);
    finishRow(block + (size_t)2 * stride, top, b->i2, own);
  }
  if (count > 3) {
    const cfLane own = cfi_laneSet(b->a30 * b->i3, b->a31 * b->i3, b->a32 * b->i3, 0);
    finishRow(block + (size_t)3 * stride, top, b->i3, own);
    cfi_laneStore(inverse, cfi_laneSet(b->i0, b->i1, b->i2, b->i3));
    return;
  }
  inverse[0] = b->i0;
  if (count > 1) {
    inverse[1] = b->i1;
  }
  if (count > 2) {
    inverse[2] = b->i2;
  }
}


// eliminate with the pivots of one block: among themselves, from the rows before them in one pass,
// then they become rows of L
static inline void factorFew(cfTarget rest, mjtNum* diag_inv, mjtNum minimum, int* rank,
                             const int count) {
  const int top = rest.nv, stride = rest.stride;
  mjtNum* block = rest.H + (size_t)top * stride;
  cfPivots b = loadPivots(block + top, stride, count);
  reducePivots(&b, minimum, rank, count);
  if (top > 0) {
    reduceColumns(block, top, stride, &b, count);
    const mjtNum inverse[4] = {b.i0, b.i1, b.i2, b.i3};
    cfRowGroup group = {.count = count};
    for (int p = 0; p < count; p++) {
      const int at = count - 1 - p;
      group.J[p] = group.w[p] = block + (size_t)at * stride;
      group.scale[p] = -inverse[at];
    }
    cfi_addRowGroup(rest, &group);
  }
  finishPivots(block, diag_inv + top, top, stride, &b, count);
}


// four pivots at a time share the traffic of the rows that they change
int cfi_factorTreeLDL(mjtNum* mat, mjtNum* diag_inv, int n, int stride, mjtNum minimum) {
  CF_ASSERT(stride % 4 == 0 && stride >= n);
  int rank = n, top = n & ~3;
  const cfTarget rest = {mat, top, stride};
  switch (n - top) {
    case 1:
      factorFew(rest, diag_inv, minimum, &rank, 1);
      break;
    case 2:
      factorFew(rest, diag_inv, minimum, &rank, 2);
      break;
    case 3:
      factorFew(rest, diag_inv, minimum, &rank, 3);
      break;
    default:
      break;
  }
  for (top -= 4; top >= 0; top -= 4) {
    factorFew((cfTarget){mat, top, stride}, diag_inv, minimum, &rank, 4);
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


// one row of the change by Gill, Golub, Murray, Saunders 1974, method C1: what the rows before it
// need.  b is zero where the row stays as it is
typedef struct {
  mjtNum p, b;
} cfRotation;


// v[0] -= p*row, row += b*v[0] by the first, then the same with v[1] by the second
static inline void rotateTwice(mjtNum* row, mjtNum* v[2], cfRotation first, cfRotation second,
                               int n) {
  const cfLane p0 = cfi_laneSpread(first.p), b0 = cfi_laneSpread(first.b);
  const cfLane p1 = cfi_laneSpread(second.p), b1 = cfi_laneSpread(second.b);
  mjtNum *a = v[0], *b = v[1];
  for (int k = 0; k < n; k += 4) {
    cfLane l = cfi_laneLoad(row + k);
    const cfLane x = cfi_laneSubMul(cfi_laneLoad(a + k), p0, l);
    l = cfi_laneAddMul(l, b0, x);
    const cfLane y = cfi_laneSubMul(cfi_laneLoad(b + k), p1, l);
    cfi_laneStore(a + k, x);
    cfi_laneStore(b + k, y);
    cfi_laneStore(row + k, cfi_laneAddMul(l, b1, y));
  }
}


// false when the pivot loses too many digits
static inline bool rotatePivot(cfRotation* rotation, mjtNum* v, mjtNum* weight, mjtNum* inverse) {
  const mjtNum p = *v;
  *rotation = (cfRotation){p, 0};
  if (p == 0) {
    return true;
  }
  const mjtNum ratio = 1 + *weight * p * p * *inverse;
  const mjtNum new_inverse = *inverse / ratio;

  // the diagonal of a row is stored as zero and what follows it too: v behind it stays as it is
  *v = 0;
  rotation->b = *weight * p * new_inverse;
  *weight /= ratio;
  *inverse = new_inverse;
  return !(ratio < 1e-4);
}


// from the last row up
bool cfi_updateTreeLDL(mjtNum* L, mjtNum* diag_inv, mjtNum* v, mjtNum sign, int n, int stride) {
  CF_ASSERT(stride % 4 == 0 && (sign == 1 || sign == -1));
  mjtNum weight = sign;
  for (int k = n - 1; k >= 0; k--) {
    cfRotation r;
    if (!rotatePivot(&r, v + k, &weight, diag_inv + k)) {
      return false;
    }
    if (r.p != 0) {
      rotateRow(L + (size_t)k * stride, v, r.p, r.b, (k + 3) & ~3);
    }
  }
  return true;
}


// the second change follows the first row by row: each row is read and written once, and nobody
// waits for two chains of divisions one after the other
bool cfi_updateTwiceTreeLDL(mjtNum* L, mjtNum* diag_inv, mjtNum* v[2], const mjtNum sign[2], int n,
                            int stride) {
  CF_ASSERT(stride % 4 == 0 && v[0] != v[1]);
  mjtNum weight[2] = {sign[0], sign[1]}, *a = v[0], *b = v[1];
  for (int k = n - 1; k >= 0; k--) {
    cfRotation first, second;
    mjtNum* row = L + (size_t)k * stride;
    if (!rotatePivot(&first, a + k, weight, diag_inv + k) ||
        !rotatePivot(&second, b + k, weight + 1, diag_inv + k)) {
      return false;
    }
    if (first.p != 0 && second.p != 0) {
      rotateTwice(row, v, first, second, (k + 3) & ~3);
    } else if (first.p != 0) {
      rotateRow(row, a, first.p, first.b, (k + 3) & ~3);
    } else if (second.p != 0) {
      rotateRow(row, b, second.p, second.b, (k + 3) & ~3);
    }
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


// (a0 + x + a2) + (a1 + y + a3)
static inline mjtNum sumWithTwo(cfLane a, mjtNum x, mjtNum y) {
  return cfi_laneSum(cfi_laneAdd(a, cfi_laneSet(x, y, 0, 0)));
}


// products of a row left of the diagonal, by lanes; the numbers behind the last whole vector, of
// which k stand before the diagonal, are in registers
static inline mjtNum dotLower(const mjtNum* row, const mjtNum* x, int whole, const mjtNum tail[3],
                              const int k) {
  cfLane sum = cfi_laneSpread(0);
  for (int c = 0; c < whole; c += 4) {
    sum = cfi_laneAddMul(sum, cfi_laneLoad(row + c), cfi_laneLoad(x + c));
  }
  return k == 0 ? cfi_laneSum(sum)
                : sumWithTwo(sum, row[whole] * tail[0], k > 1 ? row[whole + 1] * tail[1] : 0);
}


// the numbers behind the last whole vector, one by one: each leaves those before it; count is a
// constant where this is inlined
static inline void eliminateTail(mjtNum tail[3], mjtNum* x, const mjtNum* last, int whole,
                                 int stride, const int count) {
  tail[0] = x[whole], tail[1] = count > 1 ? x[whole + 1] : 0, tail[2] = 0;
  if (count > 2) {
    const mjtNum* row = last + (size_t)2 * stride;
    tail[2] = x[whole + 2];
    tail[0] -= tail[2] * row[whole];
    tail[1] -= tail[2] * row[whole + 1];
    subtractOne(x, row, tail[2], whole);
  }
  if (count > 1) {
    tail[0] -= tail[1] * last[stride + whole];
    subtractOne(x, last + stride, tail[1], whole);
  }
  subtractOne(x, last, tail[0], whole);
}


// and is known once those before it are; they go back as one vector
static inline void substituteTail(mjtNum* x, const mjtNum tail[3], const mjtNum* last,
                                  const mjtNum* inverse, int whole, int stride, const int count) {
  mjtNum y[3] = {tail[0] * inverse[0] - dotLower(last, x, whole, tail, 0), 0, 0};
  if (count > 1) {
    y[1] = tail[1] * inverse[1] - dotLower(last + stride, x, whole, y, 1);
  }
  if (count > 2) {
    y[2] = tail[2] * inverse[2] - dotLower(last + (size_t)2 * stride, x, whole, y, 2);
  }
  cfi_laneStore(x + whole, cfi_laneSet(y[0], y[1], y[2], 0));
}


// L' from the last row up, then D and L from the first row down.  Four rows at a time x moves
// between memory and registers in whole vectors; the rows behind the last four go one by one
void cfi_solveTreeLDL(mjtNum* x, const mjtNum* L, const mjtNum* diag_inv, int n, int stride) {
  CF_ASSERT(stride % 4 == 0 && n <= stride);
  const int whole = n & ~3, count = n - whole;
  const mjtNum *last = L + (size_t)whole * stride, *inverse = diag_inv + whole;
  mjtNum tail[3] = {0};
  if (count == 1) {
    eliminateTail(tail, x, last, whole, stride, 1);
  } else if (count == 2) {
    eliminateTail(tail, x, last, whole, stride, 2);
  } else if (count == 3) {
    eliminateTail(tail, x, last, whole, stride, 3);
  }
  for (int top = whole - 4; top >= 0; top -= 4) {
    eliminateFour(x, L, top, stride);
  }
  for (int top = 0; top < whole; top += 4) {
    substituteFour(x, L, diag_inv, top, stride);
  }
  if (count == 1) {
    substituteTail(x, tail, last, inverse, whole, stride, 1);
  } else if (count == 2) {
    substituteTail(x, tail, last, inverse, whole, stride, 2);
  } else if (count == 3) {
    substituteTail(x, tail, last, inverse, whole, stride, 3);
  }
}


// rows top..top+3 of res = mat*x, and what they add to the numbers before: those first, then inside
// the block
static void mulFour(mjtNum* res, const mjtNum* rows, const mjtNum* diagonal, const mjtNum* x,
                    int top, int stride) {
  CF_ASSERT(top >= 0 && stride > 0);
  const mjtNum *r0 = rows + (size_t)top * stride, *r1 = r0 + stride, *r2 = r1 + stride,
               *r3 = r2 + stride;
  const cfLane x0 = cfi_laneSpread(x[top]), x1 = cfi_laneSpread(x[top + 1]);
  const cfLane x2 = cfi_laneSpread(x[top + 2]), x3 = cfi_laneSpread(x[top + 3]);
  cfLane s0 = cfi_laneSpread(0), s1 = s0, s2 = s0, s3 = s0;
  for (int c = 0; c < top; c += 4) {
    const cfLane known = cfi_laneLoad(x + c), e0 = cfi_laneLoad(r0 + c), e1 = cfi_laneLoad(r1 + c);
    const cfLane e2 = cfi_laneLoad(r2 + c), e3 = cfi_laneLoad(r3 + c);
    s0 = cfi_laneAddMul(s0, e0, known);
    s1 = cfi_laneAddMul(s1, e1, known);
    s2 = cfi_laneAddMul(s2, e2, known);
    s3 = cfi_laneAddMul(s3, e3, known);
    cfLane sum = cfi_laneAddMul(cfi_laneLoad(res + c), e0, x0);
    sum = cfi_laneAddMul(sum, e1, x1);
    sum = cfi_laneAddMul(sum, e2, x2);
    cfi_laneStore(res + c, cfi_laneAddMul(sum, e3, x3));
  }
  const cfLane own = cfi_laneLoad(x + top), e1 = cfi_laneLoad(r1 + top);
  const cfLane e2 = cfi_laneLoad(r2 + top), e3 = cfi_laneLoad(r3 + top);
  s1 = cfi_laneAddMul(s1, e1, own);
  s2 = cfi_laneAddMul(s2, e2, own);
  s3 = cfi_laneAddMul(s3, e3, own);
  cfLane sum = cfi_laneMul(cfi_laneLoad(diagonal + top), own);
  sum = cfi_laneAdd(sum, cfi_laneSum4(s0, s1, s2, s3));
  sum = cfi_laneAddMul(sum, e1, x1);
  sum = cfi_laneAddMul(sum, e2, x2);
  cfi_laneStore(res + top, cfi_laneAddMul(sum, e3, x3));
}


// the count rows behind the last four, and what they add to the numbers before
static inline void mulTail(mjtNum* res, const mjtNum* rows, const mjtNum* diagonal, const mjtNum* x,
                           int whole, int stride, const int count) {
  mjtNum tail[3] = {0}, own[3] = {0};
  for (int k = 0; k < count; k++) {
    const mjtNum* row = rows + (size_t)(whole + k) * stride;
    own[k] = x[whole + k];
    const cfLane factor = cfi_laneSpread(own[k]);
    const mjtNum before = dotLower(row, x, whole, own, k);
    for (int c = 0; c < whole; c += 4) {
      cfi_laneStore(res + c, cfi_laneAddMul(cfi_laneLoad(res + c), cfi_laneLoad(row + c), factor));
    }
    for (int c = 0; c < k; c++) {
      tail[c] += row[whole + c] * own[k];
    }
    tail[k] = diagonal[whole + k] * own[k] + before;
  }
  if (count > 0) {
    cfi_laneStore(res + whole, cfi_laneSet(tail[0], tail[1], tail[2], 0));
  }
}


void cfi_mulTree(mjtNum* res, const mjtNum* rows, const mjtNum* diagonal, const mjtNum* x, int n,
                 int stride) {
  CF_ASSERT(n >= 0 && stride >= n);
  const int whole = n & ~3;
  for (int top = 0; top < whole; top += 4) {
    mulFour(res, rows, diagonal, x, top, stride);
  }
  switch (n - whole) {
    case 1:
      mulTail(res, rows, diagonal, x, whole, stride, 1);
      break;
    case 2:
      mulTail(res, rows, diagonal, x, whole, stride, 2);
      break;
    case 3:
      mulTail(res, rows, diagonal, x, whole, stride, 3);
      break;
    default:
      break;
  }
}


void cfi_expandTree(mjtNum* rows, mjtNum* diagonal, const mjtNum* mat, const cfPattern* p,
                    int stride) {
  CF_ASSERT(stride >= cfi_treeStride(p->nr));
  for (int i = 0; i < p->nr; i++) {
    mjtNum* row = rows + (size_t)i * stride;
    const int last = p->rowadr[i] + p->rownnz[i] - 1;
    cfi_zeroWhole(row, cfi_wholeRow(i));
    for (int k = p->rowadr[i]; k < last; k++) {
      row[p->colind[k]] = mat[k];
    }
    if (diagonal) {
      diagonal[i] = mat[last];
    }
  }
}
