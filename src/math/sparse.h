// Sparse vectors and matrices in compressed rows: row r has rownnz[r] entries at rowadr[r], columns
// in increasing order.  Rows may have gaps behind them.
#ifndef CF_MATH_SPARSE_H
#define CF_MATH_SPARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <mujoco/mjdata.h>
#include <mujoco/mjtnum.h>

// where the entries of a matrix are
typedef struct {
  int nr, nc;
  const int *rownnz, *rowadr, *colind;
  const int* rowsuper;  // how many of the next rows have the same columns; may be NULL
} cfPattern;

// strictly ascending, as the columns of every sparse row are
static inline bool cfi_isAscending(const int* list, int n) {
  for (int k = 1; k < n; k++) {
    if (list[k - 1] >= list[k]) {
      return false;
    }
  }
  return true;
}


//------------------------------ vectors
//-------------------------------------------------------------

// sparse (vec1 at ind1) times dense; four partial sums, then the rest one by one
static inline mjtNum cfi_dotSparse(const mjtNum* vec1, const mjtNum* vec2, int nnz1,
                                   const int* ind1) {
  mjtNum s[4] = {0, 0, 0, 0};
  const int whole = nnz1 & ~3;
  for (int i = 0; i < whole; i += 4) {
    for (int k = 0; k < 4; k++) {
      s[k] += vec1[i + k] * vec2[ind1[i + k]];
    }
  }
  mjtNum sum = (s[0] + s[2]) + (s[1] + s[3]);
  for (int i = whole; i < nnz1; i++) {
    sum += vec1[i] * vec2[ind1[i]];
  }
  return sum;
}


// dense res += scl times sparse (vec at ind)
static inline void cfi_addToSclScatter(mjtNum* res, const mjtNum* vec, const int* ind, int nnz,
                                       mjtNum scl) {
  for (int i = 0; i < nnz; i++) {
    res[ind[i]] += vec[i] * scl;
  }
}


static inline int cfi_sameIndices(const int* a, const int* b, int n) {
  return memcmp(a, b, (size_t)n * sizeof(int)) == 0;
}


//------------------------------ matrices
//------------------------------------------------------------

// res = mat*vec; rowsuper of the pattern makes it faster, not different
void cfi_mulMatVecSparse(mjtNum* res, const mjtNum* mat, const mjtNum* vec, cfPattern p);

// res = mat'*vec; rows with vec zero are skipped
void cfi_mulMatTVecSparse(mjtNum* res, const mjtNum* mat, const mjtNum* vec, cfPattern p);

// res = A*vec, A symmetric, its lower triangle given with the diagonal last in each row
void cfi_mulSymVecSparse(mjtNum* res, const mjtNum* mat, const mjtNum* vec, cfPattern p);

// transpose; res and mat may be NULL for the pattern alone; res_rowsuper may be NULL.
// mat and p.colind start at the address rowadr[0].
void cfi_transposeSparse(mjtNum* res, int* res_rownnz, int* res_rowadr, int* res_colind,
                         int* res_rowsuper, const mjtNum* mat, cfPattern p);

//------------------------------ J'*D*J
//--------------------------------------------------------------

// entries of the lower triangle of J'*J; J is given by rows (p) and by columns (pT, its transpose)
int cfi_sqrMatTDSparseCount(cfPattern p, cfPattern pT, mjData* d);

// values of the lower triangle in a pattern that holds at least the pattern of J'*J; entries beyond
// it become zero; diag NULL for ones; matT are the values of the transpose
void cfi_sqrMatTDSparseValues(mjtNum* res, cfPattern res_p, const mjtNum* diag, const mjtNum* mat,
                              cfPattern p, const mjtNum* matT, cfPattern pT, mjData* d);

//------------------------------ factorizations
//------------------------------------------------------

// structure of the reverse Cholesky factor, mat = L'*L with L lower triangular
typedef struct {
  int n;
  int *rownnz, *rowadr;  // rows of L, n each
  int *colnnz, *coladr;  // strictly lower columns of L, n each
  int* nested;           // n: 1 where row r+1 is row r and its own diagonal
  int* colind;           // columns, diagonal last in each row
  int *rowind, *place;   // of each column entry: its row and its address in L
} cfSparseChol;

// the structure for M + J'*J, M given by its lower triangle: colind, rowind and place are taken
// from the stack of d, where scratch stays behind them until the caller's mark; returns the number
// of entries
int cfi_cholSparsePattern(cfSparseChol* s, cfPattern J, cfPattern M, mjData* d);

// how many entries the lower triangles of J'*J and of the factor of M + J'*J have
void cfi_cholSparseCount(int* square, int* factor, cfPattern J, cfPattern M, mjData* d);

// the part of it that follows from the rows: rowind, place and nested; scratch: n ints
void cfi_cholSparseColumns(cfSparseChol* s, int* scratch);

// numbers of L from the lower triangle of the matrix; returns the rank
int cfi_cholSparseFactor(mjtNum* L, const cfSparseChol* s, const mjtNum* mat, cfPattern lower,
                         mjtNum mindiag, mjData* d);

// L'*L*res = vec
void cfi_cholSolveSparse(mjtNum* res, const mjtNum* L, const mjtNum* vec, int n, const int* rownnz,
                         const int* rowadr, const int* colind);

// L'*L +- x*x' for sparse x whose entries fit into the pattern of L; returns the rank
int cfi_cholUpdateSparse(mjtNum* L, int n, const int* rownnz, const int* rowadr, const int* colind,
                         const mjtNum* x, const int* x_ind, int x_nnz, int is_plus, mjData* d);

// mat = (U+I)*L in place, last row first, for a symmetric pattern without fill-in (kinematic
// trees); the count rows in index, or the first count rows when index is NULL; scratch: p.nr ints
void cfi_factorLUSparse(mjtNum* LU, cfPattern p, const int* index, int count, int* scratch);

// (U+I)*L*res = vec for the same rows; diag[r] is the position of the diagonal in row r
void cfi_solveLUSparse(mjtNum* res, const mjtNum* LU, const mjtNum* vec, cfPattern p,
                       const int* diag, const int* index, int count);

#endif  // CF_MATH_SPARSE_H
