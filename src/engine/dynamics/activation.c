#include "dynamics/activation.h"

#include "base/assert.h"
#include "law/number_one.h"
#include "law/actuator.h"

mjtNum cfi_nextActivation(const mjModel* m, const mjData* d, int actuator, int act,
                          mjtNum act_dot) {
  CF_ASSERT(actuator >= 0 && actuator < m->nu && act >= 0 && act < m->na);
  return lawNextActivation((cfLaw){m, d}, actuator, act, act_dot);
}
