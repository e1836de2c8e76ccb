// Differences of two models or two simulations for tests: cortenforge/compare.h lists them, here
// they are printed and counted.
#ifndef CF_COMPARE_H
#define CF_COMPARE_H

#include <stdio.h>

#include <cortenforge/compare.h>

enum { CF_DIFFERENCE_MAX = 1000 };

// differences above the tolerance; what has to be equal has none
static inline int cf_countDifferences(const cfDifference* list, int count, double tolerance) {
  int differing = 0;
  for (int k = 0; k < count && k < CF_DIFFERENCE_MAX; k++) {
    if (list[k].is_exact || !(list[k].error <= tolerance)) {
      printf("  %s%s%s differs by %g\n", list[k].part, list[k].part[0] ? "." : "", list[k].field,
             list[k].error);
      differing++;
    }
  }
  return differing;
}

// fields of two models that differ; their names are printed
static inline int cf_differingModels(const mjModel* m, const mjModel* ref, double tolerance) {
  cfDifference list[CF_DIFFERENCE_MAX];
  int count = cf_compareModels(m, ref, list, CF_DIFFERENCE_MAX);
  return cf_countDifferences(list, count, tolerance);
}

// fields of two simulations of one model that differ; their names are printed
static inline int cf_differingData(const mjModel* m, const mjData* d, const mjData* ref,
                                   double tolerance) {
  cfDifference list[CF_DIFFERENCE_MAX];
  int count = cf_compareData(m, d, ref, list, CF_DIFFERENCE_MAX);
  return cf_countDifferences(list, count, tolerance);
}

#endif  // CF_COMPARE_H
