// Models from MJCF text inside a test.
#ifndef CF_TEXT_H
#define CF_TEXT_H

#include <mujoco/mujoco.h>

#include "cf_test.h"

// compile; fails the test with the compiler's message
static inline mjModel* cf_compileText(const char* xml) {
  char error[1000] = "";
  mjSpec* spec = mj_parseXMLString(xml, NULL, error, sizeof(error));
  mjModel* m = spec ? mj_compile(spec, NULL) : NULL;
  if (!m) {
    CF_FAIL("cannot compile: %s\n", spec ? mjs_getError(spec) : error);
  }
  mj_deleteSpec(spec);
  return m;
}

#endif  // CF_TEXT_H
