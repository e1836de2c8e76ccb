// The inverse inertia in constraint space, AR = J M^-1 J' + diag(R), for dual solvers.
//
// With M = L'DL, A = B B' where B = J L^-1 D^-1/2.  Sparse: a row of B has the dofs of the row of J
// and all their ancestors, and A couples two rows that have a dof in common.
#include <math.h>
#include <stdint.h>
#include <string.h>

#include <mujoco/mujoco.h>

#include "base/arena.h"
#include "base/assert.h"
#include "constraint/rows.h"
#include "math/dense.h"
#include "math/simd/lane.h"
#include "math/sparse.h"

// rows that are multiplied together
enum { CF_LANE_ROWS = 4 };

// sparse matrix under construction
typedef struct {
  int *rownnz, *rowadr, *colind;
  mjtNum* val;
} cfSparse;


// 1/sqrt of the diagonal of D
static mjtNum* sqrtInverseD(const mjModel* m, mjData* d) {
  mjtNum* res = mj_stackAllocNum(d, m->nv);
  for (int i = 0; i < m->nv; i++) {
    res[i] = 1 / sqrt(d->qLD[m->M_rowadr[i] + m->M_rownnz[i] - 1]);
  }
  return res;
}


// four rows of J, or fewer, to rows of B: eliminate from the last dof down, scale.  lane has four
// numbers for each dof
static void solveFour(const mjModel* m, const mjData* d, mjtNum* B, int row, int count,
                      const mjtNum* scale, mjtNum* lane) {
  const int nv = m->nv;
  const mjtNum* J = d->efc_J + (size_t)row * nv;
  CF_ASSERT(count > 0 && count <= CF_LANE_ROWS);
  const mjtNum *j1 = J + (count > 1 ? nv : 0), *j2 = count > 2 ? j1 + nv : J;
  const mjtNum* j3 = count > 3 ? j2 + nv : J;
  for (int i = 0; i < nv; i++) {
    cfi_laneStore(lane + 4 * i, cfi_laneSet(J[i], j1[i], j2[i], j3[i]));
  }
  for (int i = nv - 1; i >= 0; i--) {
    const cfLane x = cfi_laneLoad(lane + 4 * i);
    const int adr = m->M_rowadr[i], off_diagonal = m->M_rownnz[i] - 1;
    for (int l = adr; l < adr + off_diagonal && cfi_laneAny(x); l++) {
      mjtNum* up = lane + 4 * m->M_colind[l];
      cfi_laneStore(up, cfi_laneSubMul(cfi_laneLoad(up), x, cfi_laneSpread(d->qLD[l])));
    }
  }
  for (int k = 0; k < count; k++) {
    mjtNum* to = B + (size_t)(row + k) * nv;
    for (int i = 0; i < nv; i++) {
      to[i] = lane[4 * i + k] * scale[i];
    }
  }
}


// dense: lower triangle by rows of B, mirrored
static bool projectDense(const mjModel* m, mjData* d, const mjtNum* scale) {
  const int n = d->nefc, nv = m->nv;
  mjtNum* AR = d->efc_AR = cfi_arenaAlloc(d, sizeof(mjtNum) * n * n, _Alignof(mjtNum));
  if (!AR) {
    return false;
  }
  d->nA = n * n;
  mjtNum *B = mj_stackAllocNum(d, (size_t)n * nv), *lane = mj_stackAllocNum(d, 4 * (size_t)nv);
  for (int r = 0; r < n; r += CF_LANE_ROWS) {
    solveFour(m, d, B, r, n - r < CF_LANE_ROWS ? n - r : CF_LANE_ROWS, scale, lane);
  }
  for (int i = 0; i < n; i++) {
    cfi_dotRows(AR + (size_t)i * n, B, nv, i + 1, B + (size_t)i * nv, nv);
    AR[(size_t)i * (n + 1)] += d->efc_R[i];
  }
  cfi_mirrorLower(AR, n);
  return true;
}


