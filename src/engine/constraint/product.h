// The constraint Jacobian as a matrix, dense or sparse, and products with it.
#ifndef CF_CONSTRAINT_PRODUCT_H
#define CF_CONSTRAINT_PRODUCT_H

#include <mujoco/mjdata.h>
#include <mujoco/mjmodel.h>

// rows of J; dense when colind is NULL
typedef struct {
  const mjtNum* val;
  int nrow, ncol;
  const int *rownnz, *rowadr, *colind;
  const int* rowsuper;  // following rows with the same columns, may be NULL
} cfJacobian;

// J of all rows of mjData
cfJacobian cfi_jacobian(const mjModel* m, const mjData* d);

// res (nrow) = J * vec
void cfi_mulJacobian(mjtNum* res, const cfJacobian* J, const mjtNum* vec);

// res (ncol) = J' * vec
void cfi_mulJacobianT(mjtNum* res, const cfJacobian* J, const mjtNum* vec);

// reference acceleration of a row whose velocity is known
static inline void cfi_setReference(mjData* d, int r) {
  const mjtNum* KBIP = d->efc_KBIP + 4 * r;
  const mjtNum violation = d->efc_pos[r] - d->efc_margin[r];
  d->efc_aref[r] = -KBIP[1] * d->efc_vel[r] - KBIP[0] * KBIP[2] * violation;
}

#endif  // CF_CONSTRAINT_PRODUCT_H
