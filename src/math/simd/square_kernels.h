// Kernel of J'*diag*J; part of dense_kernels.h.
//
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
} cfColumnBatch;


// take up to CF_BATCH rows with non-zero weight, starting at r; returns the next row to look at
static inline int fillBatch(cfColumnBatch* b, const mjtNum* mat, const mjtNum* diag, int r, int nr,
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
static inline int pickRow(cfColumnBatch* b, int k, const mjtNum* x, int picked) {
  const cfLane numbers = cfi_laneLoad(x);
  cfi_laneStore(b->left[picked], cfi_laneMul(numbers, cfi_laneSpread(b->weight[k])));
  b->which[picked] = k;
  b->right[picked] = b->row[k];
  return picked + cfi_laneAny(numbers);
}


// keep the rows that are not zero in columns first..first+3
static inline void pickRows(cfColumnBatch* b, int first, int nc) {
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
static inline void sumTile(mjtNum* const t[4], int is_new, const cfColumnBatch* b,
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
static inline void sumCutTile(mjtNum* const t[4], int ncol, int is_new, const cfColumnBatch* b) {
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
static inline void addBatch(mjtNum* res, int nc, int first, int is_new, const cfColumnBatch* b) {
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
  CF_ASSERT(nr >= 0 && nc >= 0);
  cfColumnBatch b;
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