// whether a row of J has the columns of the row before
static bool repeatsColumns(const mjData* d, int row) {
  return row > 0 && d->efc_J_rowsuper[row - 1] > 0;
}


// the next dof that the row of L of a dof reaches, -1 if there is none
static inline int nextAncestor(const mjModel* m, int dof) {
  const int nnz = m->M_rownnz[dof];
  return nnz > 1 ? m->M_colind[m->M_rowadr[dof] + nnz - 2] : -1;
}


// mark the dofs of a row of J and all their ancestors; returns their number, and in *is_closed
// whether they are the dofs of J alone, as in contacts
static int markColumns(const mjModel* m, const mjData* d, int row, int* mark, bool* is_closed) {
  CF_ASSERT_INDEX(row, d->nefc);
  const int *dof = d->efc_J_colind + d->efc_J_rowadr[row], n = d->efc_J_rownnz[row];
  int count = n;
  for (int k = 0; k < n; k++) {
    mark[dof[k]] = row;
  }
  for (int k = 0; k < n; k++) {
    for (int up = nextAncestor(m, dof[k]); up >= 0 && mark[up] != row; count++) {
      mark[up] = row;
      up = nextAncestor(m, up);
    }
  }
  *is_closed = count == n;
  return count;
}


// columns of one row of B, increasing: dofs of J and what their rows of L reach
static int listColumns(const mjModel* m, const mjData* d, int row, int* mark, int* col) {
  CF_ASSERT_INDEX(row, d->nefc);
  const int *dof = d->efc_J_colind + d->efc_J_rowadr[row], n = d->efc_J_rownnz[row];
  bool is_closed;
  const int count = markColumns(m, d, row, mark, &is_closed);
  if (col && is_closed) {
    memcpy(col, dof, sizeof(int) * n);
  } else if (col) {
    for (int c = dof[n - 1], k = count; k > 0; c--) {
      if (mark[c] == row) {
        col[--k] = c;
      }
    }
  }
  return count;
}


// one row of B: scatter J, eliminate from the last dof down, gather scaled
static void solveRow(const mjModel* m, const mjData* d, int row, const mjtNum* scale, mjtNum* dense,
                     cfSparse B) {
  const int* col = B.colind + B.rowadr[row];
  const int n = B.rownnz[row];
  CF_ASSERT(n >= d->efc_J_rownnz[row]);
  for (int k = 0; k < n; k++) {
    dense[col[k]] = 0;
  }
  for (int k = 0; k < d->efc_J_rownnz[row]; k++) {
    const int adr = d->efc_J_rowadr[row] + k;
    dense[d->efc_J_colind[adr]] = d->efc_J[adr];
  }
  for (int k = n - 1; k >= 0; k--) {
    const mjtNum x = dense[col[k]];
    const int adr = m->M_rowadr[col[k]], off_diagonal = m->M_rownnz[col[k]] - 1;
    for (int l = 0; x != 0 && l < off_diagonal; l++) {
      dense[m->M_colind[adr + l]] -= d->qLD[adr + l] * x;
    }
  }
  mjtNum* val = B.val + B.rowadr[row];
  for (int k = 0; k < n; k++) {
    val[k] = dense[col[k]] * scale[col[k]];
  }
}


// B = J L^-1 D^-1/2 on the stack
static cfSparse makeB(const mjModel* m, mjData* d, const mjtNum* scale) {
  int n = d->nefc, nv = m->nv, total = 0;
  cfSparse B = {mj_stackAllocInt(d, n), mj_stackAllocInt(d, n), NULL, NULL};
  int* mark = mj_stackAllocInt(d, nv);
  for (int c = 0; c < nv; c++) {
    mark[c] = -1;
  }
  for (int r = 0; r < n; r++) {
    B.rowadr[r] = total;
    B.rownnz[r] = repeatsColumns(d, r) ? B.rownnz[r - 1] : listColumns(m, d, r, mark, NULL);
    total += B.rownnz[r];
  }

  B.colind = mj_stackAllocInt(d, total);
  B.val = mj_stackAllocNum(d, total);
  mjtNum* dense = mj_stackAllocNum(d, nv);
  for (int c = 0; c < nv; c++) {
    mark[c] = -1;
  }
  for (int r = 0; r < n; r++) {
    int* own = B.colind + B.rowadr[r];
    if (repeatsColumns(d, r)) {
      memcpy(own, own - B.rownnz[r], sizeof(int) * B.rownnz[r]);
    } else {
      listColumns(m, d, r, mark, own);
    }
    solveRow(m, d, r, scale, dense, B);
  }
  return B;
}


