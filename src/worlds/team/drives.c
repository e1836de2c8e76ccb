// Which dofs actuators drive, and which dofs tendons couple: lists of the plan.
#include "base/assert.h"
#include "model/flags.h"
#include "team/tier.h"


bool cfi_teamIsDrawn(const mjModel* m) {
  bool is_drawn = false;
  for (int i = 0; i < m->ntendon; i++) {
    is_drawn |= m->tendon_stiffness[i] != 0 || m->tendon_damping[i] != 0;
  }
  return is_drawn;
}


int cfi_teamActuatorTendon(const mjModel* m, int u) {
  CF_ASSERT_INDEX(u, m->nu);
  return m->actuator_trntype[u] == mjTRN_TENDON ? m->actuator_trnid[2 * u] : -1;
}


// how far an actuator with unit gear moves with a dof; false: not at all
static bool driveCoefficient(const mjModel* m, int u, int dof, mjtNum* coef) {
  const int tendon = cfi_teamActuatorTendon(m, u);
  if (tendon >= 0) {
    return cfi_teamTendonCoef(m, tendon, dof, coef);
  }
  *coef = 1;
  return m->jnt_dofadr[m->actuator_trnid[2 * u]] == dof;
}


int cfi_teamDrives(const mjModel* m, int* adr, int* act, mjtNum* coef) {
  int count = 0;
  for (int i = 0; i < m->nv; i++) {
    if (adr) {
      adr[i] = count;
    }
    for (int u = 0; u < m->nu; u++) {
      mjtNum value;
      if (driveCoefficient(m, u, i, &value)) {
        if (adr) {
          act[count] = u;
          coef[count] = value;
        }
        count++;
      }
    }
  }
  if (adr) {
    adr[m->nv] = count;
  }
  return count;
}


// the product of a tendon's coefficients for an element of M; false: it does not couple its dofs
static bool coupleCoefficient(const mjModel* m, int tendon, int row, int column, mjtNum* coef) {
  mjtNum one, two;
  const bool is_coupled =
      cfi_teamTendonCoef(m, tendon, row, &one) && cfi_teamTendonCoef(m, tendon, column, &two);
  *coef = is_coupled ? one * two : 0;
  return is_coupled;
}


// what couples the dofs of one element of M, behind `count`
static int couplesOf(const mjModel* m, int row, int column, bool is_drawn, int* source,
                     mjtNum* coef, int count) {
  mjtNum value;
  for (int u = 0; u < m->nu && row != column; u++) {
    const int tendon = cfi_teamActuatorTendon(m, u);
    if (tendon >= 0 && coupleCoefficient(m, tendon, row, column, &value)) {
      if (source) {
        source[count] = u;
        coef[count] = value;
      }
      count++;
    }
  }
  for (int i = 0; i < m->ntendon && is_drawn; i++) {
    if (coupleCoefficient(m, i, row, column, &value)) {
      if (source) {
        source[count] = -1 - i;
        coef[count] = value;
      }
      count++;
    }
  }
  return count;
}


int cfi_teamCouples(const mjModel* m, bool is_drawn, int* adr, int* source, mjtNum* coef) {
  int count = 0;
  const bool is_used = m->opt.integrator == mjINT_IMPLICITFAST && m->ntendon > 0;
  for (int i = 0; i < m->nv && is_used; i++) {
    for (int k = m->M_rowadr[i]; k < m->M_rowadr[i] + m->M_rownnz[i]; k++) {
      if (adr) {
        adr[k] = count;
      }
      count = couplesOf(m, i, m->M_colind[k], is_drawn, source, coef, count);
    }
  }
  if (adr && count) {
    adr[m->nC] = count;
  }
  return count;
}
