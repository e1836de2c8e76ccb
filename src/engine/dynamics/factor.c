// Two rows of a chain, a dof and its parent, differ by the diagonal of the child: where the parent
// directly precedes the child both are eliminated from their common ancestors together, and in
// solves the ancestors are gathered once for both.  The order of operations on every number is that
// of one row after the other, leaves first.  Larger blocks take fewer instructions but more time:
// their rows wait for each other.
#include "dynamics/factor.h"

#include <stdbool.h>

#include "base/assert.h"
#include "math/simd/lane.h"

// pattern of the matrix
typedef struct {
  const int *rownnz, *rowadr, *colind;
} cfTreePattern;


// is row k-1 the parent of row k
static inline bool followsParent(cfTreePattern p, int k) {
  const int above = p.rownnz[k] - 1;
  return above > 0 && p.colind[p.rowadr[k] + above - 1] == k - 1;
}


// The ancestors of a row are visited from the nearest to the oldest, so the number of columns goes
// down one by one: lanes of four, then a tail that is 3, 2, 1, 0 long, again and again.  The tail
// is a constant where these functions are inlined.
#define CF_TAIL_INLINE static inline __attribute__((always_inline))

// target -= scale*row over whole (a multiple of four) + tail columns
CF_TAIL_INLINE void eliminateOne(mjtNum* restrict target, const mjtNum* restrict row, mjtNum scale,
                                 int whole, int tail) {
  const cfLane spread = cfi_laneSpread(scale);
  for (int c = 0; c < whole; c += 4) {
    const cfLane product = cfi_laneMul(spread, cfi_laneLoad(row + c));
    cfi_laneStore(target + c, cfi_laneSub(cfi_laneLoad(target + c), product));
  }
  if (tail & 2) {
    const cfHalfLane product = cfi_halfScl(cfi_halfLoad(row + whole), scale);
    cfi_halfStore(target + whole, cfi_halfSub(cfi_halfLoad(target + whole), product));
  }
  if (tail & 1) {
    const int last = whole + tail - 1;
    target[last] -= scale * row[last];
  }
}


// target -= scale0*row0, then scale1*row1
CF_TAIL_INLINE void eliminateTwo(mjtNum* restrict target, const mjtNum* restrict row0,
                                 const mjtNum* restrict row1, mjtNum scale0, mjtNum scale1,
                                 int whole, int tail) {
  const cfLane spread0 = cfi_laneSpread(scale0), spread1 = cfi_laneSpread(scale1);
  for (int c = 0; c < whole; c += 4) {
    cfLane value = cfi_laneLoad(target + c);
    value = cfi_laneSub(value, cfi_laneMul(spread0, cfi_laneLoad(row0 + c)));
    value = cfi_laneSub(value, cfi_laneMul(spread1, cfi_laneLoad(row1 + c)));
    cfi_laneStore(target + c, value);
  }
  if (tail & 2) {
    cfHalfLane value = cfi_halfLoad(target + whole);
    value = cfi_halfSub(value, cfi_halfScl(cfi_halfLoad(row0 + whole), scale0));
    value = cfi_halfSub(value, cfi_halfScl(cfi_halfLoad(row1 + whole), scale1));
    cfi_halfStore(target + whole, value);
  }
  if (tail & 1) {
    const int last = whole + tail - 1;
    target[last] = target[last] - scale0 * row0[last] - scale1 * row1[last];
  }
}


// rows of one matrix that are eliminated from their ancestors: one, or two of which the second is
// the parent
typedef struct {
  mjtNum *mat, *row0, *row1;
  mjtNum inverse0, inverse1;
} cfElimination;


// one ancestor with whole + tail columns, its row at adr; the entries in its last column become
// those of L
CF_TAIL_INLINE void eliminateAt(const cfElimination* e, int nrow, int adr, int whole, int tail) {
  const int a = whole + tail - 1;
  mjtNum* target = e->mat + adr;
  const mjtNum scale0 = e->row0[a] * e->inverse0;
  if (nrow == 1) {
    eliminateOne(target, e->row0, scale0, whole, tail);
  } else {
    const mjtNum scale1 = e->row1[a] * e->inverse1;
    eliminateTwo(target, e->row0, e->row1, scale0, scale1, whole, tail);
    e->row1[a] = scale1;
  }
  e->row0[a] = scale0;
}


