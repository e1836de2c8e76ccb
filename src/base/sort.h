// Stable sorting, the same on every system.
//
// C libraries order equal elements differently (glibc keeps their order, musl and others do not),
// and what they order reaches compiled models: hence a merge sort of our own.
#ifndef CF_BASE_SORT_H
#define CF_BASE_SORT_H

#include <stddef.h>

// Sort like qsort, keeping the order of equal elements. Allocates scratch for half of the elements;
// without memory it sorts in place, with the same result.
void cfi_sort(void* base, size_t count, size_t size, int (*compare)(const void*, const void*));

// The same with a context that is passed to the comparison.
void cfi_sortWith(void* base, size_t count, size_t size,
                  int (*compare)(const void*, const void*, void*), void* context);

// The same without an allocation, more slowly: O(n log² n) moves of whole runs.
void cfi_sortInPlace(void* base, size_t count, size_t size,
                     int (*compare)(const void*, const void*, void*), void* context);

#endif  // CF_BASE_SORT_H
