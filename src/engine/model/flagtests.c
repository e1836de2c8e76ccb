// Tests of the option flags, for programs.
#include <cortenforge/cortenforge.h>

#include "model/flags.h"


int cf_flagDisabled(const mjModel* m, int flag) {
  return cfi_disabled(m, flag);
}


int cf_flagEnabled(const mjModel* m, int flag) {
  return cfi_enabled(m, flag);
}


int cf_actuatorDisabled(const mjModel* m, int actuator) {
  return actuator >= 0 && actuator < m->nu && cfi_actuatorDisabled(m, actuator);
}
