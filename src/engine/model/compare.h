// Comparison over the field tables; the public part is cortenforge/compare.h.
#ifndef CF_MODEL_COMPARE_H
#define CF_MODEL_COMPARE_H

#include <stdint.h>

#include <cortenforge/compare.h>

#include "tables/fields.h"

// one bit per writer of the tables
#define CF_WRITTEN_BY(writer) (UINT64_C(1) << CF_WRITER_##writer)

// cf_compareData over the fields of some stages alone: `writers` has a bit for each
int cfi_compareWritten(const mjModel* m, const mjData* d, const mjData* reference, uint64_t writers,
                       cfDifference* list, int max);

#endif  // CF_MODEL_COMPARE_H
