// Sparse algebra against dense algebra and against the reference.
#include "math/dense.h"
#include "math/sparse.h"
#include "mathtest.h"

enum { SIDE = 30, ROWS = 40, ROOM = ROWS * SIDE };

// a sparse matrix with storage for every entry
typedef struct {
  int nr, nc;
  mjtNum val[ROOM];
  int rownnz[ROWS], rowadr[ROWS], colind[ROOM], rowsuper[ROWS];
} Matrix;


static cfPattern patternOf(const Matrix* m) {
  return (cfPattern){m->nr, m->nc, m->rownnz, m->rowadr, m->colind, m->rowsuper};
}


// rowsuper[r]: how many of the rows that follow row r have its columns
static void countAlike(int* rowsuper, int nr, const int* rownnz, const int* rowadr,
                       const int* colind) {
  for (int r = nr - 1; r >= 0; r--) {
    const int same = r + 1 < nr && rownnz[r] == rownnz[r + 1] &&
                     cfi_sameIndices(colind + rowadr[r], colind + rowadr[r + 1], rownnz[r]);
    rowsuper[r] = same ? rowsuper[r + 1] + 1 : 0;
  }
}


static void fromDense(Matrix* m, const mjtNum* dense, int nr, int nc) {
  m->nr = nr, m->nc = nc;
  CF_EQ_INT(mju_dense2sparse(m->val, dense, nr, nc, m->rownnz, m->rowadr, m->colind, ROOM), 0);
  countAlike(m->rowsuper, nr, m->rownnz, m->rowadr, m->colind);
}


static void transposeOf(Matrix* t, const Matrix* m) {
  t->nr = m->nc, t->nc = m->nr;
  cfi_transposeSparse(t->val, t->rownnz, t->rowadr, t->colind, t->rowsuper, m->val, patternOf(m));
}


// rows come in groups with the same columns and columns in groups with the same rows, as in the
// Jacobian of contacts between trees
static void randomJacobian(mjtNum* dense, int nr, int nc) {
  int on[SIDE];
  for (int r = 0; r < nr; r++) {
    for (int c = 0; r % 3 == 0 && c < nc; c++) {
      on[c] = c % 4 && c > 0 ? on[c - 1] : randomInt(3) == 0;
    }
    for (int c = 0; c < nc; c++) {
      dense[r * nc + c] = on[c] || r % nc == c ? randomNumber() : 0;
    }
  }
}

//------------------------------ vectors
//-------------------------------------------------------------

CF_TEST(sparse_vectors__random__agree_with_dense) {
  for (int round = 0; round < 300; round++) {
    mjtNum a[SIDE], b[SIDE], sum[SIDE], val[SIDE];
    int ind[SIDE], nnz, adr;
    randomSparse(a, SIDE, round == 5 ? 1 : 0.5);
    randomSparse(b, SIDE, 0.6);
    mju_dense2sparse(val, a, 1, SIDE, &nnz, &adr, ind, SIDE);
    CF_NEAR(cfi_dotSparse(val, b, nnz, ind), mju_dot(a, b, SIDE), 1e-14);
    mju_addScl(sum, b, a, -0.5, SIDE);
    cfi_addToSclScatter(b, val, ind, nnz, -0.5);
    CF_NEAR_ARRAY(b, sum, SIDE, 1e-15);
  }
}

//------------------------------ matrices
//------------------------------------------------------------

