// Products with the constraint Jacobian, and the reference acceleration.
#include "constraint/product.h"

#include <stdbool.h>

#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "math/dense.h"
#include "math/simd/four.h"
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


// rows with the same columns are handled together when they have at most this many
enum { CF_GROUP_COLUMNS = 128 };


// number of rows from r on that share their columns, 1 where that does not pay
static inline int groupSize(const cfJacobian* J, int r) {
  return J->rowsuper && J->rownnz[r] <= CF_GROUP_COLUMNS ? J->rowsuper[r] + 1 : 1;
}


// rows of six columns, as two bodies with three dofs each make them (edges of flexes), without a
// loop and in the order of cfi_dotSparse
enum { CF_SIX = 6 };

static inline mjtNum dotSix(const mjtNum val[6], const int col[6], const mjtNum* vec) {
  const mjtNum even = val[0] * vec[col[0]] + val[2] * vec[col[2]];
  const mjtNum odd = val[1] * vec[col[1]] + val[3] * vec[col[3]];
  return ((even + odd) + val[4] * vec[col[4]]) + val[5] * vec[col[5]];
}


static inline void scatterSix(mjtNum* res, const mjtNum val[6], const int col[6], mjtNum scl) {
  res[col[0]] += val[0] * scl;
  res[col[1]] += val[1] * scl;
  res[col[2]] += val[2] * scl;
  res[col[3]] += val[3] * scl;
  res[col[4]] += val[4] * scl;
  res[col[5]] += val[5] * scl;
}


// into a vector at four columns
static inline void addAt(mjtNum* vec, const int* col, cfLane sum) {
  if (col[3] - col[0] == 3) {
    cfi_laneStore(vec + col[0], cfi_laneAdd(cfi_laneLoad(vec + col[0]), sum));
    return;
  }
  mjtNum part[4];
  cfi_laneStore(part, sum);
  for (int k = 0; k < 4; k++) {
    vec[col[k]] += part[k];
  }
}


// a group that is not four rows: gather the vector once, then dense rows
static void dotGroup(mjtNum* res, const mjtNum* val, const int* col, int nnz, int group,
                     const mjtNum* vec) {
  mjtNum gathered[CF_GROUP_COLUMNS];
  CF_ASSERT(nnz <= CF_GROUP_COLUMNS);
  cfi_gather(gathered, vec, col, nnz);
  cfi_dotRows(res, val, nnz, group, gathered, nnz);
}


// rows of a group lie one behind the other
static void sparseTimesVector(mjtNum* res, const cfJacobian* J, const mjtNum* vec) {
  for (int r = 0, group; r < J->nrow; r += group) {
    const int nnz = J->rownnz[r];
    const int* col = J->colind + J->rowadr[r];
    const mjtNum* val = J->val + J->rowadr[r];
    group = groupSize(J, r);
    CF_ASSERT(group >= 1 && r + group <= J->nrow);
    if (group == 1) {
      res[r] = nnz == CF_SIX ? dotSix(val, col, vec) : cfi_dotSparse(val, vec, nnz, col);
    } else if (group == 4) {
      cfi_laneStore(res + r, cfi_dotFourAt(val, col, nnz, vec));
    } else {
      dotGroup(res + r, val, col, nnz, group, vec);
    }
  }
}


