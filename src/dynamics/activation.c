#include "dynamics/activation.h"

#include "base/assert.h"
#include "math/inline.h"

// a first-order filter is integrated exactly: act(h) = act + act_dot*tau*(1 - exp(-h/tau))
mjtNum cfi_nextActivation(const mjModel* m, const mjData* d, int actuator, int act,
                          mjtNum act_dot) {
  CF_ASSERT(actuator >= 0 && actuator < m->nu && act >= 0 && act < m->na);
  const mjtNum h = m->opt.timestep, *range = m->actuator_actrange + 2 * actuator;
  mjtNum next = d->act[act];
  if (m->actuator_dyntype[actuator] == mjDYN_FILTEREXACT) {
    const mjtNum tau = cfi_max(mjMINVAL, m->actuator_dynprm[actuator * mjNDYN]);
    next += act_dot * tau * (1 - exp(-h / tau));
  } else {
    next += act_dot * h;
  }
  return m->actuator_actlimited[actuator] ? cfi_clip(next, range[0], range[1]) : next;
}