// transpose of a sparse matrix with n rows and ncol columns
static cfSparse transposed(mjData* d, cfSparse B, int n, int ncol) {
  CF_ASSERT(n >= 0 && ncol >= 0);
  const int total = n ? B.rowadr[n - 1] + B.rownnz[n - 1] : 0;
  const cfSparse T = {mj_stackAllocInt(d, ncol), mj_stackAllocInt(d, ncol),
                      mj_stackAllocInt(d, total), mj_stackAllocNum(d, total)};
  memset(T.rownnz, 0, sizeof(int) * ncol);
  for (int k = 0; k < total; k++) {
    T.rownnz[B.colind[k]]++;
  }
  for (int c = 0, sum = 0; c < ncol; c++) {
    T.rowadr[c] = sum;
    sum += T.rownnz[c];
    T.rownnz[c] = 0;
  }
  for (int r = 0; r < n; r++) {
    for (int k = B.rowadr[r]; k < B.rowadr[r] + B.rownnz[r]; k++) {
      const int c = B.colind[k], at = T.rowadr[c] + T.rownnz[c]++;
      T.colind[at] = r;
      T.val[at] = B.val[k];
    }
  }
  return T;
}


// search for rows that have a dof in common
typedef struct {
  cfSparse B, BT;
  int* mark;      // nefc: last row that met this one
  bool* repeats;  // nv: the column has the rows of the column before
  int nword;      // few rows: words of a set of rows
  uint64_t* set;  // nv x nword: rows of each column
} cfPartnerSearch;


// rows that share a dof with this one, increasing
static int listPartners(const cfPartnerSearch* s, int row, int n, int* partner) {
  CF_ASSERT_INDEX(row, n);
  const int *col = s->B.colind + s->B.rowadr[row], *rowind = s->BT.colind;
  int lowest = n, highest = -1, count = 0;
  for (int k = 0; k < s->B.rownnz[row]; k++) {
    if (k > 0 && s->repeats[col[k]] && col[k] == col[k - 1] + 1) {
      continue;
    }
    const int start = s->BT.rowadr[col[k]], end = start + s->BT.rownnz[col[k]];
    for (int l = start; l < end; l++) {
      s->mark[rowind[l]] = row;
    }
    lowest = rowind[start] < lowest ? rowind[start] : lowest;
    highest = rowind[end - 1] > highest ? rowind[end - 1] : highest;
  }
  for (int r = lowest; r <= highest; r++) {
    if (s->mark[r] == row) {
      if (partner) {
        partner[count] = r;
      }
      count++;
    }
  }
  return count;
}


// words of a set of rows, one bit each; more rows than this are searched for one by one
enum { CF_PARTNER_WORDS = 16, CF_PARTNER_BITS = 64 };

// the rows of each column as a set
static uint64_t* listColumnRows(mjData* d, cfSparse BT, int ncol, int nword) {
  CF_ASSERT(nword > 0 && nword <= CF_PARTNER_WORDS);
  const size_t size = sizeof(uint64_t) * (size_t)ncol * nword;
  uint64_t* set = mj_stackAllocByte(d, size, _Alignof(uint64_t));
  memset(set, 0, size);
  for (int c = 0; c < ncol; c++) {
    for (int l = BT.rowadr[c]; l < BT.rowadr[c] + BT.rownnz[c]; l++) {
      const int row = BT.colind[l];
      set[(size_t)c * nword + row / CF_PARTNER_BITS] |= (uint64_t)1 << (row % CF_PARTNER_BITS);
    }
  }
  return set;
}


