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


// sparse times sparse
mjtNum cfi_dotSparse2(const mjtNum* vec1, const int* ind1, int nnz1, const mjtNum* vec2,
                      const int* ind2, int nnz2);

// size of the union of two index lists
int cfi_countUnion(const int* a, int na, const int* b, int nb);

// union of two index lists; returns its size
int cfi_mergeIndices(int* res, const int* a, int na, const int* b, int nb);

// dst = a*dst + b*src, in place; dst and dst_ind have room for the union; returns the new size
int cfi_combineSparse(mjtNum* dst, int* dst_ind, int dst_nnz, mjtNum a, const mjtNum* src,
                      const int* src_ind, int src_nnz, mjtNum b);

// the same for nrow dense rows over one index list: dst (nrow x dst_nnz) += scl*src (nrow x
// src_nnz)
int cfi_addToSparseRows(mjtNum* dst, int* dst_ind, int dst_nnz, const mjtNum* src,
                        const int* src_ind, int src_nnz, int nrow, mjtNum scl);

// dst += scl*src where both have an entry; dst keeps its indices
void cfi_addToSclSparseInc(mjtNum* dst, const int* dst_ind, int dst_nnz, const mjtNum* src,
                           const int* src_ind, int src_nnz, mjtNum scl);

//------------------------------ matrices
//------------------------------------------------------------

// res = mat*vec; rowsuper of the pattern makes it faster, not different
void cfi_mulMatVecSparse(mjtNum* res, const mjtNum* mat, const mjtNum* vec, cfPattern p);

// res = mat'*vec; rows with vec zero are skipped
void cfi_mulMatTVecSparse(mjtNum* res, const mjtNum* mat, const mjtNum* vec, cfPattern p);

// res = A*vec, A symmetric, its lower triangle given with the diagonal last in each row
void cfi_mulSymVecSparse(mjtNum* res, const mjtNum* mat, const mjtNum* vec, cfPattern p);

// dense n x n res += symmetric sparse lower triangle; the strict upper triangle of res on request
void cfi_addToSymSparse(mjtNum* res, const mjtNum* mat, cfPattern p, int with_upper);

// sparse dst += mat row by row; dst has room in each row for the union
void cfi_addToMatSparse(mjtNum* dst, int* rownnz, const int* rowadr, int* colind, const mjtNum* mat,
                        cfPattern p);

// move rows together, dropping entries with |value| <= minval (none when minval < 0); returns total
int cfi_compressSparse(mjtNum* mat, int nr, int* rownnz, int* rowadr, int* colind, mjtNum minval);

// transpose; res and mat may be NULL for the pattern alone; res_rowsuper may be NULL.
// mat and p.colind start at the address rowadr[0].
void cfi_transposeSparse(mjtNum* res, int* res_rownnz, int* res_rowadr, int* res_colind,
                         int* res_rowsuper, const mjtNum* mat, cfPattern p);

// rowsuper[r]: how many of the rows that follow row r have its columns
void cfi_superSparse(int* rowsuper, int nr, const int* rownnz, const int* rowadr,
                     const int* colind);

// map[k] = address in src of the entry at address k of res; every entry of res must be in src
void cfi_sparseMap(int* map, cfPattern res, cfPattern src);

// the same from a lower triangle to a symmetric matrix, -1 where src has nothing; cursor: nr ints
void cfi_lower2SymMap(int* map, cfPattern res, cfPattern src, int* cursor);

//------------------------------ J'*D*J
//--------------------------------------------------------------

// sizes of the lower triangle (or all) of J'*J: fills rownnz and rowadr, returns the total.
// J is given by rows (p) and by columns (pT, its transpose)
int cfi_sqrMatTDSparseCount(int* rownnz, int* rowadr, cfPattern p, cfPattern pT, int with_upper,
                            mjData* d);

// columns of the rows, given rowadr; with diagind also the upper triangle, and diagind[r] is the
// address of the diagonal of row r
void cfi_sqrMatTDSparsePattern(int* rownnz, const int* rowadr, int* colind, int* diagind,
                               cfPattern p, cfPattern pT, mjData* d);

// values of the lower triangle in a pattern that holds at least the pattern of J'*J; entries beyond
// it become zero; diag NULL for ones; matT are the values of the transpose
void cfi_sqrMatTDSparseValues(mjtNum* res, cfPattern res_p, const mjtNum* diag, const mjtNum* mat,
                              cfPattern p, const mjtNum* matT, cfPattern pT, mjData* d);

// pattern and values in one call; with diagind the upper triangle too
void cfi_sqrMatTDSparse(mjtNum* res, int* rownnz, const int* rowadr, int* colind, int* diagind,
                        const mjtNum* diag, const mjtNum* mat, cfPattern p, const mjtNum* matT,
                        cfPattern pT, mjData* d);

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

// fill rownnz, rowadr, colnnz, coladr from the upper triangle of the matrix (entries on or below
// the diagonal are ignored); returns the number of entries of L, the size of colind, rowind and
// place
int cfi_cholSparseCount(cfSparseChol* s, cfPattern upper, mjData* d);

// fill colind, rowind, place and nested
void cfi_cholSparseFill(cfSparseChol* s, cfPattern upper, mjData* d);

// all of it for M + J'*J, M given by its lower triangle: colind, rowind and place are taken from
// the stack of d, where scratch stays behind them until the caller's mark; returns the number of
// entries
int cfi_cholSparsePattern(cfSparseChol* s, cfPattern J, cfPattern M, mjData* d);

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
