// Rows of numbers compared up to their last bit.
#ifndef CF_MATH_DIFFER_H
#define CF_MATH_DIFFER_H

#include <float.h>
#include <math.h>
#include <stdbool.h>

// do two rows of numbers differ by more than the last bit of 1
static inline bool cfi_differ(const double* a, const double* b, int count) {
  for (int k = 0; k < count; k++) {
    if (fabs(a[k] - b[k]) > DBL_EPSILON) {
      return true;
    }
  }
  return false;
}

#endif  // CF_MATH_DIFFER_H
