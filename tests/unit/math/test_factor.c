// Factorizations and quadratic programs: dense Cholesky, band Cholesky, box QP, ball QP.
#include "math/dense.h"
#include "math/qcqp.h"
#include "mathtest.h"

enum { SIDE = 45 };

// product of a lower triangle with its transpose
static void lowerSquare(mjtNum* res, const mjtNum* L, int n) {
  for (int r = 0; r < n; r++) {
    for (int c = 0; c < n; c++) {
      res[r * n + c] = 0;
      for (int k = 0; k <= r && k <= c; k++) {
        res[r * n + c] += L[r * n + k] * L[c * n + k];
      }
    }
  }
}

//------------------------------ dense Cholesky
//------------------------------------------------------

CF_TEST(cholFactor__every_size__reproduces_matrix_and_solves) {
  static mjtNum A[SIDE * SIDE], L[SIDE * SIDE], back[SIDE * SIDE], x[SIDE], b[SIDE];
  for (int n = 0; n <= SIDE; n++) {
    randomSpd(A, n);
    memcpy(L, A, sizeof(A));
    CF_EQ_INT(mju_cholFactor(L, n, mjMINVAL), n);
    lowerSquare(back, L, n);
    CF_CLOSE(back, A, n * n, 1e-14);
    randomFill(b, n);
    mju_cholSolve(x, L, b, n);
    mju_mulMatVec(back, A, x, n, n);
    CF_NEAR_ARRAY(back, b, n, 1e-11);
    memcpy(back, b, sizeof(b));
    mju_cholSolve(back, L, back, n);
    CF_EQ_BYTES(back, x, sizeof(mjtNum) * (size_t)n);
  }
}


CF_TEST(cholFactor__upper_triangle__untouched) {
  mjtNum A[49];
  randomSpd(A, 7);
  for (int r = 0; r < 7; r++) {
    for (int c = r + 1; c < 7; c++) {
      A[7 * r + c] = 1000 + 7 * r + c;
    }
  }
  mju_cholFactor(A, 7, mjMINVAL);
  for (int r = 0; r < 7; r++) {
    for (int c = r + 1; c < 7; c++) {
      CF_NEAR(A[7 * r + c], 1000 + 7 * r + c, 0);
    }
  }
}


CF_TEST(cholFactor__rank_two_of_four__reports_two) {
  const mjtNum u[2][4] = {{1, 2, 0, 1}, {0, 1, 1, 3}};
  mjtNum A[16];
  mju_mulMatTMat(A, u[0], u[0], 2, 4, 4);
  CF_EQ_INT(mju_cholFactor(A, 4, 1e-10), 2);
  mjtNum zero[9] = {0};
  CF_EQ_INT(mju_cholFactor(zero, 3, 1e-6), 0);
  CF_NEAR(zero[0], 1e-3, 1e-18);
}


CF_TEST(cholesky__random__equals_reference) {
  CF_REFERENCE(mju_cholFactor);
  CF_REFERENCE(mju_cholSolve);
  CF_REFERENCE(mju_cholUpdate);
  static mjtNum A[SIDE * SIDE], B[SIDE * SIDE], x[SIDE], y[SIDE], b[SIDE];
  for (int n = 1; n <= SIDE; n++) {
    randomSpd(A, n);
    memcpy(B, A, sizeof(A));
    CF_EQ_INT(mju_cholFactor(A, n, mjMINVAL), ref_mju_cholFactor(B, n, mjMINVAL));
    CF_CLOSE(A, B, n * n, 1e-14);
    randomFill(b, n);
    mju_cholSolve(x, A, b, n);
    ref_mju_cholSolve(y, A, b, n);
    // backward substitution in another order: rounding grows with the condition number, up to 1e3
    CF_CLOSE(x, y, n, 1e-12);
    randomSparse(x, n, 0.2);
    memcpy(y, x, sizeof(x));
    memcpy(B, A, sizeof(A));
    CF_EQ_INT(mju_cholUpdate(A, x, n, 1), ref_mju_cholUpdate(B, y, n, 1));
    CF_CLOSE(A, B, n * n, 1e-14);
    // short enough for the matrix to stay positive definite
    randomSparse(x, n, 0.2);
    mju_normalize(x, n);
    mju_scl(x, x, 0.5, n);
    memcpy(y, x, sizeof(x));
    CF_EQ_INT(mju_cholUpdate(A, x, n, 0), ref_mju_cholUpdate(B, y, n, 0));
    CF_CLOSE(A, B, n * n, 1e-13);
  }
}


