// The integrators by their number.
#include <cortenforge/derivative.h>

#include "base/likely.h"
#include "contactsolver/contactsolver.h"
#include "pipeline/advance.h"

// stages mean nothing to a contact solver that moves positions: Euler then
static void rungeKutta4(const mjModel* m, mjData* d) {
  const cfContactSetting* setting = cfi_contactSetting(m);
  if (setting && setting->solver->is_positional) {
    mj_Euler(m, d);
  } else {
    mj_RungeKutta(m, d, 4);
  }
}


static void (*const integrators[])(const mjModel* m, mjData* d) = {
    [mjINT_EULER] = mj_Euler,
    [mjINT_RK4] = rungeKutta4,
    [mjINT_IMPLICIT] = mj_implicit,
    [mjINT_IMPLICITFAST] = mj_implicit,
    [CF_INTEGRATOR_SPRING_DAMPER] = cfi_springDamper,
};


void cfi_integrate(const mjModel* m, mjData* d, int integrator) {
  const int count = (int)(sizeof(integrators) / sizeof(integrators[0]));
  if (CF_SELDOM(integrator < 0 || integrator >= count)) {
    mju_error("invalid integrator %d", integrator);
    return;
  }
  integrators[integrator](m, d);
}