CF_TEST(sparse_matrix__random__agrees_with_dense) {
  static Matrix m, t;
  static mjtNum A[ROOM], B[ROOM], x[ROWS], y[ROWS], v[ROWS];
  for (int round = 0; round < 100; round++) {
    const int nr = 1 + randomInt(ROWS), nc = 1 + randomInt(SIDE);
    randomJacobian(A, nr, nc);
    fromDense(&m, A, nr, nc);
    mju_sparse2dense(B, m.val, nr, nc, m.rownnz, m.rowadr, m.colind);
    CF_EQ_BYTES(A, B, sizeof(mjtNum) * (size_t)(nr * nc));

    randomSparse(v, ROWS, 0.2);
    cfi_mulMatVecSparse(x, m.val, v, patternOf(&m));
    mju_mulMatVec(y, A, v, nr, nc);
    CF_NEAR_ARRAY(x, y, nr, 1e-14);
    cfi_mulMatTVecSparse(x, m.val, v, patternOf(&m));
    mju_mulMatTVec(y, A, v, nr, nc);
    CF_NEAR_ARRAY(x, y, nc, 1e-14);

    transposeOf(&t, &m);
    mju_sparse2dense(B, t.val, nc, nr, t.rownnz, t.rowadr, t.colind);
    for (int i = 0; i < nr * nc; i++) {
      CF_NEAR(B[i % nc * nr + i / nc], A[i], 0);
    }
    int super[SIDE];
    countAlike(super, nc, t.rownnz, t.rowadr, t.colind);
    CF_EQ_BYTES(super, t.rowsuper, sizeof(int) * (size_t)nc);
  }
}


CF_TEST(mulMatVecSparse__with_and_without_supernodes__same_bits) {
  static Matrix m;
  static mjtNum A[ROOM], x[ROWS], y[ROWS], v[SIDE];
  randomJacobian(A, ROWS, SIDE);
  fromDense(&m, A, ROWS, SIDE);
  randomFill(v, SIDE);
  cfPattern p = patternOf(&m);
  cfi_mulMatVecSparse(x, m.val, v, p);
  p.rowsuper = NULL;
  cfi_mulMatVecSparse(y, m.val, v, p);
  CF_EQ_BYTES(x, y, sizeof(x));
}


CF_TEST(dense2sparse__too_little_room__reports_it) {
  const mjtNum A[4] = {1, 2, 0, 3};
  mjtNum val[4];
  int rownnz[2], rowadr[2], colind[4];
  CF_EQ_INT(mju_dense2sparse(val, A, 2, 2, rownnz, rowadr, colind, 3), 0);
  CF_EQ_INT(mju_dense2sparse(val, A, 2, 2, rownnz, rowadr, colind, 2), 1);
  CF_EQ_INT(mju_dense2sparse(val, A, 2, 2, rownnz, rowadr, colind, 0), 1);
}


CF_TEST(symmetric_sparse__lower_triangle__agrees_with_dense) {
  enum { N = 20 };
  static Matrix m;
  mjtNum A[N * N], full[N * N], x[N], y[N], v[N];
  randomSparse(A, N * N, 0.6);
  for (int r = 0; r < N; r++) {
    A[r * N + r] = 1 + r;
    for (int c = r + 1; c < N; c++) {
      A[r * N + c] = 0;
    }
  }
  fromDense(&m, A, N, N);
  for (int i = 0; i < N * N; i++) {
    full[i] = A[i] + (i / N != i % N ? A[i % N * N + i / N] : 0);
  }
  randomFill(v, N);
  cfi_mulSymVecSparse(x, m.val, v, patternOf(&m));
  mju_mulMatVec(y, full, v, N, N);
  CF_CLOSE(x, y, N, 1e-14);
}

//------------------------------ J'*D*J
//--------------------------------------------------------------

// the lower triangle of J'*J, entry by entry, from the columns that share a row
static void squarePattern(Matrix* h, const mjtNum* A, int nr, int nc) {
  static mjtNum lower[SIDE * SIDE];
  mju_zero(lower, nc * nc);
  for (int i = 0; i < nr * nc; i++) {
    const mjtNum* row = A + i / nc * nc;
    for (int c = 0; row[i % nc] != 0 && c <= i % nc; c++) {
      lower[i % nc * nc + c] += row[c] != 0;
    }
  }
  fromDense(h, lower, nc, nc);
}