// rows that share a dof with this one, increasing, from the sets of its columns
static int collectPartners(const cfPartnerSearch* s, int row, int* partner) {
  uint64_t all[CF_PARTNER_WORDS];
  const int *col = s->B.colind + s->B.rowadr[row], nword = s->nword;
  int count = 0;
  for (int w = 0; w < nword; w++) {
    all[w] = 0;
  }
  for (int k = 0; nword == 1 && k < s->B.rownnz[row]; k++) {
    all[0] |= s->set[col[k]];
  }
  for (int k = 0; nword > 1 && k < s->B.rownnz[row]; k++) {
    for (int w = 0; w < nword; w++) {
      all[w] |= s->set[(size_t)col[k] * nword + w];
    }
  }
  for (int w = 0; w < nword; w++) {
    for (uint64_t bits = all[w]; partner && bits; bits &= bits - 1) {
      *partner++ = w * CF_PARTNER_BITS + __builtin_ctzll(bits);
    }
    count += __builtin_popcountll(all[w]);
  }
  return count;
}


static cfPartnerSearch beginSearch(mjData* d, cfSparse B, cfSparse BT, int ncol) {
  cfPartnerSearch s = {.B = B, .BT = BT, .nword = (d->nefc - 1) / CF_PARTNER_BITS + 1};
  if (s.nword <= CF_PARTNER_WORDS) {
    s.set = listColumnRows(d, BT, ncol, s.nword);
    return s;
  }
  s.mark = mj_stackAllocInt(d, d->nefc);
  s.repeats = mj_stackAllocByte(d, sizeof(bool) * ncol, _Alignof(bool));
  for (int c = 0; c < ncol; c++) {
    const int n = BT.rownnz[c];
    s.repeats[c] = c > 0 && n == BT.rownnz[c - 1] &&
                   !memcmp(BT.colind + BT.rowadr[c], BT.colind + BT.rowadr[c - 1], sizeof(int) * n);
  }
  return s;
}


// rows from this one on that have the same columns, no more than fit a vector
static int rowsAlike(const mjData* d, int row) {
  const int n = d->efc_J_rowsuper[row] + 1;
  return n < CF_LANE_ROWS ? n : CF_LANE_ROWS;
}


// structure of A: rows alike have the same partners; colind NULL: only count
static void listAllPartners(mjData* d, const cfPartnerSearch* s, int* colind) {
  if (!s->set) {
    memset(s->mark, -1, sizeof(int) * d->nefc);
  }
  for (int r = 0, adr = 0; r < d->nefc; r++) {
    int* col = colind ? colind + adr : NULL;
    if (!repeatsColumns(d, r)) {
      d->efc_AR_rownnz[r] = s->set ? collectPartners(s, r, col) : listPartners(s, r, d->nefc, col);
    } else {
      d->efc_AR_rownnz[r] = d->efc_AR_rownnz[r - 1];
      if (col) {
        memcpy(col, col - d->efc_AR_rownnz[r], sizeof(int) * d->efc_AR_rownnz[r]);
      }
    }
    d->efc_AR_rowadr[r] = adr;
    d->nA = adr += d->efc_AR_rownnz[r];
  }
}


// values of one row of A; dense has a number for every column
static void multiplyRow(mjData* d, cfSparse B, cfSparse BT, int row, mjtNum* dense) {
  CF_ASSERT_INDEX(row, d->nefc);
  const int nnz = d->efc_AR_rownnz[row], adr = d->efc_AR_rowadr[row];
  const int* col = d->efc_AR_colind + adr;
  for (int k = 0; k < nnz; k++) {
    dense[col[k]] = 0;
  }
  for (int k = B.rowadr[row]; k < B.rowadr[row] + B.rownnz[row]; k++) {
    const int start = BT.rowadr[B.colind[k]];
    cfi_addToSclScatter(dense, BT.val + start, BT.colind + start, BT.rownnz[B.colind[k]], B.val[k]);
  }
  dense[row] += d->efc_R[row];
  cfi_gather(d->efc_AR + adr, dense, col, nnz);
}


