// Hessian of the primal cost, H = M + J'DJ + cones, with its factor; dense or sparse.
#ifndef CF_SOLVER_HESSIAN_H
#define CF_SOLVER_HESSIAN_H

#include "math/sparse.h"
#include "solver/blockldl.h"
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

// rows of J with the same columns, handled together
typedef struct {
  int row, count;
  int set;  // the blocks that their columns lie in
  int J;    // address of their numbers: count rows of four for each block
} cfRowBundle;

// sparse in blocks of four by four; structure fixed for one solve
typedef struct {
  int* slot;  // nv: where a dof stands; four slots to a row of blocks
  cfRowBundle* bundle;
  int nbundle, nJ, nplace, nH;
  cfPattern sets;          // the blocks of each set
  int *place_adr, *place;  // addresses of blocks in H that a set adds to
  cfSparseChol pattern;
  cfBlockLDL factor;
  mjtNum *H, *H_cones;  // of quadratic rows; with cones
  int* state;           // nefc: state of the rows that H was built for
  mjtNum *J, *x, *scratch;
  int* change_work;  // instructions of a rank-one change, by the last block of its row
  mjtNum factor_work;
} cfBlockHessian;

// row of blocks that a slot belongs to, and its place there
static inline int cfi_blockOf(int slot) {
  return slot >> 2;
}
static inline int cfi_lineOf(int slot) {
  return slot & (CF_BLOCK_SIDE - 1);
}

// everything but numbers, and memory for those; false as below
bool cfi_structureBlocks(cfPrimal* p, cfBlockHessian* h);

// false: not suited, or memory is short; nothing is changed but the stack
bool cfi_beginBlocks(cfPrimal* p, cfBlockHessian* h);
void cfi_changeBlocks(cfPrimal* p, cfBlockHessian* h);
// search = -H^-1 grad
void cfi_blockDirection(cfPrimal* p, cfBlockHessian* h);

// +1 where a row has to be added to H, -1 where it has to be taken out; old_state NULL: H is empty
static inline int cfi_quadraticChange(const cfPrimal* p, const int* old_state, int row) {
  const int is = p->state[row] == mjCNSTRSTATE_QUADRATIC;
  return old_state ? is - (old_state[row] == mjCNSTRSTATE_QUADRATIC) : is;
}

// how a move changed the quadratic rows
typedef struct {
  int added, removed;
} cfRowChanges;
cfRowChanges cfi_quadraticChanges(const cfPrimal* p);

// W (dim x n) = cone Hessian of a contact times its rows, which lie stride numbers apart
void cfi_mulCone(mjtNum* W, const mjContact* con, const mjtNum* rows, int stride, int n);

#endif  // CF_SOLVER_HESSIAN_H
