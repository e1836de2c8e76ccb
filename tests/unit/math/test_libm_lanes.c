// Elementary functions of lanes (worlds/lanes/functions.h) have the bits of the scalar ones.
// Compiled once per width that this processor may have.
#include <stdbool.h>
#include <stdlib.h>

#include "base/assert.h"
#include "mathtest.h"

#include "lanes/vector.h"

#include "lanes/functions.h"

static bool hasInstructions(void) {
#if CF_LANES == 8
  return __builtin_cpu_supports("avx512f");
#else
  return __builtin_cpu_supports("avx2");
#endif
}


static bool sameBits(double a, double b) {
  return (isnan(a) && isnan(b)) || !memcmp(&a, &b, sizeof(a));
}


// ordinary numbers, and in some lanes what leaves the quick way
static double argument(int round) {
  static const double odd[] = {0.0,  -0.0,   INFINITY, -INFINITY, NAN,    0x1p20, 1e300,   M_PI,
                               -1e5, 0x1p19, 707.9,    708.0,     -708.0, -745.2, 0x1p-60, 709.9};
  const int kind = round % 4 == 0 ? randomInt(3) : round % 4 - 1;
  return kind == 0   ? odd[randomInt((int)(sizeof(odd) / sizeof(odd[0])))]
         : kind == 1 ? 4 * randomNumber()
                     : ldexp(randomNumber(), randomInt(60) - 40);
}


CF_TEST(lanes__sine_cosine_exponential__bits_of_one_number) {
  for (int round = 0; round < 40000; round++) {
    cfVec x, sine, cosine;
    for (int w = 0; w < CF_LANES; w++) {
      x[w] = argument(round);
    }
    laneSinCos(&sine, &cosine, x);
    const cfVec growth = laneExp(x);
    for (int w = 0; w < CF_LANES; w++) {
      CF_TRUE(sameBits(sine[w], cfi_sin(x[w])));
      CF_TRUE(sameBits(cosine[w], cfi_cos(x[w])));
      CF_TRUE(sameBits(growth[w], cfi_exp(x[w])));
    }
  }
}


int main(void) {
  if (!hasInstructions()) {
    printf("skipped: this processor has no lanes of %d\n", CF_LANES);
    return 77;
  }
  return _cmocka_run_group_tests("math/libm_lanes", cf_test_list, (size_t)cf_test_count, NULL,
                                 NULL);
}