// values of a few rows of A that are alike; dense has a lane for every column, one number per row
static void multiplyRows(mjData* d, cfSparse B, cfSparse BT, int row, int count, mjtNum* dense) {
  int nnz = d->efc_AR_rownnz[row], adr = d->efc_AR_rowadr[row];
  const int* col = d->efc_AR_colind + adr;
  CF_ASSERT(d->efc_AR_rownnz[row + count - 1] == nnz);
  for (int k = 0; k < nnz; k++) {
    cfi_laneStore(dense + CF_LANE_ROWS * col[k], cfi_laneSpread(0));
  }
  for (int k = 0; k < B.rownnz[row]; k++) {
    mjtNum weight[CF_LANE_ROWS] = {0};
    for (int i = 0; i < count; i++) {
      weight[i] = B.val[B.rowadr[row + i] + k];
    }
    const cfLane w = cfi_laneLoad(weight);
    const int c = B.colind[B.rowadr[row] + k];
    for (int l = BT.rowadr[c]; l < BT.rowadr[c] + BT.rownnz[c]; l++) {
      mjtNum* sum = dense + CF_LANE_ROWS * BT.colind[l];
      cfi_laneStore(sum, cfi_laneAddMul(cfi_laneLoad(sum), w, cfi_laneSpread(BT.val[l])));
    }
  }
  for (int i = 0; i < count; i++, adr += nnz) {
    dense[CF_LANE_ROWS * (row + i) + i] += d->efc_R[row + i];
    for (int k = 0; k < nnz; k++) {
      d->efc_AR[adr + k] = dense[CF_LANE_ROWS * col[k] + i];
    }
  }
}


static bool projectSparse(const mjModel* m, mjData* d, const mjtNum* scale) {
  const int n = d->nefc;
  const cfSparse B = makeB(m, d, scale), BT = transposed(d, B, n, m->nv);
  d->efc_AR_rownnz = cfi_arenaAlloc(d, sizeof(int) * n, _Alignof(int));
  d->efc_AR_rowadr = cfi_arenaAlloc(d, sizeof(int) * n, _Alignof(int));
  if (!d->efc_AR_rownnz || !d->efc_AR_rowadr) {
    return false;
  }

  const cfPartnerSearch search = beginSearch(d, B, BT, m->nv);
  listAllPartners(d, &search, NULL);
  const size_t nA = (size_t)d->nA;
  d->efc_AR = cfi_arenaAlloc(d, nA * sizeof(mjtNum), _Alignof(mjtNum));
  d->efc_AR_colind = cfi_arenaAlloc(d, nA * sizeof(int), _Alignof(int));
  if (!d->efc_AR_colind || !d->efc_AR) {
    return false;
  }
  listAllPartners(d, &search, d->efc_AR_colind);
  mjtNum* dense = mj_stackAllocNum(d, CF_LANE_ROWS * (size_t)n);
  for (int r = 0, count; r < n; r += count) {
    count = rowsAlike(d, r);
    if (count == 1) {
      multiplyRow(d, B, BT, r, dense);
    } else {
      multiplyRows(d, B, BT, r, count, dense);
    }
  }
  return true;
}


// stage PROJECT.  reads: efc_J, efc_R, qLD.  writes: nA, efc_AR with its structure; nothing unless
// the solver is dual.
void mj_projectConstraint(const mjModel* m, mjData* d) {
  if (d->nefc == 0 || !mj_isDual(m)) {
    return;
  }
  mj_markStack(d);
  const mjtNum* scale = sqrtInverseD(m, d);
  if (!(mj_isSparse(m) ? projectSparse(m, d, scale) : projectDense(m, d, scale))) {
    cfi_outOfRows(d);
  }
  mj_freeStack(d);
}
