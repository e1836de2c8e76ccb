// Assertions: CF_ASSERT for broken invariants of our own code, never for bad input.
#ifndef CF_BASE_ASSERT_H
#define CF_BASE_ASSERT_H

#include <stdio.h>
#include <stdlib.h>

// stop with file, line and condition; compiled out where NDEBUG is set
#ifdef NDEBUG
#define CF_ASSERT(condition) ((void)sizeof(!(condition)))
#else
#define CF_ASSERT(condition)                                                                \
  ((condition)                                                                              \
       ? (void)0                                                                            \
       : (fprintf(stderr, "%s:%d: assertion failed: %s\n", __FILE__, __LINE__, #condition), \
          abort()))
#endif

// an index lies inside its range, 0 included
#define CF_ASSERT_INDEX(index, count) CF_ASSERT((index) >= 0 && (index) < (count))

#endif  // CF_BASE_ASSERT_H
