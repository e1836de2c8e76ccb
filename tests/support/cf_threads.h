// Threads in tests.
#ifndef CF_TEST_THREADS_H
#define CF_TEST_THREADS_H

#include "model/extension.h"

// Have the threads of a data's pool help in its steps, all but one of 64, however busy the machine
// is: working alone counts as very slow (base/pace.h).
static inline void cf_keepThreads(mjData* d) {
  cfi_dataExtension(d)->pace.alone = 1e300;
}

#endif  // CF_TEST_THREADS_H