CF_TEST(cholUpdate__up_and_down__same_factor) {
  enum { N = 13 };
  mjtNum A[N * N], L[N * N], back[N * N], x[N], y[N];
  randomSpd(A, N);
  memcpy(L, A, sizeof(A));
  mju_cholFactor(L, N, mjMINVAL);
  randomFill(x, N);
  memcpy(y, x, sizeof(x));
  CF_EQ_INT(mju_cholUpdate(L, y, N, 1), N);
  lowerSquare(back, L, N);
  for (int i = 0; i < N * N; i++) {
    CF_NEAR(back[i], A[i] + x[i / N] * x[i % N], 1e-13);
  }
  memcpy(y, x, sizeof(x));
  CF_EQ_INT(mju_cholUpdate(L, y, N, 0), N);
  lowerSquare(back, L, N);
  CF_CLOSE(back, A, N * N, 1e-12);
}

//------------------------------ band matrices
//-------------------------------------------------------

// random positive definite matrix with a band and dense last rows, dense storage
static void randomBanded(mjtNum* A, int n, int nband, int ndense) {
  randomSpd(A, n);
  for (int r = 0; r < n; r++) {
    for (int c = 0; c < n; c++) {
      const int low = r > c ? r : c, high = r > c ? c : r;
      if (low < n - ndense && low - high >= nband) {
        A[r * n + c] = 0;
      }
    }
    A[r * n + r] += n;
  }
}


CF_TEST(band__all_shapes__agrees_with_dense) {
  enum { N = 12 };
  for (int nband = 1; nband <= 5; nband++) {
    for (int ndense = 0; ndense <= 4; ndense++) {
      mjtNum A[N * N], band[N * N + 64], back[N * N], L[N * N], x[N], y[N], v[2 * N], w[2 * N];
      randomBanded(A, N, nband, ndense);
      mju_dense2Band(band, A, N, nband, ndense);
      mju_band2Dense(back, band, N, nband, ndense, 1);
      CF_EQ_BYTES(back, A, sizeof(A));
      for (int i = 0; i < N; i++) {
        CF_NEAR(band[mju_bandDiag(i, N, nband, ndense)], A[i * N + i], 0);
      }

      randomFill(v, 2 * N);
      mju_bandMulMatVec(w, band, v, N, nband, ndense, 2, 1);
      for (int k = 0; k < 2; k++) {
        mju_mulMatVec(x, A, v + k * N, N, N);
        CF_CLOSE(w + k * N, x, N, 1e-14);
      }

      // with 0.5 + 0.1*diagonal added
      memcpy(L, A, sizeof(A));
      for (int i = 0; i < N; i++) {
        L[i * N + i] += 0.5 + 0.1 * A[i * N + i];
      }
      mju_cholFactor(L, N, mjMINVAL);
      CF_TRUE(mju_cholFactorBand(band, N, nband, ndense, 0.5, 0.1) > 0);
      mju_band2Dense(back, band, N, nband, ndense, 0);
      for (int i = 0; i < N * N; i++) {
        CF_NEAR(back[i], i % N <= i / N ? L[i] : 0, 1e-14);
      }
      mju_cholSolveBand(x, band, v, N, nband, ndense);
      mju_cholSolve(y, L, v, N);
      CF_CLOSE(x, y, N, 1e-14);
    }
  }
}


CF_TEST(band__random__equals_reference) {
  CF_REFERENCE(mju_cholFactorBand);
  CF_REFERENCE(mju_cholSolveBand);
  CF_REFERENCE(mju_band2Dense);
  CF_REFERENCE(mju_dense2Band);
  CF_REFERENCE(mju_bandMulMatVec);
  CF_REFERENCE(mju_bandDiag);
  enum { N = 14 };
  for (int round = 0; round < 60; round++) {
    const int nband = 1 + randomInt(6), ndense = randomInt(5), sym = round % 2;
    mjtNum A[N * N], x[N * N + 96] = {0}, y[N * N + 96] = {0}, v[2 * N], p[2 * N], q[2 * N];
    mjtNum big[2][N * N];
    const int size = (N - ndense) * nband + ndense * N;
    randomBanded(A, N, nband, ndense);
    mju_dense2Band(x, A, N, nband, ndense);
    ref_mju_dense2Band(y, A, N, nband, ndense);
    CF_CLOSE(x, y, size, 0);
    mju_band2Dense(big[0], x, N, nband, ndense, (mjtByte)sym);
    ref_mju_band2Dense(big[1], y, N, nband, ndense, (mjtByte)sym);
    CF_CLOSE(big[0], big[1], N * N, 0);
    randomFill(v, 2 * N);
    mju_bandMulMatVec(p, x, v, N, nband, ndense, 2, (mjtByte)sym);
    ref_mju_bandMulMatVec(q, y, v, N, nband, ndense, 2, (mjtByte)sym);
    CF_CLOSE(p, q, 2 * N, 1e-14);
    CF_NEAR(mju_cholFactorBand(x, N, nband, ndense, 0.3, 0.2),
            ref_mju_cholFactorBand(y, N, nband, ndense, 0.3, 0.2), 1e-13);
    CF_CLOSE(x, y, size, 1e-14);
    mju_cholSolveBand(p, x, v, N, nband, ndense);
    ref_mju_cholSolveBand(q, y, v, N, nband, ndense);
    CF_CLOSE(p, q, N, 1e-14);
    for (int i = 0; i < N; i++) {
      CF_EQ_INT(mju_bandDiag(i, N, nband, ndense), ref_mju_bandDiag(i, N, nband, ndense));
    }
  }
}


