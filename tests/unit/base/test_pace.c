// Whether threads help (base/pace.h), with the times of made-up machines instead of a clock.
#include <math.h>
#include <stdint.h>

#include "base/pace.h"
#include "cf_test.h"

static uint64_t random_state = 88172645463325252u;

// in [0, 1)
static double draw(void) {
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  random_state ^= random_state << 17;
  return (double)(random_state >> 11) * 0x1p-53;
}


// what calls cost, in units of a call alone on a quiet machine
typedef struct {
  double helped;       // with help, when no thread is put aside
  double often, late;  // how often one is, and what the call costs then
  double seconds;      // of a call alone
  double growth;       // of the work, per call
} machine;

typedef struct {
  double total, alone;  // seconds, and what working alone would take
  int nhelped;
} outcome;

static outcome run(cfPace* pace, const machine* m, double* now, int ncall) {
  outcome out = {0};
  double size = 1;
  for (int k = 0; k < ncall; k++) {
    const double jitter = 0.95 + 0.1 * draw();
    const bool is_helped = cfi_paceBegin(pace, *now);
    const double cost = !is_helped ? 1 : draw() < m->often ? m->late : m->helped;
    const double seconds = cost * jitter * size * m->seconds;
    *now += seconds;
    cfi_paceEnd(pace, *now, 1);
    out.total += seconds;
    out.alone += jitter * size * m->seconds;
    out.nhelped += is_helped;
    size *= m->growth;
  }
  return out;
}


CF_TEST(pace__quiet_machine__helped_nearly_always) {
  cfPace pace = {0};
  double now = 100;
  const machine quiet = {0.6, 0, 0, 3e-4, 1};
  const outcome out = run(&pace, &quiet, &now, 3000);
  CF_TRUE(out.nhelped > 2940);
  CF_TRUE(out.total < 0.615 * out.alone);
}


CF_TEST(pace__thread_is_put_aside_often__hardly_slower_than_alone) {
  static const machine busy[] = {{0.6, 0.04, 13, 3e-4, 1},  {0.6, 0.08, 13, 3e-4, 1},
                                 {0.8, 0.3, 25, 3e-4, 1},   {1.1, 0, 0, 3e-4, 1},
                                 {0.55, 0.5, 4, 1.5e-3, 1}, {2, 0.5, 80, 5e-5, 1}};
  for (int k = 0; k < 6; k++) {
    cfPace pace = {0};
    double now = 5;
    const outcome out = run(&pace, busy + k, &now, 3000);
    CF_NEAR(fmax(out.total / out.alone, 1), 1, k == 5 ? 0.25 : 0.08);
    const outcome later = run(&pace, busy + k, &now, 20000);
    CF_NEAR(fmax(later.total / later.alone, 1), 1, k == 5 ? 0.1 : 0.05);
  }
}


CF_TEST(pace__machine_gets_busy_after_a_long_time__help_is_given_up_at_once) {
  cfPace pace = {0};
  double now = 0;
  const machine quiet = {0.6, 0, 0, 3e-4, 1}, busy = {1.5, 0, 0, 3e-4, 1};
  run(&pace, &quiet, &now, 20000);
  const outcome out = run(&pace, &busy, &now, 100);
  CF_TRUE(out.nhelped < 30);
}


// a call alone may be late as well, and would make help look good
CF_TEST(pace__one_call_alone_was_late__measure_recovers) {
  cfPace pace = {0};
  double now = 0;
  const machine quiet = {0.6, 0, 0, 3e-4, 1}, busy = {1.5, 0, 0, 3e-4, 1};
  run(&pace, &quiet, &now, 1000);
  while (cfi_paceBegin(&pace, now)) {
    now += 1.8e-4;
    cfi_paceEnd(&pace, now, 1);
  }
  now += 6e-3;
  cfi_paceEnd(&pace, now, 1);
  const outcome out = run(&pace, &busy, &now, 200);
  CF_TRUE(out.nhelped < 150);
}


CF_TEST(pace__machine_gets_quiet__helped_again_within_a_second) {
  static const double seconds[] = {5e-5, 3e-4, 1e-2};
  for (int k = 0; k < 3; k++) {
    cfPace pace = {0};
    double now = 0;
    const machine busy = {0.6, 0.2, 13, seconds[k], 1}, quiet = {0.6, 0, 0, seconds[k], 1};
    run(&pace, &busy, &now, 20000);
    const double start = now;
    while (now - start < 1.2) {
      run(&pace, &quiet, &now, 1);
    }
    const outcome out = run(&pace, &quiet, &now, 1000);
    CF_TRUE(out.nhelped > 970);
  }
}


// contacts come and go: calls with help are compared with calls alone of about the same work
CF_TEST(pace__work_grows_and_shrinks__helped_nearly_always) {
  cfPace pace = {0};
  double now = 0;
  const machine grows = {0.6, 0, 0, 3e-4, 1.003}, shrinks = {0.6, 0, 0, 3e-2, 0.997};
  CF_TRUE(run(&pace, &grows, &now, 1000).nhelped > 900);
  CF_TRUE(run(&pace, &shrinks, &now, 1000).nhelped > 900);
}


CF_TEST(pace__one_late_call_now_and_then__help_is_worth_it) {
  cfPace pace = {0};
  double now = 0;
  const machine nearly = {0.6, 0.002, 13, 3e-4, 1};
  const outcome out = run(&pace, &nearly, &now, 20000);
  CF_TRUE(out.nhelped > 18000);
  CF_TRUE(out.total < 0.7 * out.alone);
}


// the unit of work is that of the caller: long and short calls are compared by it
CF_TEST(pace__calls_of_different_length__compared_by_work) {
  cfPace pace = {0};
  double now = 0;
  int nhelped = 0;
  for (int k = 0; k < 2000; k++) {
    const double work = 1 + 99 * (k % 3 == 0);
    const bool is_helped = cfi_paceBegin(&pace, now);
    now += 1e-5 * work * (is_helped ? 0.6 : 1);
    cfi_paceEnd(&pace, now, work);
    nhelped += is_helped;
  }
  CF_TRUE(nhelped > 1950);
}


CF_TEST_MAIN("base/pace")
