// The stable sort under the name of qsort: included before every file of libraries that are built
// from their sources (cmake/dependencies.cmake).  Qhull merges facets in the order of qsort, so
// ties that a C library orders in its own way would change convex hulls.
#ifndef CF_BASE_SORT_NAMES_H
#define CF_BASE_SORT_NAMES_H

#include <stdlib.h>

#include "base/sort.h"

#define qsort cfi_sort

#endif  // CF_BASE_SORT_NAMES_H