// the same in every matrix
CF_TAIL_INLINE void eliminateIn(const cfElimination* e, int nmat, int nrow, const int* rowadr,
                                const int* ancestor, int whole, int tail) {
  const int adr = rowadr[ancestor[whole + tail - 1]];
  eliminateAt(e, nrow, adr, whole, tail);
  if (nmat > 1) {
    eliminateAt(e + 1, nrow, adr, whole, tail);
  }
}


// all ancestors, count of them
CF_TAIL_INLINE void eliminateAll(const cfElimination* e, int nmat, int nrow, const int* rowadr,
                                 const int* ancestor, int count) {
  const int tail = count & 3;
  int whole = count - tail;
  if (tail > 2) {
    eliminateIn(e, nmat, nrow, rowadr, ancestor, whole, 3);
  }
  if (tail > 1) {
    eliminateIn(e, nmat, nrow, rowadr, ancestor, whole, 2);
  }
  if (tail > 0) {
    eliminateIn(e, nmat, nrow, rowadr, ancestor, whole, 1);
  }
  for (; whole > 0; whole -= 4) {
    eliminateIn(e, nmat, nrow, rowadr, ancestor, whole, 0);
    eliminateIn(e, nmat, nrow, rowadr, ancestor, whole - 4, 3);
    eliminateIn(e, nmat, nrow, rowadr, ancestor, whole - 4, 2);
    eliminateIn(e, nmat, nrow, rowadr, ancestor, whole - 4, 1);
  }
}


// row k before its elimination
CF_TAIL_INLINE cfElimination startRow(const cfFactor* f, cfTreePattern p, int k) {
  mjtNum* row = f->mat + p.rowadr[k];
  const mjtNum inverse = f->diaginv[k] = 1 / row[p.rownnz[k] - 1];
  return (cfElimination){f->mat, row, NULL, inverse, 0};
}


// rows k and k-1: the child from its parent; the second division starts before the rest of the row
// is done
CF_TAIL_INLINE cfElimination startPair(const cfFactor* f, cfTreePattern p, int k) {
  const int count = p.rownnz[k] - 2;
  mjtNum *row0 = f->mat + p.rowadr[k], *row1 = f->mat + p.rowadr[k - 1];
  const mjtNum inverse0 = 1 / row0[count + 1];
  const mjtNum link = row0[count] * inverse0;
  const mjtNum diagonal1 = row1[count] - link * row0[count];
  const mjtNum inverse1 = 1 / diagonal1;
  eliminateOne(row1, row0, link, count & ~3, count & 3);
  row0[count] = link;
  row1[count] = diagonal1;
  f->diaginv[k] = inverse0;
  f->diaginv[k - 1] = inverse1;
  return (cfElimination){f->mat, row0, row1, inverse0, inverse1};
}


// one row, or two, of one matrix or of two with the same pattern
CF_TAIL_INLINE void factorRows(const cfFactor* f, int nmat, int nrow, cfTreePattern p, int k) {
  CF_ASSERT(k >= nrow - 1 && p.rownnz[k] >= nrow);
  cfElimination e[2];
  e[0] = nrow == 1 ? startRow(f, p, k) : startPair(f, p, k);
  if (nmat > 1) {
    e[1] = nrow == 1 ? startRow(f + 1, p, k) : startPair(f + 1, p, k);
  }
  eliminateAll(e, nmat, nrow, p.rowadr, p.colind + p.rowadr[k], p.rownnz[k] - nrow);
}


CF_TAIL_INLINE void factorAll(const cfFactor* f, int nmat, cfTreePattern p, cfIndexSet rows) {
  for (int r = rows.count - 1; r >= 0;) {
    const int k = cfi_at(rows, r);
    if (p.rownnz[k] == 1) {
      for (int i = 0; i < nmat; i++) {
        f[i].diaginv[k] = 1 / f[i].mat[p.rowadr[k]];
      }
      r -= 1;
    } else if (followsParent(p, k)) {
      factorRows(f, nmat, 2, p, k);
      r -= 2;
    } else {
      factorRows(f, nmat, 1, p, k);
      r -= 1;
    }
  }
}


