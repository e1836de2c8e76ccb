// Cholesky kernels, mat = L*L'; part of dense_kernels.h.
//
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
  CF_ASSERT(n >= 0);
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
