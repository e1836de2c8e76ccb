// Checks of a model that comes from outside: every index and address stays in its array.
#include "model/check.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cortenforge/derivative.h>

#include "base/assert.h"
#include "model/checker.h"
#include "model/layout.h"


bool cfi_complain(const cfChecker* c, const char* format, ...) {
  CF_ASSERT(c->nmessage > 50);
  const int length = snprintf(c->message, c->nmessage, "Invalid model: ");
  va_list args;
  va_start(args, format);
  vsnprintf(c->message + length, c->nmessage - (size_t)length, format, args);
  va_end(args);
  return false;
}


bool cfi_complainRange(const cfChecker* c, const char* array, mjtSize index, mjtSize value,
                       mjtSize low, mjtSize bound) {
  if (low >= bound) {
    return cfi_complain(c, "%s[%lld] out of bounds: it is %lld, but there is nothing to refer to",
                        array, (long long)index, (long long)value);
  }
  return cfi_complain(c, "%s[%lld] out of bounds: it is %lld, expected %lld to %lld", array,
                      (long long)index, (long long)value, (long long)low, (long long)bound - 1);
}


bool cfi_checkIndices(const cfChecker* c, const char* name, const int* array, mjtSize first,
                      mjtSize count, mjtSize low, mjtSize bound) {
  CF_ASSERT(count >= 0 && (first >= 0 || count == 0));
  for (mjtSize k = first; k < first + count; k++) {
    if (!cfi_checkValue(c, name, k, array[k], low, bound)) {
      return false;
    }
  }
  return true;
}

//---------------------------------- table ---------------------------------------------------------


// [adr, adr+num) in [0, bound); an empty span may be anywhere, or nowhere
static bool checkSpans(const cfChecker* c, const char* name, const char* num_name, const int* adr,
                       const int* num, mjtSize count, mjtSize bound) {
  CF_ASSERT(count >= 0 && bound >= 0);
  for (mjtSize k = 0; k < count; k++) {
    if (num[k] < 0) {
      return cfi_complain(c, "%s[%lld] is negative (%d)", num_name, (long long)k, num[k]);
    }
    const mjtSize low = num[k] ? 0 : -1, end = (mjtSize)adr[k] + num[k];
    if (adr[k] < low || end > bound) {
      return cfi_complain(c, "%s[%lld] out of bounds: %d to %lld are not in 0 to %lld", name,
                          (long long)k, adr[k], (long long)end - 1, (long long)bound - 1);
    }
  }
  return true;
}


static bool checkEnums(const cfChecker* c, const char* name, const void* array, size_t size,
                       mjtSize count, int last) {
  CF_ASSERT(count >= 0 && last >= 0);
  for (mjtSize k = 0; k < count; k++) {
    const int value = size == 1 ? ((const mjtByte*)array)[k] : ((const int*)array)[k];
    if (!cfi_checkValue(c, name, k, value, 0, (mjtSize)last + 1)) {
      return false;
    }
  }
  return true;
}


bool cfi_checkTables(const cfChecker* c) {
  const mjModel* m = c->m;
#define CF_INDEX(array, count, low, bound)                            \
  if (!cfi_checkIndices(c, #array, m->array, 0, count, low, bound)) { \
    return false;                                                     \
  }
#define CF_SPAN(adr, num, count, bound)                           \
  if (!checkSpans(c, #adr, #num, m->adr, m->num, count, bound)) { \
    return false;                                                 \
  }
#define CF_ENUM(array, count, last)                                         \
  if (!checkEnums(c, #array, m->array, sizeof(m->array[0]), count, last)) { \
    return false;                                                           \
  }
#define CF_SPARSE(rownnz, rowadr, colind, rows, nnz, cols)                 \
  if (!checkSpans(c, #rowadr, #rownnz, m->rowadr, m->rownnz, rows, nnz) || \
      !cfi_checkIndices(c, #colind, m->colind, 0, nnz, 0, cols)) {         \
    return false;                                                          \
  }
#include "model/references.def"
#undef CF_INDEX
#undef CF_SPAN
#undef CF_ENUM
#undef CF_SPARSE
  return true;
}

//---------------------------------- options -------------------------------------------------------


// an iteration count is used to size scratch memory; a negative one means none
static bool checkCount(const cfChecker* c, const char* name, int value) {
  enum { ITERATIONS_MAX = 1 << 24 };
  return value <= ITERATIONS_MAX ||
         cfi_complain(c, "opt.%s is %d, expected at most %d", name, value, ITERATIONS_MAX);
}


static bool checkOptions(const cfChecker* c) {
  const mjOption* opt = &c->m->opt;
  return cfi_checkValue(c, "opt.integrator", 0, opt->integrator, 0,
                        CF_INTEGRATOR_SPRING_DAMPER + 1) &&
         cfi_checkValue(c, "opt.cone", 0, opt->cone, 0, mjCONE_ELLIPTIC + 1) &&
         cfi_checkValue(c, "opt.jacobian", 0, opt->jacobian, 0, mjJAC_AUTO + 1) &&
         cfi_checkValue(c, "opt.solver", 0, opt->solver, 0, mjSOL_NEWTON + 1) &&
         checkCount(c, "iterations", opt->iterations) &&
         checkCount(c, "ls_iterations", opt->ls_iterations) &&
         checkCount(c, "noslip_iterations", opt->noslip_iterations) &&
         checkCount(c, "ccd_iterations", opt->ccd_iterations) &&
         checkCount(c, "sdf_initpoints", opt->sdf_initpoints) &&
         checkCount(c, "sdf_iterations", opt->sdf_iterations);
}


bool cfi_checkModel(const mjModel* m, char* message, size_t nmessage) {
  const cfChecker c = {m, message, nmessage};
  return cfi_checkTables(&c) && checkOptions(&c) && cfi_checkTrees(&c) && cfi_checkMatrices(&c) &&
         cfi_checkText(&c) && cfi_checkShapes(&c) && cfi_checkVolumes(&c) && cfi_checkFlexes(&c) &&
         cfi_checkFlexRows(&c) && cfi_checkObjects(&c) && cfi_checkSensors(&c);
}
