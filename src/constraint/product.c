// Products with the constraint Jacobian, and the reference acceleration.
#include "constraint/product.h"

#include <string.h>

#include <mujoco/mujoco.h>

#include "math/inline.h"

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


// dense rows: four at a time share the loads of vec
static void denseTimesVector(mjtNum* res, const cfJacobian* J, const mjtNum* vec) {
  int n = J->ncol, r = 0;
  for (; r + 4 <= J->nrow; r += 4) {
    const mjtNum *a = J->val + (size_t)r * n, *b = a + n, *c = b + n, *e = c + n;
    mjtNum sum[4][4] = {{0}};
    int k = 0;
    for (; k + 4 <= n; k += 4) {
      for (int l = 0; l < 4; l++) {
        sum[0][l] += a[k + l] * vec[k + l];
        sum[1][l] += b[k + l] * vec[k + l];
        sum[2][l] += c[k + l] * vec[k + l];
        sum[3][l] += e[k + l] * vec[k + l];
      }
    }
    for (int q = 0; q < 4; q++) {
      const mjtNum* row = a + (size_t)q * n;
      mjtNum total = (sum[q][0] + sum[q][2]) + (sum[q][1] + sum[q][3]);
      for (int l = k; l < n; l++) {
        total += row[l] * vec[l];
      }
      res[r + q] = total;
    }
  }
  for (; r < J->nrow; r++) {
    res[r] = mju_dot(J->val + (size_t)r * n, vec, n);
  }
}


// sparse rows: rows with equal columns share the gathered vector
static void sparseTimesVector(mjtNum* res, const cfJacobian* J, const mjtNum* vec) {
  for (int r = 0; r < J->nrow;) {
    int group = J->rowsuper ? J->rowsuper[r] + 1 : 1, nnz = J->rownnz[r];
    const int* col = J->colind + J->rowadr[r];
    int q = 0;
    for (; q + 2 <= group; q += 2) {
      const mjtNum *a = J->val + J->rowadr[r + q], *b = J->val + J->rowadr[r + q + 1];
      mjtNum sum_a = 0, sum_b = 0;
      for (int k = 0; k < nnz; k++) {
        mjtNum x = vec[col[k]];
        sum_a += a[k] * x;
        sum_b += b[k] * x;
      }
      res[r + q] = sum_a;
      res[r + q + 1] = sum_b;
    }
    for (; q < group; q++) {
      const mjtNum* a = J->val + J->rowadr[r + q];
      mjtNum sum = 0;
      for (int k = 0; k < nnz; k++) {
        sum += a[k] * vec[col[k]];
      }
      res[r + q] = sum;
    }
    r += group;
  }
}


void cfi_mulJacobian(mjtNum* res, const cfJacobian* J, const mjtNum* vec) {
  if (J->colind) {
    sparseTimesVector(res, J, vec);
  } else {
    denseTimesVector(res, J, vec);
  }
}


void cfi_mulJacobianT(mjtNum* res, const cfJacobian* J, const mjtNum* vec) {
  memset(res, 0, sizeof(mjtNum) * J->ncol);
  for (int r = 0; r < J->nrow; r++) {
    mjtNum x = vec[r];
    if (x == 0) {
      continue;
    }
    if (J->colind) {
      const int* col = J->colind + J->rowadr[r];
      const mjtNum* row = J->val + J->rowadr[r];
      for (int k = 0; k < J->rownnz[r]; k++) {
        res[col[k]] += row[k] * x;
      }
    } else {
      const mjtNum* row = J->val + (size_t)r * J->ncol;
      for (int k = 0; k < J->ncol; k++) {
        res[k] += row[k] * x;
      }
    }
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
