// Vectors and dense matrices: against the reference, kernels against their scalar twins,
// identities.
#include "math/dense.h"
#include "math/inline.h"
#include "math/scan.h"
#include "mathtest.h"

enum { ROUNDS = 200, MAX = 48 };

//------------------------------ three numbers
//-------------------------------------------------------

CF_TEST(vector3__random__equals_reference) {
  CF_REFERENCE(mju_zero3);
  CF_REFERENCE(mju_copy3);
  CF_REFERENCE(mju_scl3);
  CF_REFERENCE(mju_add3);
  CF_REFERENCE(mju_sub3);
  CF_REFERENCE(mju_addTo3);
  CF_REFERENCE(mju_subFrom3);
  CF_REFERENCE(mju_addToScl3);
  CF_REFERENCE(mju_addScl3);
  CF_REFERENCE(mju_normalize3);
  CF_REFERENCE(mju_norm3);
  CF_REFERENCE(mju_dot3);
  CF_REFERENCE(mju_dist3);
  CF_REFERENCE(mju_mulMatVec3);
  CF_REFERENCE(mju_mulMatTVec3);
  CF_REFERENCE(mju_cross);
  for (int round = 0; round < ROUNDS; round++) {
    mjtNum a[3], b[3], m[9], x[3], y[3];
    const mjtNum s = randomNumber();
    randomFill(a, 3);
    randomFill(b, 3);
    randomFill(m, 9);
#define SAME(call_ours, call_theirs) \
  mju_copy3(x, b);                   \
  mju_copy3(y, b);                   \
  call_ours;                         \
  call_theirs;                       \
  CF_CLOSE(x, y, 3, 1e-15)
    SAME(mju_zero3(x), ref_mju_zero3(y));
    SAME(mju_copy3(x, a), ref_mju_copy3(y, a));
    SAME(mju_scl3(x, a, s), ref_mju_scl3(y, a, s));
    SAME(mju_add3(x, a, b), ref_mju_add3(y, a, b));
    SAME(mju_sub3(x, a, b), ref_mju_sub3(y, a, b));
    SAME(mju_addTo3(x, a), ref_mju_addTo3(y, a));
    SAME(mju_subFrom3(x, a), ref_mju_subFrom3(y, a));
    SAME(mju_addToScl3(x, a, s), ref_mju_addToScl3(y, a, s));
    SAME(mju_addScl3(x, a, b, s), ref_mju_addScl3(y, a, b, s));
    SAME(mju_mulMatVec3(x, m, a), ref_mju_mulMatVec3(y, m, a));
    SAME(mju_mulMatTVec3(x, m, a), ref_mju_mulMatTVec3(y, m, a));
    SAME(mju_cross(x, a, b), ref_mju_cross(y, a, b));
    SAME(mju_normalize3(x), ref_mju_normalize3(y));
#undef SAME
    CF_NEAR(mju_norm3(a), ref_mju_norm3(a), 1e-15);
    CF_NEAR(mju_dot3(a, b), ref_mju_dot3(a, b), 1e-15);
    CF_NEAR(mju_dist3(a, b), ref_mju_dist3(a, b), 1e-15);
  }
}


CF_TEST(vector3__result_is_argument__as_if_apart) {
  mjtNum a[3], b[3], m[9], apart[3], x[3];
  randomFill(a, 3);
  randomFill(b, 3);
  randomFill(m, 9);
  mju_cross(apart, a, b);
  mju_copy3(x, a);
  mju_cross(x, x, b);
  CF_EQ_BYTES(x, apart, sizeof(x));
  mju_mulMatVec3(apart, m, a);
  mju_copy3(x, a);
  mju_mulMatVec3(x, m, x);
  CF_EQ_BYTES(x, apart, sizeof(x));
  mju_mulMatTVec3(apart, m, a);
  mju_copy3(x, a);
  mju_mulMatTVec3(x, m, x);
  CF_EQ_BYTES(x, apart, sizeof(x));
}