void cfi_factorTree(mjtNum* mat, mjtNum* diaginv, const int* rownnz, const int* rowadr,
                    const int* colind, cfIndexSet rows) {
  const cfFactor f = {mat, diaginv};
  factorAll(&f, 1, (cfTreePattern){rownnz, rowadr, colind}, rows);
}


void cfi_factorTwoTrees(const cfFactor f[2], const int* rownnz, const int* rowadr,
                        const int* colind, cfIndexSet rows) {
  factorAll(f, 2, (cfTreePattern){rownnz, rowadr, colind}, rows);
}


// The oldest ancestors are often dofs that follow each other: as long as four of them do, they are
// read and written as one.
static inline bool isRun(const int* ancestor) {
  return ancestor[3] - ancestor[0] == 3;
}


// x of the ancestors of row k -= L(k,:)'*x(k)
static inline void passUpRow(mjtNum* x, const mjtNum* LD, cfTreePattern p, int k) {
  CF_ASSERT(k >= 0 && p.rownnz[k] > 0);
  const int *ancestor = p.colind + p.rowadr[k], count = p.rownnz[k] - 1;
  const mjtNum *row = LD + p.rowadr[k], share = x[k];
  int a = 0;
  for (; a + 4 <= count && isRun(ancestor + a); a += 4) {
    mjtNum* run = x + ancestor[a];
    const cfLane part = cfi_laneMul(cfi_laneLoad(row + a), cfi_laneSpread(share));
    cfi_laneStore(run, cfi_laneSub(cfi_laneLoad(run), part));
  }
  for (; a < count; a++) {
    x[ancestor[a]] -= row[a] * share;
  }
}


// the same for rows k and k-1
static inline void passUpPair(mjtNum* x, const mjtNum* LD, cfTreePattern p, int k) {
  const int* ancestor = p.colind + p.rowadr[k];
  const int count = p.rownnz[k] - 2;
  const mjtNum *row0 = LD + p.rowadr[k], *row1 = LD + p.rowadr[k - 1];
  const mjtNum share0 = x[k], share1 = x[k - 1] - row0[count] * share0;
  x[k - 1] = share1;
  int a = 0;
  for (; a + 4 <= count && isRun(ancestor + a); a += 4) {
    mjtNum* run = x + ancestor[a];
    cfLane value = cfi_laneLoad(run);
    value = cfi_laneSubMul(value, cfi_laneLoad(row0 + a), cfi_laneSpread(share0));
    value = cfi_laneSubMul(value, cfi_laneLoad(row1 + a), cfi_laneSpread(share1));
    cfi_laneStore(run, value);
  }
  for (; a < count; a++) {
    x[ancestor[a]] = x[ancestor[a]] - row0[a] * share0 - row1[a] * share1;
  }
}


static void solveUpTree(mjtNum* x, const mjtNum* LD, cfTreePattern p, cfIndexSet rows) {
  for (int r = rows.count - 1; r >= 0;) {
    const int k = cfi_at(rows, r);
    if (p.rownnz[k] == 1) {
      r -= 1;
    } else if (followsParent(p, k)) {
      passUpPair(x, LD, p, k);
      r -= 2;
    } else {
      passUpRow(x, LD, p, k);
      r -= 1;
    }
  }
}


void cfi_solveUpLD(mjtNum* x, const mjtNum* LD, const int* rownnz, const int* rowadr,
                   const int* colind, cfIndexSet rows) {
  solveUpTree(x, LD, (cfTreePattern){rownnz, rowadr, colind}, rows);
}