// weighted sum of four rows with the same columns, then once into the result
static inline void addFourAt(mjtNum* res, const mjtNum* val, const int* col, int nnz,
                             const mjtNum weight[4]) {
  const mjtNum *r0 = val, *r1 = r0 + nnz, *r2 = r1 + nnz, *r3 = r2 + nnz;
  const cfLane w0 = cfi_laneSpread(weight[0]), w1 = cfi_laneSpread(weight[1]);
  const cfLane w2 = cfi_laneSpread(weight[2]), w3 = cfi_laneSpread(weight[3]);
  int k = 0;
  for (; k + 4 <= nnz; k += 4) {
    cfLane sum = cfi_laneMul(cfi_laneLoad(r0 + k), w0);
    sum = cfi_laneAddMul(sum, cfi_laneLoad(r1 + k), w1);
    sum = cfi_laneAddMul(sum, cfi_laneLoad(r2 + k), w2);
    addAt(res, col + k, cfi_laneAddMul(sum, cfi_laneLoad(r3 + k), w3));
  }
  for (; k < nnz; k++) {
    res[col[k]] +=
        ((r0[k] * weight[0] + r1[k] * weight[1]) + r2[k] * weight[2]) + r3[k] * weight[3];
  }
}


// another number of rows: dense combination, then scatter once
static void addRowsAt(mjtNum* res, const mjtNum* val, const int* col, int nnz, const mjtNum* weight,
                      int group) {
  mjtNum sum[CF_GROUP_COLUMNS];
  CF_ASSERT(nnz <= CF_GROUP_COLUMNS);
  cfi_combineRows(sum, weight, 1, val, nnz, group, nnz);
  for (int k = 0; k < nnz; k++) {
    res[col[k]] += sum[k];
  }
}


static bool anyNonzero(const mjtNum* vec, int n) {
  CF_ASSERT(n >= 0);
  for (int k = 0; k < n; k++) {
    if (vec[k] != 0) {
      return true;
    }
  }
  return false;
}


static void transposeTimesVector(mjtNum* res, const cfJacobian* J, const mjtNum* vec) {
  cfi_zero(res, J->ncol);
  for (int r = 0, group; r < J->nrow; r += group) {
    const int nnz = J->rownnz[r];
    const int* col = J->colind + J->rowadr[r];
    const mjtNum* val = J->val + J->rowadr[r];
    group = groupSize(J, r);
    if (!anyNonzero(vec + r, group)) {
      continue;
    }
    if (group == 1 && nnz == CF_SIX) {
      scatterSix(res, val, col, vec[r]);
    } else if (group == 1) {
      cfi_addToSclScatter(res, val, col, nnz, vec[r]);
    } else if (group == 4) {
      addFourAt(res, val, col, nnz, vec + r);
    } else {
      addRowsAt(res, val, col, nnz, vec + r, group);
    }
  }
}


void cfi_mulJacobian(mjtNum* res, const cfJacobian* J, const mjtNum* vec) {
  if (J->colind) {
    sparseTimesVector(res, J, vec);
  } else {
    cfi_dotRows(res, J->val, J->ncol, J->nrow, vec, J->ncol);
  }
}


void cfi_mulJacobianT(mjtNum* res, const cfJacobian* J, const mjtNum* vec) {
  if (J->colind) {
    transposeTimesVector(res, J, vec);
  } else {
    cfi_combineRows(res, vec, 1, J->val, J->ncol, J->nrow, J->ncol);
  }
}


void mj_mulJacVec(const mjModel* m, const mjData* d, mjtNum* res, const mjtNum* vec) {
  if (d->nefc) {
    const cfJacobian J = cfi_jacobian(m, d);
    cfi_mulJacobian(res, &J, vec);
  }
}


void mj_mulJacTVec(const mjModel* m, const mjData* d, mjtNum* res, const mjtNum* vec) {
  if (d->nefc) {
    const cfJacobian J = cfi_jacobian(m, d);
    cfi_mulJacobianT(res, &J, vec);
  }
}


// stage REFERENCE.  reads: qvel, efc_J, efc_KBIP, efc_pos, efc_margin.  writes: efc_vel, efc_aref.
// aref = -B*vel - K*I*(pos - margin)
void mj_referenceConstraint(const mjModel* m, mjData* d) {
  mj_mulJacVec(m, d, d->efc_vel, d->qvel);
  for (int r = 0; r < d->nefc; r++) {
    cfi_setReference(d, r);
  }
}