CF_TEST(sqrMatTDSparse__random__agrees_with_dense) {
  static Matrix m, t, h;
  static mjtNum A[ROOM], dense[SIDE * SIDE], out[SIDE * SIDE];
  mjData* d = newScratch();
  for (int round = 0; round < 100; round++) {
    const int nr = 1 + randomInt(ROWS), nc = 1 + randomInt(SIDE);
    mjtNum weight[ROWS];
    const mjtNum* diag = round % 3 ? weight : NULL;
    randomJacobian(A, nr, nc);
    randomSparse(weight, ROWS, 0.3);
    fromDense(&m, A, nr, nc);
    transposeOf(&t, &m);
    squarePattern(&h, A, nr, nc);
    cfPattern pT = patternOf(&t);
    pT.rowsuper = round % 5 ? t.rowsuper : NULL;
    CF_EQ_INT(cfi_sqrMatTDSparseCount(patternOf(&m), pT, d), h.rowadr[nc - 1] + h.rownnz[nc - 1]);
    cfi_sqrMatTDSparseValues(h.val, patternOf(&h), diag, m.val, patternOf(&m), t.val, pT, d);
    mju_sqrMatTD(dense, A, diag, nr, nc);
    mju_sparse2dense(out, h.val, nc, nc, h.rownnz, h.rowadr, h.colind);
    for (int i = 0; i < nc * nc; i++) {
      CF_NEAR(out[i], i % nc <= i / nc ? dense[i] : 0, 1e-14);
    }
  }
  deleteScratch(d);
}


CF_TEST(sqrMatTDSparse__random__equals_reference) {
  typedef void (*square)(mjtNum*, const mjtNum*, const mjtNum*, const mjtNum*, int, int, int*,
                         const int*, int*, const int*, const int*, const int*, const int*,
                         const int*, const int*, const int*, const int*, mjData*, int*);
  CF_REFERENCE_AS(square, mju_sqrMatTDSparse);
  static Matrix m, t, h, g;
  static mjtNum A[ROOM];
  mjData* d = newScratch();
  for (int round = 0; round < 50; round++) {
    const int nr = ROWS - round % 7, nc = SIDE - round % 5;
    mjtNum weight[ROWS];
    const mjtNum* diag = round % 3 ? weight : NULL;
    randomFill(weight, ROWS);
    randomJacobian(A, nr, nc);
    fromDense(&m, A, nr, nc);
    transposeOf(&t, &m);
    squarePattern(&h, A, nr, nc);
    const int total = h.rowadr[nc - 1] + h.rownnz[nc - 1];
    cfi_sqrMatTDSparseValues(h.val, patternOf(&h), diag, m.val, patternOf(&m), t.val, patternOf(&t),
                             d);
    ref_mju_sqrMatTDSparse(g.val, m.val, t.val, diag, nr, nc, g.rownnz, h.rowadr, g.colind,
                           m.rownnz, m.rowadr, m.colind, NULL, t.rownnz, t.rowadr, t.colind,
                           t.rowsuper, d, NULL);
    CF_EQ_BYTES(h.rownnz, g.rownnz, sizeof(int) * (size_t)nc);
    CF_EQ_BYTES(h.colind, g.colind, sizeof(int) * (size_t)total);
    CF_CLOSE(h.val, g.val, total, 1e-15);
  }
  deleteScratch(d);
}


CF_TEST(sqrMatTDSparseValues__larger_pattern__extra_entries_zero) {
  enum { N = 5 };
  static Matrix m, t, h;
  const mjtNum A[2 * N] = {1, 0, 2, 0, 0, 0, 0, 1, 3, 0};
  mjtNum full[N * N], dense[N * N];
  mjData* d = newScratch();
  for (int i = 0; i < N * N; i++) {
    full[i] = i % N <= i / N;
  }
  fromDense(&m, A, 2, N);
  transposeOf(&t, &m);
  fromDense(&h, full, N, N);
  for (int i = 0; i < ROOM; i++) {
    h.val[i] = 99;
  }
  cfi_sqrMatTDSparseValues(h.val, patternOf(&h), NULL, m.val, patternOf(&m), t.val, patternOf(&t),
                           d);
  mju_sqrMatTD(dense, A, NULL, 2, N);
  mju_sparse2dense(full, h.val, N, N, h.rownnz, h.rowadr, h.colind);
  for (int i = 0; i < N * N; i++) {
    CF_NEAR(full[i], i % N <= i / N ? dense[i] : 0, 0);
  }
  deleteScratch(d);
}

