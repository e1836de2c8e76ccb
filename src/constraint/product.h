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

#endif  // CF_CONSTRAINT_PRODUCT_H
