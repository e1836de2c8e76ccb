// Our own elementary functions against long double, which is precise enough to judge their last
// bit, and their special values against the system's.  CF_TRIALS: arguments of each function, in
// thousands.
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "math/libm.h"
#include "mathtest.h"

typedef double (*oneFunction)(double);
typedef long double (*oneTruth)(long double);
typedef double (*pairFunction)(double, double);
typedef long double (*pairTruth)(long double, long double);

static int trials(void) {
  const char* text = getenv("CF_TRIALS");
  return 1000 * (text ? atoi(text) : 40);
}


// distance from the truth in units of the last place of the result
static double ulps(double got, long double want) {
  const double near = (double)want;
  if (isnan(near) || isinf(near) || near == 0) {
    return (isnan(got) && isnan(near)) || got == near ? 0 : HUGE_VAL;
  }
  int exponent;
  frexp(near, &exponent);
  const double unit = fmax(ldexp(1, exponent - DBL_MANT_DIG), 0x1p-1074);
  return fabs((double)(((long double)got - want) / unit));
}


// of any size between 2^low and 2^high
static double anySize(int low, int high) {
  return ldexp(1 + fabs(randomNumber()), low + randomInt(high - low + 1)) *
         (randomBits() & 1 ? 1 : -1);
}


static double worstOf(oneFunction f, oneTruth truth, double low, double high, bool is_log) {
  double worst = 0;
  for (int k = 0, count = trials(); k < count; k++) {
    const double x =
        is_log ? anySize((int)low, (int)high) : low + (high - low) * (0.5 + 0.5 * randomNumber());
    worst = fmax(worst, ulps(f(x), truth(x)));
  }
  return worst;
}


static double worstOfPairs(pairFunction f, pairTruth truth, int x_size, int y_size) {
  double worst = 0;
  for (int k = 0, count = trials(); k < count; k++) {
    double x = anySize(-x_size, x_size);
    const double y = anySize(-y_size, y_size);
    x = truth == powl ? fabs(x) : x;
    worst = fmax(worst, ulps(f(x, y), truth(x, y)));
  }
  return worst;
}


static bool hasLongDouble(void) {
  return LDBL_MANT_DIG >= 64;
}


// the bounds that math/libm.h names
CF_TEST(libm__trigonometric__within_their_bounds) {
  if (hasLongDouble()) {
    CF_NEAR(worstOf(cfi_sin, sinl, -1, 1, false), 0, 0.515);
    CF_NEAR(worstOf(cfi_sin, sinl, -10, 10, false), 0, 0.515);
    CF_NEAR(worstOf(cfi_sin, sinl, -1.2e6, 1.2e6, false), 0, 0.515);
    CF_NEAR(worstOf(cfi_sin, sinl, -1000, 60, true), 0, 0.515);
    CF_NEAR(worstOf(cfi_cos, cosl, -1, 1, false), 0, 0.515);
    CF_NEAR(worstOf(cfi_cos, cosl, -10, 10, false), 0, 0.515);
    CF_NEAR(worstOf(cfi_cos, cosl, -1.2e6, 1.2e6, false), 0, 0.515);
    CF_NEAR(worstOf(cfi_cos, cosl, -1000, 60, true), 0, 0.515);
    CF_NEAR(worstOf(cfi_tan, tanl, -10, 10, false), 0, 0.535);
    CF_NEAR(worstOf(cfi_tan, tanl, -1000, 60, true), 0, 0.535);
  }
}


CF_TEST(libm__exponential__within_their_bounds) {
  if (hasLongDouble()) {
    CF_NEAR(worstOf(cfi_exp, expl, -1, 1, false), 0, 0.53);
    CF_NEAR(worstOf(cfi_exp, expl, -700, 712, false), 0, 0.53);
    CF_NEAR(worstOf(cfi_exp, expl, -750, -700, false), 0, 0.53);
    CF_NEAR(worstOf(cfi_exp, expl, -1000, 3, true), 0, 0.53);
    CF_NEAR(worstOf(cfi_expm1, expm1l, -1, 1, false), 0, 0.59);
    CF_NEAR(worstOf(cfi_expm1, expm1l, -45, 100, false), 0, 0.59);
    CF_NEAR(worstOf(cfi_expm1, expm1l, -1000, 1, true), 0, 0.59);
    CF_NEAR(worstOf(cfi_log, logl, 1e-300, 1e300, false), 0, 0.505);
    CF_NEAR(worstOf(cfi_log, logl, 0.5, 2, false), 0, 0.505);
    CF_NEAR(worstOfPairs(cfi_pow, powl, 30, 5), 0, 0.535);
    CF_NEAR(worstOfPairs(cfi_pow, powl, 300, 1), 0, 0.535);
  }
}


