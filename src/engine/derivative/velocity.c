// qDeriv: sum of the velocity derivatives of all smooth forces.
#include "derivative/velocity.h"

#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "math/dense.h"
#include "model/flags.h"
#include "model/indexset.h"


// row of qDeriv += scale * sparse vector, where the row has the column
static void addToRow(const mjModel* m, mjData* d, int row, const int* column, const mjtNum* value,
                     int count, mjtNum scale) {
  CF_ASSERT(row >= 0 && row < m->nv && count >= 0);
  const int adr = m->D_rowadr[row], end = adr + m->D_rownnz[row];
  int k = 0;
  for (int i = adr; i < end && k < count; i++) {
    while (k < count && column[k] < m->D_colind[i]) {
      k++;
    }
    if (k < count && column[k] == m->D_colind[i]) {
      d->qDeriv[i] += scale * value[k++];
    }
  }
}


void cfi_addOuterProduct(const mjModel* m, mjData* d, cfSparseRows J, mjtNum scale) {
  if (J.count == 1) {
    const int dof = J.column[0];
    d->qDeriv[m->D_rowadr[dof] + m->D_diag[dof]] += scale * J.value[0] * J.value[0];
    return;
  }
  for (int k = 0; k < J.count; k++) {
    addToRow(m, d, J.column[k], J.column, J.value, J.count, scale * J.value[k]);
  }
}


void cfi_addQuadraticForm(const mjModel* m, mjData* d, cfSparseRows J, const mjtNum* B) {
  CF_ASSERT(B != NULL);
  mj_markStack(d);
  mjtNum* BJ = mj_stackAllocNum(d, (size_t)(J.rows * J.count) + 1);
  mjtNum* sum = mj_stackAllocNum(d, (size_t)J.count + 1);
  mju_mulMatMat(BJ, B, J.value, J.rows, J.rows, J.count);
  for (int k = 0; k < J.count; k++) {
    mju_zero(sum, J.count);
    for (int r = 0; r < J.rows; r++) {
      mju_addToScl(sum, BJ + r * J.count, J.value[r * J.count + k], J.count);
    }
    addToRow(m, d, J.column[k], J.column, sum, J.count, 1);
  }
  mj_freeStack(d);
}


static void clearRows(const mjModel* m, mjData* d) {
  const cfIndexSet dofs = cfi_awakeDofs(m, d);
  if (!dofs.index) {
    cfi_zero(d->qDeriv, (int)m->nD);
    return;
  }
  for (int k = 0; k < dofs.count; k++) {
    const int dof = dofs.index[k];
    cfi_zero(d->qDeriv + m->D_rowadr[dof], m->D_rownnz[dof]);
  }
}


static void addPassiveVelocity(const mjModel* m, mjData* d) {
  // with both flags set every passive force is off
  if (!cfi_disabled(m, mjDSBL_SPRING) || !cfi_disabled(m, mjDSBL_DAMPER)) {
    cfi_addFluidVelocity(m, d);
  }
  if (!cfi_disabled(m, mjDSBL_DAMPER)) {
    cfi_addDamperVelocity(m, d);
  }
}


void cfi_smoothVelocityDerivative(const mjModel* m, mjData* d, bool with_bias) {
  CF_ASSERT(m->nD >= m->nv);
  clearRows(m, d);
  cfi_addActuatorVelocity(m, d);
  addPassiveVelocity(m, d);
  if (with_bias) {
    cfi_addBiasVelocity(m, d);
  }
}


// ---------------------------------------- exported by MuJoCo without a declaration

MJAPI void mjd_smooth_vel(const mjModel* m, mjData* d, int flg_bias);
MJAPI void mjd_passive_vel(const mjModel* m, mjData* d);
MJAPI void mjd_actuator_vel(const mjModel* m, mjData* d);

// qDeriv anew
void mjd_smooth_vel(const mjModel* m, mjData* d, int flg_bias) {
  cfi_smoothVelocityDerivative(m, d, flg_bias != 0);
}


// added to qDeriv
void mjd_passive_vel(const mjModel* m, mjData* d) {
  addPassiveVelocity(m, d);
}


void mjd_actuator_vel(const mjModel* m, mjData* d) {
  cfi_addActuatorVelocity(m, d);
}