//------------------------------ factorizations
//------------------------------------------------------

// sparse positive definite matrix, dense storage
static void randomSparseSpd(mjtNum* A, int n, double zeros) {
  mjtNum* B = malloc(sizeof(mjtNum) * (size_t)(n * n));
  randomSparse(B, n * n, zeros);
  mju_mulMatMatT(A, B, B, n, n, n);
  for (int i = 0; i < n; i++) {
    A[i * n + i] += 1;
  }
  free(B);
}


// structure of the factor of a matrix given by its lower triangle
typedef struct {
  cfSparseChol s;
  int ints[5][SIDE];
} Factor;


// its lists are on the stack of d
static void analyze(Factor* f, const Matrix* h, mjData* d) {
  const cfPattern none = {0, h->nr, NULL, NULL, NULL, NULL};
  f->s = (cfSparseChol){.n = h->nr,
                        .rownnz = f->ints[0],
                        .rowadr = f->ints[1],
                        .colnnz = f->ints[2],
                        .coladr = f->ints[3],
                        .nested = f->ints[4]};
  CF_TRUE(cfi_cholSparsePattern(&f->s, none, patternOf(h), d) <= SIDE * SIDE);
}


// lower triangle of a dense matrix, sparse
static void lowerOf(Matrix* m, const mjtNum* A, int n) {
  mjtNum low[SIDE * SIDE];
  for (int i = 0; i < n * n; i++) {
    low[i] = i % n <= i / n ? A[i] : 0;
  }
  fromDense(m, low, n, n);
}


CF_TEST(cholSparse__random__factor_reproduces_matrix_and_solves) {
  static Matrix h;
  static Factor f;
  static mjtNum A[SIDE * SIDE], L[SIDE * SIDE], dense[SIDE * SIDE], back[SIDE * SIDE];
  mjData* d = newScratch();
  for (int n = 1; n <= SIDE; n++) {
    mjtNum b[SIDE], x[SIDE];
    randomSparseSpd(A, n, 0.9);
    lowerOf(&h, A, n);
    mj_markStack(d);
    analyze(&f, &h, d);
    CF_EQ_INT(cfi_cholSparseFactor(L, &f.s, h.val, patternOf(&h), mjMINVAL, d), n);
    mju_sparse2dense(dense, L, n, n, f.s.rownnz, f.s.rowadr, f.s.colind);
    mju_mulMatTMat(back, dense, dense, n, n, n);
    CF_CLOSE(back, A, n * n, 1e-14);
    randomFill(b, n);
    cfi_cholSolveSparse(x, L, b, n, f.s.rownnz, f.s.rowadr, f.s.colind);
    mju_mulMatVec(back, A, x, n, n);
    CF_NEAR_ARRAY(back, b, n, 1e-12);

    // add and remove one row of the factor's own pattern
    const int r = n - 1;
    mjtNum change[SIDE];
    randomFill(change, f.s.rownnz[r]);
    const int* ind = f.s.colind + f.s.rowadr[r];
    CF_EQ_INT(cfi_cholUpdateSparse(L, n, f.s.rownnz, f.s.rowadr, f.s.colind, change, ind,
                                   f.s.rownnz[r], 1, d),
              n);
    mju_sparse2dense(dense, L, n, n, f.s.rownnz, f.s.rowadr, f.s.colind);
    mju_mulMatTMat(back, dense, dense, n, n, n);
    mjtNum full[SIDE] = {0};
    cfi_scatter(full, change, ind, f.s.rownnz[r]);
    for (int i = 0; i < n * n; i++) {
      CF_NEAR(back[i], A[i] + full[i / n] * full[i % n], 1e-12);
    }
    CF_EQ_INT(cfi_cholUpdateSparse(L, n, f.s.rownnz, f.s.rowadr, f.s.colind, change, ind,
                                   f.s.rownnz[r], 0, d),
              n);
    mju_sparse2dense(dense, L, n, n, f.s.rownnz, f.s.rowadr, f.s.colind);
    mju_mulMatTMat(back, dense, dense, n, n, n);
    CF_CLOSE(back, A, n * n, 1e-12);
    mj_freeStack(d);
  }
  deleteScratch(d);
}