CF_TEST(libm__angles__within_their_bounds) {
  if (hasLongDouble()) {
    CF_NEAR(worstOf(cfi_asin, asinl, -1, 1, false), 0, 0.535);
    CF_NEAR(worstOf(cfi_asin, asinl, -1000, -2, true), 0, 0.535);
    CF_NEAR(worstOf(cfi_acos, acosl, -1, 1, false), 0, 0.525);
    CF_NEAR(worstOf(cfi_acos, acosl, 0.999, 1, false), 0, 0.525);
    CF_NEAR(worstOf(cfi_acos, acosl, -1000, -2, true), 0, 0.525);
    CF_NEAR(worstOf(cfi_atan, atanl, -1000, 1000, true), 0, 0.505);
    CF_NEAR(worstOfPairs(cfi_atan2, atan2l, 4, 4), 0, 0.505);
    CF_NEAR(worstOfPairs(cfi_atan2, atan2l, 1020, 1020), 0, 0.505);
    CF_NEAR(worstOfPairs(cfi_hypot, hypotl, 4, 4), 0, 0.505);
    CF_NEAR(worstOfPairs(cfi_hypot, hypotl, 1020, 1020), 0, 0.505);
  }
}


// worst error at the doubles beside a multiple of pi/4
static double worstBeside(int k) {
  const double middle = (double)((long double)k * 0.785398163397448309615660845819875721L);
  double worst = 0;
  for (int side = -1; side <= 1; side++) {
    const double x = side ? nextafter(middle, side * HUGE_VAL) : middle;
    worst = fmax(worst, fmax(ulps(cfi_sin(x), sinl(x)), ulps(cfi_cos(-x), cosl(x))));
  }
  return worst;
}


// Multiples of pi/2, which keep few bits after the reduction, and of pi/4, where the multiple that
// is taken off changes.  The last one is the nearest to a double below 2^20: 2^-54 of it is left.
CF_TEST(libm__angles_beside_quarter_turns__within_their_bounds) {
  double worst = 0;
  for (int k = 1; k < 60000 && hasLongDouble(); k++) {
    worst = fmax(worst, worstBeside(k));
  }
  CF_NEAR(worst, 0, 0.515);
  CF_NEAR(hasLongDouble() ? worstBeside(2 * 204551) : 0, 0, 0.515);
}


static bool sameBits(double a, double b) {
  return (isnan(a) && isnan(b)) || !memcmp(&a, &b, sizeof(a));
}


// several angles at a time: every count, ordinary angles and all that leave the quick way
CF_TEST(libm__sines_of_several_angles__bits_of_each_alone) {
  static const double odd[] = {
      0.0,       -0.0,       INFINITY,    NAN,        1e300,    0x1p20,
      0x1p-1074, 0x1.8p1023, 0x1p19,      -0x1p-1022, 1e22,     -1048575.9,
      M_PI,      0.5 * M_PI, -1.5 * M_PI, 355.0,      7 * M_PI, 0x1.921fb54442d18p+19};
  enum { ODD = sizeof(odd) / sizeof(odd[0]), MOST = 9 };
  for (int k = 0; k < 4000; k++) {
    double x[MOST], res[MOST + 1][2], sine, cosine;
    const int n = k % (MOST + 1);
    for (int i = 0; i < n; i++) {
      x[i] = k % 3 == 0 ? odd[randomInt(ODD)] : k % 3 == 1 ? 4 * randomNumber() : anySize(-30, 24);
    }
    res[n][0] = res[n][1] = 7;
    cfi_sinCosOf(res, x, n);
    CF_TRUE(res[n][0] == 7 && res[n][1] == 7);
    for (int i = 0; i < n; i++) {
      cfi_sinCos(&sine, &cosine, x[i]);
      CF_TRUE(sameBits(res[i][0], sine) && sameBits(res[i][1], cosine));
      CF_TRUE(sameBits(sine, cfi_sin(x[i])) && sameBits(cosine, cfi_cos(x[i])));
    }
  }
}


// odd and even functions are so to the bit
CF_TEST(libm__opposite_arguments__opposite_or_equal_results) {
  for (int k = 0; k < 20000; k++) {
    const double x = k % 2 ? 20 * randomNumber() : anySize(-1000, 1000), y = randomNumber();
    CF_TRUE(sameBits(cfi_sin(-x), -cfi_sin(x)) && sameBits(cfi_cos(-x), cfi_cos(x)));
    CF_TRUE(sameBits(cfi_tan(-x), -cfi_tan(x)) && sameBits(cfi_atan(-x), -cfi_atan(x)));
    CF_TRUE(sameBits(cfi_asin(-y), -cfi_asin(y)));
  }
}