CF_TEST(normalize3__shorter_than_threshold__unit_x) {
  mjtNum x[3] = {1e-16, -1e-16, 0};
  CF_NEAR(mju_normalize3(x), sqrt(2) * 1e-16, 1e-30);
  const mjtNum unit[3] = {1, 0, 0};
  CF_EQ_BYTES(x, unit, sizeof(unit));
}


CF_TEST(matrix3__products__agree_with_general_ones) {
  mjtNum A[9], B[9], x[9], y[9];
  randomFill(A, 9);
  randomFill(B, 9);
  cfi_mulMatMat3(x, A, B);
  mju_mulMatMat(y, A, B, 3, 3, 3);
  CF_CLOSE(x, y, 9, 1e-15);
  cfi_mulMatTMat3(x, A, B);
  mju_mulMatTMat(y, A, B, 3, 3, 3);
  CF_CLOSE(x, y, 9, 1e-15);
  cfi_mulMatMatT3(x, A, B);
  mju_mulMatMatT(y, A, B, 3, 3, 3);
  CF_CLOSE(x, y, 9, 1e-15);
}


CF_TEST(makeFrame__random_axis__orthonormal_and_right_handed) {
  for (int round = 0; round < ROUNDS; round++) {
    mjtNum frame[9] = {0}, product[9], eye[9];
    do {
      randomFill(frame, 3);
    } while (mju_norm3(frame) < 0.5);
    if (round % 2) {
      randomFill(frame + 3, 3);
    }
    CF_EQ_INT(cfi_makeFrame(frame), 1);
    mju_eye(eye, 3);
    cfi_mulMatMatT3(product, frame, frame);
    CF_NEAR_ARRAY(product, eye, 9, 1e-12);
    cfi_cross(product, frame, frame + 3);
    CF_NEAR(cfi_dot3(product, frame + 6), 1, 1e-12);
  }
  mjtNum none[9] = {0.1};
  CF_EQ_INT(cfi_makeFrame(none), 0);
}

//------------------------------ any length
//----------------------------------------------------------

CF_TEST(vectorN__all_lengths__equals_reference) {
  CF_REFERENCE(mju_zero);
  CF_REFERENCE(mju_fill);
  CF_REFERENCE(mju_copy);
  CF_REFERENCE(mju_sum);
  CF_REFERENCE(mju_L1);
  CF_REFERENCE(mju_scl);
  CF_REFERENCE(mju_add);
  CF_REFERENCE(mju_sub);
  CF_REFERENCE(mju_addTo);
  CF_REFERENCE(mju_subFrom);
  CF_REFERENCE(mju_addToScl);
  CF_REFERENCE(mju_addScl);
  CF_REFERENCE(mju_normalize);
  CF_REFERENCE(mju_norm);
  CF_REFERENCE(mju_dot);
  CF_REFERENCE(mju_isZero);
  for (int n = 0; n <= MAX; n++) {
    mjtNum a[MAX], b[MAX], x[MAX + 1], y[MAX + 1];
    const mjtNum s = randomNumber();
    randomFill(a, MAX);
    randomFill(b, MAX);
#define SAME(call_ours, call_theirs) \
  memcpy(x, b, sizeof(b));           \
  memcpy(y, b, sizeof(b));           \
  x[MAX] = y[MAX] = 7;               \
  call_ours;                         \
  call_theirs;                       \
  CF_CLOSE(x, y, MAX + 1, 1e-15)
    SAME(mju_zero(x, n), ref_mju_zero(y, n));
    SAME(mju_fill(x, s, n), ref_mju_fill(y, s, n));
    SAME(mju_copy(x, a, n), ref_mju_copy(y, a, n));
    SAME(mju_scl(x, a, s, n), ref_mju_scl(y, a, s, n));
    SAME(mju_add(x, a, b, n), ref_mju_add(y, a, b, n));
    SAME(mju_sub(x, a, b, n), ref_mju_sub(y, a, b, n));
    SAME(mju_addTo(x, a, n), ref_mju_addTo(y, a, n));
    SAME(mju_subFrom(x, a, n), ref_mju_subFrom(y, a, n));
    SAME(mju_addToScl(x, a, s, n), ref_mju_addToScl(y, a, s, n));
    SAME(mju_addScl(x, a, b, s, n), ref_mju_addScl(y, a, b, s, n));
    if (n) {
      SAME(mju_normalize(x, n), ref_mju_normalize(y, n));
    }
#undef SAME
    // sums of random signs: relative to the number of terms, not to their sum
    CF_NEAR(mju_dot(a, b, n), ref_mju_dot(a, b, n), 1e-15 * n);
    CF_NEAR(mju_sum(a, n), ref_mju_sum(a, n), 1e-15 * n);
    CF_NEAR(mju_L1(a, n), ref_mju_L1(a, n), 1e-15 * n);
    CF_NEAR(mju_norm(a, n), ref_mju_norm(a, n), 1e-15 * n);
    CF_EQ_INT(mju_isZero(a, n), ref_mju_isZero(a, n));
  }
}