enum { DOFS = 150, BODIES = 60 };

// chains of a random forest: columns of dof i are its ancestors and itself
static void randomForest(int* rownnz, int* rowadr, int* colind) {
  int parent[DOFS], used = 0;
  for (int i = 0; i < DOFS; i++) {
    parent[i] = i % 7 == 0 ? -1 : i - 1 - randomInt(i % 7);
    const int up = parent[i];
    rowadr[i] = used;
    rownnz[i] = up < 0 ? 1 : rownnz[up] + 1;
    if (up >= 0) {
      cfi_copyInt(colind + used, colind + rowadr[up], rownnz[up]);
    }
    used += rownnz[i];
    colind[used - 1] = i;
  }
}


// union of two ascending lists; returns its size
static int mergeLists(int* res, const int* a, int na, const int* b, int nb) {
  int total = 0;
  for (int i = 0, j = 0; i < na || j < nb; total++) {
    res[total] = j == nb || (i < na && a[i] < b[j]) ? a[i] : b[j];
    i += i < na && a[i] == res[total];
    j += j < nb && b[j] == res[total];
  }
  return total;
}


// rows over the chains of two dofs, three alike each
static void randomPairs(int* rownnz, int* rowadr, int* colind, int* rowsuper, cfPattern M) {
  for (int r = 0, used = 0; r < BODIES; r++) {
    const int a = randomInt(DOFS), b = randomInt(DOFS);
    rowadr[r] = used;
    rowsuper[r] = 2 - r % 3;
    if (r % 3 == 0) {
      rownnz[r] = mergeLists(colind + used, M.colind + M.rowadr[a], M.rownnz[a],
                             M.colind + M.rowadr[b], M.rownnz[b]);
    } else {
      rownnz[r] = rownnz[r - 1];
      cfi_copyInt(colind + used, colind + rowadr[r - 1], rownnz[r]);
    }
    used += rownnz[r];
  }
}


// eliminate a dense table of entries from the last row to the first
static void fillDense(char* entry, cfPattern J, cfPattern M) {
  memset(entry, 0, DOFS * DOFS);
  for (int p = 0; p < 2; p++) {
    const cfPattern rows = p ? M : J;
    for (int r = 0; r < rows.nr; r++) {
      const int* col = rows.colind + rows.rowadr[r];
      for (int k = 0; k < rows.rownnz[r] * rows.rownnz[r]; k++) {
        entry[col[k / rows.rownnz[r]] * DOFS + col[k % rows.rownnz[r]]] = 1;
      }
    }
  }
  for (int r = DOFS - 1; r >= 0; r--) {
    for (int k = 0; k < r * r; k++) {
      entry[k / r * DOFS + k % r] |= entry[r * DOFS + k / r] & entry[r * DOFS + k % r];
    }
  }
}


// entries of the lower triangle of J'*J
static int countSquare(char* entry, cfPattern J) {
  int count = 0;
  memset(entry, 0, DOFS * DOFS);
  for (int r = 0; r < J.nr; r++) {
    const int *col = J.colind + J.rowadr[r], n = J.rownnz[r];
    for (int k = 0; k < n * n; k++) {
      entry[col[k / n] * DOFS + col[k % n]] = 1;
    }
  }
  for (int k = 0; k < DOFS * DOFS; k++) {
    count += entry[k] && k % DOFS <= k / DOFS;
  }
  return count;
}


