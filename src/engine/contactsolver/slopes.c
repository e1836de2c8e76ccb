#include "contactsolver/slopes.h"

#include <cortenforge/derivative.h>

#include "base/assert.h"
#include "dynamics/gain.h"
#include "model/flags.h"

static bool isImplicitStep(const mjModel* m) {
  return m->opt.integrator == mjINT_IMPLICIT || m->opt.integrator == mjINT_IMPLICITFAST;
}


// RK4 becomes Euler where a solver moves positions
bool cfi_dampsDofs(const mjModel* m) {
  const bool may_damp = m->opt.integrator == CF_INTEGRATOR_SPRING_DAMPER ||
                        (!isImplicitStep(m) && !cfi_disabled(m, mjDSBL_EULERDAMP));
  return may_damp && !cfi_disabled(m, mjDSBL_DAMPER);
}


mjtNum cfi_dofSpring(const mjModel* m, int dof) {
  CF_ASSERT_INDEX(dof, m->nv);
  const bool is_on = m->opt.integrator == CF_INTEGRATOR_SPRING_DAMPER;
  return is_on && !cfi_disabled(m, mjDSBL_SPRING) ? m->jnt_stiffness[m->dof_jntid[dof]] : 0;
}


bool cfi_hasStiffGains(const mjModel* m) {
  return m->na > 0 && cfi_gainChoice(m) && !cfi_disabled(m, mjDSBL_ACTUATION);
}


mjtNum cfi_explicitSlope(const mjModel* m, mjData* d, int u, cfGainLimits* limits) {
  CF_ASSERT_INDEX(u, m->nu);
  const mjtNum slope = -cfi_stiffSlope(m, d, u);
  if (!(slope > 0)) {
    return 0;
  }
  *limits = cfi_gainLimits(m, d, u);
  const bool is_known = isImplicitStep(m) && !limits->is_limited;
  return limits->is_beyond || is_known ? 0 : slope;
}


void cfi_addMomentSquare(mjtNum* H, const int* rownnz, const int* rowadr, const int* colind,
                         const mjData* d, int u, mjtNum scale) {
  const int adr = d->moment_rowadr[u], end = adr + d->moment_rownnz[u];
  for (int k = adr; k < end; k++) {
    const int row = d->moment_colind[k], from = rowadr[row];
    for (int i = from; i < from + rownnz[row]; i++) {
      for (int l = adr; l < end; l++) {
        if (d->moment_colind[l] == colind[i]) {
          H[i] += scale * d->actuator_moment[k] * d->actuator_moment[l];
        }
      }
    }
  }
}
