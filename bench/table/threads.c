// Threads inside a step against one thread.
#include <stdio.h>
#include <stdlib.h>

#include "table.h"

static int byTime(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}


// Mean of single steps in microseconds; afterwards they are sorted.
static double meanOf(stepTimes* t) {
  double sum = 0;
  for (int k = 0; k < t->n; k++) {
    sum += t->step[k];
  }
  qsort(t->step, (size_t)t->n, sizeof(double), byTime);
  return 1e6 * sum / t->n;
}


static double percentile(const stepTimes* t, int percent) {
  return 1e6 * t->step[(long)(t->n - 1) * percent / 100];
}


static void printSpread(const char* name, const char* how, stepTimes one, stepTimes many) {
  const double mean = meanOf(&many), alone = meanOf(&one);
  printNote(
      "threads", name, how,
      "mean %.1f us, 1 thread %.1f, ratio %.2f; 50, 90, 99 %% of the steps within %.1f, %.1f, "
      "%.1f us, 1 thread %.1f, %.1f, %.1f",
      mean, alone, alone / mean, percentile(&many, 50), percentile(&many, 90),
      percentile(&many, 99), percentile(&one, 50), percentile(&one, 90), percentile(&one, 99));
}


void benchThreads(const scene* s) {
  course c = makeCourse(s, STATES);
  mjData *alone = mj_makeData(c.m), *d = mj_makeData(c.m);
  mjThreadPool* pool = mju_threadPoolCreate((size_t)table.nthread);
  mju_bindThreadPool(d, pool);
  const int most = table.rounds * c.count * c.nstep;
  stepTimes times[2] = {{(double*)malloc(sizeof(double) * (size_t)most), 0, most},
                        {(double*)malloc(sizeof(double) * (size_t)most), 0, most}};
  pace one = {0}, many = {0};
  compare(&c, &one, alone, false, &many, d, times);
  char how[32];
  snprintf(how, sizeof(how), "%d threads", table.nthread);
  printRow("threads", s->name, how, &many, one.seconds);
  printSpread(s->name, how, times[0], times[1]);
  expectHash("threads", s, many.hash, one.hash);
  free(times[0].step);
  free(times[1].step);
  mj_deleteData(alone);
  mj_deleteData(d);
  mju_threadPoolDestroy(pool);
  freeCourse(&c);
}