CF_TEST(cholSparsePattern__pairs_of_chains_in_a_forest__pattern_of_dense_elimination) {
  static int M_nnz[DOFS], M_adr[DOFS], M_col[DOFS * 8];
  static int J_nnz[BODIES], J_adr[BODIES], J_col[BODIES * 16], J_super[BODIES];
  static int ints[5][DOFS];
  static char entry[DOFS * DOFS];
  mjData* d = newScratch();
  for (int round = 0; round < 20; round++) {
    randomForest(M_nnz, M_adr, M_col);
    const cfPattern M = {DOFS, DOFS, M_nnz, M_adr, M_col, NULL};
    randomPairs(J_nnz, J_adr, J_col, J_super, M);
    const cfPattern J = {BODIES, DOFS, J_nnz, J_adr, J_col, J_super};
    fillDense(entry, J, M);
    mj_markStack(d);
    cfSparseChol s = {DOFS, ints[0], ints[1], ints[2], ints[3], ints[4], NULL, NULL, NULL};
    const int total = cfi_cholSparsePattern(&s, J, M, d);
    int at = 0;
    for (int r = 0; r < DOFS; r++) {
      CF_EQ_INT(s.rowadr[r], at);
      for (int c = 0; c <= r; c++) {
        if (entry[r * DOFS + c]) {
          CF_TRUE(at < total && s.colind[at] == c);
          at++;
        }
      }
      CF_EQ_INT(s.rownnz[r], at - s.rowadr[r]);
    }
    CF_EQ_INT(at, total);
    int square, factor;
    cfi_cholSparseCount(&square, &factor, J, M, d);
    CF_EQ_INT(factor, total);
    CF_EQ_INT(square, countSquare(entry, J));
    mj_freeStack(d);
  }
  deleteScratch(d);
}


CF_TEST(cholSparse__random__equals_reference) {
  typedef int (*factor)(mjtNum*, int, mjtNum, int*, const int*, int*, mjData*);
  typedef int (*update)(mjtNum*, const mjtNum*, int, int, const int*, const int*, const int*, int,
                        const int*, mjData*);
  CF_REFERENCE_AS(factor, mju_cholFactorSparse);
  CF_REFERENCE_AS(update, mju_cholUpdateSparse);
  static Matrix h, g;
  static Factor f;
  static mjtNum A[SIDE * SIDE], L[SIDE * SIDE], ours[SIDE * SIDE], theirs[SIDE * SIDE];
  mjData* d = newScratch();
  for (int n = 2; n <= SIDE; n++) {
    randomSparseSpd(A, n, 0.9);
    lowerOf(&h, A, n);
    mj_markStack(d);
    analyze(&f, &h, d);
    cfi_cholSparseFactor(L, &f.s, h.val, patternOf(&h), mjMINVAL, d);

    // the reference fills in place: give it rows of full width
    g.nr = g.nc = n;
    for (int r = 0; r < n; r++) {
      g.rowadr[r] = r * n;
      g.rownnz[r] = h.rownnz[r];
      mju_copy(g.val + r * n, h.val + h.rowadr[r], h.rownnz[r]);
      cfi_copyInt(g.colind + r * n, h.colind + h.rowadr[r], h.rownnz[r]);
    }
    CF_EQ_INT(ref_mju_cholFactorSparse(g.val, n, mjMINVAL, g.rownnz, g.rowadr, g.colind, d), n);
    mju_sparse2dense(ours, L, n, n, f.s.rownnz, f.s.rowadr, f.s.colind);
    mju_sparse2dense(theirs, g.val, n, n, g.rownnz, g.rowadr, g.colind);
    CF_CLOSE(ours, theirs, n * n, 1e-14);

    mjtNum x[SIDE];
    const int last = n - 1, *ind = f.s.colind + f.s.rowadr[last], nnz = f.s.rownnz[last];
    randomFill(x, nnz);
    cfi_cholUpdateSparse(L, n, f.s.rownnz, f.s.rowadr, f.s.colind, x, ind, nnz, 1, d);
    ref_mju_cholUpdateSparse(g.val, x, n, 1, g.rownnz, g.rowadr, g.colind, nnz, ind, d);
    mju_sparse2dense(ours, L, n, n, f.s.rownnz, f.s.rowadr, f.s.colind);
    mju_sparse2dense(theirs, g.val, n, n, g.rownnz, g.rowadr, g.colind);
    CF_CLOSE(ours, theirs, n * n, 1e-14);
    mj_freeStack(d);
  }
  deleteScratch(d);
}


