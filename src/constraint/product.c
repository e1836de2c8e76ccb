// Products with the constraint Jacobian, and the reference acceleration.
#include "constraint/product.h"

#include <mujoco/mujoco.h>

#include "math/dense.h"
#include "math/sparse.h"

cfJacobian cfi_jacobian(const mjModel* m, const mjData* d) {
  cfJacobian J = {d->efc_J, d->nefc, m->nv, NULL, NULL, NULL, NULL};
  if (mj_isSparse(m)) {
    J.rownnz = d->efc_J_rownnz;
    J.rowadr = d->efc_J_rowadr;
    J.colind = d->efc_J_colind;
    J.rowsuper = d->efc_J_rowsuper;
  }
  return J;
}


static cfPattern patternOf(const cfJacobian* J) {
  return (cfPattern){J->nrow, J->ncol, J->rownnz, J->rowadr, J->colind, J->rowsuper};
}


void cfi_mulJacobian(mjtNum* res, const cfJacobian* J, const mjtNum* vec) {
  if (J->colind) {
    cfi_mulMatVecSparse(res, J->val, vec, patternOf(J));
  } else {
    cfi_dotRows(res, J->val, J->ncol, J->nrow, vec, J->ncol);
  }
}


void cfi_mulJacobianT(mjtNum* res, const cfJacobian* J, const mjtNum* vec) {
  if (J->colind) {
    cfi_mulMatTVecSparse(res, J->val, vec, patternOf(J));
  } else {
    cfi_combineRows(res, vec, 1, J->val, J->ncol, J->nrow, J->ncol);
  }
}


void mj_mulJacVec(const mjModel* m, const mjData* d, mjtNum* res, const mjtNum* vec) {
  if (d->nefc) {
    cfJacobian J = cfi_jacobian(m, d);
    cfi_mulJacobian(res, &J, vec);
  }
}


void mj_mulJacTVec(const mjModel* m, const mjData* d, mjtNum* res, const mjtNum* vec) {
  if (d->nefc) {
    cfJacobian J = cfi_jacobian(m, d);
    cfi_mulJacobianT(res, &J, vec);
  }
}


// stage REFERENCE.  reads: qvel, efc_J, efc_KBIP, efc_pos, efc_margin.  writes: efc_vel, efc_aref.
// aref = -B*vel - K*I*(pos - margin)
void mj_referenceConstraint(const mjModel* m, mjData* d) {
  mj_mulJacVec(m, d, d->efc_vel, d->qvel);
  for (int r = 0; r < d->nefc; r++) {
    const mjtNum* KBIP = d->efc_KBIP + 4 * r;
    mjtNum violation = d->efc_pos[r] - d->efc_margin[r];
    d->efc_aref[r] = -KBIP[1] * d->efc_vel[r] - KBIP[0] * KBIP[2] * violation;
  }
}
