// Hessian of the primal cost, H = M + J'DJ + cones, with its factor; dense or sparse.
#ifndef CF_SOLVER_HESSIAN_H
#define CF_SOLVER_HESSIAN_H

#include "math/sparse.h"
#include "solver/primal.h"

// dense: lower triangles, rows stride numbers apart
typedef struct {
  int stride;
  mjtNum* H;         // M + J'DJ of quadratic rows, NULL: built in L each time
  int* state;        // nefc: state of the rows that H was built for
  mjtNum* L;         // factor of the present H with cones
  mjtNum* diag_inv;  // nv: inverse diagonal of the factor
  mjtNum* W;         // 6 x stride: cone Hessian times rows of a contact, or one row
} cfDenseHessian;

void cfi_beginDense(cfPrimal* p, cfDenseHessian* h);
void cfi_updateDense(cfPrimal* p, cfDenseHessian* h);

// sparse: compressed rows of the lower triangle; structure fixed for one solve
typedef struct {
  cfPattern J, JT, H_pattern;
  mjtNum *JT_val, *H, *H_cones, *D;
  int* M_place;  // nC: address in H of each entry of M
  cfSparseChol chol;
  mjtNum* L;
  mjtNum* W;   // 6 x nv
  int nH, nL;  // nH as cfFillCount counts it
} cfSparseHessian;

void cfi_beginSparse(cfPrimal* p, cfSparseHessian* h);
void cfi_updateSparse(cfPrimal* p, cfSparseHessian* h);

// how a move changed the quadratic rows
typedef struct {
  int added, removed;
} cfRowChanges;
cfRowChanges cfi_quadraticChanges(const cfPrimal* p);

// W (dim x n) = cone Hessian of a contact times its rows, which lie stride numbers apart
void cfi_mulCone(mjtNum* W, const mjContact* con, const mjtNum* rows, int stride, int n);

#endif  // CF_SOLVER_HESSIAN_H