CF_TEST(normalize__zero_vector__unit_first) {
  mjtNum x[5] = {0};
  CF_NEAR(mju_normalize(x, 5), 0, 0);
  const mjtNum unit[5] = {1, 0, 0, 0, 0};
  CF_EQ_BYTES(x, unit, sizeof(unit));
  CF_NEAR(mju_normalize(x, 0), 0, 0);
}


CF_TEST(isZero__negative_zero_and_nan__only_zeros_count) {
  const mjtNum zeros[3] = {0, -0.0, 0}, bad[3] = {0, NAN, 0};
  CF_EQ_INT(mju_isZero(zeros, 3), 1);
  CF_EQ_INT(mju_isZero(bad, 3), 0);
  CF_EQ_INT(mju_isZero(bad, 1), 1);
  CF_EQ_INT(mju_isZero(NULL, 0), 1);
}


CF_TEST(conversion__round_trip__same_numbers) {
  mjtNum a[9], back[9];
  float single[9];
  double twice[9];
  randomFill(a, 9);
  mju_n2f(single, a, 9);
  mju_f2n(back, single, 9);
  for (int i = 0; i < 9; i++) {
    CF_NEAR(back[i], (float)a[i], 0);
  }
  mju_n2d(twice, a, 9);
  mju_d2n(back, twice, 9);
  CF_EQ_BYTES(back, a, sizeof(a));
}

//------------------------------ matrices
//------------------------------------------------------------

