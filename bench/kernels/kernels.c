// Time of the hot kernels against the reference library, nanoseconds per call, best of several
// runs.
//   kernels libmujoco.so.3.5.0
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <mujoco/mujoco.h>

#include "math/sparse.h"

enum { MAX = 64, ROWS = 256 };
static mjtNum A[ROWS * MAX], S[MAX * MAX], L[MAX * MAX], M[MAX * MAX], v[ROWS], w[ROWS], x[ROWS];
static mjtNum D[ROWS], matT[ROWS * MAX], mat[ROWS * MAX], H[MAX * MAX];
static int rownnz[ROWS], rowadr[ROWS], colind[ROWS * MAX], super[ROWS];
static int nnzT[MAX], adrT[MAX], indT[ROWS * MAX], superT[MAX], h_nnz[MAX], h_adr[MAX];
static int h_ind[MAX * MAX];
static mjData d;

typedef struct {
  __typeof__(mju_dot)* dot;
  __typeof__(mju_addToScl)* addToScl;
  __typeof__(mju_mulMatVec)* mulMatVec;
  __typeof__(mju_mulMatTVec)* mulMatTVec;
  __typeof__(mju_mulMatMat)* mulMatMat;
  __typeof__(mju_cholFactor)* cholFactor;
  __typeof__(mju_cholSolve)* cholSolve;
  __typeof__(mju_cholUpdate)* cholUpdate;
  __typeof__(mju_sqrMatTD)* sqrMatTD;
  void (*mulMatVecSparse)(mjtNum*, const mjtNum*, const mjtNum*, int, const int*, const int*,
                          const int*, const int*);
  void (*sqrMatTDSparse)(mjtNum*, const mjtNum*, const mjtNum*, const mjtNum*, int, int, int*,
                         const int*, int*, const int*, const int*, const int*, const int*,
                         const int*, const int*, const int*, const int*, mjData*, int*);
} Library;


static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}


static cfPattern rows(int nr, int nc) {
  return (cfPattern){nr, nc, rownnz, rowadr, colind, super};
}


static void ourMulMatVecSparse(mjtNum* res, const mjtNum* m, const mjtNum* vec, int nr,
                               const int* nnz, const int* adr, const int* ind, const int* sup) {
  cfi_mulMatVecSparse(res, m, vec, (cfPattern){nr, 0, nnz, adr, ind, sup});
}


// as the Newton solver does it: the values in the pattern of the factor, which is found first
static void ourSqrMatTDSparse(mjtNum* res, const mjtNum* m, const mjtNum* mT, const mjtNum* diag,
                              int nr, int nc, int* res_nnz, const int* res_adr, int* res_ind,
                              const int* nnz, const int* adr, const int* ind, const int* sup,
                              const int* nT, const int* aT, const int* iT, const int* sT,
                              mjData* data, int* diagind) {
  (void)res_adr, (void)res_ind, (void)diagind;
  static const int none[MAX];
  static int starts[MAX], lists[3][MAX];
  const cfPattern J = {nr, nc, nnz, adr, ind, sup}, empty = {nc, nc, none, none, none, NULL};
  mj_markStack(data);
  cfSparseChol factor = {.n = nc,
                         .rownnz = res_nnz,
                         .rowadr = starts,
                         .colnnz = lists[0],
                         .coladr = lists[1],
                         .nested = lists[2]};
  cfi_cholSparsePattern(&factor, J, empty, data);
  cfi_sqrMatTDSparseValues(res, (cfPattern){nc, nc, res_nnz, starts, factor.colind, NULL}, diag, m,
                           J, mT, (cfPattern){nc, nr, nT, aT, iT, sT}, data);
  mj_freeStack(data);
}


enum {
  DOT,
  ADD,
  MULV,
  MULTV,
  MULMM,
  FACTOR,
  SOLVE,
  UPDATE,
  SQUARE,
  SPARSE_MULV,
  SPARSE_SQUARE,
  NKERNEL
};
static const char* const names[NKERNEL] = {"dot",
                                           "addToScl",
                                           "mulMatVec (4n x n)",
                                           "mulMatTVec (4n x n)",
                                           "mulMatMat (n x n)",
                                           "cholFactor",
                                           "cholSolve",
                                           "cholUpdate",
                                           "sqrMatTD (2n x n)",
                                           "sparse mulMatVec",
                                           "sparse J'DJ (+ L)"};