CF_TEST(cholFactorBand__singular__returns_zero) {
  mjtNum band[6] = {0, 1, 1, 1, 0, 1};  // rows (.,1) (1,1) (0,1): the second pivot vanishes
  CF_NEAR(mju_cholFactorBand(band, 3, 2, 0, 0, 0), 0, 0);
}

//------------------------------ box QP
//--------------------------------------------------------------

CF_TEST(boxQP__random_bounds__optimality_conditions_hold) {
  enum { N = 16 };
  for (int round = 0; round < 100; round++) {
    const int n = 1 + randomInt(N);
    mjtNum H[N * N], g[N], lower[N], upper[N], x[N], R[N * (N + 7)], slope[N];
    int index[N];
    randomSpd(H, n);
    randomFill(g, n);
    for (int i = 0; i < n; i++) {
      lower[i] = -0.2 - 0.1 * randomNumber();
      upper[i] = 0.2 + 0.1 * randomNumber();
      x[i] = randomNumber();
    }
    const int nfree = mju_boxQP(x, R, index, H, g, n, lower, upper);
    CF_TRUE(nfree >= 0 && nfree <= n);
    mju_mulMatVec(slope, H, x, n, n);
    mju_addTo(slope, g, n);
    int k = 0;
    for (int i = 0; i < n; i++) {
      CF_TRUE(x[i] >= lower[i] && x[i] <= upper[i]);
      if (k < nfree && index[k] == i) {
        CF_NEAR(slope[i], 0, 1e-7);
        k++;
      } else {
        CF_TRUE(x[i] == lower[i] ? slope[i] > 0 : x[i] == upper[i] && slope[i] < 0);
      }
    }
    CF_EQ_INT(k, nfree);
  }
}


CF_TEST(boxQP__random__equals_reference) {
  CF_REFERENCE(mju_boxQP);
  enum { N = 16 };
  for (int round = 0; round < 200; round++) {
    const int n = 1 + randomInt(N);
    mjtNum H[N * N], g[N], low[N], high[N], x[N], y[N], R[2][N * (N + 7)];
    int index[2][N];
    randomSpd(H, n);
    randomFill(g, n);
    for (int i = 0; i < n; i++) {
      low[i] = -0.2 - 0.1 * randomNumber();
      high[i] = 0.2 + 0.1 * randomNumber();
      x[i] = y[i] = randomNumber();
    }
    const mjtNum *lower = round % 3 == 1 ? NULL : low, *upper = round % 5 < 2 ? NULL : high;
    const int nfree = mju_boxQP(x, R[0], index[0], H, g, n, lower, upper);
    CF_EQ_INT(nfree, ref_mju_boxQP(y, R[1], index[1], H, g, n, lower, upper));
    // solutions of linear systems with condition numbers up to 1e3
    CF_NEAR_ARRAY(x, y, n, 1e-12);
    for (int k = 0; k < nfree; k++) {
      CF_EQ_INT(index[0][k], index[1][k]);
      CF_NEAR_ARRAY(R[0] + k * nfree, R[1] + k * nfree, k + 1, 1e-13);
    }
  }
}


CF_TEST(boxQP__not_positive_definite__reports_failure) {
  mjtNum H[4] = {1, 0, 0, -1}, g[2] = {1, 1}, x[2] = {0, 0}, R[18];
  const mjtNum lower[2] = {-1, -1}, upper[2] = {1, 1};
  CF_EQ_INT(mju_boxQP(x, R, NULL, H, g, 2, NULL, NULL), -1);
  x[0] = x[1] = 0;
  CF_EQ_INT(mju_boxQP(x, R, NULL, H, g, 2, lower, upper), -1);
}


static size_t bytes_asked;

static void* countBytes(size_t size) {
  bytes_asked += size;
  void* p = NULL;
  return posix_memalign(&p, 64, size) ? NULL : p;
}