CF_TEST(dense__all_shapes__equals_reference) {
  CF_REFERENCE(mju_mulMatVec);
  CF_REFERENCE(mju_mulMatTVec);
  CF_REFERENCE(mju_mulVecMatVec);
  CF_REFERENCE(mju_transpose);
  CF_REFERENCE(mju_symmetrize);
  CF_REFERENCE(mju_eye);
  CF_REFERENCE(mju_mulMatMat);
  CF_REFERENCE(mju_mulMatMatT);
  CF_REFERENCE(mju_mulMatTMat);
  CF_REFERENCE(mju_sqrMatTD);
  enum { SIDE = 20 };
  for (int round = 0; round < ROUNDS; round++) {
    const int p = randomInt(SIDE + 1), q = randomInt(SIDE + 1), r = randomInt(SIDE + 1);
    mjtNum A[SIDE * SIDE], B[SIDE * SIDE], v[SIDE], w[SIDE], x[SIDE * SIDE], y[SIDE * SIDE];
    randomSparse(A, SIDE * SIDE, 0.3);
    randomFill(B, SIDE * SIDE);
    randomSparse(v, SIDE, 0.3);
    randomFill(w, SIDE);
#define SAME(call_ours, call_theirs, count) \
  memset(x, 0, sizeof(x));                  \
  memset(y, 0, sizeof(y));                  \
  call_ours;                                \
  call_theirs;                              \
  CF_CLOSE(x, y, count, 1e-14)
    SAME(mju_mulMatVec(x, A, w, p, q), ref_mju_mulMatVec(y, A, w, p, q), p);
    SAME(mju_mulMatTVec(x, A, v, p, q), ref_mju_mulMatTVec(y, A, v, p, q), q);
    SAME(mju_transpose(x, A, p, q), ref_mju_transpose(y, A, p, q), p * q);
    SAME(mju_symmetrize(x, A, p), ref_mju_symmetrize(y, A, p), p * p);
    SAME(mju_eye(x, p), ref_mju_eye(y, p), p * p);
    SAME(mju_mulMatMat(x, A, B, p, q, r), ref_mju_mulMatMat(y, A, B, p, q, r), p * r);
    SAME(mju_mulMatMatT(x, A, B, p, q, r), ref_mju_mulMatMatT(y, A, B, p, q, r), p * r);
    SAME(mju_mulMatTMat(x, A, B, p, q, r), ref_mju_mulMatTMat(y, A, B, p, q, r), q * r);
    SAME(mju_sqrMatTD(x, A, v, p, q), ref_mju_sqrMatTD(y, A, v, p, q), q * q);
    SAME(mju_sqrMatTD(x, A, NULL, p, q), ref_mju_sqrMatTD(y, A, NULL, p, q), q * q);
#undef SAME
    CF_NEAR(mju_mulVecMatVec(w, B, v, p), ref_mju_mulVecMatVec(w, B, v, p), 1e-13);
  }
}


CF_TEST(dense__products__agree_with_their_definition) {
  enum { P = 7, Q = 9, R = 5 };
  mjtNum A[P * Q], B[Q * R], At[Q * P], x[P * R], y[P * R];
  randomFill(A, P * Q);
  randomFill(B, Q * R);
  for (int i = 0; i < P * R; i++) {
    y[i] = 0;
    for (int k = 0; k < Q; k++) {
      y[i] += A[i / R * Q + k] * B[k * R + i % R];
    }
  }
  mju_mulMatMat(x, A, B, P, Q, R);
  CF_CLOSE(x, y, P * R, 1e-15);
  mju_transpose(At, A, P, Q);
  mju_mulMatTMat(x, At, B, Q, P, R);
  CF_CLOSE(x, y, P * R, 1e-15);
  mjtNum Bt[R * Q];
  mju_transpose(Bt, B, Q, R);
  mju_mulMatMatT(x, A, Bt, P, Q, R);
  CF_CLOSE(x, y, P * R, 1e-15);
}

//------------------------------ kernels and their twins
//---------------------------------------------

