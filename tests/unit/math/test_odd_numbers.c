// Functions of the library on numbers that are none, infinite, huge, tiny or zero: what is not a
// number in the reference is none here, the rest is equal.
#include <stdbool.h>

#include <mujoco/mujoco.h>

#include "mathtest.h"

// an ordinary number, or one in so many an odd one
static mjtNum number(int odd) {
  static const mjtNum odds[] = {0,     -0.0, 1,   -1,  0.5,      1e-16,     -1e-16, 1e-300,
                                1e300, 2,    100, NAN, INFINITY, -INFINITY, NAN};
  return randomInt(odd) ? 2 * randomNumber() : odds[randomInt(sizeof(odds) / sizeof(odds[0]))];
}


static void fill(mjtNum* x, int n, int odd) {
  for (int i = 0; i < n; i++) {
    x[i] = number(odd);
  }
}


static bool isSame(mjtNum a, mjtNum b) {
  return (isnan(a) && isnan(b)) || a == b || fabs(a - b) <= 1e-11 * (fabs(a) + fabs(b));
}


static void expectSame(const char* what, const mjtNum* ours, const mjtNum* theirs, int n) {
  for (int i = 0; i < n; i++) {
    if (!isSame(ours[i], theirs[i])) {
      CF_FAIL("%s: result %d is %.17g, expected %.17g\n", what, i, ours[i], theirs[i]);
    }
  }
}

enum { CASES = 20000, ODD = 4 };


CF_TEST(scalars__odd_numbers__equal_the_reference) {
  CF_REFERENCE(mju_sigmoid);
  CF_REFERENCE(mju_round);
  CF_REFERENCE(mju_muscleGain);
  CF_REFERENCE(mju_muscleBias);
  CF_REFERENCE(mju_muscleDynamics);
  for (int k = 0; k < CASES; k++) {
    mjtNum prm[9], range[2], x[3], ours[4], theirs[4];
    fill(prm, 9, ODD);
    fill(range, 2, ODD);
    fill(x, 3, ODD);
    ours[0] = mju_sigmoid(x[0]);
    ours[1] = mju_muscleGain(x[0], x[1], range, x[2], prm);
    ours[2] = mju_muscleBias(x[0], range, x[2], prm);
    ours[3] = mju_muscleDynamics(x[0], x[1], prm);
    theirs[0] = ref_mju_sigmoid(x[0]);
    theirs[1] = ref_mju_muscleGain(x[0], x[1], range, x[2], prm);
    theirs[2] = ref_mju_muscleBias(x[0], range, x[2], prm);
    theirs[3] = ref_mju_muscleDynamics(x[0], x[1], prm);
    expectSame("sigmoid, muscle gain, bias, dynamics", ours, theirs, 4);
    CF_EQ_INT(mju_round(x[0]), ref_mju_round(x[0]));
  }
}


CF_TEST(vectors__odd_numbers__equal_the_reference) {
  CF_REFERENCE(mju_normalize);
  CF_REFERENCE(mju_normalize3);
  CF_REFERENCE(mju_normalize4);
  CF_REFERENCE(mju_quatZ2Vec);
  for (int k = 0; k < CASES; k++) {
    mjtNum x[2][6], quat[2][4];
    const int n = 1 + randomInt(6);
    fill(x[0], 6, ODD);
    memcpy(x[1], x[0], sizeof(x[0]));
    mju_quatZ2Vec(quat[0], x[0]);
    ref_mju_quatZ2Vec(quat[1], x[0]);
    expectSame("quatZ2Vec", quat[0], quat[1], 4);
    mjtNum length[2];
    if (n == 6) {
      length[0] = mju_normalize3(x[0]);
      length[1] = ref_mju_normalize3(x[1]);
    } else if (n == 5) {
      length[0] = mju_normalize4(x[0]);
      length[1] = ref_mju_normalize4(x[1]);
    } else {
      length[0] = mju_normalize(x[0], n);
      length[1] = ref_mju_normalize(x[1], n);
    }
    expectSame("length", length, length + 1, 1);
    expectSame("normalized", x[0], x[1], 6);
  }
}


// matrices that are singular or become so, too
CF_TEST(cholUpdate__odd_numbers__equals_the_reference) {
  CF_REFERENCE(mju_cholUpdate);
  enum { SIDE = 70 };
  static mjtNum A[SIDE * SIDE], B[SIDE * SIDE];
  mjtNum x[SIDE], y[SIDE];
  for (int k = 0; k < CASES; k++) {
    const int n = k % 100 ? 1 + randomInt(4) : SIDE, plus = randomInt(2);
    const int odd = k % 100 ? 8 : 4000;
    for (int i = 0; i < n * n; i++) {
      A[i] = i / n >= i % n ? number(odd) / n + 3 * (i / n == i % n) : 0;
    }
    fill(x, n, odd);
    memcpy(B, A, sizeof(A));
    memcpy(y, x, sizeof(x));
    CF_EQ_INT(mju_cholUpdate(A, x, n, plus), ref_mju_cholUpdate(B, y, n, plus));
    expectSame("updated factor", A, B, n <= 4 ? n * n : 0);
  }
}


CF_TEST(numbers_that_are_none__stay_none) {
  mjtNum x[4] = {1, NAN, 0, 2}, quat[4];
  CF_TRUE(isnan(mju_normalize(x, 4)) && isnan(x[0]) && isnan(x[3]));
  mju_quatZ2Vec(quat, (const mjtNum[3]){-1, NAN, 2});
  CF_TRUE(isnan(quat[0]) && isnan(quat[3]));
  CF_TRUE(isnan(mju_sigmoid(NAN)));
  const mjtNum prm[9] = {.75, 1.05, -1, 200, .5, 1.6, 1.5, 1.3, 1.2};
  CF_TRUE(isnan(mju_muscleGain(.7, 0, (const mjtNum[2]){.5, 1}, NAN, prm)));
  CF_TRUE(isnan(mju_muscleBias(.7, (const mjtNum[2]){.5, NAN}, 1, prm)));
  mjtNum zero = 0, hundred = 100;
  CF_EQ_INT(mju_cholUpdate(&zero, &hundred, 1, 1), 1);
  CF_NEAR(zero, 100, 0);
}

CF_TEST_MAIN("math/odd_numbers")