// n + n (n + 7) + n + n n + n + n + n numbers; absent arrays are neither allocated nor written
CF_TEST(boxQPmalloc__optional_arrays__left_alone_when_absent) {
  enum { N = 3, R_SIZE = N * (N + 7) };
  mjtNum *res, *R, *H, *g, *lower = NULL, *upper = NULL;
  int* index = NULL;
  mju_user_malloc = countBytes;
  mju_user_free = free;
  bytes_asked = 0;
  mju_boxQPmalloc(&res, &R, &index, &H, &g, N, &lower, &upper);
  CF_TRUE(bytes_asked >= sizeof(mjtNum) * (N + R_SIZE + N * N + 3 * N) + sizeof(int) * N);
  CF_TRUE(res && R && H && g && lower && upper && index);
  memset(R, 0, sizeof(mjtNum) * R_SIZE);
  memset(index, 0, sizeof(int) * N);
  mju_free(res), mju_free(R), mju_free(index), mju_free(H), mju_free(g);
  mju_free(lower), mju_free(upper);
  const size_t with_all = bytes_asked;
  bytes_asked = 0;
  mju_boxQPmalloc(&res, &R, NULL, &H, &g, N, NULL, NULL);
  CF_EQ_INT(with_all - bytes_asked, sizeof(mjtNum) * 2 * N + sizeof(int) * N);
  mju_free(res), mju_free(R), mju_free(H), mju_free(g);
  mju_user_malloc = NULL;
  mju_user_free = NULL;
}

//------------------------------ ball QP
//-------------------------------------------------------------

// |x/d|
static double scaledNorm(const mjtNum* x, const mjtNum* d, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) {
    sum += x[i] / d[i] * x[i] / d[i];
  }
  return sqrt(sum);
}


CF_TEST(QCQP__random__inside_or_on_the_ball_and_dimensions_agree) {
  for (int round = 0; round < 300; round++) {
    const int n = 2 + round % 4;
    mjtNum A[25], b[5], d[5], x[5], y[5];
    randomSpd(A, n);
    randomFill(b, n);
    for (int i = 0; i < n; i++) {
      d[i] = 0.6 + 0.4 * randomNumber();
    }
    const mjtNum r = 0.4 + 0.3 * randomNumber();
    const int active = cfi_QCQP(x, A, b, d, r, n);
    CF_TRUE(scaledNorm(x, d, n) <= r + 1e-4);
    if (!active) {
      mju_mulMatVec(y, A, x, n, n);
      mju_addTo(y, b, n);
      CF_NEAR(mju_norm(y, n), 0, 1e-10);
    } else {
      CF_NEAR(scaledNorm(x, d, n), r, 1e-3);
    }
    if (n <= 3) {
      CF_EQ_INT(n == 2 ? cfi_QCQP2(y, A, b, d, r) : cfi_QCQP3(y, A, b, d, r), active);
      CF_NEAR_ARRAY(x, y, n, 1e-9);
    }
  }
}


CF_TEST(QCQP__two_and_three__equals_reference) {
  typedef int (*solver)(mjtNum*, const mjtNum*, const mjtNum*, const mjtNum*, mjtNum);
  CF_REFERENCE_AS(solver, mju_QCQP2);
  CF_REFERENCE_AS(solver, mju_QCQP3);
  for (int round = 0; round < 300; round++) {
    mjtNum A[9], b[3], d[3], x[3], y[3];
    const mjtNum r = 0.3 * (1 + randomNumber());
    randomFill(b, 3);
    randomFill(d, 3);
    randomSpd(A, 2);
    CF_EQ_INT(cfi_QCQP2(x, A, b, d, r), ref_mju_QCQP2(y, A, b, d, r));
    CF_CLOSE(x, y, 2, 1e-14);
    randomSpd(A, 3);
    CF_EQ_INT(cfi_QCQP3(x, A, b, d, r), ref_mju_QCQP3(y, A, b, d, r));
    CF_CLOSE(x, y, 3, 1e-14);
  }
}


CF_TEST(QCQP__singular__zero) {
  const mjtNum A[25] = {0}, b[5] = {1, 1, 1, 1, 1}, d[5] = {1, 1, 1, 1, 1};
  mjtNum x[5] = {7, 7, 7, 7, 7};
  CF_EQ_INT(cfi_QCQP2(x, A, b, d, 1), 0);
  CF_NEAR(x[0], 0, 0);
  CF_EQ_INT(cfi_QCQP3(x, A, b, d, 1), 0);
  CF_NEAR(x[2], 0, 0);
  CF_EQ_INT(cfi_QCQP(x, A, b, d, 1, 5), 0);
  CF_NEAR(x[4], 0, 0);
}

CF_TEST_MAIN("math/factor")
