// Compare two models field by field over the tables: integers and text exactly, reals relative to
// the field's largest entry.
#ifndef CF_COMPARE_H
#define CF_COMPARE_H

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <mujoco/mujoco.h>

#include "tables/fields.h"

// largest difference of two arrays, relative; equal infinities and NaN in both places count as
// equal
static double cf_realError(const cfFieldInfo* field, const void* a, const void* b, long count) {
  double scale = 1e-6, error = 0;
  for (long i = 0; i < count; i++) {
    double x = field->type == CF_TYPE_float ? ((const float*)a)[i] : ((const mjtNum*)a)[i];
    double y = field->type == CF_TYPE_float ? ((const float*)b)[i] : ((const mjtNum*)b)[i];
    if (x == y || (isnan(x) && isnan(y))) {
      scale = fmax(scale, isfinite(x) ? fabs(x) : 0);
      continue;
    }
    scale = fmax(scale, fabs(x));
    error = isfinite(x - y) ? fmax(error, fabs(x - y)) : INFINITY;
  }
  return error / scale;
}

// fields of one table that differ; names are printed
static int cf_compareTable(const cfFieldTable* table, const mjModel* ref, const void* owner,
                           const void* ref_owner, double tolerance) {
  int differing = 0;
  for (int k = 0; k < table->count; k++) {
    const cfFieldInfo* field = table->field + k;
    long count =
        field->home == CF_HOME_VALUE ? (long)field->length : (long)cfi_fieldCount(field, ref, NULL);
    if (!count) {
      continue;
    }
    const void *a = cfi_fieldElements(field, ref_owner), *b = cfi_fieldElements(field, owner);
    bool is_real = field->type == CF_TYPE_mjtNum || field->type == CF_TYPE_float;
    double error =
        is_real ? cf_realError(field, a, b, count) : memcmp(a, b, field->size * count) != 0;
    if (!(error <= tolerance)) {
      printf("  %s differs by %g\n", field->name, error);
      differing++;
    }
  }
  return differing;
}

// everything in two models; sizes first, arrays only when they agree
static inline int cf_compareModels(const mjModel* m, const mjModel* ref, double tolerance) {
  int differing = cf_compareTable(&cfi_modelSizes, ref, m, ref, 0);
  if (differing) {
    return differing;
  }
  return cf_compareTable(&cfi_modelFields, ref, m, ref, tolerance) +
         cf_compareTable(&cfi_optionFields, ref, &m->opt, &ref->opt, tolerance) +
         cf_compareTable(&cfi_visualFields, ref, &m->vis, &ref->vis, tolerance) +
         cf_compareTable(&cfi_statisticFields, ref, &m->stat, &ref->stat, tolerance);
}

#endif  // CF_COMPARE_H