CF_TEST(cholSparse__rank_deficient__reported) {
  static Matrix h;
  static Factor f;
  const mjtNum A[9] = {1, 1, 0, 1, 1, 0, 0, 0, 2};
  mjtNum L[9];
  mjData* d = newScratch();
  lowerOf(&h, A, 3);
  mj_markStack(d);
  analyze(&f, &h, d);
  CF_EQ_INT(cfi_cholSparseFactor(L, &f.s, h.val, patternOf(&h), 1e-10, d), 2);
  mj_freeStack(d);
  deleteScratch(d);
}


// pattern of a random kinematic tree: every node with its ancestors and descendants
static void randomTree(mjtNum* A, int n) {
  int parent[SIDE];
  mju_zero(A, n * n);
  for (int i = 0; i < n; i++) {
    parent[i] = i == 0 ? -1 : (randomInt(3) ? i - 1 : randomInt(i));
    A[i * n + i] = 3 * n + randomNumber();
    for (int a = parent[i]; a >= 0; a = parent[a]) {
      A[i * n + a] = randomNumber();
      A[a * n + i] = randomNumber();
    }
  }
}


CF_TEST(LUSparse__random_trees__solves_system) {
  static Matrix m;
  mjtNum A[SIDE * SIDE], b[SIDE], x[SIDE], back[SIDE];
  int scratch[SIDE], diag[SIDE];
  for (int n = 1; n <= SIDE; n++) {
    randomTree(A, n);
    fromDense(&m, A, n, n);
    for (int r = 0; r < n; r++) {
      diag[r] = 0;
      while (m.colind[m.rowadr[r] + diag[r]] != r) {
        diag[r]++;
      }
    }
    cfi_factorLUSparse(m.val, patternOf(&m), NULL, n, scratch);
    randomFill(b, n);
    cfi_solveLUSparse(x, m.val, b, patternOf(&m), diag, NULL, n);
    mju_mulMatVec(back, A, x, n, n);
    CF_NEAR_ARRAY(back, b, n, 1e-13);
  }
}


CF_TEST(LUSparse__only_some_rows__others_untouched) {
  static Matrix m;
  enum { N = 6 };
  // two trees: rows 0 2 4 and rows 1 3 5
  mjtNum A[N * N] = {0}, b[N], x[N] = {9, 9, 9, 9, 9, 9}, back[N];
  const int index[3] = {1, 3, 5};
  int scratch[N], diag[N];
  for (int i = 0; i < N * N; i++) {
    A[i] = (i / N + i % N) % 2 ? 0 : (i / N == i % N ? 9 : randomNumber());
  }
  fromDense(&m, A, N, N);
  for (int r = 0; r < N; r++) {
    diag[r] = r / 2;
  }
  const mjtNum kept = m.val[m.rowadr[4]];
  cfi_factorLUSparse(m.val, patternOf(&m), index, 3, scratch);
  randomFill(b, N);
  cfi_solveLUSparse(x, m.val, b, patternOf(&m), diag, index, 3);
  CF_NEAR(m.val[m.rowadr[4]], kept, 0);
  CF_NEAR(x[0], 9, 0);
  x[0] = x[2] = x[4] = 0;
  mju_mulMatVec(back, A, x, N, N);
  for (int k = 0; k < 3; k++) {
    CF_NEAR(back[index[k]], b[index[k]], 1e-14);
  }
}

CF_TEST_MAIN("math/sparse")