// x(k) = x(k)/D(k) - L(k,:)*x, two sums that need not wait for each other: of the even ancestors
// and of the odd ones
static inline void gatherRow(mjtNum* x, const mjtNum* LD, const mjtNum* diaginv, cfTreePattern p,
                             int k) {
  CF_ASSERT(k >= 0 && p.rownnz[k] > 0);
  const int* ancestor = p.colind + p.rowadr[k];
  const mjtNum* row = LD + p.rowadr[k];
  const int count = p.rownnz[k] - 1;
  cfHalfLane sum = cfi_halfSet(0, 0);
  int a = 0;
  for (; a + 4 <= count && isRun(ancestor + a); a += 4) {
    const mjtNum* run = x + ancestor[a];
    sum = cfi_halfAddMul(sum, cfi_halfLoad(row + a), cfi_halfLoad(run));
    sum = cfi_halfAddMul(sum, cfi_halfLoad(row + a + 2), cfi_halfLoad(run + 2));
  }
  mjtNum even = cfi_halfAt(sum, 0), odd = cfi_halfAt(sum, 1);
  for (; a < count - 1; a += 2) {
    even += row[a] * x[ancestor[a]];
    odd += row[a + 1] * x[ancestor[a + 1]];
  }
  if (count & 1) {
    even += row[count - 1] * x[ancestor[count - 1]];
  }
  x[k] = x[k] * diaginv[k] - (even + odd);
}


// the same for rows k-1 and k
static inline void gatherPair(mjtNum* x, const mjtNum* LD, const mjtNum* diaginv, cfTreePattern p,
                              int k) {
  const int* ancestor = p.colind + p.rowadr[k];
  const int count = p.rownnz[k] - 2;
  const mjtNum *row0 = LD + p.rowadr[k], *row1 = LD + p.rowadr[k - 1];
  cfHalfLane sum0 = cfi_halfSet(0, 0), sum1 = sum0;
  int a = 0;
  for (; a + 4 <= count && isRun(ancestor + a); a += 4) {
    const cfHalfLane first = cfi_halfLoad(x + ancestor[a]),
                     second = cfi_halfLoad(x + ancestor[a] + 2);
    sum0 = cfi_halfAddMul(sum0, cfi_halfLoad(row0 + a), first);
    sum1 = cfi_halfAddMul(sum1, cfi_halfLoad(row1 + a), first);
    sum0 = cfi_halfAddMul(sum0, cfi_halfLoad(row0 + a + 2), second);
    sum1 = cfi_halfAddMul(sum1, cfi_halfLoad(row1 + a + 2), second);
  }
  mjtNum even0 = cfi_halfAt(sum0, 0), odd0 = cfi_halfAt(sum0, 1);
  mjtNum even1 = cfi_halfAt(sum1, 0), odd1 = cfi_halfAt(sum1, 1);
  for (; a < count - 1; a += 2) {
    const mjtNum first = x[ancestor[a]], second = x[ancestor[a + 1]];
    even0 += row0[a] * first;
    even1 += row1[a] * first;
    odd0 += row0[a + 1] * second;
    odd1 += row1[a + 1] * second;
  }
  if (count & 1) {
    const mjtNum last = x[ancestor[count - 1]];
    even0 += row0[count - 1] * last;
    even1 += row1[count - 1] * last;
  }
  const mjtNum parent = x[k - 1] * diaginv[k - 1] - (even1 + odd1);
  x[k - 1] = parent;
  x[k] = x[k] * diaginv[k] - (even0 + odd0) - row0[count] * parent;
}


// x <- inv(L)*inv(D)*x: every dof gathers from its ancestors, which are finished before it
static void solveDownTree(mjtNum* x, const mjtNum* LD, const mjtNum* diaginv, cfTreePattern p,
                          cfIndexSet rows) {
  for (int r = 0; r < rows.count;) {
    const int k = cfi_at(rows, r);
    if (r + 1 < rows.count && cfi_at(rows, r + 1) == k + 1 && followsParent(p, k + 1)) {
      gatherPair(x, LD, diaginv, p, k + 1);
      r += 2;
    } else if (p.rownnz[k] == 1) {
      x[k] *= diaginv[k];
      r += 1;
    } else {
      gatherRow(x, LD, diaginv, p, k);
      r += 1;
    }
  }
}


void cfi_solveTree(mjtNum* x, const mjtNum* LD, const mjtNum* diaginv, const int* rownnz,
                   const int* rowadr, const int* colind, cfIndexSet rows) {
  const cfTreePattern p = {rownnz, rowadr, colind};
  solveUpTree(x, LD, p, rows);
  solveDownTree(x, LD, diaginv, p, rows);
}
