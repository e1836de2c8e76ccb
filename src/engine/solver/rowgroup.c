// Rows are weighed four columns at a time; only rows of the matrix whose column is not zero in all
// of the group are touched.
#include "solver/rowgroup.h"

#include <stddef.h>

#include "base/assert.h"
#include "math/simd/lane.h"

// h += sum of weight[r]*row[r] over n numbers, whole vectors; the count of rows is a constant where
// this is inlined
static inline void addRows(mjtNum* h, const mjtNum* const row[CF_ROW_GROUP],
                           const mjtNum weight[CF_ROW_GROUP], int n, const int count) {
  cfLane w[CF_ROW_GROUP];
  int k = 0;
  for (int r = 0; r < count; r++) {
    w[r] = cfi_laneSpread(weight[r]);
  }
  for (; k + 8 <= n; k += 8) {
    cfLane low = cfi_laneLoad(h + k), high = cfi_laneLoad(h + k + 4);
    for (int r = 0; r < count; r++) {
      low = cfi_laneAddMul(low, w[r], cfi_laneLoad(row[r] + k));
      high = cfi_laneAddMul(high, w[r], cfi_laneLoad(row[r] + k + 4));
    }
    cfi_laneStore(h + k, low);
    cfi_laneStore(h + k + 4, high);
  }
  if (k < n) {
    cfLane sum = cfi_laneLoad(h + k);
    for (int r = 0; r < count; r++) {
      sum = cfi_laneAddMul(sum, w[r], cfi_laneLoad(row[r] + k));
    }
    cfi_laneStore(h + k, sum);
  }
}


// H += group in the last `size` (at most three) rows and columns, from `first` on: each number is
// summed in a register.  The size is a constant where this is inlined
static inline void addCornerOf(cfTarget target, const cfRowGroup* group, int first,
                               const int size) {
  mjtNum* h0 = target.H + (size_t)first * target.stride + first;
  mjtNum *h1 = h0 + target.stride, *h2 = h1 + target.stride;
  mjtNum s00 = h0[0], s10 = 0, s11 = 0, s20 = 0, s21 = 0, s22 = 0;
  if (size > 1) {
    s10 = h1[0], s11 = h1[1];
  }
  if (size > 2) {
    s20 = h2[0], s21 = h2[1], s22 = h2[2];
  }
  for (int r = 0; r < group->count; r++) {
    const mjtNum *J = group->J[r] + first, *w = group->w[r] + first, scale = group->scale[r];
    s00 += scale * w[0] * J[0];
    if (size > 1) {
      const mjtNum weight = scale * w[1];
      s10 += weight * J[0], s11 += weight * J[1];
    }
    if (size > 2) {
      const mjtNum weight = scale * w[2];
      s20 += weight * J[0], s21 += weight * J[1], s22 += weight * J[2];
    }
  }
  h0[0] = s00;
  if (size > 1) {
    h1[0] = s10, h1[1] = s11;
  }
  if (size > 2) {
    h2[0] = s20, h2[1] = s21, h2[2] = s22;
  }
}


static void addCorner(cfTarget target, const cfRowGroup* group, int first) {
  CF_ASSERT(first >= 0 && first < target.nv && target.nv - first <= 3);
  switch (target.nv - first) {
    case 1:
      addCornerOf(target, group, first, 1);
      break;
    case 2:
      addCornerOf(target, group, first, 2);
      break;
    default:
      addCornerOf(target, group, first, 3);
  }
}


// weights of the rows in columns first..first+3, those of a column side by side; bits mark the
// columns where not all rows are zero
static inline unsigned weighColumns(mjtNum weight[4 * CF_ROW_GROUP], const cfRowGroup* group,
                                    int first, const int count) {
  cfLane w[CF_ROW_GROUP];
  for (int r = 0; r < CF_ROW_GROUP; r++) {
    w[r] = r < count ? cfi_laneLoad(group->w[r] + first) : cfi_laneSpread(0);
  }
  const unsigned marks = cfi_laneMarks(w[0], w[1], w[2], w[3]);
  if (marks) {
    for (int r = 0; r < count; r++) {
      w[r] = cfi_laneMul(cfi_laneSpread(group->scale[r]), w[r]);
    }
    cfi_laneTranspose(w);
    for (int c = 0; c < 4; c++) {
      cfi_laneStore(weight + CF_ROW_GROUP * c, w[c]);
    }
  }
  return marks;
}


// lower triangle of H += group of so many rows.  Columns behind the last whole vector are looked at
// together with those before them, which have been done
static inline void addCount(cfTarget target, const cfRowGroup* group, const int count) {
  const mjtNum* row[CF_ROW_GROUP] = {group->J[0], group->J[1], group->J[2], group->J[3]};
  const int nv = target.nv, whole = nv & ~3;
  for (int i = 0; i < nv; i += 4) {
    mjtNum weight[4 * CF_ROW_GROUP];
    const int first = i < whole ? i : nv - 4, done = i - first;
    unsigned marks = weighColumns(weight, group, first, count) >> done << done;
    mjtNum* h = target.H + (size_t)first * target.stride;
    if (marks && i == whole) {
      addCorner(target, group, whole);
    }
    for (; marks; marks &= marks - 1) {
      const size_t c = (size_t)__builtin_ctz(marks);
      addRows(h + c * (size_t)target.stride, row, weight + CF_ROW_GROUP * c,
              i < whole ? i + 4 : whole, count);
    }
  }
}


void cfi_addRowGroup(cfTarget target, const cfRowGroup* group) {
  CF_ASSERT(group->count <= CF_ROW_GROUP && target.stride >= target.nv);
  if (target.nv < 4) {
    addCorner(target, group, 0);
    return;
  }
  switch (group->count) {
    case 0:
      break;
    case 1:
      addCount(target, group, 1);
      break;
    case 2:
      addCount(target, group, 2);
      break;
    case 3:
      addCount(target, group, 3);
      break;
    default:
      addCount(target, group, 4);
  }
}
