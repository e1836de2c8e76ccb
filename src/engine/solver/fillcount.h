// How many numbers a sparse Hessian and its factor have; statistics only.
#ifndef CF_SOLVER_FILLCOUNT_H
#define CF_SOLVER_FILLCOUNT_H

#include "constraint/product.h"
#include "math/sparse.h"

// most columns that can be counted: bits of a word
enum { CF_FILL_MAX = 64 };

typedef struct {
  int hessian;  // J'J up to its diagonal, and M behind it as MuJoCo counts: from the first island
                // on
  int factor;
} cfFillCount;

// for sparse J with at most CF_FILL_MAX columns
cfFillCount cfi_countFill(const cfJacobian* J, const cfPattern* M);

// for any number of columns
cfFillCount cfi_countFillSparse(const cfJacobian* J, const cfPattern* M, mjData* d);

#endif  // CF_SOLVER_FILLCOUNT_H