static void call(const Library* l, int kernel, int n) {
  const int nr = 4 * n > ROWS ? ROWS : 4 * n;
  switch (kernel) {
    case DOT:
      x[0] += l->dot(v, w, n);
      break;
    case ADD:
      l->addToScl(x, w, 1e-9, n);
      break;
    case MULV:
      l->mulMatVec(x, A, v, nr, n);
      break;
    case MULTV:
      l->mulMatTVec(x, A, v, nr, n);
      break;
    case MULMM:
      l->mulMatMat(H, A, S, n, n, n);
      break;
    case FACTOR:
      memcpy(L, S, sizeof(mjtNum) * (size_t)(n * n));
      l->cholFactor(L, n, mjMINVAL);
      break;
    case SOLVE:
      l->cholSolve(x, M, v, n);
      break;
    case UPDATE:
      memcpy(L, M, sizeof(mjtNum) * (size_t)(n * n));
      memcpy(x, v, sizeof(mjtNum) * (size_t)n);
      l->cholUpdate(L, x, n, 1);
      break;
    case SQUARE:
      l->sqrMatTD(H, A, D, 2 * n, n);
      break;
    case SPARSE_MULV:
      l->mulMatVecSparse(x, mat, v, nr, rownnz, rowadr, colind, super);
      break;
    default:
      l->sqrMatTDSparse(H, mat, matT, D, nr, n, h_nnz, h_adr, h_ind, rownnz, rowadr, colind, super,
                        nnzT, adrT, indT, superT, &d, NULL);
  }
}


static double best(const Library* l, int kernel, int n) {
  double least = 1e30;
  int repeat = 4;
  for (int run = 0; run < 12; run++) {
    const double start = now();
    for (int k = 0; k < repeat; k++) {
      call(l, kernel, n);
    }
    const double spent = now() - start;
    if (spent < 2e5) {
      repeat *= 4;
      run = run > 0 ? run - 1 : 0;
      if (repeat > (1 << 20)) {
        repeat = 1 << 20;
      }
      least = spent / repeat * 4 < least ? least : least;
      continue;
    }
    least = spent / repeat < least ? spent / repeat : least;
  }
  return least;
}


static double uniform(void) {
  return 2.0 * rand() / RAND_MAX - 1;
}


// contact-like Jacobian: groups of three rows over a base of six columns and one limb
static void prepare(int n) {
  const int nr = 4 * n > ROWS ? ROWS : 4 * n;
  for (int k = 0; k < ROWS; k++) {
    v[k] = uniform(), w[k] = uniform(), D[k] = k % 4 ? 1 + uniform() : 0;
  }
  for (int r = 0; r < nr; r++) {
    const int limb = 6 + 6 * (r / 3 % 4);
    for (int c = 0; c < n; c++) {
      A[r * n + c] = c < 6 || (c >= limb && c < limb + 6) ? uniform() : 0;
    }
  }
  mju_mulMatTMat(S, A, A, nr, n, n);
  for (int k = 0; k < n; k++) {
    S[k * (n + 1)] += 1;
  }
  memcpy(M, S, sizeof(S));
  mju_cholFactor(M, n, mjMINVAL);
  mju_dense2sparse(mat, A, nr, n, rownnz, rowadr, colind, ROWS * MAX);
  for (int r = nr - 1; r >= 0; r--) {
    const int same = r + 1 < nr && rownnz[r] == rownnz[r + 1] &&
                     cfi_sameIndices(colind + rowadr[r], colind + rowadr[r + 1], rownnz[r]);
    super[r] = same ? super[r + 1] + 1 : 0;
  }
  cfi_transposeSparse(matT, nnzT, adrT, indT, superT, mat, rows(nr, n));
  for (int r = 0; r < n; r++) {
    h_adr[r] = r * n;
  }
}


int main(int argc, char** argv) {
  Library ours = {mju_dot,       mju_addToScl,       mju_mulMatVec,    mju_mulMatTVec,
                  mju_mulMatMat, mju_cholFactor,     mju_cholSolve,    mju_cholUpdate,
                  mju_sqrMatTD,  ourMulMatVecSparse, ourSqrMatTDSparse};
  Library theirs;
  void* handle = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND) : NULL;
  if (!handle) {
    fprintf(stderr, "usage: kernels REFERENCE_LIBRARY\n");
    return 2;
  }
  static const char* const symbols[NKERNEL] = {
      "mju_dot",       "mju_addToScl",        "mju_mulMatVec",     "mju_mulMatTVec",
      "mju_mulMatMat", "mju_cholFactor",      "mju_cholSolve",     "mju_cholUpdate",
      "mju_sqrMatTD",  "mju_mulMatVecSparse", "mju_sqrMatTDSparse"};
  for (int k = 0; k < NKERNEL; k++) {
    void* symbol = dlsym(handle, symbols[k]);
    memcpy((char*)&theirs + (size_t)k * sizeof(symbol), &symbol, sizeof(symbol));
  }
  d.narena = 1 << 22;
  d.arena = malloc((size_t)d.narena);

  static const int sizes[] = {6, 12, 18, 27, 35, 60};
  printf("%-22s %4s %10s %10s %7s\n", "kernel", "n", "ours ns", "theirs ns", "ratio");
  for (int k = 0; k < NKERNEL; k++) {
    for (int s = 0; s < 6; s++) {
      prepare(sizes[s]);
      const double a = best(&ours, k, sizes[s]), b = best(&theirs, k, sizes[s]);
      printf("%-22s %4d %10.1f %10.1f %7.2f\n", names[k], sizes[s], a, b, b / a);
    }
  }
  free(d.arena);
  return 0;
}
