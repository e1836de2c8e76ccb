// Limits of the force of an actuator with a model.
#include "dynamics/gainlimits.h"

#include <math.h>

#include "base/assert.h"
#include "dynamics/gain.h"
#include "math/inline.h"
#include "model/flags.h"

// stands for no limit
static const mjtNum unlimited = 1e100;


// force that all actuators together ask of a dof, gravity compensation included
static mjtNum totalForce(const mjModel* m, const mjData* d, int dof) {
  CF_ASSERT_INDEX(dof, m->nv);
  mjtNum sum = 0;
  for (int u = 0; u < m->nu; u++) {
    for (int k = d->moment_rowadr[u]; k < d->moment_rowadr[u] + d->moment_rownnz[u]; k++) {
      sum += d->moment_colind[k] == dof ? d->actuator_moment[k] * d->actuator_force[u] : 0;
    }
  }
  const bool is_compensated =
      m->ngravcomp && !cfi_disabled(m, mjDSBL_GRAVITY) && m->jnt_actgravcomp[m->dof_jntid[dof]];
  return is_compensated ? sum + d->qfrc_gravcomp[dof] : sum;
}


// does another stiff actuator move this dof?
static bool hasRival(const mjModel* m, mjData* d, int u, int dof) {
  for (int other = 0; other < m->nu; other++) {
    const int adr = d->moment_rowadr[other];
    for (int k = adr; k < adr + d->moment_rownnz[other] && other != u; k++) {
      if (d->moment_colind[k] == dof && cfi_stiffSlope(m, d, other) < 0) {
        return true;
      }
    }
  }
  return false;
}


// a joint whose actuators are limited leaves to this one what the others do not take
static void limitByJoint(const mjModel* m, const mjData* d, int u, int dof, mjtNum moment,
                         cfGainLimits* limits) {
  const mjtNum *range = m->jnt_actfrcrange + 2 * m->dof_jntid[dof], total = totalForce(m, d, dof);
  const mjtNum others = total - moment * d->actuator_force[u];
  const mjtNum end[2] = {(range[0] - others) / moment, (range[1] - others) / moment};
  limits->is_limited = true;
  limits->low = cfi_max(limits->low, cfi_min(end[0], end[1]));
  limits->high = cfi_min(limits->high, cfi_max(end[0], end[1]));
  limits->applied = (cfi_clip(total, range[0], range[1]) - others) / moment;
}


// a joint of its own bounds the force; shared ones do no more than say that they are at a limit
static void limitByJoints(const mjModel* m, mjData* d, int u, cfGainLimits* limits) {
  const int adr = d->moment_rowadr[u], count = d->moment_rownnz[u];
  for (int k = adr; k < adr + count; k++) {
    const int dof = d->moment_colind[k], j = m->dof_jntid[dof];
    if (!m->jnt_actfrclimited[j] || dof != m->jnt_dofadr[j] || d->actuator_moment[k] == 0) {
      continue;
    }
    if (count == 1 && !hasRival(m, d, u, dof)) {
      limitByJoint(m, d, u, dof, d->actuator_moment[k], limits);
    } else {
      const mjtNum *range = m->jnt_actfrcrange + 2 * j, force = d->qfrc_actuator[dof];
      limits->is_beyond = limits->is_beyond || force <= range[0] || force >= range[1];
    }
  }
}


// forces of a tendon's actuators are scaled to its range, so that one alone has that range
static void limitByTendon(const mjModel* m, const mjData* d, int u, cfGainLimits* limits) {
  const int tendon = m->actuator_trnid[2 * u];
  const mjtNum* range = m->tendon_actfrcrange + 2 * tendon;
  int count = 0;
  mjtNum total = 0;
  for (int other = 0; other < m->nu; other++) {
    if (m->actuator_trntype[other] == mjTRN_TENDON && m->actuator_trnid[2 * other] == tendon) {
      count++;
      total += d->actuator_force[other];
    }
  }
  if (count == 1) {
    limits->is_limited = true;
    limits->low = cfi_max(limits->low, range[0]);
    limits->high = cfi_min(limits->high, range[1]);
  } else {
    const mjtNum rounding = 1e-12 * cfi_max(fabs(range[0]), fabs(range[1]));
    limits->is_beyond = total <= range[0] + rounding || total >= range[1] - rounding;
  }
}


cfGainLimits cfi_gainLimits(const mjModel* m, mjData* d, int u) {
  CF_ASSERT_INDEX(u, m->nu);
  cfGainLimits limits = {.applied = d->actuator_force[u], .low = -unlimited, .high = unlimited};
  if (m->actuator_forcelimited[u]) {
    limits.is_limited = true;
    limits.low = m->actuator_forcerange[2 * u];
    limits.high = m->actuator_forcerange[2 * u + 1];
  }
  if (m->actuator_trntype[u] == mjTRN_TENDON && m->tendon_actfrclimited[m->actuator_trnid[2 * u]]) {
    limitByTendon(m, d, u, &limits);
  }
  limitByJoints(m, d, u, &limits);
  if (limits.is_limited) {
    limits.wanted = cfi_unlimitedForce(m, d, u);
    limits.is_beyond = limits.is_beyond || !(limits.low < limits.high);
  }
  return limits;
}


bool cfi_isHeldByLimits(const mjModel* m, mjData* d, int u, bool is_stiff) {
  const cfGainLimits limits = cfi_gainLimits(m, d, u);
  return limits.is_beyond || (limits.is_limited && (is_stiff || limits.applied <= limits.low ||
                                                    limits.applied >= limits.high));
}