// the double that is nearest to a multiple of pi/2 of all (Muller 2006): the reduction needs every
// bit that it has
CF_TEST(libm__worst_reduction__cosine_of_the_hardest_argument) {
  CF_NEAR(cfi_cos(0x1.6ac5b262ca1ffp+849), -0x1.14ae72e6ba22fp-61, 0x1p-113);
  CF_NEAR(cfi_sin(0x1.6ac5b262ca1ffp+849), 1, 0);
  CF_NEAR(cfi_sin(1e22), -0.8522008497671888, 2e-16);
  CF_NEAR(cfi_cos(-1e22), 0.5232147853951389, 2e-16);
}


static bool sameNumber(double a, double b) {
  return (isnan(a) && isnan(b)) || (a == b && signbit(a) == signbit(b));
}


// within a unit or two; zeros have the same sign
static bool isClose(double own, double system) {
  return sameNumber(own, system) || (system != 0 && fabs(own - system) <= 3e-16 * fabs(system));
}


// C11 Annex F, by the system's functions
CF_TEST(libm__special_values__those_of_the_system) {
  static const double list[] = {0,   1,   2,      0.5,  3,   1e300,    0x1p-1074, 0x1p-1022,
                                1e5, 710, 0x1p53, 1e17, 2.5, INFINITY, NAN,       720};
  enum { COUNT = 2 * sizeof(list) / sizeof(list[0]) };
  static const struct {
    oneFunction own, system;
  } one[] = {{cfi_sin, sin},   {cfi_cos, cos},     {cfi_tan, tan},
             {cfi_asin, asin}, {cfi_acos, acos},   {cfi_atan, atan},
             {cfi_exp, exp},   {cfi_expm1, expm1}, {cfi_log, log}};
  static const struct {
    pairFunction own, system;
  } pair[] = {{cfi_atan2, atan2}, {cfi_pow, pow}, {cfi_hypot, hypot}};
  for (int a = 0; a < COUNT; a++) {
    const double x = a % 2 ? -list[a / 2] : list[a / 2];
    for (size_t f = 0; f < sizeof(one) / sizeof(one[0]); f++) {
      const double own = one[f].own(x), system = one[f].system(x);
      CF_TRUE(isClose(own, system));
    }
    for (int b = 0; b < COUNT; b++) {
      const double y = b % 2 ? -list[b / 2] : list[b / 2];
      for (size_t f = 0; f < sizeof(pair) / sizeof(pair[0]); f++) {
        const double own = pair[f].own(x, y), system = pair[f].system(x, y);
        CF_TRUE(isClose(own, system));
      }
      CF_TRUE(cfi_fmin(x, y) == fmin(x, y) || (isnan(x) && isnan(y)));
      CF_TRUE(cfi_fmax(x, y) == fmax(x, y) || (isnan(x) && isnan(y)));
    }
  }
}


// the bits are the same everywhere, so a hash of results may be written down
CF_TEST(libm__many_arguments__the_same_bits_on_every_machine) {
  uint64_t hash = 1469598103934665603u, state = 1;
  for (int k = 0; k < 20000; k++) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const double x = (double)(int64_t)state * 0x1p-58, y = (double)(int64_t)(state << 17) * 0x1p-62;
    const double value[] = {cfi_sin(x),      cfi_cos(x),       cfi_tan(x),
                            cfi_exp(x),      cfi_asin(y),      cfi_acos(y),
                            cfi_atan2(x, y), cfi_log(fabs(x)), cfi_pow(fabs(x), y),
                            cfi_expm1(y),    cfi_hypot(x, y),  cfi_sin(x * 0x1p60)};
    for (size_t f = 0; f < sizeof(value) / sizeof(value[0]); f++) {
      uint64_t bits = 0;
      if (!isnan(value[f])) {
        memcpy(&bits, value + f, sizeof(bits));
      }
      hash = (hash ^ bits) * 1099511628211u;
    }
  }
  CF_EQ_INT((int)(hash >> 32), 1372324883);
  CF_EQ_INT((int)hash, 458843200);
}

// every word of 2/pi counts for arguments of some size
CF_TEST(libm__trigonometric_of_huge_arguments__within_their_bounds) {
  if (hasLongDouble()) {
    CF_NEAR(worstOf(cfi_sin, sinl, 60, 1020, true), 0, 0.515);
    CF_NEAR(worstOf(cfi_cos, cosl, 60, 1020, true), 0, 0.515);
  }
}


CF_TEST_MAIN("math/libm")