CF_TEST(kernels__vector_and_scalar__same_bits) {
  enum { SIDE = 77, ROWS = 150 };
  static mjtNum A[ROWS * SIDE], x[SIDE * SIDE], y[SIDE * SIDE], v[ROWS], u[ROWS], w[ROWS];
  for (int n = 0; n <= SIDE; n++) {
    const int nr = randomInt(ROWS);
    randomSparse(A, ROWS * SIDE, 0.5);
    randomSparse(v, ROWS, 0.3);
    randomFill(u, ROWS);
    const mjtNum ours = cfi_dot(v, u, n), twin = cfi_scalar_dot(v, u, n);
    CF_EQ_BYTES(&ours, &twin, sizeof(ours));

    memset(x, 1, sizeof(x));
    memset(y, 1, sizeof(y));
    cfi_sqrMatTD(x, A, v, nr, n);
    cfi_scalar_sqrMatTD(y, A, v, nr, n);
    CF_EQ_BYTES(x, y, sizeof(x));

    memcpy(x, u, sizeof(mjtNum) * SIDE);
    memcpy(y, u, sizeof(mjtNum) * SIDE);
    cfi_addToScl(x, v, 0.3, n);
    cfi_scalar_addToScl(y, v, 0.3, n);
    CF_EQ_BYTES(x, y, sizeof(x));
    cfi_dotRows(x, A, n, nr < SIDE ? nr : SIDE, u, n);
    cfi_scalar_dotRows(y, A, n, nr < SIDE ? nr : SIDE, u, n);
    CF_EQ_BYTES(x, y, sizeof(x));
    for (int r = 0; r < nr && r < SIDE; r++) {
      CF_NEAR(x[r], cfi_dot(A + r * n, u, n), 0);
    }
    cfi_combineRows(x, v, 1, A, n, nr, n);
    cfi_scalar_combineRows(y, v, 1, A, n, nr, n);
    CF_EQ_BYTES(x, y, sizeof(x));
    for (int k = 0; k < n; k++) {
      mjtNum sum = 0;
      for (int r = 0; r < nr; r++) {
        sum += v[r] * A[r * n + k];
      }
      CF_NEAR(x[k], sum, 0);
    }

    randomSpd(x, n);
    memcpy(y, x, sizeof(x));
    CF_EQ_INT(cfi_cholFactor(x, n, 1e-15), cfi_scalar_cholFactor(y, n, 1e-15));
    CF_EQ_BYTES(x, y, sizeof(x));
    memcpy(v, u, sizeof(u));
    memcpy(w, u, sizeof(u));
    cfi_cholSolve(v, x, n);
    cfi_scalar_cholSolve(w, y, n);
    CF_EQ_BYTES(v, w, sizeof(v));
    randomSparse(v, n, 0.2);
    memcpy(w, v, sizeof(v));
    CF_EQ_INT(cfi_cholUpdate(x, v, n, 1), cfi_scalar_cholUpdate(y, w, n, 1));
    CF_EQ_BYTES(x, y, sizeof(x));
  }
}

CF_TEST(anyNonzero__one_number_anywhere__found) {
  mjtNum x[MAX] = {0};
  for (int n = 0; n < MAX; n++) {
    for (int k = 0; k < n; k++) {
      x[k] = -0.0;
      CF_TRUE(!cfi_anyNonzero(x, n));
      x[k] = randomNumber() * 1e-300;
      CF_TRUE(cfi_anyNonzero(x, n));
      CF_TRUE(!cfi_anyNonzero(x, k) && !cfi_anyNonzero(x + k + 1, n - k - 1));
      x[k] = NAN;
      CF_TRUE(cfi_anyNonzero(x, n));
      x[k] = 0;
    }
  }
}


CF_TEST(copyFew__all_lengths__these_and_no_more) {
  for (int n = 0; n <= 20; n++) {
    mjtNum from[24], to[24];
    randomFill(from, 24);
    cfi_fill(to, 7, 24);
    cfi_copyFew(to, from, n);
    for (int k = 0; k < 24; k++) {
      CF_NEAR(to[k], k < n ? from[k] : 7, 0);
    }
  }
}


CF_TEST(mulInertPair__random__bits_of_one_by_one) {
  for (int round = 0; round < ROUNDS; round++) {
    mjtNum inert[10], a[6], b[6], x[6], y[6];
    cfHalfLane pair[6], res[6];
    randomFill(inert, 10);
    randomFill(a, 6);
    randomFill(b, 6);
    for (int k = 0; k < 6; k++) {
      pair[k] = cfi_halfSet(a[k], b[k]);
    }
    cfi_mulInertPair(res, inert, pair);
    cfi_mulInertVec(x, inert, a);
    cfi_mulInertVec(y, inert, b);
    for (int k = 0; k < 6; k++) {
      CF_NEAR(cfi_halfAt(res[k], 0), x[k], 0);
      CF_NEAR(cfi_halfAt(res[k], 1), y[k], 0);
    }
  }
}


CF_TEST_MAIN("math/vector")
