// A model from its text.
#ifndef CF_TESTS_TEAM_MODELTEXT_H
#define CF_TESTS_TEAM_MODELTEXT_H

#include <mujoco/mujoco.h>

#include "cf_test.h"

static inline mjModel* compileText(const char* xml) {
  char error[500] = "";
  mjSpec* spec = mj_parseXMLString(xml, NULL, error, sizeof(error));
  mjModel* m = spec ? mj_compile(spec, NULL) : NULL;
  mj_deleteSpec(spec);
  if (!m) {
    CF_FAIL("%s\n", error);
  }
  return m;
}

#endif  // CF_TESTS_TEAM_MODELTEXT_H
